/* A thread that steps a system at a fixed rate, with shared memory for its inputs and outputs (loop_memory.h).

   Deadlines are absolute, anchor + k period, so that delays do not accumulate: after a late step the next begins at
   once. The thread allocates nothing, waits only for the clock, and never calls Python. In each period it takes new
   parameters and inputs, checks the inputs, filters measured motion, makes one step, checks the outputs, clamps
   efforts and publishes a record. After any fault it goes to the safe state, in which efforts are zero. */
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

#include "../codegen/runtime/steps.h"
#include "loop.h"
#include "loop_step.h"
#include "mailbox.h"
#include "loop_memory.h"

static const int64_t LOOK = 50000000; /* ns: how often commands are read during a long period */

/* -- time
   ------------------------------------------------------------------------------------------------------------- */

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

/* whether another pace than `slow` is requested */
static int is_repaced(const block_t *b, double slow)
{
    double asked;
    copy_words(1, &b->slow, &asked);
    return memcmp(&asked, &slow, sizeof slow) != 0;
}

/* Waits until a deadline, or until a stop or another pace is requested. Returns the time (ns). */
static int64_t wait_for(const loop_t *l, int64_t deadline, double slow)
{
    const int64_t wake = deadline - (int64_t)(1e9*l->spin);
    int64_t now;
    while ((now = clock_ns()) < deadline && !__atomic_load_n(&l->block->stop, __ATOMIC_RELAXED)
           && !is_repaced(l->block, slow)) {
        __atomic_store_n(&l->block->heartbeat, now, __ATOMIC_RELAXED);
        if (now < wake)
            sleep_until(wake < now + LOOK ? wake : now + LOOK);
    }
    __atomic_store_n(&l->block->heartbeat, now, __ATOMIC_RELAXED);
    return now;
}

/* -- the thread
   --------------------------------------------------------------------------------------------------------- */

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

static int64_t page_faults(void)
{
#ifdef RUSAGE_THREAD
    struct rusage used;
    getrusage(RUSAGE_THREAD, &used);
    return used.ru_minflt + used.ru_majflt;
#else
    return 0;
#endif
}

/* Block signals; make one step to load all memory that a step uses. */
static void prepare(loop_t *l)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, 0);
#ifdef __linux__
    prctl(PR_SET_TIMERSLACK, 1L); /* else Linux may wake the thread up to 50 us late, to save power */
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
    int64_t anchor, deadline, now, late, finished, k = 0, command, allowed, state, before = STOPPED;
    double slow = b->slow, period = 1e9*b->period*slow;
    int64_t touched;
    prepare(l);
    touched = page_faults();
    now = anchor = deadline = l->stamp = clock_ns();
    for (;;) {
        if (is_repaced(b, slow)) {
            copy_words(1, &b->slow, &slow);
            period = 1e9*b->period*slow, anchor = now < deadline ? now : deadline, k = 0;
        }
        deadline = anchor + (int64_t)(period*(double)++k);
        now = wait_for(l, deadline, slow);
        if (__atomic_load_n(&b->stop, __ATOMIC_ACQUIRE))
            break;
        if (now < deadline) /* another pace is requested */
            continue;
        late = now - deadline;
        count(b, LATENCY, late);
        command = __atomic_exchange_n(&b->command, NOTHING, __ATOMIC_ACQ_REL);
        allowed = __atomic_load_n(&b->allowed, __ATOMIC_ACQUIRE); /* before the sample, so that a sample given first is seen */
        take_parameters(l);
        take_sample(l, now);
        state = state_now(l, command, allowed, now, late);
        if (state == RUNNING) {
            use_up(b); /* first: who sees that the last step is made may allow further ones */
            state = make_step(l) ? RUNNING : SAFE;
        }
        if (state == RUNNING || state != before)
            show(l, state, now, late);
        before = state;
        finished = clock_ns();
        if (state == RUNNING)
            count(b, DURATION, finished - now);
        if (finished - deadline > period)
            count(b, OVERRUNS, finished - deadline - (int64_t)period);
        if (1e-9*late > l->slack) /* too late: do not try to catch up */
            anchor = deadline = finished, k = 0;
    }
    b->page_faults = page_faults() - touched;
    show(l, STOPPED, now, 0);
    return 0;
}

/* -- exported functions
   ----------------------------------------------------------------------------------------------- */

/* Start the thread, with real-time priority and on one processor if requested and allowed. Returns 0 or the error. */
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

/* Give a sample; behind its numbers there is room for its time stamp (ns; 0: now). */
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

/* The newest record, with zero efforts if the loop does not run; returns 0 if there is none yet. */
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
