/* The frame of all fixed steps of a system dx/dt = f(t, x, u) that is a generated function: what is recorded, what is
   watched, why a run ends. A method adds how a step begins and how it is made; nothing is allocated, and Python is never
   called (but by laws that are Python functions).

   x = (coordinates, velocities, further states); coordinates whose velocities are tied to others come first among the
   states. The function of a closed system finds the dependent coordinates v itself, from those of the evaluation before,
   and gives the pivots of the Jacobian of loops and ties: one that has shrunk to `watch` of what it was, or changed its
   sign, stops the run before the position is singular. */

typedef struct {
    generated rates; /* (t, x, u, guess) -> dx/dt, v, pivots */
    const double *rates_h;
    generated outputs; /* (t, x, u, guess) -> y */
    const double *outputs_h;
    generated limits; /* (t, x, u, guess) -> what must stay positive, nl numbers */
    const double *limits_h;
    int64_t nx, nq, nv, ns, ntied, nu, nd, npivots, ny, nl, nballs;
    int64_t foresee;         /* whether a step may not begin that leads to where a pivot vanishes */
    int64_t row;             /* numbers from a row of u to the next: nu, or 0 where one row serves for all steps */
    const int64_t *velocity; /* per coordinate in x, the place in x of its velocity; -1 within a quaternion */
    const int64_t *balls;    /* pairs: where in x a unit quaternion begins, and its angular velocity */
    const double *pivots;    /* at the beginning */
    const double *u;         /* inputs: a row before each step and one after the last, or one row for all */
    double *x, *guess;       /* state; dependent coordinates of the last evaluation */
    double *next, *rate;     /* state after the step; dx/dt before it */
    double *v, *pivot;       /* dependent coordinates and pivots of an evaluation */
    double *now, *past;      /* pivots before this step, and before the last two, the last first */
    double *between, *room;  /* inputs between two rows; what limits watch */
    double watch, reach;     /* of a coordinate: how far a state may be from the last one for its loops to be found */
    double t0, dt;           /* t0: of step zero (s) */
} fixed_t;

typedef int begin_t(fixed_t *s, int64_t step);                  /* what a step needs before it; DONE, or why it may not be */
typedef int advance_t(fixed_t *s, int64_t step, double *next);  /* the step; DONE, or why it cannot be made */
typedef void renew_t(fixed_t *s, const double *x); /* take a state over, and what goes with it and with the inputs */

/* inputs at a share of the way from the row of a step to the next */
static inline const double *inputs_within(const fixed_t *s, int64_t step, double share)
{
    const double *a = s->u + s->row*step;
    int64_t k;
    if (share == 0.0 || s->row == 0)
        return a;
    for (k = 0; k < s->nu; k++)
        s->between[k] = a[k] + share*(a[k + s->row] - a[k]);
    return s->between;
}

/* dx/dt at a share of a step; the dependent coordinates that it finds are the next guess */
static inline void rates_at(const fixed_t *s, int64_t step, double share, const double *x, double *xd)
{
    const double t = s->t0 + (step + share)*s->dt, *in[4] = {&t, x, inputs_within(s, step, share), s->guess};
    double *out[3] = {xd, s->v, s->pivot};
    s->rates(in, out, s->rates_h);
    if (finite_all(s->nd, s->v))
        memcpy(s->guess, s->v, s->nd*sizeof *s->v);
}

/* Whether a pivot vanishes within the step that begins, if it goes on along the parabola of its last three values: such
   a step would pass a position where loops go on in several ways, and take any of them. */
static inline int foreseen(fixed_t *s)
{
    const int64_t n = s->npivots;
    int64_t k;
    memcpy(s->now, s->pivot, n*sizeof *s->now);
    for (k = 0; k < n; k++)
        if ((3.0*(s->now[k] - s->past[k]) + s->past[n + k])*s->now[k] <= 0.0) /* never where the past is NaN */
            return TOWARDS_SINGULAR;
    return DONE;
}

/* after a step, its pivots are past */
static inline void remember_pivots(fixed_t *s)
{
    const int64_t n = s->foresee ? s->npivots : 0;
    memcpy(s->past + n, s->past, n*sizeof *s->past);
    memcpy(s->past, s->now, n*sizeof *s->past);
}

/* a state to which no step led has no past */
static inline void forget_pivots(fixed_t *s)
{
    int64_t k;
    for (k = 0; k < 2*s->npivots; k++)
        s->past[k] = NAN;
}

/* how steps begin that need dx/dt first */
static inline int begin_with_rates(fixed_t *s, int64_t step)
{
    rates_at(s, step, 0.0, s->x, s->rate);
    if (!finite_all(s->nx, s->rate))
        return NOT_FINITE;
    return shrunk(s->npivots, s->pivot, s->pivots, s->watch) ? NEAR_SINGULAR : DONE;
}

