/* Declarations of sys/syscall.h that the real-time loop uses; the number depends on the processor. */
#ifndef TINY_SYSCALL_H
#define TINY_SYSCALL_H
#ifdef __x86_64__
#define SYS_gettid 186
#else
#define SYS_gettid 178
#endif
#endif
