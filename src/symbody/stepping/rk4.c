/* Fixed steps of a system dx/dt = f(t, x, u) that is a generated function; nothing is allocated, Python never called
   (but by laws that are Python functions).

   x = (coordinates, velocities, further states). The function of a closed system finds the dependent coordinates v
   itself, from those of the evaluation before, and gives the pivots of the loops' Jacobian: one that has shrunk to
   `watch` of what it was, or changed its sign, stops the run before the position is singular. */
#include "steps.h"


typedef struct {
    generated rates; /* (t, x, u, guess) -> dx/dt, v, pivots */
    const double *rates_h;
    generated outputs; /* (t, x, u, guess) -> y */
    const double *outputs_h;
    generated limits; /* (t, x, u, guess) -> what must stay positive, nl numbers */
    const double *limits_h;
    long nx, nq, nv, nu, nd, ny, nl, nballs;
    const long *velocity; /* per coordinate in x, the place in x of its velocity; -1 within a quaternion */
    const long *balls;    /* pairs: where in x a unit quaternion begins, and its angular velocity */
    const double *pivots; /* at the beginning */
    const double *u;      /* inputs: a row before each step and one after the last, or one row for all */
    double *x, *guess;    /* state; dependent coordinates of the last evaluation */
    double *work;         /* 6 nx + 2 nd + nu + nl */
    double watch, t0, dt;
    long row; /* numbers in a row of u from step to step: nu, or 0 where one row serves for all */
    long order; /* 4: Runge and Kutta; 1: semi-implicit */
} system_t;

static void slope(const system_t *s, long step, double share, const double *x, double *dx, double *pivots)
{
    double *v = s->work + 6*s->nx + s->nd, *u = v + s->nd;
    const double t = s->t0 + (step + share)*s->dt, *in[4] = {&t, x, inputs_between(s->u, s->row, s->nu, step, share, u), s->guess};
    double *out[3] = {dx, v, pivots};
    s->rates(in, out, s->rates_h);
    if (finite_all(s->nd, v))
        memcpy(s->guess, v, s->nd*sizeof *v);
}

static void add_to(long n, const double *x, double c, const double *d, double *y)
{
    long k;
    for (k = 0; k < n; k++)
        y[k] = x[k] + c*d[k];
}

/* One step of fourth order (Runge, Kutta); the slopes at its beginning are in d. */
static void runge_kutta(const system_t *s, long step, double *d)
{
    static const double reach[3] = {0.5, 0.5, 1.0}, weight[3] = {2.0, 2.0, 1.0};
    const long n = s->nx;
    double *y = d + n, *e = y + n, *sum = e + n, *pivots = s->work + 6*n;
    int stage;
    memcpy(sum, d, n*sizeof *d);
    memcpy(e, d, n*sizeof *d);
    for (stage = 0; stage < 3; stage++) {
        add_to(n, s->x, reach[stage]*s->dt, e, y);
        slope(s, step, reach[stage], y, e, pivots);
        add_to(n, sum, weight[stage], e, sum);
    }
    add_to(n, s->x, s->dt/6.0, sum, s->x);
}

/* One semi-implicit step of first order: velocities first, then coordinates by the new velocities. */
static void semi_implicit(const system_t *s, long step, double *d)
{
    double *x = s->x;
    const double dt = s->dt;
    long k;
    (void)step;
    add_to(s->nx - s->nq, x + s->nq, dt, d + s->nq, x + s->nq);
    for (k = 0; k < s->nq; k++)
        if (s->velocity[k] >= 0)
            x[k] += dt*x[s->velocity[k]];
    for (k = 0; k < s->nballs; k++) {
        double *q = x + s->balls[2*k], e[4];
        const double *w = x + s->balls[2*k + 1];
        e[0] = -q[1]*w[0] - q[2]*w[1] - q[3]*w[2];
        e[1] = q[0]*w[0] + q[2]*w[2] - q[3]*w[1];
        e[2] = q[0]*w[1] + q[3]*w[0] - q[1]*w[2];
        e[3] = q[0]*w[2] + q[1]*w[1] - q[2]*w[0];
        add_to(4, q, 0.5*dt, e, q);
    }
}

/* n steps from step `first` on; before each one whose number is a multiple of `every`, the outputs are recorded in a row
   of `path`. Returns the steps that were made; where they are fewer than n, `status` says why, and x is the last good
   state, before the step that could not be made. */
long integrate(system_t *s, long first, long n, long every, double *path, int *status)
{
    double *d = s->work, *last = d + 5*s->nx, *pivots = s->work + 6*s->nx;
    long step;
    *status = DONE;
    for (step = first; step < first + n; step++) {
        slope(s, step, 0.0, s->x, d, pivots);
        if (!finite_all(s->nx, d)) {
            *status = NOT_FINITE;
            return step - first;
        }
        if (shrunk(s->nd, pivots, s->pivots, s->watch)) {
            *status = NEAR_SINGULAR;
            return step - first;
        }
        const double t = s->t0 + step*s->dt, *in[4] = {&t, s->x, s->u + s->row*step, s->guess};
        if (!within(s->limits, s->limits_h, in, s->nl, pivots + 2*s->nd + s->nu)) {
            *status = BEYOND_LIMIT;
            return step - first;
        }
        if (step % every == 0) {
            double *out[1] = {path};
            s->outputs(in, out, s->outputs_h);
            path += s->ny;
        }
        memcpy(last, s->x, s->nx*sizeof *last);
        (s->order == 4 ? runge_kutta : semi_implicit)(s, step, d);
        if (!finite_all(s->nx, s->x)) {
            memcpy(s->x, last, s->nx*sizeof *last);
            *status = NOT_FINITE;
            return step - first;
        }
        normalise(s->nballs, s->balls, s->x);
    }
    return n;
}