/* before a step: what it needs, whether all is within the limits, and the outputs where y is given */
static inline int begun(fixed_t *s, begin_t *begin, int64_t step, double *y)
{
    const double t = s->t0 + step*s->dt, *in[4] = {&t, s->x, s->u + s->row*step, s->guess};
    double *room[1] = {s->room}, *out[1] = {y};
    const int status = begin(s, step);
    int64_t k;
    if (status != DONE)
        return status;
    if (s->nl)
        s->limits(in, room, s->limits_h);
    for (k = 0; k < s->nl; k++)
        if (!(s->room[k] > 0.0))
            return BEYOND_LIMIT;
    if (y)
        s->outputs(in, out, s->outputs_h);
    return DONE;
}

/* n steps from step `first` on; before each one whose number is a multiple of `every` (0: never), the outputs are
   recorded in a row of `path`. Returns the steps that were made; where they are fewer than n, `status` says why, and x is
   the last good state, before the step that could not be made. */
static inline int64_t run_steps(fixed_t *s, begin_t *begin, advance_t *advance, int64_t first, int64_t n, int64_t every,
                                double *path, int *status)
{
    int64_t step;
    *status = DONE;
    for (step = first; step < first + n; step++) {
        double *y = every && step % every == 0 ? path : NULL;
        *status = begun(s, begin, step, y);
        if (*status == DONE && s->foresee)
            *status = foreseen(s);
        if (*status == DONE)
            *status = advance(s, step, s->next);
        if (*status == DONE && !finite_all(s->nx, s->next))
            *status = NOT_FINITE;
        if (*status != DONE)
            break;
        normalise(s->nballs, s->balls, s->next);
        memcpy(s->x, s->next, s->nx*sizeof *s->x);
        remember_pivots(s);
        path += y ? s->ny : 0;
    }
    return step - first;
}

/* n steps from a state with the inputs of now, held; time goes on where all were made. A method that remembers more than
   its state brings `renew`, which is told the state. One that is far from the last, with loops to be closed, is refused. */
static inline int step_from(fixed_t *s, begin_t *begin, advance_t *advance, renew_t *renew, const double *x, int64_t n)
{
    int status = DONE;
    int64_t k;
    for (k = 0; s->nd && k < s->nq + s->ntied; k++) {
        const int64_t place = k < s->nq ? k : k + s->nv;
        if (!(fabs(x[place] - s->x[place]) <= s->reach))
            return ELSEWHERE;
    }
    if (s->foresee && memcmp(x, s->x, s->nx*sizeof *x))
        forget_pivots(s);
    if (renew)
        renew(s, x);
    else
        memcpy(s->x, x, s->nx*sizeof *x);
    run_steps(s, begin, advance, 0, n, 0, NULL, &status);
    return status;
}

/* The same for many states, a row of x each: `memory` holds, row by row, the arrays that steps keep, one behind the other;
   `u` a row of inputs for each (or one for all, where `stride` is 0); `status` says of each how it ended. */
static inline void step_each(fixed_t *s, begin_t *begin, advance_t *advance, renew_t *renew, int64_t n, int64_t rows,
                             const double *x, const double *u, int64_t stride, double *memory, double *const *kept,
                             const int64_t *sizes, int64_t nkept, int *status)
{
    const double *own = s->u;
    int64_t row, k;
    for (row = 0; row < rows; row++) {
        double *m = memory;
        for (k = 0; k < nkept; m += sizes[k++])
            memcpy(kept[k], m, sizes[k]*sizeof *m);
        s->u = u + stride*row;
        status[row] = step_from(s, begin, advance, renew, x + s->nx*row, n);
        for (k = 0, m = memory; k < nkept; m += sizes[k++])
            memcpy(m, kept[k], sizes[k]*sizeof *m);
        memory = m;
    }
    s->u = own;
}

/* what a method's file offers: `type` is its structure, which begins with a fixed_t */
#define STEPPER(type, begin, advance, renew)                                                                           \
    const int64_t structure_sizes[] = {sizeof(type)};                                                                  \
    int64_t integrate(type *s, int64_t first, int64_t n, int64_t every, double *path, int *status)                     \
    {                                                                                                                  \
        return run_steps((fixed_t *)s, begin, advance, first, n, every, path, status);                                 \
    }                                                                                                                  \
    int observe(type *s, int64_t step, double *y)                                                                      \
    {                                                                                                                  \
        return begun((fixed_t *)s, begin, step, y);                                                                    \
    }                                                                                                                  \
    int advance_from(type *s, const double *x, int64_t n)                                                              \
    {                                                                                                                  \
        fixed_t *frame = (fixed_t *)s;                                                                                 \
        const int status = step_from(frame, begin, advance, renew, x, n);                                              \
        frame->t0 += status == DONE ? n*frame->dt : 0.0;                                                               \
        return status;                                                                                                 \
    }                                                                                                                  \
    void advance_each(type *s, int64_t n, int64_t rows, const double *x, const double *u, int64_t stride,              \
                      double *memory, double *const *kept, const int64_t *sizes, int64_t nkept, int *status)           \
    {                                                                                                                  \
        step_each((fixed_t *)s, begin, advance, renew, n, rows, x, u, stride, memory, kept, sizes, nkept, status);     \
    }
