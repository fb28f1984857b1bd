/* Particles: rigid spheres with contact and friction among each other, with the ground and with tools. A particle that
   comes to rest on the ground becomes ground again. */
#ifndef SOIL_PARTICLES_H
#define SOIL_PARTICLES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "cells.h"
#include "soil.h"

static const double SKIN = 0.4;       /* neighbours are kept up to this share of the radius beyond touching */
static const double TANGENTIAL = 2.0/7.0, DAMPED_SLIDING = 0.5; /* stiffness and damping of sliding over normal ones */
static const double ROLLING = 0.1, DAMPED_ROLLING = 0.2;        /* the same of rolling: equal damping ratios */
enum { GROUND_ID = -1, BODY_ID = -2 };

/* -- neighbours -------------------------------------------------------------------------------------------------- */

/* bucket of a column */
static inline int64_t hashed(const soil_t *s, int64_t x, int64_t y)
{
    const uint64_t mixed = ((uint64_t)x*73856093u ^ (uint64_t)y*19349663u)*2654435761u;
    return (int64_t)(mixed >> 16 & (uint64_t)(s->buckets - 1));
}

/* Pair k of particle a has the earlier particle b. The list of b's pairs with particles of later chunks begins at
   later[b]. */
static inline void pair_up(soil_t *s, int64_t k, int64_t a, int64_t b)
{
    s->near[k] = b;
    if (a/CHUNK > b/CHUNK) {
        s->next[k] = s->later[b];
        s->later[b] = k;
    }
}

/* Pairs of particles that may touch soon, found in columns of one diameter: each particle lists the earlier ones near
   it. */
static inline int find_neighbours(soil_t *s)
{
    const double edge = (2.0 + SKIN)*s->material->radius, far = edge*edge;
    double *sorted = s->force; /* positions in the order of the buckets; forces are summed later */
    int64_t a, k, x, y, n = 0, pairs = 0;
    for (a = 0; a < s->nalive; a++) /* merged ones leave the list; the others keep their order */
        if (s->alive[s->dense[a]] > 0.0)
            s->dense[n++] = s->dense[a];
        else
            s->alive[s->dense[a]] = 0.0;
    s->nalive = n;
    for (a = 0; a < n; a++)
        s->later[a] = -1;
    memset(s->bucket, 0, (s->buckets + 2)*sizeof *s->bucket);
    for (a = 0; a < n; a++) {
        const double *p = s->position + 3*s->dense[a];
        for (k = 0; k < 3; k++)
            s->listed[3*a + k] = p[k];
        s->place[2*a] = (int64_t)floor(p[0]/edge), s->place[2*a + 1] = (int64_t)floor(p[1]/edge);
        s->bucket[hashed(s, s->place[2*a], s->place[2*a + 1]) + 2]++;
    }
    for (k = 0; k < s->buckets; k++)
        s->bucket[k + 2] += s->bucket[k + 1];
    for (a = 0; a < n; a++) { /* bucket k is sorted[bucket[k] ... bucket[k + 1] - 1] afterwards, in order */
        const int64_t at = s->bucket[hashed(s, s->place[2*a], s->place[2*a + 1]) + 1]++;
        s->sorted[at] = a;
        memcpy(sorted + 3*at, s->listed + 3*a, 3*sizeof *sorted);
    }
    for (a = 0; a < n; a++) {
        const int64_t *home = s->place + 2*a;
        const double *p = s->listed + 3*a;
        s->first[a] = pairs;
        for (x = home[0] - 1; x <= home[0] + 1; x++)
            for (y = home[1] - 1; y <= home[1] + 1; y++) {
                const int64_t at = hashed(s, x, y), end = s->bucket[at + 1];
                for (k = s->bucket[at]; k < end && s->sorted[k] < a; k++) {
                    const double *q = sorted + 3*k, dx = p[0] - q[0], dy = p[1] - q[1], dz = p[2] - q[2];
                    const int64_t b = s->sorted[k];
                    if (dx*dx + dy*dy + dz*dz >= far || s->place[2*b] != x || s->place[2*b + 1] != y)
                        continue;
                    if (pairs == NEIGHBOURS*s->capacity)
                        return 0;
                    pair_up(s, pairs++, a, b);
                }
            }
    }
    s->first[n] = pairs;
    return 1;
}

