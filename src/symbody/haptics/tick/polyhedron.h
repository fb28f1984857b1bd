/* Contacts of convex polyhedra: the face or the pair of edges of largest separation; faces are clipped to each other. */
#ifndef HAPTICS_POLYHEDRON_H
#define HAPTICS_POLYHEDRON_H

#include <math.h>
#include <string.h>

#include "features.h"
#include "polygon.h"
#include "scene.h"
#include "vectors.h"

enum { MOST = 2*LOOP }; /* corners of a clipped face */
static const double FACE_FIRST = 1e-5; /* m: faces are preferred to edges, as they touch at several points */
static const double UPRIGHT = 0.9994; /* cosine from the normal of edges to that of a face: 2 degrees */

/* the separation of B from a face of A */
static inline double separation_of_face(const scene_t *s, const shape_t *A, const shape_t *B, int64_t face)
{
    double (*p)[3] = s->work->points + A->first, (*q)[3] = s->work->points + B->first, least = INFINITY;
    const double *n = s->work->normals[A->face + face], at = dot3(n, p[s->corners[s->loops[A->face + face][0]]]);
    int64_t j;
    for (j = 0; j < B->count; j++) {
        const double d = dot3(n, q[j]) - at;
        least = d < least ? d : least;
    }
    return least;
}

/* the face of A with the largest separation from B */
static inline double separation3(const scene_t *s, const shape_t *A, const shape_t *B, double most, int64_t *face)
{
    double best = -INFINITY;
    int64_t i;
    for (i = 0; i < A->faces; i++) {
        const double least = separation_of_face(s, A, B, i);
        if (least > most)
            return INFINITY;
        if (least > best)
            best = least, *face = i;
    }
    return best;
}

/* the support of a shape along a direction, and its point */
static inline double reach3(const scene_t *s, const shape_t *A, const double *n, double sign, int64_t *point)
{
    double (*p)[3] = s->work->points + A->first, best = -INFINITY;
    int64_t i;
    for (i = 0; i < A->count; i++) {
        const double d = sign*dot3(n, p[i]);
        if (d > best)
            best = d, *point = i;
    }
    return best;
}


/* the interval that a shape covers along a direction */
static inline void span3(const scene_t *s, const shape_t *A, const double *n, double *low, double *high)
{
    double (*p)[3] = s->work->points + A->first;
    int64_t i;
    for (*low = INFINITY, *high = -INFINITY, i = 0; i < A->count; i++) {
        const double d = dot3(n, p[i]);
        *low = d < *low ? d : *low, *high = d > *high ? d : *high;
    }
}

/* the separation of A and B along the normal of two edge directions, and that normal from A to B, not of unit length;
   -INFINITY for parallel edges: faces are better */
static inline double separation_of_pair(const scene_t *s, const shape_t *A, const shape_t *B, int64_t i, int64_t j, double *n,
                                        double *size)
{
    double here[2], there[2];
    cross3(s->work->edges[A->edge + i], s->work->edges[B->edge + j], n);
    *size = sqrt(dot3(n, n));
    if (*size < 1e-3)
        return -INFINITY;
    span3(s, A, n, here, here + 1);
    span3(s, B, n, there, there + 1);
    if (there[0] - here[1] > here[0] - there[1])
        return (there[0] - here[1])/ *size;
    *size = -*size;
    return (there[1] - here[0])/ *size;
}

/* the pair of edge directions with the largest separation of A and B, and its normal from A to B */
static inline double separation_of_edges(const scene_t *s, const shape_t *A, const shape_t *B, double most, double *normal,
                                         int64_t *pair)
{
    double best = -INFINITY;
    int64_t i, j, k;
    for (i = 0; i < A->edges; i++)
        for (j = 0; j < B->edges; j++) {
            double n[3], size;
            const double d = separation_of_pair(s, A, B, i, j, n, &size);
            if (d > most)
                return INFINITY;
            if (d <= best)
                continue;
            best = d, *pair = i*CORNERS + j;
            for (k = 0; k < 3; k++)
                normal[k] = n[k]/size;
        }
    return best;
}

enum { KNOWN = NAMES/2 }; /* flag of a corner that touched a tick before */

/* Clip a polygon to n.x <= at, |n| = 1; corners that remain keep their names. A corner outside by less than STEADY
   remains, one that touched before by less than twice as much, and then edges along the border have no crossing: the
   patch of shapes of equal size does not change by rounding. */
static inline int64_t cut(int64_t n, double (*from)[3], const int64_t *names, const double *normal, double at, int64_t name,
                          double (*to)[3], int64_t *named)
{
    int64_t i, m = 0;
    int k;
    for (i = 0; i < n && m < MOST - 1; i++) {
        const int64_t next = i + 1 < n ? i + 1 : 0;
        const double *a = from[i], *b = from[next];
        const double x = dot3(normal, a) - at, y = dot3(normal, b) - at;
        const int inside = x <= STEADY*(1 + (names[i] >= KNOWN)), stays = y <= STEADY*(1 + (names[next] >= KNOWN));
        if (inside)
            memcpy(to[m], a, 3*sizeof *a), named[m++] = names[i];
        if (inside != stays && fmin(x, y) < -STEADY) {
            for (k = 0; k < 3; k++)
                to[m][k] = a[k] + x/(x - y)*(b[k] - a[k]);
            named[m++] = CROSSING + 2*name + stays;
        }
    }
    return m;
}

