/* The controller between hand and tool: forces on the tool, and the wrench that the device renders.

   Four-channel (thesis D.6): the tool moves by f_h + f_env - C_vt (xd_vt - xd_h), the device by f_h + f_env - C_d
   (xd_h - xd_vt), C = B + K/s; the damping on the tool's side grows with the contact force. Couplers send only the
   position of the hand to the tool. Impedance shaping gives the device the inertia of the tool by u = M_d L (F_h + F)
   - F_h + C_d xd, L = J D^-1 J^T (5.21), also at singular positions. With M_d J' v it also follows curved paths of
   links, which the thesis leaves to couplings. L cancels every force in the directions n of null(J^T), in which the
   joints cannot move the tool; there u_add = M_d sum [k_tc n^T (x_vt - x_h) + b_tc n^T (xd_vt - xd_h)] n holds the
   device (5.24). */
#ifndef HAPTICS_CONTROLLER_H
#define HAPTICS_CONTROLLER_H

#include <math.h>
#include <string.h>

#include "../../codegen/runtime/linear_algebra.h"
#include "hold.h"
#include "objects.h"
#include "scene.h"
#include "vectors.h"

static const double ONE = 1e-4; /* m, rad: a unilateral coupler disengages if device and tool are closer */

/* difference of tool and device in pose and velocity */
static inline void compare_tool(scene_t *s)
{
    const memory_t *m = &s->memory;
    work_t *w = s->work;
    int64_t k;
    hold_motion(s, w->tool, w->toold);
    for (k = 0; k < 3; k++)
        w->apart[k] = w->tool[k] - m->measured[k];
    if (s->nh == HAND)
        turn_between(w->tool + 3, m->measured + 3, w->apart + 3);
    for (k = 0; k < s->nh; k++)
        w->apartd[k] = w->toold[k] - m->rate[k];
}


/* Gains of the coupling along an axis, lowered if a tick is too long for the inertia: explicit damping is stable up to
   h b/m = 2, a spring up to h^2 k/m = 4. */
static inline double axis_mobility(const scene_t *s, int64_t k)
{
    const double tool = s->work->mobility[k*s->nh + k], device = 1.0/s->work->Md[k*s->nh + k];
    return s->settings.shaping || tool > device ? tool : device;
}

static inline double damper_of(const scene_t *s, int64_t k)
{
    return fmin(s->settings.couple_b[k], 0.5/(s->dt*axis_mobility(s, k)));
}

static inline double stiffness_of(const scene_t *s, int64_t k)
{
    return fmin(s->settings.couple_k[k], 0.1/(s->dt*s->dt*axis_mobility(s, k)));
}

/* gains of the penalty along topology directions, lowered by the same rule; M_d is multiplied later */
static inline double topology_stiffness(const scene_t *s)
{
    return fmin(s->settings.k_tc, 0.1/(s->dt*s->dt));
}

static inline double topology_damping(const scene_t *s)
{
    return fmin(s->settings.b_tc, 0.5/s->dt);
}

static inline double spring_of(const scene_t *s, int64_t k)
{
    return stiffness_of(s, k)*s->work->apart[k];
}

/* A damping, lowered so that its force does not exceed the limit of a hand's force. A device that jumps, or damping
   that grows with the force it makes, would otherwise throw the tool through walls. */
static inline double bounded_damping(const scene_t *s, int64_t k, double b)
{
    const double most = s->settings.hand_limit[k], fast = fabs(s->work->apartd[k]);
    return b*fast > most ? most/fast : b;
}

