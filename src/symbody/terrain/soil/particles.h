/* Particles: rigid spheres with contact and friction among each other, with the ground and with tools. Loose soil takes
   more room than ground. A particle that comes to rest on the ground becomes ground again. */
#ifndef SOIL_PARTICLES_H
#define SOIL_PARTICLES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "cells.h"
#include "neighbours.h"
#include "particle_contact.h"
#include "soil.h"

static const double LOOSENED = 1e-6; /* of the void ratio: it stops to grow so near its end */

/* A new particle at rest; 0 if there are too many. */
static inline int bear(soil_t *s, const double *at)
{
    int64_t i;
    int k;
    for (i = 0; i < s->capacity; i++)
        if (s->alive[i] == 0.0) {
            for (k = 0; k < 3; k++)
                s->position[3*i + k] = at[k], s->velocity[3*i + k] = s->spin[3*i + k] = 0.0;
            s->held[i] = s->calm[i] = 0.0;
            s->voids[i] = s->material->voids, s->size[i] = s->material->radius;
            s->count[BORN] += 1.0;
            s->born[i] = s->count[POURED] + s->count[BORN];
            s->alive[i] = 1.0;
            enlist(s, i);
            return 1;
        }
    return 0;
}

/* A particle becomes ground: its soil, with the voids of the ground, goes to the four nearest cells in bilinear shares. */
static inline void merge(soil_t *s, int64_t i)
{
    const double a = within((s->position[3*i] - s->x0)/s->spacing, 0.0, (double)(s->columns - 1));
    const double b = within((s->position[3*i + 1] - s->y0)/s->spacing, 0.0, (double)(s->rows - 1));
    const int64_t c = (int64_t)a < s->columns - 2 ? (int64_t)a : s->columns - 2;
    const int64_t k = (int64_t)b < s->rows - 2 ? (int64_t)b : s->rows - 2, cell = k*s->columns + c;
    const double e = a - (double)c, f = b - (double)k, thick = s->material->thickness;
    const double parts[3] = {(1.0 - f)*(1.0 - e)*thick, (1.0 - f)*e*thick, f*(1.0 - e)*thick};
    heap(s, cell, parts[0]);
    heap(s, cell + 1, parts[1]);
    heap(s, cell + s->columns, parts[2]);
    heap(s, cell + s->columns + 1, thick - parts[0] - parts[1] - parts[2]);
    s->alive[i] = -1.0; /* free again when the neighbours are found again */
    s->count[MERGED] += 1.0;
}

/* The void ratio of cut soil grows to that of loose soil, and with it the radius: V = V_solid (1 + e). */
static inline void swell(soil_t *s, int64_t i)
{
    const material_t *m = s->material;
    if (s->voids[i] == m->loose)
        return;
    s->voids[i] += m->loosening*(m->loose - s->voids[i]);
    if (fabs(m->loose - s->voids[i]) < LOOSENED)
        s->voids[i] = m->loose;
    s->size[i] = m->radius*cbrt((1.0 + s->voids[i])/(1.0 + m->voids));
}

/* v' = F/m - g, w' = M/(2/5 m r^2): semi-implicit Euler. The border of the terrain is a wall. */
static inline void advance(soil_t *s, int64_t i, const double *moving)
{
    const material_t *m = s->material;
    const double pushed = s->dt/m->mass, turned = pushed/(0.4*moving[SIZE]*moving[SIZE]), fall = s->dt*m->gravity;
    const double kept = 1.0 - m->drag*s->dt, fastest = 0.4*m->radius/s->dt;
    const double low[2] = {s->x0, s->y0};
    const double high[2] = {s->x0 + (double)(s->columns - 1)*s->spacing, s->y0 + (double)(s->rows - 1)*s->spacing};
    double p[3], v[3], square;
    int k;
    for (k = 0; k < 3; k++) {
        v[k] = kept*(moving[SPEED + k] + pushed*moving[FORCE + k] - (k == 2 ? fall : 0.0));
        s->spin[3*i + k] = kept*(moving[SPIN + k] + turned*moving[TORQUE + k]);
    }
    square = dot(v, v);
    if (square > fastest*fastest)
        for (k = 0; k < 3; k++)
            v[k] *= fastest/sqrt(square);
    for (k = 0; k < 3; k++)
        p[k] = moving[k] + s->dt*v[k];
    for (k = 0; k < 2; k++)
        if (p[k] < low[k] || p[k] > high[k])
            p[k] = within(p[k], low[k], high[k]), v[k] = 0.0;
    memcpy(s->position + 3*i, p, sizeof p);
    memcpy(s->velocity + 3*i, v, sizeof v);
    swell(s, i);
}

