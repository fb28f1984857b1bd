/* Steps of the classical Runge-Kutta method. */
#include "fixed_step.h"
#include "rk4.h"

typedef struct {
    fixed_t frame;
    double *stages; /* 3 nx */
} rk4_t;

typedef struct {
    const fixed_t *s;
    int64_t step;
} stage_t;

static int rates_of(void *of, double share, const double *x, double *xd)
{
    const stage_t *at = of;
    return stage_rates(at->s, at->step, share, x, xd);
}

static int advance(fixed_t *s, int64_t step, double *next)
{
    stage_t at = {s, step};
    return rk4_step(rates_of, &at, s->nx, s->dt, s->x, s->rate, ((rk4_t *)s)->stages, next);
}

STEPPER(rk4_t, begin_with_rates, advance, NULL)