/* A new particle at the end of the list, with its neighbours. 0 if there is no room. */
static inline int enlist(soil_t *s, int64_t i)
{
    const double edge = (2.0 + SKIN)*s->material->radius, *p = s->position + 3*i;
    const int64_t a = s->nalive++;
    int64_t b, pairs = s->first[a];
    int k;
    s->dense[a] = i;
    s->later[a] = -1;
    for (k = 0; k < 3; k++)
        s->listed[3*a + k] = p[k];
    for (b = 0; b < a && pairs < NEIGHBOURS*s->capacity; b++) {
        const double *q = s->listed + 3*b, d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
        if (dot(d, d) < edge*edge)
            pair_up(s, pairs++, a, b);
    }
    s->first[a + 1] = pairs;
    return b == a;
}

/* A new particle at rest; 0 if there are too many. */
static inline int bear(soil_t *s, const double *at)
{
    int64_t i;
    int k;
    for (i = 0; i < s->capacity; i++)
        if (s->alive[i] == 0.0) {
            for (k = 0; k < 3; k++)
                s->position[3*i + k] = at[k], s->velocity[3*i + k] = s->spin[3*i + k] = 0.0;
            s->slots[SLOTS*SLOT*i] = 0.0;
            s->calm[i] = 0.0;
            s->alive[i] = 1.0;
            s->count[BORN] += 1.0;
            return enlist(s, i);
        }
    return 0;
}

/* whether a particle moved so far since then that a pair may be missing, or many of them have merged */
static inline int neighbours_are_old(const soil_t *s)
{
    const double most = 0.5*SKIN*s->material->radius;
    int64_t a, merged = 0;
    int k;
    for (a = 0; a < s->nalive; a++) {
        double far = 0.0;
        for (k = 0; k < 3; k++) {
            const double d = s->position[3*s->dense[a] + k] - s->listed[3*a + k];
            far += d*d;
        }
        if (far > most*most)
            return 1;
        merged += s->alive[s->dense[a]] < 0.0;
    }
    return 8*merged > s->nalive;
}

/* -- contact ----------------------------------------------------------------------------------------------------- */

/* the contacts of a particle: those of the step before, and the new ones */
typedef struct {
    double old[SLOTS*SLOT], *now;
    int kept, used;
} slots_t;

/* Force and torque on a particle in a contact. n: towards the particle; v: slip of its surface, w: its turn, both
   relative to the other. Springs with dampers along n, across it and in rolling, the latter two up to friction. Parting
   faster than `push` meets no force, so that overlaps end gently. */
static inline void touch(const soil_t *s, slots_t *slots, double id, const double *n, double depth, const double *v,
                           const double *w, double *F, double *M)
{
    const material_t *m = s->material;
    const double kt = TANGENTIAL*m->stiffness, kr = ROLLING*m->stiffness, parting = dot(v, n);
    double N = m->stiffness*depth - m->damping*parting, slide[3], twist[3], size, bound, off;
    const double *was = 0;
    int k;
    N = N > 0.0 ? N : 0.0;
    if (parting > 0.0)
        N *= parting < m->push ? 1.0 - parting/m->push : 0.0;
    for (k = 0; k < slots->kept; k++)
        if (slots->old[SLOT*k] == id) {
            was = slots->old + SLOT*k;
            break;
        }
    off = was ? dot(was + 1, n) : 0.0;
    for (k = 0; k < 3; k++) {
        slide[k] = (was ? was[1 + k] - off*n[k] : 0.0) + s->dt*(v[k] - parting*n[k]);
        twist[k] = (was ? was[4 + k] : 0.0) + s->dt*m->radius*w[k];
        F[k] = -kt*slide[k] - DAMPED_SLIDING*m->damping*(v[k] - parting*n[k]);
        M[k] = -kr*twist[k] - DAMPED_ROLLING*m->damping*m->radius*w[k];
    }
    size = sqrt(dot(F, F)), bound = m->friction*N;
    if (size > bound)
        for (k = 0; k < 3; k++) {
            F[k] *= size > 0.0 ? bound/size : 0.0;
            slide[k] = -F[k]/kt;
        }
    size = sqrt(dot(M, M)), bound = m->rolling*N;
    if (size > bound)
        for (k = 0; k < 3; k++) {
            M[k] *= size > 0.0 ? bound/size : 0.0;
            twist[k] = -M[k]/kr;
        }
    for (k = 0; k < 3; k++)
        F[k] += N*n[k], M[k] *= m->radius;
    if (slots->used < SLOTS) {
        double *to = slots->now + SLOT*slots->used++;
        to[0] = id;
        memcpy(to + 1, slide, sizeof slide);
        memcpy(to + 4, twist, sizeof twist);
    }
}

