/* Contacts, their Jacobian rows, and the groups of moving bodies that they connect. */
#ifndef HAPTICS_CONTACTS_H
#define HAPTICS_CONTACTS_H

#include <math.h>
#include <string.h>

#include "../../codegen/runtime/linear_algebra.h"
#include "features.h"
#include "identity.h"
#include "local_model.h"
#include "objects.h"
#include "polygon.h"
#include "polyhedron.h"
#include "scene.h"
#include "surfaces.h"
#include "vectors.h"

/* the part of a row that belongs to one side of a contact: 0 for a, 1 for b, whose velocity counts negatively */
static inline void row_of_side(const scene_t *s, const contact_t *c, const double *dir, int64_t side, row_t *row)
{
    const int64_t link = side ? c->link_b : c->link_a;
    int64_t k;
    row->at[side] = row->n[side] = 0;
    if (link < 0)
        return;
    row->at[side] = s->objects[s->owner[link]].v, row->n[side] = s->objects[s->owner[link]].nv;
    point_row(s, link, c->point, dir, row->x[side]);
    for (k = 0; side && k < row->n[1]; k++)
        row->x[1][k] = -row->x[1][k];
}

/* the row of a direction at a contact; only the used part is written */
static inline void contact_row(const scene_t *s, const contact_t *c, const double *dir, row_t *row)
{
    int64_t k;
    row_of_side(s, c, dir, 0, row);
    row_of_side(s, c, dir, 1, row);
    if (row->n[0] && row->n[1] && row->at[0] == row->at[1]) { /* two links of one linkage */
        for (k = 0; k < row->n[0]; k++)
            row->x[0][k] += row->x[1][k];
        row->n[1] = 0;
    }
}

static inline double row_times(const row_t *row, const double *v)
{
    return dot_n(row->n[0], row->x[0], v + row->at[0]) + dot_n(row->n[1], row->x[1], v + row->at[1]);
}

static inline void row_add(const row_t *row, double f, double *tau)
{
    int64_t side, k;
    for (side = 0; side < 2; side++)
        for (k = 0; k < row->n[side]; k++)
            tau[row->at[side] + k] += f*row->x[side][k];
}

/* row D^-1 row^T (1/kg): the velocity change of a unit impulse along it */
static inline double row_width(const scene_t *s, const row_t *row)
{
    double total = 0.0, x[NV];
    int64_t side;
    for (side = 0; side < 2; side++)
        if (row->n[side]) {
            memcpy(x, row->x[side], row->n[side]*sizeof *x);
            forward(row->n[side], s->work->L + row->at[side]*NV, x);
            total += dot_n(row->n[side], x, x);
        }
    return total;
}

/* two tangents of a normal; in a planar scene the second is the axis normal to the plane */
static inline void tangents(const double *n, int planar, double *t, double *b)
{
    const double axis[3] = {fabs(n[0]) < 0.6 && !planar, fabs(n[0]) >= 0.6 && !planar, planar};
    double size;
    int k;
    cross3(axis, n, t);
    size = sqrt(dot3(t, t));
    for (k = 0; k < 3; k++)
        t[k] /= size;
    cross3(n, t, b);
}

static inline int64_t root_of(int64_t *group, int64_t k)
{
    while (group[k] != k)
        k = group[k] = group[group[k]];
    return k;
}

/* whether contacts can move a link */
static inline int is_moved(const scene_t *s, int64_t link)
{
    return link >= 0 && !s->objects[s->owner[link]].driven;
}

/* whether a shape is on the object in the hand */
static inline int is_tool(const scene_t *s, int64_t shape)
{
    return s->shapes[shape].link >= 0 && s->owner[s->shapes[shape].link] == s->held;
}

/* contacts of shapes within a margin, for the first n pairs; of a local model only links of the tool, which packets
   omit */
static inline void touch_shapes(scene_t *s, double margin, int64_t n)
{
    work_t *w = s->work;
    int64_t k;
    for (k = 0; k < n; k++) {
        const int64_t a = s->pairs[k][0], b = s->pairs[k][1];
        const double reach = s->shapes[a].radius + s->shapes[b].radius + margin;
        double d[3];
        if (is_local(s) && !is_tool(s, a))
            continue;
        minus3(w->centre[a], w->centre[b], d);
        if (dot3(d, d) > reach*reach || !(is_moved(s, s->shapes[a].link) || is_moved(s, s->shapes[b].link)))
            continue;
        if (s->shapes[a].faces)
            touch3(s, k, margin);
        else
            touch2(s, k, margin);
    }
}

