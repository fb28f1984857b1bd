/* Constraints of a local model: separations of the proxy, matching of new constraints with old ones, and the
   deformation of the proxy, so that an update never deepens a penetration. */
#ifndef HAPTICS_SURFACES_H
#define HAPTICS_SURFACES_H

#include <math.h>
#include <string.h>

#include "../../codegen/runtime/linear_algebra.h"
#include "../../stepping/state.h"
#include "features.h"
#include "hold.h"
#include "local_model.h"
#include "packet.h"
#include "scene.h"
#include "vectors.h"

static const double SMALLEST = 1e-9;  /* m: shortest normals, radii and axes */
static const double FARTHEST = 1e4;   /* m: larger numbers are refused */
static const double LIGHTEST = 1e-3;  /* a mass below this share of the tool's own, or above 1/LIGHTEST, is refused */

/* the tool's point of a constraint in the world (m), or the centre of its rounding */
static inline void tool_point(const scene_t *s, const constraint_t *c, double *x)
{
    const pose_t *link = s->work->links + s->objects[s->held].link + c->a;
    int k;
    turn3(link->R, c->tool, x);
    for (k = 0; k < 3; k++)
        x[k] += link->p[k];
}

/* s = n.(x - c_p) for a plane, sign(r) (|x - centre| - |r|) for a sphere or cylinder, less the tool's radius; and the
   normal */
static inline double separation(const constraint_t *c, const double *x, double *n)
{
    const double sign = c->radius < 0.0 ? -1.0 : 1.0;
    double d[3], size, along;
    int k;
    memcpy(n, c->normal, sizeof c->normal);
    minus3(x, c->point, d);
    if (c->kind == PLANE)
        return dot3(n, d) - c->tool_radius;
    for (k = 0; k < 3; k++)
        d[k] += c->radius*c->normal[k];
    for (along = c->kind == CYLINDER ? dot3(d, c->axis) : 0.0, k = 0; k < 3; k++)
        d[k] -= along*c->axis[k];
    size = sqrt(dot3(d, d));
    for (k = 0; k < 3 && size > SMALLEST; k++)
        n[k] = sign*d[k]/size;
    return sign*size - c->radius - c->tool_radius;
}

/* a gradually moving surface, as it is in this tick */
static inline constraint_t surface_now(const surface_t *f)
{
    constraint_t c = f->now;
    double size;
    int k;
    if (f->share >= 1.0)
        return c;
    for (k = 0; k < 3; k++) {
        c.point[k] = f->origin[k] + f->share*(f->now.point[k] - f->origin[k]);
        c.normal[k] = f->along[k] + f->share*(f->now.normal[k] - f->along[k]);
    }
    size = sqrt(dot3(c.normal, c.normal));
    for (k = 0; k < 3; k++)
        c.normal[k] /= fmax(size, SMALLEST);
    return c;
}

/* contacts of the proxy with the surfaces */
static inline void touch_surfaces(scene_t *s, double margin)
{
    const local_t *l = s->local;
    int64_t i;
    int k;
    for (i = 0; i < l->count; i++) {
        const constraint_t now = surface_now(l->surfaces + i);
        double x[3], n[3], apart;
        contact_t *c;
        tool_point(s, &now, x);
        apart = separation(&now, x, n);
        if (!(apart <= margin) || !(c = new_contact(s)))
            continue;
        c->a = c->b = -1;
        c->link_a = s->objects[s->held].link + now.a, c->link_b = GROUND;
        c->key = l->surfaces[i].key;
        c->s = fmax(apart, -l->deepest);
        c->moving = l->surfaces[i].moving, c->firm = l->firm;
        c->seen = l->surfaces[i].yielding < 0.0; /* a surface that gives way is no impact */
        c->mu_s = now.mu_s, c->mu_k = now.mu_k;
        for (k = 0; k < 3; k++)
            c->point[k] = x[k] - now.tool_radius*n[k], c->normal[k] = n[k];
    }
}

/* -- packets
   ------------------------------------------------------------------------------------------------------------ */

static inline int unit3(double *x)
{
    const double size = sqrt(dot3(x, x));
    int k;
    for (k = 0; k < 3 && size > SMALLEST; k++)
        x[k] /= size;
    return size > SMALLEST;
}

