/* Dense matrices of a filter, row after row: products, and elimination with partial pivoting. */

/* C <- C + A B, A being rows x inner, B inner x columns; a, b and c numbers lie from a row to the next. Tiles of 4 x 4 stay
   in registers, so that a number that is read is used four times; written out, as compilers keep arrays in memory. */
static void add_product(int64_t rows, int64_t inner, int64_t columns, const double *A, int64_t a, const double *B, int64_t b,
                        double *restrict C, int64_t c)
{
    const int64_t whole = rows - rows % 4, wide = columns - columns % 4;
    int64_t i, j, k, p;
    for (i = 0; i < whole; i += 4) {
        const double *a0 = A + a*i, *a1 = a0 + a, *a2 = a1 + a, *a3 = a2 + a;
        for (j = 0; j < wide; j += 4) {
            const double *row = B + j;
            double *to = C + c*i + j;
            double p0 = 0.0, p1 = 0.0, p2 = 0.0, p3 = 0.0, q0 = 0.0, q1 = 0.0, q2 = 0.0, q3 = 0.0;
            double r0 = 0.0, r1 = 0.0, r2 = 0.0, r3 = 0.0, s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
            for (k = 0; k < inner; k++, row += b) {
                const double x = a0[k], y = a1[k], z = a2[k], w = a3[k], b0 = row[0], b1 = row[1], b2 = row[2], b3 = row[3];
                p0 += x*b0, p1 += x*b1, p2 += x*b2, p3 += x*b3;
                q0 += y*b0, q1 += y*b1, q2 += y*b2, q3 += y*b3;
                r0 += z*b0, r1 += z*b1, r2 += z*b2, r3 += z*b3;
                s0 += w*b0, s1 += w*b1, s2 += w*b2, s3 += w*b3;
            }
            to[0] += p0, to[1] += p1, to[2] += p2, to[3] += p3;
            to += c;
            to[0] += q0, to[1] += q1, to[2] += q2, to[3] += q3;
            to += c;
            to[0] += r0, to[1] += r1, to[2] += r2, to[3] += r3;
            to += c;
            to[0] += s0, to[1] += s1, to[2] += s2, to[3] += s3;
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

/* to <- to + x from */
static void add_row(int64_t n, double x, const double *restrict from, double *restrict to)
{
    int64_t k;
    for (k = 0; k < n; k++)
        to[k] += x*from[k];
}

enum { PANEL = 8 }; /* columns that are eliminated together, so that the rest is a product */

/* A <- factors of P A = L U, the rows of B swapped as those of A and multiplied by L^-1; L is kept negative. 0: singular */
static int eliminate(int64_t n, int64_t w, double *A, double *B)
{
    int64_t i, k, first, end;
    for (first = 0; first < n; first = end) {
        end = first + PANEL < n ? first + PANEL : n;
        for (k = first; k < end; k++) {
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
            for (i = k + 1; i < n; i++)
                if (A[n*i + k] != 0.0) {
                    A[n*i + k] /= -A[n*k + k];
                    add_row(end - k - 1, A[n*i + k], A + n*k + k + 1, A + n*i + k + 1);
                }
        }
        for (k = first; k < end; k++)
            for (i = k + 1; i < end; i++) {
                add_row(n - end, A[n*i + k], A + n*k + end, A + n*i + end);
                add_row(w, A[n*i + k], B + w*k, B + w*i);
            }
        add_product(n - end, end - first, n - end, A + n*end + first, n, A + n*first + end, n, A + n*end + end, n);
        add_product(n - end, end - first, w, A + n*end + first, n, B + w*first, w, B + w*end, w);
    }
    return 1;
}

/* B <- A^-1 B by elimination with partial pivoting, B being n x w; A is overwritten. 0 where A is singular */
static int solve(int64_t n, int64_t w, double *A, double *B)
{
    int64_t i, j, k, first, end;
    if (!eliminate(n, w, A, B))
        return 0;
    for (i = 0; i < n; i++)
        for (j = i + 1; j < n; j++)
            A[n*i + j] = -A[n*i + j];
    for (end = n; end > 0; end = first) {
        first = end > PANEL ? end - PANEL : 0;
        add_product(end - first, n - end, w, A + n*first + end, n, B + w*end, w, B + w*first, w);
        for (i = end - 1; i >= first; i--) {
            const double share = 1.0/A[n*i + i];
            for (k = i + 1; k < end; k++)
                add_row(w, A[n*i + k], B + w*k, B + w*i);
            for (j = 0; j < w; j++)
                B[w*i + j] *= share;
        }
    }
    return 1;
}