/* forces of hand and device on the held object; their damping is added to its mass matrix */
static inline void drive_tool(scene_t *s, int present)
{
    const settings_t *set = &s->settings;
    const object_t *o = s->objects + s->held;
    const int64_t n = o->nv, how = set->controller;
    memory_t *m = &s->memory;
    work_t *w = s->work;
    int64_t k, i, j;
    memcpy(w->coupled, w->D + o->v*NV, n*n*sizeof(double));
    for (k = 0; k < s->nh && present && how != DIRECT; k++) {
        const double *J = w->Jh + k*n, measured = how == FOUR_CHANNEL || (how == UNILATERAL_COUPLER && !m->joined) ? m->hand[k] : 0.0;
        const int coupled = how != UNILATERAL_COUPLER || m->joined;
        const double grown = how == FOUR_CHANNEL && set->couple_b[0] > 0.0
                             ? (set->adaptive*m->pressed + set->least_damping)*set->couple_b[k]/set->couple_b[0] : 0.0;
        const double more = bounded_damping(s, k, grown), b = bounded_damping(s, k, coupled ? damper_of(s, k) : 0.0) + more;
        const double f = measured - (coupled ? clipped(spring_of(s, k), set->hand_limit[k]) : 0.0) - b*w->apartd[k];
        for (i = 0; i < n; i++) {
            w->applied[o->v + i] += f*J[i];
            for (j = 0; j < n; j++)
                w->coupled[i*n + j] += s->dt*more*J[i]*J[j]; /* only this part may be unstable in an explicit step */
        }
    }
    memcpy(w->Lt + o->v*NV, w->coupled, n*n*sizeof(double));
    cholesky(n, w->Lt + o->v*NV);
}

/* move a linkage as close to the device as its joints allow: q + J# (x_h - x), v = J# xd_h */
static inline void follow_with_joints(scene_t *s)
{
    const object_t *o = s->objects + s->held;
    memory_t *m = &s->memory;
    double way[NV] = {0}, most = 0.0, fast = 0.0;
    int64_t k, i;
    if (!update_objects(s))
        return;
    compare_tool(s);
    memset(m->v + o->v, 0, o->nv*sizeof *m->v);
    for (k = 0; k < s->nh; k++)
        for (i = 0; i < o->nv; i++) {
            const double J = s->work->inverse[k*o->nv + i];
            way[i] -= J*s->work->apart[k], m->v[o->v + i] += J*m->rate[k];
        }
    for (i = 0; i < o->nv; i++)
        most = fmax(most, fabs(way[i])), fast = fmax(fast, s->dt*fabs(m->v[o->v + i]));
    for (i = 0; i < o->nv; i++) { /* limit joint velocities near singular positions */
        m->q[o->q + i] += most > TURNED ? way[i]*TURNED/most : way[i];
        m->v[o->v + i] *= fast > TURNED ? TURNED/fast : 1.0;
    }
}

/* move a body towards a place (m, n axes), at most by `travel` in a tick, so that a device that jumps passes no wall */
static inline void go_towards(scene_t *s, const object_t *o, const double *place, int64_t n)
{
    double *q = s->memory.q + o->q, *v = s->memory.v + o->v, way[3], far, fast;
    int64_t k;
    for (k = 0; k < n; k++)
        way[k] = place[k] - q[k];
    far = sqrt(dot_n(n, way, way)), fast = s->dt*sqrt(dot_n(n, v, v));
    for (k = 0; k < n; k++) {
        q[k] = far > s->travel ? q[k] + way[k]*s->travel/far : place[k];
        v[k] *= fast > s->travel ? s->travel/fast : 1.0;
    }
}

/* move the tool to the device */
static inline void follow_device(scene_t *s)
{
    const object_t *o = s->objects + s->held;
    const double *hold = s->links[o->link].hold;
    memory_t *m = &s->memory;
    double arm[3], R[9], r[3], place[3];
    int64_t k;
    if (o->kind == LINKAGE) {
        follow_with_joints(s);
        return;
    }
    if (s->nh == 3) {
        const double c = cos(m->measured[2]), n = sin(m->measured[2]), Z[9] = {c, -n, 0, n, c, 0, 0, 0, 1};
        turn3(Z, hold, arm);
        m->q[o->q + 2] = m->measured[2], m->v[o->v + 2] = m->rate[2];
        for (k = 0; k < 2; k++) {
            place[k] = m->measured[k] - arm[k];
            m->v[o->v + k] = m->rate[k] + (k ? -arm[0] : arm[1])*m->rate[2];
        }
        go_towards(s, o, place, 2);
        return;
    }
    rotation_of(m->measured + 3, R);
    turn3(R, hold, arm);
    cross3(m->rate + 3, arm, r);
    for (k = 0; k < 3; k++) {
        place[k] = m->measured[k] - arm[k];
        m->v[o->v + k] = m->rate[k] - r[k], m->v[o->v + 3 + k] = m->rate[3 + k];
    }
    go_towards(s, o, place, 3);
    memcpy(m->q + o->q + 3, m->measured + 3, 4*sizeof(double));
}

