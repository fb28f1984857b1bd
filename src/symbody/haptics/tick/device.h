/* The device in the hand, simulated at its own rate, and its measurement by the controller.

     M_d xdd = F_h + u - C_d xd - friction,   F_h = push + k (target - x) - b xd

   with delayed commands, limited motors and encoders. Velocity is the filtered difference of encoder counts; a momentum
   observer estimates the hand's force: r = K_o (M xd - int (u - C xd + r) dt). */
#ifndef HAPTICS_DEVICE_H
#define HAPTICS_DEVICE_H

#include <math.h>
#include <string.h>

#include "../../codegen/runtime/linear_algebra.h"
#include "../../stepping/state.h"
#include "pantograph.h"
#include "scene.h"
#include "vectors.h"

static const double RUBBING = 1e-3; /* m/s, rad/s: friction is smoothed below */

static inline double axis_between(const scene_t *s, const double *to, const double *from, int64_t k)
{
    double turn[3];
    if (s->nh == 3 || k < 3)
        return to[k] - from[k];
    turn_between(to + 3, from + 3, turn);
    return turn[k - 3];
}

static inline void hand_force(const scene_t *s, const double *input, double *force)
{
    const device_t *d = &s->device;
    const memory_t *m = &s->memory;
    int64_t k;
    for (k = 0; k < s->nh; k++) {
        force[k] = input[k] - d->hand_b[k]*m->xd[k];
        if (d->hand_k[k] > 0.0)
            force[k] += d->hand_k[k]*axis_between(s, input + HAND, m->x, k);
        force[k] = clipped(force[k], s->settings.hand_limit[k]);
    }
}

/* M_d at the pose of the device, for shaping and passivity */
static inline void device_mass(const scene_t *s, double *M)
{
    double theta[MOTORS], J[3*MOTORS];
    int64_t k;
    if (s->device.pantograph && motor_angles(&s->device, s->memory.measured, theta, J)) {
        pantograph_mass(&s->device, J, M);
        return;
    }
    memset(M, 0, s->nh*s->nh*sizeof *M);
    for (k = 0; k < s->nh; k++)
        M[k*s->nh + k] = s->device.mass[k];
}

/* the pose by the encoders */
static inline void encoders(const scene_t *s, double *x)
{
    const device_t *d = &s->device;
    const memory_t *m = &s->memory;
    double theta[MOTORS], J[3*MOTORS];
    int64_t k;
    memcpy(x, m->x, s->np*sizeof *x);
    if (d->pantograph && d->counts > 0.0 && motor_angles(d, m->x, theta, J)) {
        const double count = 2.0*PI/d->counts;
        for (k = 0; k < MOTORS; k++)
            theta[k] = count*floor(theta[k]/count + 0.5);
        handle_pose(d, theta, x);
        x[2] += 2.0*PI*floor((m->x[2] - x[2])/(2.0*PI) + 0.5); /* count whole turns */
        return;
    }
    for (k = 0; k < 3; k++)
        if (d->quantum[k] > 0.0)
            x[k] = d->quantum[k]*floor(x[k]/d->quantum[k] + 0.5);
}

/* filtered velocity and hand force from poses and commands */
static inline void observe_device(scene_t *s, const double *x, int fresh)
{
    const device_t *d = &s->device;
    memory_t *m = &s->memory;
    const double share = s->dt/(s->dt + d->smoothing);
    double momentum[HAND];
    int64_t k;
    for (k = 0; k < s->nh; k++) {
        const double rate = axis_between(s, x, m->measured, k)/s->dt;
        m->rate[k] = fresh ? 0.0 : m->rate[k] + share*(rate - m->rate[k]);
    }
    for (k = 0; k < s->nh; k++)
        momentum[k] = dot_n(s->nh, s->work->Md + k*s->nh, m->rate);
    for (k = 0; k < s->nh && d->observed; k++) {
        const double u = m->ring[(m->ticks % LONGEST)*HAND + k]; /* the motors' command since the last tick */
        m->momentum[k] = fresh ? momentum[k] : m->momentum[k] + s->dt*(u - d->damping[k]*m->rate[k] + m->hand[k]);
        m->hand[k] = d->gain*(momentum[k] - m->momentum[k]);
    }
}

