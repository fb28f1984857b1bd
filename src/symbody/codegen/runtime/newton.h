/* One step of Newton's method: J d = r is solved in place by elimination with partial pivoting, and d is taken from x.
   The largest component of d relative to 1 + |x|; NaN where J is singular or a number is not finite. */
static inline double newton_step(int n, double *r, double *J, double *x)
{
    int i, j, k;
    double largest = 0.0;
    for (i = 0; i < n; i++) { /* equations may differ in their units: the largest number of each row becomes one */
        double *row = J + n*i, scale = 0.0;
        for (j = 0; j < n; j++)
            scale = fmax(scale, fabs(row[j]));
        for (j = 0; j < n; j++)
            row[j] /= scale;
        r[i] /= scale;
    }
    for (k = 0; k < n; k++) {
        double *pivot = J + n*k, swap;
        int best = k;
        for (i = k + 1; i < n; i++)
            if (fabs(J[n*i + k]) > fabs(J[n*best + k]))
                best = i;
        if (!(fabs(J[n*best + k]) > 1e-14)) /* what is left is the rounding of a zero */
            return NAN;
        for (j = k; j < n; j++)
            swap = pivot[j], pivot[j] = J[n*best + j], J[n*best + j] = swap;
        swap = r[k], r[k] = r[best], r[best] = swap;
        for (i = k + 1; i < n; i++) {
            const double factor = J[n*i + k]/pivot[k];
            if (factor == 0.0) /* most, where a row of loops makes the matrix banded */
                continue;
            for (j = k + 1; j < n; j++)
                J[n*i + j] -= factor*pivot[j];
            r[i] -= factor*r[k];
        }
    }
    for (i = n - 1; i >= 0; i--) {
        for (j = i + 1; j < n; j++)
            r[i] -= J[n*i + j]*r[j];
        r[i] /= J[n*i + i];
        x[i] -= r[i];
        if (!isfinite(x[i]))
            return NAN;
        largest = fmax(largest, fabs(r[i])/(1.0 + fabs(x[i])));
    }
    return largest;
}
