/* Homing by stall detection in the real-time loop, with the laws of homing.py: one slider, the other, then all legs move
   slowly to their ends; ten successive reports that differ by less than a threshold are a stall. Then all actuators go
   to their neutral place together. The reference is that of a soft hold (hold.h). */
#ifndef MOTION_HOMING_H
#define MOTION_HOMING_H

#include <math.h>
#include <string.h>

#include "../control/hold.h"

enum { GROUPS = 3, RETURNING = GROUPS, AT_HOME, LOST };

typedef struct {
    double phase, ticks, reports, elapsed, span, axis; /* axis: the actuator that failed */
    double waiting[ACTUATORS], count[ACTUATORS], last[ACTUATORS], begun[ACTUATORS], shift[ACTUATORS], from[ACTUATORS];
} homing_t;

typedef struct {
    const double *pace, *low, *longest, *neutral; /* m/s, m */
    const double *quick, *push;                   /* m/s: speed of the return; N: largest force beside the weight */
    double report, stalled, starting, share, lead, arrived, patience; /* starting: s before stalls count */
} homing_law_t;

static inline int homing_group(int phase, int k)
{
    return phase == 0 ? k == 1 : phase == 1 ? k == 0 : k >= 2;
}

static inline void homing_phase(homing_t *h, const homing_law_t *law, const double *q, int phase)
{
    int k;
    h->phase = phase, h->ticks = 0.0, h->reports = 0.0;
    for (k = 0; k < ACTUATORS; k++) {
        h->waiting[k] = phase < GROUPS && homing_group(phase, k) && law->pace[k] > 0.0;
        h->count[k] = 0.0, h->last[k] = h->begun[k] = q[k];
    }
}

static inline void homing_begin(homing_t *h, const homing_law_t *law, const double *q)
{
    memset(h, 0, sizeof *h);
    homing_phase(h, law, q, 0);
}

static inline void homing_fail(homing_t *h, int k)
{
    h->phase = LOST, h->axis = k;
}

/* a report of the positions: which axes have stalled */
static inline void homing_report(homing_t *h, const homing_law_t *law, const double *q)
{
    int k;
    for (k = 0; k < ACTUATORS; k++) {
        const double least = law->share*law->report*law->pace[k];
        if (!h->waiting[k])
            continue;
        if (!isfinite(q[k]) || fabs(q[k] - h->begun[k]) > law->longest[k]) {
            homing_fail(h, k);
            return;
        }
        h->count[k] = h->reports*law->report < law->starting || fabs(q[k] - h->last[k]) >= least ? 0.0 : h->count[k] + 1.0;
        h->last[k] = q[k];
        if (h->count[k] >= law->stalled)
            h->waiting[k] = 0.0, h->shift[k] = q[k] - law->low[k];
    }
    h->reports += 1.0;
}

/* the way back begins: positions (m) are known from now on, less `shift` */
static inline void homing_return(homing_t *h, const homing_law_t *law, hold_t *hold, double *q)
{
    int k;
    h->span = 1e-3;
    for (k = 0; k < ACTUATORS; k++) {
        q[k] -= h->shift[k];
        hold->place[k] -= h->shift[k];
        h->from[k] = hold->place[k];
        hold->integral[k] = 0.0; /* of pressing */
        if (law->pace[k] > 0.0)
            h->span = fmax(h->span, 1.875*fabs(law->neutral[k] - h->from[k])/law->quick[k]); /* peak of the quintic */
    }
    homing_phase(h, law, q, RETURNING);
}

/* one sample; returns whether positions have become known, so that `shift` counts. q: positions (m) by the encoders */
static inline int homing_step(homing_t *h, const homing_law_t *law, hold_t *hold, double *q, double dt)
{
    const int phase = (int)h->phase;
    int k, left = 0;
    if (phase < GROUPS) {
        for (k = 0; k < ACTUATORS; k++) {
            hold->rate[k] = h->waiting[k] ? -law->pace[k] : 0.0;
            if (h->waiting[k]) /* no more than `lead` beyond an axis that does not move */
                hold->place[k] = q[k] + hold_clip(hold->place[k] + dt*hold->rate[k] - q[k], law->lead);
        }
        h->ticks += 1.0;
        if (h->ticks*dt > law->report - 0.5*dt) {
            h->ticks = 0.0;
            homing_report(h, law, q);
        }
        for (k = 0; k < ACTUATORS; k++)
            left |= h->waiting[k] > 0.0;
        if (h->phase == LOST || left)
            return 0;
        if (phase < GROUPS - 1) {
            homing_phase(h, law, q, phase + 1);
            return 0;
        }
        homing_return(h, law, hold, q);
        return 1;
    }
    if (phase == RETURNING) {
        const double x = fmin(h->elapsed/h->span, 1.0), s = x*x*x*(10.0 - 15.0*x + 6.0*x*x);
        const double rise = 30.0*x*x*(1.0 - x)*(1.0 - x)/h->span;
        int worst = -1;
        for (k = 0; k < ACTUATORS; k++) {
            const double far = law->neutral[k] - h->from[k];
            if (!(law->pace[k] > 0.0))
                continue;
            hold->place[k] = h->from[k] + s*far, hold->rate[k] = rise*far;
            if (!(fabs(law->neutral[k] - q[k]) < law->arrived))
                worst = k;
        }
        h->elapsed += dt;
        if (x >= 1.0 && worst < 0)
            h->phase = AT_HOME;
        else if (h->elapsed > h->span + law->patience)
            homing_fail(h, worst);
    }
    return 0;
}

#endif
