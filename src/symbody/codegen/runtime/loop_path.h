/* Loops followed from one closed position to another, as in system/loop_path.py, for one state: continuation in the
   given coordinates g. On the straight way to another g, the dependent coordinates v are predicted by their tangent and
   corrected by Newton's method. A step is accepted only if the correction is small and the determinant of the loops
   keeps its sign and roughly its size. No allocation: the caller gives LOOP_WORK(ng, nd) numbers of memory. */
#ifndef RUNTIME_LOOP_PATH_H
#define RUNTIME_LOOP_PATH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "generated.h"

/* rad or m, unless another unit is given; the same numbers as in loop_path.py */
#define LOOP_CONVERGED 1e-10      /* last correction of Newton's method */
#define LOOP_CORRECTIONS 8        /* of Newton's method at a point of the way */
#define LOOP_FIRST 0.02           /* first step along the way */
#define LOOP_LONGEST 0.3
#define LOOP_SHORTEST 1e-5
#define LOOP_MISS 0.05            /* largest error of a prediction */
#define LOOP_BEND 0.1             /* the same as a share of the step */
#define LOOP_AHEAD 1e-6           /* share of the way over which slopes are taken */
#define LOOP_DETERMINANT log(3.0) /* largest change of the determinant's logarithm within a step */
#define LOOP_MOST_STEPS 20000
/* the same numbers as in system.py: what a direct call near the closed position may change */
#define LOOP_LEAP2 0.25           /* (rad or m)^2, of v */
#define LOOP_PIVOT 3.0            /* factor of a pivot */

#define LOOP_WORK(ng, nd) ((ng) + 8*(nd) + 1)

/* The loops of a system, and a closed position of them. Filled by Python, too: every member has eight bytes. */
typedef struct {
    generated step;           /* (g, v, p) -> Newton's correction of v, pivots, gaps */
    const double *h;          /* its values that depend on parameters only */
    int64_t ng, nd, nballs;
    const int64_t *balls;     /* indices in g where quaternions begin */
    const double *relevant;   /* for each g: 1 if the loops depend on it, else 0 */
    const double *g, *v;      /* a closed position */
    double radius;            /* of g around it within which Newton's method alone is enough */
} loop_path_t;

/* How an attempt ended: the share of the way that was gone, and at the wanted position the largest gap of the loops. */
typedef struct {
    double share, gap;
    int64_t row;              /* the equation with this gap */
} loop_end_t;

typedef struct {
    const loop_path_t *l;
    const double *p, *goal;
    double *g, *v, *slope, *predicted, *found, *d, *ahead, *pivots, *gaps, *first;
    double way, sign, log;    /* length of the way; the determinant at its last point */
} loop_walk;

static inline void loop_correction(const loop_walk *w, const double *v, double *d)
{
    const double *in[3] = {w->g, v, w->p};
    double *out[3] = {d, w->pivots, w->gaps};
    w->l->step(in, out, w->l->h);
}

/* Given coordinates at a share of the straight way; quaternions of length one, on the shorter way. */
static inline void loop_between(const loop_walk *w, double share)
{
    const loop_path_t *l = w->l;
    for (int64_t k = 0; k < l->ng; k++)
        w->g[k] = l->g[k] + share*(w->goal[k] - l->g[k]);
    for (int64_t b = 0; b < l->nballs; b++) {
        double *e = w->g + l->balls[b];
        const double *e0 = l->g + l->balls[b], *e1 = w->goal + l->balls[b];
        const double side = e0[0]*e1[0] + e0[1]*e1[1] + e0[2]*e1[2] + e0[3]*e1[3] < 0.0 ? -1.0 : 1.0;
        double size = 0.0;
        for (int k = 0; k < 4; k++) {
            e[k] = e0[k] + share*(side*e1[k] - e0[k]);
            size += e[k]*e[k];
        }
        for (int k = 0; k < 4; k++)
            e[k] /= sqrt(size);
    }
}

/* Newton's method at w->g. Returns whether it converged; the determinant and the pivots are those of the last step. */
static inline int loop_corrected(const loop_walk *w, double *v, double *sign, double *log_size)
{
    const int64_t nd = w->l->nd;
    for (int i = 0; i < LOOP_CORRECTIONS; i++) {
        double size = 0.0;
        loop_correction(w, v, w->d);
        *sign = 1.0;
        *log_size = 0.0;
        for (int64_t k = 0; k < nd; k++) {
            if (!isfinite(w->d[k]) || !isfinite(w->pivots[k]) || w->pivots[k] == 0.0)
                return 0;
            size = fmax(size, fabs(w->d[k]));
            *sign *= w->pivots[k] < 0.0 ? -1.0 : 1.0;
            *log_size += log(fabs(w->pivots[k]));
            v[k] -= w->d[k];
        }
        if (size < LOOP_CONVERGED)
            return 1;
        if (!(size < 1.0))
            return 0;
    }
    return 0;
}

/* dv/ds at a share of the way, by a difference */
static inline void loop_slope(const loop_walk *w, double share)
{
    loop_between(w, share);
    loop_correction(w, w->v, w->d);
    loop_between(w, share + LOOP_AHEAD);
    loop_correction(w, w->v, w->ahead);
    for (int64_t k = 0; k < w->l->nd; k++)
        w->slope[k] = (w->d[k] - w->ahead[k])/LOOP_AHEAD;
}

