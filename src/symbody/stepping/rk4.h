/* The classical Runge-Kutta method of order 4 (Kutta 1901). Part of symbody and of exported C.
     k1 = f(t, x),  k2 = f(t + h/2, x + h/2 k1),  k3 = f(t + h/2, x + h/2 k2),  k4 = f(t + h, x + h k3),
     x + h/6 (k1 + 2 k2 + 2 k3 + k4) */
#ifndef STEPPING_RK4_H
#define STEPPING_RK4_H

#include <stdint.h>
#include <string.h>

#include "state.h"

/* dx/dt at a share of the step; 0, or a status if it cannot be computed */
typedef int rates_within(void *of, double share, const double *x, double *xd);

/* The state after a step of h from the given k1; `work` has room for 3 n numbers. Returns 0, or the status of
   `rates`. */
static inline int rk4_step(rates_within *rates, void *of, int64_t n, double h, const double *x, const double *k1,
                           double *work, double *next)
{
    static const double REACH[3] = {0.5, 0.5, 1.0}, WEIGHT[3] = {2.0, 2.0, 1.0};
    double *k = work, *trial = k + n, *sum = trial + n;
    int stage;
    memcpy(k, k1, n*sizeof *k);
    memcpy(sum, k1, n*sizeof *sum);
    for (stage = 0; stage < 3; stage++) {
        int status;
        add_to(n, x, REACH[stage]*h, k, trial);
        status = rates(of, REACH[stage], trial, k);
        if (status)
            return status;
        add_to(n, sum, WEIGHT[stage], k, sum);
    }
    add_to(n, x, h/6.0, sum, next);
    return 0;
}

#endif
