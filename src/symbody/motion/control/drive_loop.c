/* Sampled tracking control of a platform, and the platform itself, as a stepper of the real-time loop (drive_loop.py).
   Before each step of the platform the encoders report whole increments, a filter differentiates the error, and a
   controller computes forces; the drives hold them for the step, in steps and within their peak force (as
   sampled_loop.py does). Nothing is allocated. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../../codegen/runtime/steps.h"

enum { N = 8, CONTROLLERS = 4 };
enum { AXES, RATES = N, SECOND = 2*N, CHOICE = 3*N }; /* inputs */

typedef struct {
    double integral[N], slope[N], before[N], known, violations;
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
    const double *increment, *ends, *force_step;
    const double *low, *high, *speed, *acceleration; /* limits of the machine */
    drive_memory_t *m;
    int64_t ny; /* outputs of the plant */
    double dt, blend, shortest, longest, leg_speed;
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

int64_t integrate(drive_loop_t *d, int64_t first, int64_t n, int64_t every, double *path, int *status)
{
    drive_memory_t *m = d->m;
    const int64_t choice = (int64_t)(d->u[CHOICE] + 0.5);
    const int64_t which = choice < 0 ? 0 : choice < CONTROLLERS ? choice : CONTROLLERS - 1;
    double axes[N], q[N], passive[2*N], target[N], target_rate[N], measured[N], rate[N], asked[N], unused[N], error[N];
    double forces[N], largest = 0.0;
    const double *h, *from_axes[1] = {axes}, *wanted[2] = {d->u + AXES, d->u + RATES};
    double *to_q[2] = {q, passive}, *to_target[2] = {target, target_rate}, *to_forces[2] = {asked, unused};
    const double *known[7] = {d->u + AXES, d->u + RATES, d->u + SECOND, measured, rate, m->integral,
                              d->gains + d->gain_from[which]};
    const generated control = chosen(d, which, &h);
    int k;
    for (k = 0; k < N; k++)
        axes[k] = d->x[d->position[k]];
    d->geometry(from_axes, to_q, d->geometry_h);
    d->targets(wanted, to_target, d->targets_h);
    for (k = 0; k < N; k++) {
        measured[k] = d->increment[k]*rint(q[k]/d->increment[k]);
        error[k] = target[k] - measured[k];
        if (m->known)
            m->slope[k] += d->blend*((error[k] - m->before[k])/d->dt - m->slope[k]);
        m->before[k] = error[k];
        rate[k] = target_rate[k] - m->slope[k];
        largest = fabs(error[k]) > largest || error[k] != error[k] ? fabs(error[k]) : largest;
    }
    control(known, to_forces, h);
    for (k = 0; k < N; k++) {
        const double end = d->ends[k];
        forces[k] = asked[k] > end ? end : asked[k] < -end ? -end : asked[k];
        if (forces[k] == asked[k])
            m->integral[k] += d->dt*error[k];
        forces[k] = d->force_step[k]*rint(forces[k]/d->force_step[k]);
        d->plant_u[d->order[k]] = forces[k];
    }
    m->known = 1.0;
    d->plant(d->plant_of, first, n, every, path, status);
    memcpy(path + d->ny, forces, sizeof forces);
    path[d->ny + N] = largest;
    for (k = 0; k < N; k++)
        axes[k] = d->x[d->position[k]];
    d->geometry(from_axes, (double *[2]){target, passive}, d->geometry_h);
    m->violations += violated(d, axes, target, q);
    path[d->ny + N + 1] = m->violations;
    return n;
}
