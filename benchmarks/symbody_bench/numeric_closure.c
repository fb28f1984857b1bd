/* Closed systems as a program with a linear algebra library does them: generated M, c, h, J and J'q', everything else
   with LAPACK, or where PLAIN is defined with an elimination of its own. Sizes are known to the compiler: NQ, NV, NC
   equations of the cuts, ND dependent degrees of freedom, NU given ones and as many actuators; and CLOSE, the largest
   last step of Newton's method. */
#include <math.h>
#include <string.h>

typedef void entry(const double *const *in, double *const *out, const double *h);
typedef void getrf_t(int *m, int *n, double *a, int *lda, int *ipiv, int *info);
typedef void getrs_t(char *t, int *n, int *nrhs, double *a, int *lda, int *ipiv, double *b, int *ldb, int *info);

typedef struct {
    entry *dynamics, *inverse, *constraints, *bias;
    const double *dynamics_h, *inverse_h, *constraints_h, *bias_h;
    getrf_t *getrf;
    getrs_t *getrs;
    /* places: of u and of the unknowns in q, of both in the velocities, of the equations that serve; of the actuators
       among the dependent ones, or -1 less their place among the given ones */
    const long *u_in_q, *x_in_q, *given, *dependent, *rows, *actuated;
    long actuated_are_given;
} closure_t;

typedef struct { /* what is known of a state when its loops are closed */
    double q[NQ], qd[NV], a[NV];             /* a: accelerations while those of u are zero */
    double J[NC*NV], LU[ND*ND], B[ND*NU];    /* LAPACK's matrices go by columns; B as well */
    int pivots[ND];
} motion_t;

#ifdef PLAIN

/* A = P L U by columns, in place; 0 where a pivot is zero */
static inline int factorise(const closure_t *c, int n, double *A, int *pivots)
{
    int i, j, k;
    (void)c;
    for (k = 0; k < n; k++) {
        double *column = A + n*k, swap;
        int best = k;
        for (i = k + 1; i < n; i++)
            if (fabs(column[i]) > fabs(column[best]))
                best = i;
        if (column[best] == 0.0)
            return 0;
        pivots[k] = best;
        for (j = 0; j < n; j++)
            swap = A[k + n*j], A[k + n*j] = A[best + n*j], A[best + n*j] = swap;
        for (i = k + 1; i < n; i++)
            column[i] /= column[k];
        for (j = k + 1; j < n; j++)
            for (i = k + 1; i < n; i++)
                A[i + n*j] -= column[i]*A[k + n*j];
    }
    return 1;
}

static inline void solve(const closure_t *c, int n, double *A, int *pivots, char transposed, int columns, double *b)
{
    int i, k;
    double swap;
    (void)c;
    for (; columns-- > 0; b += n) {
        if (transposed == 'N') {
            for (k = 0; k < n; k++)
                swap = b[k], b[k] = b[pivots[k]], b[pivots[k]] = swap;
            for (k = 0; k < n; k++)
                for (i = k + 1; i < n; i++)
                    b[i] -= A[i + n*k]*b[k];
            for (k = n - 1; k >= 0; k--) {
                b[k] /= A[k + n*k];
                for (i = 0; i < k; i++)
                    b[i] -= A[i + n*k]*b[k];
            }
            continue;
        }
        for (k = 0; k < n; k++) {
            for (i = 0; i < k; i++)
                b[k] -= A[i + n*k]*b[i];
            b[k] /= A[k + n*k];
        }
        for (k = n - 1; k >= 0; k--)
            for (i = k + 1; i < n; i++)
                b[k] -= A[i + n*k]*b[i];
        for (k = n - 1; k >= 0; k--)
            swap = b[k], b[k] = b[pivots[k]], b[pivots[k]] = swap;
    }
}

#else

static inline int factorise(const closure_t *c, int n, double *A, int *pivots)
{
    int info;
    c->getrf(&n, &n, A, &n, pivots, &info);
    return info == 0;
}

