/* Declarations of sched.h that the real-time loop uses, on 64-bit Linux. */
#ifndef TINY_SCHED_H
#define TINY_SCHED_H
#define SCHED_FIFO 1
struct sched_param {
    int sched_priority, room[11]; /* musl has more fields */
};
typedef struct {
    unsigned long bits[16];
} cpu_set_t;
#define CPU_ZERO(set) (*(set) = (cpu_set_t){{0}})
#define CPU_SET(cpu, set) ((set)->bits[((cpu)/64) % 16] |= 1ul << (cpu) % 64)
#endif