/* add a force at -r n of a particle, and a torque */
static inline void push_particle(soil_t *s, int64_t i, double lever, const double *n, const double *F, const double *M)
{
    double T[3];
    int k;
    cross(n, F, T);
    for (k = 0; k < 3; k++)
        s->force[3*i + k] += F[k], s->torque[3*i + k] += lever*T[k] + M[k];
}

/* Whether particles i and j touch. The pair gets the force on i, the torque of that force, which is equal on both, and
   the torque of rolling on i. */
static inline int meet_particle(const soil_t *s, slots_t *slots, int64_t i, int64_t j, double *pair)
{
    const double *p = s->position + 3*i, *q = s->position + 3*j, r = s->material->radius;
    const double d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]}, square = dot(d, d);
    double n[3], v[3], w[3], sum[3], spun[3], away;
    int k;
    if (square >= 4.0*r*r || square == 0.0)
        return 0;
    away = sqrt(square);
    for (k = 0; k < 3; k++) {
        n[k] = d[k]/away;
        w[k] = s->spin[3*i + k] - s->spin[3*j + k];
        sum[k] = -r*(s->spin[3*i + k] + s->spin[3*j + k]);
    }
    cross(sum, n, spun);
    for (k = 0; k < 3; k++)
        v[k] = s->velocity[3*i + k] - s->velocity[3*j + k] + spun[k];
    touch(s, slots, (double)(j + 1), n, 2.0*r - away, v, w, pair, pair + 6);
    cross(n, pair, pair + 3);
    for (k = 3; k < 6; k++)
        pair[k] *= -r;
    return 1;
}

/* slip of the surface of particle i at -r n, relative to a velocity there */
static inline void slip_at(const soil_t *s, int64_t i, const double *n, const double *other, double *v)
{
    const double r = s->material->radius;
    double spun[3];
    int k;
    cross(s->spin + 3*i, n, spun);
    for (k = 0; k < 3; k++)
        v[k] = s->velocity[3*i + k] - r*spun[k] - other[k];
}

/* whether the ground carries the particle */
static inline int meet_ground(soil_t *s, slots_t *slots, int64_t i)
{
    static const double rest[3] = {0.0, 0.0, 0.0};
    const double *p = s->position + 3*i, r = s->material->radius;
    double slope[2], n[3], v[3], F[3], M[3], above, depth;
    above = p[2] - surface(s, p[0], p[1], slope);
    n[0] = -slope[0], n[1] = -slope[1], n[2] = 1.0;
    unit(n);
    depth = r - above*n[2];
    if (depth <= 0.0)
        return 0;
    slip_at(s, i, n, rest, v);
    touch(s, slots, GROUND_ID, n, depth < r ? depth : r, v, s->spin + 3*i, F, M);
    push_particle(s, i, -r, n, F, M);
    return 1;
}

/* depth of a sphere at q (frame of the body) in a box, and the normal; 0 if it does not touch */
static inline double in_box(const double *box, double r, const double *q, double *n)
{
    const double from[3] = {q[0] - box[0], q[1] - box[1], q[2] - box[2]}, *half = box + 12;
    double l[3], d[3], square, away;
    int k, face = 0;
    turn_back(box + 3, from, l);
    for (k = 0; k < 3; k++) {
        if (fabs(l[k]) >= half[k] + r)
            return 0.0;
        d[k] = l[k] - within(l[k], -half[k], half[k]);
    }
    square = dot(d, d);
    if (square >= r*r)
        return 0.0;
    if (square > 0.0) {
        away = sqrt(square);
        for (k = 0; k < 3; k++)
            d[k] /= away;
    } else { /* its centre is inside: out through the nearest face */
        for (k = 1; k < 3; k++)
            face = half[k] - fabs(l[k]) < half[face] - fabs(l[face]) ? k : face;
        away = fabs(l[face]) - half[face];
        d[face] = l[face] < 0.0 ? -1.0 : 1.0;
    }
    turn(box + 3, d, n);
    return r - away;
}

