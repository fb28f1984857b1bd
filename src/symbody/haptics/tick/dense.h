/* Small dense algebra, row by row: factors of symmetric matrices. */

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
