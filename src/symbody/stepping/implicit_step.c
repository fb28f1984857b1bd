/* Implicit steps of positions and states together, by Newton's method (Jaiswal 2.4).

   Unknowns of a step are the increments z of the coordinates (of a quaternion: a rotation vector) and the new states
   y. Velocities, accelerations and rates follow from them by the generalised-alpha rule (Arnold and Bruels 2007; with
   alpha_m = alpha_f = 0, beta = 1/4, gamma = 1/2 it is the trapezoidal rule). A and Y are its own accelerations and
   rates:
     z = dt v0 + dt^2 ((1/2 - beta) A0 + beta A1),    v1 = v0 + dt ((1 - gamma) A0 + gamma A1),
     y1 = y0 + dt ((1 - gamma) Y0 + gamma Y1),
     (1 - alpha_m) A1 + alpha_m A0 = (1 - alpha_f) a1 + alpha_f a0,    and the same for Y and the rates f.
   Generated functions compute the correction of a trial with the exact tangent or with a kept one, or only the
   residual; then the tangent is computed by differences. If multipliers hold the loops, alpha h is added to them
   after every iteration, and velocities and accelerations are projected at the end. */
#include "../codegen/runtime/linear_algebra.h"
#include "fixed_step.h"

enum { EXACT, KEPT, NUMERICAL };
enum { PATIENT = 6 }; /* iterations with whole corrections, then with halves, then quarters: kinks of a law may cause cycles */
enum { SHORT = 3 }; /* iterations after which a kept tangent is computed anew */
static const double PROBE = 1e-3; /* of a step: where the slopes of pivots are measured */
static const double SURE = 1e-2; /* a kept tangent converges linearly, not quadratically: stop later */

typedef struct {
    fixed_t frame;
    generated newton;
    const double *newton_h;
    generated kept_tangent;
    const double *kept_tangent_h;
    generated residual;
    const double *residual_h;
    generated gaps;
    const double *gaps_h;
    generated projection;
    const double *projection_h;
    const int64_t *place;  /* for each increment, the place of its coordinate in x; -1 for a quaternion */
    const double *scale;   /* tolerance of Newton's method for each unknown */
    double *last, *before; /* dependent coordinates of the last step, and of the one before */
    double *spacing;       /* s, between them; 0: unknown */
    double *a, *A, *f, *Y; /* accelerations and rates at x, and those of the rule */
    double *lambda, *F;    /* multipliers; factors of the last tangent */
    double *z, *d;         /* unknowns of the trial, z and then y; their correction */
    double *trial_x, *trial_a, *trial_A, *trial_f, *trial_Y, *trial_lambda;
    double *h, *qd, *qdd;  /* gaps; velocities and accelerations that the loops allow */
    double *r, *S;         /* residual and tangent by differences */
    int64_t *order;        /* rows that the factorisation of the tangent swapped */
    double *c;             /* derivatives of accelerations, velocities and rates by the unknowns; alpha */
    double *held;          /* the inputs to which a and f belong, for steps that are called one by one */
    double *counts;        /* iterations of each step, or NULL */
    double beta, gamma, alpha_m, alpha_f, alpha;
    int64_t nh, limit, tangent, strict, kept, iterations, most, capped;
} implicit_t;

/* x, accelerations and rates of the trial increments */
static void trial(const implicit_t *w)
{
    const fixed_t *s = &w->frame;
    const double dt = s->dt, *v0 = s->x + s->nq, *y0 = v0 + s->nv, *y = w->z + s->nv;
    double *to_x = w->trial_x;
    int64_t k, i;
    for (k = 0; k < s->nq; k++)
        to_x[k] = s->velocity[k] >= 0 ? s->x[k] + w->z[s->velocity[k] - s->nq] : s->x[k];
    for (k = 0; k < s->nballs; k++) {
        const double *q = s->x + s->balls[2*k], *d = w->z + s->balls[2*k + 1] - s->nq;
        const double turn = sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2]);
        const double c = cos(0.5*turn), e = turn > 1e-8 ? sin(0.5*turn)/turn : 0.5;
        const double dx = e*d[0], dy = e*d[1], dz = e*d[2];
        double *to = to_x + s->balls[2*k];
        to[0] = q[0]*c - q[1]*dx - q[2]*dy - q[3]*dz;
        to[1] = q[0]*dx + q[1]*c + q[2]*dz - q[3]*dy;
        to[2] = q[0]*dy + q[2]*c + q[3]*dx - q[1]*dz;
        to[3] = q[0]*dz + q[3]*c + q[1]*dy - q[2]*dx;
    }
    for (i = 0; i < s->nv; i++) {
        w->trial_A[i] = ((w->z[i]/dt - v0[i])/dt - (0.5 - w->beta)*w->A[i])/w->beta;
        to_x[s->nq + i] = v0[i] + dt*((1.0 - w->gamma)*w->A[i] + w->gamma*w->trial_A[i]);
        w->trial_a[i] = ((1.0 - w->alpha_m)*w->trial_A[i] + w->alpha_m*w->A[i] - w->alpha_f*w->a[i])/(1.0 - w->alpha_f);
    }
    for (i = 0; i < s->ns; i++) {
        w->trial_Y[i] = ((y[i] - y0[i])/dt - (1.0 - w->gamma)*w->Y[i])/w->gamma;
        w->trial_f[i] = ((1.0 - w->alpha_m)*w->trial_Y[i] + w->alpha_m*w->Y[i] - w->alpha_f*w->f[i])/(1.0 - w->alpha_f);
        to_x[s->nq + s->nv + i] = y[i];
    }
}

