/* A soft hold of eight actuators without a model of the platform (drive_loop.py): PID about references of their own, with
   the weight of the usual load. From any motion all of them brake together: each keeps its share of the speed, so that
   the platform stops along its path. */
#ifndef MOTION_HOLD_H
#define MOTION_HOLD_H

#include <math.h>
#include <string.h>

enum { ACTUATORS = 8 };

typedef struct {
    double place[ACTUATORS], rate[ACTUATORS], slower[ACTUATORS], integral[ACTUATORS]; /* slower: rate lost a second */
} hold_t;

typedef struct {
    const double *stiffness, *damping, *reset, *weight, *brake; /* N/m, N s/m, 1/s, N, m/s^2 */
} hold_law_t;

static inline double hold_clip(double x, double end)
{
    return x > end ? end : x < -end ? -end : x;
}

/* begin from positions and speeds (m, m/s): the longest stop sets the time of all */
static inline void hold_begin(hold_t *h, const hold_law_t *law, const double *q, const double *pace)
{
    double span = 0.0;
    int k;
    for (k = 0; k < ACTUATORS; k++) {
        h->place[k] = q[k];
        h->rate[k] = isfinite(pace[k]) ? pace[k] : 0.0;
        h->integral[k] = 0.0;
        span = fmax(span, fabs(h->rate[k])/law->brake[k]);
    }
    for (k = 0; k < ACTUATORS; k++)
        h->slower[k] = span > 0.0 ? h->rate[k]/span : 0.0;
}

static inline void hold_brake(hold_t *h, double dt)
{
    int k;
    for (k = 0; k < ACTUATORS; k++) {
        const double before = h->rate[k], less = h->slower[k]*dt;
        h->rate[k] = fabs(before) > fabs(less) ? before - less : 0.0;
        h->place[k] += 0.5*dt*(before + h->rate[k]);
    }
}

/* push: largest forces beside the weight (N) */
static inline void hold_forces(hold_t *h, const hold_law_t *law, const double *push, const double *q,
                               const double *pace, double dt, double *forces)
{
    int k;
    for (k = 0; k < ACTUATORS; k++) {
        const double e = h->place[k] - q[k];
        const double asked = law->stiffness[k]*(e + law->reset[k]*h->integral[k]) + law->damping[k]*(h->rate[k] - pace[k]);
        const double force = hold_clip(asked, push[k]);
        if (force == asked)
            h->integral[k] += dt*e;
        forces[k] = law->weight[k] + force;
    }
}

#endif
