/* What the real-time loop needs of sys/syscall.h: the number is the processor's. */
#ifndef TINY_SYSCALL_H
#define TINY_SYSCALL_H
#ifdef __x86_64__
#define SYS_gettid 186
#else
#define SYS_gettid 178
#endif
#endif
