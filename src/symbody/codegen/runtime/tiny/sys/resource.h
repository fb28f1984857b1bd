/* Declarations of sys/resource.h that the real-time loop uses, on 64-bit Linux. */
#ifndef TINY_RESOURCE_H
#define TINY_RESOURCE_H
#define RUSAGE_THREAD 1
struct rusage {
    long times[4], ru_maxrss, ru_ixrss, ru_idrss, ru_isrss, ru_minflt, ru_majflt, others[8], room[16];
};
int getrusage(int who, struct rusage *used);
#endif
