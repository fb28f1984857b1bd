/* What both versions of FMI need of an instance of NAME: values by their references, evaluation when something has
   changed, steps, derivatives, and the numbers that make up its state. */
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "NAME_system.h"
#if NAME_JACOBIAN
#include "NAME_jacobian.h"
#endif

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif

enum { NX = NAME_NX, NU = NAME_NU, NP = NAME_NP, NY = NAME_NY };
#define ROOM NAME_ROOM
#define TOKEN "INSTANTIATION_TOKEN"
#define CLOSE 1e-9   /* how far apart, relatively, two times may be that are meant to be one */
#define MOST 1e9     /* internal steps in one communication step */

typedef enum { OK, WARNING, DISCARD, ERROR, FATAL } status; /* the numbers of FMI 2 and 3 */
typedef enum { MODEL_EXCHANGE, CO_SIMULATION } kind;
typedef enum { INSTANTIATED, INITIALISING, RUNNING, TERMINATED } mode;

/* Value references count through these, one after the other. */
typedef enum { TIME, STEP, STATE, RATE, INPUT, PARAMETER, OUTPUT, NOTHING } family;
static const unsigned SIZE[] = {1, 1, NX, NX, NU, NP, NY};

/* All that a saved state holds: numbers only, so that it can be copied as it lies. */
typedef struct {
    char token[sizeof TOKEN];
    NAME_system system;
    double step; /* s, at most, within a communication step */
    mode mode;
} kept;

typedef struct {
    kept k;
    kind kind;
    double xd[ROOM(NX)], y[ROOM(NY)];
    int rates_known, outputs_known;
#if NAME_JACOBIAN
    double fx[ROOM(NX*NX)], yx[ROOM(NY*NX)], fu[ROOM(NX*NU)], yu[ROOM(NY*NU)], fp[ROOM(NX*NP)], yp[ROOM(NY*NP)];
    double h[ROOM(NAME_JACOBIAN_H)];
    int jacobian_known, h_known;
#endif
    int logging;
    char *name;
    void *environment;
    void (*logger)(void); /* of the type that the version has */
} instance;

/* Hands a message to the importer; each version has its own way. */
static void tell(const instance *i, status s, const char *category, const char *message);

/* Reports a problem and is its status. The text holds no per cent sign: FMI 2 takes it for a format. */
static inline status report(const instance *i, status s, const char *format, ...)
{
    char text[256];
    va_list more;
    va_start(more, format);
    vsnprintf(text, sizeof text, format, more);
    va_end(more);
    if (s >= ERROR || i->logging)
        tell(i, s, s == WARNING ? "logStatusWarning" : "logStatusError", text);
    return s;
}

static inline status worse(status a, status b)
{
    return a > b ? a : b;
}

static inline void forget(instance *i)
{
    i->rates_known = i->outputs_known = 0;
#if NAME_JACOBIAN
    i->jacobian_known = 0;
#endif
}

static inline void tuned(instance *i)
{
    forget(i);
#if NAME_JACOBIAN
    i->h_known = 0;
#endif
}

static inline status reset(instance *i)
{
    memset(&i->k, 0, sizeof i->k); /* the gaps, too: saved states are compared byte by byte */
    memcpy(i->k.token, TOKEN, sizeof TOKEN);
    NAME_reset(&i->k.system);
    i->k.step = INTERNAL_STEP;
    i->k.mode = INSTANTIATED;
    tuned(i);
    return OK;
}

static inline instance *instantiate(kind kind, const char *name, const char *token, int logging, void *environment,
                                    void (*logger)(void))
{
    instance *i = calloc(1, sizeof *i);
    const size_t length = name ? strlen(name) : 0;
    if (!i)
        return NULL;
    i->kind = kind;
    i->logging = logging;
    i->environment = environment;
    i->logger = logger;
    i->name = calloc(length + 1, 1);
    if (i->name && length)
        memcpy(i->name, name, length);
    reset(i);
    if (!i->name || !token || strcmp(token, TOKEN)) {
        report(i, ERROR, "this is not the FMU of the model description: the token differs from " TOKEN);
        free(i->name);
        free(i);
        return NULL;
    }
    return i;
}

