/* One step of Newton's method, x -= d. Returns the largest component of d relative to 1 + |x|. Returns NaN if a
   number is not finite or if the step is larger than 10 (rad, m), which happens at a singular position. */
#ifndef RUNTIME_CORRECT_H
#define RUNTIME_CORRECT_H

#include <math.h>

static inline double corrected(int n, const double *d, double *x)
{
    double largest = 0.0;
    int i;
    for (i = 0; i < n; i++) {
        if (!isfinite(d[i]))
            return NAN;
        largest = fmax(largest, fabs(d[i])/(1.0 + fabs(x[i])));
        x[i] -= d[i];
    }
    return largest < 10.0 ? largest : NAN;
}

#endif
