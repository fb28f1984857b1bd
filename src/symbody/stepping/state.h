/* Vectors, and the unit quaternions within a state. Part of symbody and of exported C. */
#ifndef STEPPING_STATE_H
#define STEPPING_STATE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline int finite_all(int64_t n, const double *x)
{
    double total = 0.0;
    int64_t k;
    for (k = 0; k < n; k++)
        total += x[k]*0.0;
    return total == 0.0;
}

/* y = x + c d */
static inline void add_to(int64_t n, const double *x, double c, const double *d, double *y)
{
    int64_t k;
    for (k = 0; k < n; k++)
        y[k] = x[k] + c*d[k];
}

/* normalise quaternions; `balls` has n pairs whose first number is the place in x where a quaternion begins */
static inline void normalise(int64_t n, const int64_t *balls, double *x)
{
    int64_t k, i;
    for (k = 0; k < n; k++) {
        double *e = x + balls[2*k], size = sqrt(e[0]*e[0] + e[1]*e[1] + e[2]*e[2] + e[3]*e[3]);
        for (i = 0; i < 4; i++)
            e[i] /= size;
    }
}

#endif