/* normalise directions and limit numbers of a constraint; 0 if it is invalid */
static inline int sound(scene_t *s, constraint_t *c)
{
    local_t *l = s->local;
    const double *number = c->point, fast = c->v;
    if (c->a < 0 || c->a >= s->objects[s->held].nlinks || c->kind < PLANE || c->kind > CYLINDER)
        return 0;
    for (; number <= &c->mu_k; number++)
        if (!(fabs(*number) < FARTHEST))
            return 0;
    if (s->nh == 3) /* planar scene */
        c->normal[2] = c->point[2] = c->tool[2] = 0.0;
    if (!unit3(c->normal))
        return 0;
    if (c->kind == CYLINDER && !unit3(c->axis))
        return 0;
    if (c->kind != PLANE && !(fabs(c->radius) > SMALLEST))
        return 0;
    c->tool_radius = fmax(c->tool_radius, 0.0);
    c->mu_k = fmax(c->mu_k, 0.0), c->mu_s = fmax(c->mu_s, c->mu_k);
    c->v = clipped(c->v, l->fastest);
    l->bounded += c->v != fast || c->s < -l->deepest;
    return 1;
}

/* the mean period of the world (s) */
static inline double mean_period(const local_t *l)
{
    double total = 0.0;
    int64_t k, n = l->nperiods < STEPS_KEPT ? l->nperiods : STEPS_KEPT;
    for (k = 0; k < n; k++)
        total += l->periods[k];
    return n ? total/n : 0.0;
}

/* the old surface that a constraint of a new packet continues (thesis 6.2.4): same bodies, |c - c'| <= dt v_max, n.n'
   >= max(cos(dt w_max), cos theta_max). The nearest is taken, each only once. -1: the constraint is new. */
static inline int64_t coherent(const local_t *l, const constraint_t *c, const int64_t *used)
{
    const double dt = mean_period(l), far = dt*l->v_max, turned = cos(fmin(fmin(dt*l->w_max, l->theta_max), PI));
    double nearest = far;
    int64_t i, best = -1;
    for (i = 0; i < l->count; i++) {
        const constraint_t *old = &l->surfaces[i].now;
        double d[3], size;
        if (used[i] || old->a != c->a || old->b != c->b || dot3(old->normal, c->normal) < turned)
            continue;
        minus3(c->point, old->point, d);
        size = sqrt(dot3(d, d));
        if (size <= nearest)
            nearest = size, best = i;
    }
    return best;
}

/* move the tool's point of a constraint so that the separation is `wanted` (m) */
static inline void put_apart(const scene_t *s, constraint_t *c, double wanted)
{
    const pose_t *link = s->work->links + s->objects[s->held].link + c->a;
    double x[3], n[3], here;
    int k;
    tool_point(s, c, x);
    here = separation(c, x, n);
    for (k = 0; k < 3; k++)
        x[k] += (wanted - here)*n[k] - link->p[k];
    unturn3(link->R, x, c->tool);
}

/* Deform the proxy at a surface. sigma is the separation of the tool now, or as reported. The new separation is
     for a new surface max(sigma, 0),   for a known one sigma if sigma >= 0, else max(sigma, min(s_p, 0))
   with s_p that of the deformed proxy. So an update never deepens a penetration (thesis 6.4 to 6.7), and a free proxy
   has its own shape again. */
static inline void deform(scene_t *s, surface_t *f, const surface_t *old)
{
    constraint_t *c = &f->now;
    double x[3], n[3], y[3], m[3], here, sigma, wanted;
    tool_point(s, c, x);
    here = separation(c, x, n);
    sigma = s->local->reported ? c->s : here;
    wanted = fmax(sigma, 0.0);
    if (old && sigma < 0.0) {
        tool_point(s, &old->now, y);
        wanted = fmax(sigma, fmin(separation(&old->now, y, m), 0.0));
    }
    f->deformed = wanted > here || wanted < here;
    s->local->deformed += f->deformed;
    if (f->deformed)
        put_apart(s, c, wanted);
}

/* time of the smoothing at updates (s) */
static inline double smoothing_time(const local_t *l)
{
    return l->intermediate ? l->interpolation : l->deformation;
}

/* A new surface that the tool has passed already begins at the tool and with its velocity, if updates are smoothed. So
   neither spring nor damper nor impact jumps. */
static inline void arrive_late(const scene_t *s, surface_t *f)
{
    const local_t *l = s->local;
    const object_t *o = s->objects + s->held;
    double x[3], n[3], row[NV], apart;
    int k;
    tool_point(s, &f->now, x);
    apart = separation(&f->now, x, n);
    if (!(smoothing_time(l) > 0.0) || !(apart < 0.0))
        return;
    point_row(s, o->link + f->now.a, x, n, row);
    f->yielding = fmin(dot_n(o->nv, row, s->memory.v + o->v), 0.0);
    for (k = 0; k < 3 && l->intermediate; k++)
        f->origin[k] = f->now.point[k] + apart*n[k], f->along[k] = n[k], f->share = 0.0;
}

