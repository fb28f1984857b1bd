/* The exported functions of a filter: single half-steps, or many steps at once. See filter.h. */
#include <math.h>
#include <string.h>

#include "../codegen/runtime/linear_algebra.h"
#include "../codegen/runtime/steps.h"
#include "filter.h"

int predict(filter_t *f)
{
    return predict_step(f);
}

int correct(filter_t *f, const double *z)
{
    return correct_by(f, z);
}

/* e' P^-1 e of the error e = x - truth, scaled by the diagonal of P; NaN if P is singular */
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
    if (!lu(n, f->N, f->pivots, 0.0))
        return NAN;
    lu_solve_one(n, f->N, f->pivots, f->gain);
    for (i = 0; i < n; i++)
        sum += f->d[i]*f->gain[i];
    return sum;
}

/* Steps with a row of inputs u and a row of measurements z each. Outputs per step: estimates and variances of the
   states and of the estimated inputs, y^2/S of the measurements, and NEES if `truth` is given. Estimated parameters
   are not supported. */
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
