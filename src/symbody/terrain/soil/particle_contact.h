/* Contacts of particles with each other, the ground and bodies. Some contacts are computed side by side, so that the
   compiler can use vector instructions. */
#ifndef SOIL_PARTICLE_CONTACT_H
#define SOIL_PARTICLE_CONTACT_H

#include <math.h>
#include <stdint.h>

#include "neighbours.h"
#include "soil.h"

static const double TANGENTIAL = 2.0/7.0, DAMPED_SLIDING = 0.5; /* stiffness and damping of sliding over normal ones */
static const double ROLLING = 0.1, DAMPED_ROLLING = 0.2;        /* the same of rolling: equal damping ratios */
static const double STEEPEST = 3.0; /* 1/cos of the steepest slope that particles feel from above */
enum { GROUND_ID = -1, BODY_ID = -2 };
enum { LANES = 8, BLOCK = 32 };                                 /* contacts side by side; pairs looked at together */

/* -- many contacts at a time -------------------------------------------------------------------------------------- */

/* n: towards the particle; v: slip of its surface, w: its turn, both relative to the other; slide, twist: the springs.
   F, M: force, and torque of rolling, on the particle; T: torque of the force for a lever of one. */
typedef struct {
    double depth[LANES], n[3][LANES], v[3][LANES], w[3][LANES], both[3][LANES], slide[3][LANES], twist[3][LANES];
    double F[3][LANES], T[3][LANES], M[3][LANES];
    double size[2][LANES], arm[3][LANES]; /* radii; from a body to the contact */
    double *springs[LANES], spare[SPRINGS];
    int64_t a[LANES], b[LANES]; /* the particle; its pair, or the body, or -1: the ground */
    int count;
} contacts_t;

/* Pairs: n = d/|d|, v = v_a - v_b - (r_a w_a + r_b w_b) x n. n has d, v has v_a - v_b, and `both` the sum of r w. */
static inline void face_pairs(contacts_t *c)
{
    int l;
    for (l = 0; l < LANES; l++) {
        const double dx = c->n[0][l], dy = c->n[1][l], dz = c->n[2][l], away = sqrt(dx*dx + dy*dy + dz*dz);
        const double per = 1.0/away, nx = per*dx, ny = per*dy, nz = per*dz;
        const double sx = c->both[0][l], sy = c->both[1][l], sz = c->both[2][l];
        c->depth[l] = c->size[0][l] + c->size[1][l] - away;
        c->n[0][l] = nx, c->n[1][l] = ny, c->n[2][l] = nz;
        c->v[0][l] -= sy*nz - sz*ny;
        c->v[1][l] -= sz*nx - sx*nz;
        c->v[2][l] -= sx*ny - sy*nx;
    }
}

/* Springs with dampers along n, across it and in rolling, the latter two up to friction. Parting faster than `push` meets
   no force, so that overlaps end gently. */
static inline void touch(const material_t *m, double dt, contacts_t *c)
{
    const double k = m->stiffness, damping = m->damping, push = m->push, r = m->radius;
    const double kt = TANGENTIAL*k, dragged = DAMPED_SLIDING*damping, yielding = 1.0/kt;
    const double kr = ROLLING*k, rolled = DAMPED_ROLLING*damping*r, turning = 1.0/kr;
    const double friction = m->friction, rolling = m->rolling, way = dt*r;
    int l;
    for (l = 0; l < LANES; l++) {
        const double nx = c->n[0][l], ny = c->n[1][l], nz = c->n[2][l];
        const double parting = c->v[0][l]*nx + c->v[1][l]*ny + c->v[2][l]*nz;
        const double off = c->slide[0][l]*nx + c->slide[1][l]*ny + c->slide[2][l]*nz;
        const double vx = c->v[0][l] - parting*nx, vy = c->v[1][l] - parting*ny, vz = c->v[2][l] - parting*nz;
        const double wx = c->w[0][l], wy = c->w[1][l], wz = c->w[2][l];
        const double sx = c->slide[0][l] - off*nx + dt*vx, sy = c->slide[1][l] - off*ny + dt*vy;
        const double sz = c->slide[2][l] - off*nz + dt*vz;
        const double tx = c->twist[0][l] + way*wx, ty = c->twist[1][l] + way*wy, tz = c->twist[2][l] + way*wz;
        const double most = k*c->depth[l] - damping*parting, held = most > 0.0 ? most : 0.0;
        const double gentle = 1.0 - parting/push, left = gentle > 0.0 ? gentle : 0.0;
        const double N = parting > 0.0 ? left*held : held;
        double Fx = -kt*sx - dragged*vx, Fy = -kt*sy - dragged*vy, Fz = -kt*sz - dragged*vz;
        double Mx = -kr*tx - rolled*wx, My = -kr*ty - rolled*wy, Mz = -kr*tz - rolled*wz;
        const double sliding = sqrt(Fx*Fx + Fy*Fy + Fz*Fz), turned = sqrt(Mx*Mx + My*My + Mz*Mz);
        const double grip = friction*N, hold = rolling*N;
        const double slips = grip/sliding, rolls = hold/turned;
        Fx = sliding > grip ? slips*Fx : Fx, Fy = sliding > grip ? slips*Fy : Fy, Fz = sliding > grip ? slips*Fz : Fz;
        Mx = turned > hold ? rolls*Mx : Mx, My = turned > hold ? rolls*My : My, Mz = turned > hold ? rolls*Mz : Mz;
        c->slide[0][l] = sliding > grip ? -yielding*Fx : sx;
        c->slide[1][l] = sliding > grip ? -yielding*Fy : sy;
        c->slide[2][l] = sliding > grip ? -yielding*Fz : sz;
        c->twist[0][l] = turned > hold ? -turning*Mx : tx;
        c->twist[1][l] = turned > hold ? -turning*My : ty;
        c->twist[2][l] = turned > hold ? -turning*Mz : tz;
        Fx += N*nx, Fy += N*ny, Fz += N*nz;
        c->F[0][l] = Fx, c->F[1][l] = Fy, c->F[2][l] = Fz;
        c->T[0][l] = ny*Fz - nz*Fy, c->T[1][l] = nz*Fx - nx*Fz, c->T[2][l] = nx*Fy - ny*Fx;
        c->M[0][l] = r*Mx, c->M[1][l] = r*My, c->M[2][l] = r*Mz;
    }
}

