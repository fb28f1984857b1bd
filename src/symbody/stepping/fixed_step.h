/* The frame of all fixed steps of a system dx/dt = f(t, x, u), f being a generated function: recording, limits, and
   why a run ends. A method adds how a step begins and how it is made. Nothing is allocated, and Python is called only
   by laws that are Python functions.

   x = (coordinates, velocities, further states); coordinates whose velocities depend on others come first among the
   states. With closed loops, f also computes the dependent coordinates v, starting from those of the last evaluation,
   and the pivots of the Jacobian of loops and ties. A pivot that has changed sign or shrunk to the share `watch` of
   its reference stops the run before the position is singular. A step within which a pivot changes by more than the
   share `steep` is made in parts, and so is an implicit step in which Newton's method does not converge. */
#ifndef STEPPING_FIXED_STEP_H
#define STEPPING_FIXED_STEP_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../codegen/runtime/steps.h"
#include "pivot_watch.h"
#include "state.h"

typedef struct {
    generated rates; /* (t, x, u, guess) -> dx/dt, v, pivots */
    const double *rates_h;
    generated outputs; /* (t, x, u, guess) -> y */
    const double *outputs_h;
    generated limits; /* (t, x, u, guess) -> nl numbers that must stay positive */
    const double *limits_h;
    generated power; /* (t, x, u, guess) -> forces and rates; NULL if the rates have P as a fourth output, or unwanted */
    const double *power_h;
    int64_t nx, nq, nv, ns, ntied, nu, nd, npivots, ny, nl, nballs, npower;
    int64_t part, most_parts; /* the present part of a divided step, else 0; number of parts that are allowed */
    int64_t foresee;         /* whether a step is refused if a pivot would vanish within it */
    int64_t row;             /* from a row of u to the next: nu, or 0 if all steps use one row */
    const int64_t *velocity; /* for each coordinate, the place of its velocity in x; -1 within a quaternion */
    const int64_t *balls;    /* pairs of places in x: a unit quaternion, and its angular velocity */
    const double *pivots;    /* their references */
    const double *u;         /* inputs: a row before each step and one after the last, or one row */
    double *x, *guess;       /* state; dependent coordinates of the last evaluation */
    double *next, *rate;     /* state after the step; dx/dt before it */
    double *v, *pivot;       /* dependent coordinates and pivots of an evaluation */
    double *now, *past;      /* pivots before this step, and before the last two, the last first */
    double *trail;           /* dependent coordinates before the last two steps, the last first; NaN: unknown */
    double *between, *room;  /* inputs between two rows; values of `limits` */
    double *watt, *powers;   /* P of the last evaluation of the rates; npower numbers (P, or forces and rates) before
                                each step, or NULL */
    double *begun_at;        /* dependent coordinates at the beginning of the step, or of the part of one */
    double *origin, *rows;   /* of a divided step: x and guess before it; inputs before and after a part */
    double watch, steep;     /* shares of a pivot */
    double reach;            /* largest change of a coordinate with which the loops can be closed again */
    double leap;             /* how far dependent coordinates may be from their course */
    double t0, dt;           /* s; t0: the time of step zero */
} fixed_t;

/* Parts of a method: prepare a step, with `begun_at` and `now`; make it; replace the state and what depends on it. Status DONE, or why not. */
typedef int begin_t(fixed_t *s, int64_t step);
typedef int advance_t(fixed_t *s, int64_t step, double *next);
typedef void renew_t(fixed_t *s, const double *x);

/* inputs at a share of a step, linear between two rows */
static inline const double *inputs_within(const fixed_t *s, int64_t step, double share)
{
    const double *a = s->u + s->row*step;
    int64_t k;
    if (share == 0.0 || s->row == 0)
        return a;
    for (k = 0; k < s->nu; k++)
        s->between[k] = a[k] + share*(a[k + s->row] - a[k]);
    return s->between;
}

