/* Declarations of unistd.h that the real-time loop uses. */
#ifndef TINY_UNISTD_H
#define TINY_UNISTD_H
long syscall(long number, ...);
#endif
