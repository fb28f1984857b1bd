/* Objects: poses and Jacobians of links, mass matrices D with their factors, bias forces. */
#ifndef HAPTICS_OBJECTS_H
#define HAPTICS_OBJECTS_H

#include <math.h>
#include <string.h>

#include "../../codegen/runtime/linear_algebra.h"
#include "../../codegen/runtime/steps.h"
#include "local_model.h"
#include "scene.h"
#include "vectors.h"

static const double HEAVY = 1e8; /* factor of the mass of a kinematic object */

static inline void pose_planar(const double *q, pose_t *link)
{
    const double c = cos(q[2]), n = sin(q[2]), R[9] = {c, -n, 0, n, c, 0, 0, 0, 1};
    link->p[0] = q[0], link->p[1] = q[1], link->p[2] = 0.0;
    memcpy(link->R, R, sizeof R);
}

/* D = diag(m, m, I); bias: gravity */
static inline void update_planar(const scene_t *s, const object_t *o)
{
    const link_t *l = s->links + o->link;
    work_t *w = s->work;
    double *D = w->D + o->v*NV;
    int k;
    pose_planar(s->memory.q + o->q, w->links + o->link);
    memset(D, 0, 9*sizeof *D);
    for (k = 0; k < 2; k++)
        D[4*k] = l->mass, w->bias[o->v + k] = -l->mass*s->settings.gravity[k];
    D[8] = l->inertia[8], w->bias[o->v + 2] = 0.0;
}

/* R I R^T, I symmetric */
static inline void turned_inertia(const double *R, const double *I, double *turned)
{
    double half[9];
    int i, j;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            half[3*i + j] = dot3(I + 3*j, R + 3*i);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            turned[3*i + j] = dot3(half + 3*i, R + 3*j);
}

/* D = diag(m, m, m, R I R^T); bias: gravity, and w x I w */
static inline void update_spatial(const scene_t *s, const object_t *o)
{
    const link_t *l = s->links + o->link;
    work_t *w = s->work;
    pose_t *link = w->links + o->link;
    double *D = w->D + o->v*NV, I[9], momentum[3];
    const double *q = s->memory.q + o->q, *omega = s->memory.v + o->v + 3;
    int i, j, k;
    memcpy(link->p, q, sizeof link->p);
    rotation_of(q + 3, link->R);
    memset(D, 0, 36*sizeof *D);
    turned_inertia(link->R, l->inertia, I);
    for (k = 0; k < 3; k++)
        D[7*k] = l->mass, w->bias[o->v + k] = -l->mass*s->settings.gravity[k];
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            D[6*(3 + i) + 3 + j] = I[3*i + j];
    turn3(I, omega, momentum);
    cross3(omega, momentum, w->bias + o->v + 3);
}

static inline void update_linkage(const scene_t *s, const object_t *o)
{
    work_t *w = s->work;
    double position[LINKS*3], rotation[LINKS*9], jacobian[LINKS*6*NV];
    const double *in[2] = {s->memory.q + o->q, s->memory.v + o->v};
    double *out[5] = {w->D + o->v*NV, w->bias + o->v, position, rotation, jacobian};
    int64_t k;
    ((generated)o->dynamics)(in, out, o->dynamics_h);
    for (k = 0; k < o->nlinks; k++) {
        pose_t *link = w->links + o->link + k;
        memcpy(link->p, position + 3*k, sizeof link->p);
        memcpy(link->R, rotation + 9*k, sizeof link->R);
        memcpy(link->J, jacobian + 6*o->nv*k, 6*o->nv*sizeof(double));
    }
}

/* dir^T J of a point of a link: a row over the velocities of its object */
static inline void point_row(const scene_t *s, int64_t link, const double *point, const double *dir, double *row)
{
    const pose_t *l = s->work->links + link;
    const object_t *o = s->objects + s->owner[link];
    double r[3], arm[3];
    int64_t k;
    minus3(point, l->p, r);
    cross3(r, dir, arm);
    if (o->kind == PLANAR)
        row[0] = dir[0], row[1] = dir[1], row[2] = arm[2];
    else if (o->kind == SPATIAL)
        memcpy(row, dir, 3*sizeof *dir), memcpy(row + 3, arm, sizeof arm);
    else
        for (row += 0, k = 0; k < o->nv; k++) {
            const double *J = l->J + k, linear[3] = {J[0], J[o->nv], J[2*o->nv]};
            const double angular[3] = {J[3*o->nv], J[4*o->nv], J[5*o->nv]};
            row[k] = dot3(dir, linear) + dot3(arm, angular);
        }
}

