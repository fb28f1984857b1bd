/* Products of vectors of six, stored component by component: M[i][j] = M[j][i] = a[i] . b[j] for the spans (i, first j,
   end of j). If the spans of two rows overlap, both rows are computed together: each b[j] is read once for both, and
   the mirrored values of both go to the same cache line. */
#ifndef RUNTIME_GRAM_H
#define RUNTIME_GRAM_H

#include "scalar.h"

static inline void one_row(int n, int i, int start, int end, const real *a, const real *b, real *M)
{
    const real a0 = a[i], a1 = a[n + i], a2 = a[2*n + i], a3 = a[3*n + i], a4 = a[4*n + i], a5 = a[5*n + i];
    real *restrict row = M + n*i;
    int j;
    for (j = start; j < end; j++)
        row[j] = (a0*b[j] + a1*b[n + j] + a2*b[2*n + j]) + (a3*b[3*n + j] + a4*b[4*n + j] + a5*b[5*n + j]);
    for (j = start; j < end; j++)
        M[n*j + i] = row[j];
}

static inline void two_rows(int n, int i, int k, int start, int end, const real *a, const real *b, real *M)
{
    const real a0 = a[i], a1 = a[n + i], a2 = a[2*n + i], a3 = a[3*n + i], a4 = a[4*n + i], a5 = a[5*n + i];
    const real c0 = a[k], c1 = a[n + k], c2 = a[2*n + k], c3 = a[3*n + k], c4 = a[4*n + k], c5 = a[5*n + k];
    real *restrict row = M + n*i, *restrict next = M + n*k;
    int j;
    for (j = start; j < end; j++) {
        const real b0 = b[j], b1 = b[n + j], b2 = b[2*n + j], b3 = b[3*n + j], b4 = b[4*n + j], b5 = b[5*n + j];
        row[j] = (a0*b0 + a1*b1 + a2*b2) + (a3*b3 + a4*b4 + a5*b5);
        next[j] = (c0*b0 + c1*b1 + c2*b2) + (c3*b3 + c4*b4 + c5*b5);
    }
    for (j = start; j < end; j++) {
        M[n*j + i] = row[j];
        M[n*j + k] = next[j];
    }
}

static inline void products(int n, int count, const int *spans, const real *restrict a, const real *restrict b, real *restrict M)
{
    const int *s = spans, *const last = spans + 3*count;
    while (s < last) {
        const int *const t = s + 3;
        const int start = t < last && t[1] > s[1] ? t[1] : s[1], end = t < last && t[2] < s[2] ? t[2] : s[2];
        if (t < last && start < end) {
            two_rows(n, s[0], t[0], start, end, a, b, M);
            one_row(n, s[0], s[1], start, a, b, M);
            one_row(n, s[0], end, s[2], a, b, M);
            one_row(n, t[0], t[1], start, a, b, M);
            one_row(n, t[0], end, t[2], a, b, M);
            s += 6;
        } else {
            one_row(n, s[0], s[1], s[2], a, b, M);
            s += 3;
        }
    }
}

/* The same for the lower half of M only, packed row by row: M[i(i + 1)/2 + j]. */
static inline void packed_products(int n, int count, const int *spans, const real *restrict a, const real *restrict b, real *restrict M)
{
    const int *s;
    int j;
    for (s = spans; s < spans + 3*count; s += 3) {
        const int i = s[0];
        const real a0 = a[i], a1 = a[n + i], a2 = a[2*n + i], a3 = a[3*n + i], a4 = a[4*n + i], a5 = a[5*n + i];
        real *restrict row = M + i*(i + 1)/2;
        for (j = s[1]; j < s[2]; j++)
            row[j] = (a0*b[j] + a1*b[n + j] + a2*b[2*n + j]) + (a3*b[3*n + j] + a4*b[4*n + j] + a5*b[5*n + j]);
    }
}

#endif
