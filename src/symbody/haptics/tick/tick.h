/* One tick of a scene, and its rollback if it diverged. */
#ifndef HAPTICS_TICK_H
#define HAPTICS_TICK_H

#include <math.h>
#include <string.h>

#include "../../codegen/runtime/linear_algebra.h"
#include "../../stepping/state.h"
#include "constraint.h"
#include "contacts.h"
#include "controller.h"
#include "device.h"
#include "hold.h"
#include "impact.h"
#include "objects.h"
#include "port_energy.h"
#include "resting.h"
#include "scene.h"
#include "vectors.h"

static inline void place_ground(scene_t *s)
{
    work_t *w = s->work;
    int64_t k;
    memcpy(w->points, s->points, sizeof s->points);
    memcpy(w->normals, s->normals, sizeof s->normals);
    memcpy(w->edges, s->edges, sizeof s->edges);
    for (k = 0; k < s->nshapes; k++)
        memcpy(w->centre[k], s->shapes[k].centre, sizeof w->centre[k]);
}

/* A group that is deep in a wall, pushed harder than its springs can hold: a resting tick, then an impact so that it
   does not sink further. Hand and springs act as in any other tick, so that the device balances the hand. */
static inline void stop_sinking(scene_t *s, int64_t group)
{
    memory_t *m = &s->memory;
    work_t *w = s->work;
    double resting[DOF];
    int64_t k, n;
    rest(s, group);
    for (k = 0; k < m->ncontacts; k++)
        if (m->contacts[k].group == group)
            m->contacts[k].vn = row_times(&w->rows[k][0], m->v);
    if (!is_sinking(s, group))
        return;
    n = gather(s, group);
    for (k = 0; k < n; k++)
        resting[k] = w->T[w->dofs[k]];
    collide(s, group);
    for (k = 0; k < n; k++)
        w->T[w->dofs[k]] += resting[k];
}

/* move every group according to its state */
static inline void move_groups(scene_t *s)
{
    const settings_t *set = &s->settings;
    work_t *w = s->work;
    int64_t k;
    for (k = 0; k < s->nobjects; k++) {
        int64_t state, held, direct;
        if (root_of(w->group, k) != k)
            continue;
        held = s->held >= 0 && root_of(w->group, s->held) == k;
        direct = held && set->controller == DIRECT;
        state = state_of(s, k);
        if (set->contact == CONSTRAINT && !direct)
            constrain(s, k);
        else if (state == COLLIDING && !direct && (set->contact == IMPULSE || is_sinking(s, k)))
            s->record.impacts += collide(s, k);
        else if (is_group_deep(s, k) && !direct)
            stop_sinking(s, k);
        else
            rest(s, k);
        if (held)
            s->record.state = state;
    }
}

/* whether a contact slides */
static inline int slides(const scene_t *s, const contact_t *c)
{
    const double z0 = s->settings.deflection, v0 = s->settings.v_min;
    if (s->settings.friction < 0)
        return 1;
    return c->mode > 0.5 || dot3(c->z, c->z) > z0*z0 || (dot3(c->z, c->z) == 0.0 && dot3(c->vt, c->vt) > v0*v0);
}

static inline void record_contacts(scene_t *s)
{
    const memory_t *m = &s->memory;
    record_t *r = &s->record;
    int64_t k;
    r->depth = r->friction = r->contacts = r->sliding = r->rub = 0.0;
    for (k = 0; k < m->ncontacts; k++) {
        const contact_t *c = m->contacts + k;
        const double along = dot3(c->force, c->normal), size = dot3(c->force, c->force) - along*along;
        if (c->s > 0.0 && !(along > 0.0))
            continue;
        r->contacts++;
        r->sliding += slides(s, c);
        r->depth = fmax(r->depth, -c->s);
        r->friction += sqrt(fmax(size, 0.0));
        r->rub += r->state == COLLIDING ? 0.0 : fabs(dot3(c->force, c->vt));
    }
}

/* record the rank of the hold's Jacobian, whether it is lower than elsewhere, and the distance of device and tool */
static inline void record_hold(scene_t *s)
{
    memory_t *m = &s->memory;
    const int64_t rank = s->work->factors.rank;
    s->record.rank = rank;
    s->record.apart = sqrt(dot_n(s->nh == 3 ? 2 : 3, s->work->apart, s->work->apart));
    m->rank = rank > m->rank ? rank : m->rank;
    m->singular += rank < m->rank;
}

