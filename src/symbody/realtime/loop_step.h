/* A step of the real-time loop, its checks, and the state of the loop that follows. */
#ifndef REALTIME_LOOP_STEP_H
#define REALTIME_LOOP_STEP_H

#include "loop.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../codegen/runtime/steps.h"
#include "loop_memory.h"

static inline void restart(const loop_t *l)
{
    const double *from = l->start;
    int64_t k;
    for (k = 0; k < l->nkept; from += l->sizes[k++])
        memcpy(l->kept[k], from, l->sizes[k]*sizeof *from);
}

/* The sub-steps of a step: in one call, or one by one if measured motion changes between them. Outputs are of the
   first. */
static inline int advance(loop_t *l, int64_t step)
{
    const int64_t n = l->substeps, some = l->ntracked ? 1 : n;
    int status = DONE;
    int64_t k;
    *l->capped = 0;
    for (k = 0; k < n && status == DONE; k += some) {
        if (k)
            track(l);
        ((stepper_t *)l->stepper)(l->of, n*step + k, some, n, l->y, &status);
    }
    return status;
}

static inline int fail(loop_t *l, int fault, int64_t culprit, double value)
{
    block_t *b = l->block;
    b->culprit = culprit;
    b->blamed = value;
    b->faults[fault]++;
    l->calm = 0;
    __atomic_store_n(&b->fault, fault, __ATOMIC_RELEASE);
    return 0;
}

/* One step, with its outputs written to the record. 0 if it failed; the record then keeps the outputs before. */
static inline int make_step(loop_t *l)
{
    block_t *b = l->block;
    const double *limit = at(b, b->efforts);
    int64_t k;
    int status;
    set_inputs(l);
    for (k = 0; k < b->nu; k++) /* if not measured: the last measured value */
        l->record[FIRST + k] = isfinite(l->u[k]) ? l->u[k] : l->record[FIRST + k];
    status = advance(l, b->steps - b->begun); /* laws of time begin again with the state */
    b->capped += *l->capped;
    b->doubted += *l->doubted;
    if (status != DONE)
        return fail(l, DIVERGED + status - NOT_FINITE, -1, NAN);
    for (k = 0; k < b->ny; k++) {
        const double y = l->y[k];
        if (!isfinite(y))
            return fail(l, DIVERGED, k, y);
        if (y < l->least[k] || y > l->most[k])
            return fail(l, OUTSIDE, k, y);
        if (fabs(y) > limit[k]) {
            l->y[k] = copysign(limit[k], y);
            b->clamped++;
        }
    }
    l->record[STEP] = b->steps;
    l->record[TIME] = b->steps*b->period;
    memcpy(l->record + FIRST + b->nu, l->y, b->ny*sizeof(double));
    b->steps++;
    return 1;
}

/* -- the state of the loop
   -------------------------------------------------------------------------------------------- */

static inline int fault_now(const loop_t *l, int64_t now, int64_t late)
{
    if (1e-9*late > l->slack)
        return OVERRUN;
    if (l->block->nsample && 1e-9*(now - l->stamp) > l->stale)
        return l->refusal ? (int)l->refusal : STALE;
    return 0;
}

/* whether a fault stays until it is cleared: it would return from the same state */
static inline int lasting(const loop_t *l)
{
    return l->policy == LATCH || (l->policy == HOLD && l->block->fault >= OUTSIDE);
}

static inline int64_t state_now(loop_t *l, int64_t command, int64_t allowed, int64_t now, int64_t late)
{
    block_t *b = l->block;
    const int fault = fault_now(l, now, late);
    l->calm = fault ? 0 : l->calm + 1;
    if (command != NOTHING || (b->fault && !lasting(l) && l->calm >= l->patience)) {
        if (command == BEGIN_AGAIN || (b->fault && l->policy == RESTART)) {
            restart(l);
            __atomic_store_n(&b->begun, b->steps, __ATOMIC_RELAXED);
            __atomic_store_n(&b->restarts, b->restarts + 1, __ATOMIC_RELEASE);
        }
        forget(l); /* old measurements do not count */
        l->anew = 1;
        __atomic_store_n(&b->fault, 0, __ATOMIC_RELEASE);
    }
    if (!b->fault && fault && allowed)
        fail(l, fault, fault < STALE ? l->suspect : -1, fault < STALE ? l->suspected : NAN);
    return b->fault ? SAFE : allowed ? RUNNING : PAUSED;
}

/* decrement the allowed steps, unless the number was changed in the meantime */
static inline void use_up(block_t *b)
{
    int64_t left = __atomic_load_n(&b->allowed, __ATOMIC_RELAXED);
    if (left > 0)
        __atomic_compare_exchange_n(&b->allowed, &left, left - 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

#endif
