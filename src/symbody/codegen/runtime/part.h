/* The parts of a long function are not inlined: the compiler would need much longer for the whole. */
#ifndef RUNTIME_PART_H
#define RUNTIME_PART_H

#ifdef __GNUC__
#define APART __attribute__((noinline))
#else
#define APART
#endif
#ifdef SYMBODY_UNIT
#define PART APART
#else
#define PART static APART
#endif

#endif
