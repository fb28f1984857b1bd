/* Implicit steps of positions and states together, by Newton's method (Jaiswal 2.4); nothing is allocated.

   Unknowns of a step are the increments z of the coordinates (of a quaternion: a rotation vector) and the new states y.
   Velocities, accelerations and rates follow from them by the generalised-alpha rule (Arnold and Bruels 2007; with
   alpha_m = alpha_f = 0, beta = 1/4, gamma = 1/2 the trapezoidal rule), A and Y being its own accelerations and rates:
     z = dt v0 + dt^2 ((1/2 - beta) A0 + beta A1),    v1 = v0 + dt ((1 - gamma) A0 + gamma A1),
     y1 = y0 + dt ((1 - gamma) Y0 + gamma Y1),
     (1 - alpha_m) A1 + alpha_m A0 = (1 - alpha_f) a1 + alpha_f a0,    and so for Y and the rates f.
   Generated functions give the correction of a trial, with the exact tangent or with one that was kept; or the residual
   alone, from which the tangent is found by differences. Where multipliers hold the loops they take up alpha h after
   every iteration, and velocities and accelerations are projected at the end. */
#include "steps.h"

#include "newton.h"


typedef struct {
    generated call;
    const double *h;
} program_t;

enum { EXACT, KEPT, NUMERICAL };
enum { PATIENT = 6 }; /* whole corrections, then halves, then quarters: between pieces of a law it may go to and fro */
enum { SHORT = 3 }; /* iterations within which a tangent that was kept must do, else a new one is made */
static const double SURE = 1e-2; /* its corrections shrink by a factor each time, not to their squares: stop later */

typedef struct {
    program_t newton, again, residual, gaps, projection, outputs, limits;
    long nx, nq, nv, nu, nd, ns, nh, ny, nl, nballs;
    const long *velocity; /* per coordinate in x, the place in x of its velocity; -1 within a quaternion */
    const long *balls;    /* pairs: where in x a unit quaternion begins, and its angular velocity */
    const long *place;    /* per increment, the place in x of its coordinate; -1 for a quaternion */
    const double *pivots; /* at the beginning */
    const double *u;
    const double *scale;        /* of each unknown: how far Newton's method may stop from a solution */
    double *x, *guess, *last, *before; /* state; dependent coordinates: last evaluation, last step, the one before */
    double *a, *A, *f, *Y;      /* accelerations and rates at x, and those of the rule */
    double *lambda, *F;         /* multipliers; factors of the last tangent */
    double *work;               /* see `lay_out` */
    double *counts;             /* iterations of each step, or nothing */
    double watch, dt, beta, gamma, alpha_m, alpha_f, alpha;
    long row, limit, tangent, strict, kept, iterations, most, capped;
} monolithic_t;

/* Arrays inside work. */
typedef struct {
    double *z, *y, *d, *x, *a, *A, *rate, *Y, *v, *pivots, *h, *lambda, *r, *S, *qd, *qdd, *room, c[4];
} places;

static places lay_out(const monolithic_t *s)
{
    const long n = s->nv, k = s->ns, all = n + k;
    double *p = s->work;
    places w;
    w.z = p, p += all; /* z and y side by side: one vector for Newton */
    w.y = w.z + n;
    w.d = p, p += all;
    w.x = p, p += s->nx;
    w.a = p, p += n;
    w.A = p, p += n;
    w.rate = p, p += k;
    w.Y = p, p += k;
    w.v = p, p += s->nd;
    w.pivots = p, p += s->nd;
    w.h = p, p += s->nh;
    w.lambda = p, p += s->nh;
    w.qd = p, p += n;
    w.qdd = p, p += n;
    w.room = p, p += s->nl;
    w.r = p, p += all;
    w.S = p; /* all^2, for the tangent by differences only */
    w.c[0] = (1.0 - s->alpha_m)/((1.0 - s->alpha_f)*s->beta*s->dt*s->dt);
    w.c[1] = s->gamma/(s->beta*s->dt);
    w.c[2] = (1.0 - s->alpha_m)/((1.0 - s->alpha_f)*s->gamma*s->dt);
    w.c[3] = s->alpha;
    return w;
}

