/* Exact contacts of convex polygons: the edge of largest separation, and the edge of the other polygon clipped to it. */
#ifndef HAPTICS_POLYGON_H
#define HAPTICS_POLYGON_H

#include <math.h>
#include <string.h>

#include "scene.h"
#include "vectors.h"

static const double PREFERRED = 1e-7; /* m: if two edges separate equally, that of the first polygon is chosen */

/* a new contact with the friction of the scene; NULL if there is no room */
static inline contact_t *new_contact(scene_t *s)
{
    memory_t *m = &s->memory;
    contact_t *c;
    if (m->ncontacts == CONTACTS) {
        m->dropped++;
        return 0;
    }
    c = m->contacts + m->ncontacts++;
    memset(c, 0, sizeof *c);
    c->mu_s = s->settings.mu_s, c->mu_k = s->settings.mu_k, c->firm = 1.0;
    return c;
}

/* add a contact; its key identifies the pair of features */
static inline void add_contact(scene_t *s, int64_t a, int64_t b, int64_t feature, const double *point, const double *normal,
                               double sign, double separation)
{
    contact_t *c = new_contact(s);
    int k;
    if (!c)
        return;
    c->a = a, c->b = b, c->s = separation;
    c->link_a = s->shapes[a].link, c->link_b = s->shapes[b].link;
    c->key = (a*SHAPES + b)*(1 << 20) + feature;
    for (k = 0; k < 3; k++)
        c->point[k] = point[k], c->normal[k] = sign*normal[k];
}

/* whether the point of a contact lies on shape a, else on b; the key contains it */
static inline int lies_on_a(const contact_t *c)
{
    return c->key % (1 << 20) >= 1 << 18;
}

/* the edge of polygon p with the largest separation from q, and its outward normal; returns the separation, or
   INFINITY if it is larger than `most` */
static inline double separation2(int64_t n, double (*p)[3], int64_t m, double (*q)[3], double most, int64_t *edge,
                                 double *normal)
{
    double best = -INFINITY;
    int64_t i, j;
    for (i = 0; i < n; i++) {
        const double *a = p[i], *b = p[i + 1 < n ? i + 1 : 0];
        const double x = b[1] - a[1], y = a[0] - b[0], size = sqrt(x*x + y*y);
        double least = INFINITY;
        for (j = 0; j < m; j++) {
            const double d = (x*(q[j][0] - a[0]) + y*(q[j][1] - a[1]))/size;
            least = d < least ? d : least;
        }
        if (least > most)
            return INFINITY;
        if (least > best)
            best = least, *edge = i, normal[0] = x/size, normal[1] = y/size, normal[2] = 0.0;
    }
    return best;
}

static inline void touch2(scene_t *s, int64_t a, int64_t b, double margin)
{
    const shape_t *A = s->shapes + a, *B = s->shapes + b;
    double (*p)[3] = s->work->points + A->first, (*q)[3] = s->work->points + B->first, n[3], other[3], t[3], low, high, end[2][3];
    int64_t np = A->count, nq = B->count, edge = 0, second = 0, i, j, k, swapped;
    double first = separation2(np, p, nq, q, margin, &edge, n), sign = -1.0, best = INFINITY;
    const double *from, *to;
    if (first == INFINITY)
        return;
    best = separation2(nq, q, np, p, margin, &second, other);
    if (best == INFINITY)
        return;
    swapped = best > first + PREFERRED;
    if (swapped) {
        double (*r)[3] = p;
        const int64_t nr = np;
        p = q, np = nq, q = r, nq = nr, edge = second, sign = 1.0;
        memcpy(n, other, sizeof n);
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
            add_contact(s, a, b, swapped*(1 << 18) + edge*1024 + (kept == here ? (k ? j : i) : 512 + (kept > 0.0)), end[k], n, sign, d);
    }
}

#endif
