/* Declarations of signal.h that the real-time loop uses, on 64-bit Linux. */
#ifndef TINY_SIGNAL_H
#define TINY_SIGNAL_H
#define SIG_BLOCK 0
typedef struct {
    unsigned long bits[16];
} sigset_t;
int sigfillset(sigset_t *set);
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before);
#endif