/* dx/dt, v and pivots at a share of a step; v becomes the next guess */
static inline void rates_to(const fixed_t *s, int64_t step, double share, const double *x, double *xd, double *v,
                            double *pivot)
{
    const double t = s->t0 + (step + share)*s->dt, *in[4] = {&t, x, inputs_within(s, step, share), s->guess};
    double *out[4] = {xd, v, pivot, s->watt};
    s->rates(in, out, s->rates_h);
    if (finite_all(s->nd, v))
        memcpy(s->guess, v, s->nd*sizeof *v);
}

static inline void rates_at(const fixed_t *s, int64_t step, double share, const double *x, double *xd)
{
    rates_to(s, step, share, x, xd, s->v, s->pivot);
}

/* Whether a pivot would vanish within the next step, extrapolated by a parabola through its last three values. Such a
   step would pass a singular position, behind which the loops can continue in several ways. */
static inline int foreseen(fixed_t *s)
{
    const int64_t n = s->npivots;
    int64_t k;
    for (k = 0; k < n; k++)
        if ((3.0*(s->now[k] - s->past[k]) + s->past[n + k])*s->now[k] <= 0.0) /* false if the past is NaN */
            return TOWARDS_SINGULAR;
    return DONE;
}

/* after a step: its pivots and dependent coordinates become the past */
static inline void remember_pivots(fixed_t *s)
{
    const int64_t n = s->npivots;
    memcpy(s->past + n, s->past, n*sizeof *s->past);
    memcpy(s->past, s->now, n*sizeof *s->past);
    memcpy(s->trail + s->nd, s->trail, s->nd*sizeof *s->trail);
    memcpy(s->trail, s->begun_at, s->nd*sizeof *s->trail);
}

/* for a state that was set from outside: no past */
static inline void forget_pivots(fixed_t *s)
{
    int64_t k;
    for (k = 0; k < 2*s->npivots; k++)
        s->past[k] = NAN;
    for (k = 0; k < 2*s->nd; k++)
        s->trail[k] = NAN;
}

/* begin_t of methods that need dx/dt first; sets `rate`, `begun_at` and `now` */
static inline int begin_with_rates(fixed_t *s, int64_t step)
{
    rates_to(s, step, 0.0, s->x, s->rate, s->begun_at, s->now);
    if (!finite_all(s->nx, s->rate))
        return NOT_FINITE;
    return shrunk(s->npivots, s->now, s->pivots, s->watch) ? NEAR_SINGULAR : DONE;
}

/* whether a step is too long: a pivot changes too much within a share of it, or dependent coordinates leave their course */
static inline int is_coarse(const fixed_t *s, double share)
{
    return steep(s->npivots, s->pivot, s->now, s->steep) ||
           strayed(s->nd, s->v, s->begun_at, s->trail, share, s->leap);
}

/* dx/dt at a stage of a step; TOO_COARSE if the step is too long */
static inline int stage_rates(const fixed_t *s, int64_t step, double share, const double *x, double *xd)
{
    rates_at(s, step, share, x, xd);
    return is_coarse(s, share) ? TOO_COARSE : DONE;
}

/* whether the loops were closed far from where the last step ended: by its course, else by its last stage */
static inline int has_left_course(const fixed_t *s)
{
    const double *last = s->trail, *before = s->trail + s->nd;
    if (s->nd == 0 || isnan(last[0]))
        return 0;
    if (isnan(before[0]))
        last = before = s->v;
    return strayed(s->nd, s->begun_at, last, before, 1.0, s->leap);
}

/* before a step: prepare it, check the limits, and write the outputs if y is given */
static inline int begun(fixed_t *s, begin_t *begin, int64_t step, double *y)
{
    const double t = s->t0 + step*s->dt, *in[4] = {&t, s->x, s->u + s->row*step, s->guess};
    double *room[1] = {s->room}, *out[1] = {y};
    const int status = begin(s, step);
    int64_t k;
    if (status != DONE)
        return status;
    if (has_left_course(s))
        return TOO_COARSE;
    if (s->nl)
        s->limits(in, room, s->limits_h);
    for (k = 0; k < s->nl; k++)
        if (!(s->room[k] > 0.0))
            return BEYOND_LIMIT;
    if (s->powers && s->power)
        s->power(in, &s->powers, s->power_h);
    else if (s->powers)
        *s->powers = *s->watt;
    if (y)
        s->outputs(in, out, s->outputs_h);
    return DONE;
}

