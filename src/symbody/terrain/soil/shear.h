/* Shear of soil under a sliding surface by Janosi and Hanamoto: tau = (c + p tan(phi))(1 - exp(-j/K)). */
#ifndef SOIL_SHEAR_H
#define SOIL_SHEAR_H

#include <math.h>

#include "../vectors.h"

/* The shear displacement j as a bristle z = 1 - exp(-j/K) along the slip: z' = (v - |v| z)/K, which also holds a body
   at rest and reverses. b: z and the strength at which it was bent. A bristle that unbends returns no more than the
   strength at which it was bent. */
static inline void shear(double *b, const double *n, const double *v, double length, double dt, double strength,
                         double *tau)
{
    const double speed = sqrt(dot(v, v)), kept = exp(-speed*dt/length), off = dot(b, n);
    double size, damped, total;
    int k;
    for (k = 0; k < 3; k++)
        b[k] = kept*(b[k] - off*n[k]) + (speed > 0.0 ? (1.0 - kept)*v[k]/speed : 0.0);
    b[3] = dot(b, v) >= 0.0 || strength < b[3] ? strength : b[3];
    size = dot(b, b);
    damped = size < 1.0 ? 2.0*dt/length*(1.0 - size) : 0.0;
    for (k = 0; k < 3; k++)
        tau[k] = -b[3]*(b[k] + damped*v[k]);
    total = sqrt(dot(tau, tau));
    if (total > strength)
        for (k = 0; k < 3; k++)
            tau[k] *= strength/total;
}

#endif
