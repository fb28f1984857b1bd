/* Fixed linearly implicit (Rosenbrock) steps of a stiff system, with its exact Jacobian. With a = 1/(dt gamma), stage
   i solves
     (a I - f_x) U_i = f(t + alpha_i dt, x + sum A_ij U_j) + sum C_ij/dt U_j + gamma_i dt f_t,    x + sum m_i U_i
   (Hairer and Wanner, Solving ODEs II, IV.7). Coordinates whose rates are velocities are eliminated before the matrix
   is factorised: U_q = (r_q + U_v)/a. */
#include "../codegen/runtime/linear_algebra.h"
#include "fixed_step.h"

typedef struct {
    fixed_t frame;
    generated rates_jacobian; /* (t, x, u, guess) -> f_x, f_t */
    const double *rates_jacobian_h;
    generated input_matrix; /* (t, x, u, guess) -> f_u; called only if inputs change */
    const double *input_matrix_h;
    const double *tableau; /* gamma, then alpha, gamma_i, m, A and C row by row */
    double *J, *Fu, *ft;   /* f_x, f_u; f_t including changing inputs */
    double *f, *y, *r;     /* rates, state and right side of a stage */
    double *U;             /* stages nx */
    double *S, *L;         /* the factorised matrix; kept rows of J over the eliminated coordinates */
    int64_t *kept;         /* places in x that are not eliminated, then the pivots of the factorisation */
    int64_t stages, nkept;
} rosenbrock_t;

static void tangent(const rosenbrock_t *w, int64_t step)
{
    const fixed_t *s = &w->frame;
    const double t = s->t0 + step*s->dt, *u = s->u + s->row*step, *in[4] = {&t, s->x, u, s->guess};
    double *out[2] = {w->J, w->ft}, *by_inputs[1] = {w->Fu};
    int64_t i, k;
    w->rates_jacobian(in, out, w->rates_jacobian_h);
    if (s->row == 0)
        return;
    w->input_matrix(in, by_inputs, w->input_matrix_h);
    for (i = 0; i < s->nx; i++)
        for (k = 0; k < s->nu; k++)
            w->ft[i] += w->Fu[i*s->nu + k]*(u[k + s->row] - u[k])/s->dt;
}

/* factorise a I - J over the kept places; 0 if it is singular */
static int factorise(const rosenbrock_t *w, double a)
{
    const fixed_t *s = &w->frame;
    const int64_t n = s->nx, m = w->nkept, *kept = w->kept;
    int64_t i, j, k;
    double *S = w->S;
    for (i = 0; i < m; i++) {
        const double *row = w->J + n*kept[i];
        double *folded = w->y; /* row i, the eliminated coordinates added to their velocities */
        memcpy(folded, row, n*sizeof *row);
        for (k = 0; k < s->nq; k++)
            if (s->velocity[k] >= 0) {
                w->L[n*i + k] = row[k]/a;
                folded[s->velocity[k]] += row[k]/a;
            }
        for (j = 0; j < m; j++)
            S[m*i + j] = (i == j ? a : 0.0) - folded[kept[j]];
    }
    return lu(m, S, w->kept + m, 0.0);
}

/* U from the right side r; overwrites y */
static void solve(const rosenbrock_t *w, double a, double *U)
{
    const fixed_t *s = &w->frame;
    const int64_t n = s->nx, m = w->nkept;
    double *r = w->r, *z = w->y;
    int64_t i, k;
    for (i = 0; i < m; i++) {
        double sum = r[w->kept[i]];
        for (k = 0; k < s->nq; k++)
            if (s->velocity[k] >= 0)
                sum += w->L[n*i + k]*r[k];
        z[i] = sum;
    }
    lu_solve_one(m, w->S, w->kept + m, z);
    for (i = 0; i < m; i++)
        U[w->kept[i]] = z[i];
    for (k = 0; k < s->nq; k++)
        if (s->velocity[k] >= 0)
            U[k] = (r[k] + U[s->velocity[k]])/a;
}

static int advance(fixed_t *s, int64_t step, double *next)
{
    const rosenbrock_t *w = (rosenbrock_t *)s;
    const int64_t n = s->nx, q = w->stages;
    const double *alpha = w->tableau + 1, *gamma = alpha + q, *m = gamma + q, *A = m + q, *C = A + q*q, dt = s->dt;
    const double a = 1.0/(dt*w->tableau[0]);
    int64_t i, j, k;
    tangent(w, step);
    if (!factorise(w, a))
        return NOT_FINITE;
    for (i = 0; i < q; i++) {
        const double *f = s->rate;
        int moved = alpha[i] != 0.0;
        memcpy(w->y, s->x, n*sizeof *w->y);
        for (j = 0; j < i; j++)
            if (A[q*i + j] != 0.0) {
                moved = 1;
                for (k = 0; k < n; k++)
                    w->y[k] += A[q*i + j]*w->U[n*j + k];
            }
        if (moved) {
            if (stage_rates(s, step, alpha[i], w->y, w->f) != DONE)
                return TOO_COARSE;
            f = w->f;
        }
        for (k = 0; k < n; k++)
            w->r[k] = f[k] + gamma[i]*dt*w->ft[k];
        for (j = 0; j < i; j++)
            for (k = 0; k < n; k++)
                w->r[k] += C[q*i + j]/dt*w->U[n*j + k];
        solve(w, a, w->U + n*i);
    }
    memcpy(next, s->x, n*sizeof *next);
    for (i = 0; i < q; i++)
        for (k = 0; k < n; k++)
            next[k] += m[i]*w->U[n*i + k];
    return DONE;
}

STEPPER(rosenbrock_t, begin_with_rates, advance, NULL)
