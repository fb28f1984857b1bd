/* Pressure and sinkage of a cell by Bekker: p = (k_c/b + k_phi) z^n on first loading, up to the bearing capacity; elastic below. */
#ifndef SOIL_SINKAGE_H
#define SOIL_SINKAGE_H

#include <math.h>
#include <stdint.h>

#include "earth_pressure.h"
#include "soil.h"

/* Pressure (Pa) of a cell on a surface at a depth below it. z = sinkage + depth: on the curve of first loading the cell
   sinks by *yields; below it the pressure is elastic. A damper keeps steps of time from returning more than is stored. */
static inline double bekker(const soil_t *s, int64_t cell, double depth, double closing, double breadth, double *yields)
{
    const material_t *m = s->material;
    const double k = m->cohesive_modulus/breadth + s->modulus[cell];
    const double z = s->sinkage[cell] + depth, p = m->elastic*depth;
    const double first = first_loading(m, k, z, s->grip[cell], z, breadth);
    const double damped = DAMPED*m->elastic*s->dt*closing;
    *yields = 0.0;
    if (p < first) {
        const double total = p + damped;
        return total < 0.0 ? 0.0 : total < first ? total : first;
    }
    *yields = depth - first/m->elastic;
    return closing < 0.0 ? fmax(0.0, first + damped) : first;
}

#endif
