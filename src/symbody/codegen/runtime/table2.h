/* bilinear interpolation in a cell of dx by dy: u and v from 0 to 1 are the position inside it, z the corners */
#ifndef RUNTIME_TABLE2_H
#define RUNTIME_TABLE2_H

#include "scalar.h"
#include "table.h"

struct cell { double dx, dy, u, v, z00, z01, z10, z11; };

static inline struct cell cell_at(int nx, int ny, const double *data, double x, double y)
{
    const double *xs = data, *ys = data + nx;
    const int i = piece(nx, xs, x), j = piece(ny, ys, y);
    const double *z = data + nx + ny + i*ny + j;
    const double dx = xs[i + 1] - xs[i], dy = ys[j + 1] - ys[j];
    const struct cell c = {dx, dy, (x - xs[i])/dx, (y - ys[j])/dy, z[0], z[1], z[ny], z[ny + 1]};
    return c;
}

static inline double table2_at(int nx, int ny, const double *data, double x, double y)
{
    const struct cell c = cell_at(nx, ny, data, x, y);
    return (1.0 - c.u)*((1.0 - c.v)*c.z00 + c.v*c.z01) + c.u*((1.0 - c.v)*c.z10 + c.v*c.z11);
}

static inline double table2_slope_x_at(int nx, int ny, const double *data, double x, double y)
{
    const struct cell c = cell_at(nx, ny, data, x, y);
    return ((1.0 - c.v)*(c.z10 - c.z00) + c.v*(c.z11 - c.z01))/c.dx;
}

static inline double table2_slope_y_at(int nx, int ny, const double *data, double x, double y)
{
    const struct cell c = cell_at(nx, ny, data, x, y);
    return ((1.0 - c.u)*(c.z01 - c.z00) + c.u*(c.z11 - c.z10))/c.dy;
}

static inline double table2_twist_at(int nx, int ny, const double *data, double x, double y)
{
    const struct cell c = cell_at(nx, ny, data, x, y);
    return (c.z11 - c.z10 - c.z01 + c.z00)/(c.dx*c.dy);
}

#if LANES > 1
typedef double surface(int, int, const double *, double, double);
static inline real table2_each(surface *f, int nx, int ny, const double *data, real x, real y)
{
    for (int k = 0; k < LANES; k++)
        x[k] = f(nx, ny, data, x[k], y[k]);
    return x;
}
#define table2_at(nx, ny, data, x, y) table2_each(table2_at, nx, ny, data, REAL(x), REAL(y))
#define table2_slope_x_at(nx, ny, data, x, y) table2_each(table2_slope_x_at, nx, ny, data, REAL(x), REAL(y))
#define table2_slope_y_at(nx, ny, data, x, y) table2_each(table2_slope_y_at, nx, ny, data, REAL(x), REAL(y))
#define table2_twist_at(nx, ny, data, x, y) table2_each(table2_twist_at, nx, ny, data, REAL(x), REAL(y))
#endif

#endif
