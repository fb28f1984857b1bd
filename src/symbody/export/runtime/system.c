/* NAME: steps of fixed size around the generated functions; see NAME_system.h. */
#include <math.h>
#include <string.h>

#include "NAME_outputs.h"
#include "NAME_rates.h"
#include "NAME_system.h"

enum { NX = NAME_NX, NQ = NAME_NQ, NU = NAME_NU, NP = NAME_NP, ND = NAME_ND, NY = NAME_NY, NBALLS = NAME_NBALLS };
#define ROOM NAME_ROOM

/* BALLS: where in x a quaternion begins, and its angular velocity. VELOCITY: per coordinate, the place of its
   velocity; -1 within a quaternion. */
VALUES

static int finite_all(int n, const double *x)
{
    int k;
    for (k = 0; k < n; k++)
        if (!isfinite(x[k]))
            return 0;
    return 1;
}

/* y = x + c d */
static void add_to(int n, const double *x, double c, const double *d, double *y)
{
    int k;
    for (k = 0; k < n; k++)
        y[k] = x[k] + c*d[k];
}

static void normalise(double *x)
{
    int k;
    for (k = 0; k < NBALLS; k++) {
        double *e = x + BALLS[2*k];
        add_to(4, e, 1.0/sqrt(e[0]*e[0] + e[1]*e[1] + e[2]*e[2] + e[3]*e[3]) - 1.0, e, e);
    }
}

/* dx/dt at x, some time ahead of now; the dependent coordinates that it finds are the next guess. */
static int rates(NAME_system *s, double ahead, const double *x, double *xd, double *pivots)
{
    double u[ROOM(NU)], v[ROOM(ND)];
    const double t = s->t + ahead, *in[4] = {&t, x, u, s->guess};
    double *out[3] = {xd, v, pivots};
    add_to(NU, s->u, ahead, s->slope, u);
    NAME_rates_call(in, out, s->rates_h);
    if (!finite_all(ND, v))
        return NAME_NOT_CLOSED;
    memcpy(s->guess, v, ND*sizeof *v);
    return finite_all(NX, xd) ? NAME_DONE : NAME_NOT_FINITE;
}

static int near_singular(const NAME_system *s, const double *pivots)
{
    int k;
    for (k = 0; k < ND; k++)
        if (!(pivots[k]/s->pivots[k] > WATCH))
            return 1;
    return 0;
}

void NAME_reset(NAME_system *s)
{
    memset(s, 0, sizeof *s);
    memcpy(s->x, START_X, sizeof START_X);
    memcpy(s->u, START_U, sizeof START_U);
    memcpy(s->p, START_P, sizeof START_P);
    memcpy(s->guess, START_GUESS, sizeof START_GUESS);
    NAME_tune(s);
}

void NAME_tune(NAME_system *s)
{
#if NAME_RATES_H > 0
    NAME_rates_hoist(s->p, s->rates_h);
#endif
#if NAME_OUTPUTS_H > 0
    NAME_outputs_hoist(s->p, s->outputs_h);
#endif
    (void)s;
}

/* a + share (b - a), exactly b at the end */
static void between(int n, const double *a, const double *b, double share, double *y)
{
    int k;
    for (k = 0; k < n; k++)
        y[k] = share < 1.0 ? a[k] + share*(b[k] - a[k]) : b[k];
}

/* How many times the largest change of a number is a tenth of one, or of a parameter a twentieth of itself. */
static int strides_to(const double *x, const double *u, const double *p)
{
    double largest = 1.0;
    int k;
    for (k = 0; k < NQ; k++)
        largest = fmax(largest, fabs(x[k] - START_X[k])/0.1);
    for (k = 0; k < NU; k++)
        largest = fmax(largest, fabs(u[k] - START_U[k])/0.1);
    for (k = 0; k < NP; k++)
        largest = fmax(largest, fabs(p[k] - START_P[k])/(0.05*fabs(START_P[k]) + 1e-9));
    return ND > 0 ? (int)ceil(fmin(largest, 100.0)) : 1;
}

