/* The data of the real-time loop, and its inputs: parameters, and samples that are checked and filtered. */
#ifndef REALTIME_LOOP_H
#define REALTIME_LOOP_H

#include "loop_memory.h" /* before the system's headers: it defines _GNU_SOURCE */

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "../codegen/runtime/steps.h"
#include "mailbox.h"

enum { NOT_A_NUMBER = 1, OUT_OF_LIMITS, WRONG_CLOCK }; /* reasons to refuse a sample */
/* reasons for the safe state: a refusal, or one of these; the last five are the failures of steps.h in their order */
enum { STALE = WRONG_CLOCK + 1, OVERRUN, OUTSIDE, DIVERGED, SINGULAR, UNSOLVED, BEYOND, LEAPT };
enum { HOLD, RESTART, LATCH };        /* how the loop continues after the safe state */
enum { NOTHING, CLEAR, BEGIN_AGAIN }; /* commands */
enum { PRIORITY = 1, LOCKED = 2, PINNED = 4 };

typedef struct {
    block_t *block;
    void *stepper, *of; /* function and structure of a stepper */
    double *u;          /* where the stepper reads its inputs */
    double **kept;      /* arrays that it keeps from step to step */
    const int64_t *sizes;
    double *start;                           /* their values at the start, one after the other */
    double *hoisted;                         /* three buffers of hoisted values, which depend on parameters */
    const double ***fields;                  /* addresses of the pointers into them */
    const int64_t *places;                   /* offsets that they point to */
    const double *low, *high, *least, *most; /* limits of the numbers of a sample, and of outputs */
    const int64_t *target;                   /* the input that each number of a sample sets */
    const int64_t *momentary;                /* whether it is used for one step only; then NaN means not measured */
    const int64_t *tracked;                  /* measured inputs q; their two derivatives follow in u */
    const double *filters;                   /* A and b of s <- A s + b z for each, s = (q, q', q'') */
    double *measured, *followed;             /* z and s */
    double *sample, *y, *record;
    int64_t *capped;        /* where the stepper counts its incomplete steps */
    const int64_t *doubted; /* where it flags its estimate as inconsistent */
    int64_t nkept, nfields, nhoisted, ntracked, substeps, policy, patience, priority, core;
    double stale, slack, spin; /* s */
    mailbox_t parameters;
    int64_t stamp;      /* time of the last good sample (ns) */
    int64_t begun, anew;   /* whether there was one; whether to restart the filters of measured motion */
    int64_t refusal, suspect; /* why the last sample was refused, and which of its numbers was wrong */
    double suspected;      /* the number */
    int64_t calm;          /* periods without a fault */
    pthread_t thread;
} loop_t;

/* -- inputs ------------------------------------------------------------------------------------------------------- */

static inline void take_parameters(loop_t *l)
{
    const double *h = collect(&l->parameters, l->hoisted, l->nhoisted);
    int64_t k;
    for (k = 0; h && k < l->nfields; k++)
        *l->fields[k] = h + l->places[k];
}

static inline int64_t refused(loop_t *l, int64_t why, int64_t suspect, double suspected)
{
    l->block->refused[why - 1]++;
    l->suspect = suspect;
    l->suspected = suspected;
    return why;
}

static inline int64_t check(loop_t *l, const double *z, int64_t stamp, int64_t now)
{
    const block_t *b = l->block;
    int64_t k;
    if ((l->begun && stamp < l->stamp) || stamp > now + (int64_t)(1e9*b->period))
        return refused(l, WRONG_CLOCK, -1, 1e-9*(stamp - now));
    for (k = 0; k < b->nsample; k++)
        if (l->momentary[k] && isnan(z[k]))
            continue;
        else if (!isfinite(z[k]))
            return refused(l, NOT_A_NUMBER, k, z[k]);
        else if (z[k] < l->low[k] || z[k] > l->high[k])
            return refused(l, OUT_OF_LIMITS, k, z[k]);
    return 0;
}

static inline void follow(const double *filter, double z, double *s)
{
    const double before[3] = {s[0], s[1], s[2]}, *b = filter + 9;
    int i;
    for (i = 0; i < 3; i++)
        s[i] = filter[3*i]*before[0] + filter[3*i + 1]*before[1] + filter[3*i + 2]*before[2] + b[i]*z;
}

/* take a new sample, if there is one and it is valid */
static inline void take_sample(loop_t *l, int64_t now)
{
    block_t *b = l->block;
    const double *z = collect(&b->given, at(b, b->samples), b->nsample + 1);
    int64_t stamp;
    if (!z)
        return;
    memcpy(&stamp, z + b->nsample, sizeof stamp);
    b->received++;
    l->refusal = check(l, z, stamp, now);
    if (l->refusal)
        return;
    if (!l->begun || 1e-9*(stamp - l->stamp) > l->stale)
        l->anew = 1;
    l->begun = 1;
    l->stamp = stamp;
    memcpy(l->sample, z, b->nsample*sizeof *z);
}

/* advance the filters of measured motion by one sub-step */
static inline void track(loop_t *l)
{
    int64_t k;
    for (k = 0; k < l->ntracked; k++) {
        double *s = l->followed + 3*k, z = l->measured[k];
        if (l->anew)
            s[0] = z, s[1] = s[2] = 0.0;
        follow(l->filters + 12*k, z, s);
        memcpy(l->u + l->tracked[k], s, 3*sizeof *s);
    }
    l->anew = 0;
}

/* momentary measurements are used only once */
static inline void forget(loop_t *l)
{
    int64_t k;
    for (k = 0; k < l->block->nsample; k++)
        if (l->momentary[k])
            l->sample[k] = NAN;
}

/* set the inputs of a step from the last good sample, with filtered motion */
static inline void set_inputs(loop_t *l)
{
    int64_t k;
    for (k = 0; k < l->block->nsample; k++)
        l->u[l->target[k]] = l->sample[k];
    for (k = 0; k < l->ntracked; k++)
        l->measured[k] = l->u[l->tracked[k]];
    track(l);
    forget(l);
}

#endif
