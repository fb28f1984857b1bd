/* Sines and cosines of a thread, without branches. A multiple k of pi/2 is subtracted in three pieces by fused
   multiply-adds; the polynomials are the minimax polynomials of fdlibm, as in sincos.h. An angle beyond BEYOND gives NaN.
   The single-precision text replaces the pieces and the polynomials (SINGLE). */
DEVICE static INLINE void sine_cosine(double x, double *s, double *c)
{
    const double k = rint(x*0.63661977236758134308);
    const int q = (int)k;
#ifdef SINGLE
    const double r = fma(-k, 5.3903029534742384e-15, fma(-k, -4.37113900018624283e-8, fma(-k, 1.57079637050628662109375, x)));
    const double z = r*r;
    const double sr = r + r*z*(-0.16666654611 + z*(8.3321608736e-3 - z*1.9515295891e-4));
    const double cr = 1.0 - 0.5*z + z*z*(4.166664568298827e-2 + z*(-1.388731625493765e-3 + z*2.443315711809948e-5));
#else
    const double r = fma(-k, -1.4973849048591833e-33, fma(-k, 6.123233995736766e-17, fma(-k, 1.5707963267948966, x)));
    const double z = r*r, z2 = z*z;
    const double ps = (-1.66666666666666324348e-01 + z*8.33333333332248946124e-03)
        + z2*((-1.98412698298579493134e-04 + z*2.75573137070700676789e-06)
        + z2*(-2.50507602534068634195e-08 + z*1.58969099521155010221e-10));
    const double pc = (4.16666666666666019037e-02 - z*1.38888888888741095749e-03)
        + z2*((2.48015872894767294178e-05 - z*2.75573143513906633035e-07)
        + z2*(2.08757232129817482790e-09 - z*1.13596475577881948265e-11));
    const double sr = r + r*z*ps, cr = (1.0 - 0.5*z) + z2*pc;
#endif
    const double a = q & 1 ? cr : sr, b = q & 1 ? sr : cr, far = fabs(x) < BEYOND ? 0.0 : NAN;
    *s = (q & 2 ? -a : a) + far;
    *c = ((q + 1) & 2 ? -b : b) + far;
}

DEVICE static INLINE void sines_cosines(int n, const double *angles, double *sines, double *cosines)
{
    EACH(i, n)
        sine_cosine(angles[i], sines + i, cosines + i);
}

/* the compiler computes what a sine and a cosine of the same angle have in common once */
DEVICE static INLINE double sine(double x)
{
    double s, c;
    sine_cosine(x, &s, &c);
    return s;
}

DEVICE static INLINE double cosine(double x)
{
    double s, c;
    sine_cosine(x, &s, &c);
    return c;
}