static inline void release(instance *i)
{
    if (!i)
        return;
    free(i->name);
    free(i);
}

static inline status problem(const instance *i, int what)
{
    const double t = i->k.system.t;
    switch (what) {
    case NAME_DONE:
        return OK;
    case NAME_NOT_CLOSED:
        return report(i, ERROR, "at t = %g s the loops do not close", t);
    case NAME_NEAR_SINGULAR:
        return report(i, ERROR,
                      "at t = %g s a pivot of the loops vanishes: coordinates chosen at the export, or their order, "
                      "end here", t);
    default:
        return report(i, ERROR, "at t = %g s the rates or states are not finite", t);
    }
}

/* Until the end of the initialisation, each evaluation begins anew. */
static inline status rates(instance *i)
{
    NAME_system *s = &i->k.system;
    int found;
    if (i->rates_known)
        return OK;
    found = i->k.mode < RUNNING ? NAME_begin(s) : NAME_DONE;
    if (found == NAME_DONE)
        found = NAME_derivatives(s, i->xd);
    i->rates_known = found == NAME_DONE;
    return problem(i, found);
}

static inline status outputs(instance *i)
{
    status s = OK;
    if (i->outputs_known || (s = rates(i)) != OK)
        return s;
    i->outputs_known = 1;
    if (NAME_observe(&i->k.system, i->y) != NAME_DONE)
        s = report(i, WARNING, "at t = %g s an output is not finite", i->k.system.t);
    return s;
}

/* Family of a reference, and its place there. */
static inline family place(unsigned reference, unsigned *at)
{
    int f;
    for (f = TIME; f < NOTHING && reference >= SIZE[f]; f++)
        reference -= SIZE[f];
    *at = reference;
    return (family)f;
}

static inline status unknown(const instance *i, unsigned reference)
{
    return report(i, ERROR, "no real variable has the value reference %u", reference);
}

static inline status get(instance *i, const unsigned *references, size_t n, double *values)
{
    status s = OK;
    size_t k;
    for (k = 0; k < n; k++) {
        unsigned at;
        const family f = place(references[k], &at);
        const NAME_system *now = &i->k.system;
        if (f == NOTHING)
            return unknown(i, references[k]);
        if (f == RATE)
            s = worse(s, rates(i));
        if (f == OUTPUT)
            s = worse(s, outputs(i));
        if (s >= DISCARD)
            return s;
        switch (f) {
        case TIME: values[k] = now->t; break;
        case STEP: values[k] = i->k.step; break;
        case STATE: values[k] = now->x[at]; break;
        case RATE: values[k] = i->xd[at]; break;
        case INPUT: values[k] = now->u[at]; break;
        case PARAMETER: values[k] = now->p[at]; break;
        default: values[k] = i->y[at];
        }
    }
    return s;
}

static inline status set_one(instance *i, unsigned reference, double value)
{
    NAME_system *s = &i->k.system;
    const int early = i->k.mode < RUNNING;
    unsigned at;
    const family f = place(reference, &at);
    if (f == NOTHING)
        return unknown(i, reference);
    if (!isfinite(value))
        return report(i, ERROR, "the value for the reference %u is not finite", reference);
    if (f == INPUT)
        s->u[at] = value;
    else if (f == PARAMETER)
        s->p[at] = value;
    else if (f == STATE && early)
        s->x[at] = value;
    else if (f == STEP && early && value > 0.0)
        i->k.step = value;
    else
        return report(i, ERROR, "the variable with the value reference %u cannot be set to %g now", reference, value);
    if (f == PARAMETER)
        tuned(i);
    forget(i);
    return OK;
}

