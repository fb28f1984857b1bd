/* Sampled tracking control of a platform, and the platform itself, as a stepper of the real-time loop (drive_loop.py).
   Before each step of the platform the encoders report whole increments, a filter differentiates the error, and a
   controller computes forces; the drives hold them for the step, in steps and within their peak force (as
   sampled_loop.py does). Without power, and after a fault of the controller, a soft hold (hold.h) has the drives;
   homing.h finds the zeros of the encoders. Nothing is allocated. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../../codegen/runtime/steps.h"
#include "../safety/homing.h"

enum { N = ACTUATORS, CONTROLLERS = 4 };
enum { AXES, RATES = N, SECOND = 2*N, CHOICE = 3*N, STATE }; /* inputs */
enum { OFF, HOMING, READY, RUNNING, STOPPING, FAULT };       /* values of STATE, in the order of states.py */
enum { FOLLOWS, HOLDS, HOMES };                              /* who has the drives */
enum { NO_FAULT, NOT_FOLLOWED, RESTLESS, NOT_MEASURED, NO_END };

typedef struct {
    double integral[N], slope[N], before[N], known, violations;
    double pace[N], last[N], seen;    /* measured rates (m/s) */
    double zero[N], homed;            /* of the encoders (m), and whether it is known */
    double mode, fault, choice, failed;
    double taken;                     /* whether a controller takes over from the hold */
    double forces[N], bump[N];        /* last forces; what fades after a change of the law (N) */
    hold_t hold;
    homing_t homing;
} drive_memory_t;

typedef struct {
    generated geometry; /* axes -> q, passive */
    const double *geometry_h;
    generated targets; /* axes, rates -> q, qd of the actuators */
    const double *targets_h;
    generated control0; /* axes, rates, second, q, qd, integral, gains -> forces, error */
    const double *control0_h;
    generated control1;
    const double *control1_h;
    generated control2;
    const double *control2_h;
    generated control3;
    const double *control3_h;
    stepper_t *plant;
    void *plant_of;
    double *plant_u;
    const double *u, *x; /* inputs; states of the plant */
    const double *gains; /* of all controllers, one after another */
    const int64_t *gain_from, *position, *rate, *order; /* first gain; places of axes in x; actuators of plant_u */
    const double *increment, *ends, *rated, *force_step;
    const double *low, *high, *speed, *acceleration; /* limits of the machine */
    const double *unknown;                           /* positions (m) that the encoders show at their true zero */
    drive_memory_t *m;
    hold_law_t hold;
    homing_law_t home;
    int64_t ny; /* outputs of the plant */
    double dt, blend, shortest, longest, leg_speed, tracking, restless, fade;
} drive_loop_t;

static generated chosen(const drive_loop_t *d, int64_t k, const double **h)
{
    switch (k) {
    case 0:
        *h = d->control0_h;
        return d->control0;
    case 1:
        *h = d->control1_h;
        return d->control1;
    case 2:
        *h = d->control2_h;
        return d->control2;
    default:
        *h = d->control3_h;
        return d->control3;
    }
}

/* whether the platform or its reference breaks a limit of the machine */
static int violated(const drive_loop_t *d, const double *axes, const double *q, const double *before)
{
    const double little = 1e-9;
    int k;
    for (k = 0; k < N; k++) {
        const double x = axes[k], v = d->x[d->rate[k]];
        if (d->speed[k] == 0.0)
            continue; /* an axis that the platform does not have */
        if (!(x >= d->low[k] - little && x <= d->high[k] + little && fabs(v) <= d->speed[k]*(1.0 + little) + little))
            return 1;
        if (!(fabs(d->u[SECOND + k]) <= d->acceleration[k]*(1.0 + little) + little))
            return 1;
    }
    for (k = 2; k < N; k++)
        if (!(q[k] >= d->shortest && q[k] <= d->longest && fabs(q[k] - before[k]) <= d->leg_speed*d->dt*(1.0 + little)))
            return 1;
    return 0;
}

/* positions and their rates by the encoders */
static void measure(const drive_loop_t *d, const double *q, double *measured)
{
    drive_memory_t *m = d->m;
    int k;
    for (k = 0; k < N; k++) {
        measured[k] = d->increment[k]*rint(q[k]/d->increment[k]) + d->unknown[k] - m->zero[k];
        if (m->seen)
            m->pace[k] += d->blend*((measured[k] - m->last[k])/d->dt - m->pace[k]);
        m->last[k] = measured[k];
    }
    m->seen = 1.0;
}