static inline void solve(const closure_t *c, int n, double *A, int *pivots, char transposed, int columns, double *b)
{
    int info;
    c->getrs(&transposed, &n, &columns, A, &n, pivots, b, &n, &info);
}

#endif

static void solve_loops(const closure_t *c, motion_t *m, char transposed, int columns, double *b)
{
    solve(c, ND, m->LU, m->pivots, transposed, columns, b);
}

/* Newton's method with the test of the generated code; the factors of its last step serve for all that follows, which
   leaves there what the generated code, with factors at the closed position, does not have: up to CLOSE, relative. */
static int close_loops(const closure_t *c, motion_t *m, const double *u, const double *guess)
{
    double h[NC], r[ND], x[ND], largest = INFINITY;
    const double *in[1] = {m->q};
    double *out[2] = {h, m->J};
    int i, j, k;
    for (i = 0; i < NQ - ND; i++)
        m->q[c->u_in_q[i]] = u[i];
    memcpy(x, guess, sizeof x);
    for (k = 0; k < 25 && largest >= CLOSE; k++) {
        for (i = 0; i < ND; i++)
            m->q[c->x_in_q[i]] = x[i];
        c->constraints(in, out, c->constraints_h);
        for (i = 0; i < ND; i++) {
            r[i] = h[c->rows[i]];
            for (j = 0; j < ND; j++)
                m->LU[i + ND*j] = m->J[NV*c->rows[i] + c->dependent[j]];
        }
        if (!factorise(c, ND, m->LU, m->pivots))
            return 0;
        solve_loops(c, m, 'N', 1, r);
        largest = 0.0;
        for (i = 0; i < ND; i++) {
            double step;
            x[i] -= r[i];
            step = fabs(r[i])/(1.0 + fabs(x[i]));
            largest = step > largest ? step : largest;
        }
    }
    for (i = 0; i < ND; i++)
        m->q[c->x_in_q[i]] = x[i];
    return largest < CLOSE;
}

/* B, velocities, and what J'q' adds to the accelerations */
static void move(const closure_t *c, motion_t *m, const double *ud)
{
    const double *in[2] = {m->q, m->qd};
    double bias[NC], b[ND], *out[1] = {bias};
    int i, k;
    for (k = 0; k < NU; k++)
        for (i = 0; i < ND; i++)
            m->B[i + ND*k] = -m->J[NV*c->rows[i] + c->given[k]];
    solve_loops(c, m, 'N', NU, m->B);
    for (k = 0; k < NU; k++)
        m->qd[c->given[k]] = ud[k];
    memset(b, 0, sizeof b);
    for (k = 0; k < NU; k++)
        for (i = 0; i < ND; i++)
            b[i] += m->B[i + ND*k]*ud[k];
    for (i = 0; i < ND; i++)
        m->qd[c->dependent[i]] = b[i];
    c->bias(in, out, c->bias_h);
    for (i = 0; i < ND; i++)
        b[i] = -bias[c->rows[i]];
    solve_loops(c, m, 'N', 1, b);
    memset(m->a, 0, sizeof m->a);
    for (i = 0; i < ND; i++)
        m->a[c->dependent[i]] = b[i];
}

/* qdd = a + (1, B) udd */
static void accelerate(const closure_t *c, const motion_t *m, const double *udd, double *qdd)
{
    double b[ND];
    int i, k;
    memcpy(qdd, m->a, sizeof m->a);
    memset(b, 0, sizeof b);
    for (k = 0; k < NU; k++) {
        qdd[c->given[k]] = udd[k];
        for (i = 0; i < ND; i++)
            b[i] += m->B[i + ND*k]*udd[k];
    }
    for (i = 0; i < ND; i++)
        qdd[c->dependent[i]] += b[i];
}

