/* Pairs of particles that may touch soon. Particles are sorted by small cells, so that those which are near each other
   in space are also near in memory. */
#ifndef SOIL_NEIGHBOURS_H
#define SOIL_NEIGHBOURS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "soil.h"

static const double SKIN = 0.4; /* neighbours are kept up to this share of the radius beyond touching */
enum { ALONG_X = 512, ALONG_Y = 16 }; /* buckets from a column of small cells to the next */

/* edge of a small cell: the farthest distance of a pair */
static inline double pair_reach(const soil_t *s)
{
    return (2.0 + SKIN)*s->material->widest;
}

/* The lowest bucket of a column. Columns that are far apart may share buckets. */
static inline int64_t column_bucket(const soil_t *s, int64_t x, int64_t y)
{
    return (x*ALONG_X + y*ALONG_Y) & (s->buckets - 1);
}

/* layer of a small cell above the lowest one; the last layer has all that is higher */
static inline int64_t layer_of(int64_t z, int64_t lowest)
{
    return z - lowest < LAYERS - 1 ? z - lowest : LAYERS - 1;
}

static inline void exchange(int64_t **a, int64_t **b)
{
    int64_t *kept = *a;
    *a = *b, *b = kept;
}

/* The list of pairs becomes the one before. */
static inline void turn_over(soil_t *s)
{
    double *springs = s->springs;
    s->springs = s->was_springs, s->was_springs = springs;
    exchange(&s->first, &s->was_first);
    exchange(&s->near, &s->was_near);
    exchange(&s->touching, &s->was_touching);
    exchange(&s->at, &s->was_at);
}

/* Springs of a pair (k; particles i, j) that touched in the list before; its particles may be in the other order now. */
static inline void inherit(soil_t *s, int64_t k, int64_t i, int64_t j)
{
    const int64_t a = s->was_at[i], b = s->was_at[j], early = a < b ? a : b, late = a < b ? b : a;
    const double sign = a < b ? -1.0 : 1.0;
    int64_t m, n;
    if (early < 0)
        return;
    for (m = s->was_first[late]; m < s->was_first[late + 1]; m++)
        if (s->was_near[m] == early) {
            s->touching[k] = s->was_touching[m];
            for (n = 0; n < SPRINGS; n++)
                s->springs[SPRINGS*k + n] = sign*s->was_springs[SPRINGS*m + n];
            return;
        }
}

/* Pair k of particle a has the earlier particle b. The list of b's pairs with particles of later chunks begins at
   later[b]. */
static inline void pair_up(soil_t *s, int64_t k, int64_t a, int64_t b)
{
    s->near[k] = b;
    s->touching[k] = 0;
    if (a/CHUNK > b/CHUNK) {
        s->next[k] = s->later[b];
        s->later[b] = k;
    }
}

/* Sort the particles by small cells; merged ones leave the list. */
static inline void sort_particles(soil_t *s)
{
    const double per_cell = 1.0/pair_reach(s);
    int64_t a, k, n = 0, lowest = INT64_MAX;
    for (a = 0; a < s->nalive; a++) {
        const int64_t i = s->dense[a];
        if (s->alive[i] > 0.0) {
            const int64_t z = (int64_t)floor(per_cell*s->position[3*i + 2]);
            lowest = z < lowest ? z : lowest;
            s->sorted[n++] = i;
        } else
            s->alive[i] = 0.0;
    }
    s->nalive = n;
    memset(s->bucket, 0, (s->buckets + LAYERS + 2)*sizeof *s->bucket);
    for (a = 0; a < n; a++) {
        const double *p = s->position + 3*s->sorted[a];
        const int64_t x = (int64_t)floor(per_cell*p[0]), y = (int64_t)floor(per_cell*p[1]);
        s->key[a] = column_bucket(s, x, y) + layer_of((int64_t)floor(per_cell*p[2]), lowest);
        s->bucket[s->key[a] + 2]++;
    }
    for (k = 0; k < s->buckets + LAYERS; k++)
        s->bucket[k + 2] += s->bucket[k + 1];
    for (a = 0; a < n; a++) { /* bucket k has the places bucket[k] ... bucket[k + 1] - 1 afterwards */
        const int64_t i = s->sorted[a], at = s->bucket[s->key[a] + 1]++;
        s->dense[at] = i;
        s->at[i] = at;
        s->later[at] = -1;
        for (k = 0; k < 3; k++) {
            s->listed[3*at + k] = s->position[3*i + k];
            s->place[3*at + k] = (int64_t)floor(per_cell*s->position[3*i + k]);
        }
        s->place[3*at + 2] = layer_of(s->place[3*at + 2], lowest);
    }
}

