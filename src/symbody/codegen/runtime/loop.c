/* A system stepped at a fixed rate by a thread of its own, over memory that it shares: see shared.h.

   Deadlines are absolute, anchor + k period, so that lateness never adds up: a late step is followed at once by the next.
   Nothing is allocated, nothing waited for but the clock, and Python is never called. Each period: parameters and inputs
   are taken where new ones have come, inputs are checked, measured motion is filtered, one step is made, outputs are
   checked, efforts clamped, a record published. Whatever goes wrong ends in the safe state, where efforts are zero. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "steps.h"

#include "shared.h"


enum { NOT_A_NUMBER = 1, OUT_OF_LIMITS, WRONG_CLOCK }; /* why a sample is refused */
/* why the loop is safe: a refusal, or one of these; the last three are the failures of steps.h in their order */
enum { STALE = WRONG_CLOCK + 1, OVERRUN, OUTSIDE, DIVERGED, SINGULAR, UNSOLVED };
enum { HOLD, RESTART, LATCH };        /* what becomes of the state after the safe state */
enum { NOTHING, CLEAR, BEGIN_AGAIN }; /* commands */
enum { PRIORITY = 1, LOCKED = 2, PINNED = 4 };
static const int64_t LOOK = 50000000; /* ns between looks at the commands while a long period is waited for */

typedef long stepper_t(void *of, long first, long n, long every, double *path, int *status);
typedef long ordered_t(void *of, int order, long first, long n, long every, double *path, int *status);

typedef struct {
    block_t *block;
    void *stepper, *of; /* a stepper's function and structure; steppers of several orders are told which */
    double *u;          /* where it reads its inputs */
    double **kept;      /* what it keeps from step to step, and sizes */
    const long *sizes;
    double *start;                           /* the same at the start, one behind the other */
    double *hoisted;                         /* three buffers of what depends on parameters */
    const long *fields;                      /* where in the structure the pointers into it are, in bytes */
    const long *places;                      /* where they point to */
    const double *low, *high, *least, *most; /* limits of the numbers of a sample, and of outputs */
    const long *target;                      /* for each number of a sample, the input that it is */
    const long *tracked;                     /* inputs q that are measured; their two derivatives follow them */
    const double *filters;                   /* for each, A and b of s <- A s + b z, s = (q, q', q'') */
    double *followed;                        /* s */
    double *sample, *y, *record;
    long order, nkept, nfields, nhoisted, ntracked, substeps, policy, patience, priority, core;
    double stale, slack, spin; /* s */
    mailbox_t parameters;
    int64_t stamp;               /* of the last good sample */
    long begun, refusal, suspect; /* whether a good sample came; why the last one was refused, and by which number */
    double suspected;            /* its value */
    long calm;                   /* periods without a fault */
    pthread_t thread;
} loop_t;

/* -- time ------------------------------------------------------------------------------------------------------------- */

static void sleep_until(int64_t when)
{
#ifdef __linux__
    const struct timespec t = {when/1000000000, when%1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, 0);
#else
    const int64_t left = when - clock_ns();
    const struct timespec t = {left/1000000000, left%1000000000};
    if (left > 0)
        nanosleep(&t, 0);
#endif
}

/* the time on waking at or after a deadline; earlier only where the loop is to stop */
static int64_t wait_for(const loop_t *l, int64_t deadline)
{
    const int64_t wake = deadline - (int64_t)(1e9*l->spin);
    int64_t now;
    while ((now = clock_ns()) < deadline && !__atomic_load_n(&l->block->stop, __ATOMIC_RELAXED)) {
        __atomic_store_n(&l->block->heartbeat, now, __ATOMIC_RELAXED);
        if (now < wake)
            sleep_until(wake < now + LOOK ? wake : now + LOOK);
    }
    __atomic_store_n(&l->block->heartbeat, now, __ATOMIC_RELAXED);
    return now;
}

