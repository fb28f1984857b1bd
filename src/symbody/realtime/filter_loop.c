/* A filter as what the real-time loop steps: alone, by measurements that come in, or beside the machine that it watches.
   See filter_loop.py. A period: the machine's outputs and its step, where there is one; what sensors make of them; the
   estimate corrected by what was measured, and told with its standard deviations; and its own step. Nothing is allocated. */
#include "steps.h"

#include "estimation/matrices.h"

#include "estimation/filter_t.h"

#include "estimation/transition.h"

#include "estimation/filter.h"

#include "estimation/noisy_sensor.h"

typedef int64_t stepper_t(void *of, int64_t first, int64_t n, int64_t every, double *path, int *status);

typedef struct {
    generated told; /* (t, x, u, guess) -> y ntold, C ntold x n, D ntold x m */
    const double *told_h;
    filter_t *filter;
    double *filter_time;   /* of the filter's own stepper */
    int64_t *filter_capped, *machine_capped;
    stepper_t *machine;    /* that is watched; null: measurements come in */
    void *machine_of;
    double *u;             /* of the loop: the machine's inputs and settings, or measurements and the machine's inputs */
    const int64_t *from;   /* where in it the filter's inputs are; -1: nobody tells them, */
    double *given;         /* and they are what they were */
    const double *sensors; /* numbers of each: see noisy_sensor.h */
    double *memory;        /* of the sensors */
    const double *R;       /* variances of the sensors as the filter was told them */
    double *z, *last;      /* measurements, and the last ones that were made */
    double *surprise;      /* running means of their squares by what was expected of them: 1 */
    double *y, *C, *D, *Pc;
    double *refused;       /* how many measurements the gate refused */
    const int64_t *compared, *compared_to; /* estimates that are told of, and the machine's outputs that they are of */
    int64_t nu, ny, ntold, ngiven; /* inputs and outputs of the machine, estimates that are told, inputs of the filter */
    int64_t ncompared, capped, doubted;
    double surprising, length; /* a larger surprise is doubted; measurements that its mean remembers */
} filter_loop_t;

const int64_t structure_sizes[] = {sizeof(filter_loop_t), sizeof(filter_t)};
static const double FARTHEST = 25.0; /* one outlier counts as 5 sigma, however far it is off */

/* what the sensors say: of the machine's outputs, or as it came in */
static void listen(filter_loop_t *l, const double *y)
{
    filter_t *f = l->filter;
    const double *setting = l->u + l->nu; /* noise of the sensors and what is thought of it, as factors; their switches */
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

/* whether measurements are about as far off as expected: means of y^2/S, the largest of which is returned */
static double surprise(filter_loop_t *l)
{
    const filter_t *f = l->filter;
    double most = 0.0;
    int64_t k;
    for (k = 0; k < f->nz; k++) {
        const double share = f->share[k];
        if (isfinite(share)) {
            *l->refused += share > f->gate;
            l->surprise[k] += ((share < FARTHEST ? share : FARTHEST) - l->surprise[k])/l->length;
        }
        most = l->surprise[k] > most ? l->surprise[k] : most;
    }
    l->doubted = most > l->surprising;
    return most;
}

/* estimates, then their standard deviations, then the largest surprise and how many measurements were refused */
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
        to[count + k] = variance < 0.0 ? 0.0 : sqrt(variance); /* below zero by rounding only; what is no number stays none */
    }
    for (k = 0; k < f->inputs; k++) {
        to[l->ntold + k] = f->u[f->place[k]];
        to[count + l->ntold + k] = sqrt(f->P[(w + 1)*(n + k)]);
    }
    to[2*count] = surprise(l);
    to[2*count + 1] = *l->refused;
}

/* behind what is told: estimates less truth, and their standard deviations again */
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

/* as the loop calls a stepper: outputs of the first of n steps into `path`; between two periods only the machine goes on */
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
            hold(f, l->given, l->ngiven); /* inputs that are estimated have moved */
            memcpy(path + l->ny, l->last, seen*sizeof *path);
            tell(l, path + l->ny + seen);
            compare(l, path, path + l->ny + seen);
            *status = predict_step(f);
        }
    }
    l->capped += *l->machine_capped + *l->filter_capped;
    return n;
}