/* x, accelerations and rates of the trial increments */
static void trial(const monolithic_t *s, const places *w)
{
    const double dt = s->dt, *v0 = s->x + s->nq, *y0 = v0 + s->nv;
    long k, i;
    for (k = 0; k < s->nq; k++)
        w->x[k] = s->velocity[k] >= 0 ? s->x[k] + w->z[s->velocity[k] - s->nq] : s->x[k];
    for (k = 0; k < s->nballs; k++) {
        const double *q = s->x + s->balls[2*k], *d = w->z + s->balls[2*k + 1] - s->nq;
        const double turn = sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2]);
        const double c = cos(0.5*turn), e = turn > 1e-8 ? sin(0.5*turn)/turn : 0.5;
        const double x = e*d[0], y = e*d[1], z = e*d[2];
        double *to = w->x + s->balls[2*k];
        to[0] = q[0]*c - q[1]*x - q[2]*y - q[3]*z;
        to[1] = q[0]*x + q[1]*c + q[2]*z - q[3]*y;
        to[2] = q[0]*y + q[2]*c + q[3]*x - q[1]*z;
        to[3] = q[0]*z + q[3]*c + q[1]*y - q[2]*x;
    }
    for (i = 0; i < s->nv; i++) {
        w->A[i] = ((w->z[i]/dt - v0[i])/dt - (0.5 - s->beta)*s->A[i])/s->beta;
        w->x[s->nq + i] = v0[i] + dt*((1.0 - s->gamma)*s->A[i] + s->gamma*w->A[i]);
        w->a[i] = ((1.0 - s->alpha_m)*w->A[i] + s->alpha_m*s->A[i] - s->alpha_f*s->a[i])/(1.0 - s->alpha_f);
    }
    for (i = 0; i < s->ns; i++) {
        w->Y[i] = ((w->y[i] - y0[i])/dt - (1.0 - s->gamma)*s->Y[i])/s->gamma;
        w->rate[i] = ((1.0 - s->alpha_m)*w->Y[i] + s->alpha_m*s->Y[i] - s->alpha_f*s->f[i])/(1.0 - s->alpha_f);
        w->x[s->nq + s->nv + i] = w->y[i];
    }
}

/* The tangent column by column from differences of the residual, eps = 1e-8 max(1e-2, |x|), and d by elimination. */
static void by_differences(const monolithic_t *s, const places *w, const double *const *in)
{
    const long n = s->nv + s->ns;
    double *out[3] = {w->d, w->v, w->pivots};
    long i, k;
    s->residual.call(in, out, s->residual.h);
    memcpy(w->r, w->d, n*sizeof(double));
    for (k = 0; k < n; k++) {
        const double kept = w->z[k], size = k >= s->nv ? kept : s->place[k] >= 0 ? w->x[s->place[k]] : 0.0;
        const double eps = 1e-8*fmax(1e-2, fabs(size));
        w->z[k] = kept + eps;
        trial(s, w);
        s->residual.call(in, out, s->residual.h);
        for (i = 0; i < n; i++)
            w->S[i*n + k] = (w->d[i] - w->r[i])/eps;
        w->z[k] = kept;
    }
    trial(s, w);
    memset(w->d, 0, n*sizeof(double));
    newton_step((int)n, w->r, w->S, w->d); /* d = 0 - S^-1 r */
    for (i = 0; i < n; i++)
        w->d[i] = -w->d[i];
}

/* One iteration: z and y corrected. How far they moved, in units of what is allowed; NaN where there is no correction. */
static double corrected(monolithic_t *s, const places *w, const double *const *in, double share)
{
    const long n = s->nv + s->ns;
    double *out[4] = {w->d, s->F, w->v, w->pivots}, *short_out[3] = {w->d, w->v, w->pivots}, moved = 0.0;
    long i;
    if (s->tangent == NUMERICAL)
        by_differences(s, w, in);
    else if (!s->kept)
        s->newton.call(in, out, s->newton.h);
    else
        s->again.call(in, short_out, s->again.h);
    if (finite_all(s->nd, w->v))
        memcpy(s->guess, w->v, s->nd*sizeof(double));
    for (i = 0; i < n; i++) {
        w->z[i] -= share*w->d[i];
        moved = fmax(moved, fabs(w->d[i])/s->scale[i]);
    }
    return finite_all(n, w->d) ? moved : NAN;
}

/* From the prediction to where corrections are below `enough` of what is allowed, in at most `limit` iterations, which
   are counted; whether they are. */
