/* choices for one state */
#ifndef RUNTIME_SELECT_H
#define RUNTIME_SELECT_H

#include <math.h>

#include "scalar.h"

#if LANES == 1
static inline real magnitude(real x) { return fabs(x); }
static inline real sign(real x) { return (real)((x > 0.0) - (x < 0.0)); }
static inline real min2(real a, real b) { return a <= b ? a : b; }
static inline real max2(real a, real b) { return a >= b ? a : b; }
static inline real less(real a, real b) { return (real)(a < b); }
static inline real less_equal(real a, real b) { return (real)(a <= b); }
static inline real where(real condition, real a, real b) { return condition != 0.0 ? a : b; }
#endif

#endif
