/* Declarations of pthread.h that the real-time loop uses, on 64-bit Linux. */
#ifndef TINY_PTHREAD_H
#define TINY_PTHREAD_H
#include <sched.h>
#include <stddef.h>
enum { PTHREAD_INHERIT_SCHED, PTHREAD_EXPLICIT_SCHED };
typedef unsigned long pthread_t;
typedef struct {
    unsigned long room[16]; /* larger than in any libc */
} pthread_attr_t;
int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*live)(void *), void *argument);
int pthread_join(pthread_t thread, void **result);
int pthread_attr_init(pthread_attr_t *how), pthread_attr_destroy(pthread_attr_t *how);
int pthread_attr_setinheritsched(pthread_attr_t *how, int inherit);
int pthread_attr_setschedpolicy(pthread_attr_t *how, int policy);
int pthread_attr_setschedparam(pthread_attr_t *how, const struct sched_param *param);
int pthread_attr_setaffinity_np(pthread_attr_t *how, size_t size, const cpu_set_t *set);
#endif
