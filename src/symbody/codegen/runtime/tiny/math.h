/* Declarations of math.h that generated code and the runtime use, for machines without headers. */
#ifndef TINY_MATH_H
#define TINY_MATH_H
#define INFINITY (1e308*1e308)
#define NAN (INFINITY - INFINITY)
#define M_PI 3.14159265358979323846
#define isfinite(x) ((x) - (x) == 0.0)
#define isnan(x) ((x) != (x))
#define isinf(x) (!isnan(x) && !isfinite(x))
#define signbit(x) (copysign(1.0, (x)) < 0.0)

double sin(double), cos(double), tan(double), asin(double), acos(double), atan(double), atan2(double, double);
double sinh(double), cosh(double), tanh(double), asinh(double), acosh(double), atanh(double);
double exp(double), exp2(double), expm1(double), log(double), log2(double), log10(double), log1p(double);
double sqrt(double), cbrt(double), hypot(double, double), pow(double, double), erf(double), erfc(double);
double fabs(double), fmin(double, double), fmax(double, double), fmod(double, double), fma(double, double, double);
double floor(double), ceil(double), round(double), trunc(double), rint(double), copysign(double, double);
#endif
