/* Built-in functions of gcc and clang that TinyCC lacks, for numbers of 64 bits, built from its own functions. */
#ifndef TINY_ATOMICS_H
#define TINY_ATOMICS_H
#include <stdint.h>
#define __ATOMIC_RELAXED 0
#define __ATOMIC_ACQUIRE 2
#define __ATOMIC_RELEASE 3
#define __ATOMIC_ACQ_REL 4
void atomic_thread_fence(int order);
static inline int64_t atomic_loaded(const int64_t *p, int order)
{
    int64_t x;
    __atomic_load((int64_t *)p, &x, order);
    return x;
}
static inline void atomic_stored(int64_t *p, int64_t x, int order) { __atomic_store(p, &x, order); }
static inline int64_t atomic_exchanged(int64_t *p, int64_t x, int order)
{
    int64_t before;
    __atomic_exchange(p, &x, &before, order);
    return before;
}
static inline int atomic_replaced(int64_t *p, int64_t *expected, int64_t x)
{
    return __atomic_compare_exchange(p, expected, &x, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}
#define __atomic_thread_fence atomic_thread_fence
#define __atomic_load_n atomic_loaded
#define __atomic_store_n atomic_stored
#define __atomic_exchange_n atomic_exchanged
#define __atomic_compare_exchange_n(p, expected, x, weak, order, failed) atomic_replaced(p, expected, x)
#endif
