/* The memory of deformable soil: cells of a height field, particles, and the bodies in contact with both (soil.py).
   Lengths are in m, x and y are horizontal, z is up. Cell (row, column) is above y0 + row d, x0 + column d. */
#ifndef SOIL_SOIL_H
#define SOIL_SOIL_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../vectors.h"
#include "workers.h"

enum { WHEEL, TYRE, TOOL };                                /* kinds of contacts */
enum { FINE, OFF_TERRAIN, DEEP, NOT_A_NUMBER, CROWDED };   /* why the soil stops */
enum { POINT = 8, POINT_STATE = 9, BOX = 15 };             /* numbers of a force point, of its state, and of a box */
enum { SLOTS = 6, SLOT = 7, TILE = 16, NEIGHBOURS = 24 };  /* contacts of a particle with bodies, cells along a tile, pairs */
enum { CHUNK = 256, PAIR = 9, SPRINGS = 6, REACTION = 7 }; /* particles of a part; numbers of a pair, and of what a body feels */
enum { LAYERS = 64 };                                      /* of the neighbour search */
enum { SIZE = 3, SPEED, SPIN = 7, FORCE = 10, TORQUE = 13, MOVING = 16 }; /* of a particle that moves; first its position */
enum { STEP, SEED, POURED, BORN, MERGED, ABSORBED, TROUBLE, CULPRIT, COUNTS };

/* damping of elastic soil over stiffness and step: a force that is held for a step feeds half of it */
static const double DAMPED = 1.5;

typedef struct {
    double density, gravity;
    double cohesive_modulus, exponent, cohesion, shear_length; /* k_c, n, c, K of Bekker, Janosi and Hanamoto */
    double elastic, penetration;                               /* Pa/m, Pa */
    double tool_friction, flow, pressing;                      /* tan, share of a drop in a step, eta */
    double radius, mass, thickness;           /* of a particle in the ground; thickness: what it adds to one cell (m) */
    double voids, loose, loosening, widest;   /* void ratios, share of their difference in a step, radius of a loose particle */
    double stiffness, damping, friction, rolling, push, drag; /* contacts of particles */
    double calm_speed, calm_time, deepest;
} material_t;

typedef struct {
    int64_t kind, npoints, nboxes;
    const double *u;      /* position, rotation by rows, velocity, angular velocity; a tyre: its load, too */
    const double *points; /* force points: position, normal, area, thickness of the box behind, in the frame of the body */
    const double *boxes;  /* centre, rotation by rows, half sizes, in the frame of the body */
    double *memory;       /* of force points: elastic deflection, bristle (4), closing speed before, sinkage and
                             deflection under a plate that has soil on it, loose soil (m over a cell) */
    double radius, width, stiffness, reach, breadth; /* wheels; reach: of all parts; breadth: of a plate in Bekker's law */
    double bulldozing;    /* 1: a wheel pushes soil ahead */
    double hull[6];       /* least and largest coordinates of the boxes */
    double p[3], R[9], v[3], w[3];        /* the motion now */
    double force[3], torque[3], height, slope[2], carried;
} soil_contact_t;

typedef struct {
    double *u;
    const material_t *material;
    soil_contact_t *contacts;
    const double *modulus, *grip;             /* of each cell: k_phi (Pa/m^n), tan(phi) */
    double *height, *sinkage, *bristle, *touched, *load, *sliced, *awake, *count; /* of cells, of tiles */
    double *position, *velocity, *spin, *calm, *alive, *voids, *size, *held, *born, *slots; /* of particles; born: their numbers */
    double *flux, *moving, *moved, *moved_side, *pair, *reaction;             /* used within a step only */
    double *listed, *drift, *springs, *was_springs; /* of the list of pairs: places, common motion since then; was: of the one before */
    int64_t *busy, *moved_cell, *dense, *place, *bucket, *sorted, *key, *elsewhere, *next;
    int64_t *first, *near, *touching, *at, *was_first, *was_near, *was_touching, *was_at;
    team_t *team; /* threads, or none */
    int64_t rows, columns, ncontacts, capacity, buckets, nalive, nmoved, most_moved;
    double spacing, x0, y0, dt;
} soil_t;

