/* Dense matrices of a filter, row after row: products, and elimination with partial pivoting. */

/* C <- A B of n x n; rows of A may be sparse */
static void sparse_product(int64_t n, const double *A, const double *B, double *restrict C)
{
    int64_t i, j, k;
    for (i = 0; i < n; i++) {
        double *restrict row = C + n*i;
        for (j = 0; j < n; j++)
            row[j] = 0.0;
        for (k = 0; k < n; k++) {
            const double a = A[n*i + k], *b = B + n*k;
            if (a != 0.0)
                for (j = 0; j < n; j++)
                    row[j] += a*b[j];
        }
    }
}

/* C <- C + A B, A being rows x inner, B inner x columns; a, b and c numbers lie from a row to the next. Tiles of 4 x 4 stay
   in registers, so that a number that is read is used four times. */
static void add_product(int64_t rows, int64_t inner, int64_t columns, const double *A, int64_t a, const double *B, int64_t b,
                        double *restrict C, int64_t c)
{
    const int64_t whole = rows - rows % 4, wide = columns - columns % 4;
    int64_t i, j, k, p, q;
    for (i = 0; i < whole; i += 4) {
        const double *a0 = A + a*i, *a1 = a0 + a, *a2 = a1 + a, *a3 = a2 + a;
        for (j = 0; j < wide; j += 4) {
            double s0[4] = {0}, s1[4] = {0}, s2[4] = {0}, s3[4] = {0};
            for (k = 0; k < inner; k++) {
                const double *row = B + b*k + j;
                for (q = 0; q < 4; q++) {
                    s0[q] += a0[k]*row[q];
                    s1[q] += a1[k]*row[q];
                    s2[q] += a2[k]*row[q];
                    s3[q] += a3[k]*row[q];
                }
            }
            for (q = 0; q < 4; q++) {
                double *to = C + c*i + j + q;
                to[0] += s0[q];
                to[c] += s1[q];
                to[2*c] += s2[q];
                to[3*c] += s3[q];
            }
        }
        for (; j < columns; j++) {
            double s[4] = {0};
            for (k = 0; k < inner; k++) {
                const double x = B[b*k + j];
                s[0] += a0[k]*x;
                s[1] += a1[k]*x;
                s[2] += a2[k]*x;
                s[3] += a3[k]*x;
            }
            for (p = 0; p < 4; p++)
                C[c*(i + p) + j] += s[p];
        }
    }
    for (; i < rows; i++)
        for (k = 0; k < inner; k++) {
            const double x = A[a*i + k], *row = B + b*k;
            double *restrict to = C + c*i;
            for (j = 0; j < columns; j++)
                to[j] += x*row[j];
        }
}

/* C <- A B, all n x n */
static void product(int64_t n, const double *A, const double *B, double *C)
{
    memset(C, 0, n*n*sizeof *C);
    add_product(n, n, n, A, n, B, n, C, n);
}

static void swap(int64_t n, double *restrict a, double *restrict b)
{
    int64_t k;
    for (k = 0; k < n; k++) {
        const double x = a[k];
        a[k] = b[k];
        b[k] = x;
    }
}

static void subtract(int64_t n, double x, const double *restrict from, double *restrict to)
{
    int64_t k;
    for (k = 0; k < n; k++)
        to[k] -= x*from[k];
}

/* B <- A^-1 B, B being n x w; A is overwritten. 0 where A is singular */
static int solve(int64_t n, int64_t w, double *A, double *B)
{
    int64_t i, j, k;
    for (k = 0; k < n; k++) {
        int64_t best = k;
        for (i = k + 1; i < n; i++)
            if (fabs(A[n*i + k]) > fabs(A[n*best + k]))
                best = i;
        if (A[n*best + k] == 0.0)
            return 0;
        if (best != k) {
            swap(n, A + n*k, A + n*best);
            swap(w, B + w*k, B + w*best);
        }
        for (i = k + 1; i < n; i++) {
            const double x = A[n*i + k]/A[n*k + k];
            if (x == 0.0)
                continue;
            subtract(n - k, x, A + n*k + k, A + n*i + k);
            subtract(w, x, B + w*k, B + w*i);
        }
    }
    for (i = n - 1; i >= 0; i--) {
        const double pivot = A[n*i + i];
        for (k = i + 1; k < n; k++)
            if (A[n*i + k] != 0.0)
                subtract(w, A[n*i + k], B + w*k, B + w*i);
        for (j = 0; j < w; j++)
            B[w*i + j] /= pivot;
    }
    return 1;
}
