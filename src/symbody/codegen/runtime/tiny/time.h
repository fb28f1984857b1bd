/* Declarations of time.h that the real-time loop uses, on 64-bit Linux. */
#ifndef TINY_TIME_H
#define TINY_TIME_H
#ifndef __linux__
#error "threads and clocks are declared for Linux only"
#endif
#define CLOCK_MONOTONIC 1
#define TIMER_ABSTIME 1
struct timespec {
    long tv_sec, tv_nsec;
};
int clock_gettime(int clock, struct timespec *now);
int clock_nanosleep(int clock, int flags, const struct timespec *until, struct timespec *left);
#endif
