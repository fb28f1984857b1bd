/* What steppers and those who call them agree on: how generated functions are called, and why steps may end. */
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef void (*generated)(const double *const *in, double *const *out, const double *h);
enum { DONE, NOT_FINITE, NEAR_SINGULAR, NOT_CONVERGED, BEYOND_LIMIT, ELSEWHERE, TOWARDS_SINGULAR };
