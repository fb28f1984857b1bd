/* Moving, changing and ageing surfaces of a local model, and their energy (port.h). */
#ifndef HAPTICS_PORT_ENERGY_H
#define HAPTICS_PORT_ENERGY_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "../../codegen/runtime/linear_algebra.h"
#include "../../realtime/mailbox.h"
#include "contacts.h"
#include "hold.h"
#include "local_model.h"
#include "objects.h"
#include "port.h"
#include "scene.h"
#include "surfaces.h"
#include "vectors.h"

static inline int can_move(const surface_t *f)
{
    return f->now.b >= 0;
}

/* depth of the proxy in a surface (m), and its velocity along the normal (m/s) */
static inline double depth_in(const scene_t *s, const surface_t *f, double *leaving)
{
    const object_t *o = s->objects + s->held;
    const constraint_t now = surface_now(f);
    double x[3], n[3], row[NV], apart;
    tool_point(s, &now, x);
    apart = separation(&now, x, n);
    point_row(s, o->link + now.a, x, n, row);
    *leaving = dot_n(o->nv, row, s->memory.v + o->v);
    return fmin(fmax(-apart, 0.0), s->local->deepest);
}

/* Energy in the spring of a surface (J): K s^2/2 - h K s sd/2. Semi-implicit ticks conserve this; K s^2/2 alone
   oscillates. */
static inline double surface_energy(const scene_t *s, const surface_t *f)
{
    double leaving;
    const double depth = depth_in(s, f, &leaving);
    return fmax(0.0, 0.5*surface_stiffness(s)*depth*(depth + s->dt*(leaving - f->moving)));
}

static inline void count_stored(scene_t *s)
{
    local_t *l = s->local;
    int64_t i;
    for (l->port.stored = 0.0, i = 0; i < l->count; i++)
        if (can_move(l->surfaces + i))
            l->port.stored += surface_energy(s, l->surfaces + i);
}

/* Surfaces that store more energy than the port has give way. Spread impulses let the proxy sink in before springs
   act. */
static inline void give_way(scene_t *s)
{
    local_t *l = s->local;
    port_t *p = &l->port;
    int64_t i, again;
    for (again = 0; again < 4 && balance(p) < 0.0 && p->stored > 0.0; again++) {
        const double share = sqrt(fmax(0.0, 1.0 + balance(p)/p->stored));
        for (i = 0; i < l->count; i++) {
            surface_t *f = l->surfaces + i;
            double leaving;
            const double depth = depth_in(s, f, &leaving);
            if (can_move(f) && depth > 0.0)
                put_apart(s, &f->now, -share*depth), f->deformed = 1;
        }
        count_stored(s);
        p->lifted++;
    }
}

/* if the world is silent, its surfaces soften and then disappear */
static inline void grow_old(scene_t *s)
{
    local_t *l = s->local;
    port_t *p = &l->port;
    const double old = l->silent*s->dt - p->patience;
    if (!(old > 0.0) || !l->count)
        return;
    l->firm = fmax(0.0, 1.0 - old/fmax(p->fading, s->dt));
    if (l->firm == 0.0)
        l->removed += l->count, l->count = 0, p->let_go++;
}

/* A surface that arrived late recedes; its velocity decays with the time of the smoothing. Without contact it stops. */
static inline void give_way_late(scene_t *s, surface_t *f)
{
    static const double STILL = 1e-5; /* m/s */
    const double step = s->dt*f->yielding;
    double x[3], n[3];
    const constraint_t now = surface_now(f);
    int k;
    if (f->yielding == 0.0)
        return;
    tool_point(s, &now, x);
    f->moving += f->yielding;
    if (s->local->intermediate)
        for (k = 0; k < 3; k++)
            f->origin[k] += step*f->along[k];
    else
        put_apart(s, &f->now, separation(&now, x, n) - step), f->deformed = 1;
    f->yielding *= exp(-s->dt/smoothing_time(s->local));
    if (f->yielding > -STILL || separation(&now, x, n) > -step)
        f->yielding = 0.0;
}

/* move surfaces, as far as the port has the energy for it */
static inline void move_surfaces(scene_t *s)
{
    local_t *l = s->local;
    port_t *p = &l->port;
    int64_t i;
    int k;
    l->silent++;
    grow_old(s);
    count_stored(s);
    if (p->on)
        give_way(s);
    settle(p);
    for (i = 0; i < l->count; i++) {
        surface_t *f = l->surfaces + i, kept;
        double leaving, depth, more;
        f->moving = l->kinematic && l->silent*s->dt <= p->still ? f->now.v : 0.0;
        if (f->moving == 0.0 && f->share >= 1.0 && f->yielding == 0.0)
            continue;
        kept = *f;
        depth = depth_in(s, f, &leaving);
        more = -0.5*surface_stiffness(s)*depth*depth;
        for (k = 0; k < 3; k++)
            f->now.point[k] += s->dt*f->moving*f->now.normal[k];
        f->share = fmin(1.0, f->share + s->dt/fmax(s->dt, l->interpolation));
        give_way_late(s, f);
        depth = depth_in(s, f, &leaving);
        more += 0.5*surface_stiffness(s)*depth*depth;
        if (depth > 0.0 && f->moving > 0.0) /* and the energy of its damper */
            more += s->dt*surface_damping(s)*fmax(f->moving - leaving, 0.0)*f->moving;
        if (p->on && more > 0.0 && more > (can_move(f) ? balance(p) : 0.0)) {
            *f = kept, f->moving = 0.0, p->held++;
            continue;
        }
        if (can_move(f))
            p->stored += more;
        else
            p->given += fmax(more, 0.0);
    }
}