static inline int64_t column_at(const soil_t *s, double x)
{
    return (int64_t)floor((x - s->x0)/s->spacing + 0.5);
}

static inline int64_t row_at(const soil_t *s, double y)
{
    return (int64_t)floor((y - s->y0)/s->spacing + 0.5);
}

static inline int64_t row_of(const soil_t *s, int64_t cell)
{
    return (uint32_t)cell/(uint32_t)s->columns; /* a division of 32 bits is faster */
}

/* the nearest cell, or -1 beyond the terrain */
static inline int64_t cell_at(const soil_t *s, double x, double y)
{
    const int64_t row = row_at(s, y), column = column_at(s, x);
    return row < 0 || column < 0 || row >= s->rows || column >= s->columns ? -1 : row*s->columns + column;
}

/* the cell below and left of a place, and the shares of the way to the next cells */
static inline const double *corner(const soil_t *s, double x, double y, double *e, double *f)
{
    const double a = within((x - s->x0)/s->spacing, 0.0, (double)(s->columns - 1));
    const double b = within((y - s->y0)/s->spacing, 0.0, (double)(s->rows - 1));
    const int64_t i = (int64_t)a < s->columns - 2 ? (int64_t)a : s->columns - 2;
    const int64_t k = (int64_t)b < s->rows - 2 ? (int64_t)b : s->rows - 2;
    *e = a - (double)i, *f = b - (double)k;
    return s->height + k*s->columns + i;
}

/* height, bilinear between the centres of four cells */
static inline double height_at(const soil_t *s, double x, double y)
{
    double e, f;
    const double *h = corner(s, x, y, &e, &f), *up = h + s->columns;
    return (1.0 - f)*((1.0 - e)*h[0] + e*h[1]) + f*((1.0 - e)*up[0] + e*up[1]);
}

/* first and last of some cells along an axis */
static inline void span(double middle, double half, double origin, double spacing, int64_t n, int64_t *low, int64_t *high)
{
    const double a = floor((middle - half - origin)/spacing), b = ceil((middle + half - origin)/spacing);
    *low = (int64_t)within(a, 0.0, (double)n), *high = (int64_t)within(b, -1.0, (double)(n - 1));
}

/* a force at a place, in the sum of a body */
static inline void add_force(soil_contact_t *c, const double *at, const double *F)
{
    const double arm[3] = {at[0] - c->p[0], at[1] - c->p[1], at[2] - c->p[2]};
    double M[3];
    int k;
    cross(arm, F, M);
    for (k = 0; k < 3; k++)
        c->force[k] += F[k], c->torque[k] += M[k];
}

/* velocity of a point of a body */
static inline void velocity_at(const soil_contact_t *c, const double *at, double *v)
{
    const double arm[3] = {at[0] - c->p[0], at[1] - c->p[1], at[2] - c->p[2]};
    int k;
    cross(c->w, arm, v);
    for (k = 0; k < 3; k++)
        v[k] += c->v[k];
}

/* R x */
static inline void turn(const double *R, const double *x, double *y)
{
    y[0] = dot(R, x), y[1] = dot(R + 3, x), y[2] = dot(R + 6, x);
}

/* R^T x */
static inline void turn_back(const double *R, const double *x, double *y)
{
    int k;
    for (k = 0; k < 3; k++)
        y[k] = R[k]*x[0] + R[3 + k]*x[1] + R[6 + k]*x[2];
}

/* uniform in 0 ... 1, the same on every machine (Park and Miller 1988) */
static inline double random_number(soil_t *s)
{
    s->count[SEED] = fmod(16807.0*s->count[SEED], 2147483647.0);
    return s->count[SEED]/2147483647.0;
}

#endif
