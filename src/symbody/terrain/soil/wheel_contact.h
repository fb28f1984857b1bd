/* Wheels on cells. A rigid wheel: pressure and sinkage by Bekker, p = (k_c/b + k_phi) z^n, normal to the rim (Wong and
   Reece), shear by Janosi and Hanamoto, both in each cell under the rim. A tyre: its law gives the load, and the soil
   gives way under its contact patch. */
#ifndef SOIL_WHEEL_CONTACT_H
#define SOIL_WHEEL_CONTACT_H

#include <math.h>
#include <stdint.h>

#include "cells.h"
#include "earth_pressure.h"
#include "shear.h"
#include "sinkage.h"
#include "soil.h"

static const double FASTEST = 2.0; /* m/s at which cells sink under a tyre */
static const double GENTLE = 0.02; /* m/s */

/* horizontal axes of a wheel that turns about axis 2 of its point, and the vertical part of the axle */
typedef struct {
    double ahead[3], left[3], up[3], upright, lean; /* up: in the plane of the wheel */
} wheel_axes_t;

static inline wheel_axes_t wheel_axes(const soil_contact_t *c)
{
    const double axle[3] = {c->R[1], c->R[4], c->R[7]};
    wheel_axes_t a;
    int k;
    a.lean = axle[2];
    a.upright = sqrt(axle[0]*axle[0] + axle[1]*axle[1]);
    a.upright = a.upright > 1e-9 ? a.upright : 1e-9;
    a.left[0] = axle[0]/a.upright, a.left[1] = axle[1]/a.upright, a.left[2] = 0.0;
    a.ahead[0] = a.left[1], a.ahead[1] = -a.left[0], a.ahead[2] = 0.0;
    for (k = 0; k < 3; k++)
        a.up[k] = -a.lean*a.left[k];
    a.up[2] = a.upright;
    return a;
}

/* share of a cell that a strip of a width covers whose middle is at a distance */
static inline double covered(double distance, double width, double cell)
{
    const double high = within(distance + 0.5*cell, -0.5*width, 0.5*width);
    const double low = within(distance - 0.5*cell, -0.5*width, 0.5*width);
    return (high - low)/cell;
}

/* Resistance of the soil that a wheel pushes ahead: passive earth pressure on its width over its sinkage below the ground
   a radius ahead, a third of the sinkage above its lowest line. It is full from `GENTLE` m/s on. */
static inline void bulldoze(soil_t *s, soil_contact_t *c, const wheel_axes_t *a)
{
    const double speed = dot(c->v, a->ahead), way = speed < 0.0 ? -c->radius : c->radius;
    const double x = c->p[0] + way*a->ahead[0], y = c->p[1] + way*a->ahead[1], low = c->p[2] - c->radius*a->upright;
    const int64_t cell = cell_at(s, x, y);
    double at[3], F[3] = {0.0, 0.0, 0.0}, z, size;
    int k;
    if (cell < 0)
        return;
    z = height_at(s, x, y) - low;
    if (z <= 0.0)
        return;
    size = -within(speed/GENTLE, -1.0, 1.0)*passive_force(s->material, s->grip[cell], z, c->width);
    for (k = 0; k < 2; k++)
        at[k] = c->p[k], F[k] = size*a->ahead[k];
    at[2] = low + z/3.0;
    add_force(c, at, F);
}