/* the wrench to render: contact and coupling, within the limits of the device */
static inline void render(const scene_t *s, double *felt)
{
    const settings_t *set = &s->settings;
    const work_t *w = s->work;
    int64_t k;
    for (k = 0; k < s->nh; k++) {
        const double pull = spring_of(s, k) + damper_of(s, k)*w->apartd[k];
        switch (set->controller) {
        case FOUR_CHANNEL:
            felt[k] = s->record.wrench[k] + (s->record.state == COLLIDING ? 0.0 : pull + w->weight[k]);
            break;
        case VIRTUAL_COUPLER:
            felt[k] = pull;
            break;
        case UNILATERAL_COUPLER:
            felt[k] = s->memory.joined ? pull : w->weight[k];
            break;
        default:
            felt[k] = s->record.wrench[k] + w->weight[k];
        }
        if (set->limiting != FULL)
            felt[k] = clipped(felt[k], set->limit[k]);
    }
}

/* Passivity observer E = -sum f.dx (J): energy that the rendered world has absorbed, f being the motors' force while
   the device moved by dx. If E is negative, the world has given energy, and the next rendered wrench brakes. */
static inline void keep_passive(scene_t *s, double *felt)
{
    const settings_t *set = &s->settings;
    memory_t *m = &s->memory;
    const double *past = m->rendered + (m->ticks % LONGEST)*HAND;
    double *next = m->rendered + ((m->ticks + s->device.delay + 1) % LONGEST)*HAND, moving = 0.0, braked[HAND], share;
    int64_t k;
    m->energy -= dot_n(s->nh, past, m->moved);
    for (k = 0; k < s->nh; k++) {
        braked[k] = dot_n(s->nh, s->work->Md + k*s->nh, m->rate);
        moving += braked[k]*m->rate[k];
    }
    share = set->passivity && m->energy < 0.0 && moving > 1e-12 ? fmin(-m->energy/(s->dt*moving), 0.5/s->dt) : 0.0;
    for (k = 0; k < s->nh; k++) {
        felt[k] -= share*braked[k];
        next[k] = felt[k] = set->limiting == FULL ? felt[k] : clipped(felt[k], set->limit[k]);
    }
}

/* u_add, within the remaining limits; the passivity observer counts it */
static inline void penalise_topology(scene_t *s, const double *felt)
{
    const settings_t *set = &s->settings;
    const full_rank_t *f = &s->work->factors;
    memory_t *m = &s->memory;
    work_t *w = s->work;
    double *next = m->rendered + ((m->ticks + s->device.delay + 1) % LONGEST)*HAND, back[HAND] = {0};
    int64_t k, i;
    for (k = f->rank; k < s->nh; k++) {
        const double *n = f->Ut + k*s->nh;
        const double pull = topology_stiffness(s)*dot_n(s->nh, n, w->apart) + topology_damping(s)*dot_n(s->nh, n, w->apartd);
        for (i = 0; i < s->nh; i++)
            back[i] += pull*n[i];
    }
    for (k = 0; k < s->nh; k++) {
        const double left = set->limiting == FULL ? set->hand_limit[k] : fmax(set->limit[k] - fabs(felt[k]), 0.0);
        w->topology[k] = clipped(dot_n(s->nh, w->Md + k*s->nh, back), fmin(left, set->hand_limit[k]));
        next[k] += w->topology[k];
    }
}

/* the command to the motors (N, N m), within their limits if shaping is on */
static inline void command_device(scene_t *s, const double *felt, double *u)
{
    const work_t *w = s->work;
    const memory_t *m = &s->memory;
    double moved[HAND], total[HAND];
    int64_t k, n = s->nh;
    for (k = 0; k < n && !s->settings.shaping; k++)
        u[k] = felt[k] + w->topology[k];
    if (!s->settings.shaping)
        return;
    for (k = 0; k < n; k++)
        total[k] = m->hand[k] + felt[k];
    for (k = 0; k < n; k++)
        moved[k] = dot_n(n, w->mobility + k*n, total) + (s->settings.curving ? w->curving[k] : 0.0);
    for (k = 0; k < n; k++)
        u[k] = dot_n(n, w->Md + k*n, moved) - m->hand[k] + s->device.damping[k]*m->rate[k] + w->topology[k];
    for (k = 0; k < n && s->settings.limiting != FULL; k++)
        u[k] = clipped(u[k], s->settings.limit[k]);
}

#endif