static inline status set(instance *i, const unsigned *references, size_t n, const double *values)
{
    unsigned at;
    status s = OK;
    int changed = 0;
    size_t k;
    for (k = 0; k < n && s == OK; k++) {
        s = set_one(i, references[k], values[k]);
        changed |= place(references[k], &at) == PARAMETER;
    }
    if (changed)
        NAME_tune(&i->k.system);
    return s;
}

static inline status exit_initialisation(instance *i)
{
    const status s = rates(i);
    if (s == OK)
        i->k.mode = RUNNING;
    return s;
}

/* -- model exchange ----------------------------------------------------------------------------------------------- */

static inline status set_time(instance *i, double t)
{
    if (!isfinite(t))
        return report(i, ERROR, "the time is not finite");
    i->k.system.t = t;
    forget(i);
    return OK;
}

static inline status miscounted(const instance *i, size_t n)
{
    return report(i, ERROR, "%u numbers for %d states", (unsigned)n, NX);
}

static inline status set_states(instance *i, const double *x, size_t n)
{
    if (n != NX)
        return miscounted(i, n);
    memcpy(i->k.system.x, x, NX*sizeof *x);
    forget(i);
    return OK;
}

static inline status get_states(const instance *i, double *x, size_t n)
{
    if (n != NX)
        return miscounted(i, n);
    memcpy(x, i->k.system.x, NX*sizeof *x);
    return OK;
}

static inline status get_rates(instance *i, double *xd, size_t n)
{
    const status s = n == NX ? rates(i) : miscounted(i, n);
    if (s == OK)
        memcpy(xd, i->xd, NX*sizeof *xd);
    return s;
}

static inline status get_nominals(const instance *i, double *x, size_t n)
{
    size_t k;
    if (n != NX)
        return miscounted(i, n);
    for (k = 0; k < n; k++)
        x[k] = 1.0;
    return OK;
}

/* -- co-simulation ------------------------------------------------------------------------------------------------ */

static inline status set_input_slopes(instance *i, const unsigned *references, size_t n, const int *orders,
                                      const double *values)
{
    size_t k;
    for (k = 0; k < n; k++) {
        unsigned at;
        if (place(references[k], &at) != INPUT || orders[k] != 1 || !isfinite(values[k]))
            return report(i, ERROR, "the reference %u takes no derivative of order %d", references[k], orders[k]);
        i->k.system.slope[at] = values[k];
    }
    return OK;
}

/* A communication step in equal internal ones; where one fails, the time is the end of the last one that did not. */
static inline status advance(instance *i, double t, double length)
{
    NAME_system *s = &i->k.system;
    const double count = length > 0.0 ? ceil(length/i->k.step*(1.0 - CLOSE)) : 0.0;
    long k;
    int done = NAME_DONE;
    if (!(count >= 1.0 && count <= MOST))
        return report(i, ERROR, "a communication step of %g s in internal steps of %g s", length, i->k.step);
    if (!(fabs(t - s->t) <= CLOSE*(1.0 + fabs(t))))
        return report(i, ERROR, "a step from t = %.12g s, but the time is %.12g s", t, s->t);
    forget(i);
    s->t = t;
    for (k = 1; k <= (long)count && done == NAME_DONE; k++) {
        done = NAME_step(s, length/count);
        if (done == NAME_DONE)
            s->t = k < (long)count ? t + length*((double)k/count) : t + length;
    }
    memset(s->slope, 0, sizeof s->slope); /* they hold for one communication step */
    return problem(i, done);
}

/* -- saved states ------------------------------------------------------------------------------------------------- */

static inline status save(const instance *i, void **state)
{
    if (!*state)
        *state = malloc(sizeof(kept));
    if (!*state)
        return report(i, ERROR, "no memory for the state");
    memcpy(*state, &i->k, sizeof(kept));
    return OK;
}

