/* How errors grow over a step, dz <- F dz + G dp: by the stability function of the model's steps, or by exp(A dt).
   See transition.py. */
#ifndef ESTIMATION_TRANSITION_H
#define ESTIMATION_TRANSITION_H

#include <math.h>
#include <string.h>

#include "../codegen/runtime/linear_algebra.h"
#include "filter_t.h"

/* [F G] <- R([A G; 0 0] dt), R(z) = sum c_k y^k being the stability function of the model's steps with y = 1/(1 -
   gamma z), or y = z if gamma is zero; G becomes (gamma) dt sum e_k Y^k G. A is overwritten. 0 if the result is not
   finite. Coordinates are eliminated, as their rates are the velocities: Y_q = I_q + h Y_v of Y = (I - h A)^-1. */
static inline int step_transition(filter_t *f)
{
    const int64_t n = f->n, m = f->m, nv = f->nv, nx = n - nv, w = n + m, degree = f->degree;
    const double *c = f->stability, *e = c + degree, h = f->gamma*f->dt;
    double *Y = f->A, *g = f->G, *S = f->N, *B = f->W, *square = f->V, *F = f->F, *next = f->power, *spare;
    double *T = f->T, *after = f->T + n*m, finite = 0.0;
    int64_t i, j, k;
    for (i = 0; h > 0.0 && i < nx; i++) { /* (I - h A_xx - h^2 A_xq) Y_x = (h A_xq, I, h G_x), x: velocities and states */
        const double *row = f->A + n*(nv + i);
        for (j = 0; j < nx; j++)
            S[nx*i + j] = (i == j) - h*(row[nv + j] + (j < nv ? h*row[j] : 0.0));
        for (j = 0; j < n; j++)
            B[w*i + j] = j < nv ? h*row[j] : (double)(i == j - nv);
        for (j = 0; j < m; j++)
            B[w*i + n + j] = h*f->G[m*(nv + i) + j];
    }
    if (h > 0.0) {
        if (!lu(nx, S, f->pivots, 0.0))
            return 0;
        lu_solve(nx, w, S, f->pivots, B);
    }
    for (i = 0; h > 0.0 && i < n; i++) {
        const double *row = B + w*(i < nv ? i : i - nv), share = i < nv ? h : 1.0;
        for (j = 0; j < n; j++)
            Y[n*i + j] = share*row[j] + (i < nv && i == j);
        for (j = 0; j < m; j++)
            g[m*i + j] = share*row[n + j];
    }
    for (i = 0; h == 0.0 && i < n*n; i++)
        Y[i] *= f->dt;
    for (i = 0; h == 0.0 && i < n*m; i++)
        g[i] *= f->dt;
    k = degree - 2 + degree % 2; /* Horner's scheme in Y^2, from c_k + c_k+1 Y (+ c_k+2 Y^2) on */
    if (degree > 1)
        matrix_product(n, Y, Y, square);
    for (i = 0; i < n*n; i++)
        F[i] = c[k + 1]*Y[i] + (degree % 2 ? 0.0 : c[k + 2]*square[i]);
    for (i = 0; i < n; i++)
        F[n*i + i] += c[k];
    while (k > 0) {
        k -= 2;
        matrix_product(n, F, square, next);
        for (i = 0; i < n*n; i++)
            next[i] += c[k + 1]*Y[i];
        for (i = 0; i < n; i++)
            next[n*i + i] += c[k];
        spare = F;
        F = next;
        next = spare;
    }
    if (F != f->F)
        memcpy(f->F, F, n*n*sizeof *F);
    for (i = 0; i < n*m; i++)
        T[i] = e[degree]*g[i];
    for (k = degree - 1; k > 0; k--) {
        for (i = 0; i < n*m; i++)
            after[i] = e[k]*g[i];
        add_product(n, n, m, Y, n, T, m, after, m);
        spare = T;
        T = after;
        after = spare;
    }
    memcpy(g, T, n*m*sizeof *g);
    for (i = 0; i < n; i++) /* a NaN or infinity in A reaches the diagonal */
        finite += 0.0*f->F[n*i + i];
    return finite == 0.0;
}

enum { LOWEST = 3, HIGHEST = 9, MOST_HALVINGS = 60, SWEEPS = 4 };
/* norms of X up to which Pade's approximants of exp(X) of degree 3, 5, 7, 9 have a relative backward error of 1e-11 */
static const double REACH[] = {0.1, 0.79, 2.1, 3.9};