static inline void take_surfaces(scene_t *s, const packet_t *p)
{
    local_t *l = s->local;
    surface_t made[CONSTRAINTS];
    int64_t used[CONSTRAINTS] = {0}, n = 0, i, k;
    for (i = 0; i < p->count && is_local(s); i++) {
        surface_t *f = made + n;
        memset(f, 0, sizeof *f);
        f->now = p->constraints[i], f->share = 1.0;
        if (!sound(s, &f->now)) {
            l->skipped++;
            continue;
        }
        k = coherent(l, &f->now, used);
        if (k >= 0) {
            const constraint_t before = surface_now(l->surfaces + k);
            used[k] = 1, l->matched++;
            f->key = l->surfaces[k].key;
            memcpy(f->origin, before.point, sizeof f->origin), memcpy(f->along, before.normal, sizeof f->along);
            f->share = l->intermediate ? 0.0 : 1.0;
            f->yielding = l->surfaces[k].yielding;
        } else {
            f->key = --l->keys, l->added++; /* negative: keys of shapes are positive */
            arrive_late(s, f);
        }
        if (!l->intermediate)
            deform(s, f, k >= 0 ? l->surfaces + k : 0);
        if (!l->intermediate && k < 0 && f->yielding < 0.0)
            put_apart(s, &f->now, s->dt*f->yielding); /* it recedes before the proxy moves */
        n++;
    }
    for (i = 0; i < l->count; i++)
        l->removed += !used[i];
    memcpy(l->surfaces, made, n*sizeof *made);
    l->count = n;
}

/* TAKEN, or why a packet is refused */
static inline int64_t judged(const scene_t *s, const packet_t *p)
{
    const local_t *l = s->local;
    const object_t *o = s->objects + s->held;
    double L[NV*NV], H[HAND*HAND];
    int64_t k;
    if (p->magic != PACKET_MAGIC || p->version != PACKET_VERSION)
        return WRONG_VERSION;
    if (p->nq != o->nq || p->nv != o->nv)
        return WRONG_SIZE;
    if (p->count < 0 || p->count > CONSTRAINTS)
        return WRONG_COUNT;
    if (!finite_all(4, &p->t) || !finite_all(o->nv*o->nv, p->D) || !finite_all(o->nv, p->G)
        || !finite_all(HAND*HAND, p->held) || p->stiffness < 0.0 || p->damping < 0.0 || p->restitution < 0.0 || p->restitution > 1.0)
        return NO_NUMBERS;
    memcpy(L, p->D, o->nv*o->nv*sizeof *L);
    for (k = 0; k < o->nv; k++)
        if (L[k*(o->nv + 1)] < l->least[k] || L[k*(o->nv + 1)] > l->most[k])
            return NO_MASS;
    memcpy(H, p->held, sizeof H);
    if (!cholesky(o->nv, L) || (p->held[0] > 0.0 && !cholesky(s->nh, H)))
        return NO_MASS;
    if (l->frozen && p->sequence <= l->sequence && l->silent*s->dt < l->restart)
        return STALE;
    return TAKEN;
}

/* take a packet of the world between two ticks; TAKEN, or why it was refused */
static inline int64_t take_packet(scene_t *s, const packet_t *p)
{
    local_t *l = s->local;
    const object_t *o = s->objects + s->held;
    const int64_t reason = judged(s, p);
    int64_t i, j;
    l->reasons[reason]++;
    if (reason != TAKEN)
        return reason;
    l->factored = -1; /* the proxy's own factors, until the end of this update */
    if (!update_objects(s))
        return reason;
    l->factors = s->work->factors, l->factored = link_in_hand(s);
    if (l->frozen && p->t > l->t && p->t - l->t < l->restart)
        l->periods[l->nperiods++ % STEPS_KEPT] = p->t - l->t;
    for (i = 0; i < o->nv; i++)
        for (j = 0; j < o->nv; j++)
            l->D[i*o->nv + j] = p->D[(i > j ? i : j)*o->nv + (i > j ? j : i)];
    memcpy(l->G, p->G, sizeof l->G), memcpy(l->held, p->held, sizeof l->held);
    s->settings.stiffness = fmin(p->stiffness, l->stiffest), s->settings.damping = fmin(p->damping, l->most_damping);
    s->settings.restitution = p->restitution;
    l->t = p->t, l->sequence = p->sequence, l->silent = 0, l->frozen = 1, l->firm = 1.0;
    take_surfaces(s, p);
    return TAKEN;
}

/* accept mass matrices within three orders of magnitude of the tool's own; after scene_look */
static inline void know_mass(scene_t *s)
{
    const object_t *o = s->objects + s->held;
    int64_t k;
    for (k = 0; k < o->nv; k++) {
        const double own = s->work->D[o->v*NV + k*(o->nv + 1)];
        s->local->least[k] = LIGHTEST*own, s->local->most[k] = own/LIGHTEST;
    }
}

#endif
