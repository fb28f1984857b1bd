/* Resting contact: a spring and a damper along the normal, friction across it.

     f_n = -K s - B v_n >= 0 unless unclamped (thesis 4.5);  (D + h J^T C J) (v' - v) = h (tau + J^T f)

   C are the derivatives of the forces by velocities: damping is implicit, and springs are too if a tick is too long
   for an explicit step. */
#ifndef HAPTICS_RESTING_H
#define HAPTICS_RESTING_H

#include <math.h>
#include <string.h>

#include "../../codegen/runtime/linear_algebra.h"
#include "../../codegen/runtime/steps.h"
#include "contacts.h"
#include "scene.h"
#include "vectors.h"

static const double STIFFEST = 0.5; /* springs with a larger h^2 k/m are implicit; explicit steps are stable up to 4 */

/* the slope of an implicit spring; zero if an explicit step is stable */
static inline double implicit_spring(double h, double k, double width, double contacts)
{
    return h*h*k*width*contacts > STIFFEST ? h*k : 0.0;
}

/* index of the generated law; an input may be larger than the last */
static inline int64_t friction_law(const settings_t *set)
{
    return set->friction < FRICTIONS ? set->friction : FRICTIONS - 1;
}

/* tangential friction of a contact, by the generated law along its deflection (or its velocity, if there is none); the
   damping of the law also acts across that direction */
static inline void rub(const scene_t *s, contact_t *c, double load, double width, double contacts, double *force, double *slope)
{
    const settings_t *set = &s->settings;
    const double p[7] = {load, c->mu_s, c->mu_k, set->deflection, set->v_min, set->beta, s->dt};
    double dir[3], size = 0.0, v, z, f, z1, mode, by_v, by_z, along = dot3(c->z, c->normal);
    const double *in[4] = {&v, &z, &c->mode, p};
    double *out[5] = {&f, &z1, &mode, &by_v, &by_z};
    int k;
    *slope = 0.0;
    memset(force, 0, 3*sizeof *force);
    if (set->friction < 0 || !(load > 0.0 && c->mu_s > 0.0)) {
        memset(c->z, 0, sizeof c->z);
        c->mode = 0.0;
        return;
    }
    for (k = 0; k < 3; k++) {
        c->z[k] -= along*c->normal[k]; /* project onto the tangent plane */
        dir[k] = c->z[k] + s->dt*c->vt[k];
    }
    size = sqrt(dot3(dir, dir));
    if (!(size > 1e-15))
        memset(dir, 0, sizeof dir);
    for (k = 0; k < 3 && size > 1e-15; k++)
        dir[k] /= size;
    v = dot3(dir, c->vt), z = dot3(dir, c->z);
    ((generated)s->laws[friction_law(set)])(in, out, s->laws_h[friction_law(set)]);
    for (k = 0; k < 3; k++)
        c->z[k] = z1*dir[k], force[k] = -f*dir[k] - fmax(by_v, 0.0)*(c->vt[k] - v*dir[k]);
    c->mode = mode;
    *slope = by_v + implicit_spring(s->dt, by_z, width, contacts);
}

/* M += c row^T row, over the velocities of a group */
static inline void add_outer(const work_t *w, const row_t *row, double c, int64_t n, double *M)
{
    int64_t a, b, i, j;
    if (c == 0.0)
        return;
    for (a = 0; a < 2; a++)
        for (b = 0; b < 2; b++)
            for (i = 0; i < row->n[a]; i++)
                for (j = 0; j < row->n[b]; j++)
                    M[w->at[row->at[a] + i]*n + w->at[row->at[b] + j]] += c*row->x[a][i]*row->x[b][j];
}

static inline void mass_of_group(const scene_t *s, int64_t group, int64_t n, double *M)
{
    work_t *w = s->work;
    int64_t k, i, j;
    memset(M, 0, n*n*sizeof *M);
    for (k = 0; k < s->nobjects; k++)
        if (root_of(w->group, k) == group) {
            const object_t *o = s->objects + k;
            const double *D = k == s->held ? w->coupled : w->D + o->v*NV;
            for (i = 0; i < o->nv; i++)
                for (j = 0; j < o->nv; j++)
                    M[(w->at[o->v] + i)*n + w->at[o->v] + j] = D[i*o->nv + j];
        }
}

