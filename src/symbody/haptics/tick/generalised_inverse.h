/* Inverses of the Jacobian of a point in the hand for any rank (thesis 5.2, appendix B). Matrices are stored row by
   row. Nothing is allocated, only the arguments are written, and every loop is bounded.

   full_rank: J (m x n, m <= HAND, n <= NV) = U S V^T by one-sided Jacobi rotations of its rows, at most SWEEPS times
   over all pairs. Singular values below `tolerance` times the largest are set to zero; the rank r is the number of
   the others. Rows of U^T from r on are an orthonormal basis of null(J^T): directions in which the joints cannot move
   the link (topology directions, 5.24).

   generalised_inverse: J#^T (m x n), of
     J# = D^-1 V (V^T D^-1 V)^-1 S^-1 (U^T M U)^-1 U^T M      over the first r columns; equal to (5.11) with F = U S, C = V^T
   D = L L^T: mass matrix of the linkage (n x n), given by its factor; M: inertia of the held link at the hand (m x
   m). J J# J = J, J# J J# = J#; M J J# and D J# J are symmetric. At full row rank the result does not depend on M, at
   full column rank not on D. The wrench at the hand of a generalised force T is F = J#^T T. 0 if D or M is not
   positive definite.

   mobility_of: Lambda^-1 = J D^-1 J^T (m x m), which exists at any rank. */
#ifndef HAPTICS_GENERALISED_INVERSE_H
#define HAPTICS_GENERALISED_INVERSE_H

#include <math.h>
#include <string.h>

#include "../../codegen/runtime/linear_algebra.h"
#include "scene.h"
#include "vectors.h"

enum { SWEEPS = 30 };
static const double ORTHOGONAL = 1e-14, VANISHED = 1e-15; /* cosine between rows; share of all rows below which a row is rounding */

static inline void rotate_rows(int64_t n, double c, double s, double *a, double *b)
{
    int64_t k;
    for (k = 0; k < n; k++) {
        const double x = a[k], y = b[k];
        a[k] = c*x - s*y, b[k] = s*x + c*y;
    }
}

static inline void full_rank(int64_t m, int64_t n, const double *J, double tolerance, full_rank_t *f)
{
    double *W = f->Vt, size[HAND], quiet;
    int64_t i, j, k, sweep, turned = 1;
    f->m = m, f->n = n, f->rank = 0;
    memcpy(W, J, m*n*sizeof *W);
    for (i = 0; i < m*m; i++)
        f->Ut[i] = i % (m + 1) == 0;
    quiet = VANISHED*VANISHED*dot_n(m*n, J, J);
    for (sweep = 0; sweep < SWEEPS && turned; sweep++)
        for (turned = 0, i = 1; i < m; i++)
            for (j = 0; j < i; j++) {
                const double a = dot_n(n, W + i*n, W + i*n), b = dot_n(n, W + j*n, W + j*n), c = dot_n(n, W + i*n, W + j*n);
                double t, cosine;
                if (!(a > quiet && b > quiet && fabs(c) > ORTHOGONAL*sqrt(a*b)))
                    continue;
                t = (b - a)/(2.0*c);
                t = (t < 0.0 ? -1.0 : 1.0)/(fabs(t) + sqrt(1.0 + t*t));
                cosine = 1.0/sqrt(1.0 + t*t);
                rotate_rows(n, cosine, cosine*t, W + i*n, W + j*n);
                rotate_rows(m, cosine, cosine*t, f->Ut + i*m, f->Ut + j*m);
                turned = 1;
            }
    for (i = 0; i < m; i++)
        size[i] = sqrt(dot_n(n, W + i*n, W + i*n));
    for (i = 0; i < m; i++) { /* largest first */
        int64_t best = i;
        for (j = i + 1; j < m; j++)
            best = size[j] > size[best] ? j : best;
        if (best != i) {
            const double x = size[i];
            size[i] = size[best], size[best] = x;
            swap_rows(n, W + i*n, W + best*n);
            swap_rows(m, f->Ut + i*m, f->Ut + best*m);
        }
        f->S[i] = size[i];
        if (size[i] > tolerance*size[0] && size[i] > 0.0)
            for (f->rank = i + 1, k = 0; k < n; k++)
                W[i*n + k] /= size[i];
    }
}