/* the same in a wheel, a cylinder about axis 2 */
static inline double in_wheel(const soil_contact_t *c, double r, const double *q, double *n)
{
    const double far = sqrt(q[0]*q[0] + q[2]*q[2]), out = far - c->radius, aside = fabs(q[1]) - 0.5*c->width;
    const double a = out > 0.0 ? out : 0.0, b = aside > 0.0 ? aside : 0.0, away = sqrt(a*a + b*b);
    const double side = q[1] < 0.0 ? -1.0 : 1.0, x = far > 0.0 ? q[0]/far : 0.0, z = far > 0.0 ? q[2]/far : 1.0;
    if (away >= r)
        return 0.0;
    if (away > 0.0) {
        n[0] = a/away*x, n[1] = b/away*side, n[2] = a/away*z;
        return r - away;
    }
    n[0] = out > aside ? x : 0.0, n[1] = out > aside ? 0.0 : side, n[2] = out > aside ? z : 0.0;
    return r - (out > aside ? out : aside);
}

/* Whether a body touches the particle. reaction: force, torque and load of each body. */
static inline int meet_bodies(soil_t *s, slots_t *slots, int64_t i, double *reaction)
{
    const double *p = s->position + 3*i, r = s->material->radius;
    int64_t k, part;
    int met = 0;
    double id = BODY_ID;
    for (k = 0; k < s->ncontacts; k++) {
        const soil_contact_t *c = s->contacts + k;
        double *felt = reaction + REACTION*k;
        const double d[3] = {p[0] - c->p[0], p[1] - c->p[1], p[2] - c->p[2]};
        const int64_t parts = c->kind == TOOL ? c->nboxes : 1;
        double q[3];
        if (dot(d, d) >= (c->reach + r)*(c->reach + r)) {
            id -= (double)parts;
            continue;
        }
        turn_back(c->R, d, q);
        if (c->kind == TOOL) {
            int inside = 1;
            for (part = 0; part < 3; part++)
                inside &= q[part] > c->hull[part] && q[part] < c->hull[3 + part];
            felt[6] += inside ? s->material->mass : 0.0;
        }
        for (part = 0; part < parts; part++, id -= 1.0) {
            double local[3], n[3], at[3], arm[3], moving[3], v[3], w[3], F[3], M[3], T[3];
            const double depth = c->kind == TOOL ? in_box(c->boxes + BOX*part, r, q, local) : in_wheel(c, r, q, local);
            int j;
            if (depth <= 0.0)
                continue;
            turn(c->R, local, n);
            for (j = 0; j < 3; j++) {
                at[j] = p[j] - r*n[j];
                arm[j] = at[j] - c->p[j];
                w[j] = s->spin[3*i + j] - c->w[j];
            }
            velocity_at(c, at, moving);
            slip_at(s, i, n, moving, v);
            touch(s, slots, id, n, depth < r ? depth : r, v, w, F, M);
            push_particle(s, i, -r, n, F, M);
            cross(arm, F, T);
            for (j = 0; j < 3; j++)
                felt[j] -= F[j], felt[3 + j] -= T[j] + M[j];
            met = 1;
        }
    }
    return met;
}

/* -- motion ------------------------------------------------------------------------------------------------------ */

/* a particle becomes ground: its soil goes to the four nearest cells, in bilinear shares */
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

/* v' = F/m - g, w' = M/(2/5 m r^2): semi-implicit Euler. The border of the terrain is a wall. */
static inline void advance(soil_t *s, int64_t i)
{
    const material_t *m = s->material;
    const double turns = 0.4*m->mass*m->radius*m->radius, kept = 1.0 - m->drag*s->dt, fastest = 0.4*m->radius/s->dt;
    const double low[2] = {s->x0, s->y0};
    const double high[2] = {s->x0 + (double)(s->columns - 1)*s->spacing, s->y0 + (double)(s->rows - 1)*s->spacing};
    double *p = s->position + 3*i, *v = s->velocity + 3*i, *w = s->spin + 3*i, speed;
    int k;
    for (k = 0; k < 3; k++) {
        v[k] = kept*(v[k] + s->dt*(s->force[3*i + k]/m->mass - (k == 2 ? m->gravity : 0.0)));
        w[k] = kept*(w[k] + s->dt*s->torque[3*i + k]/turns);
    }
    speed = sqrt(dot(v, v));
    for (k = 0; k < 3; k++) {
        v[k] *= speed > fastest ? fastest/speed : 1.0;
        p[k] += s->dt*v[k];
    }
    for (k = 0; k < 2; k++)
        if (p[k] < low[k] || p[k] > high[k])
            p[k] = within(p[k], low[k], high[k]), v[k] = 0.0;
}

