/* Force points of tools: small areas with a normal, on the faces of boxes. Each finds its cell, presses it elastically
   up to the soil's strength, and then displaces soil (the vertical part) or cuts it into particles (the rest). */
#ifndef SOIL_FORCE_POINTS_H
#define SOIL_FORCE_POINTS_H

#include <math.h>
#include <stdint.h>

#include "cells.h"
#include "earth_pressure.h"
#include "particles.h"
#include "shear.h"
#include "sinkage.h"
#include "soil.h"

/* Soil above a face that rises comes loose in this multiple of the way: what is under the face stays where it is. */
static const double LIFTED = 5.0;

/* horizontal direction of a normal; zero if it is vertical */
static inline void flat(const double *n, double *e)
{
    const double size = sqrt(n[0]*n[0] + n[1]*n[1]);
    e[0] = size > 1e-6 ? n[0]/size : 0.0, e[1] = size > 1e-6 ? n[1]/size : 0.0;
}

/* Take soil of a height `wanted` (m, over one cell) from above a level, from the cell beside a point and the next two
   ahead; returns what there was. */
static inline double take(soil_t *s, const double *at, const double *n, double aside, double low, double wanted)
{
    double e[2], taken = 0.0;
    int k;
    flat(n, e);
    for (k = 0; k < 3 && taken < wanted; k++) {
        const int64_t cell = cell_at(s, at[0] + aside*e[1] + k*s->spacing*e[0], at[1] - aside*e[0] + k*s->spacing*e[1]);
        const double above = cell < 0 ? 0.0 : s->height[cell] - low;
        if (above > 0.0) {
            const double part = fmin(wanted - taken, above);
            heap(s, cell, -part);
            taken += part;
        }
    }
    return taken;
}

/* Put loose soil of one particle onto the ground ahead of a point; as ground if there are too many particles. */
static inline void loosen(soil_t *s, const double *at, const double *n)
{
    const double r = s->material->radius, shake = 0.5*r*(2.0*random_number(s) - 1.0);
    double e[2], place[3];
    flat(n, e);
    place[0] = at[0] + r*e[0] - shake*e[1], place[1] = at[1] + r*e[1] + shake*e[0];
    place[2] = fmax(height_at(s, place[0], place[1]) + r, n[2] > 0.0 ? at[2] + r : -1e9);
    if (!bear(s, place)) {
        const int64_t cell = cell_at(s, at[0], at[1]);
        const int64_t ahead = cell_at(s, at[0] + 2.0*s->spacing*e[0], at[1] + 2.0*s->spacing*e[1]);
        heap(s, ahead < 0 ? cell : ahead, s->material->thickness);
    }
}

/* Strength (Pa) against a face that moves sideways or up at a depth: passive earth pressure K_p rho g z + 2 c sqrt(K_p)
   (Rankine), and the weight of the soil above it. A cell that was never cut bears up to the penetration limit. */
static inline double strength(const soil_t *s, int64_t cell, double depth, double up)
{
    const material_t *m = s->material;
    const double passive = passive_coefficient(s->grip[cell]), whole = s->sliced[cell] < 0.0 ? m->penetration : 0.0;
    const double weight = m->density*m->gravity*depth, rankine = passive*weight + 2.0*m->cohesion*sqrt(passive);
    const double sideways = rankine > whole ? rankine : whole;
    return up > 0.0 ? up*up*weight + (1.0 - up*up)*sideways : sideways;
}

/* Pressure (Pa) on a face that cuts: elastic up to the strength, then soil comes loose. state: as in soil_contact_t */
static inline double slice(soil_t *s, int64_t cell, const double *at, const double *n, double area, double depth,
                           double closing, double before, double low, double wide, double *state)
{
    const material_t *m = s->material;
    const double over = area/(s->spacing*s->spacing);
    const double lifted = n[2] > 0.0 ? 1.0 + (LIFTED - 1.0)*n[2]*n[2] : 1.0;
    const double damped = DAMPED*m->elastic*s->dt*closing;
    double most = strength(s, cell, depth, n[2]), pressure;
    int side;
    state[0] = fmax(state[0] + s->dt*(1.5*closing - 0.5*before), -s->spacing);
    pressure = m->elastic*state[0];
    if (pressure <= most)
        return within(pressure + damped, 0.0, most);
    s->sliced[cell] = s->count[STEP];
    most = strength(s, cell, depth, n[2]); /* of a cell that is cut */
    for (side = -1; side <= 1; side += 2)
        state[8] += take(s, at, n, 0.25*side*wide, low, 0.5*over*lifted*(state[0] - most/m->elastic));
    for (; state[8] >= m->thickness; state[8] -= m->thickness)
        loosen(s, at, n);
    state[0] = most/m->elastic;
    return closing < 0.0 ? fmax(0.0, most + damped) : most;
}

/* Pressure (Pa) under a plate that entered a column sideways: Bekker's curve over the way that it sank since then, and
   elastic below it. `way`: how far (m) the plate sinks in this step; state: sinkage and elastic deflection. */
static inline double buried(const soil_t *s, int64_t cell, double way, double sinking, double depth, double breadth,
                            double *state)
{
    const material_t *m = s->material;
    const double k = m->cohesive_modulus/breadth + s->modulus[cell], damped = DAMPED*m->elastic*s->dt*sinking;
    double first, pressure;
    state[1] = fmax(state[1] + way, -s->spacing);
    first = first_loading(m, k, state[0] + state[1], s->grip[cell], depth, breadth);
    pressure = m->elastic*state[1];
    if (pressure <= first)
        return within(pressure + damped, 0.0, first);
    state[0] += state[1] - first/m->elastic;
    state[1] = first/m->elastic;
    return sinking < 0.0 ? fmax(0.0, first + damped) : first;
}

