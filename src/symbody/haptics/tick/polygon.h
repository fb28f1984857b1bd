/* Exact contacts of convex polygons: the edge of largest separation, and the edge of the other polygon clipped to it. */
#ifndef HAPTICS_POLYGON_H
#define HAPTICS_POLYGON_H

#include <math.h>
#include <string.h>

#include "features.h"
#include "scene.h"
#include "vectors.h"

static const double PREFERRED = 1e-7; /* m: if two edges separate equally, that of the first polygon is chosen */

/* the separation of polygon q from an edge of p, and the outward normal of the edge */
static inline double separation_of_edge(int64_t n, double (*p)[3], int64_t m, double (*q)[3], int64_t edge, double *normal)
{
    const double *a = p[edge], *b = p[edge + 1 < n ? edge + 1 : 0];
    const double x = b[1] - a[1], y = a[0] - b[0], size = sqrt(x*x + y*y);
    double least = INFINITY;
    int64_t j;
    for (j = 0; j < m; j++) {
        const double d = (x*(q[j][0] - a[0]) + y*(q[j][1] - a[1]))/size;
        least = d < least ? d : least;
    }
    normal[0] = x/size, normal[1] = y/size, normal[2] = 0.0;
    return least;
}

/* the edge of polygon p with the largest separation from q, and its outward normal; returns the separation, or
   INFINITY if it is larger than `most` */
static inline double separation2(int64_t n, double (*p)[3], int64_t m, double (*q)[3], double most, int64_t *edge,
                                 double *normal)
{
    double best = -INFINITY, here[3];
    int64_t i;
    for (i = 0; i < n; i++) {
        const double least = separation_of_edge(n, p, m, q, i, here);
        if (least > most)
            return INFINITY;
        if (least > best)
            best = least, *edge = i, memcpy(normal, here, sizeof here);
    }
    return best;
}

/* contacts of two polygons within a margin */
static inline void touch2(scene_t *s, int64_t pair, double margin)
{
    const shape_t *A = s->shapes + s->pairs[pair][0], *B = s->shapes + s->pairs[pair][1];
    double (*p)[3] = s->work->points + A->first, (*q)[3] = s->work->points + B->first, n[3], other[3], t[3], low, high, end[2][3];
    int64_t np = A->count, nq = B->count, edge = 0, second = 0, i, j, k, swapped, last = last_reference(s, pair);
    double first = separation2(np, p, nq, q, margin, &edge, n), best = INFINITY;
    const double *from, *to;
    if (first == INFINITY)
        return;
    best = separation2(nq, q, np, p, margin, &second, other);
    if (best == INFINITY)
        return;
    swapped = best > first + PREFERRED;
    if (swapped)
        first = best, edge = second, memcpy(n, other, sizeof n);
    if (last >= 0 && last != 2*edge + swapped) { /* the edge of before, unless another is clearly better */
        best = last % 2 ? separation_of_edge(nq, q, np, p, last/2, other) : separation_of_edge(np, p, nq, q, last/2, other);
        if (best >= first - STEADY)
            edge = last/2, swapped = last % 2, memcpy(n, other, sizeof n);
    }
    if (swapped) {
        double (*r)[3] = p;
        const int64_t nr = np;
        p = q, np = nq, q = r, nq = nr;
    }
    from = p[edge], to = p[edge + 1 < np ? edge + 1 : 0];
    minus3(to, from, t);
    high = sqrt(dot3(t, t));
    for (k = 0; k < 3; k++)
        t[k] /= high;
    for (best = INFINITY, i = 0, j = 0; j < nq; j++) { /* the edge of the other polygon that faces this one */
        const double *u = q[j], *v = q[j + 1 < nq ? j + 1 : 0], x = v[1] - u[1], y = u[0] - v[0];
        const double facing = (x*n[0] + y*n[1])/sqrt(x*x + y*y);
        if (facing < best)
            best = facing, i = j;
    }
    j = i + 1 < nq ? i + 1 : 0;
    low = dot3(t, q[i]) - dot3(t, from);
    best = dot3(t, q[j]) - dot3(t, from);
    for (k = 0; k < 2; k++) { /* its two ends, clipped to the edge */
        const double here = k ? best : low, kept = here < 0.0 ? 0.0 : here > high ? high : here;
        const double share = best == low ? (double)k : (kept - low)/(best - low);
        double d = 0.0;
        int c;
        if ((low < 0.0 && best < 0.0) || (low > high && best > high))
            return;
        for (c = 0; c < 3; c++)
            end[k][c] = q[i][c] + share*(q[j][c] - q[i][c]), d += n[c]*(end[k][c] - from[c]);
        if (d <= margin)
            add_contact(s, pair, 2*edge + swapped, kept == here ? (k ? j : i) : CROSSING + (kept > 0.0), end[k], n,
                        swapped ? 1.0 : -1.0, d);
    }
}

#endif
