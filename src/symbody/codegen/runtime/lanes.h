/* Several states at once: a `real` is a vector with one state in each lane. If the compiler has no vectors, this
   defines nothing, and the function computes one state after the other. */
#ifndef RUNTIME_LANES_H
#define RUNTIME_LANES_H

#include <math.h>
#include <stddef.h>

#ifdef __GNUC__
#ifdef SINGLE /* twice as many numbers, and functions of libm for them */
#define WIDER 2
#define FUNCTION(name) name##f
#else
#define WIDER 1
#define FUNCTION(name) name
#endif
#if defined(__AVX512F__)
#define LANES (8*WIDER)
#elif defined(__AVX__)
#define LANES (4*WIDER)
#else
#define LANES (2*WIDER)
#endif

typedef double real __attribute__((vector_size(sizeof(double)*LANES)));
typedef __typeof__((real){0} < (real){0}) mask;
#define REAL(x) ((x) - (real){0})

static inline real each(double (*f)(double), real x)
{
    for (int k = 0; k < LANES; k++)
        x[k] = f(x[k]);
    return x;
}

static inline real each2(double (*f)(double, double), real x, real y)
{
    for (int k = 0; k < LANES; k++)
        x[k] = f(x[k], y[k]);
    return x;
}

static inline real choose(mask m, real a, real b) { return (real)(((mask)a & m) | ((mask)b & ~m)); }
static inline real number(mask m) { return choose(m, REAL(1.0), REAL(0.0)); }
static inline real sign_of(real x) { return number(x > 0.0) - number(x < 0.0); }
static inline real smaller(real a, real b) { return choose(a <= b, a, b); }
static inline real larger(real a, real b) { return choose(a >= b, a, b); }

#define sqrt(x) each(FUNCTION(sqrt), REAL(x))
#define tan(x) each(FUNCTION(tan), REAL(x))
#define asin(x) each(FUNCTION(asin), REAL(x))
#define acos(x) each(FUNCTION(acos), REAL(x))
#define atan(x) each(FUNCTION(atan), REAL(x))
#define exp(x) each(FUNCTION(exp), REAL(x))
#define log(x) each(FUNCTION(log), REAL(x))
#define tanh(x) each(FUNCTION(tanh), REAL(x))
#define atan2(y, x) each2(FUNCTION(atan2), REAL(y), REAL(x))
#define pow(x, y) each2(FUNCTION(pow), REAL(x), REAL(y))
#define magnitude(x) each(FUNCTION(fabs), REAL(x))
#define sign(x) sign_of(REAL(x))
#define min2(a, b) smaller(REAL(a), REAL(b))
#define max2(a, b) larger(REAL(a), REAL(b))
#define less(a, b) number(REAL(a) < REAL(b))
#define less_equal(a, b) number(REAL(a) <= REAL(b))
#define where(c, a, b) choose(REAL(c) != 0.0, REAL(a), REAL(b))
#endif

#endif
