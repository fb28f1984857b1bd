/* The hold, the point of a link that is in the hand: its Jacobian with its inverses, its motion, wrenches there. */
#ifndef HAPTICS_HOLD_H
#define HAPTICS_HOLD_H

#include <math.h>
#include <string.h>

#include "generalised_inverse.h"
#include "local_model.h"
#include "objects.h"
#include "scene.h"
#include "vectors.h"

static inline int64_t link_in_hand(const scene_t *s)
{
    const object_t *o = s->objects + s->held;
    const int64_t k = s->settings.hold;
    return o->link + (k < 0 ? 0 : k < o->nlinks ? k : o->nlinks - 1);
}

/* position of the hold in the world */
static inline void hold_point(const scene_t *s, double *point)
{
    const int64_t link = link_in_hand(s);
    const pose_t *l = s->work->links + link;
    int64_t k;
    turn3(l->R, s->links[link].hold, point);
    for (k = 0; k < 3; k++)
        point[k] += l->p[k];
}

/* J_h, rows in the order of the device's axes */
static inline void hold_jacobian(const scene_t *s, double *J)
{
    static const double AXES[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const object_t *o = s->objects + s->held;
    const int64_t n = o->nv, linear = s->nh == 3 ? 2 : 3, link = link_in_hand(s);
    double point[3];
    int64_t i;
    hold_point(s, point);
    for (i = 0; i < linear; i++)
        point_row(s, link, point, AXES[i], J + i*n);
    for (i = linear; i < s->nh; i++) {
        const int64_t axis = s->nh == 3 ? 2 : i - 3;
        memset(J + i*n, 0, n*sizeof *J);
        if (o->kind == LINKAGE)
            memcpy(J + i*n, s->work->links[link].J + (3 + axis)*n, n*sizeof *J);
        else
            J[i*n + i] = 1.0;
    }
}

/* M_hl: inertia of the held link at the hold, in the axes of its Jacobian */
static inline void hold_inertia(const scene_t *s, double *M)
{
    const int64_t link = link_in_hand(s);
    const link_t *l = s->links + link;
    const double *R = s->work->links[link].R;
    double arm[3], c[3], I[9];
    minus3(l->com, l->hold, arm);
    turn3(R, arm, c);
    turned_inertia(R, l->inertia, I);
    inertia_at(s->nh, l->mass, c, I, M);
    tell_inertia(s, M);
}

/* J_h, J D^-1 J^T, factors of J_h, J#^T; 0 if the held link has no inertia */
static inline int update_hold(scene_t *s)
{
    const object_t *o = s->objects + s->held;
    const double *L = s->work->L + o->v*NV;
    work_t *w = s->work;
    double M[HAND*HAND];
    hold_jacobian(s, w->Jh);
    mobility_of(s->nh, o->nv, w->Jh, L, w->mobility);
    full_rank(s->nh, o->nv, w->Jh, s->settings.rank_tolerance, &w->factors);
    freeze_hold(s, link_in_hand(s));
    hold_inertia(s, M);
    return generalised_inverse(&w->factors, L, M, w->inverse);
}

/* everything that depends on q and v; 0 if a mass matrix is not positive definite */
static inline int update_objects(scene_t *s)
{
    return update_links(s) && (s->held < 0 || update_hold(s));
}

/* J' v with the Jacobian of the tick before: acceleration of the hold with constant joint velocities */
static inline void update_curving(scene_t *s)
{
    const int64_t n = s->objects[s->held].nv;
    const double *v = s->memory.v + s->objects[s->held].v;
    memory_t *m = &s->memory;
    work_t *w = s->work;
    int64_t k;
    if (m->ticks == 0)
        memcpy(m->Jh, w->Jh, sizeof m->Jh);
    for (k = 0; k < s->nh; k++)
        w->curving[k] = (dot_n(n, w->Jh + k*n, v) - dot_n(n, m->Jh + k*n, v))/s->dt;
    memcpy(m->Jh, w->Jh, sizeof m->Jh);
}

/* the wrench (N, N m) at the hold of a generalised force T on the held object: J#^T T */
static inline void hold_wrench(const scene_t *s, const double *T, double *wrench)
{
    const int64_t n = s->objects[s->held].nv;
    int64_t k;
    for (k = 0; k < s->nh; k++)
        wrench[k] = dot_n(n, s->work->inverse + k*n, T);
}

/* pose and velocity of the hold, in the form of the device's */
static inline void hold_motion(const scene_t *s, double *x, double *xd)
{
    const object_t *o = s->objects + s->held;
    const double *R = s->work->links[link_in_hand(s)].R;
    double point[3];
    int64_t k;
    hold_point(s, point);
    for (k = 0; k < s->nh; k++)
        xd[k] = dot_n(o->nv, s->work->Jh + k*o->nv, s->memory.v + o->v);
    if (s->nh == 3) {
        const double turn = 2.0*PI, angle = o->kind == PLANAR ? s->memory.q[o->q + 2] : atan2(R[3], R[0]);
        x[0] = point[0], x[1] = point[1], x[2] = angle;
        if (o->kind == LINKAGE)
            x[2] += turn*floor((s->memory.measured[2] - angle)/turn + 0.5); /* count whole turns as the device does */
        return;
    }
    memcpy(x, point, sizeof point);
    if (o->kind == SPATIAL) {
        memcpy(x + 3, s->memory.q + o->q + 3, 4*sizeof *x);
        return;
    }
    { /* the quaternion of a rotation matrix, from its largest component */
        const double trace = R[0] + R[4] + R[8];
        double e[4] = {1 + trace, 1 + 2*R[0] - trace, 1 + 2*R[4] - trace, 1 + 2*R[8] - trace}, half;
        int64_t big = 0;
        for (k = 1; k < 4; k++)
            big = e[k] > e[big] ? k : big;
        half = 0.5*sqrt(e[big]);
        e[0] = big == 0 ? 4*half*half : big == 1 ? R[7] - R[5] : big == 2 ? R[2] - R[6] : R[3] - R[1];
        e[1] = big == 1 ? 4*half*half : big == 0 ? R[7] - R[5] : big == 2 ? R[1] + R[3] : R[2] + R[6];
        e[2] = big == 2 ? 4*half*half : big == 0 ? R[2] - R[6] : big == 1 ? R[1] + R[3] : R[5] + R[7];
        e[3] = big == 3 ? 4*half*half : big == 0 ? R[3] - R[1] : big == 1 ? R[2] + R[6] : R[5] + R[7];
        for (k = 0; k < 4; k++)
            x[3 + k] = e[k]/(4*half);
    }
}

/* if another link is taken into the hand, the device moves to its hold */
static inline void take_hold(scene_t *s)
{
    memory_t *m = &s->memory;
    if (m->link == link_in_hand(s) || !update_objects(s))
        return;
    hold_motion(s, m->x, m->xd);
    memcpy(m->Jh, s->work->Jh, sizeof m->Jh);
    m->link = link_in_hand(s), m->rank = 0, m->away = 1;
}

#endif
