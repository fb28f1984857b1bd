/* Deformable soil as a stepper of the real-time loop (terrain.py): bodies press, cut and push it, and get its forces.
   Nothing is allocated. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../../codegen/runtime/steps.h"
#include "base_pressure.h"
#include "cells.h"
#include "force_points.h"
#include "particles.h"
#include "soil.h"
#include "wheel_contact.h"

static int stop(soil_t *s, int trouble, int64_t culprit)
{
    s->count[TROUBLE] = trouble;
    s->count[CULPRIT] = (double)culprit;
    return trouble == NOT_A_NUMBER ? NOT_FINITE : BEYOND_LIMIT;
}

/* The motion of a body, one step ahead of what its system shows: outputs are those before a step. */
static int place_body(soil_t *s, soil_contact_t *c, int64_t number)
{
    const double *u = c->u, *turns = u + 15;
    int i, k;
    for (k = 0; k < (c->kind == TYRE ? 19 : 18); k++)
        if (!isfinite(u[k]))
            return stop(s, NOT_A_NUMBER, number);
    for (k = 0; k < 3; k++) {
        double column[3] = {u[3 + k], u[6 + k], u[9 + k]}, moved[3];
        c->p[k] = u[k] + s->dt*u[12 + k], c->v[k] = u[12 + k], c->w[k] = turns[k];
        c->force[k] = c->torque[k] = 0.0;
        cross(turns, column, moved);
        for (i = 0; i < 3; i++)
            c->R[3*i + k] = column[i] + s->dt*moved[i];
    }
    c->carried = 0.0;
    return cell_at(s, c->p[0], c->p[1]) < 0 ? stop(s, OFF_TERRAIN, number) : DONE;
}

/* how deep (m) a body is in the ground */
static double sunk(const soil_t *s, const soil_contact_t *c)
{
    double deepest = -1e9, at[3];
    int64_t i;
    if (c->kind != TOOL)
        return height_at(s, c->p[0], c->p[1]) - c->p[2] + c->radius;
    for (i = 0; i < c->npoints; i++) {
        turn(c->R, c->points + POINT*i, at);
        deepest = fmax(deepest, height_at(s, at[0] + c->p[0], at[1] + c->p[1]) - at[2] - c->p[2]);
    }
    return deepest;
}

static int step_soil(soil_t *s)
{
    int64_t k;
    int status = DONE;
    for (k = 0; k < s->ncontacts && status == DONE; k++)
        status = place_body(s, s->contacts + k, k);
    if (s->count[STEP] == 0.0) {
        if (!list_particles(s))
            return stop(s, CROWDED, 0);
        for (k = 0; k < s->ncontacts && status == DONE; k++)
            if (sunk(s, s->contacts + k) > s->material->deepest)
                status = stop(s, DEEP, k);
    }
    s->count[STEP] += 1.0;
    for (k = 0; k < s->ncontacts && status == DONE; k++) {
        soil_contact_t *c = s->contacts + k;
        (c->kind == WHEEL ? roll : c->kind == TYRE ? carry : dig)(s, c);
    }
    if (status != DONE)
        return status;
    spread(s);
    if (!move_particles(s))
        return stop(s, CROWDED, 0);
    flow(s);
    for (k = 0; k < s->ncontacts; k++) {
        const soil_contact_t *c = s->contacts + k;
        s->count[ABSORBED] -= s->dt*(dot(c->force, c->v) + dot(c->torque, c->w));
    }
    return DONE;
}

/* forces of all bodies, ground under tyres, load of tools; then particles and absorbed energy */
static void tell(const soil_t *s, double *y)
{
    int64_t k;
    for (k = 0; k < s->ncontacts; k++) {
        const soil_contact_t *c = s->contacts + k;
        memcpy(y, c->force, sizeof c->force);
        memcpy(y + 3, c->torque, sizeof c->torque);
        y += 6;
        if (c->kind == TYRE)
            *y++ = c->height, *y++ = c->slope[0], *y++ = c->slope[1];
        if (c->kind == TOOL)
            *y++ = c->carried;
    }
    *y++ = s->count[POURED] + s->count[BORN] - s->count[MERGED];
    *y++ = s->count[ABSORBED];
}

/* stepper_t: the outputs are those of the step that is made, so that a system after it gets forces of this period */
int64_t integrate(soil_t *s, int64_t first, int64_t n, int64_t every, double *path, int *status)
{
    int64_t step;
    *status = DONE;
    for (step = first; step < first + n; step++) {
        *status = step_soil(s);
        if (*status != DONE)
            return step - first;
        if (step%every == 0)
            tell(s, path);
    }
    return n;
}

/* steps without bodies until no slope flows, at most n; returns their number */
int64_t settle(soil_t *s, int64_t n)
{
    const int64_t tiles = (s->columns + TILE - 1)/TILE*((s->rows + TILE - 1)/TILE);
    int64_t step, k;
    s->count[STEP] += 1.0; /* bodies of the last step are gone */
    for (k = 0; k < tiles; k++)
        s->awake[k] = 2.0;
    for (step = 0; step < n; step++) {
        double moving = 0.0;
        flow(s);
        for (k = 0; k < tiles; k++)
            moving += s->awake[k];
        if (moving == 0.0)
            break;
    }
    return step;
}
