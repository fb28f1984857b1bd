/* Steps of the semi-implicit Euler method. */
#include "fixed_step.h"
#include "semi_implicit.h"

static int advance(fixed_t *s, int64_t step, double *next)
{
    (void)step;
    if (steep(s->npivots, s->now, s->past, s->steep)) /* the last change, as no stage shows the next */
        return TOO_COARSE;
    semi_implicit_step(s->nx, s->nq, s->velocity, s->nballs, s->balls, s->dt, s->x, s->rate, next);
    return DONE;
}

STEPPER(fixed_t, begin_with_rates, advance, NULL)
