/* Declarations of sys/mman.h that the real-time loop uses, on 64-bit Linux. */
#ifndef TINY_MMAN_H
#define TINY_MMAN_H
#define MCL_CURRENT 1
#define MCL_ONFAULT 4
int mlockall(int flags);
#endif