static inline void roll(soil_t *s, soil_contact_t *c)
{
    const wheel_axes_t a = wheel_axes(c);
    const material_t *m = s->material;
    const double reach = sqrt(c->radius*c->radius + 0.25*c->width*c->width), area = s->spacing*s->spacing;
    int64_t r0, r1, c0, c1, row, column;
    span(c->p[0], reach, s->x0, s->spacing, s->columns, &c0, &c1);
    span(c->p[1], reach, s->y0, s->spacing, s->rows, &r0, &r1);
    for (row = r0; row <= r1; row++)
        for (column = c0; column <= c1; column++) {
            const int64_t cell = row*s->columns + column;
            const double x = s->x0 + (double)column*s->spacing - c->p[0], y = s->y0 + (double)row*s->spacing - c->p[1];
            const double u = x*a.ahead[0] + y*a.ahead[1], w = x*a.left[0] + y*a.left[1];
            const double sine = u/c->radius;
            double cosine, along, z, depth, share, pressure, yields, slip, n[3], at[3], v[3], tau[3], F[3], *b;
            int k;
            if (fabs(sine) > 0.95) /* the rim is too steep for a column */
                continue;
            cosine = sqrt(1.0 - sine*sine);
            along = (w - c->radius*cosine*a.lean)/a.upright;
            share = covered(along, c->width, s->spacing);
            z = c->p[2] + along*a.lean - c->radius*cosine*a.upright;
            depth = s->height[cell] - z;
            b = s->bristle + 4*cell;
            if (share > 0.0 && depth <= 0.0 && depth > -ABOVE*s->spacing)
                b[0] = b[1] = b[2] = b[3] = 0.0, press(s, cell, 0.0);
            if (share <= 0.0 || depth <= 0.0)
                continue;
            for (k = 0; k < 3; k++) /* from the soil's side: out of the wheel */
                n[k] = sine*a.ahead[k] - cosine*a.up[k];
            at[0] = c->p[0] + x, at[1] = c->p[1] + y, at[2] = z;
            pressure = bekker(s, cell, depth, -dot(c->v, n)/n[2], c->width, &yields);
            velocity_at(c, at, v);
            slip = dot(v, n);
            for (k = 0; k < 3; k++)
                v[k] -= slip*n[k];
            if (s->touched[cell] < s->count[STEP] - 1.0)
                b[0] = b[1] = b[2] = b[3] = 0.0;
            shear(b, n, v, m->shear_length, s->dt, m->cohesion + pressure*s->grip[cell], tau);
            for (k = 0; k < 3; k++)
                F[k] = share*area/-n[2]*(tau[k] - pressure*n[k]);
            add_force(c, at, F);
            press(s, cell, F[2] > 0.0 ? F[2] : 0.0);
            sink(s, cell, yields, a.left);
        }
    if (c->bulldozing > 0.0)
        bulldoze(s, c, &a);
}

/* The ground under the contact patch of a tyre: its mean height and slope. Where the pressure of the load exceeds
   Bekker's curve, the cells sink. */
static inline void carry(soil_t *s, soil_contact_t *c)
{
    const wheel_axes_t a = wheel_axes(c);
    const material_t *m = s->material;
    const double load = c->u[18] > 0.0 ? c->u[18] : 0.0, area = s->spacing*s->spacing;
    const double flat = fmin(load/c->stiffness, 0.5*c->radius);
    const double length = fmax(2.0*sqrt(flat*(2.0*c->radius - flat)), s->spacing);
    const double pressure = load/(length*c->width), reach = 0.5*sqrt(length*length + c->width*c->width) + s->spacing;
    double total = 0.0, mean = 0.0, uu = 0.0, ww = 0.0, uh = 0.0, wh = 0.0, along, aside, goal = 0.0, of_modulus = -1.0;
    int64_t r0, r1, c0, c1, row, column;
    int pass;
    span(c->p[0], reach, s->x0, s->spacing, s->columns, &c0, &c1);
    span(c->p[1], reach, s->y0, s->spacing, s->rows, &r0, &r1);
    for (pass = 0; pass < 2; pass++) {
        for (row = r0; row <= r1; row++)
            for (column = c0; column <= c1; column++) {
                const int64_t cell = row*s->columns + column;
                const double x = s->x0 + (double)column*s->spacing - c->p[0];
                const double y = s->y0 + (double)row*s->spacing - c->p[1];
                const double u = x*a.ahead[0] + y*a.ahead[1], w = x*a.left[0] + y*a.left[1];
                const double share = covered(u, length + s->spacing, s->spacing)*covered(w, c->width + s->spacing, s->spacing);
                if (share <= 0.0)
                    continue;
                if (pass == 0) {
                    const double inside = covered(u, length, s->spacing)*covered(w, c->width, s->spacing);
                    if (inside > 0.0 && load > 0.0) {
                        press(s, cell, inside*area*pressure);
                        if (s->modulus[cell] != of_modulus) { /* most cells have the same one */
                            of_modulus = s->modulus[cell];
                            goal = pow(pressure/(m->cohesive_modulus/c->width + of_modulus), 1.0/m->exponent);
                        }
                        if (inside > 0.5)
                            sink(s, cell, fmin(goal - s->sinkage[cell], FASTEST*s->dt), a.left);
                    }
                    total += share, mean += share*s->height[cell];
                } else {
                    const double dh = s->height[cell] - mean;
                    uu += share*u*u, uh += share*u*dh, ww += share*w*w, wh += share*w*dh;
                }
            }
        if (pass == 0)
            mean = total > 0.0 ? mean/total : 0.0;
    }
    along = uu > 0.0 ? uh/uu : 0.0, aside = ww > 0.0 ? wh/ww : 0.0;
    c->height = mean;
    c->slope[0] = along*a.ahead[0] + aside*a.left[0], c->slope[1] = along*a.ahead[1] + aside*a.left[1];
}

#endif
