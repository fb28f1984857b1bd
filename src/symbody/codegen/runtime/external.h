/* External functions y = f(x) that are not part of the equations. Slopes are central differences along x[j]; `below` is
   work space for the outputs. If f is missing, all outputs are NaN. */
#ifndef RUNTIME_EXTERNAL_H
#define RUNTIME_EXTERNAL_H

#include <math.h>

typedef void external(const double *x, double *y);

static inline void external_values(external *f, const double *x, int outputs, double *y)
{
    for (int i = 0; i < outputs; i++)
        y[i] = NAN;
    if (f)
        f(x, y);
}

static inline void external_slopes(external *f, double *x, int j, int outputs, double *y, double *below)
{
    const double step = 6e-6*(1.0 + fabs(x[j])), low = x[j] - step, high = x[j] + step;
    x[j] = low;
    external_values(f, x, outputs, below);
    x[j] = high;
    external_values(f, x, outputs, y);
    for (int i = 0; i < outputs; i++)
        y[i] = (y[i] - below[i])/(high - low);
}

#endif