/* -- what comes in ---------------------------------------------------------------------------------------------------- */

static void take_parameters(loop_t *l)
{
    const double *h = collect(&l->parameters, l->hoisted, l->nhoisted);
    long k;
    for (k = 0; h && k < l->nfields; k++)
        *(const double **)((char *)l->of + l->fields[k]) = h + l->places[k];
}

static long refused(loop_t *l, long why, long suspect, double suspected)
{
    l->block->refused[why - 1]++;
    l->suspect = suspect;
    l->suspected = suspected;
    return why;
}

static long check(loop_t *l, const double *z, int64_t stamp, int64_t now)
{
    const block_t *b = l->block;
    long k;
    if ((l->begun && stamp < l->stamp) || stamp > now + (int64_t)(1e9*b->period))
        return refused(l, WRONG_CLOCK, -1, 1e-9*(stamp - now));
    for (k = 0; k < b->nsample; k++)
        if (!isfinite(z[k]))
            return refused(l, NOT_A_NUMBER, k, z[k]);
        else if (z[k] < l->low[k] || z[k] > l->high[k])
            return refused(l, OUT_OF_LIMITS, k, z[k]);
    return 0;
}

static void follow(const double *filter, double z, double *s)
{
    const double before[3] = {s[0], s[1], s[2]}, *b = filter + 9;
    int i;
    for (i = 0; i < 3; i++)
        s[i] = filter[3*i]*before[0] + filter[3*i + 1]*before[1] + filter[3*i + 2]*before[2] + b[i]*z;
}

/* a new sample, if one has come and is good, and with it the inputs of this step */
static void take_inputs(loop_t *l, int64_t now)
{
    block_t *b = l->block;
    const double *z = collect(&b->given, at(b, b->samples), b->nsample + 1);
    int64_t stamp;
    long k;
    int anew = 0; /* for the first time, or after a gap: the past says nothing about velocities */
    if (z) {
        memcpy(&stamp, z + b->nsample, sizeof stamp);
        b->received++;
        l->refusal = check(l, z, stamp, now);
        if (!l->refusal) {
            anew = !l->begun || 1e-9*(stamp - l->stamp) > l->stale;
            l->begun = 1;
            l->stamp = stamp;
            memcpy(l->sample, z, b->nsample*sizeof *z);
        }
    }
    for (k = 0; k < b->nsample; k++)
        l->u[l->target[k]] = l->sample[k];
    for (k = 0; k < l->ntracked; k++) {
        double *q = l->u + l->tracked[k], *s = l->followed + 3*k;
        if (anew)
            s[0] = *q, s[1] = s[2] = 0.0;
        follow(l->filters + 12*k, *q, s);
        memcpy(q, s, 3*sizeof *s);
    }
}

/* -- a step ----------------------------------------------------------------------------------------------------------- */

static void restart(const loop_t *l)
{
    const double *from = l->start;
    long k;
    for (k = 0; k < l->nkept; from += l->sizes[k++])
        memcpy(l->kept[k], from, l->sizes[k]*sizeof *from);
}

static int advance(const loop_t *l, long step)
{
    const long n = l->substeps;
    int status = DONE;
    if (l->order)
        ((ordered_t *)l->stepper)(l->of, (int)l->order, n*step, n, n, l->y, &status);
    else
        ((stepper_t *)l->stepper)(l->of, n*step, n, n, l->y, &status);
    return status;
}

static int fail(loop_t *l, int fault, int64_t culprit, double value)
{
    block_t *b = l->block;
    b->culprit = culprit;
    b->blamed = value;
    b->faults[fault]++;
    l->calm = 0;
    __atomic_store_n(&b->fault, fault, __ATOMIC_RELEASE);
    return 0;
}