/* contacts of the reference face (of shape b if `swapped`) with the facing face of the other shape, clipped to it */
static inline void touch_faces(scene_t *s, int64_t pair, int64_t face, int swapped, double margin)
{
    const shape_t *A = s->shapes + s->pairs[pair][swapped], *B = s->shapes + s->pairs[pair][!swapped];
    double (*p)[3] = s->work->points + A->first, (*q)[3] = s->work->points + B->first, here[MOST][3], there[MOST][3];
    const double *n = s->work->normals[A->face + face], sign = swapped ? 1.0 : -1.0;
    const int64_t *loop = s->loops[A->face + face], *corner = s->corners + loop[0], *facing, reference = 2*face + swapped;
    int64_t names[MOST], named[MOST], i, k, m, incident = 0, deepest = 0, found = 0;
    double best = INFINITY, at = dot3(n, p[corner[0]]);
    reach3(s, B, n, -1.0, &deepest);
    for (i = 0; i < B->faces; i++) { /* of the faces at the deepest corner, the most opposite one */
        const double d = dot3(n, s->work->normals[B->face + i]);
        facing = s->loops[B->face + i];
        for (k = 0; k < facing[1] && s->corners[facing[0] + k] != deepest; k++)
            ;
        if (k < facing[1] && d < best)
            best = d, incident = i;
    }
    facing = s->loops[B->face + incident];
    for (m = facing[1], i = 0; i < m; i++) {
        const int64_t name = s->corners[facing[0] + i];
        names[i] = name + KNOWN*existed(s, pair, reference, name);
        memcpy(here[i], q[name], sizeof here[i]);
    }
    for (k = 0; k < loop[1] && m; k++) {
        double along[3], side[3], size;
        minus3(p[corner[k + 1 < loop[1] ? k + 1 : 0]], p[corner[k]], along);
        cross3(along, n, side);
        size = sqrt(dot3(side, side));
        for (i = 0; i < 3; i++)
            side[i] /= size;
        m = cut(m, here, names, side, dot3(side, p[corner[k]]), k, there, named);
        memcpy(here, there, sizeof here), memcpy(names, named, sizeof names);
    }
    for (i = 0; i < m; i++) {
        const double d = dot3(n, here[i]) - at;
        if (d <= margin)
            add_contact(s, pair, reference, names[i] % KNOWN, here[i], n, sign, d), found = 1;
    }
    if (!found) /* lost by rounding */
        add_contact(s, pair, reference, deepest, q[deepest], n, sign, dot3(n, q[deepest]) - at);
}

/* the contact of edge p + x u of a and edge q + y w of b along a direction */
static inline void touch_edges(scene_t *s, int64_t pair, int64_t edges, const double *n, double separation)
{
    const shape_t *A = s->shapes + s->pairs[pair][0], *B = s->shapes + s->pairs[pair][1];
    const double *u = s->work->edges[A->edge + edges/CORNERS], *w = s->work->edges[B->edge + edges % CORNERS];
    double between[3], across[3], point[3], x;
    int64_t p = 0, q = 0;
    int k;
    reach3(s, A, n, 1.0, &p);
    reach3(s, B, n, -1.0, &q);
    minus3(s->work->points[B->first + q], s->work->points[A->first + p], between);
    cross3(w, n, across); /* orthogonal to n and w */
    x = dot3(across, between)/dot3(across, u);
    for (k = 0; k < 3; k++)
        point[k] = s->work->points[A->first + p][k] + x*u[k];
    add_contact(s, pair, EDGES + edges, 0, point, n, -1.0, separation);
}

/* the separation along a reference, and the normal of a pair of edges */
static inline double separation_along(const scene_t *s, const shape_t *A, const shape_t *B, int64_t reference, double *normal)
{
    const int64_t edges = reference - EDGES;
    double n[3], size, d;
    int k;
    if (edges < 0)
        return reference % 2 ? separation_of_face(s, B, A, reference/2) : separation_of_face(s, A, B, reference/2);
    d = separation_of_pair(s, A, B, edges/CORNERS, edges % CORNERS, n, &size);
    for (k = 0; k < 3; k++)
        normal[k] = n[k]/size;
    return d;
}

/* Contacts of two polyhedra within a margin. Edges touch at one point, on which a body cannot rest: a face that was the
   reference remains it if their normal is nearly the same. */
static inline void touch3(scene_t *s, int64_t pair, double margin)
{
    const shape_t *A = s->shapes + s->pairs[pair][0], *B = s->shapes + s->pairs[pair][1];
    int64_t first = 0, second = 0, edges = 0, reference;
    const int64_t last = last_reference(s, pair);
    double n[3], other[3], x, y, best, d;
    const double *face;
    if ((x = separation3(s, A, B, margin, &first)) == INFINITY || (y = separation3(s, B, A, margin, &second)) == INFINITY
        || (d = separation_of_edges(s, A, B, margin, n, &edges)) == INFINITY)
        return;
    reference = y > x + PREFERRED ? 2*second + 1 : 2*first;
    face = s->work->normals[y > x + PREFERRED ? B->face + second : A->face + first];
    best = fmax(x, y) + FACE_FIRST;
    if (d > best && (last < 0 || last >= EDGES || fabs(dot3(n, face)) < UPRIGHT))
        reference = EDGES + edges, best = d;
    if (last >= 0 && last != reference) { /* the features of before, unless others are clearly better */
        x = separation_along(s, A, B, last, other);
        if (x + (last < EDGES ? FACE_FIRST : 0.0) >= best - STEADY) {
            reference = last, d = x;
            memcpy(n, other, sizeof n);
        }
    }
    if (reference >= EDGES)
        touch_edges(s, pair, reference - EDGES, n, d);
    else
        touch_faces(s, pair, reference/2, reference % 2, margin);
}

#endif
