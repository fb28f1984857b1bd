/* Sines and cosines of a whole array at once, without branches, so that the compiler can use its vector unit.
   A multiple k of pi/2 is subtracted from the angle, in three pieces, so that |r| <= pi/4. The first two pieces have 33
   bits, so that their products with k are exact, with or without fused multiply-add. The polynomials are the minimax
   polynomials of fdlibm. The error is below 2.5 units in the last place for |k| < 2^17; for larger angles, inf and NaN
   (|x| > 2e5) libm is called. */
#ifndef RUNTIME_SINCOS_H
#define RUNTIME_SINCOS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "scalar.h"

static inline uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline void sines_cosines(int n, const real *angles, real *sines, real *cosines)
{
    const double *restrict x = (const double *)angles;
    double *restrict s = (double *)sines, *restrict c = (double *)cosines;
    const double whole = 6755399441055744.0; /* 1.5 * 2^52: adding a number to it rounds that number to an integer */
    uint64_t outside = 0;
    int i;
    n *= LANES;
    for (i = 0; i < n; i++) {
        const double shifted = x[i]*0.63661977236758134308 + whole, k = shifted - whole;
        const double r = ((x[i] - k*1.57079632673412561417e+00) - k*6.07710050630396597660e-11)
            - k*2.02226624879595063154e-21;
        const double z = r*r, z2 = z*z;
        const double ps = (-1.66666666666666324348e-01 + z*8.33333333332248946124e-03)
            + z2*((-1.98412698298579493134e-04 + z*2.75573137070700676789e-06)
            + z2*(-2.50507602534068634195e-08 + z*1.58969099521155010221e-10));
        const double pc = (4.16666666666666019037e-02 - z*1.38888888888741095749e-03)
            + z2*((2.48015872894767294178e-05 - z*2.75573143513906633035e-07)
            + z2*(2.08757232129817482790e-09 - z*1.13596475577881948265e-11));
        const double sr = r + r*z*ps, cr = (1.0 - 0.5*z) + z2*pc;
        const uint64_t q = bits_of(shifted); /* its last bits are those of k: the quadrant */
        s[i] = from_bits(bits_of(q & 1 ? cr : sr) ^ (q & 2) << 62);
        c[i] = from_bits(bits_of(q & 1 ? sr : cr) ^ ((q + 1) & 2) << 62);
        outside |= q + 0x20000 - 0x4338000000000000; /* k + 2^17 has no bit above 17 while |k| < 2^17 */
    }
    for (i = 0; outside >> 18 && i < n; i++)
        if (!(fabs(x[i]) < 2e5)) {
            s[i] = sin(x[i]);
            c[i] = cos(x[i]);
        }
}

#endif
