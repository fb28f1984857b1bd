/* The data of an error-state Kalman filter and the functions that it calls: see filter.h. Nothing is allocated. */
#ifndef ESTIMATION_FILTER_T_H
#define ESTIMATION_FILTER_T_H

#include <stdint.h>

#include "../codegen/runtime/steps.h"

typedef int advance_from_t(void *stepper, const double *x, int64_t n);

typedef struct {
    generated slopes; /* (t, x, u, guess) -> A n x n, G n x m */
    const double *slopes_h;
    generated sensors; /* (t, x, u, guess) -> y nz, H nz x n, J nz x m */
    const double *sensors_h;
    advance_from_t *advance;
    void *stepper;
    int64_t n, nv, nz, m, g, inputs, substeps, degree; /* degree of the stability function; 0: F = exp(A dt) */
    int64_t moving; /* the first errors, which A moves; those after them are held */
    const double *stepped; /* the stepper's own state */
    double *x, *u, *guess; /* the estimate; the stepper's inputs and dependent coordinates */
    double *P;             /* (n + m) x (n + m) */
    double *A, *G, *y, *H, *J;                /* outputs of the two functions */
    double *F, *W, *V, *power, *N, *T, *d, *gain; /* work space n x n; W and T as P; d and gain n + m */
    int64_t *pivots;                          /* n, of a factorisation */
    double *scale;                            /* n powers of two that balanced A in the last step */
    const double *stability;                  /* c_0 ... c_degree, then e_1 ... e_degree of the steps */
    const double *densities;                  /* n + m: sigma of white noise (unit/sqrt(s)) */
    double *R;                                /* nz variances of the sensors */
    double *innovation, *share;               /* nz: y = z - h(x), and y^2/S; NaN: not measured */
    const int64_t *place;                     /* places in u of the estimated inputs, the first of the unknowns */
    double *offset;                           /* their estimates less their given values */
    double t, dt, gate, gamma;
} filter_t;

#endif
