/* Dense linear algebra with matrices stored row by row: products, P A = L U with partial pivoting, and A = L L^T.
   Nothing is allocated. */
#ifndef RUNTIME_LINEAR_ALGEBRA_H
#define RUNTIME_LINEAR_ALGEBRA_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* -- rows
   -------------------------------------------------------------------------------------------------------------- */

static inline double dot_n(int64_t n, const double *a, const double *b)
{
    double total = 0.0;
    int64_t k;
    for (k = 0; k < n; k++)
        total += a[k]*b[k];
    return total;
}

/* to <- to + x from */
static inline void add_row(int64_t n, double x, const double *restrict from, double *restrict to)
{
    int64_t k;
    for (k = 0; k < n; k++)
        to[k] += x*from[k];
}

static inline void swap_rows(int64_t n, double *restrict a, double *restrict b)
{
    int64_t k;
    for (k = 0; k < n; k++) {
        const double x = a[k];
        a[k] = b[k];
        b[k] = x;
    }
}

/* -- products
   ---------------------------------------------------------------------------------------------------------- */

/* C <- C + A B with A (rows x inner) and B (inner x columns); a, b and c are the distances from a row to the next.
   Tiles of 4 x 4 stay in registers, so that each number is read once for four products. They are written out because
   compilers keep small arrays in memory. */
static inline void add_product(int64_t rows, int64_t inner, int64_t columns, const double *A, int64_t a, const double *B,
                               int64_t b, double *restrict C, int64_t c)
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
        for (k = 0; k < inner; k++)
            add_row(columns, A[a*i + k], B + b*k, C + c*i);
}

/* C <- A B, all n x n */
static inline void matrix_product(int64_t n, const double *A, const double *B, double *C)
{
    memset(C, 0, n*n*sizeof *C);
    add_product(n, n, n, A, n, B, n, C, n);
}

/* -- P A = L U
   --------------------------------------------------------------------------------------------------------- */

enum { PANEL = 8 }; /* columns that are eliminated together, so that the rest of the matrix is updated by a product */

/* A <- L and U of P A = L U, the diagonal of L being one; pivots[k] is the row that was swapped with row k. Both
   factors are stored negative off the diagonal, so that substitutions add. 0 if no pivot is larger than `least`. */
static inline int lu(int64_t n, double *A, int64_t *pivots, double least)
{
    int64_t i, j, k, first, end;
    for (first = 0; first < n; first = end) {
        end = first + PANEL < n ? first + PANEL : n;
        for (k = first; k < end; k++) {
            int64_t best = k;
            for (i = k + 1; i < n; i++)
                if (fabs(A[n*i + k]) > fabs(A[n*best + k]))
                    best = i;
            if (!(fabs(A[n*best + k]) > least))
                return 0;
            pivots[k] = best;
            if (best != k)
                swap_rows(n, A + n*k, A + n*best);
            for (i = k + 1; i < n; i++)
                if (A[n*i + k] != 0.0) { /* banded matrices have many zeros */
                    A[n*i + k] /= -A[n*k + k];
                    add_row(end - k - 1, A[n*i + k], A + n*k + k + 1, A + n*i + k + 1);
                }
        }
        if (end == n)
            break;
        for (k = first; k < end; k++)
            for (i = k + 1; i < end; i++)
                add_row(n - end, A[n*i + k], A + n*k + end, A + n*i + end);
        add_product(n - end, end - first, n - end, A + n*end + first, n, A + n*first + end, n, A + n*end + end, n);
    }
    for (i = 0; i < n; i++)
        for (j = i + 1; j < n; j++)
            A[n*i + j] = -A[n*i + j];
    return 1;
}

/* B <- A^-1 B for B (n x w), from the factors and pivots of lu */
static inline void lu_solve(int64_t n, int64_t w, const double *A, const int64_t *pivots, double *B)
{
    int64_t i, j, k, first, end;
    for (k = 0; k < n; k++)
        if (pivots[k] != k)
            swap_rows(w, B + w*k, B + w*pivots[k]);
    for (first = 0; first < n; first = end) {
        end = first + PANEL < n ? first + PANEL : n;
        for (k = first; k < end; k++)
            for (i = k + 1; i < end; i++)
                add_row(w, A[n*i + k], B + w*k, B + w*i);
        add_product(n - end, end - first, w, A + n*end + first, n, B + w*first, w, B + w*end, w);
    }
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
}

/* b <- A^-1 b for one right side. Each sum ends with the newest element of b, so that rows overlap in the processor. */
static inline void lu_solve_one(int64_t n, const double *A, const int64_t *pivots, double *b)
{
    int64_t i, j;
    for (i = 0; i < n; i++) {
        const double x = b[i];
        b[i] = b[pivots[i]];
        b[pivots[i]] = x;
    }
    for (i = 1; i < n; i++) {
        double sum = b[i];
        for (j = 0; j < i; j++)
            sum += A[n*i + j]*b[j];
        b[i] = sum;
    }
    for (i = n - 1; i >= 0; i--) {
        const double share = 1.0/A[n*i + i];
        double sum = b[i];
        for (j = n - 1; j > i; j--)
            sum += A[n*i + j]*b[j];
        b[i] = share*sum;
    }
}

/* b <- A^-1 b; A is overwritten. Equations may have different units, so each row is first divided by its largest
   element. 0 if A is then singular to rounding. */
static inline int solve_scaled(int64_t n, double *A, int64_t *pivots, double *b)
{
    static const double ROUNDING = 1e-14;
    int64_t i, j;
    for (i = 0; i < n; i++) {
        double *row = A + n*i, scale = 0.0;
        for (j = 0; j < n; j++)
            scale = fmax(scale, fabs(row[j]));
        for (j = 0; j < n; j++)
            row[j] /= scale;
        b[i] /= scale;
    }
    if (!lu(n, A, pivots, ROUNDING))
        return 0;
    lu_solve_one(n, A, pivots, b);
    return 1;
}

/* -- A = L L^T
   --------------------------------------------------------------------------------------------------------- */

/* the lower factor L in place of A; 0 if A is not positive definite */
static inline int cholesky(int64_t n, double *a)
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

/* x <- L^-1 x */
static inline void forward(int64_t n, const double *l, double *x)
{
    int64_t i;
    for (i = 0; i < n; i++)
        x[i] = (x[i] - dot_n(i, l + i*n, x))/l[i*n + i];
}

/* x <- L^-T x */
static inline void backward(int64_t n, const double *l, double *x)
{
    int64_t i, j;
    for (i = n - 1; i >= 0; i--) {
        x[i] /= l[i*n + i];
        for (j = 0; j < i; j++)
            x[j] -= l[i*n + j]*x[i];
    }
}

/* y = L x */
static inline void times_factor(int64_t n, const double *l, const double *x, double *y)
{
    int64_t i;
    for (i = 0; i < n; i++)
        y[i] = dot_n(i + 1, l + i*n, x);
}

/* y = L^T x */
static inline void times_transposed(int64_t n, const double *l, const double *x, double *y)
{
    int64_t i, j;
    for (i = 0; i < n; i++)
        for (y[i] = 0.0, j = i; j < n; j++)
            y[i] += l[j*n + i]*x[j];
}

#endif
