/* An error-state Kalman filter around the steps of a system, with the formulas of error_state.py.

   A step: derivatives of the model, P <- F P F' + Q (transition.h), and the model's own step; then one measurement
   after the other. Their noises are independent, so that no matrix is inverted. P belongs to the n errors of the
   state, then to m unknown inputs and parameters. The first g of these are estimated. The others are considered: they
   have no gain, and their own covariance stays diagonal. */
#ifndef ESTIMATION_FILTER_H
#define ESTIMATION_FILTER_H

#include <math.h>
#include <string.h>

#include "../codegen/runtime/linear_algebra.h"
#include "../codegen/runtime/steps.h"
#include "filter_t.h"
#include "transition.h"

/* P <- P + Q: sigma^2 [[dt^3/3, dt^2/2], [dt^2/2, dt]] for coordinates and velocities, dt elsewhere */
static inline void add_noise(filter_t *f)
{
    const int64_t w = f->n + f->m, nv = f->nv;
    const double dt = f->dt;
    int64_t i;
    for (i = 0; i < w; i++)
        f->P[w*i + i] += f->densities[i]*f->densities[i]*dt;
    for (i = 0; i < nv; i++) {
        const double rate = f->densities[nv + i]*f->densities[nv + i];
        f->P[w*i + i] += rate*dt*dt*dt/3.0;
        f->P[w*i + nv + i] += rate*dt*dt/2.0;
        f->P[w*(nv + i) + i] += rate*dt*dt/2.0;
    }
}

/* P <- [F G] P [F G]' for the state, [F G] P between the state and the unknowns */
static inline void spread(filter_t *f)
{
    const int64_t n = f->n, m = f->m, g = f->g, w = n + m, known = n + g;
    double *P = f->P, *W = f->W, *T = f->T;
    int64_t i, j;
    memset(W, 0, n*w*sizeof *W);
    add_product(n, n, w, f->F, n, P, w, W, w);
    add_product(n, g, w, f->G, m, P + w*n, w, W, w);
    add_product(n, m - g, known, f->G + g, m, P + w*known, w, W, w);
    for (i = 0; i < n; i++) {
        for (j = known; j < w; j++)
            W[w*i + j] += f->G[m*i + j - n]*P[w*j + j];
        for (j = 0; j < n; j++)
            T[n*j + i] = f->F[n*i + j];
        for (j = 0; j < m; j++)
            T[n*(n + j) + i] = f->G[m*i + j];
    }
    for (i = 0; i < n; i++)
        memset(P + w*i, 0, n*sizeof *P);
    for (i = 0; i < n; i += 4) { /* four rows, up to the diagonal */
        const int64_t rows = n - i < 4 ? n - i : 4;
        add_product(rows, w, i + rows, W + w*i, w, T, n, P + w*i, w);
    }
    for (i = 0; i < n; i++) {
        for (j = 0; j < i; j++)
            P[w*j + i] = P[w*i + j];
        for (j = n; j < w; j++)
            P[w*i + j] = P[w*j + i] = W[w*i + j];
    }
}

static inline int predict_step(filter_t *f)
{
    const double *in[4] = {&f->t, f->x, f->u, f->guess};
    double *out[2] = {f->A, f->G};
    int status, found;
    f->slopes(in, out, f->slopes_h);
    memset(f->A + f->n*f->moving, 0, (f->n - f->moving)*f->n*sizeof *f->A);
    memset(f->G + f->m*f->moving, 0, (f->n - f->moving)*f->m*sizeof *f->G);
    found = f->degree ? step_transition(f) : exponential(f);
    status = f->advance(f->stepper, f->x, f->substeps); /* before the check of F: its status names the reason */
    if (status == DONE && !found)
        status = NOT_FINITE;
    if (status == DONE) {
        spread(f);
        add_noise(f);
        memcpy(f->x, f->stepped, f->n*sizeof *f->x);
        f->t += f->dt;
    }
    return status;
}

/* to <- to + P h with the lower half of a symmetric P; `from`: the column of the first element of h. Most of h is
   zero */
static inline void add_slope(int64_t w, const double *P, int64_t count, int64_t from, const double *h, double *to)
{
    int64_t i, j;
    for (j = from; j < from + count; j++) {
        const double slope = h[j - from];
        if (slope == 0.0)
            continue;
        for (i = 0; i < j; i++)
            to[i] += slope*P[w*j + i];
        for (; i < w; i++)
            to[i] += slope*P[w*i + j];
    }
}

/* correct by measurements z; values that are not finite are ignored, values beyond the gate are refused */
static inline int correct_by(filter_t *f, const double *z)
{
    const int64_t n = f->n, m = f->m, w = n + m, gaining = n + f->g;
    const double *in[4] = {&f->t, f->x, f->u, f->guess};
    double *out[3] = {f->y, f->H, f->J}, *dx = f->d, *Ph = f->W, *P = f->P;
    int64_t i, j, k, made = 0;
    int status = DONE;
    for (k = 0; k < f->nz; k++) {
        f->innovation[k] = f->share[k] = NAN;
        made += isfinite(z[k]) != 0;
    }
    memset(dx, 0, w*sizeof *dx);
    if (!made)
        return DONE;
    f->sensors(in, out, f->sensors_h);
    for (k = 0; k < f->nz; k++) {
        const double *h = f->H + n*k, *hp = f->J + m*k;
        double y = z[k] - f->y[k], S = f->R[k];
        if (!isfinite(z[k]))
            continue;
        memset(Ph, 0, w*sizeof *Ph);
        add_slope(w, P, n, 0, h, Ph);
        add_slope(w, P, m, n, hp, Ph);
        for (i = 0; i < n; i++) {
            S += h[i]*Ph[i];
            y -= h[i]*dx[i];
        }
        for (i = n; i < w; i++) {
            S += hp[i - n]*Ph[i];
            y -= hp[i - n]*dx[i];
        }
        if (!(S > 0.0) || !isfinite(S) || !isfinite(y)) {
            status = NOT_FINITE;
            break;
        }
        f->innovation[k] = z[k] - f->y[k];
        f->share[k] = y*y/S;
        if (f->share[k] > f->gate)
            continue;
        for (i = 0; i < gaining; i++) {
            f->gain[i] = Ph[i]/S;
            dx[i] += f->gain[i]*y;
        }
        /* equal to Joseph's form P - K (Ph)' - Ph K' + K S K' for one measurement, as K S = Ph; the lower half */
        for (i = 0; i < w; i++)
            add_row(i < gaining ? i + 1 : gaining, -Ph[i], f->gain, P + w*i);
    }
    for (i = 0; i < w; i++)
        for (j = 0; j < i; j++)
            P[w*j + i] = P[w*i + j];
    for (i = 0; status == DONE && i < n; i++)
        f->x[i] += dx[i];
    for (i = 0; status == DONE && i < f->inputs; i++)
        f->offset[i] += dx[n + i];
    return status;
}

/* set the inputs: given values, plus the estimated offsets */
static inline void hold(filter_t *f, const double *u, int64_t nu)
{
    int64_t i;
    memcpy(f->u, u, nu*sizeof *u);
    for (i = 0; i < f->inputs; i++)
        f->u[f->place[i]] += f->offset[i];
}

#endif