static inline status restore(instance *i, const void *state)
{
    if (!state || memcmp(state, TOKEN, sizeof TOKEN))
        return report(i, ERROR, "this is not a state of this FMU");
    memcpy(&i->k, state, sizeof(kept));
    tuned(i);
    return OK;
}

static inline status serialise(const instance *i, const void *state, char *bytes, size_t size)
{
    if (!state || size < sizeof(kept))
        return report(i, ERROR, "no state, or %u bytes for its %u", (unsigned)size, (unsigned)sizeof(kept));
    memcpy(bytes, state, sizeof(kept));
    return OK;
}

static inline status deserialise(const instance *i, const char *bytes, size_t size, void **state)
{
    if (size != sizeof(kept) || memcmp(bytes, TOKEN, sizeof TOKEN))
        return report(i, ERROR, "these %u bytes are not a state of this FMU", (unsigned)size);
    if (!*state)
        *state = malloc(sizeof(kept));
    if (!*state)
        return report(i, ERROR, "no memory for the state");
    memcpy(*state, bytes, sizeof(kept));
    return OK;
}

/* -- derivatives -------------------------------------------------------------------------------------------------- */

#if NAME_JACOBIAN
static inline status jacobian(instance *i)
{
    NAME_system *s = &i->k.system;
    const double *in[4] = {&s->t, s->x, s->u, s->guess};
    double *out[6] = {i->fx, i->yx, i->fu, i->yu, i->fp, i->yp};
    const status found = rates(i);
    if (found != OK || i->jacobian_known)
        return found;
#if NAME_JACOBIAN_H > 0
    if (!i->h_known)
        NAME_jacobian_hoist(s->p, i->h);
    i->h_known = 1;
#endif
    NAME_jacobian_call(in, out, i->h);
    i->jacobian_known = 1;
    return OK;
}

/* One element; NaN for what is not a pair of an unknown and a known. */
static inline double partial(const instance *i, unsigned of, unsigned by)
{
    unsigned r, c;
    const family f = place(of, &r), g = place(by, &c);
    if (f == STATE && (g == STATE || g == INPUT || g == PARAMETER))
        return of == by;
    switch (g) {
    case STATE: return f == RATE ? i->fx[r*NX + c] : f == OUTPUT ? i->yx[r*NX + c] : NAN;
    case INPUT: return f == RATE ? i->fu[r*NU + c] : f == OUTPUT ? i->yu[r*NU + c] : NAN;
    case PARAMETER: return f == RATE ? i->fp[r*NP + c] : f == OUTPUT ? i->yp[r*NP + c] : NAN;
    default: return NAN;
    }
}

/* Seeds of the knowns to sensitivities of the unknowns, or with `adjoint` the way back. */
static inline status directional(instance *i, int adjoint, const unsigned *unknowns, size_t nu, const unsigned *knowns,
                                 size_t nk, const double *seed, double *sensitivity)
{
    const size_t rows = adjoint ? nk : nu, columns = adjoint ? nu : nk;
    status s = jacobian(i);
    size_t r, c;
    for (r = 0; r < rows && s == OK; r++) {
        sensitivity[r] = 0.0;
        for (c = 0; c < columns; c++)
            sensitivity[r] += seed[c]*partial(i, unknowns[adjoint ? c : r], knowns[adjoint ? r : c]);
        if (!isfinite(sensitivity[r]))
            s = report(i, ERROR, "no derivative for the value reference %u", (adjoint ? knowns : unknowns)[r]);
    }
    return s;
}
#else
static inline status directional(instance *i, int adjoint, const unsigned *unknowns, size_t nu, const unsigned *knowns,
                                 size_t nk, const double *seed, double *sensitivity)
{
    (void)adjoint, (void)unknowns, (void)nu, (void)knowns, (void)nk, (void)seed, (void)sensitivity;
    return report(i, ERROR, "this FMU was exported without derivatives");
}
#endif
