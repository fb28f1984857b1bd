/* Small dense algebra, row by row: factors of symmetric matrices, and pseudo-inverses. */

/* the lower factor L of A = L L^T in its place; 0 where A is not positive */
static inline int factorise(int64_t n, double *a)
{
    int64_t i, j;
    for (i = 0; i < n; i++) {
        for (j = 0; j < i; j++)
            a[i*n + j] = (a[i*n + j] - dot_n(j, a + i*n, a + j*n))/a[j*n + j];
        a[i*n + i] -= dot_n(i, a + i*n, a + i*n);
        if (!(a[i*n + i] > 0.0))
            return 0;
        a[i*n + i] = sqrt(a[i*n + i]);
    }
    return 1;
}

/* L x = b */
static inline void forward(int64_t n, const double *l, double *x)
{
    int64_t i;
    for (i = 0; i < n; i++)
        x[i] = (x[i] - dot_n(i, l + i*n, x))/l[i*n + i];
}

/* L^T x = b */
static inline void backward(int64_t n, const double *l, double *x)
{
    int64_t i, j;
    for (i = n - 1; i >= 0; i--) {
        x[i] /= l[i*n + i];
        for (j = 0; j < i; j++)
            x[j] -= l[i*n + j]*x[i];
    }
}

/* y = L x and y = L^T x */
static inline void times_factor(int64_t n, const double *l, const double *x, double *y)
{
    int64_t i;
    for (i = 0; i < n; i++)
        y[i] = dot_n(i + 1, l + i*n, x);
}

static inline void times_transposed(int64_t n, const double *l, const double *x, double *y)
{
    int64_t i, j;
    for (i = 0; i < n; i++)
        for (y[i] = 0.0, j = i; j < n; j++)
            y[i] += l[j*n + i]*x[j];
}

/* the pseudo-inverse of a symmetric matrix of at most HAND rows, by Jacobi's rotations; eigenvalues below `share` of the
   largest count as zero. Gives the rank. */
static inline int64_t pseudo_inverse(int64_t n, const double *matrix, double share, double *inverse)
{
    double a[HAND*HAND], v[HAND*HAND], largest = 0.0;
    int64_t i, j, k, sweep, rank = 0;
    memcpy(a, matrix, n*n*sizeof *a);
    for (i = 0; i < n*n; i++)
        v[i] = i % (n + 1) == 0;
    for (sweep = 0; sweep < 30; sweep++) {
        double off = 0.0, on = 0.0;
        for (i = 0; i < n; i++)
            for (on += a[i*n + i]*a[i*n + i], j = 0; j < i; j++)
                off += a[i*n + j]*a[i*n + j];
        if (off <= 1e-30*on)
            break;
        for (i = 1; i < n; i++)
            for (j = 0; j < i; j++) {
                const double b = a[i*n + j];
                double t, c, s;
                if (b == 0.0)
                    continue;
                t = (a[i*n + i] - a[j*n + j])/(2.0*b);
                t = (t < 0.0 ? -1.0 : 1.0)/(fabs(t) + sqrt(1.0 + t*t));
                c = 1.0/sqrt(1.0 + t*t), s = c*t;
                for (k = 0; k < n; k++) {
                    const double p = a[k*n + j], q = a[k*n + i];
                    a[k*n + j] = c*p - s*q, a[k*n + i] = s*p + c*q;
                }
                for (k = 0; k < n; k++) {
                    const double p = a[j*n + k], q = a[i*n + k], x = v[j*n + k], y = v[i*n + k];
                    a[j*n + k] = c*p - s*q, a[i*n + k] = s*p + c*q;
                    v[j*n + k] = c*x - s*y, v[i*n + k] = s*x + c*y;
                }
            }
    }
    for (i = 0; i < n; i++)
        largest = fabs(a[i*n + i]) > largest ? fabs(a[i*n + i]) : largest;
    memset(inverse, 0, n*n*sizeof *inverse);
    for (k = 0; k < n; k++)
        if (a[k*n + k] > share*largest)
            for (rank++, i = 0; i < n; i++)
                for (j = 0; j < n; j++)
                    inverse[i*n + j] += v[k*n + i]*v[k*n + j]/a[k*n + k];
    return rank;
}
