/* Contacts of convex polyhedra: the face or the pair of edges of largest separation; faces are clipped to each other. */
#ifndef HAPTICS_POLYHEDRON_H
#define HAPTICS_POLYHEDRON_H

#include <math.h>
#include <string.h>

#include "polygon.h"
#include "scene.h"
#include "vectors.h"

enum { MOST = 2*LOOP }; /* corners of a clipped face */
static const double FACE_FIRST = 1e-5; /* m: faces are preferred to edges, as they touch at several points */

/* the face of A with the largest separation from B */
static inline double separation3(const scene_t *s, const shape_t *A, const shape_t *B, double most, int64_t *face)
{
    double (*p)[3] = s->work->points + A->first, (*q)[3] = s->work->points + B->first, best = -INFINITY;
    int64_t i, j;
    for (i = 0; i < A->faces; i++) {
        const double *n = s->work->normals[A->face + i];
        const double at = dot3(n, p[s->corners[s->loops[A->face + i][0]]]);
        double least = INFINITY;
        for (j = 0; j < B->count; j++) {
            const double d = dot3(n, q[j]) - at;
            least = d < least ? d : least;
        }
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

/* the pair of edge directions with the largest separation of A and B, and its normal from A to B */
static inline double separation_of_edges(const scene_t *s, const shape_t *A, const shape_t *B, double most, double *normal,
                                         int64_t *pair)
{
    double best = -INFINITY;
    int64_t i, j, k;
    for (i = 0; i < A->edges; i++)
        for (j = 0; j < B->edges; j++) {
            double n[3], size, here[2], there[2], d;
            cross3(s->work->edges[A->edge + i], s->work->edges[B->edge + j], n);
            size = sqrt(dot3(n, n));
            if (size < 1e-3) /* parallel edges: faces are better */
                continue;
            span3(s, A, n, here, here + 1);
            span3(s, B, n, there, there + 1);
            d = fmax(there[0] - here[1], here[0] - there[1])/size;
            if (d > most)
                return INFINITY;
            if (d <= best)
                continue;
            best = d, *pair = i*64 + j;
            size = there[0] - here[1] > here[0] - there[1] ? size : -size;
            for (k = 0; k < 3; k++)
                normal[k] = n[k]/size;
        }
    return best;
}

/* clip a polygon to n.x <= at; corners that remain keep their names */
static inline int64_t cut(int64_t n, double (*from)[3], const int64_t *names, const double *normal, double at, int64_t name,
                          double (*to)[3], int64_t *named)
{
    int64_t i, m = 0;
    int k;
    for (i = 0; i < n && m < MOST - 1; i++) {
        const double *a = from[i], *b = from[i + 1 < n ? i + 1 : 0];
        const double x = dot3(normal, a) - at, y = dot3(normal, b) - at;
        if (x <= 0.0)
            memcpy(to[m], a, 3*sizeof *a), named[m++] = names[i];
        if ((x < 0.0 && y > 0.0) || (x > 0.0 && y < 0.0)) {
            for (k = 0; k < 3; k++)
                to[m][k] = a[k] + x/(x - y)*(b[k] - a[k]);
            named[m++] = 64 + 2*name + (x > 0.0);
        }
    }
    return m;
}

/* contacts of a face of the reference shape with the facing face of the other, clipped to it */
static inline void touch_faces(scene_t *s, int64_t a, int64_t b, int64_t ref, int64_t other, int64_t face, double margin)
{
    const shape_t *A = s->shapes + ref, *B = s->shapes + other;
    double (*p)[3] = s->work->points + A->first, (*q)[3] = s->work->points + B->first, here[MOST][3], there[MOST][3];
    const double *n = s->work->normals[A->face + face], sign = ref == a ? -1.0 : 1.0;
    const int64_t *loop = s->loops[A->face + face], *corner = s->corners + loop[0], *facing;
    int64_t names[MOST], named[MOST], i, k, m, incident = 0, deepest = 0, found = 0;
    const int64_t feature = (ref != a)*(1 << 18) + (face % 64)*1024;
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
        names[i] = s->corners[facing[0] + i];
        memcpy(here[i], q[names[i]], sizeof here[i]);
    }
    for (k = 0; k < loop[1] && m; k++) {
        double along[3], side[3];
        minus3(p[corner[k + 1 < loop[1] ? k + 1 : 0]], p[corner[k]], along);
        cross3(along, n, side);
        m = cut(m, here, names, side, dot3(side, p[corner[k]]), k, there, named);
        memcpy(here, there, sizeof here), memcpy(names, named, sizeof names);
    }
    for (i = 0; i < m; i++) {
        const double d = dot3(n, here[i]) - at;
        if (d <= margin)
            add_contact(s, a, b, feature + names[i] % 256, here[i], n, sign, d), found = 1;
    }
    if (!found) /* lost by rounding */
        add_contact(s, a, b, feature + deepest, q[deepest], n, sign, dot3(n, q[deepest]) - at);
}

/* the contact of edge p + x u of A and edge q + y w of B along a direction */
static inline void touch_edges(scene_t *s, int64_t a, int64_t b, const double *n, int64_t pair, double separation)
{
    const shape_t *A = s->shapes + a, *B = s->shapes + b;
    const double *u = s->work->edges[A->edge + pair/64], *w = s->work->edges[B->edge + pair % 64];
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
    add_contact(s, a, b, (1 << 19) + pair, point, n, -1.0, separation);
}

static inline void touch3(scene_t *s, int64_t a, int64_t b, double margin)
{
    const shape_t *A = s->shapes + a, *B = s->shapes + b;
    int64_t first = 0, second = 0, pair = 0;
    double n[3], x, y, z;
    if ((x = separation3(s, A, B, margin, &first)) == INFINITY || (y = separation3(s, B, A, margin, &second)) == INFINITY
        || (z = separation_of_edges(s, A, B, margin, n, &pair)) == INFINITY)
        return;
    if (z > (x > y ? x : y) + FACE_FIRST)
        touch_edges(s, a, b, n, pair, z);
    else if (y > x + PREFERRED)
        touch_faces(s, a, b, b, a, second, margin);
    else
        touch_faces(s, a, b, a, b, first, margin);
}

#endif