/* Jacobian rows and velocities of contact k */
static inline void update_contact(scene_t *s, int64_t k)
{
    const int planar = s->nh == 3;
    contact_t *c = s->memory.contacts + k;
    row_t *rows = s->work->rows[k];
    double t[3], b[3];
    int i;
    tangents(c->normal, planar, t, b);
    contact_row(s, c, c->normal, rows);
    contact_row(s, c, t, rows + 1);
    if (!planar)
        contact_row(s, c, b, rows + 2);
    c->vn = row_times(rows, s->memory.v);
    for (i = 0; i < 3; i++)
        c->vt[i] = t[i]*row_times(rows + 1, s->memory.v) + (planar ? 0.0 : b[i]*row_times(rows + 2, s->memory.v));
}

/* All contacts with a separation below the margin. A contact of before remains up to STEADY, so that a body at rest
   does not strike a wall again and again that it just touches. */
static inline void find_contacts(scene_t *s, double margin)
{
    memory_t *m = &s->memory;
    work_t *w = s->work;
    int64_t k, n, found;
    w->nbefore = m->ncontacts, w->cursor = 0;
    memcpy(w->before, m->contacts, w->nbefore*sizeof *w->before);
    m->ncontacts = 0;
    if (is_local(s))
        touch_surfaces(s, fmax(margin, STEADY));
    touch_shapes(s, fmax(margin, STEADY), is_local(s) ? s->nown : s->npairs);
    found = m->ncontacts, w->cursor = 0;
    for (k = 0; k < s->nobjects; k++)
        w->group[k] = k;
    for (n = 0, k = 0; k < found; k++) {
        contact_t *c = m->contacts + n;
        if (n < k)
            *c = m->contacts[k];
        update_contact(s, n);
        if (!remember(s, c) && c->s > margin)
            continue;
        n++;
        if (c->link_a >= 0 && c->link_b >= 0)
            w->group[root_of(w->group, s->owner[c->link_a])] = root_of(w->group, s->owner[c->link_b]);
    }
    m->ncontacts = n;
    for (k = 0; k < n; k++) {
        contact_t *c = m->contacts + k;
        c->group = root_of(w->group, s->owner[c->link_a >= 0 ? c->link_a : c->link_b]);
    }
}

/* m: zero unless constraints must see approaching shapes */
static inline double margin_of(const scene_t *s)
{
    return s->settings.contact == CONSTRAINT ? s->margin : 0.0;
}

/* state of a group: colliding if a contact is new and closing, or if an impulse is still being spread */
static inline int64_t state_of(const scene_t *s, int64_t group)
{
    const memory_t *m = &s->memory;
    int64_t k, state = FREE;
    for (k = 0; k < m->ncontacts; k++)
        if (m->contacts[k].group == group && m->contacts[k].s <= 0.0) {
            if (!m->contacts[k].seen && m->contacts[k].vn < 0.0)
                return COLLIDING;
            state = RESTING;
        }
    for (k = 0; k < s->nobjects && state == RESTING; k++)
        if (m->staying[k] && root_of(s->work->group, k) == group)
            return COLLIDING;
    return state;
}

/* whether a contact is deeper than contact forces should allow */
static inline int is_deep(const scene_t *s, const contact_t *c)
{
    return c->s < -0.5*s->travel;
}

static inline int is_group_deep(const scene_t *s, int64_t group)
{
    const memory_t *m = &s->memory;
    int64_t k;
    for (k = 0; k < m->ncontacts; k++)
        if (m->contacts[k].group == group && is_deep(s, m->contacts + k))
            return 1;
    return 0;
}

/* whether a group may pass through a wall: deep and closing */
static inline int is_sinking(const scene_t *s, int64_t group)
{
    const memory_t *m = &s->memory;
    int64_t k;
    for (k = 0; k < m->ncontacts; k++)
        if (m->contacts[k].group == group && is_deep(s, m->contacts + k) && m->contacts[k].vn < 0.0)
            return 1;
    return 0;
}

/* number the velocities of a group: their places, and back; returns their number */
static inline int64_t gather(const scene_t *s, int64_t group)
{
    work_t *w = s->work;
    int64_t k, i, n = 0;
    for (k = 0; k < s->nobjects; k++)
        if (root_of(w->group, k) == group)
            for (i = 0; i < s->objects[k].nv; i++)
                w->at[s->objects[k].v + i] = n, w->dofs[n++] = s->objects[k].v + i;
    return n;
}

#endif