/* Energy that the proxy gave to movable bodies in this tick (J): - h f.v with the mean of v before and after, which
   is its loss of kinetic energy. For an impact only the sum is used, and not below zero, because redundant contacts
   share it arbitrarily. */
static inline void count_entered(scene_t *s)
{
    const memory_t *m = &s->memory;
    local_t *l = s->local;
    double whole = 0.0, theirs = 0.0;
    int64_t c, i;
    int k;
    for (c = 0; c < m->ncontacts; c++) {
        const contact_t *touch = m->contacts + c;
        const row_t *rows = s->work->rows[c];
        double t[3], b[3], v[3], along[3], given;
        tangents(touch->normal, s->nh == 3, t, b);
        for (k = 0; k < 3; k++)
            along[k] = row_times(rows + k, m->v);
        for (k = 0; k < 3; k++)
            v[k] = 0.5*((touch->vn + along[0])*touch->normal[k] + touch->vt[k] + along[1]*t[k] + (s->nh == 3 ? 0.0 : along[2]*b[k]));
        given = -s->dt*dot3(touch->force, v);
        for (i = 0; i < l->count && l->surfaces[i].key != touch->key; i++)
            ;
        whole += given;
        theirs += i < l->count && can_move(l->surfaces + i) ? given : 0.0;
    }
    l->port.entered += s->record.impacts > 0.0 ? fmin(fmax(theirs, 0.0), fmax(whole, 0.0)) : theirs;
}

/* Contact forces depend on the velocity after the tick (resting.h), which the check in move_surfaces does not know. If
   surfaces gave more than the port has, the proxy loses the rest: v <- v sqrt(1 - owed/T), T = v^T D v/2. */
static inline void return_excess(scene_t *s)
{
    const object_t *o = s->objects + s->held;
    port_t *p = &s->local->port;
    const double owed = -balance(p) - p->stored;
    double y[NV], energy, lost;
    int64_t k;
    if (!p->on || !(owed > 0.0))
        return;
    times_transposed(o->nv, s->work->L + o->v*NV, s->memory.v + o->v, y);
    energy = 0.5*dot_n(o->nv, y, y), lost = fmin(owed, energy);
    for (k = 0; k < o->nv; k++)
        s->memory.v[o->v + k] *= sqrt(fmax(0.0, 1.0 - lost/fmax(energy, DBL_MIN)));
    p->entered += lost, p->returned++;
    s->record.after -= lost, s->record.kinetic -= lost;
}

/* take a packet between two ticks: no surface stores more energy than before, and the payment of the world is booked */
static inline int64_t take_from_world(scene_t *s, const packet_t *packet)
{
    local_t *l = s->local;
    port_t *p = &l->port;
    double before[CONSTRAINTS];
    int64_t keys[CONSTRAINTS], n = l->count, i, j, reason;
    if (!update_objects(s))
        return NO_NUMBERS;
    for (i = 0; i < n; i++)
        keys[i] = l->surfaces[i].key, before[i] = surface_energy(s, l->surfaces + i);
    reason = take_packet(s, packet);
    if (reason != TAKEN)
        return reason;
    if (isfinite(packet->paid) && packet->paid > p->received)
        p->received = packet->paid;
    for (i = 0; i < l->count; i++) {
        surface_t *f = l->surfaces + i;
        const double now = surface_energy(s, f);
        double was = 0.0;
        for (j = 0; j < n; j++)
            if (keys[j] == f->key)
                was = before[j];
        if (!(now > was) || f->share < 1.0) /* move_surfaces accounts for moving ones */
            continue;
        if (p->on)
            put_apart(s, &f->now, -sqrt(2.0*was/surface_stiffness(s)));
        else if (!can_move(f))
            p->given += now - was;
    }
    return TAKEN;
}

/* -- between the thread of the loop and the line
   ----------------------------------------------------------------------- */

static inline void take_posted(scene_t *s)
{
    port_t *p = &s->local->port;
    const double *posted = p->packets ? collect(&p->inbox, (double *)p->packets, sizeof(packet_t)/sizeof(double)) : 0;
    if (posted) {
        p->taken++;
        take_from_world(s, (const packet_t *)posted);
    }
}

/* set objects other than the tool to their last pose in the world; restarted ticks have no surfaces */
static inline void follow_world(scene_t *s)
{
    memory_t *m = &s->memory;
    local_t *l = s->local;
    int64_t k;
    if (m->ticks == 0)
        l->count = 0;
    for (k = 0; k < s->nobjects && l->seen && !l->whole; k++) {
        const object_t *o = s->objects + k;
        if (k == s->held)
            continue;
        memcpy(m->q + o->q, l->seen + o->q, o->nq*sizeof *m->q);
        memcpy(m->v + o->v, l->seen + s->nq + o->v, o->nv*sizeof *m->v);
    }
}

static inline void post_proxy(scene_t *s)
{
    const object_t *o = s->objects + s->held;
    const memory_t *m = &s->memory;
    port_t *p = &s->local->port;
    proxy_packet_t made = {.magic = PACKET_MAGIC, .version = PACKET_VERSION, .sequence = p->sent + 1,
                           .acknowledged = s->local->sequence, .nq = o->nq, .nv = o->nv, .t = m->ticks*s->dt};
    if (!p->proxies)
        return;
    p->sent++; /* continues if ticks restart */
    memcpy(made.q, m->q + o->q, o->nq*sizeof(double)), memcpy(made.v, m->v + o->v, o->nv*sizeof(double));
    made.paid = p->paid;
    post(&p->outbox, (double *)p->proxies, sizeof made/sizeof(double), (const double *)&made);
}

#endif