/* the springs of a contact in the next lane, from the step before, and where they go */
static inline void load_springs(contacts_t *c, const double *was, double *springs)
{
    const int l = c->count;
    int k;
    for (k = 0; k < 3; k++) {
        c->slide[k][l] = was ? was[k] : 0.0;
        c->twist[k][l] = was ? was[3 + k] : 0.0;
    }
    c->springs[l] = springs;
}

static inline void store_springs(const contacts_t *c, int l)
{
    int k;
    for (k = 0; k < 3; k++)
        c->springs[l][k] = c->slide[k][l], c->springs[l][3 + k] = c->twist[k][l];
}

/* The force of a contact on one of its particles; side: 1 of the first one, -1 of the other. pair: F, T, M */
static inline void add_pair(double *moving, const double *pair, double side)
{
    int k;
    for (k = 0; k < 3; k++) {
        moving[FORCE + k] += side*pair[k];
        moving[TORQUE + k] += side*pair[6 + k] - moving[SIZE]*pair[3 + k];
    }
}

static inline void pair_of(const contacts_t *c, int l, double *pair)
{
    int k;
    for (k = 0; k < 3; k++)
        pair[k] = c->F[k][l], pair[3 + k] = c->T[k][l], pair[6 + k] = c->M[k][l];
}

/* -- pairs of particles ------------------------------------------------------------------------------------------- */

/* Forces of the pairs in the lanes. Those with a particle of another chunk are kept for it. */
static inline void finish_pairs(soil_t *s, contacts_t *c)
{
    int l;
    face_pairs(c);
    touch(s->material, s->dt, c);
    for (l = 0; l < c->count; l++) {
        const int64_t k = c->b[l], other = s->near[k];
        const int here = in_one_chunk(c->a[l], other);
        double now[PAIR], *pair = here ? now : s->pair + PAIR*k;
        pair_of(c, l, pair);
        store_springs(c, l);
        add_pair(s->moving + MOVING*c->a[l], pair, 1.0);
        if (here)
            add_pair(s->moving + MOVING*other, pair, -1.0);
    }
    c->count = 0;
}

/* Pair k of particle a, which touches. */
static inline void meet_particle(soil_t *s, contacts_t *c, int64_t a, int64_t k)
{
    const double *p = s->moving + MOVING*a, *q = s->moving + MOVING*s->near[k];
    const int l = c->count;
    int i;
    load_springs(c, s->touching[k] ? s->springs + SPRINGS*k : 0, s->springs + SPRINGS*k);
    s->touching[k] = 1;
    for (i = 0; i < 3; i++) {
        c->n[i][l] = p[i] - q[i];
        c->v[i][l] = p[SPEED + i] - q[SPEED + i];
        c->w[i][l] = p[SPIN + i] - q[SPIN + i];
        c->both[i][l] = p[SIZE]*p[SPIN + i] + q[SIZE]*q[SPIN + i];
    }
    c->size[0][l] = p[SIZE], c->size[1][l] = q[SIZE];
    c->a[l] = a, c->b[l] = k;
    if (++c->count == LANES)
        finish_pairs(s, c);
}