/* forces of a contact, and their normal and tangential slopes */
static inline void press(scene_t *s, int64_t k, double contacts)
{
    const settings_t *set = &s->settings;
    contact_t *c = s->memory.contacts + k;
    double *slope = s->work->slope[k], width = row_width(s, &s->work->rows[k][0]), load, friction[3];
    int i;
    load = -c->firm*(set->stiffness*c->s + set->damping*(c->vn - c->moving));
    slope[0] = c->firm*set->damping + implicit_spring(s->dt, c->firm*set->stiffness, width, contacts);
    if (load < 0.0 && !set->unclamped)
        load = slope[0] = 0.0;
    rub(s, c, load, set->friction < 0 ? 0.0 : row_width(s, &s->work->rows[k][1]), contacts, friction, slope + 1);
    for (i = 0; i < 3; i++)
        c->force[i] = load*c->normal[i] + friction[i];
}

/* a tick of a group without impact; generalised forces of its contacts into T */
static inline void rest(scene_t *s, int64_t group)
{
    memory_t *m = &s->memory;
    work_t *w = s->work;
    const int64_t n = gather(s, group), across = s->nh == 3 ? 1 : 2;
    double *dv = w->dv, contacts = 0.0;
    int64_t k, i, part;
    mass_of_group(s, group, n, w->M);
    for (i = 0; i < n; i++)
        w->T[w->dofs[i]] = 0.0;
    for (k = 0; k < m->ncontacts; k++)
        contacts += m->contacts[k].group == group && m->contacts[k].s <= 0.0;
    for (k = 0; k < m->ncontacts; k++) {
        contact_t *c = m->contacts + k;
        double t[3], b[3];
        if (c->group != group || c->s > 0.0)
            continue;
        press(s, k, contacts);
        tangents(c->normal, s->nh == 3, t, b);
        row_add(&w->rows[k][0], dot3(c->force, c->normal), w->T);
        row_add(&w->rows[k][1], dot3(c->force, t), w->T);
        if (across == 2)
            row_add(&w->rows[k][2], dot3(c->force, b), w->T);
        add_outer(w, &w->rows[k][0], s->dt*w->slope[k][0], n, w->M);
        for (part = 1; part <= across; part++)
            add_outer(w, &w->rows[k][part], s->dt*w->slope[k][1], n, w->M);
    }
    for (i = 0; i < n; i++) {
        const int64_t at = w->dofs[i];
        dv[i] = s->dt*(w->applied[at] - w->bias[at] + w->T[at]);
    }
    if (!cholesky(n, w->M))
        return; /* tick() rolls back */
    forward(n, w->M, dv);
    backward(n, w->M, dv);
    memset(w->change, 0, sizeof w->change);
    for (i = 0; i < n; i++)
        w->change[w->dofs[i]] = dv[i], m->v[w->dofs[i]] += dv[i];
    for (k = 0; k < m->ncontacts; k++) { /* the change of forces within the implicit tick */
        contact_t *c = m->contacts + k;
        double t[3], b[3];
        if (c->group != group || c->s > 0.0)
            continue;
        tangents(c->normal, s->nh == 3, t, b);
        for (part = 0; part <= across; part++) {
            const double less = w->slope[k][part > 0]*row_times(&w->rows[k][part], w->change);
            const double *dir = part == 0 ? c->normal : part == 1 ? t : b;
            row_add(&w->rows[k][part], -less, w->T);
            for (i = 0; i < 3; i++)
                c->force[i] -= less*dir[i];
        }
    }
    for (k = 0; k < s->nobjects; k++)
        if (root_of(w->group, k) == group)
            m->staying[k] = 0;
}

#endif
