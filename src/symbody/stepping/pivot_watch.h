/* The watch on the pivots of the loops: the same formulas in runs, in the real-time loop and in exported C.

   A pivot that is small relative to what other coordinates offer means that the coordinates are near a singular
   position. A pivot that changes much within one step means that the step is too long: accelerations depend on the
   square of its reciprocal. Such a step is made in parts, and so is a step within which dependent coordinates leave
   their course: then Newton's method has found another position of the loops, perhaps with the same pivots. */
#ifndef STEPPING_PIVOT_WATCH_H
#define STEPPING_PIVOT_WATCH_H

#include <math.h>
#include <stdint.h>

/* pivots at the beginning become references: not smaller than what other coordinates offer */
static inline void refer(int64_t n, const double *offered, double *pivots)
{
    int64_t k;
    for (k = 0; k < n; k++)
        pivots[k] = copysign(fmax(fabs(pivots[k]), offered[k]), pivots[k]);
}

/* whether a pivot has another sign than its reference, or is below a share of it */
static inline int shrunk(int64_t n, const double *pivots, const double *reference, double share)
{
    int64_t k;
    for (k = 0; k < n; k++)
        if (!(pivots[k]/reference[k] > share))
            return 1;
    return 0;
}

/* whether a pivot differs from that at the beginning of the step by more than a share of it; false for NaN */
static inline int steep(int64_t n, const double *pivots, const double *before, double share)
{
    int64_t k;
    int found = 0;
    for (k = 0; k < n; k++) /* without branches: several at a time */
        found |= fabs(pivots[k] - before[k]) > share*fabs(before[k]);
    return found;
}

/* Whether a dependent coordinate is further than `leap` from its course: `from`, and a share of its change since
   `before`, which may be NaN. Angles that are off by a full turn have the same pivots. */
static inline int strayed(int64_t n, const double *v, const double *from, const double *before, double share,
                          double leap)
{
    int64_t k;
    int found = 0;
    for (k = 0; k < n; k++) {
        const double change = from[k] - before[k];
        found |= fabs(v[k] - from[k] - (change == change ? share*change : 0.0)) > leap;
    }
    return found;
}

#endif
