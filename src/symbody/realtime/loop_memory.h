/* The block of memory that the real-time loop shares with its readers and writers, in this process or another.

   It is lock-free. Samples for the loop go through a mailbox (mailbox.h). The loop writes its records to a ring:
   first the next record, then the number of records. Readers copy records and then read that number again, to know
   which of them were overwritten in the meantime. */
#ifndef REALTIME_LOOP_MEMORY_H
#define REALTIME_LOOP_MEMORY_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* for clock_gettime in strict C99 */
#endif
#include <stdint.h>
#include <time.h>

#include "mailbox.h"

enum { BINS = 160, REFUSALS = 3, FAULTS = 12 };
enum { STOPPED, RUNNING, PAUSED, SAFE };
enum { STEP, TIME, WAKE, LATE, TOOK, STATE, FIRST }; /* a record: these numbers, then inputs and outputs */
enum { LATENCY, DURATION, OVERRUNS, HISTOGRAMS };

typedef struct {
    uint64_t count[BINS + 1]; /* the last counts all longer times */
    double sum, largest;
} histogram_t;

typedef struct {
    int64_t magic, size, pid, born, thread, rights; /* born: start time of the process, 0 if unknown */
    int64_t nsample, nu, ny, capacity;           /* numbers in a sample; inputs, outputs; records in the ring */
    int64_t text, length, samples, efforts, ring; /* offsets in bytes */
    double period, watchdog;                     /* s */
    int64_t state, fault, culprit; /* state of the loop; reason of its safe state; the input or output that caused it */
    double blamed;                 /* its value */
    int64_t heartbeat, head, steps;
    int64_t restarts, begun;        /* how often it restarted, and the number of the first step since */
    int64_t allowed, command, stop; /* steps that may be made (-1: any number); requests */
    double slow;                    /* wall time/model time */
    mailbox_t given;
    int64_t received, refused[REFUSALS], faults[FAULTS], clamped, capped, doubted, page_faults;
    double edges[BINS + 1]; /* s, edges of the bins; the first is zero */
    histogram_t histogram[HISTOGRAMS];
} block_t;

static inline double *at(const block_t *b, int64_t place)
{
    return (double *)((char *)b + place);
}

static inline int64_t clock_ns(void)
{
    struct timespec now;
#ifdef __APPLE__
    clock_gettime(CLOCK_UPTIME_RAW, &now);
#else
    clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    return (int64_t)now.tv_sec*1000000000 + now.tv_nsec;
}

/* -- the ring
   ---------------------------------------------------------------------------------------------------------- */

static inline int64_t record_size(const block_t *b)
{
    return FIRST + b->nu + b->ny;
}

static inline void publish(block_t *b, const double *record)
{
    const int64_t head = b->head, n = record_size(b);
    __atomic_thread_fence(__ATOMIC_RELEASE); /* a reader that sees a word of this record also sees this head */
    copy_words(n, record, at(b, b->ring) + n*(head % b->capacity));
    __atomic_store_n(&b->head, head + 1, __ATOMIC_RELEASE);
}

static inline int64_t records(const block_t *b)
{
    return __atomic_load_n(&b->head, __ATOMIC_ACQUIRE);
}

/* Copy n records from number `first` on. Returns how many of them, counted from the first, were overwritten
   meanwhile. */
static inline int64_t read_records(const block_t *b, int64_t first, int64_t n, double *to)
{
    const int64_t size = record_size(b);
    int64_t k, lost;
    for (k = 0; k < n; k++)
        copy_words(size, at(b, b->ring) + size*((first + k) % b->capacity), to + size*k);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    lost = __atomic_load_n(&b->head, __ATOMIC_RELAXED) - b->capacity + 1 - first;
    return lost < 0 ? 0 : lost < n ? lost : n;
}

/* Whether efforts may be output: the loop runs, and its heartbeat is younger than the watchdog time. */
static inline int alive(const block_t *b)
{
    return __atomic_load_n(&b->state, __ATOMIC_RELAXED) == RUNNING
           && clock_ns() - __atomic_load_n(&b->heartbeat, __ATOMIC_RELAXED) < 1e9*b->watchdog;
}

/* set efforts to zero: the outputs whose limit is a number */
static inline void let_go(const block_t *b, double *y)
{
    const double *limit = at(b, b->efforts);
    int64_t k;
    for (k = 0; k < b->ny; k++)
        if (limit[k] == limit[k])
            y[k] = 0.0;
}

/* -- histograms
   -------------------------------------------------------------------------------------------------------- */

static inline void count(block_t *b, int which, int64_t ns)
{
    histogram_t *h = b->histogram + which;
    const double s = 1e-9*ns;
    int low = 0, high = BINS + 1;
    while (high - low > 1) {
        const int middle = (low + high)/2;
        *(s < b->edges[middle] ? &high : &low) = middle;
    }
    h->count[low]++;
    h->sum += s;
    h->largest = s > h->largest ? s : h->largest;
}

#endif
