/* Fixed linearly implicit (Rosenbrock) steps of a stiff system dx/dt = f(t, x, u) that is a generated function, with its
   exact Jacobian; nothing is allocated. With a = 1/(dt gamma), stage i solves
     (a I - f_x) U_i = f(t + alpha_i dt, x + sum A_ij U_j) + sum C_ij/dt U_j + gamma_i dt f_t,    x += sum m_i U_i
   (Hairer and Wanner, Solving ODEs II, IV.7). Coordinates whose rates are velocities leave the matrix before it is
   factorised: U_q = (r_q + U_v)/a. */
#include "steps.h"


typedef struct {
    generated rates; /* (t, x, u, guess) -> dx/dt, v, pivots */
    const double *rates_h;
    generated outputs; /* (t, x, u, guess) -> y */
    const double *outputs_h;
    generated limits; /* (t, x, u, guess) -> what must stay positive, nl numbers */
    const double *limits_h;
    generated slopes; /* (t, x, u, guess) -> f_x, f_t */
    const double *slopes_h;
    generated pushes; /* (t, x, u, guess) -> f_u; not called where one row of inputs serves for all */
    const double *pushes_h;
    long nx, nq, nu, nd, ny, nl, nballs, stages;
    const long *velocity; /* per coordinate in x, the place in x of its velocity; -1 within a quaternion */
    const long *balls;    /* pairs: where in x a unit quaternion begins, and its angular velocity */
    const double *pivots; /* at the beginning */
    const double *u;      /* inputs: a row before each step and one after the last, or one row for all */
    const double *table;  /* gamma, then alpha, gamma_i, m, A and C row by row */
    double *x, *guess;    /* state; dependent coordinates of the last evaluation */
    double *work;         /* nx (nx + nu + kept + stages + 6) + kept^2 + 2 nd + nu + nl, see `lay_out` */
    long *kept;           /* what stays in the matrix, and behind it the order of its rows */
    double watch, t0, dt;
    long row, nkept; /* numbers in a row of u from step to step: nu, or 0 where one row serves for all */
} implicit_t;

/* Arrays inside work. */
typedef struct {
    double *J, *Fu, *ft, *d, *f, *y, *r, *last, *U, *S, *L, *v, *pivots, *u;
} places;

static places lay_out(const implicit_t *s)
{
    const long n = s->nx, m = s->nkept;
    double *p = s->work;
    places w;
    w.J = p, p += n*n;
    w.Fu = p, p += n*s->nu;
    w.ft = p, p += n;
    w.d = p, p += n;
    w.f = p, p += n;
    w.y = p, p += n;
    w.r = p, p += n;
    w.last = p, p += n;
    w.U = p, p += n*s->stages;
    w.S = p, p += m*m;
    w.L = p, p += m*n; /* rows of J that stay, over the coordinates that leave */
    w.v = p, p += s->nd;
    w.pivots = p, p += s->nd;
    w.u = p;
    return w;
}

static void slope(const implicit_t *s, const places *w, long step, double share, const double *x, double *dx)
{
    const double t = s->t0 + (step + share)*s->dt, *in[4] = {&t, x, inputs_between(s->u, s->row, s->nu, step, share, w->u), s->guess};
    double *out[3] = {dx, w->v, w->pivots};
    s->rates(in, out, s->rates_h);
    if (finite_all(s->nd, w->v))
        memcpy(s->guess, w->v, s->nd*sizeof *w->v);
}

/* f_x, and f_t with what moving inputs add */
static void tangent(const implicit_t *s, const places *w, long step)
{
    const double t = s->t0 + step*s->dt, *u = s->u + s->row*step, *in[4] = {&t, s->x, u, s->guess};
    double *out[2] = {w->J, w->ft}, *pushed[1] = {w->Fu};
    long i, k;
    s->slopes(in, out, s->slopes_h);
    if (s->row == 0)
        return;
    s->pushes(in, pushed, s->pushes_h);
    for (i = 0; i < s->nx; i++)
        for (k = 0; k < s->nu; k++)
            w->ft[i] += w->Fu[i*s->nu + k]*(u[k + s->row] - u[k])/s->dt;
}

