/* Loops closed at states (t, x, u), each followed from the same closed position: answers depend on the state alone. */
#ifndef RUNTIME_LOOP_CLOSER_H
#define RUNTIME_LOOP_CLOSER_H

#include <stddef.h>
#include <stdio.h>

#include "loop_path.h"

enum { TIME_IN, STATE_IN, INPUTS_IN, PARAMETERS_IN, LOOP_INPUTS }; /* t, x, u, p; the last one may be NULL */

/* Filled by Python: every member has eight bytes. */
typedef struct {
    loop_path_t path;
    generated given;          /* (t, x, u, p) -> g */
    const double *given_h;    /* its values that depend on parameters only */
    const char *title;        /* of the model */
    const char *const *loops; /* for each equation: its loop, */
    const char *const *units; /* and the unit of its gap */
} loop_closer_t;

#define LOOP_CLOSER_WORK(c) ((size_t)((c)->path.ng + LOOP_WORK((c)->path.ng, (c)->path.nd)))

/* The dependent coordinates v at one state; NaN if the loops were not followed to it. */
static inline int close_state(const loop_closer_t *c, const double *const *in, double *v, double *work, loop_end_t *end)
{
    double *g = work, *out[1] = {g};
    c->given(in, out, c->given_h);
    return follow_loops(&c->path, g, in[PARAMETERS_IN], v, work + c->path.ng, end);
}

/* The same at n states; from one to the next, `in` advances by `stride`. Returns how many were closed. */
static inline size_t close_each(const loop_closer_t *c, size_t n, const double *const *in, const size_t *stride,
                                double *v, double *work, loop_end_t *end)
{
    size_t closed = 0;
    for (size_t i = 0; i < n; i++) {
        const double *at[LOOP_INPUTS];
        for (int k = 0; k < LOOP_INPUTS; k++)
            at[k] = in[k] ? in[k] + i*stride[k] : NULL;
        closed += (size_t)close_state(c, at, v + i*(size_t)c->path.nd, work, end);
    }
    return closed;
}

/* Why the loops of a state were not closed. */
static inline void open_loop_text(const loop_closer_t *c, const loop_end_t *end, size_t size, char *text)
{
    snprintf(text, size,
             "%s: the loops were followed from the start over %.3g of the way to this state; a singular position is "
             "there, or no position closes them beyond it: at the state, loop '%s' is open by %.3g %s",
             c->title, end->share, c->loops[end->row], end->gap, c->units[end->row]);
}

#endif
