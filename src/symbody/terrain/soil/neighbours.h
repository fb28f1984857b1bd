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

static inline int in_one_chunk(int64_t a, int64_t b)
{
    return a/CHUNK == b/CHUNK;
}

/* Springs of pair k from a pair of the list before; 0 if it is not there. */
static inline int inherit_from(soil_t *s, int64_t k, int64_t a, int64_t b, double sign)
{
    int64_t m, n;
    for (m = s->was_first[a]; m < s->was_first[a + 1]; m++)
        if (s->was_near[m] == b) {
            s->touching[k] = s->was_touching[m];
            for (n = 0; n < SPRINGS; n++)
                s->springs[SPRINGS*k + n] = sign*s->was_springs[SPRINGS*m + n];
            return 1;
        }
    return 0;
}

/* Springs of pair k, of particles i and j, if they touched in the list before, where j may have been the first. */
static inline void inherit(soil_t *s, int64_t k, int64_t i, int64_t j)
{
    const int64_t a = s->was_at[i], b = s->was_at[j];
    if (a >= 0 && b >= 0 && !inherit_from(s, k, a, b, 1.0))
        inherit_from(s, k, b, a, -1.0);
}

/* Pair k of particles a and b. The list of b's pairs that another chunk computes begins at elsewhere[b]. */
static inline void pair_up(soil_t *s, int64_t k, int64_t a, int64_t b)
{
    s->near[k] = b;
    s->touching[k] = 0;
    if (!in_one_chunk(a, b)) {
        s->next[k] = s->elsewhere[b];
        s->elsewhere[b] = k;
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
        s->elsewhere[at] = -1;
        for (k = 0; k < 3; k++) {
            s->listed[3*at + k] = s->position[3*i + k];
            s->place[3*at + k] = (int64_t)floor(per_cell*s->position[3*i + k]);
        }
        s->place[3*at + 2] = layer_of(s->place[3*at + 2], lowest);
    }
}

/* Particles before `end` near particle a in a column of small cells; returns the number of pairs. */
static inline int64_t look_in(soil_t *s, int64_t a, int64_t x, int64_t y, int64_t end, int64_t pairs)
{
    const int64_t layer = s->place[3*a + 2], bucket = column_bucket(s, x, y);
    const int64_t low = layer > 0 ? layer - 1 : 0, high = layer < LAYERS - 1 ? layer + 1 : LAYERS - 1;
    const int64_t last = s->bucket[bucket + high + 1] < end ? s->bucket[bucket + high + 1] : end;
    const double *p = s->listed + 3*a, reach = pair_reach(s);
    int64_t b, k, found = pairs;
    for (b = s->bucket[bucket + low]; b < last && found < NEIGHBOURS*s->capacity; b++) { /* without branches */
        const double *q = s->listed + 3*b, d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
        s->near[found] = b;
        found += dot(d, d) < reach*reach;
    }
    for (k = pairs; k < found; k++) { /* of this column, and not of another that shares its buckets */
        s->near[pairs] = s->near[k];
        pairs += s->place[3*s->near[k]] == x && s->place[3*s->near[k] + 1] == y;
    }
    return pairs;
}

/* Each particle lists those near it: in four of the eight columns around it, and the earlier ones in its own. 0 if there
   are more pairs than there is room for. */
static inline int find_neighbours(soil_t *s)
{
    const double close = 4.0*s->material->widest*s->material->widest;
    int64_t a, k, y, pairs = 0;
    turn_over(s);
    sort_particles(s);
    s->drift[0] = s->drift[1] = s->drift[2] = 0.0;
    for (a = 0; a < s->nalive; a++) {
        const int64_t *home = s->place + 3*a;
        const double *p = s->listed + 3*a;
        s->first[a] = pairs;
        for (y = home[1] - 1; y <= home[1] + 1; y++)
            pairs = look_in(s, a, home[0] - 1, y, s->nalive, pairs);
        pairs = look_in(s, a, home[0], home[1] - 1, s->nalive, pairs);
        pairs = look_in(s, a, home[0], home[1], a, pairs);
        if (pairs == NEIGHBOURS*s->capacity)
            return 0;
        for (k = s->first[a]; k < pairs; k++) {
            const double *q = s->listed + 3*s->near[k], d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
            pair_up(s, k, a, s->near[k]);
            if (dot(d, d) < close) /* others do not touch in this step, so they need no springs */
                inherit(s, k, s->dense[a], s->dense[s->near[k]]);
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
    s->elsewhere[a] = -1;
    for (k = 0; k < 3; k++)
        s->listed[3*a + k] = p[k] - s->drift[k];
    for (b = 0; b < a && pairs < NEIGHBOURS*s->capacity; b++) {
        const double *now = s->listed + 3*a, *q = s->listed + 3*b, d[3] = {now[0] - q[0], now[1] - q[1], now[2] - q[2]};
        if (dot(d, d) < reach*reach)
            pair_up(s, pairs++, a, b);
    }
    s->first[a + 1] = pairs;
    if (b < a)
        s->listed[3*a] = HUGE_VAL;
}

/* Whether a particle moved so far since then that a pair may be missing, or many of them have merged. The common motion,
   of a bucket that drives, does not count. */
static inline int neighbours_are_old(soil_t *s)
{
    const double most = 0.5*SKIN*s->material->widest;
    double sum[3] = {0.0, 0.0, 0.0};
    int64_t a, merged = 0;
    int k;
    for (a = 0; a < s->nalive; a++)
        for (k = 0; k < 3; k++)
            sum[k] += s->position[3*s->dense[a] + k] - s->listed[3*a + k];
    for (k = 0; k < 3; k++)
        s->drift[k] = sum[k]/(double)s->nalive;
    for (a = 0; a < s->nalive; a++) {
        const int64_t i = s->dense[a];
        double d[3];
        for (k = 0; k < 3; k++)
            d[k] = s->position[3*i + k] - s->listed[3*a + k] - s->drift[k];
        if (s->alive[i] > 0.0 && dot(d, d) > most*most)
            return 1;
        merged += s->alive[i] < 0.0;
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