/* All pairs of particle a that touch, found without branches. A merged particle is nowhere. */
static inline void meet_particles(soil_t *s, contacts_t *c, int64_t a)
{
    const double *p = s->moving + MOVING*a;
    int64_t hits[BLOCK], first, k;
    for (first = s->first[a]; first < s->first[a + 1]; first += BLOCK) {
        const int64_t end = first + BLOCK < s->first[a + 1] ? first + BLOCK : s->first[a + 1];
        int64_t found = 0, m;
        for (k = first; k < end; k++) {
            const double *q = s->moving + MOVING*s->near[k], reach = p[SIZE] + q[SIZE];
            const double d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]}, square = dot(d, d);
            const int64_t hit = (square < reach*reach) & (square > 0.0);
            s->touching[k] &= hit;
            hits[found] = k;
            found += hit;
        }
        for (m = 0; m < found; m++)
            meet_particle(s, c, a, hits[m]);
    }
}

/* -- the ground and bodies ---------------------------------------------------------------------------------------- */

/* the contacts of a particle with the ground and bodies: those of the step before, and the new ones */
typedef struct {
    double old[SLOTS*SLOT], *now;
    int kept, used;
} slots_t;

static inline void open_slots(soil_t *s, int64_t i, slots_t *slots)
{
    int k;
    slots->now = s->slots + SLOTS*SLOT*i, slots->used = 0, slots->kept = (int)s->held[i];
    for (k = 0; k < SLOT*slots->kept; k++)
        slots->old[k] = slots->now[k];
}

/* the springs of a contact by its number */
static inline void recall(contacts_t *c, slots_t *slots, double id)
{
    double *springs = c->spare;
    const double *was = 0;
    int k;
    for (k = 0; k < slots->kept; k++)
        if (slots->old[SLOT*k] == id)
            was = slots->old + SLOT*k + 1;
    if (slots->used < SLOTS) {
        springs = slots->now + SLOT*slots->used++;
        *springs++ = id;
    }
    load_springs(c, was, springs);
}

/* Forces of the contacts in the lanes with the ground and bodies. reaction: force, torque and load of each body. */
static inline void finish_others(soil_t *s, contacts_t *c, double *reaction)
{
    int k, l;
    touch(s->material, s->dt, c);
    for (l = 0; l < c->count; l++) {
        double pair[PAIR], arm[3], M[3], *felt;
        pair_of(c, l, pair);
        store_springs(c, l);
        add_pair(s->moving + MOVING*c->a[l], pair, 1.0);
        if (c->b[l] < 0)
            continue;
        felt = reaction + REACTION*c->b[l];
        for (k = 0; k < 3; k++)
            arm[k] = c->arm[k][l];
        cross(arm, pair, M);
        for (k = 0; k < 3; k++)
            felt[k] -= pair[k], felt[3 + k] -= M[k] + pair[6 + k];
    }
    c->count = 0;
}

/* Particle a touches a surface with the normal n that moves at `other` there and turns at `turns`. */
static inline void meet_surface(soil_t *s, contacts_t *c, int64_t a, const double *n, double depth, const double *other,
                                const double *turns)
{
    const double *p = s->moving + MOVING*a, r = p[SIZE];
    const int l = c->count;
    double spun[3];
    int k;
    cross(p + SPIN, n, spun);
    c->depth[l] = depth < r ? depth : r;
    for (k = 0; k < 3; k++) {
        c->n[k][l] = n[k];
        c->v[k][l] = p[SPEED + k] - r*spun[k] - other[k];
        c->w[k][l] = p[SPIN + k] - turns[k];
    }
    c->a[l] = a;
}

/* Whether the ground carries particle a. The slope is that over its width: the surface itself has kinks, on which a
   particle would never come to rest. */
static inline int meet_ground(soil_t *s, contacts_t *c, slots_t *slots, int64_t a, double *reaction)
{
    static const double rest[3] = {0.0, 0.0, 0.0};
    const double *p = s->moving + MOVING*a, r = p[SIZE], above = p[2] - height_at(s, p[0], p[1]);
    double n[3];
    if (above > STEEPEST*r)
        return 0;
    n[0] = (height_at(s, p[0] - r, p[1]) - height_at(s, p[0] + r, p[1]))/(2.0*r);
    n[1] = (height_at(s, p[0], p[1] - r) - height_at(s, p[0], p[1] + r))/(2.0*r);
    n[2] = 1.0;
    unit(n);
    if (above*n[2] >= r)
        return 0;
    recall(c, slots, GROUND_ID);
    meet_surface(s, c, a, n, r - above*n[2], rest, rest);
    c->b[c->count] = -1;
    if (++c->count == LANES)
        finish_others(s, c, reaction);
    return 1;
}

