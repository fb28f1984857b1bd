/* Fixed linearly implicit (Rosenbrock) steps of a stiff system, with its exact Jacobian. With a = 1/(dt gamma), stage i
   solves
     (a I - f_x) U_i = f(t + alpha_i dt, x + sum A_ij U_j) + sum C_ij/dt U_j + gamma_i dt f_t,    x + sum m_i U_i
   (Hairer and Wanner, Solving ODEs II, IV.7). Coordinates whose rates are velocities leave the matrix before it is
   factorised: U_q = (r_q + U_v)/a. */
#include "steps.h"

#include "state.h"

#include "fixed_step.h"

typedef struct {
    fixed_t frame;
    generated rates_jacobian; /* (t, x, u, guess) -> f_x, f_t */
    const double *rates_jacobian_h;
    generated input_matrix; /* (t, x, u, guess) -> f_u; not called where one row of inputs serves for all */
    const double *input_matrix_h;
    const double *tableau; /* gamma, then alpha, gamma_i, m, A and C row by row */
    double *J, *Fu, *ft;   /* f_x, f_u; f_t with what moving inputs add */
    double *f, *y, *r;     /* rates, state and right side of a stage */
    double *U;             /* stages nx */
    double *S, *L;         /* what is factorised; rows of J that stay, over the coordinates that leave */
    int64_t *kept;         /* what stays in the matrix, and behind it the order of its rows */
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

/* a I - J over what is kept, factorised in place with its rows in the order `order`; 0 where it is singular */
static int factorise(const rosenbrock_t *w, double a)
{
    const fixed_t *s = &w->frame;
    const int64_t n = s->nx, m = w->nkept, *kept = w->kept;
    int64_t *order = w->kept + m, i, j, k;
    double *S = w->S;
    for (i = 0; i < m; i++) {
        const double *row = w->J + n*kept[i];
        double *folded = w->y; /* row i with the coordinates that leave put into their velocities */
        memcpy(folded, row, n*sizeof *row);
        for (k = 0; k < s->nq; k++)
            if (s->velocity[k] >= 0) {
                w->L[n*i + k] = row[k]/a;
                folded[s->velocity[k]] += row[k]/a;
            }
        for (j = 0; j < m; j++)
            S[m*i + j] = (i == j ? a : 0.0) - folded[kept[j]];
        order[i] = i;
    }
    for (k = 0; k < m; k++) {
        int64_t best = k, swap;
        const double *pivot;
        for (i = k + 1; i < m; i++)
            if (fabs(S[m*order[i] + k]) > fabs(S[m*order[best] + k]))
                best = i;
        swap = order[k], order[k] = order[best], order[best] = swap;
        pivot = S + m*order[k];
        if (!(fabs(pivot[k]) > 0.0))
            return 0;
        for (i = k + 1; i < m; i++) {
            double *row = S + m*order[i], factor = row[k] /= pivot[k];
            for (j = k + 1; j < m; j++)
                row[j] -= factor*pivot[j];
        }
    }
    return 1;
}

/* U from the right side r; y is used up */
static void solve(const rosenbrock_t *w, double a, double *U)
{
    const fixed_t *s = &w->frame;
    const int64_t n = s->nx, m = w->nkept, *order = w->kept + m;
    double *r = w->r, *z = w->y;
    int64_t i, j, k;
    for (i = 0; i < m; i++) {
        const int64_t place = order[i];
        double sum = r[w->kept[place]];
        for (k = 0; k < s->nq; k++)
            if (s->velocity[k] >= 0)
                sum += w->L[n*place + k]*r[k];
        for (j = 0; j < i; j++)
            sum -= w->S[m*place + j]*z[j];
        z[i] = sum;
    }
    for (i = m - 1; i >= 0; i--) {
        const double *row = w->S + m*order[i];
        for (j = i + 1; j < m; j++)
            z[i] -= row[j]*z[j];
        z[i] /= row[i];
        U[w->kept[i]] = z[i];
    }
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
            rates_at(s, step, alpha[i], w->y, w->f);
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