/* one step, its outputs into the record; 0 where it failed, and the record is the one before */
static int make_step(loop_t *l)
{
    block_t *b = l->block;
    const double *limit = at(b, b->efforts);
    const int status = advance(l, b->steps);
    int64_t k;
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
    memcpy(l->record + FIRST, l->u, b->nu*sizeof(double));
    memcpy(l->record + FIRST + b->nu, l->y, b->ny*sizeof(double));
    b->steps++;
    return 1;
}

/* -- the state of the loop -------------------------------------------------------------------------------------------- */

static int fault_now(const loop_t *l, int64_t now, int64_t late)
{
    if (1e-9*late > l->slack)
        return OVERRUN;
    if (l->block->nsample && 1e-9*(now - l->stamp) > l->stale)
        return l->refusal ? (int)l->refusal : STALE;
    return 0;
}

/* faults that would come again from the same state stay until somebody clears them */
static int lasting(const loop_t *l)
{
    return l->policy == LATCH || (l->policy == HOLD && l->block->fault >= OUTSIDE);
}

static int64_t state_now(loop_t *l, int64_t now, int64_t late)
{
    block_t *b = l->block;
    const int64_t command = __atomic_exchange_n(&b->command, NOTHING, __ATOMIC_ACQ_REL);
    const int64_t allowed = __atomic_load_n(&b->allowed, __ATOMIC_ACQUIRE);
    const int fault = fault_now(l, now, late);
    l->calm = fault ? 0 : l->calm + 1;
    if (command != NOTHING || (b->fault && !lasting(l) && l->calm >= l->patience)) {
        if (command == BEGIN_AGAIN || (b->fault && l->policy == RESTART))
            restart(l);
        __atomic_store_n(&b->fault, 0, __ATOMIC_RELEASE);
    }
    if (!b->fault && fault && allowed)
        fail(l, fault, fault < STALE ? l->suspect : -1, fault < STALE ? l->suspected : NAN);
    return b->fault ? SAFE : allowed ? RUNNING : PAUSED;
}

/* one of the steps that were allowed is used up, unless their number was changed meanwhile */
static void use_up(block_t *b)
{
    int64_t left = __atomic_load_n(&b->allowed, __ATOMIC_RELAXED);
    if (left > 0)
        __atomic_compare_exchange_n(&b->allowed, &left, left - 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static void show(loop_t *l, int64_t state, int64_t wake, int64_t late)
{
    block_t *b = l->block;
    if (state != RUNNING)
        let_go(b, l->record + FIRST + b->nu);
    l->record[WAKE] = 1e-9*wake;
    l->record[LATE] = 1e-9*late;
    l->record[TOOK] = 1e-9*(clock_ns() - wake);
    l->record[STATE] = state;
    publish(b, l->record);
    __atomic_store_n(&b->state, state, __ATOMIC_RELEASE);
}

static long page_faults(void)
{
#ifdef RUSAGE_THREAD
    struct rusage used;
    getrusage(RUSAGE_THREAD, &used);
    return used.ru_minflt + used.ru_majflt;
#else
    return 0;
#endif
}

/* Signals go to other threads; all that a step touches is touched once before time counts. */
static void prepare(loop_t *l)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, 0);
#ifdef __linux__
    prctl(PR_SET_TIMERSLACK, 1L); /* ordinary threads are woken up to 50 us late to save power */
    l->block->thread = syscall(SYS_gettid);
#endif
    advance(l, 0);
    restart(l);
#ifdef MCL_ONFAULT
    l->block->rights |= mlockall(MCL_CURRENT | MCL_ONFAULT) ? 0 : LOCKED;
#endif
}

