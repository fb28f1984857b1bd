/* Steps of a filter, one by one or many at once: see filter.h. */
#include "steps.h"

#include "matrices.h"

#include "filter_t.h"

#include "transition.h"

#include "filter.h"

const int64_t structure_sizes[] = {sizeof(filter_t)};

int predict(filter_t *f)
{
    return predict_step(f);
}

int correct(filter_t *f, const double *z)
{
    return correct_by(f, z);
}

/* e' P^-1 e of the error e = x - truth, both brought to the sizes of P; NaN where P is singular */
static double normalised_error(filter_t *f, const double *truth)
{
    const int64_t n = f->n, w = n + f->m;
    double sum = 0.0;
    int64_t i, j;
    for (i = 0; i < n; i++) {
        const double size = sqrt(f->P[w*i + i]);
        f->d[i] = f->gain[i] = (f->x[i] - truth[i])/size;
        for (j = 0; j < n; j++)
            f->N[n*i + j] = f->P[w*i + j]/(size*sqrt(f->P[w*j + j]));
    }
    if (!solve(n, 1, f->N, f->gain))
        return NAN;
    for (i = 0; i < n; i++)
        sum += f->d[i]*f->gain[i];
    return sum;
}

/* steps with a row of inputs and of measurements each; the rows of estimates and of variances after them, of the states
   and of the inputs that are estimated, how surprising the measurements were, and, where there is a truth, how far off the
   estimates. No parameter may be estimated: they are not within reach here. */
int64_t filter_steps(filter_t *f, int64_t steps, const double *u, int64_t nu, const double *z, double *mean,
                     double *variance, double *shares, const double *truth, double *nees, int *status)
{
    const int64_t wide = f->n + f->inputs;
    int64_t k, i;
    for (k = 0; k < steps; k++) {
        hold(f, u + nu*k, nu);
        *status = predict_step(f);
        if (*status == DONE)
            *status = correct_by(f, z + f->nz*k);
        if (*status != DONE)
            return k;
        for (i = 0; i < wide; i++) {
            mean[wide*k + i] = i < f->n ? f->x[i] : u[nu*k + f->place[i - f->n]] + f->offset[i - f->n];
            variance[wide*k + i] = f->P[(f->n + f->m)*i + i];
        }
        memcpy(shares + f->nz*k, f->share, f->nz*sizeof *shares);
        if (truth)
            nees[k] = normalised_error(f, truth + f->n*k);
    }
    return k;
}