/* measure the device; 0 if it is missing or its numbers are not finite */
static inline int measure_device(scene_t *s, const double *input)
{
    memory_t *m = &s->memory;
    double x[POSE], raw[HAND] = {0};
    int64_t k, bounded = 0;
    if (!finite_all(HAND, input) || ((s->device.external || s->device.hand_k[0] > 0.0) && !finite_all(s->np, input + HAND)))
        return 0;
    device_mass(s, s->work->Md);
    if (s->device.external) {
        memcpy(x, input + HAND, s->np*sizeof *x);
        memcpy(m->x, x, s->np*sizeof *x);
    } else
        encoders(s, x);
    hand_force(s, input, raw);
    for (k = 0; k < s->nh; k++)
        bounded |= fabs(input[k]) > s->settings.hand_limit[k];
    m->bounded += bounded;
    if (s->device.external || s->device.observed)
        observe_device(s, x, m->ticks == 0 || m->away);
    else
        memcpy(m->rate, m->xd, sizeof m->rate);
    if (!s->device.observed)
        memcpy(m->hand, raw, sizeof m->hand);
    for (k = 0; k < s->nh; k++)
        m->moved[k] = m->ticks == 0 || m->away ? 0.0 : axis_between(s, x, m->measured, k);
    memcpy(m->measured, x, s->np*sizeof *x);
    m->away = 0;
    return 1;
}

/* stop at the end stops: no further outwards */
static inline void stop_at_ends(const device_t *d, memory_t *m)
{
    int k;
    for (k = 0; k < 3; k++)
        if (fabs(m->x[k]) > d->reach[k]) {
            m->x[k] = copysign(d->reach[k], m->x[k]);
            m->xd[k] = m->x[k] > 0.0 ? fmin(m->xd[k], 0.0) : fmax(m->xd[k], 0.0);
        }
}

/* a tick of the simulated device under the command that arrives now */
static inline void move_device(scene_t *s, const double *input, const double *command)
{
    const device_t *d = &s->device;
    memory_t *m = &s->memory;
    const double h = s->dt/d->substeps;
    const int64_t n = s->nh, slot = (m->ticks + d->delay + 1) % LONGEST;
    const double *u;
    int64_t step, k;
    memcpy(m->ring + slot*HAND, command, n*sizeof *command);
    u = m->ring + ((m->ticks + 1) % LONGEST)*HAND;
    if (d->external)
        return;
    for (step = 0; step < d->substeps; step++) {
        double force[HAND], M[HAND*HAND], motors[HAND], was[POSE];
        memcpy(was, m->x, sizeof was);
        hand_force(s, input, force);
        memset(M, 0, n*n*sizeof *M);
        for (k = 0; k < n; k++)
            motors[k] = clipped(u[k], d->limit[k]), M[k*n + k] = d->mass[k];
        if (d->pantograph && !pantograph_forces(d, m->x, m->xd, u, M, motors))
            memset(m->xd, 0, sizeof m->xd);
        for (k = 0; k < n; k++) {
            M[k*n + k] += d->hand_m[k] + h*(d->damping[k] + d->hand_b[k]);
            force[k] += motors[k] - d->damping[k]*m->xd[k] - d->friction[k]*tanh(m->xd[k]/RUBBING);
            force[k] *= h;
        }
        if (!cholesky(n, M))
            return;
        forward(n, M, force);
        backward(n, M, force);
        for (k = 0; k < n; k++)
            m->xd[k] += force[k];
        for (k = 0; k < 3; k++)
            m->x[k] += h*m->xd[k];
        if (n == HAND)
            spin(m->x + 3, m->xd + 3, h);
        stop_at_ends(d, m);
        if (d->pantograph) {
            double theta[MOTORS], J[3*MOTORS];
            if (!motor_angles(d, m->x, theta, J)) { /* stop at the limit of its reach */
                memcpy(m->x, was, sizeof was);
                memset(m->xd, 0, sizeof m->xd);
            }
        }
    }
}

#endif