/* depth of a sphere at q (frame of the body) in a box, and the normal; 0 if it does not touch */
static inline double in_box(const double *box, double r, const double *q, double *n)
{
    const double from[3] = {q[0] - box[0], q[1] - box[1], q[2] - box[2]}, *half = box + 12;
    double l[3], d[3], square, away;
    int k, face = 0;
    turn_back(box + 3, from, l);
    for (k = 0; k < 3; k++) {
        if (fabs(l[k]) >= half[k] + r)
            return 0.0;
        d[k] = l[k] - within(l[k], -half[k], half[k]);
    }
    square = dot(d, d);
    if (square >= r*r)
        return 0.0;
    if (square > 0.0) {
        away = sqrt(square);
        for (k = 0; k < 3; k++)
            d[k] /= away;
    } else { /* its centre is inside: out through the nearest face */
        for (k = 1; k < 3; k++)
            face = half[k] - fabs(l[k]) < half[face] - fabs(l[face]) ? k : face;
        away = fabs(l[face]) - half[face];
        d[face] = l[face] < 0.0 ? -1.0 : 1.0;
    }
    turn(box + 3, d, n);
    return r - away;
}

/* the same in a wheel, a cylinder about axis 2 */
static inline double in_wheel(const soil_contact_t *c, double r, const double *q, double *n)
{
    const double far = sqrt(q[0]*q[0] + q[2]*q[2]), out = far - c->radius, aside = fabs(q[1]) - 0.5*c->width;
    const double a = out > 0.0 ? out : 0.0, b = aside > 0.0 ? aside : 0.0, away = sqrt(a*a + b*b);
    const double side = q[1] < 0.0 ? -1.0 : 1.0, x = far > 0.0 ? q[0]/far : 0.0, z = far > 0.0 ? q[2]/far : 1.0;
    if (away >= r)
        return 0.0;
    if (away > 0.0) {
        n[0] = a/away*x, n[1] = b/away*side, n[2] = a/away*z;
        return r - away;
    }
    n[0] = out > aside ? x : 0.0, n[1] = out > aside ? 0.0 : side, n[2] = out > aside ? z : 0.0;
    return r - (out > aside ? out : aside);
}

/* whether a body may touch a particle of a chunk: its sphere, and the box around these particles */
static inline int bodies_are_near(const soil_t *s, int64_t begin, int64_t end)
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    int64_t a, k;
    int i, near = 0;
    for (a = begin; a < end; a++)
        for (i = 0; i < 3; i++) {
            const double x = s->moving[MOVING*a + i];
            low[i] = x < low[i] ? x : low[i], high[i] = x > high[i] ? x : high[i];
        }
    for (k = 0; k < s->ncontacts; k++) {
        const soil_contact_t *body = s->contacts + k;
        const double reach = body->reach + s->material->widest;
        double d[3];
        for (i = 0; i < 3; i++)
            d[i] = body->p[i] - within(body->p[i], low[i], high[i]);
        near |= dot(d, d) < reach*reach;
    }
    return near;
}

/* whether a body touches particle a */
static inline int meet_bodies(soil_t *s, contacts_t *c, slots_t *slots, int64_t a, double *reaction)
{
    const double *p = s->moving + MOVING*a, r = p[SIZE];
    int64_t k, part;
    int met = 0;
    double id = BODY_ID;
    for (k = 0; k < s->ncontacts; k++) {
        const soil_contact_t *body = s->contacts + k;
        const double d[3] = {p[0] - body->p[0], p[1] - body->p[1], p[2] - body->p[2]};
        const int64_t parts = body->kind == TOOL ? body->nboxes : 1;
        double q[3];
        if (dot(d, d) >= (body->reach + r)*(body->reach + r)) {
            id -= (double)parts;
            continue;
        }
        turn_back(body->R, d, q);
        if (body->kind == TOOL) {
            int inside = 1;
            for (part = 0; part < 3; part++)
                inside &= q[part] > body->hull[part] && q[part] < body->hull[3 + part];
            reaction[REACTION*k + 6] += inside ? s->material->mass : 0.0;
        }
        for (part = 0; part < parts; part++, id -= 1.0) {
            double local[3], n[3], at[3], moving[3];
            const double depth =
                body->kind == TOOL ? in_box(body->boxes + BOX*part, r, q, local) : in_wheel(body, r, q, local);
            int j;
            if (depth <= 0.0)
                continue;
            turn(body->R, local, n);
            for (j = 0; j < 3; j++) {
                at[j] = p[j] - r*n[j];
                c->arm[j][c->count] = at[j] - body->p[j];
            }
            velocity_at(body, at, moving);
            recall(c, slots, id);
            meet_surface(s, c, a, n, depth, moving, body->w);
            c->b[c->count] = k;
            if (++c->count == LANES)
                finish_others(s, c, reaction);
            met = 1;
        }
    }
    return met;
}

#endif
