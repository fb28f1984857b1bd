/* Declarations of sys/prctl.h that the real-time loop uses. */
#ifndef TINY_PRCTL_H
#define TINY_PRCTL_H
#define PR_SET_TIMERSLACK 29
int prctl(int option, ...);
#endif
