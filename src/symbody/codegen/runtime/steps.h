/* The interface of steppers: how they call generated functions, how they are called, and why a run of steps ends. */
#ifndef RUNTIME_STEPS_H
#define RUNTIME_STEPS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "generated.h"

/* Makes n steps from step `first` on and returns how many it made. Before every `every`-th step, outputs go to
   `path`. */
typedef int64_t stepper_t(void *of, int64_t first, int64_t n, int64_t every, double *path, int *status);
enum { DONE, NOT_FINITE, NEAR_SINGULAR, NOT_CONVERGED, BEYOND_LIMIT, ELSEWHERE, TOWARDS_SINGULAR, TOO_COARSE };

#endif
