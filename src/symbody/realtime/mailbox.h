/* A mailbox between one who writes and one who reads, of which neither ever waits: three buffers, one of the writer, one of
   the reader, and one between them that both exchange. The reader has the newest whole one. */
#include <stdint.h>
#ifdef __TINYC__
#include <atomics.h>
#endif

enum { NEW = 4 }; /* beside the number of a buffer: not read yet */

typedef struct {
    int64_t middle, back, front;
} mailbox_t;

/* word by word, so that no word is ever half of one record and half of another */
static inline void copy_words(int64_t n, const double *from, double *to)
{
    const int64_t *a = (const int64_t *)from;
    int64_t *b = (int64_t *)to, k;
    for (k = 0; k < n; k++)
        __atomic_store_n(b + k, __atomic_load_n(a + k, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

/* a new content; `buffers` are three of `size` numbers each */
static inline void post(mailbox_t *m, double *buffers, int64_t size, const double *numbers)
{
    copy_words(size, numbers, buffers + size*m->back);
    m->back = __atomic_exchange_n(&m->middle, m->back | NEW, __ATOMIC_ACQ_REL) & ~NEW;
}

/* the newest buffer; null where nothing has come since the last look */
static inline double *collect(mailbox_t *m, double *buffers, int64_t size)
{
    if (!(__atomic_load_n(&m->middle, __ATOMIC_RELAXED) & NEW))
        return 0;
    m->front = __atomic_exchange_n(&m->middle, m->front, __ATOMIC_ACQ_REL) & ~NEW;
    return buffers + size*m->front;
}