/* forces of the chosen controller; returns the largest error. A fault is found before its forces are used. */
static double follow(const drive_loop_t *d, const double *measured, double *forces)
{
    drive_memory_t *m = d->m;
    const int64_t choice = (int64_t)(d->u[CHOICE] + 0.5);
    const int64_t which = choice < 0 ? 0 : choice < CONTROLLERS ? choice : CONTROLLERS - 1;
    double target[N], target_rate[N], rate[N], unused[N], error[N], largest = 0.0;
    const double *h, *wanted[2] = {d->u + AXES, d->u + RATES};
    double *to_target[2] = {target, target_rate}, *to_forces[2] = {forces, unused};
    const double *known[7] = {d->u + AXES, d->u + RATES, d->u + SECOND, measured, rate, m->integral,
                              d->gains + d->gain_from[which]};
    const generated control = chosen(d, which, &h);
    int k;
    if (which != (int64_t)m->choice)
        memset(m->integral, 0, sizeof m->integral); /* its unit belongs to the law */
    d->targets(wanted, to_target, d->targets_h);
    for (k = 0; k < N; k++) {
        error[k] = target[k] - measured[k];
        if (m->known)
            m->slope[k] += d->blend*((error[k] - m->before[k])/d->dt - m->slope[k]);
        m->before[k] = error[k];
        rate[k] = target_rate[k] - m->slope[k];
        largest = fabs(error[k]) > largest || error[k] != error[k] ? fabs(error[k]) : largest;
        if (fabs(m->slope[k]) > d->restless)
            m->fault = RESTLESS;
    }
    if (largest > d->tracking)
        m->fault = NOT_FOLLOWED;
    control(known, to_forces, h);
    for (k = 0; k < N; k++) {
        const double end = d->ends[k];
        if (!isfinite(forces[k]) || !isfinite(error[k]))
            m->fault = NOT_MEASURED;
        if (m->taken || (m->known && which != (int64_t)m->choice))
            m->bump[k] = m->forces[k] - hold_clip(forces[k], end);
        if (forces[k] == hold_clip(forces[k], end))
            m->integral[k] += d->dt*error[k];
        forces[k] += m->bump[k];
    }
    m->known = 1.0, m->taken = 0.0, m->choice = (double)which;
    return largest;
}

/* who has the drives in a state of the ride */
static int mode_of(const drive_loop_t *d)
{
    const drive_memory_t *m = d->m;
    const int state = (int)(d->u[STATE] + 0.5);
    if (state == OFF || state == FAULT || m->fault)
        return HOLDS;
    return m->homed ? FOLLOWS : state == HOMING ? HOMES : HOLDS;
}

static void change_mode(drive_loop_t *d, int mode, const double *measured)
{
    drive_memory_t *m = d->m;
    if (mode == FOLLOWS) {
        m->known = 0.0, m->taken = 1.0;
        memset(m->slope, 0, sizeof m->slope);
        memset(m->integral, 0, sizeof m->integral);
    } else {
        hold_begin(&m->hold, &d->hold, measured, m->pace);
        if (mode == HOMES)
            homing_begin(&m->homing, &d->home, measured);
    }
    memset(m->bump, 0, sizeof m->bump);
    m->mode = mode;
}

static void home(drive_loop_t *d, double *measured)
{
    drive_memory_t *m = d->m;
    int k;
    if (homing_step(&m->homing, &d->home, &m->hold, measured, d->dt))
        for (k = 0; k < N; k++)
            m->zero[k] += m->homing.shift[k], m->last[k] -= m->homing.shift[k];
    if ((int)m->homing.phase == AT_HOME)
        m->homed = 1.0;
    if ((int)m->homing.phase == LOST)
        m->fault = NO_END;
}

int64_t integrate(drive_loop_t *d, int64_t first, int64_t n, int64_t every, double *path, int *status)
{
    drive_memory_t *m = d->m;
    const int state = (int)(d->u[STATE] + 0.5);
    double axes[N], q[N], passive[2*N], after[N], measured[N], forces[N], largest = 0.0;
    const double *from_axes[1] = {axes};
    int k, mode;
    for (k = 0; k < N; k++)
        axes[k] = d->x[d->position[k]];
    d->geometry(from_axes, (double *[2]){q, passive}, d->geometry_h);
    measure(d, q, measured);
    if (state == FAULT)
        m->failed = 1.0;
    else if (m->failed) /* a reset: the position counts as unknown */
        m->failed = 0.0, m->homed = 0.0, m->fault = NO_FAULT;
    mode = mode_of(d);
    if (mode != (int)m->mode)
        change_mode(d, mode, measured);
    if (mode == FOLLOWS) {
        largest = follow(d, measured, forces);
        if (m->fault)
            change_mode(d, mode = HOLDS, measured);
    }
    if (mode == HOMES)
        home(d, measured);
    if (mode == HOLDS)
        hold_brake(&m->hold, d->dt);
    if (mode != FOLLOWS)
        hold_forces(&m->hold, &d->hold, mode == HOMES ? d->home.push : d->rated, measured, m->pace, d->dt, forces);
    for (k = 0; k < N; k++) {
        forces[k] = d->force_step[k]*rint(hold_clip(forces[k], d->ends[k])/d->force_step[k]);
        d->plant_u[d->order[k]] = forces[k];
        m->forces[k] = forces[k];
        m->bump[k] *= d->fade;
    }
    d->plant(d->plant_of, first, n, every, path, status);
    memcpy(path + d->ny, forces, sizeof forces);
    for (k = 0; k < N; k++)
        axes[k] = d->x[d->position[k]];
    d->geometry(from_axes, (double *[2]){after, passive}, d->geometry_h);
    if (state == RUNNING || state == STOPPING)
        m->violations += violated(d, axes, after, q);
    path += d->ny + N;
    *path++ = largest, *path++ = m->violations;
    *path++ = m->mode, *path++ = m->fault, *path++ = m->homed, *path++ = m->fault == NO_END ? m->homing.axis : -1.0;
    return n;
}
