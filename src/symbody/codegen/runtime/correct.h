/* One step of Newton's method, x -= d. The largest component of d relative to 1 + |x|; NaN where a number is not finite
   or the step is a leap: in radians and metres, that comes from a singular position. */
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