/* a I - J over what is kept, factorised in place with its rows in the order `order`; 0 where it is singular */
static int factorise(const implicit_t *s, const places *w, double a)
{
    const long n = s->nx, m = s->nkept, *kept = s->kept;
    long *order = s->kept + m, i, j, k;
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
        long best = k, swap;
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
static void solve(const implicit_t *s, const places *w, double a, double *U)
{
    const long n = s->nx, m = s->nkept, *order = s->kept + m;
    double *r = w->r, *z = w->y;
    long i, j, k;
    for (i = 0; i < m; i++) {
        const long place = order[i];
        double sum = r[s->kept[place]];
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
        U[s->kept[i]] = z[i];
    }
    for (k = 0; k < s->nq; k++)
        if (s->velocity[k] >= 0)
            U[k] = (r[k] + U[s->velocity[k]])/a;
}

/* One step; the rates at its beginning are in d. 0 where the matrix is singular. */
static int rosenbrock(const implicit_t *s, const places *w, long step)
{
    const long n = s->nx, q = s->stages;
    const double *alpha = s->table + 1, *gamma = alpha + q, *m = gamma + q, *A = m + q, *C = A + q*q, dt = s->dt;
    const double a = 1.0/(dt*s->table[0]);
    long i, j, k;
    tangent(s, w, step);
    if (!factorise(s, w, a))
        return 0;
    for (i = 0; i < q; i++) {
        const double *f = w->d;
        int moved = alpha[i] != 0.0;
        memcpy(w->y, s->x, n*sizeof *w->y);
        for (j = 0; j < i; j++)
            if (A[q*i + j] != 0.0) {
                moved = 1;
                for (k = 0; k < n; k++)
                    w->y[k] += A[q*i + j]*w->U[n*j + k];
            }
        if (moved) {
            slope(s, w, step, alpha[i], w->y, w->f);
            f = w->f;
        }
        for (k = 0; k < n; k++)
            w->r[k] = f[k] + gamma[i]*dt*w->ft[k];
        for (j = 0; j < i; j++)
            for (k = 0; k < n; k++)
                w->r[k] += C[q*i + j]/dt*w->U[n*j + k];
        solve(s, w, a, w->U + n*i);
    }
    for (i = 0; i < q; i++)
        for (k = 0; k < n; k++)
            s->x[k] += m[i]*w->U[n*i + k];
    return 1;
}

/* n steps from step `first` on; before each one whose number is a multiple of `every`, the outputs are recorded in a row
   of `path`. Returns the steps that were made; where they are fewer than n, `status` says why, and x is the last good
   state, before the step that could not be made. */
long integrate(implicit_t *s, long first, long n, long every, double *path, int *status)
{
    const places w = lay_out(s);
    long step;
    *status = DONE;
    for (step = first; step < first + n; step++) {
        slope(s, &w, step, 0.0, s->x, w.d);
        if (!finite_all(s->nx, w.d)) {
            *status = NOT_FINITE;
            return step - first;
        }
        if (shrunk(s->nd, w.pivots, s->pivots, s->watch)) {
            *status = NEAR_SINGULAR;
            return step - first;
        }
        const double t = s->t0 + step*s->dt, *in[4] = {&t, s->x, s->u + s->row*step, s->guess};
        if (!within(s->limits, s->limits_h, in, s->nl, w.u + s->nu)) {
            *status = BEYOND_LIMIT;
            return step - first;
        }
        if (step % every == 0) {
            double *out[1] = {path};
            s->outputs(in, out, s->outputs_h);
            path += s->ny;
        }
        memcpy(w.last, s->x, s->nx*sizeof *w.last);
        if (!rosenbrock(s, &w, step) || !finite_all(s->nx, s->x)) {
            memcpy(s->x, w.last, s->nx*sizeof *w.last);
            *status = NOT_FINITE;
            return step - first;
        }
        normalise(s->nballs, s->balls, s->x);
    }
    return n;
}