/* one part of a divided step, from s->x to s->next */
static inline int advance_part(fixed_t *s, begin_t *begin, advance_t *advance, const fixed_t *whole, int64_t step,
                               int64_t parts)
{
    const double from = (double)s->part/parts, to = (s->part + 1.0)/parts;
    int status;
    memcpy(s->rows, inputs_within(whole, step, from), s->nu*sizeof *s->rows);
    memcpy(s->rows + s->nu, inputs_within(whole, step, to), s->nu*sizeof *s->rows);
    s->t0 = whole->t0 + (step + from)*whole->dt;
    s->dt = whole->dt/parts;
    status = begin(s, 0);
    if (status != DONE && status != NEAR_SINGULAR) /* the next whole step decides about other coordinates */
        return status;
    status = advance(s, 0, s->next);
    return status == DONE && !finite_all(s->nx, s->next) ? NOT_FINITE : status;
}

/* whether a step may succeed in parts: it is too long for the loops, or for Newton's method */
static inline int is_too_long(int status)
{
    return status == TOO_COARSE || status == NOT_CONVERGED;
}

/* A step in parts that keep the change of each pivot small. If it fails, x and guess are as before it. */
static inline int divided(fixed_t *s, begin_t *begin, advance_t *advance, int64_t step)
{
    const fixed_t whole = *s;
    int64_t parts = 2;
    int status = DONE;
    memcpy(s->origin, s->x, s->nx*sizeof *s->x);
    memcpy(s->origin + s->nx, s->begun_at, s->nd*sizeof *s->guess);
    memcpy(s->guess, s->begun_at, s->nd*sizeof *s->guess);
    memcpy(s->pivot, s->now, s->npivots*sizeof *s->now);
    s->u = s->rows;
    forget_pivots(s);
    for (s->part = 0; s->part < parts && status == DONE; s->part++) {
        while (is_too_long(status = advance_part(s, begin, advance, &whole, step, parts)) && 2*parts <= s->most_parts) {
            parts *= 2;
            s->part *= 2;
            forget_pivots(s);
            memcpy(s->guess, s->begun_at, s->nd*sizeof *s->guess);
            memcpy(s->pivot, s->now, s->npivots*sizeof *s->now);
        }
        if (status == DONE && s->part + 1 < parts) {
            normalise(s->nballs, s->balls, s->next);
            memcpy(s->x, s->next, s->nx*sizeof *s->x);
            remember_pivots(s);
        }
    }
    s->part = 0;
    s->t0 = whole.t0;
    s->dt = whole.dt;
    s->u = whole.u;
    memcpy(s->begun_at, s->origin + s->nx, s->nd*sizeof *s->guess);
    if (status != DONE)
        memcpy(s->x, s->origin, s->nx*sizeof *s->x);
    forget_pivots(s);
    return status == TOO_COARSE && !s->foresee ? NEAR_SINGULAR : status;
}

/* n steps from step `first` on. Before each step whose number is a multiple of `every` (0: never), the outputs go to
   a row of `path`. Returns the number of steps made. If it is less than n, `status` is the reason and x the last good
   state. */
