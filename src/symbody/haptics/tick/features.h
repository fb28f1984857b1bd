/* Features of two shapes in contact, and the contacts that they make.

   The reference is the edge or face of one shape, or the pair of edges, along whose normal contacts lie. Contacts of
   one reference are named by the corner that touches, or by the crossing of two edges. A reference that was chosen a
   tick before is kept until another is better by STEADY: rounding does not change it. */
#ifndef HAPTICS_FEATURES_H
#define HAPTICS_FEATURES_H

#include <string.h>

#include "scene.h"

static const double STEADY = 1e-7; /* m: smaller differences of separations and places do not change features */

/* key = (pair*REFERENCES + reference)*NAMES + name; keys of a tick increase from pair to pair. Reference: 2 index for a
   face or edge of shape a, 2 index + 1 for one of b, EDGES + CORNERS i + j for edges i of a and j of b. Name: a corner,
   or CROSSING + number. */
enum { EDGES = 1 << 22, REFERENCES = 1 << 23, NAMES = 1 << 12, CROSSING = POINTS };

static inline int64_t reference_of(const contact_t *c)
{
    return c->key/NAMES % REFERENCES;
}

/* whether the point of a contact lies on shape a, else on b */
static inline int lies_on_a(const contact_t *c)
{
    return reference_of(c) >= EDGES || reference_of(c) % 2;
}

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

/* add a contact of a pair of shapes */
static inline void add_contact(scene_t *s, int64_t pair, int64_t reference, int64_t name, const double *point,
                               const double *normal, double sign, double separation)
{
    contact_t *c = new_contact(s);
    int k;
    if (!c)
        return;
    c->a = s->pairs[pair][0], c->b = s->pairs[pair][1], c->s = separation;
    c->link_a = s->shapes[c->a].link, c->link_b = s->shapes[c->b].link;
    c->key = (pair*REFERENCES + reference)*NAMES + name;
    for (k = 0; k < 3; k++)
        c->point[k] = point[k], c->normal[k] = sign*normal[k];
}

/* the reference of a pair a tick before; -1 if it did not touch. Pairs are asked in their order. */
static inline int64_t last_reference(const scene_t *s, int64_t pair)
{
    work_t *w = s->work;
    const int64_t key = pair*REFERENCES*NAMES;
    while (w->cursor < w->nbefore && w->before[w->cursor].key < key)
        w->cursor++;
    return w->cursor < w->nbefore && w->before[w->cursor].key/NAMES/REFERENCES == pair ? reference_of(w->before + w->cursor) : -1;
}

/* whether a contact existed a tick before; after last_reference of its pair */
static inline int existed(const scene_t *s, int64_t pair, int64_t reference, int64_t name)
{
    const work_t *w = s->work;
    const int64_t key = (pair*REFERENCES + reference)*NAMES + name;
    int64_t k;
    for (k = w->cursor; k < w->nbefore && w->before[k].key/NAMES/REFERENCES == pair; k++)
        if (w->before[k].key == key)
            return 1;
    return 0;
}

#endif
