/* A filter as a stepper of the real-time loop (filter_loop.py): alone, with measurements as inputs, or together with
   a simulated machine. In a period the machine, if there is one, makes its step; sensors measure its outputs; the
   estimate is corrected and output with its standard deviations; then the filter makes its own step. Nothing is
   allocated. */
#include <math.h>
#include <string.h>

#include "../codegen/runtime/steps.h"
#include "../estimation/filter.h"
#include "../estimation/noisy_sensor.h"

typedef struct {
    generated told; /* (t, x, u, guess) -> y ntold, C ntold x n, D ntold x m */
    const double *told_h;
    filter_t *filter;
    double *filter_time;   /* time of the filter's own stepper (s) */
    int64_t *filter_capped, *machine_capped;
    stepper_t *machine;    /* steps the machine; NULL: measurements are inputs */
    void *machine_of;
    double *u;             /* inputs of the loop: the machine's and settings, or measurements and the machine's */
    const int64_t *from;   /* places of the filter's inputs in u; -1: not given, */
    double *given;         /* then they keep this value */
    const double *sensors; /* numbers of each: see noisy_sensor.h */
    double *memory;        /* of the sensors */
    const double *R;       /* variances of the sensors as specified */
    double *z, *last;      /* measurements; the last finite ones */
    double *surprise;      /* running means of y^2/S; 1 as expected */
    double *y, *C, *D, *Pc;
    double *refused;       /* number of measurements refused by the gate */
    const int64_t *compared, *compared_to; /* pairs of an estimate and the machine's output */
    int64_t nu, ny, ntold, ngiven; /* the machine's inputs and outputs; estimates; the filter's inputs */
    int64_t ncompared, capped, doubted;
    double surprising, length; /* limit of the mean of y^2/S; number of measurements in it */
} filter_loop_t;

static const double FARTHEST = 25.0; /* an outlier counts as 5 sigma at most */

/* measurements: of the machine's outputs, or from the inputs */
static void listen(filter_loop_t *l, const double *y)
{
    filter_t *f = l->filter;
    const double *setting = l->u + l->nu; /* factors of the true and of the assumed noise; switches */
    int64_t k;
    if (!l->machine) {
        memcpy(l->z, l->u, f->nz*sizeof *l->z);
        return;
    }
    measure(f->nz, l->sensors, y, f->dt, setting[0], l->memory, l->z);
    for (k = 0; k < f->nz; k++) {
        f->R[k] = setting[1]*setting[1]*l->R[k];
        if (!(setting[2 + k] > 0.5))
            l->z[k] = NAN;
        if (isfinite(l->z[k]) || l->memory[STEPS] == 1.0)
            l->last[k] = isfinite(l->z[k]) ? l->z[k] : y[(int64_t)l->sensors[NUMBERS*k + CHANNEL]];
    }
}

/* update the running means of y^2/S, flag inconsistent estimates, and return the largest mean */
static double surprise(filter_loop_t *l)
{
    const filter_t *f = l->filter;
    double most = 0.0;
    int64_t k;
    for (k = 0; k < f->nz; k++) {
        const double share = f->share[k];
        if (!isnan(share)) { /* infinite: y^2 overflows */
            *l->refused += share > f->gate;
            l->surprise[k] += ((share < FARTHEST ? share : FARTHEST) - l->surprise[k])/l->length;
        }
        most = l->surprise[k] > most ? l->surprise[k] : most;
    }
    l->doubted = most > l->surprising;
    return most;
}

/* output estimates, their standard deviations, the largest mean of y^2/S, and the number of refused measurements */
static void tell(filter_loop_t *l, double *to)
{
    const filter_t *f = l->filter;
    const int64_t n = f->n, m = f->m, w = n + m, count = l->ntold + f->inputs;
    const double *in[4] = {&f->t, f->x, f->u, f->guess};
    double *out[3] = {l->y, l->C, l->D};
    int64_t i, k;
    l->told(in, out, l->told_h);
    for (k = 0; k < l->ntold; k++) {
        const double *c = l->C + n*k, *d = l->D + m*k;
        double variance = 0.0;
        memset(l->Pc, 0, w*sizeof *l->Pc);
        add_slope(w, f->P, n, 0, c, l->Pc);
        add_slope(w, f->P, m, n, d, l->Pc);
        for (i = 0; i < w; i++)
            variance += (i < n ? c[i] : d[i - n])*l->Pc[i];
        to[k] = l->y[k];
        to[count + k] = variance < 0.0 ? 0.0 : sqrt(variance); /* below zero only by rounding; NaN stays NaN */
    }
    for (k = 0; k < f->inputs; k++) {
        to[l->ntold + k] = f->u[f->place[k]];
        to[count + l->ntold + k] = sqrt(f->P[(w + 1)*(n + k)]);
    }
    to[2*count] = surprise(l);
    to[2*count + 1] = *l->refused;
}

/* then output estimates less truth, and their standard deviations again */
static void compare(const filter_loop_t *l, const double *y, double *told)
{
    const int64_t count = l->ntold + l->filter->inputs, n = l->ncompared;
    double *to = told + 2*count + 2;
    int64_t k;
    for (k = 0; k < n; k++) {
        to[k] = told[l->compared[k]] - y[l->compared_to[k]];
        to[n + k] = told[count + l->compared[k]];
    }
}

/* stepper_t: outputs of the first of n steps go to `path`; sub-steps within a period only step the machine */
int64_t integrate(filter_loop_t *l, int64_t first, int64_t n, int64_t every, double *path, int *status)
{
    filter_t *f = l->filter;
    const int64_t seen = l->machine ? f->nz : 0;
    int64_t k;
    *status = DONE;
    *l->machine_capped = *l->filter_capped = 0;
    if (l->machine)
        l->machine(l->machine_of, first, n, every, path, status);
    if (*status == DONE && first % every == 0) {
        listen(l, path);
        *l->filter_time = f->t = (double)(first/every)*f->dt;
        for (k = 0; k < l->ngiven; k++)
            l->given[k] = l->from[k] < 0 ? l->given[k] : l->u[l->from[k]];
        hold(f, l->given, l->ngiven);
        *status = correct_by(f, l->z);
        if (*status == DONE) {
            hold(f, l->given, l->ngiven); /* the estimated inputs have changed */
            memcpy(path + l->ny, l->last, seen*sizeof *path);
            tell(l, path + l->ny + seen);
            compare(l, path, path + l->ny + seen);
            *status = predict_step(f);
        }
    }
    l->capped += *l->machine_capped + *l->filter_capped;
    return n;
}