/* mass matrix, bias, poses and Jacobians of an object */
static inline void update_object(const scene_t *s, const object_t *o)
{
    if (o->kind == PLANAR)
        update_planar(s, o);
    else if (o->kind == SPATIAL)
        update_spatial(s, o);
    else
        update_linkage(s, o);
}

/* a driven object is too heavy to be moved by contacts, and has no weight */
static inline void make_heavy(const scene_t *s, const object_t *o)
{
    double *D = s->work->D + o->v*NV;
    int64_t k;
    for (k = 0; k < o->nv*o->nv; k++)
        D[k] *= HEAVY;
    memset(s->work->bias + o->v, 0, o->nv*sizeof(double));
}

/* poses, mass matrices and shapes at q and v; 0 if a mass matrix is not positive definite */
static inline int update_links(scene_t *s)
{
    work_t *w = s->work;
    int64_t k, i, j;
    for (k = 0; k < s->nobjects; k++) {
        const object_t *o = s->objects + k;
        double *L = w->L + o->v*NV;
        update_object(s, o);
        freeze(s, o);
        if (o->driven)
            make_heavy(s, o);
        memcpy(L, w->D + o->v*NV, o->nv*o->nv*sizeof *L);
        if (!cholesky(o->nv, L))
            return 0;
        memcpy(w->Lt + o->v*NV, L, o->nv*o->nv*sizeof *L);
    }
    for (k = 0; k < s->nshapes; k++) {
        const shape_t *shape = s->shapes + k;
        const pose_t *l = w->links + shape->link;
        if (shape->link < 0)
            continue; /* shapes of the ground were placed at the start */
        for (i = shape->first; i < shape->first + shape->count; i++)
            for (turn3(l->R, s->points[i], w->points[i]), j = 0; j < 3; j++)
                w->points[i][j] += l->p[j];
        for (i = shape->face; i < shape->face + shape->faces; i++)
            turn3(l->R, s->normals[i], w->normals[i]);
        for (i = shape->edge; i < shape->edge + shape->edges; i++)
            turn3(l->R, s->edges[i], w->edges[i]);
        for (turn3(l->R, shape->centre, w->centre[k]), j = 0; j < 3; j++)
            w->centre[k][j] += l->p[j];
    }
    return 1;
}

/* kinetic energy (J) of velocities v: |L^T v|^2 / 2 */
static inline double kinetic_energy(const scene_t *s)
{
    double total = 0.0, y[NV];
    int64_t k;
    for (k = 0; k < s->nobjects; k++) {
        const object_t *o = s->objects + k;
        times_transposed(o->nv, s->work->L + o->v*NV, s->memory.v + o->v, y);
        total += 0.5*dot_n(o->nv, y, y);
    }
    return total;
}

static const double TURNED = 0.5; /* rad: largest rotation of a joint in a tick */

/* q <- q + h v. Motion in a tick is limited to `travel`, as faster bodies would pass through walls. */
static inline void move_objects(scene_t *s, int64_t except)
{
    memory_t *m = &s->memory;
    int64_t k, i;
    for (k = 0; k < s->nobjects; k++) {
        const object_t *o = s->objects + k;
        double *q = m->q + o->q, *v = m->v + o->v, way = 0.0;
        const int64_t linear = o->kind == PLANAR ? 2 : o->kind == SPATIAL ? 3 : 0;
        if (k == except)
            continue;
        for (i = 0; i < linear; i++)
            way += s->dt*v[i]*s->dt*v[i];
        for (i = linear; i < o->nv; i++) /* large rotations count as large motion */
            way = fabs(s->dt*v[i]) > TURNED ? fmax(way, 4.0*s->dt*v[i]*s->dt*v[i]*s->travel*s->travel) : way;
        if (way > s->travel*s->travel)
            for (way = s->travel/sqrt(way), i = 0; i < o->nv; i++)
                v[i] *= way;
        if (o->kind == SPATIAL) {
            for (i = 0; i < 3; i++)
                q[i] += s->dt*v[i];
            spin(q + 3, v + 3, s->dt);
        } else
            for (i = 0; i < o->nq; i++)
                q[i] += s->dt*v[i];
    }
}

#endif
