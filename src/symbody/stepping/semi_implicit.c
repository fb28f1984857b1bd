/* Steps of the semi-implicit Euler method. */
#include "fixed_step.h"
#include "semi_implicit.h"

static int advance(fixed_t *s, int64_t step, double *next)
{
    if (steep(s->npivots, s->now, s->past, s->steep)) /* the last change stands for the next: no stage shows it */
        return TOO_COARSE;
    semi_implicit_step(s->nx, s->nq, s->velocity, s->nballs, s->balls, s->dt, s->x, s->rate, next);
    return s->npivots && isnan(s->past[0]) ? stage_rates(s, step, 1.0, next, s->rate) : DONE;
}

STEPPER(fixed_t, begin_with_rates, advance, NULL)
