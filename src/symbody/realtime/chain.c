/* A chain of steppers as one stepper of the real-time loop (chain.py). In a period the stages step one after another;
   an input of a stage is an input of the loop or an output of any stage. An output of a later stage is that of the
   period before. Nothing is allocated. */
#include <stdint.h>
#include <string.h>

#include "../codegen/runtime/steps.h"

typedef struct {
    stepper_t *step;
    void *of;
    double *u;           /* inputs of the stage */
    const int64_t *from; /* place of each input in the values */
    double *y;           /* its outputs, in the values */
    int64_t *capped;     /* steps of its own in which Newton's method stopped at its limit */
    int64_t nu, substeps;
} chain_stage_t;

typedef struct {
    const double *u;       /* inputs of the loop: the first of the values */
    double *values;        /* inputs, then outputs of all stages */
    const chain_stage_t *stages;
    const int64_t *shown;  /* places of the loop's outputs in the values */
    int64_t nu, ny, count, capped;
} chain_t;

/* stepper_t: outputs are of the first of n steps */
int64_t integrate(chain_t *c, int64_t first, int64_t n, int64_t every, double *path, int *status)
{
    int64_t i, k;
    *status = DONE;
    memcpy(c->values, c->u, c->nu*sizeof *c->values);
    for (k = 0; k < c->count && *status == DONE; k++) {
        const chain_stage_t *s = c->stages + k;
        const int64_t m = s->substeps;
        for (i = 0; i < s->nu; i++)
            s->u[i] = c->values[s->from[i]];
        *s->capped = 0;
        s->step(s->of, m*first, m*n, m*every, s->y, status);
        c->capped += *s->capped;
    }
    if (first%every == 0)
        for (i = 0; i < c->ny; i++)
            path[i] = c->values[c->shown[i]];
    return n;
}
