/* Whether a contact existed a tick before, and the state of its friction then.

   It is the same contact if its features are the same, or if it lies on the patch between two contacts that the same
   bodies had before: corners and crossings of edges of a patch come and go while bodies slide or lie parallel. */
#ifndef HAPTICS_IDENTITY_H
#define HAPTICS_IDENTITY_H

#include <math.h>
#include <string.h>

#include "features.h"
#include "scene.h"
#include "vectors.h"

static const double SAME_PLACE = 1e-5; /* m, plus the way that the contact slides in two ticks, */
static const double SAME_DEPTH = 0.1;  /* and this share of its depth: references of both shapes differ by their tilt */
static const double SAME_SHAPES = 0.866, SAME_BODIES = 0.9999; /* least cosine between normals: 30 degrees, as of facets
                                                                   of a round body; pieces of one wall: 0.8 degrees */

static inline void take_state(contact_t *c, const contact_t *old)
{
    memcpy(c->z, old->z, sizeof c->z);
    c->mode = old->mode, c->target = old->target;
    c->seen = 1;
}

/* the contact with the same features; contacts mostly keep their order, so the search starts after the last one found */
static inline int same_features(const scene_t *s, contact_t *c)
{
    work_t *w = s->work;
    int64_t i, k;
    for (i = 0; i < w->nbefore; i++) {
        k = w->cursor + i < w->nbefore ? w->cursor + i : w->cursor + i - w->nbefore;
        if (w->before[k].key == c->key) {
            w->cursor = k + 1 < w->nbefore ? k + 1 : 0;
            take_state(c, w->before + k);
            return 1;
        }
    }
    return 0;
}

/* from a contact to one of before, which moved with link b: along the surface (m); 0 if it is another surface */
static inline int way_to(const scene_t *s, const contact_t *c, const contact_t *old, double *d)
{
    const int same = c->a == old->a && c->b == old->b;
    double along;
    int k;
    if (old->link_a != c->link_a || old->link_b != c->link_b || old->a < 0
        || dot3(old->normal, c->normal) < (same ? SAME_SHAPES : SAME_BODIES))
        return 0;
    memcpy(d, old->place, sizeof old->place);
    if (c->link_b >= 0) {
        const pose_t *link = s->work->links + c->link_b;
        turn3(link->R, old->place, d);
        for (k = 0; k < 3; k++)
            d[k] += link->p[k];
    }
    minus3(d, c->point, d);
    for (along = dot3(d, c->normal), k = 0; k < 3; k++)
        d[k] -= along*c->normal[k];
    return 1;
}

/* the nearest place on the patch of before; friction is interpolated along it */
static inline int same_patch(const scene_t *s, contact_t *c)
{
    const work_t *w = s->work;
    const double reach = SAME_PLACE + 2.0*s->dt*sqrt(dot3(c->vt, c->vt)) + SAME_DEPTH*fabs(c->s);
    double best = reach*reach, share = 0.0, from[3], to[3], edge[3];
    int64_t i, j, one = -1, other = -1;
    int k;
    for (i = 0; i < w->nbefore; i++) {
        if (!way_to(s, c, w->before + i, from))
            continue;
        for (j = i; j < w->nbefore; j++) {
            double x, d[3];
            if (!way_to(s, c, w->before + j, to))
                continue;
            minus3(to, from, edge);
            x = j > i ? -dot3(from, edge)/fmax(dot3(edge, edge), 1e-30) : 0.0;
            x = x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
            for (k = 0; k < 3; k++)
                d[k] = from[k] + x*edge[k];
            if (dot3(d, d) < best)
                best = dot3(d, d), share = x, one = i, other = j;
        }
    }
    if (one < 0)
        return 0;
    take_state(c, w->before + (share < 0.5 ? one : other));
    for (k = 0; k < 3; k++)
        c->z[k] = (1.0 - share)*w->before[one].z[k] + share*w->before[other].z[k];
    return 1;
}

/* continue a contact of the tick before; 0 if it is new. A contact without load has no deflection. */
static inline int remember(const scene_t *s, contact_t *c)
{
    const pose_t *link = s->work->links + c->link_b;
    if (!same_features(s, c) && c->a >= 0)
        same_patch(s, c);
    if (c->s > 0.0)
        memset(c->z, 0, sizeof c->z), c->mode = 0.0;
    memcpy(c->place, c->point, sizeof c->place);
    if (c->link_b >= 0) {
        double r[3];
        minus3(c->point, link->p, r);
        unturn3(link->R, r, c->place);
    }
    return c->seen;
}

#endif