/* List the particles that there are at the start. */
static inline int list_particles(soil_t *s)
{
    int64_t i;
    s->nalive = 0;
    for (i = 0; i < s->capacity; i++)
        if (s->alive[i] != 0.0)
            s->dense[s->nalive++] = i;
    return find_neighbours(s);
}

/* the sum of the forces of a pair on one of its particles; side: 1 of the later one, -1 of the earlier one */
static inline void add_pair(soil_t *s, int64_t i, const double *pair, double side)
{
    int j;
    for (j = 0; j < 3; j++) {
        s->force[3*i + j] += side*pair[j];
        s->torque[3*i + j] += pair[3 + j] + side*pair[6 + j];
    }
}

/* Contacts of the particles of a chunk with the ground, bodies and each other; pairs with earlier chunks are kept for
   these. */
static void meet_all(void *of, int64_t chunk)
{
    soil_t *s = of;
    const material_t *m = s->material;
    const int64_t begin = CHUNK*chunk, end = begin + CHUNK < s->nalive ? begin + CHUNK : s->nalive;
    double *reaction = s->reaction + REACTION*s->ncontacts*chunk;
    int64_t a, k;
    memset(reaction, 0, REACTION*s->ncontacts*sizeof *reaction);
    for (a = begin; a < end; a++)
        for (k = 3*s->dense[a]; k < 3*s->dense[a] + 3; k++)
            s->force[k] = s->torque[k] = 0.0;
    for (a = begin; a < end; a++) {
        const int64_t i = s->dense[a];
        slots_t slots;
        int grounded;
        if (s->alive[i] < 0.0) {
            for (k = s->first[a]; k < s->first[a + 1]; k++)
                s->touching[k] = 0;
            continue;
        }
        slots.now = s->slots + SLOTS*SLOT*i, slots.used = 0;
        for (k = 0; k < SLOTS && slots.now[SLOT*k] != 0.0; k++)
            memcpy(slots.old + SLOT*k, slots.now + SLOT*k, SLOT*sizeof *slots.old);
        slots.kept = (int)k;
        for (k = s->first[a]; k < s->first[a + 1]; k++) {
            const int64_t j = s->dense[s->near[k]];
            double here[PAIR], *pair = s->near[k] < begin ? s->pair + PAIR*k : here;
            const int met = s->alive[j] > 0.0 && meet_particle(s, &slots, i, j, pair);
            if (met)
                add_pair(s, i, pair, 1.0);
            if (pair != here)
                s->touching[k] = met;
            else if (met)
                add_pair(s, j, pair, -1.0);
        }
        grounded = meet_ground(s, &slots, i);
        grounded &= !meet_bodies(s, &slots, i, reaction);
        if (slots.used < SLOTS)
            slots.now[SLOT*slots.used] = 0.0;
        if (grounded && dot(s->velocity + 3*i, s->velocity + 3*i) < m->calm_speed*m->calm_speed
            && dot(s->spin + 3*i, s->spin + 3*i)*m->radius*m->radius < m->calm_speed*m->calm_speed)
            s->calm[i] += s->dt;
        else
            s->calm[i] = 0.0;
    }
}

/* the forces of later chunks on the particles of a chunk, and their motion */
static void move_all(void *of, int64_t chunk)
{
    soil_t *s = of;
    int64_t a, k;
    for (a = CHUNK*chunk; a < CHUNK*(chunk + 1) && a < s->nalive; a++) {
        if (s->alive[s->dense[a]] < 0.0)
            continue;
        for (k = s->later[a]; k >= 0; k = s->next[k])
            if (s->touching[k])
                add_pair(s, s->dense[a], s->pair + PAIR*k, -1.0);
        advance(s, s->dense[a]);
    }
}

/* All particles move, in parallel over chunks of them. 0 if there are more neighbours than there is room for. */
static inline int move_particles(soil_t *s)
{
    const int64_t chunks = (s->nalive + CHUNK - 1)/CHUNK;
    int64_t a, k, chunk;
    int j;
    if (!s->nalive)
        return 1;
    if (neighbours_are_old(s) && !find_neighbours(s))
        return 0;
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
