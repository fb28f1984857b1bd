/* Rigid contact as a complementarity problem of velocities, solved by projected Gauss-Seidel (the reference
   simulator):
     v' = v + D^-1 (h tau + J^T l),   0 <= l_n,  J_n v' >= b,  l_n (J_n v' - b) = 0,   |l_t| <= mu_k l_n

   with b = -s/h for an approaching contact (it may reach the surface), -e v_n at an impact, and a slow correction of
   overlaps. */
#ifndef HAPTICS_CONSTRAINT_H
#define HAPTICS_CONSTRAINT_H

#include <math.h>
#include <string.h>

#include "../../codegen/runtime/linear_algebra.h"
#include "contacts.h"
#include "scene.h"

enum { ITERATIONS = 200 };
static const double SOLVED = 1e-12, WAY_OUT = 0.2, FASTEST_OUT = 0.1; /* N s; share of an overlap per tick; m/s */
static const double SLOW = 1e-3; /* m/s: slower contacts do not bounce */

static inline double bound_of(const scene_t *s, const contact_t *c)
{
    const double out = c->s > 0.0 ? -c->s/s->dt : fmin(-WAY_OUT*c->s/s->dt, FASTEST_OUT);
    const double back = -s->settings.restitution*c->vn;
    return c->vn < -SLOW && c->s + s->dt*c->vn <= 0.0 && back > out ? back : out;
}

/* D^-1 row^T */
static inline row_t moved_by(const scene_t *s, const row_t *row)
{
    row_t x = *row;
    int64_t side;
    for (side = 0; side < 2; side++)
        if (x.n[side]) {
            forward(x.n[side], s->work->Lt + x.at[side]*NV, x.x[side]);
            backward(x.n[side], s->work->Lt + x.at[side]*NV, x.x[side]);
        }
    return x;
}

static inline double product(const row_t *a, const row_t *b)
{
    return dot_n(a->n[0], a->x[0], b->x[0]) + dot_n(a->n[1], a->x[1], b->x[1]);
}

/* one pass over the contacts of a group; returns the largest change of an impulse (N s) */
static inline double gauss_seidel(scene_t *s, int64_t group)
{
    memory_t *m = &s->memory;
    work_t *w = s->work;
    const int64_t across = s->settings.friction < 0 ? 0 : s->nh == 3 ? 1 : 2;
    double largest = 0.0;
    int64_t k, part;
    for (k = 0; k < m->ncontacts; k++) {
        double *l = w->lambda[k], was[3], limit, size;
        if (m->contacts[k].group != group)
            continue;
        memcpy(was, l, sizeof was);
        for (part = 0; part <= across; part++) {
            const double lack = (part ? 0.0 : w->bound[k]) - row_times(&w->rows[k][part], m->v);
            const double before = l[part];
            l[part] += lack/w->width[k][part];
            if (part == 0)
                l[0] = l[0] > 0.0 ? l[0] : 0.0;
            else {
                limit = m->contacts[k].mu_k*l[0], size = sqrt(l[1]*l[1] + l[2]*l[2]);
                if (size > limit)
                    l[part] *= limit/size;
            }
            row_add(&w->moved[k][part], l[part] - before, m->v);
            largest = fmax(largest, fabs(l[part] - before));
        }
    }
    return largest;
}

static inline void constrain(scene_t *s, int64_t group)
{
    memory_t *m = &s->memory;
    work_t *w = s->work;
    const int64_t across = s->settings.friction < 0 ? 0 : s->nh == 3 ? 1 : 2;
    int64_t k, i, part;
    for (k = 0; k < s->nobjects; k++)
        if (root_of(w->group, k) == group) {
            const object_t *o = s->objects + k;
            double x[NV];
            for (i = 0; i < o->nv; i++)
                x[i] = s->dt*(w->applied[o->v + i] - w->bias[o->v + i]), w->T[o->v + i] = 0.0;
            forward(o->nv, w->Lt + o->v*NV, x);
            backward(o->nv, w->Lt + o->v*NV, x);
            for (i = 0; i < o->nv; i++)
                m->v[o->v + i] += x[i];
        }
    for (k = 0; k < m->ncontacts; k++)
        if (m->contacts[k].group == group) {
            memset(w->lambda[k], 0, sizeof w->lambda[k]);
            w->bound[k] = bound_of(s, m->contacts + k);
            for (part = 0; part <= across; part++) {
                w->moved[k][part] = moved_by(s, &w->rows[k][part]);
                w->width[k][part] = product(&w->rows[k][part], &w->moved[k][part]);
            }
        }
    for (i = 0; i < ITERATIONS && gauss_seidel(s, group) > SOLVED; i++)
        ;
    for (k = 0; k < m->ncontacts; k++) {
        contact_t *c = m->contacts + k;
        double t[3], b[3];
        if (c->group != group)
            continue;
        tangents(c->normal, s->nh == 3, t, b);
        for (part = 0; part <= across; part++)
            row_add(&w->rows[k][part], w->lambda[k][part]/s->dt, w->T);
        for (i = 0; i < 3; i++)
            c->force[i] = (w->lambda[k][0]*c->normal[i] + w->lambda[k][1]*t[i] + w->lambda[k][2]*b[i])/s->dt;
    }
}

#endif