/* powers of two d that balance rows and columns of D^-1 X D; starts from those of the last step */
static inline void balance(int64_t n, const double *X, double *d, double *inverse)
{
    int64_t k, j, sweep, changed = 1;
    for (k = 0; k < n; k++)
        inverse[k] = 1.0/d[k];
    for (sweep = 0; sweep < SWEEPS && changed; sweep++)
        for (changed = k = 0; k < n; k++) {
            double row = 0.0, column = 0.0;
            for (j = 0; j < n; j++)
                if (j != k) {
                    row += fabs(X[n*k + j])*d[j];
                    column += fabs(X[n*j + k])*inverse[j];
                }
            row *= inverse[k];
            column *= d[k];
            if (row > 0.0 && column > 0.0 && (row > 2.0*column || column > 2.0*row)) {
                d[k] *= exp2(rint(0.5*log2(row/column)));
                inverse[k] = 1.0/d[k];
                changed = 1;
            }
        }
}

/* [F G] <- [exp(A dt), (exp(A dt) - I) A^-1 G], the exponential of [A G; 0 0] dt, by Pade's approximant of A dt/2^k,
   squared k times; A is overwritten. 0 if the result is not finite */
static inline int exponential(filter_t *f)
{
    const int64_t n = f->n, m = f->m, w = n + m;
    double *X = f->A, *G = f->G, *both = f->T, *square = f->V, *power = f->V, *next = f->power, *even = f->W, *odd = f->F, *spare;
    double *d = f->scale, *inverse = f->d, size = 0.0, other = 0.0, factor = f->dt, c[HIGHEST + 1] = {1.0};
    int64_t i, j, k, degree = LOWEST, halvings = 0;
    balance(n, X, d, inverse);
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            X[n*i + j] *= d[j]*inverse[i];
    for (i = 0; i < n; i++) {
        double row = 0.0, column = 0.0;
        for (j = 0; j < n; j++) {
            row += fabs(X[n*i + j]);
            column += fabs(X[n*j + i]);
        }
        size = row > size ? row : size;
        other = column > other ? column : other;
    }
    size = f->dt*(size < other ? size : other); /* both norms are bounds */
    if (!(size < exp2((double)MOST_HALVINGS)))
        return 0;
    for (k = 0; degree < HIGHEST && size > REACH[k]; k++)
        degree += 2;
    for (; size > REACH[k]; halvings++) {
        size *= 0.5;
        factor *= 0.5;
    }
    for (k = 0; k < n*n; k++)
        X[k] *= factor;
    for (i = 0; i < n; i++)
        for (j = 0; j < m; j++)
            G[m*i + j] *= factor*inverse[i];
    for (k = 1; k <= degree; k++)
        c[k] = c[k - 1]*(double)(degree - k + 1)/(double)(k*(2*degree - k + 1));
    matrix_product(n, X, X, square);
    for (i = 0; i < n*n; i++) {
        even[i] = c[2]*square[i];
        odd[i] = c[3]*square[i];
    }
    for (k = 4; k < degree; k += 2) { /* even and odd powers separately: sums of X^2, X^4, ... */
        matrix_product(n, power, square, next);
        for (i = 0; i < n*n; i++) {
            even[i] += c[k]*next[i];
            odd[i] += c[k + 1]*next[i];
        }
        spare = power == square ? f->N : power;
        power = next;
        next = spare;
    }
    for (i = 0; i < n; i++) {
        even[n*i + i] += c[0];
        odd[n*i + i] += c[1];
    }
    matrix_product(n, X, odd, square); /* (even - X odd)^-1 (even + X odd, 2 odd G) */
    memset(both, 0, n*w*sizeof *both);
    add_product(n, n, m, odd, n, G, m, both + n, w);
    for (i = 0; i < n; i++) {
        for (j = 0; j < n; j++) {
            both[w*i + j] = even[n*i + j] + square[n*i + j];
            even[n*i + j] -= square[n*i + j];
        }
        for (j = n; j < w; j++)
            both[w*i + j] *= 2.0;
    }
    if (!lu(n, even, f->pivots, 0.0))
        return 0;
    lu_solve(n, w, even, f->pivots, both);
    for (i = 0; i < n; i++) {
        memcpy(f->F + n*i, both + w*i, n*sizeof *both);
        memcpy(G + m*i, both + w*i + n, m*sizeof *both);
    }
    for (power = f->F, next = f->V; halvings > 0; halvings--) {
        memcpy(both, G, n*m*sizeof *G);
        add_product(n, n, m, power, n, both, m, G, m); /* G <- G + F G */
        matrix_product(n, power, power, next);
        spare = power;
        power = next;
        next = spare;
    }
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            f->F[n*i + j] = power[n*i + j]*(d[i]*inverse[j]);
    for (i = 0; i < n; i++)
        for (j = 0; j < m; j++)
            G[m*i + j] *= d[i];
    return 1;
}

#endif
