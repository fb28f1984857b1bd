/* What the real-time loop needs of sys/prctl.h. */
#ifndef TINY_PRCTL_H
#define TINY_PRCTL_H
#define PR_SET_TIMERSLACK 29
int prctl(int option, ...);
#endif
