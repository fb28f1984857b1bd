/* the interval [axis[i], axis[i+1]] that contains x; the first and the last interval also cover what lies outside */
#ifndef RUNTIME_TABLE_H
#define RUNTIME_TABLE_H

#include "scalar.h"

static inline int piece(int n, const double *axis, double x)
{
    int low = 0, high = n - 1;
    while (high - low > 1) {
        const int middle = (low + high)/2;
        if (x < axis[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

static inline double table_slope_at(int n, const double *data, double x)
{
    const double *xs = data, *ys = data + n;
    const int i = piece(n, xs, x);
    return (ys[i + 1] - ys[i])/(xs[i + 1] - xs[i]);
}

static inline double table_at(int n, const double *data, double x)
{
    const int i = piece(n, data, x);
    return data[n + i] + table_slope_at(n, data, x)*(x - data[i]);
}

#if LANES > 1
static inline real table_each(double (*f)(int, const double *, double), int n, const double *data, real x)
{
    for (int k = 0; k < LANES; k++)
        x[k] = f(n, data, x[k]);
    return x;
}
#define table_at(n, data, x) table_each(table_at, n, data, REAL(x))
#define table_slope_at(n, data, x) table_each(table_slope_at, n, data, REAL(x))
#endif

#endif