/* the wrench of contacts at the hold, and whether a unilateral coupler is engaged */
static inline void feel_contacts(scene_t *s)
{
    const settings_t *set = &s->settings;
    memory_t *m = &s->memory;
    work_t *w = s->work;
    double size = 0.0;
    int64_t k, together = 1;
    hold_wrench(s, w->T + s->objects[s->held].v, s->record.wrench);
    for (k = 0; k < s->objects[s->held].nv; k++)
        w->dv[k] = -w->bias[s->objects[s->held].v + k];
    hold_wrench(s, w->dv, w->weight);
    for (k = 0; k < s->nh; k++) {
        together &= fabs(w->apart[k]) < ONE;
    }
    size = sqrt(dot_n(s->nh == 3 ? 2 : 3, s->record.wrench, s->record.wrench));
    s->record.strike = s->record.state == COLLIDING ? size : 0.0;
    m->pressed = size - s->record.strike; /* impulses do not raise the damping */
    if (set->controller != UNILATERAL_COUPLER)
        m->joined = 0;
    else if (size > 0.0)
        m->joined = 1;
    else if (m->joined && together)
        m->joined = 0;
}

static inline void tick(scene_t *s, const double *input)
{
    memory_t *m = &s->memory;
    work_t *w = s->work;
    record_t *r = &s->record;
    const int held = s->held >= 0;
    double felt[HAND] = {0}, command[HAND] = {0};
    int64_t k;
    int present, direct;
    if (m->ticks == 0)
        place_ground(s);
    if (held)
        take_hold(s);
    present = held && measure_device(s, input);
    direct = present && s->settings.controller == DIRECT;
    memcpy(w->kept_q, m->q, s->nq*sizeof *m->q);
    memcpy(w->kept_v, m->v, s->nv*sizeof *m->v);
    if (direct)
        follow_device(s);
    memset(w->applied, 0, s->nv*sizeof *w->applied);
    if (!update_objects(s))
        goto undone;
    if (s->local)
        move_surfaces(s);
    if (held) {
        compare_tool(s);
        record_hold(s);
        update_curving(s);
        drive_tool(s, present);
    }
    r->impacts = r->state = 0.0;
    find_contacts(s, margin_of(s));
    r->before = kinetic_energy(s);
    move_groups(s);
    r->after = r->kinetic = kinetic_energy(s);
    if (!finite_all(s->nv, m->v))
        goto undone;
    record_contacts(s);
    if (s->local)
        count_entered(s), return_excess(s);
    if (held)
        feel_contacts(s);
    move_objects(s, direct ? s->held : -1);
    if (present) {
        render(s, felt);
        keep_passive(s, felt);
        penalise_topology(s, felt);
        command_device(s, felt, command);
        for (k = 0; k < s->nh; k++)
            felt[k] += w->topology[k];
        if (s->settings.controller == UNILATERAL_COUPLER && !m->joined && r->contacts == 0.0) {
            const object_t *o = s->objects + s->held;
            memcpy(m->q + o->q, w->kept_q + o->q, o->nq*sizeof *m->q); /* start from the old pose: one motion per tick */
            follow_device(s);
        }
    } else if (held)
        m->lost++, m->away = 1;
    if (!finite_all(s->nq, m->q) || !finite_all(s->nh, command))
        goto undone;
    goto recorded;
undone:
    memcpy(m->q, w->kept_q, s->nq*sizeof *m->q);
    memset(m->v, 0, s->nv*sizeof *m->v);
    memset(command, 0, sizeof command);
    m->ncontacts = 0;
    r->before = r->after = r->kinetic = 0.0;
    m->faults++;
recorded:
    if (held) {
        r->t = m->ticks*s->dt;
        memcpy(r->hand, m->hand, sizeof r->hand), memcpy(r->command, command, sizeof r->command);
        memcpy(r->felt, felt, sizeof r->felt);
        memcpy(r->x, m->x, sizeof r->x), memcpy(r->xd, m->xd, sizeof r->xd);
        memcpy(r->tool, w->tool, sizeof r->tool), memcpy(r->toold, w->toold, sizeof r->toold);
        r->energy = m->energy;
        if (present)
            move_device(s, input, command);
    }
    m->ticks++;
}

#endif