/* Newton's method alone, for a goal near the closed position; whether v and the pivots changed little, as they must. */
static inline int loop_near(const loop_walk *w)
{
    const int64_t nd = w->l->nd;
    double off = 0.0, sign, log_size;
    memcpy(w->first, w->pivots, (size_t)nd*sizeof *w->first);
    memcpy(w->found, w->v, (size_t)nd*sizeof *w->found);
    loop_between(w, 1.0);
    if (!loop_corrected(w, w->found, &sign, &log_size))
        return 0;
    for (int64_t k = 0; k < nd; k++) {
        const double ratio = w->pivots[k]/w->first[k];
        off += (w->found[k] - w->v[k])*(w->found[k] - w->v[k]);
        if (!(ratio > 1.0/LOOP_PIVOT && ratio < LOOP_PIVOT))
            return 0;
    }
    if (!(off <= LOOP_LEAP2))
        return 0;
    memcpy(w->v, w->found, (size_t)nd*sizeof *w->v);
    return 1;
}

/* One step along the way. Returns whether it is accepted; `quick`: whether the next one may be longer. */
static inline int loop_advance(loop_walk *w, double from, double to, int *quick)
{
    const int64_t nd = w->l->nd;
    double miss = 0.0, moved = 0.0, allowed, sign, log_size;
    for (int64_t k = 0; k < nd; k++)
        w->found[k] = w->predicted[k] = w->v[k] + (to - from)*w->slope[k];
    loop_between(w, to);
    if (!loop_corrected(w, w->found, &sign, &log_size))
        return 0;
    for (int64_t k = 0; k < nd; k++) {
        miss = fmax(miss, fabs(w->found[k] - w->predicted[k]));
        moved = fmax(moved, fabs(w->predicted[k] - w->v[k]));
    }
    allowed = fmin(LOOP_MISS, LOOP_BEND*fmax(moved, (to - from)*w->way)) + LOOP_CONVERGED;
    if (!(miss < allowed) || sign != w->sign || !(fabs(log_size - w->log) < LOOP_DETERMINANT))
        return 0;
    memcpy(w->v, w->found, (size_t)nd*sizeof *w->v);
    w->log = log_size;
    *quick = miss < 0.2*allowed;
    return 1;
}

/* The largest gap of the loops at the goal, with the dependent coordinates of the end of the way. */
static inline void loop_gap(const loop_walk *w, loop_end_t *end)
{
    loop_between(w, 1.0);
    loop_correction(w, w->v, w->d);
    for (int64_t k = 0; k < w->l->nd; k++)
        if (fabs(w->gaps[k]) > end->gap) {
            end->gap = fabs(w->gaps[k]);
            end->row = k;
        }
}

/* v at given coordinates `goal`, in the assembly mode of the closed position; p: parameters that the step takes, or
   NULL. Returns whether it was reached; otherwise v is NaN. */
static inline int follow_loops(const loop_path_t *l, const double *goal, const double *p, double *v, double *work,
                               loop_end_t *end)
{
    const int64_t nd = l->nd;
    double *part[8], way = 0.0, off = 0.0, share = 0.0, step, longest, shortest;
    int reached = 0, count;
    loop_walk w;
    for (int k = 0; k < 8; k++)
        part[k] = work + l->ng + k*nd;
    w = (loop_walk){l, p, goal, work, v, part[0], part[1], part[2], part[3], part[4], part[5], part[6], part[7],
                    0.0, 0.0, 0.0};
    memcpy(v, l->v, (size_t)nd*sizeof *v);
    loop_between(&w, 1.0);
    for (int64_t k = 0; k < l->ng; k++) {
        const double gone = l->relevant[k] != 0.0 ? w.g[k] - l->g[k] : 0.0;
        way = isfinite(w.g[k]) ? fmax(way, fabs(gone)) : NAN;
        off += gone*gone;
        if (isnan(way))
            break;
    }
    w.way = way;
    loop_between(&w, 0.0);
    if (isfinite(way) && loop_corrected(&w, v, &w.sign, &w.log)) {
        reached = off <= l->radius*l->radius && loop_near(&w);
        step = fmin(1.0, LOOP_FIRST/fmax(way, 1e-300));
        longest = fmin(1.0, LOOP_LONGEST/fmax(way, 1e-300));
        shortest = fmin(1.0, LOOP_SHORTEST/fmax(way, 1e-300));
        if (!reached)
            loop_slope(&w, 0.0);
        for (count = 0; count < LOOP_MOST_STEPS && !reached && step >= shortest; count++) {
            const double there = fmin(share + step, 1.0);
            int quick = 0;
            if (!loop_advance(&w, share, there, &quick)) {
                step *= 0.5;
                continue;
            }
            share = there;
            reached = share >= 1.0;
            if (!reached)
                loop_slope(&w, share);
            if (quick)
                step = fmin(2.0*step, longest);
        }
    }
    *end = (loop_end_t){reached ? 1.0 : share, 0.0, 0};
    if (!reached) {
        loop_gap(&w, end);
        for (int64_t k = 0; k < nd; k++)
            v[k] = NAN;
    }
    return reached;
}

#endif