/* the motion of the particles of a chunk in the order of the list; a merged one is nowhere */
static void load_all(void *of, int64_t chunk)
{
    soil_t *s = of;
    int64_t a, k;
    for (a = CHUNK*chunk; a < CHUNK*(chunk + 1) && a < s->nalive; a++) {
        const int64_t i = s->dense[a];
        double *to = s->moving + MOVING*a;
        for (k = 0; k < 3; k++) {
            to[k] = s->alive[i] > 0.0 ? s->position[3*i + k] : NAN;
            to[SPEED + k] = s->velocity[3*i + k], to[SPIN + k] = s->spin[3*i + k];
            to[FORCE + k] = to[TORQUE + k] = 0.0;
        }
        to[SIZE] = s->size[i];
    }
}

/* Contacts of the particles of a chunk with the ground, bodies and each other; pairs with other chunks are kept for
   these. */
static void meet_all(void *of, int64_t chunk)
{
    soil_t *s = of;
    const double r = s->material->radius, calm = s->material->calm_speed*s->material->calm_speed;
    const int64_t begin = CHUNK*chunk, end = begin + CHUNK < s->nalive ? begin + CHUNK : s->nalive;
    double *reaction = s->reaction + REACTION*s->ncontacts*chunk;
    const int bodies = bodies_are_near(s, begin, end);
    contacts_t pairs, others;
    slots_t slots;
    int64_t a;
    memset(reaction, 0, REACTION*s->ncontacts*sizeof *reaction);
    memset(&pairs, 0, sizeof pairs);
    memset(&others, 0, sizeof others);
    for (a = begin; a < end; a++) {
        const int64_t i = s->dense[a];
        const double *p = s->moving + MOVING*a;
        int grounded;
        meet_particles(s, &pairs, a);
        if (s->alive[i] < 0.0)
            continue;
        open_slots(s, i, &slots);
        grounded = meet_ground(s, &others, &slots, a, reaction);
        grounded &= !(bodies && meet_bodies(s, &others, &slots, a, reaction));
        s->held[i] = (double)slots.used;
        if (grounded && dot(p + SPEED, p + SPEED) < calm && dot(p + SPIN, p + SPIN)*r*r < calm)
            s->calm[i] += s->dt;
        else
            s->calm[i] = 0.0;
    }
    finish_pairs(s, &pairs);
    finish_others(s, &others, reaction);
}

/* the forces of other chunks on the particles of a chunk, and their motion */
static void move_all(void *of, int64_t chunk)
{
    soil_t *s = of;
    int64_t a, k;
    for (a = CHUNK*chunk; a < CHUNK*(chunk + 1) && a < s->nalive; a++) {
        if (s->alive[s->dense[a]] < 0.0)
            continue;
        for (k = s->elsewhere[a]; k >= 0; k = s->next[k])
            if (s->touching[k])
                add_pair(s->moving + MOVING*a, s->pair + PAIR*k, -1.0);
        advance(s, s->dense[a], s->moving + MOVING*a);
    }
}

/* All particles move, in parallel over chunks of them. 0 if there are more neighbours than there is room for. */
static inline int move_particles(soil_t *s)
{
    int64_t a, k, chunk, chunks;
    int j;
    if (!s->nalive)
        return 1;
    if (neighbours_are_old(s) && !find_neighbours(s))
        return 0;
    chunks = (s->nalive + CHUNK - 1)/CHUNK;
    share(s->team, load_all, s, chunks);
    share(s->team, meet_all, s, chunks);
    for (chunk = 0; chunk < chunks; chunk++)
        for (k = 0; k < s->ncontacts; k++) {
            const double *felt = s->reaction + REACTION*(s->ncontacts*chunk + k);
            for (j = 0; j < 3; j++)
                s->contacts[k].force[j] += felt[j], s->contacts[k].torque[j] += felt[3 + j];
            s->contacts[k].carried += felt[6];
        }
    share(s->team, move_all, s, chunks);
    for (a = 0; a < s->nalive; a++)
        if (s->alive[s->dense[a]] > 0.0 && s->calm[s->dense[a]] > s->material->calm_time)
            merge(s, s->dense[a]);
    return 1;
}

#endif
