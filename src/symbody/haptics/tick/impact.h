/* Simultaneous impacts of a group: Newton's restitution at all closing contacts (thesis 4.36), without and with
   friction:
     p = -(1 + e) (J D^-1 J^T)^+ J v,   v' = v + D^-1 J^T p.

   With D = L L^T, y = L^T v and A = L^-1 J^T this is y' = y - (1 + e) Q Q^T y, where Q is an orthonormal basis of the
   columns of A. For e in [-1, 1] the kinetic energy |y|^2/2 does not grow, even with nearly redundant contacts. */
#ifndef HAPTICS_IMPACT_H
#define HAPTICS_IMPACT_H

#include <math.h>
#include <string.h>

#include "../../codegen/runtime/linear_algebra.h"
#include "contacts.h"
#include "hold.h"
#include "impact_basis.h"
#include "impact_friction.h"
#include "scene.h"

/* whether impacts aim at stored velocities: then a spread impulse has the same restitution as a single one */
static inline int aims_exactly(const scene_t *s)
{
    return s->settings.limiting == SPREAD_EXACT && !s->settings.two_rows;
}

/* columns of the closing contacts of a group, two of each if a side for itself is to obey restitution (thesis 4.22, 4.23);
   returns their number */
static inline int64_t impact_columns(scene_t *s, int64_t group)
{
    memory_t *m = &s->memory;
    work_t *w = s->work;
    int64_t k, side, c = 0;
    for (k = 0; k < m->ncontacts; k++) {
        const contact_t *contact = m->contacts + k;
        const int two = s->settings.two_rows && contact->link_a >= 0 && contact->link_b >= 0;
        if (contact->group != group || contact->s > 0.0)
            continue;
        if (!(contact->vn < 0.0 || (aims_exactly(s) && contact->target > contact->vn)))
            continue;
        for (side = 0; side < 1 + two; side++, c++) {
            w->column[c] = w->rows[k][0];
            w->chosen[c] = k;
            if (two)
                row_of_side(s, contact, contact->normal, side, w->column + c), w->column[c].n[1 - side] = 0;
        }
    }
    return c;
}

/* the change of y along each column of Q; towards the stored targets if an impulse is spread exactly */
static inline void restituted(const scene_t *s, int64_t n, int64_t rank, double *along)
{
    const work_t *w = s->work;
    const double e = s->settings.restitution;
    double reached[DOF];
    int64_t r, k;
    for (r = 0; r < rank; r++) {
        const double now = dot_n(n, w->Q[r], w->y);
        along[r] = -(1.0 + e)*now;
        if (aims_exactly(s)) {
            const int64_t j = w->order[r];
            const contact_t *c = s->memory.contacts + w->chosen[j];
            double left = c->target;
            for (k = 0; k < r; k++)
                left -= w->R[k][j]*reached[k];
            reached[r] = left/w->R[r][j];
            along[r] = reached[r] - now;
        }
    }
}

/* impulses as contact forces of one tick, only for records */
static inline void record_impulses(scene_t *s, int64_t c, int64_t rank, const double *along, const double *across, double share)
{
    work_t *w = s->work;
    double p[2*CONTACTS] = {0}, t[3], b[3];
    int64_t j, k;
    if (factor_impulses(w, c, rank))
        least_impulses(w, c, rank, along, p);
    for (j = 0; j < c; j++) {
        contact_t *contact = s->memory.contacts + w->chosen[j];
        if (!w->column[j].n[0])
            continue; /* of two rows that of b: the force is that on a */
        tangents(contact->normal, s->nh == 3, t, b);
        for (k = 0; k < 3; k++)
            contact->force[k] += share/s->dt*(p[j]*contact->normal[k] + across[2*j]*t[k] + across[2*j + 1]*b[k]);
    }
}

/* the largest share of an impulse that the device can render */
static inline double rendered_share(const scene_t *s, const double *T)
{
    double wrench[HAND], share = 1.0;
    int64_t k;
    hold_wrench(s, T, wrench);
    for (k = 0; k < s->nh; k++)
        if (fabs(wrench[k]) > s->settings.limit[k])
            share = fmin(share, s->settings.limit[k]/fabs(wrench[k]));
    return share;
}

/* the impact of a group; generalised forces of one tick into T; returns the number of rows */
static inline int64_t collide(scene_t *s, int64_t group)
{
    memory_t *m = &s->memory;
    work_t *w = s->work;
    const int64_t n = gather(s, group), held = s->held >= 0 && root_of(w->group, s->held) == group;
    const int64_t limiting = s->settings.limiting;
    double along[DOF], across[4*CONTACTS] = {0}, share = 1.0;
    int64_t c, rank, k, r, i;
    for (k = 0; k < m->ncontacts; k++)
        if (m->contacts[k].group == group && (!m->contacts[k].seen || !held || !m->staying[s->held]))
            m->contacts[k].target = m->contacts[k].vn < 0.0 ? -s->settings.restitution*m->contacts[k].vn : -INFINITY;
    c = impact_columns(s, group);
    for (k = 0; k < c; k++)
        scaled_column(s, w->column + k, n, w->A[k]);
    rank = orthonormal(w, n, c);
    for (k = 0; k < s->nobjects; k++)
        if (root_of(w->group, k) == group) {
            const object_t *o = s->objects + k;
            times_transposed(o->nv, w->L + o->v*NV, m->v + o->v, w->y + w->at[o->v]);
        }
    restituted(s, n, rank, along);
    memset(w->change, 0, n*sizeof(double));
    for (r = 0; r < rank; r++)
        for (i = 0; i < n; i++)
            w->change[i] += along[r]*w->Q[r][i];
    if (s->settings.mu_impact > 0.0 && !s->settings.two_rows)
        rub_impact(s, n, c, rank, along, across);
    for (k = 0; k < s->nobjects; k++)
        if (root_of(w->group, k) == group) { /* T = D (v' - v)/h = L (y' - y)/h */
            const object_t *o = s->objects + k;
            times_factor(o->nv, w->L + o->v*NV, w->change + w->at[o->v], w->T + o->v);
            for (i = 0; i < o->nv; i++)
                w->T[o->v + i] /= s->dt;
        }
    if (held && limiting >= SCALE && !is_sinking(s, group))
        share = rendered_share(s, w->T + s->objects[s->held].v);
    record_impulses(s, c, rank, along, across, share);
    for (k = 0; k < s->nobjects; k++)
        if (root_of(w->group, k) == group) {
            const object_t *o = s->objects + k;
            double *y = w->change + w->at[o->v];
            for (i = 0; i < o->nv; i++)
                y[i] *= share, w->T[o->v + i] *= share;
            backward(o->nv, w->L + o->v*NV, y);
            for (i = 0; i < o->nv; i++)
                m->v[o->v + i] += y[i];
            m->staying[k] = limiting >= SPREAD && share < 1.0;
        }
    return c;
}

#endif