/* Newton's method finds what is near: the wanted start is approached from the model's in strides. */
int NAME_begin(NAME_system *s)
{
    double x[ROOM(NX)], u[ROOM(NU)], p[ROOM(NP)], xd[ROOM(NX)];
    const double t = s->t;
    int strides, k, status = NAME_NOT_CLOSED;
    memcpy(x, s->x, sizeof x);
    memcpy(u, s->u, sizeof u);
    memcpy(p, s->p, sizeof p);
    normalise(x);
    for (strides = strides_to(x, u, p); strides <= 2000 && status == NAME_NOT_CLOSED; strides *= 4) {
        memcpy(s->guess, START_GUESS, sizeof START_GUESS);
        for (k = 1; k <= strides && (k == 1 || status != NAME_NOT_CLOSED); k++) {
            const double share = (double)k/strides;
            s->t = share*t;
            between(NX, START_X, x, share, s->x);
            between(NU, START_U, u, share, s->u);
            between(NP, START_P, p, share, s->p);
            normalise(s->x);
            NAME_tune(s);
            status = rates(s, 0.0, s->x, xd, s->pivots);
        }
    }
    s->t = t;
    memcpy(s->x, x, NX*sizeof *x);
    memcpy(s->u, u, sizeof u);
    memcpy(s->p, p, sizeof p);
    NAME_tune(s);
    return status;
}

int NAME_derivatives(NAME_system *s, double xd[])
{
    double pivots[ROOM(ND)], kept[ROOM(ND)];
    int status = rates(s, 0.0, s->x, xd, pivots);
    if (status != NAME_NOT_CLOSED)
        return status;
    memcpy(kept, s->guess, sizeof kept);
    memcpy(s->guess, START_GUESS, sizeof START_GUESS);
    status = rates(s, 0.0, s->x, xd, pivots);
    if (status == NAME_NOT_CLOSED)
        memcpy(s->guess, kept, sizeof kept);
    return status;
}

int NAME_observe(NAME_system *s, double y[])
{
    const double *in[4] = {&s->t, s->x, s->u, s->guess};
    double *out[1] = {y};
    NAME_outputs_call(in, out, s->outputs_h);
    return finite_all(NY, y) ? NAME_DONE : NAME_NOT_FINITE;
}

/* The slopes at the beginning of a step, if it may be made. */
static int beginning(NAME_system *s, double *d)
{
    double pivots[ROOM(ND)];
    const int status = rates(s, 0.0, s->x, d, pivots);
    return status == NAME_DONE && near_singular(s, pivots) ? NAME_NEAR_SINGULAR : status;
}

int NAME_watch(NAME_system *s)
{
    double xd[ROOM(NX)];
    return beginning(s, xd);
}

/* The end of a step: the new state, if it is one. */
static int taken(NAME_system *s, double dt, double *x)
{
    if (!finite_all(NX, x))
        return NAME_NOT_FINITE;
    normalise(x);
    memcpy(s->x, x, NX*sizeof *x);
    add_to(NU, s->u, dt, s->slope, s->u);
    s->t += dt;
    return NAME_DONE;
}

int NAME_step(NAME_system *s, double dt)
{
    static const double REACH[3] = {0.5, 0.5, 1.0}, WEIGHT[3] = {2.0, 2.0, 1.0};
    double d[ROOM(NX)], sum[ROOM(NX)], x[ROOM(NX)], pivots[ROOM(ND)];
    int stage, status = beginning(s, d);
    memcpy(sum, d, NX*sizeof *d);
    for (stage = 0; stage < 3 && status == NAME_DONE; stage++) {
        add_to(NX, s->x, REACH[stage]*dt, d, x);
        status = rates(s, REACH[stage]*dt, x, d, pivots);
        add_to(NX, sum, WEIGHT[stage], d, sum);
    }
    if (status != NAME_DONE)
        return status;
    add_to(NX, s->x, dt/6.0, sum, x);
    return taken(s, dt, x);
}

int NAME_step_semi_implicit(NAME_system *s, double dt)
{
    double d[ROOM(NX)], x[ROOM(NX)];
    int k, status = beginning(s, d);
    if (status != NAME_DONE)
        return status;
    memcpy(x, s->x, sizeof x);
    add_to(NX - NQ, x + NQ, dt, d + NQ, x + NQ);
    for (k = 0; k < NQ; k++)
        if (VELOCITY[k] >= 0)
            x[k] += dt*x[VELOCITY[k]];
    for (k = 0; k < NBALLS; k++) {
        double *q = x + BALLS[2*k], e[4];
        const double *w = x + BALLS[2*k + 1];
        e[0] = -q[1]*w[0] - q[2]*w[1] - q[3]*w[2];
        e[1] = q[0]*w[0] + q[2]*w[2] - q[3]*w[1];
        e[2] = q[0]*w[1] + q[3]*w[0] - q[1]*w[2];
        e[3] = q[0]*w[2] + q[1]*w[1] - q[2]*w[0];
        add_to(4, q, 0.5*dt, e, q);
    }
    return taken(s, dt, x);
}