/* y = (1, B)' x along the given degrees of freedom */
static void reduce(const closure_t *c, const motion_t *m, const double *x, double *y)
{
    double d[ND];
    int i, k;
    for (i = 0; i < ND; i++)
        d[i] = x[c->dependent[i]];
    for (k = 0; k < NU; k++) {
        double sum = x[c->given[k]];
        for (i = 0; i < ND; i++)
            sum += m->B[i + ND*k]*d[i];
        y[k] = sum;
    }
}

static void failed(int n, double *x)
{
    int i;
    for (i = 0; i < n; i++)
        x[i] = NAN;
}

/* in: u, ud, Q, guess; out: udd, lam, nothing, qdd, q, qd */
void numeric_constrained(const double **in, double **out, void *user)
{
    const closure_t *c = (const closure_t *)user;
    motion_t m;
    double M[NV*NV], bias[NV], lack[NV], MT[NU*NV], Mr[NU*NU], *udd = out[0], *lam = out[1];
    const double *state[2] = {m.q, m.qd}, *Q = in[2];
    double *made[2] = {M, bias};
    int i, j, k, pivots[NU];
    if (!close_loops(c, &m, in[0], in[3])) {
        failed(NU, udd);
        return;
    }
    move(c, &m, in[1]);
    c->dynamics(state, made, c->dynamics_h);
    for (i = 0; i < NV; i++) {
        double sum = Q[i] - bias[i];
        for (j = 0; j < NV; j++)
            sum -= M[NV*i + j]*m.a[j];
        lack[i] = sum;
    }
    reduce(c, &m, lack, udd);
    for (k = 0; k < NU; k++) { /* columns of M (1, B): M is symmetric, so that its rows can be added up */
        double *column = MT + NV*k;
        memcpy(column, M + NV*c->given[k], NV*sizeof *column);
        for (j = 0; j < ND; j++) {
            const double factor = m.B[j + ND*k], *row = M + NV*c->dependent[j];
            for (i = 0; i < NV; i++)
                column[i] += factor*row[i];
        }
        reduce(c, &m, column, Mr + NU*k);
    }
    factorise(c, NU, Mr, pivots);
    solve(c, NU, Mr, pivots, 'N', 1, udd);
    for (i = 0; i < ND; i++) {
        double sum = -lack[c->dependent[i]];
        for (k = 0; k < NU; k++)
            sum += MT[NV*k + c->dependent[i]]*udd[k];
        lam[i] = sum;
    }
    solve_loops(c, &m, 'T', 1, lam);
    accelerate(c, &m, udd, out[3]);
    memcpy(out[4], m.q, sizeof m.q);
    memcpy(out[5], m.qd, sizeof m.qd);
}

/* in: u, ud, udd, guess; out: phi, q, qd, qdd */
void numeric_closed_inverse(const double **in, double **out, void *user)
{
    const closure_t *c = (const closure_t *)user;
    motion_t m;
    double psi[NV], T[NU*NU], *made[1] = {psi}, *phi = out[0];
    const double *state[3] = {m.q, m.qd, out[3]};
    int i, k, pivots[NU];
    if (!close_loops(c, &m, in[0], in[3])) {
        failed(NU, phi);
        return;
    }
    move(c, &m, in[1]);
    accelerate(c, &m, in[2], out[3]);
    c->inverse(state, made, c->inverse_h);
    reduce(c, &m, psi, phi);
    if (!c->actuated_are_given) {
        for (i = 0; i < NU; i++) /* column i: what a unit effort of actuator i gives along u */
            for (k = 0; k < NU; k++)
                T[k + NU*i] = c->actuated[i] >= 0 ? m.B[c->actuated[i] + ND*k] : k == -1 - c->actuated[i];
        factorise(c, NU, T, pivots);
        solve(c, NU, T, pivots, 'N', 1, phi);
    }
    memcpy(out[1], m.q, sizeof m.q);
    memcpy(out[2], m.qd, sizeof m.qd);
}