static void *live(void *argument)
{
    loop_t *l = argument;
    block_t *b = l->block;
    int64_t anchor, deadline, now, late, finished, k = 0, state, before = STOPPED;
    double slow = b->slow, asked, period = 1e9*b->period*slow;
    long touched;
    prepare(l);
    touched = page_faults();
    anchor = deadline = l->stamp = clock_ns();
    for (;;) {
        __atomic_load(&b->slow, &asked, __ATOMIC_RELAXED);
        if (asked != slow)
            slow = asked, period = 1e9*b->period*slow, anchor = deadline, k = 0;
        deadline = anchor + (int64_t)(period*(double)++k);
        now = wait_for(l, deadline);
        if (__atomic_load_n(&b->stop, __ATOMIC_ACQUIRE))
            break;
        late = now - deadline;
        count(b, LATENCY, late);
        take_parameters(l);
        take_inputs(l, now);
        state = state_now(l, now, late);
        if (state == RUNNING) {
            state = make_step(l) ? RUNNING : SAFE;
            use_up(b);
        }
        if (state == RUNNING || state != before)
            show(l, state, now, late);
        before = state;
        finished = clock_ns();
        if (state == RUNNING)
            count(b, DURATION, finished - now);
        if (finished - deadline > period)
            count(b, OVERRUNS, finished - deadline - (int64_t)period);
        if (1e-9*late > l->slack) /* what is too late to be made up for is given up */
            anchor = deadline = finished, k = 0;
    }
    b->page_faults = page_faults() - touched;
    show(l, STOPPED, now, 0);
    return 0;
}

/* -- called from outside ---------------------------------------------------------------------------------------------- */

long loop_size(void)
{
    return sizeof(loop_t);
}

long block_size(void)
{
    return sizeof(block_t);
}

/* 0 where the thread runs, else the error; with real-time priority and on one processor where that is asked and allowed */
int loop_start(loop_t *l)
{
    const struct sched_param urgent = {.sched_priority = (int)l->priority};
    pthread_attr_t how;
    int failed = 1;
    pthread_attr_init(&how);
#ifdef __linux__
    if (l->core >= 0) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(l->core, &one);
        l->block->rights |= pthread_attr_setaffinity_np(&how, sizeof one, &one) ? 0 : PINNED;
    }
#endif
    if (l->priority > 0) {
        pthread_attr_setinheritsched(&how, PTHREAD_EXPLICIT_SCHED);
        pthread_attr_setschedpolicy(&how, SCHED_FIFO);
        pthread_attr_setschedparam(&how, &urgent);
        l->block->rights |= PRIORITY;
        failed = pthread_create(&l->thread, &how, live, l);
    }
    if (failed) {
        l->block->rights &= ~PRIORITY;
        pthread_attr_setinheritsched(&how, PTHREAD_INHERIT_SCHED);
        failed = pthread_create(&l->thread, &how, live, l);
    }
    pthread_attr_destroy(&how);
    return failed;
}

void loop_stop(loop_t *l)
{
    __atomic_store_n(&l->block->stop, 1, __ATOMIC_RELEASE);
    pthread_join(l->thread, 0);
}

void loop_parameters(loop_t *l, const double *hoisted)
{
    post(&l->parameters, l->hoisted, l->nhoisted, hoisted);
}

/* A sample, and behind its numbers room for the time (ns) it was taken at; 0: now. */
void block_give(block_t *b, double *sample, int64_t stamp)
{
    stamp = stamp ? stamp : clock_ns();
    memcpy(sample + b->nsample, &stamp, sizeof stamp);
    post(&b->given, at(b, b->samples), b->nsample + 1, sample);
}

int64_t block_records(const block_t *b)
{
    return records(b);
}

int64_t block_read(const block_t *b, int64_t first, int64_t n, double *to)
{
    return read_records(b, first, n, to);
}

int block_alive(const block_t *b)
{
    return alive(b);
}

/* The newest record, efforts zero where the loop does not run; 0 where there is none yet. */
int block_latest(const block_t *b, double *record)
{
    int64_t head;
    do {
        head = records(b);
        if (head == 0)
            return 0;
    } while (read_records(b, head - 1, 1, record));
    if (!alive(b))
        let_go(b, record + FIRST + b->nu);
    return 1;
}