/* The tangent S column by column from differences of the residual, eps = 1e-8 max(1e-2, |x|); d = S^-1 r, NaN if S is
   singular. */
static void by_differences(const implicit_t *w, const double *const *in)
{
    const fixed_t *s = &w->frame;
    const int64_t n = s->nv + s->ns;
    double *out[3] = {w->d, s->v, s->pivot};
    int64_t i, k;
    int found;
    w->residual(in, out, w->residual_h);
    memcpy(w->r, w->d, n*sizeof(double));
    for (k = 0; k < n; k++) {
        const double kept = w->z[k], size = k >= s->nv ? kept : w->place[k] >= 0 ? w->trial_x[w->place[k]] : 0.0;
        const double eps = 1e-8*fmax(1e-2, fabs(size));
        w->z[k] = kept + eps;
        trial(w);
        w->residual(in, out, w->residual_h);
        for (i = 0; i < n; i++)
            w->S[i*n + k] = (w->d[i] - w->r[i])/eps;
        w->z[k] = kept;
    }
    trial(w);
    found = solve_scaled(n, w->S, w->order, w->r);
    for (i = 0; i < n; i++)
        w->d[i] = found ? w->r[i] : NAN;
}

/* One iteration of z and y. Returns the largest correction relative to its tolerance; NaN if it is not finite. */
static double corrected(implicit_t *w, const double *const *in, double share)
{
    const fixed_t *s = &w->frame;
    const int64_t n = s->nv + s->ns;
    double *out[4] = {w->d, w->F, s->v, s->pivot}, *short_out[3] = {w->d, s->v, s->pivot}, moved = 0.0;
    int64_t i;
    if (w->tangent == NUMERICAL)
        by_differences(w, in);
    else if (!w->kept)
        w->newton(in, out, w->newton_h);
    else
        w->kept_tangent(in, short_out, w->kept_tangent_h);
    if (finite_all(s->nd, s->v))
        memcpy(s->guess, s->v, s->nd*sizeof(double));
    for (i = 0; i < n; i++) {
        w->z[i] -= share*w->d[i];
        moved = fmax(moved, fabs(w->d[i])/w->scale[i]);
    }
    return finite_all(n, w->d) ? moved : NAN;
}

/* Iterate from the prediction until corrections are below `enough` tolerances, at most `limit` times; counts
   iterations. Returns whether it converged. */
static int solved(implicit_t *w, const double *const *in, double enough, int64_t limit, int64_t *iterations)
{
    const fixed_t *s = &w->frame;
    const double dt = s->dt, *v0 = s->x + s->nq, onward = *w->spacing > 0.0 ? dt/ *w->spacing : 0.0;
    double *loop[3] = {w->h, s->v, s->pivot}, *y = w->z + s->nv, moved = 0.0;
    int64_t i, j;
    for (i = 0; i < s->nv; i++)
        w->z[i] = dt*v0[i] + 0.5*dt*dt*w->A[i];
    for (i = 0; i < s->ns; i++)
        y[i] = v0[s->nv + i] + dt*w->f[i];
    for (i = 0; i < s->nd; i++) /* dependent coordinates continue as in the last step */
        s->guess[i] = w->last[i] + onward*(w->last[i] - w->before[i]);
    memcpy(w->trial_lambda, w->lambda, w->nh*sizeof(double));
    trial(w);
    for (j = 0; j < limit; j++) {
        moved = corrected(w, in, j < PATIENT ? 1.0 : j < 2*PATIENT ? 0.5 : 0.25);
        trial(w);
        if (w->nh) {
            w->gaps(in, loop, w->gaps_h);
            for (i = 0; i < w->nh; i++)
                w->trial_lambda[i] += w->alpha*w->h[i];
        }
        ++*iterations;
        if (!(moved > enough))
            break;
    }
    return moved <= enough;
}

static int begin(fixed_t *s, int64_t step)
{
    (void)step;
    memcpy(s->now, s->pivot, s->npivots*sizeof *s->now);
    memcpy(s->begun_at, s->guess, s->nd*sizeof *s->guess);
    return DONE;
}

/* Whether a pivot, extrapolated linearly from the beginning of a step, vanishes within it. */
static int vanishes(const implicit_t *w, int64_t step)
{
    const fixed_t *s = &w->frame;
    int64_t k;
    int found = 0;
    rates_at(s, step, 0.0, s->x, s->rate);
    add_to(s->nx, s->x, PROBE*s->dt, s->rate, w->trial_x);
    rates_at(s, step, PROBE, w->trial_x, s->next);
    for (k = 0; k < s->npivots; k++)
        found |= !((s->now[k] + (s->pivot[k] - s->now[k])/PROBE)*s->now[k] > 0.0);
    memcpy(s->guess, s->begun_at, s->nd*sizeof *s->guess);
    memcpy(s->pivot, s->now, s->npivots*sizeof *s->now);
    return found;
}