static int solved(monolithic_t *s, const places *w, const double *const *in, double enough, long limit, long *iterations)
{
    const double dt = s->dt, *v0 = s->x + s->nq;
    double *loop[3] = {w->h, w->v, w->pivots}, moved = 0.0;
    long i, j;
    for (i = 0; i < s->nv; i++)
        w->z[i] = dt*v0[i] + 0.5*dt*dt*s->A[i];
    for (i = 0; i < s->ns; i++)
        w->y[i] = v0[s->nv + i] + dt*s->f[i];
    for (i = 0; i < s->nd; i++) /* dependent coordinates go on as they went in the last step */
        s->guess[i] = 2.0*s->last[i] - s->before[i];
    memcpy(w->lambda, s->lambda, s->nh*sizeof(double));
    trial(s, w);
    for (j = 0; j < limit; j++) {
        moved = corrected(s, w, in, j < PATIENT ? 1.0 : j < 2*PATIENT ? 0.5 : 0.25);
        trial(s, w);
        if (s->nh) {
            s->gaps.call(in, loop, s->gaps.h);
            for (i = 0; i < s->nh; i++)
                w->lambda[i] += s->alpha*w->h[i];
        }
        ++*iterations;
        if (!(moved > enough))
            break;
    }
    return moved <= enough;
}

static int take_step(monolithic_t *s, const places *w, long step)
{
    const long n = s->nv, k = s->ns;
    const double t = (step + 1)*s->dt;
    const double *in[9] = {&t, w->x, s->u + s->row*(step + 1), s->guess, w->a, w->rate, w->lambda, w->c, s->F};
    double *allowed[4] = {w->qd, w->qdd, w->v, w->pivots};
    long count = 0;
    int arrived = s->kept && solved(s, w, in, SURE, SHORT, &count);
    if (!arrived) {
        s->kept = 0;
        arrived = solved(s, w, in, 1.0, s->limit, &count);
        s->kept = s->tangent == KEPT;
    }
    if (!finite_all(s->nx, w->x))
        return NOT_FINITE;
    if (!arrived && s->strict)
        return NOT_CONVERGED;
    s->capped += !arrived;
    s->iterations += count;
    s->most = count > s->most ? count : s->most;
    if (s->counts)
        *s->counts++ = (double)count;
    if (shrunk(s->nd, w->pivots, s->pivots, s->watch))
        return NEAR_SINGULAR;
    if (s->nh) {
        if (s->tangent == NUMERICAL) { /* the projections are weighted by the exact one */
            double *exact[4] = {w->d, s->F, w->v, w->pivots};
            s->newton.call(in, exact, s->newton.h);
        }
        s->projection.call(in, allowed, s->projection.h);
        memcpy(w->x + s->nq, w->qd, n*sizeof(double));
        memcpy(w->a, w->qdd, n*sizeof(double));
        if (s->alpha_m == 0.0 && s->alpha_f == 0.0)
            memcpy(w->A, w->qdd, n*sizeof(double));
        if (!finite_all(s->nx, w->x))
            return NOT_FINITE;
    }
    normalise(s->nballs, s->balls, w->x);
    memcpy(s->before, s->last, s->nd*sizeof(double));
    memcpy(s->last, s->guess, s->nd*sizeof(double));
    memcpy(s->x, w->x, s->nx*sizeof(double));
    memcpy(s->a, w->a, n*sizeof(double));
    memcpy(s->A, w->A, n*sizeof(double));
    memcpy(s->f, w->rate, k*sizeof(double));
    memcpy(s->Y, w->Y, k*sizeof(double));
    memcpy(s->lambda, w->lambda, s->nh*sizeof(double));
    return DONE;
}

/* n steps from step `first` on; outputs are recorded before each one whose number is a multiple of `every`. Returns
   the steps that were made; `status` says why where they are fewer. */
long integrate(monolithic_t *s, long first, long n, long every, double *path, int *status)
{
    const places w = lay_out(s);
    long step;
    *status = DONE;
    for (step = first; step < first + n; step++) {
        const double t = step*s->dt, *in[4] = {&t, s->x, s->u + s->row*step, s->guess};
        if (!within(s->limits.call, s->limits.h, in, s->nl, w.room)) {
            *status = BEYOND_LIMIT;
            break;
        }
        if (step % every == 0) {
            double *out[1] = {path};
            s->outputs.call(in, out, s->outputs.h);
            path += s->ny;
        }
        *status = take_step(s, &w, step);
        if (*status != DONE)
            break;
    }
    return step - first;
}