/* Each particle lists the earlier ones near it. 0 if there are more pairs than there is room for. */
static inline int find_neighbours(soil_t *s)
{
    const double reach = pair_reach(s), far = reach*reach, close = 4.0*s->material->widest*s->material->widest;
    int64_t a, b, x, y, pairs = 0;
    turn_over(s);
    sort_particles(s);
    for (a = 0; a < s->nalive; a++) {
        const int64_t *home = s->place + 3*a, low = home[2] > 0 ? home[2] - 1 : 0;
        const int64_t high = home[2] < LAYERS - 1 ? home[2] + 1 : LAYERS - 1;
        const double *p = s->listed + 3*a;
        s->first[a] = pairs;
        for (x = home[0] - 1; x <= home[0] + 1; x++)
            for (y = home[1] - 1; y <= home[1] + 1; y++) {
                const int64_t column = column_bucket(s, x, y);
                const int64_t end = s->bucket[column + high + 1] < a ? s->bucket[column + high + 1] : a;
                for (b = s->bucket[column + low]; b < end; b++) {
                    const double *q = s->listed + 3*b, dx = p[0] - q[0], dy = p[1] - q[1], dz = p[2] - q[2];
                    const double square = dx*dx + dy*dy + dz*dz;
                    if (square >= far || s->place[3*b] != x || s->place[3*b + 1] != y)
                        continue;
                    if (pairs == NEIGHBOURS*s->capacity)
                        return 0;
                    pair_up(s, pairs, a, b);
                    if (square < close) /* others do not touch in this step, so they need no springs */
                        inherit(s, pairs, s->dense[a], s->dense[b]);
                    pairs++;
                }
            }
    }
    s->first[s->nalive] = pairs;
    return 1;
}

/* A new particle at the end of the list, with its neighbours. If these are too many, the search of this step says so. */
static inline void enlist(soil_t *s, int64_t i)
{
    const double reach = pair_reach(s), *p = s->position + 3*i;
    const int64_t a = s->nalive++;
    int64_t b, pairs = s->first[a];
    int k;
    s->dense[a] = i;
    s->at[i] = a;
    s->later[a] = -1;
    for (k = 0; k < 3; k++)
        s->listed[3*a + k] = p[k];
    for (b = 0; b < a && pairs < NEIGHBOURS*s->capacity; b++) {
        const double *q = s->listed + 3*b, d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
        if (dot(d, d) < reach*reach)
            pair_up(s, pairs++, a, b);
    }
    s->first[a + 1] = pairs;
    if (b < a)
        s->listed[3*a] = HUGE_VAL;
}

/* whether a particle moved so far since then that a pair may be missing, or many of them have merged */
static inline int neighbours_are_old(const soil_t *s)
{
    const double most = 0.5*SKIN*s->material->widest;
    int64_t a, merged = 0;
    for (a = 0; a < s->nalive; a++) {
        const double *p = s->position + 3*s->dense[a], *q = s->listed + 3*a;
        const double d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
        if (dot(d, d) > most*most)
            return 1;
        merged += s->alive[s->dense[a]] < 0.0;
    }
    return 8*merged > s->nalive;
}

/* List the particles that there are at the start. */
static inline int list_particles(soil_t *s)
{
    int64_t i;
    s->nalive = 0;
    for (i = 0; i < s->capacity; i++) {
        s->at[i] = -1;
        if (s->alive[i] != 0.0)
            s->dense[s->nalive++] = i;
    }
    return find_neighbours(s);
}

#endif
