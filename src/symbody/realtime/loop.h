/* What the real-time loop knows, and what comes in: parameters, and samples of inputs that are checked and filtered. */
enum { NOT_A_NUMBER = 1, OUT_OF_LIMITS, WRONG_CLOCK }; /* why a sample is refused */
/* why the loop is safe: a refusal, or one of these; the last five are the failures of steps.h in their order */
enum { STALE = WRONG_CLOCK + 1, OVERRUN, OUTSIDE, DIVERGED, SINGULAR, UNSOLVED, BEYOND, LEAPT };
enum { HOLD, RESTART, LATCH };        /* what becomes of the state after the safe state */
enum { NOTHING, CLEAR, BEGIN_AGAIN }; /* commands */
enum { PRIORITY = 1, LOCKED = 2, PINNED = 4 };

typedef int64_t stepper_t(void *of, int64_t first, int64_t n, int64_t every, double *path, int *status);

typedef struct {
    block_t *block;
    void *stepper, *of; /* a stepper's function and structure */
    double *u;          /* where it reads its inputs */
    double **kept;      /* what it keeps from step to step */
    const int64_t *sizes;
    double *start;                           /* the same at the start, one behind the other */
    double *hoisted;                         /* three buffers of what depends on parameters */
    const double ***fields;                  /* where the pointers into it are */
    const int64_t *places;                   /* where they point to */
    const double *low, *high, *least, *most; /* limits of the numbers of a sample, and of outputs */
    const int64_t *target;                   /* for each number of a sample, the input that it is */
    const int64_t *momentary;                /* and whether it counts for one step only; it may then be NaN: not measured */
    const int64_t *tracked;                  /* inputs q that are measured; their two derivatives follow them */
    const double *filters;                   /* for each, A and b of s <- A s + b z, s = (q, q', q'') */
    double *measured, *followed;             /* z and s */
    double *sample, *y, *record;
    int64_t *capped;        /* where the stepper counts the steps that it cut short */
    const int64_t *doubted; /* where it says whether its estimate is not to be trusted */
    int64_t nkept, nfields, nhoisted, ntracked, substeps, policy, patience, priority, core;
    double stale, slack, spin; /* s */
    mailbox_t parameters;
    int64_t stamp;      /* of the last good sample */
    int64_t begun, anew;   /* whether there was one; whether measured motion begins anew: its past is too old to tell */
    int64_t refusal, suspect; /* why the last sample was refused, and by which of its numbers */
    double suspected;      /* the number */
    int64_t calm;          /* periods without a fault */
    pthread_t thread;
} loop_t;

/* -- what comes in ---------------------------------------------------------------------------------------------------- */

static inline void take_parameters(loop_t *l)
{
    const double *h = collect(&l->parameters, l->hoisted, l->nhoisted);
    int64_t k;
    for (k = 0; h && k < l->nfields; k++)
        *l->fields[k] = h + l->places[k];
}

static inline int64_t refused(loop_t *l, int64_t why, int64_t suspect, double suspected)
{
    l->block->refused[why - 1]++;
    l->suspect = suspect;
    l->suspected = suspected;
    return why;
}

static inline int64_t check(loop_t *l, const double *z, int64_t stamp, int64_t now)
{
    const block_t *b = l->block;
    int64_t k;
    if ((l->begun && stamp < l->stamp) || stamp > now + (int64_t)(1e9*b->period))
        return refused(l, WRONG_CLOCK, -1, 1e-9*(stamp - now));
    for (k = 0; k < b->nsample; k++)
        if (l->momentary[k] && isnan(z[k]))
            continue;
        else if (!isfinite(z[k]))
            return refused(l, NOT_A_NUMBER, k, z[k]);
        else if (z[k] < l->low[k] || z[k] > l->high[k])
            return refused(l, OUT_OF_LIMITS, k, z[k]);
    return 0;
}

static inline void follow(const double *filter, double z, double *s)
{
    const double before[3] = {s[0], s[1], s[2]}, *b = filter + 9;
    int i;
    for (i = 0; i < 3; i++)
        s[i] = filter[3*i]*before[0] + filter[3*i + 1]*before[1] + filter[3*i + 2]*before[2] + b[i]*z;
}

/* a new sample, if one has come and is good */
static inline void take_sample(loop_t *l, int64_t now)
{
    block_t *b = l->block;
    const double *z = collect(&b->given, at(b, b->samples), b->nsample + 1);
    int64_t stamp;
    if (!z)
        return;
    memcpy(&stamp, z + b->nsample, sizeof stamp);
    b->received++;
    l->refusal = check(l, z, stamp, now);
    if (l->refusal)
        return;
    if (!l->begun || 1e-9*(stamp - l->stamp) > l->stale)
        l->anew = 1;
    l->begun = 1;
    l->stamp = stamp;
    memcpy(l->sample, z, b->nsample*sizeof *z);
}

/* measured motion, a sub-step further */
static inline void track(loop_t *l)
{
    int64_t k;
    for (k = 0; k < l->ntracked; k++) {
        double *s = l->followed + 3*k, z = l->measured[k];
        if (l->anew)
            s[0] = z, s[1] = s[2] = 0.0;
        follow(l->filters + 12*k, z, s);
        memcpy(l->u + l->tracked[k], s, 3*sizeof *s);
    }
    l->anew = 0;
}

/* what was measured once is used once */
static inline void forget(loop_t *l)
{
    int64_t k;
    for (k = 0; k < l->block->nsample; k++)
        if (l->momentary[k])
            l->sample[k] = NAN;
}

/* the inputs of a step from the last good sample, measured motion filtered */
static inline void set_inputs(loop_t *l)
{
    int64_t k;
    for (k = 0; k < l->block->nsample; k++)
        l->u[l->target[k]] = l->sample[k];
    for (k = 0; k < l->ntracked; k++)
        l->measured[k] = l->u[l->tracked[k]];
    track(l);
    forget(l);
}
