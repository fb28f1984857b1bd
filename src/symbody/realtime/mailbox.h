/* A lock-free mailbox between one writer and one reader. It has three buffers: one of the writer, one of the reader,
   and one in the middle that both exchange. The reader gets the newest complete buffer. */
#ifndef REALTIME_MAILBOX_H
#define REALTIME_MAILBOX_H

#include <stdint.h>
#ifdef __TINYC__
#include <atomics.h>
#endif

enum { NEW = 4 }; /* flag beside the number of a buffer: not read yet */

typedef struct {
    int64_t middle, back, front;
} mailbox_t;

/* word by word and atomically, so that no word mixes two records */
static inline void copy_words(int64_t n, const double *from, double *to)
{
    const int64_t *a = (const int64_t *)from;
    int64_t *b = (int64_t *)to, k;
    for (k = 0; k < n; k++)
        __atomic_store_n(b + k, __atomic_load_n(a + k, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

/* write new content; `buffers` are three of `size` numbers each */
static inline void post(mailbox_t *m, double *buffers, int64_t size, const double *numbers)
{
    copy_words(size, numbers, buffers + size*m->back);
    m->back = __atomic_exchange_n(&m->middle, m->back | NEW, __ATOMIC_ACQ_REL) & ~NEW;
}

/* the newest buffer; NULL if nothing is new */
static inline double *collect(mailbox_t *m, double *buffers, int64_t size)
{
    if (!(__atomic_load_n(&m->middle, __ATOMIC_RELAXED) & NEW))
        return 0;
    m->front = __atomic_exchange_n(&m->middle, m->front, __ATOMIC_ACQ_REL) & ~NEW;
    return buffers + size*m->front;
}

#endif
