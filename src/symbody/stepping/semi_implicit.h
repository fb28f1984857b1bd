/* The semi-implicit (symplectic) Euler method, of order 1. Part of symbody and of exported C.
     v + h dv/dt first, then q + h dq/dt with the new v; for a unit quaternion e + h/2 e o (0, w). */
#ifndef STEPPING_SEMI_IMPLICIT_H
#define STEPPING_SEMI_IMPLICIT_H

#include <stdint.h>
#include <string.h>

#include "state.h"

/* The state after a step of h from x = (q, v, further states) with the rates xd. `velocity`: for each coordinate the
   place of its velocity in x, -1 within a quaternion; `balls`: pairs of the places of a quaternion and its angular
   velocity. */
static inline void semi_implicit_step(int64_t nx, int64_t nq, const int64_t *velocity, int64_t nballs,
                                      const int64_t *balls, double h, const double *x, const double *xd, double *next)
{
    int64_t k;
    memcpy(next, x, nq*sizeof *x);
    add_to(nx - nq, x + nq, h, xd + nq, next + nq);
    for (k = 0; k < nq; k++)
        if (velocity[k] >= 0)
            next[k] += h*next[velocity[k]];
    for (k = 0; k < nballs; k++) {
        double *q = next + balls[2*k], e[4];
        const double *w = next + balls[2*k + 1];
        e[0] = -q[1]*w[0] - q[2]*w[1] - q[3]*w[2];
        e[1] = q[0]*w[0] + q[2]*w[2] - q[3]*w[1];
        e[2] = q[0]*w[1] + q[3]*w[0] - q[1]*w[2];
        e[3] = q[0]*w[2] + q[1]*w[1] - q[2]*w[0];
        add_to(4, q, 0.5*h, e, q);
    }
}

#endif
