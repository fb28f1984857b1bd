/* What the real-time loop needs of unistd.h. */
#ifndef TINY_UNISTD_H
#define TINY_UNISTD_H
long syscall(long number, ...);
#endif
