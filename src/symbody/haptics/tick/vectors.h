/* Vectors, rotation matrices and unit quaternions in space. */
#ifndef HAPTICS_VECTORS_H
#define HAPTICS_VECTORS_H

#include <math.h>

#define PI 3.14159265358979323846 /* math.h of strict C99 has no M_PI */

static inline double dot3(const double *a, const double *b)
{
    return a[0]*b[0] + a[1]*b[1] + a[2]*b[2];
}

static inline void cross3(const double *a, const double *b, double *c)
{
    c[0] = a[1]*b[2] - a[2]*b[1];
    c[1] = a[2]*b[0] - a[0]*b[2];
    c[2] = a[0]*b[1] - a[1]*b[0];
}

static inline void minus3(const double *a, const double *b, double *c)
{
    int k;
    for (k = 0; k < 3; k++)
        c[k] = a[k] - b[k];
}

/* y = R x */
static inline void turn3(const double *R, const double *x, double *y)
{
    int k;
    for (k = 0; k < 3; k++)
        y[k] = R[3*k]*x[0] + R[3*k + 1]*x[1] + R[3*k + 2]*x[2];
}

/* y = R^T x */
static inline void unturn3(const double *R, const double *x, double *y)
{
    int k;
    for (k = 0; k < 3; k++)
        y[k] = R[k]*x[0] + R[3 + k]*x[1] + R[6 + k]*x[2];
}

/* x limited to +-limit */
static inline double clipped(double x, double limit)
{
    return x > limit ? limit : x < -limit ? -limit : x;
}

/* the rotation matrix of a unit quaternion */
static inline void rotation_of(const double *e, double *R)
{
    const double w = e[0], x = e[1], y = e[2], z = e[3];
    R[0] = 1 - 2*(y*y + z*z), R[1] = 2*(x*y - w*z), R[2] = 2*(x*z + w*y);
    R[3] = 2*(x*y + w*z), R[4] = 1 - 2*(x*x + z*z), R[5] = 2*(y*z - w*x);
    R[6] = 2*(x*z - w*y), R[7] = 2*(y*z + w*x), R[8] = 1 - 2*(x*x + y*y);
}

/* rotate a unit quaternion by an angular velocity in world axes for h: e + h/2 (0, w) o e, normalised */
static inline void spin(double *e, const double *w, double h)
{
    const double a = e[0], b = e[1], c = e[2], d = e[3];
    double size;
    int k;
    e[0] = a - 0.5*h*(w[0]*b + w[1]*c + w[2]*d);
    e[1] = b + 0.5*h*(w[0]*a + w[1]*d - w[2]*c);
    e[2] = c + 0.5*h*(w[1]*a + w[2]*b - w[0]*d);
    e[3] = d + 0.5*h*(w[2]*a + w[0]*c - w[1]*b);
    size = sqrt(e[0]*e[0] + e[1]*e[1] + e[2]*e[2] + e[3]*e[3]);
    for (k = 0; k < 4; k++)
        e[k] /= size;
}

/* the rotation vector (rad) from the attitude b to a, in world axes */
static inline void turn_between(const double *a, const double *b, double *r)
{
    double w = a[0]*b[0] + a[1]*b[1] + a[2]*b[2] + a[3]*b[3], size, factor;
    const double sign = w < 0.0 ? -1.0 : 1.0;
    int k;
    r[0] = sign*(-a[0]*b[1] + a[1]*b[0] - a[2]*b[3] + a[3]*b[2]);
    r[1] = sign*(-a[0]*b[2] + a[1]*b[3] + a[2]*b[0] - a[3]*b[1]);
    r[2] = sign*(-a[0]*b[3] - a[1]*b[2] + a[2]*b[1] + a[3]*b[0]);
    size = sqrt(dot3(r, r));
    factor = size > 1e-12 ? 2.0*atan2(size, fabs(w))/size : 2.0;
    for (k = 0; k < 3; k++)
        r[k] *= factor;
}

#endif