/* Whether a step would reach a singular position. A step has no stages, and the loops could return from there with the
   same pivots. Without two earlier steps the pivots are probed. */
static int is_short_of_singular(implicit_t *w, int64_t step)
{
    fixed_t *s = &w->frame;
    if (s->npivots == 0)
        return 0;
    return isnan(s->past[s->npivots]) ? vanishes(w, step) : foreseen(s) != DONE;
}

static int advance(fixed_t *s, int64_t step, double *next)
{
    implicit_t *w = (implicit_t *)s;
    const int64_t n = s->nv, k = s->ns;
    const double t = s->t0 + (step + 1)*s->dt, dt = s->dt;
    const double *in[9] = {&t, w->trial_x, s->u + s->row*(step + 1), s->guess, w->trial_a, w->trial_f, w->trial_lambda,
                           w->c, w->F};
    double *allowed[4] = {w->qd, w->qdd, s->v, s->pivot};
    int64_t count = 0;
    int arrived;
    if (is_short_of_singular(w, step))
        return TOO_COARSE;
    w->c[0] = (1.0 - w->alpha_m)/((1.0 - w->alpha_f)*w->beta*dt*dt);
    w->c[1] = w->gamma/(w->beta*dt);
    w->c[2] = (1.0 - w->alpha_m)/((1.0 - w->alpha_f)*w->gamma*dt);
    w->c[3] = w->alpha;
    if (dt != *w->spacing)
        w->kept = 0; /* a tangent belongs to one dt */
    arrived = w->kept && solved(w, in, SURE, SHORT, &count);
    if (!arrived) {
        w->kept = 0;
        arrived = solved(w, in, 1.0, w->limit, &count);
        w->kept = w->tangent == KEPT;
    }
    if (!finite_all(s->nx, w->trial_x))
        return NOT_FINITE;
    if (is_coarse(s, 1.0))
        return TOO_COARSE;
    if (!arrived && w->strict)
        return NOT_CONVERGED;
    w->capped += !arrived;
    w->iterations += count;
    w->most = count > w->most ? count : w->most;
    if (w->counts && s->part)
        w->counts[-1] += (double)count;
    else if (w->counts)
        *w->counts++ = (double)count;
    if (!s->part && shrunk(s->npivots, s->pivot, s->pivots, s->watch))
        return NEAR_SINGULAR;
    if (w->nh) {
        if (w->tangent == NUMERICAL) { /* the projections are weighted by the exact tangent */
            double *exact[4] = {w->d, w->F, s->v, s->pivot};
            w->newton(in, exact, w->newton_h);
        }
        w->projection(in, allowed, w->projection_h);
        memcpy(w->trial_x + s->nq, w->qd, n*sizeof(double));
        memcpy(w->trial_a, w->qdd, n*sizeof(double));
        if (w->alpha_m == 0.0 && w->alpha_f == 0.0)
            memcpy(w->trial_A, w->qdd, n*sizeof(double));
        if (!finite_all(s->nx, w->trial_x))
            return NOT_FINITE;
    }
    memcpy(next, w->trial_x, s->nx*sizeof(double));
    memcpy(w->before, w->last, s->nd*sizeof(double));
    memcpy(w->last, s->guess, s->nd*sizeof(double));
    *w->spacing = dt;
    memcpy(w->a, w->trial_a, n*sizeof(double));
    memcpy(w->A, w->trial_A, n*sizeof(double));
    memcpy(w->f, w->trial_f, k*sizeof(double));
    memcpy(w->Y, w->trial_Y, k*sizeof(double));
    memcpy(w->lambda, w->trial_lambda, w->nh*sizeof(double));
    return DONE;
}

/* take a state over; compute accelerations and rates again if the state or the inputs have changed */
static void renew(fixed_t *s, const double *x)
{
    implicit_t *w = (implicit_t *)s;
    const int moved = memcmp(x, s->x, s->nx*sizeof *x) != 0;
    const double *a = s->rate + s->nq, *f = a + s->nv;
    if (!moved && memcmp(s->u, w->held, s->nu*sizeof *s->u) == 0)
        return;
    memcpy(s->x, x, s->nx*sizeof *x);
    memcpy(w->held, s->u, s->nu*sizeof *s->u);
    rates_at(s, 0, 0.0, s->x, s->rate);
    memcpy(w->a, a, s->nv*sizeof *a);
    memcpy(w->A, a, s->nv*sizeof *a);
    memcpy(w->f, f, s->ns*sizeof *f);
    memcpy(w->Y, f, s->ns*sizeof *f);
    if (moved) {
        memcpy(w->last, s->guess, s->nd*sizeof *w->last);
        memcpy(w->before, s->guess, s->nd*sizeof *w->before);
        *w->spacing = 0.0;
        w->kept = 0;
    }
}

STEPPER(implicit_t, begin, advance, renew)
