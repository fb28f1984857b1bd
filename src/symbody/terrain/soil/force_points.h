/* Force points of tools: small areas with a normal, on the faces of boxes. Each finds its cell, presses it elastically
   up to the soil's strength, and then displaces soil (the vertical part) or cuts it into particles (the rest). */
#ifndef SOIL_FORCE_POINTS_H
#define SOIL_FORCE_POINTS_H

#include <math.h>
#include <stdint.h>

#include "cells.h"
#include "shear.h"
#include "soil.h"

/* a new particle at rest; 0 if there are too many */
static inline int bear(soil_t *s, const double *at)
{
    int64_t i;
    int k;
    for (i = 0; i < s->capacity; i++)
        if (s->alive[i] == 0.0) {
            for (k = 0; k < 3; k++)
                s->position[3*i + k] = at[k], s->velocity[3*i + k] = s->spin[3*i + k] = 0.0;
            memset(s->slots + SLOTS*SLOT*i, 0, SLOTS*SLOT*sizeof *s->slots);
            s->calm[i] = 0.0;
            s->alive[i] = 1.0;
            s->count[BORN] += 1.0;
            s->fresh = 1; /* the neighbours have to be found again */
            return 1;
        }
    return 0;
}

/* Take the soil of a particle from the cells that a point enters and put the particle onto the ground ahead of it. If
   there are too many particles, the soil is pushed to the next cell. 0 if the cells are lower than the point. */
static inline int cut(soil_t *s, const double *at, const double *n)
{
    const double flat = sqrt(n[0]*n[0] + n[1]*n[1]), thick = s->material->thickness, r = s->material->radius;
    const double ex = flat > 1e-6 ? n[0]/flat : 0.0, ey = flat > 1e-6 ? n[1]/flat : 0.0;
    const double shake = 0.5*r*(2.0*random_number(s) - 1.0);
    double place[3], slope[2];
    int k;
    for (k = 0; k < 3; k++) {
        const double x = at[0] + k*s->spacing*ex, y = at[1] + k*s->spacing*ey;
        const int64_t cell = cell_at(s, x, y);
        if (cell < 0 || s->height[cell] - thick < at[2] - r)
            continue;
        place[0] = at[0] + (r + 0.5*k*s->spacing)*ex - shake*ey;
        place[1] = at[1] + (r + 0.5*k*s->spacing)*ey + shake*ex;
        heap(s, cell, -thick);
        place[2] = surface(s, place[0], place[1], slope) + r;
        if (n[2] > 0.0 && place[2] < at[2] + r) /* above a face that lifts */
            place[2] = at[2] + r;
        if (!bear(s, place)) {
            const int64_t ahead = cell_at(s, x + 2.0*s->spacing*ex, y + 2.0*s->spacing*ey);
            heap(s, ahead < 0 ? cell : ahead, thick);
        }
        return 1;
    }
    return 0;
}

/* Strength (Pa) against a face with a normal at a depth: Bekker's pressure downwards, passive earth pressure
   K_p rho g z + 2 c sqrt(K_p) sideways (Rankine), the weight of the soil upwards. */
static inline double strength(const soil_t *s, int64_t cell, const contact_t *c, double depth, const double *n)
{
    const material_t *m = s->material;
    const double sine = s->grip[cell]/sqrt(1.0 + s->grip[cell]*s->grip[cell]), passive = (1.0 + sine)/(1.0 - sine);
    const double weight = m->density*m->gravity*depth;
    const double sideways = passive*weight + 2.0*m->cohesion*sqrt(passive);
    const double k = m->cohesive_modulus/c->breadth + s->modulus[cell];
    const double upright = n[2] < 0.0 ? k*pow(s->sinkage[cell] + depth, m->exponent) : weight;
    return n[2]*n[2]*upright + (1.0 - n[2]*n[2])*sideways;
}

static inline void dig(soil_t *s, contact_t *c)
{
    const material_t *m = s->material;
    const double area = s->spacing*s->spacing, full = m->thickness*area;
    int64_t i;
    for (i = 0; i < c->npoints; i++) {
        const double *point = c->points + POINT*i;
        double *state = c->memory + POINT_STATE*i;
        double at[3], n[3], v[3], tau[3], F[3], depth, closing, most, pressure;
        int64_t cell;
        int k;
        turn(c->R, point, at);
        for (k = 0; k < 3; k++)
            at[k] += c->p[k];
        cell = cell_at(s, at[0], at[1]);
        depth = cell < 0 ? 0.0 : s->height[cell] - at[2];
        if (depth <= 0.0) {
            if (cell >= 0 && depth > -ABOVE*s->spacing)
                press(s, cell, 0.0);
            memset(state, 0, (POINT_STATE - 2)*sizeof *state);
            state[5] = NAN;
            continue;
        }
        turn(c->R, point + 3, n);
        velocity_at(c, at, v);
        closing = dot(v, n);
        for (k = 0; k < 3; k++)
            v[k] -= closing*n[k];
        most = strength(s, cell, c, depth, n);
        state[0] = fmax(state[0] + s->dt*(1.5*closing - 0.5*(isnan(state[5]) ? closing : state[5])), -s->spacing);
        state[5] = closing;
        pressure = m->elastic*state[0];
        if (pressure > most) {
            const double volume = point[6]*(state[0] - most/m->elastic), down = n[2] < 0.0 ? n[2]*n[2] : 0.0;
            state[0] = most/m->elastic;
            pressure = closing < 0.0 ? fmax(0.0, most + DAMPED*m->elastic*s->dt*closing) : most;
            sink(s, cell, down*volume/area, 0);
            state[6] += (1.0 - down)*volume;
            while (state[6] >= full && cut(s, at, n))
                state[6] -= full;
            state[6] = fmin(state[6], full);
        } else
            pressure = within(pressure + DAMPED*m->elastic*s->dt*closing, 0.0, most);
        shear(state + 1, n, v, m->shear_length, s->dt, pressure*m->tool_friction, tau);
        for (k = 0; k < 3; k++)
            F[k] = point[6]*(tau[k] - pressure*n[k]);
        add_force(c, at, F);
        press(s, cell, F[2] > 0.0 ? F[2] : 0.0);
    }
}

#endif
