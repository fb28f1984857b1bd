/* NAME: steps of fixed size around the generated functions; see NAME_system.h. */
#include "NAME_outputs.h"
#include "NAME_rates.h"
#include "NAME_system.h"

HEADERS

enum { NX = NAME_NX, NQ = NAME_NQ, NU = NAME_NU, NP = NAME_NP, ND = NAME_ND, NY = NAME_NY, NBALLS = NAME_NBALLS,
       NPIVOTS = NAME_NPIVOTS };
#define ROOM NAME_ROOM

/* BALLS: where in x a quaternion begins, and its angular velocity. VELOCITY: per coordinate, the place of its
   velocity; -1 within a quaternion. */
VALUES

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
    normalise(NBALLS, BALLS, x);
    for (strides = strides_to(x, u, p); strides <= 2000 && status == NAME_NOT_CLOSED; strides *= 4) {
        memcpy(s->guess, START_GUESS, sizeof START_GUESS);
        for (k = 1; k <= strides && (k == 1 || status != NAME_NOT_CLOSED); k++) {
            const double share = (double)k/strides;
            s->t = share*t;
            between(NX, START_X, x, share, s->x);
            between(NU, START_U, u, share, s->u);
            between(NP, START_P, p, share, s->p);
            normalise(NBALLS, BALLS, s->x);
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
    double pivots[ROOM(NPIVOTS)], kept[ROOM(ND)];
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
    double pivots[ROOM(NPIVOTS)];
    const int status = rates(s, 0.0, s->x, d, pivots);
    return status == NAME_DONE && shrunk(NPIVOTS, pivots, s->pivots, WATCH) ? NAME_NEAR_SINGULAR : status;
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
    normalise(NBALLS, BALLS, x);
    memcpy(s->x, x, NX*sizeof *x);
    add_to(NU, s->u, dt, s->slope, s->u);
    s->t += dt;
    return NAME_DONE;
}

typedef struct {
    NAME_system *s;
    double dt;
} stage;

static int stage_rates(void *of, double share, const double *x, double *xd)
{
    const stage *at = of;
    double pivots[ROOM(NPIVOTS)];
    return rates(at->s, share*at->dt, x, xd, pivots);
}

int NAME_step(NAME_system *s, double dt)
{
    double d[ROOM(NX)], x[ROOM(NX)], work[3*ROOM(NX)];
    stage at = {s, dt};
    int status = beginning(s, d);
    if (status == NAME_DONE)
        status = rk4_step(stage_rates, &at, NX, dt, s->x, d, work, x);
    return status == NAME_DONE ? taken(s, dt, x) : status;
}

int NAME_step_semi_implicit(NAME_system *s, double dt)
{
    double d[ROOM(NX)], x[ROOM(NX)];
    const int status = beginning(s, d);
    if (status != NAME_DONE)
        return status;
    semi_implicit_step(NX, NQ, VELOCITY, NBALLS, BALLS, dt, s->x, d, x);
    return taken(s, dt, x);
}