static inline int64_t run_steps(fixed_t *s, begin_t *begin, advance_t *advance, int64_t first, int64_t n, int64_t every,
                                double *path, int *status)
{
    int64_t step;
    *status = DONE;
    for (step = first; step < first + n; step++) {
        double *y = every && step % every == 0 ? path : NULL;
        *status = begun(s, begin, step, y);
        if (*status == DONE && s->foresee)
            *status = foreseen(s);
        if (*status == TOO_COARSE) { /* the loops were closed elsewhere: return to the last position */
            memcpy(s->guess, s->trail, s->nd*sizeof *s->guess);
            *status = s->foresee ? TOO_COARSE : NEAR_SINGULAR;
        }
        if (*status != DONE)
            break;
        *status = advance(s, step, s->next);
        if (is_too_long(*status))
            *status = divided(s, begin, advance, step);
        if (*status == DONE && !finite_all(s->nx, s->next))
            *status = NOT_FINITE;
        if (*status != DONE) {
            memcpy(s->guess, s->begun_at, s->nd*sizeof *s->guess); /* a stage may have found another branch */
            break;
        }
        normalise(s->nballs, s->balls, s->next);
        memcpy(s->x, s->next, s->nx*sizeof *s->x);
        remember_pivots(s);
        path += y ? s->ny : 0;
        s->powers += s->powers ? s->npower : 0;
    }
    return step - first;
}

/* n steps from a given state with the present inputs, held. A method that remembers more than its state has `renew`,
   which sets the state. With closed loops, a state far from the last one returns ELSEWHERE. */
static inline int step_from(fixed_t *s, begin_t *begin, advance_t *advance, renew_t *renew, const double *x, int64_t n)
{
    int status = DONE;
    int64_t k;
    for (k = 0; s->nd && k < s->nq + s->ntied; k++) {
        const int64_t place = k < s->nq ? k : k + s->nv;
        if (!(fabs(x[place] - s->x[place]) <= s->reach))
            return ELSEWHERE;
    }
    if (memcmp(x, s->x, s->nx*sizeof *x))
        forget_pivots(s);
    if (renew)
        renew(s, x);
    else
        memcpy(s->x, x, s->nx*sizeof *x);
    run_steps(s, begin, advance, 0, n, 0, NULL, &status);
    return status;
}

/* The same for many states, one per row of x. Each row of `memory` holds all arrays that steps keep; `u` has a row of
   inputs for each state, or one for all if `stride` is 0; `status` is the result of each. */
static inline void step_each(fixed_t *s, begin_t *begin, advance_t *advance, renew_t *renew, int64_t n, int64_t rows,
                             const double *x, const double *u, int64_t stride, double *memory, double *const *kept,
                             const int64_t *sizes, int64_t nkept, int *status)
{
    const double *own = s->u;
    int64_t row, k;
    for (row = 0; row < rows; row++) {
        double *m = memory;
        for (k = 0; k < nkept; m += sizes[k++])
            memcpy(kept[k], m, sizes[k]*sizeof *m);
        s->u = u + stride*row;
        status[row] = step_from(s, begin, advance, renew, x + s->nx*row, n);
        for (k = 0, m = memory; k < nkept; m += sizes[k++])
            memcpy(m, kept[k], sizes[k]*sizeof *m);
        memory = m;
    }
    s->u = own;
}

/* the exported functions of a method's file; `type` is its structure, which begins with a fixed_t */
#define STEPPER(type, begin, advance, renew)                                                                           \
    int64_t integrate(type *s, int64_t first, int64_t n, int64_t every, double *path, int *status)                     \
    {                                                                                                                  \
        return run_steps((fixed_t *)s, begin, advance, first, n, every, path, status);                                 \
    }                                                                                                                  \
    int observe(type *s, int64_t step, double *y)                                                                      \
    {                                                                                                                  \
        return begun((fixed_t *)s, begin, step, y);                                                                    \
    }                                                                                                                  \
    int advance_from(type *s, const double *x, int64_t n)                                                              \
    {                                                                                                                  \
        fixed_t *frame = (fixed_t *)s;                                                                                 \
        const int status = step_from(frame, begin, advance, renew, x, n);                                              \
        frame->t0 += status == DONE ? n*frame->dt : 0.0;                                                               \
        return status;                                                                                                 \
    }                                                                                                                  \
    void advance_each(type *s, int64_t n, int64_t rows, const double *x, const double *u, int64_t stride,              \
                      double *memory, double *const *kept, const int64_t *sizes, int64_t nkept, int *status)           \
    {                                                                                                                  \
        step_each((fixed_t *)s, begin, advance, renew, n, rows, x, u, stride, memory, kept, sizes, nkept, status);     \
    }

#endif
