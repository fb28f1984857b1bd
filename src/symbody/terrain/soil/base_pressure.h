/* The pressure at the base of each cell: the soil as layers of blocks, each passing its load to the nine blocks below
   (Jaiswal, Pub. V, equations 12 to 14). */
#ifndef SOIL_BASE_PRESSURE_H
#define SOIL_BASE_PRESSURE_H

#include <math.h>
#include <stdint.h>

#include "cells.h"
#include "soil.h"

/* one layer down: the kernel (side, 1 - 2 side, side) along rows and columns; at the border the load stays inside */
static inline void pass_down(const soil_t *s, double side, double *load, double *work)
{
    const int64_t n = s->columns;
    int64_t row, k;
    for (row = 0; row < s->rows; row++)
        for (k = row*n; k < (row + 1)*n; k++)
            work[k] = (1.0 - 2.0*side)*load[k] + side*load[k > row*n ? k - 1 : k]
                      + side*load[k < (row + 1)*n - 1 ? k + 1 : k];
    for (row = 0; row < s->rows; row++)
        for (k = row*n; k < (row + 1)*n; k++)
            load[k] = (1.0 - 2.0*side)*work[k] + side*work[row > 0 ? k - n : k]
                      + side*work[row < s->rows - 1 ? k + n : k];
}

/* Pressure (Pa) at a level `base`: p0 = sum over n of phi^n * m^n, phi^n the n-fold kernel, from the top layer down.
   The loads of bodies act on the top block of their cell. */
void base_pressure(soil_t *s, double base, double block, double side, int64_t layers, double *pressure, double *work)
{
    const double weight = s->material->density*s->material->gravity;
    const int64_t cells = s->rows*s->columns;
    int64_t layer, k;
    for (k = 0; k < cells; k++)
        pressure[k] = 0.0;
    for (layer = layers - 1; layer >= 0; layer--) {
        if (layer < layers - 1)
            pass_down(s, side, pressure, work);
        for (k = 0; k < cells; k++) {
            const double above = s->height[k] - base - (double)layer*block, inside = within(above, 0.0, block);
            const int top = (above > 0.0 && above <= block) || (layer == 0 && above <= 0.0)
                            || (layer == layers - 1 && above > block);
            pressure[k] += weight*(layer == layers - 1 && above > block ? above : inside);
            if (top && is_loaded(s, k))
                pressure[k] += s->load[k]/(s->spacing*s->spacing);
        }
    }
}

#endif
