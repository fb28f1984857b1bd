/* Vectors of three numbers. */
#ifndef TERRAIN_VECTORS_H
#define TERRAIN_VECTORS_H

#include <math.h>

static inline double within(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static inline double dot(const double *a, const double *b)
{
    return a[0]*b[0] + a[1]*b[1] + a[2]*b[2];
}

static inline void cross(const double *a, const double *b, double *c)
{
    c[0] = a[1]*b[2] - a[2]*b[1], c[1] = a[2]*b[0] - a[0]*b[2], c[2] = a[0]*b[1] - a[1]*b[0];
}

static inline void unit(double *a)
{
    const double length = sqrt(dot(a, a));
    a[0] /= length, a[1] /= length, a[2] /= length;
}

#endif
