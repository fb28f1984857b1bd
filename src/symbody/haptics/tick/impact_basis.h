/* An orthonormal basis of the changes that contacts can make: A = L^-1 J^T = Q R, and the impulses of a change along
   Q. */
#ifndef HAPTICS_IMPACT_BASIS_H
#define HAPTICS_IMPACT_BASIS_H

#include <math.h>
#include <string.h>

#include "../../codegen/runtime/linear_algebra.h"
#include "scene.h"

static const double REDUNDANT = 1e-7; /* a column with a smaller remaining share depends on others */

/* L^-1 row^T, over the velocities of the group */
static inline void scaled_column(const scene_t *s, const row_t *row, int64_t n, double *column)
{
    const work_t *w = s->work;
    int64_t side;
    memset(column, 0, n*sizeof *column);
    for (side = 0; side < 2; side++)
        if (row->n[side]) {
            double *x = column + w->at[row->at[side]];
            memcpy(x, row->x[side], row->n[side]*sizeof *x);
            forward(row->n[side], w->L + row->at[side]*NV, x);
        }
}

/* pivoted Gram-Schmidt, each column twice: Q, and A = Q R in the order of pivots; returns the rank */
static inline int64_t orthonormal(work_t *w, int64_t n, int64_t c)
{
    double first[2*CONTACTS];
    int64_t i, j, k, r;
    for (j = 0; j < c; j++)
        w->order[j] = j, first[j] = dot_n(n, w->A[j], w->A[j]);
    for (r = 0; r < c && r < n; r++) {
        int64_t best = -1, chosen;
        double most = REDUNDANT*REDUNDANT, size, *q = w->Q[r];
        for (j = r; j < c; j++) {
            const double left = dot_n(n, w->A[w->order[j]], w->A[w->order[j]])/first[w->order[j]];
            if (left > most)
                most = left, best = j;
        }
        if (best < 0)
            break;
        chosen = w->order[best], w->order[best] = w->order[r], w->order[r] = chosen;
        memcpy(q, w->A[chosen], n*sizeof *q);
        for (k = 0; k < r; k++) { /* again: remove what rounding has left */
            const double along = dot_n(n, w->Q[k], q);
            for (i = 0; i < n; i++)
                q[i] -= along*w->Q[k][i];
        }
        size = sqrt(dot_n(n, q, q));
        for (i = 0; i < n; i++)
            q[i] /= size;
        w->R[r][chosen] = size;
        for (j = r + 1; j < c; j++) {
            double *a = w->A[w->order[j]];
            const double along = w->R[r][w->order[j]] = dot_n(n, q, a);
            for (i = 0; i < n; i++)
                a[i] -= along*q[i];
        }
    }
    return r;
}

/* the factor of R R^T for impulses of least norm; 0 if it is singular */
static inline int factor_impulses(work_t *w, int64_t c, int64_t rank)
{
    int64_t i, j, k;
    for (i = 0; i < rank; i++)
        for (k = 0; k <= i; k++) {
            double total = 0.0;
            for (j = i; j < c; j++) /* R is upper triangular in the order of pivots */
                total += w->R[i][w->order[j]]*w->R[k][w->order[j]];
            w->M[i*rank + k] = total;
        }
    return cholesky(rank, w->M);
}

/* impulses (N s) of least norm by column, p = R^T (R R^T)^-1 along */
static inline void least_impulses(const work_t *w, int64_t c, int64_t rank, const double *along, double *p)
{
    double x[DOF];
    int64_t i, j;
    memcpy(x, along, rank*sizeof *x);
    forward(rank, w->M, x);
    backward(rank, w->M, x);
    for (j = 0; j < c; j++)
        for (p[w->order[j]] = 0.0, i = 0; i < rank && i <= j; i++)
            p[w->order[j]] += w->R[i][w->order[j]]*x[i];
}

#endif