static inline int generalised_inverse(const full_rank_t *f, const double *L, const double *M, double *inverse)
{
    const int64_t m = f->m, n = f->n, r = f->rank;
    double X[HAND][NV], G[HAND*HAND], MU[HAND][HAND], H[HAND*HAND], x[HAND];
    int64_t i, j, k;
    memset(inverse, 0, m*n*sizeof *inverse);
    for (k = 0; k < r; k++) {
        memcpy(X[k], f->Vt + k*n, n*sizeof(double));
        forward(n, L, X[k]);
        for (i = 0; i < m; i++)
            MU[k][i] = dot_n(m, M + i*m, f->Ut + k*m);
    }
    for (i = 0; i < r; i++)
        for (j = 0; j < r; j++) {
            G[i*r + j] = dot_n(n, X[i], X[j]);
            H[i*r + j] = dot_n(m, f->Ut + i*m, MU[j]);
        }
    if (!cholesky(r, G) || !cholesky(r, H))
        return 0;
    for (k = 0; k < r; k++)
        backward(n, L, X[k]); /* D^-1 V */
    for (k = 0; k < n; k++) { /* a column of J#^T: M U H^-1 S^-1 G^-1 of a row of D^-1 V */
        for (i = 0; i < r; i++)
            x[i] = X[i][k];
        forward(r, G, x), backward(r, G, x);
        for (i = 0; i < r; i++)
            x[i] /= f->S[i];
        forward(r, H, x), backward(r, H, x);
        for (i = 0; i < m; i++)
            for (j = 0; j < r; j++)
                inverse[i*n + k] += MU[j][i]*x[j];
    }
    return 1;
}

static inline void mobility_of(int64_t m, int64_t n, const double *J, const double *L, double *mobility)
{
    double X[HAND][NV];
    int64_t i, j;
    for (i = 0; i < m; i++) {
        memcpy(X[i], J + i*n, n*sizeof(double));
        forward(n, L, X[i]);
    }
    for (i = 0; i < m; i++)
        for (j = 0; j <= i; j++)
            mobility[i*m + j] = mobility[j*m + i] = dot_n(n, X[i], X[j]);
}

/* inertia of a rigid body at a point, in world axes (3 x 3: x, y, angle, or 6 x 6: translations, rotations): mass
   (kg), c the vector from the point to the centre of mass (m), I the inertia about that centre (kg m2) */
static inline void inertia_at(int64_t m, double mass, const double *c, const double *I, double *M)
{
    const int64_t l = m == 3 ? 2 : 3;
    int64_t i, j;
    memset(M, 0, m*m*sizeof *M);
    for (i = 0; i < l; i++)
        M[i*m + i] = mass;
    if (m == 3) {
        M[2] = M[6] = -mass*c[1], M[5] = M[7] = mass*c[0];
        M[8] = I[8] + mass*(c[0]*c[0] + c[1]*c[1]);
        return;
    }
    M[0*6 + 4] = M[4*6 + 0] = mass*c[2], M[0*6 + 5] = M[5*6 + 0] = -mass*c[1];
    M[1*6 + 3] = M[3*6 + 1] = -mass*c[2], M[1*6 + 5] = M[5*6 + 1] = mass*c[0];
    M[2*6 + 3] = M[3*6 + 2] = mass*c[1], M[2*6 + 4] = M[4*6 + 2] = -mass*c[0];
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            M[(3 + i)*6 + 3 + j] = I[3*i + j] + mass*((i == j)*dot3(c, c) - c[i]*c[j]);
}

#endif
