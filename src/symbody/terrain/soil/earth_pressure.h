/* The most that soil bears: passive earth pressure of Rankine, and bearing capacity of Terzaghi. */
#ifndef SOIL_EARTH_PRESSURE_H
#define SOIL_EARTH_PRESSURE_H

#include <math.h>

#include "soil.h"

/* m: sinkage of the plates whose tests give Bekker's k and n; beyond it, the bearing capacity is the bound */
static const double TESTED = 0.1;
static const double PI = 3.14159265358979323846;

/* K_p = (1 + sin phi)/(1 - sin phi), from tan(phi) */
static inline double passive_coefficient(double tangent)
{
    const double sine = tangent/sqrt(1.0 + tangent*tangent);
    return (1.0 + sine)/(1.0 - sine);
}

/* Force (N) of soil on a vertical face of a width that moves against it, from the surface to a depth:
   b (K_p rho g z^2/2 + 2 c sqrt(K_p) z) */
static inline double passive_force(const material_t *m, double tangent, double depth, double width)
{
    const double passive = passive_coefficient(tangent);
    return width*depth*(0.5*passive*m->density*m->gravity*depth + 2.0*m->cohesion*sqrt(passive));
}

/* Bearing capacity (Pa) of a plate of a breadth b at a depth D: c N_c + rho g D N_q + rho g b N_g/2 with
   N_q = K_p exp(pi tan phi), N_c = (N_q - 1)/tan phi (Prandtl, Reissner) and N_g = 2 (N_q + 1) tan phi (Vesic 1973) */
static inline double bearing_capacity(const material_t *m, double tangent, double depth, double breadth)
{
    const double nq = passive_coefficient(tangent)*exp(PI*tangent), nc = (nq - 1.0)/tangent;
    const double ng = 2.0*(nq + 1.0)*tangent, weight = m->density*m->gravity;
    return m->cohesion*nc + weight*(fmax(depth, 0.0)*nq + 0.5*breadth*ng);
}

/* Pressure (Pa) of first loading by Bekker at a sinkage z, k z^n, up to the bearing capacity */
static inline double first_loading(const material_t *m, double k, double z, double tangent, double depth, double breadth)
{
    const double pressure = k*pow(fmax(z, 0.0), m->exponent);
    return z <= TESTED ? pressure
                       : fmin(pressure, fmax(k*pow(TESTED, m->exponent), bearing_capacity(m, tangent, depth, breadth)));
}

#endif