/* height of the lowest corner of a tool */
static inline double lowest(const soil_contact_t *c)
{
    double z = c->p[2];
    int k;
    for (k = 0; k < 3; k++)
        z += fmin(c->R[6 + k]*c->hull[k], c->R[6 + k]*c->hull[3 + k]);
    return z;
}

/* highest ground (m) under a tool and around it; force points look at the next cell, too */
static inline double highest(const soil_t *s, const soil_contact_t *c)
{
    double middle[2], half[2], top = -HUGE_VAL;
    int64_t r0, r1, c0, c1, row, column;
    int i, k;
    for (i = 0; i < 2; i++) {
        middle[i] = c->p[i], half[i] = 2.0*s->spacing;
        for (k = 0; k < 3; k++) {
            middle[i] += 0.5*c->R[3*i + k]*(c->hull[3 + k] + c->hull[k]);
            half[i] += 0.5*fabs(c->R[3*i + k])*(c->hull[3 + k] - c->hull[k]);
        }
    }
    span(middle[0], half[0], s->x0, s->spacing, s->columns, &c0, &c1);
    span(middle[1], half[1], s->y0, s->spacing, s->rows, &r0, &r1);
    for (row = r0; row <= r1; row++)
        for (column = c0; column <= c1; column++)
            top = s->height[row*s->columns + column] > top ? s->height[row*s->columns + column] : top;
    return top;
}

/* the state of a force point that touches nothing; cut soil stays on it */
static inline void release(double *state)
{
    memset(state, 0, (POINT_STATE - 1)*sizeof *state);
    state[5] = NAN;
}

/* A force point stands for a small square. Downwards it presses by Bekker's law, in the other directions it cuts. */
static inline void dig(soil_t *s, soil_contact_t *c)
{
    const material_t *m = s->material;
    const double bottom = lowest(c), clear = highest(s, c) + ABOVE*s->spacing;
    int64_t i;
    for (i = 0; i < c->npoints; i++) {
        const double *point = c->points + POINT*i;
        double *state = c->memory + POINT_STATE*i;
        double at[3], n[3], v[3], tau[3], F[3], down, tall, low, depth, deep, area, closing, before, pressure = 0.0;
        int64_t cell;
        int k;
        if (c->p[2] + dot(c->R + 6, point) - 0.5*sqrt(point[6]) > clear) { /* far above the ground */
            if (!isnan(state[5]))
                release(state);
            continue;
        }
        turn(c->R, point, at);
        for (k = 0; k < 3; k++)
            at[k] += c->p[k];
        turn(c->R, point + 3, n);
        cell = cell_at(s, at[0], at[1]);
        down = n[2] < 0.0 ? n[2]*n[2] : 0.0;
        tall = sqrt(point[6]*(n[2]*n[2] < 1.0 ? 1.0 - n[2]*n[2] : 0.0)); /* of the square */
        low = at[2] - 0.5*tall;
        depth = cell < 0 ? -s->spacing : s->height[cell] - low;
        deep = depth;
        if (cell >= 0 && down < 1.0 && s->sliced[cell] >= s->count[STEP] - 1.0) {
            double e[2]; /* a cell that is partly cut is as high as the next one ahead of the face */
            int64_t next;
            flat(n, e);
            next = cell_at(s, at[0] + s->spacing*e[0], at[1] + s->spacing*e[1]);
            deep = next < 0 ? depth : fmax(depth, s->height[next] - low);
        }
        if (deep <= 0.0) {
            if (cell >= 0 && depth > -ABOVE*s->spacing)
                press(s, cell, 0.0);
            release(state);
            continue;
        }
        velocity_at(c, at, v);
        closing = dot(v, n);
        before = isnan(state[5]) ? closing : state[5];
        state[5] = closing;
        for (k = 0; k < 3; k++)
            v[k] -= closing*n[k];
        area = deep < tall ? point[6]*deep/tall : point[6];
        if (down > 0.0 && depth*fabs(n[2]) > point[7]) /* a plate inside a column: what is above it lies on it */
            pressure = down*buried(s, cell, -s->dt*(1.5*closing - 0.5*before)/n[2], -closing/n[2], depth, c->breadth,
                                   state + 6);
        else if (down > 0.0 && depth > 0.0 && s->sliced[cell] < s->count[STEP] - 1.0) { /* else what is left of the cell is ahead of a face */
            double yields;
            pressure = down*bekker(s, cell, depth, -closing/n[2], c->breadth, &yields);
            sink(s, cell, down*fmin(1.0, area/(s->spacing*s->spacing))*yields, 0);
        }
        if (down < 1.0)
            pressure += (1.0 - down)*slice(s, cell, at, n, (1.0 - down)*area, fmax(0.5*deep, deep - 0.5*tall), closing,
                                           before, bottom, sqrt(point[6]), state);
        shear(state + 1, n, v, m->shear_length, s->dt, pressure*m->tool_friction, tau);
        for (k = 0; k < 3; k++)
            F[k] = area*(tau[k] - pressure*n[k]);
        add_force(c, at, F);
        press(s, cell, F[2] > 0.0 ? F[2] : 0.0);
    }
}

#endif
