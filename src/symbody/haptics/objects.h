/* Where objects are and how they resist: poses and Jacobians of links, mass matrices D with their factors, bias forces. */

static const double HEAVY = 1e8; /* how many times its mass an object has that moves as it is told */

static inline void pose_planar(const double *q, pose_t *link)
{
    const double c = cos(q[2]), n = sin(q[2]), R[9] = {c, -n, 0, n, c, 0, 0, 0, 1};
    link->p[0] = q[0], link->p[1] = q[1], link->p[2] = 0.0;
    memcpy(link->R, R, sizeof R);
}

/* D = diag(m, m, I); bias: gravity */
static inline void update_planar(const scene_t *s, const object_t *o)
{
    work_t *w = s->work;
    double *D = w->D + o->v*NV;
    int k;
    pose_planar(s->memory.q + o->q, w->links + o->link);
    memset(D, 0, 9*sizeof *D);
    for (k = 0; k < 2; k++)
        D[4*k] = o->mass, w->bias[o->v + k] = -o->mass*s->settings.gravity[k];
    D[8] = o->inertia[8], w->bias[o->v + 2] = 0.0;
}

/* D = diag(m, m, m, R I R^T); bias: gravity, and w x I w */
static inline void update_spatial(const scene_t *s, const object_t *o)
{
    work_t *w = s->work;
    pose_t *link = w->links + o->link;
    double *D = w->D + o->v*NV, I[9], turned[9], momentum[3];
    const double *q = s->memory.q + o->q, *omega = s->memory.v + o->v + 3;
    int i, j, k;
    memcpy(link->p, q, sizeof link->p);
    rotation_of(q + 3, link->R);
    memset(D, 0, 36*sizeof *D);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            turned[3*i + j] = dot3(o->inertia + 3*j, link->R + 3*i); /* R I, I symmetric */
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            I[3*i + j] = dot3(turned + 3*i, link->R + 3*j);
    for (k = 0; k < 3; k++)
        D[7*k] = o->mass, w->bias[o->v + k] = -o->mass*s->settings.gravity[k];
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

/* dv/dp = dir^T J of a point of a link: the row over the velocities of its object */
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

/* the Jacobian of the hold, its mobility J D^-1 J^T and the inverse of that, whatever its rank */
static inline void update_hold(scene_t *s)
{
    static const double AXES[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const object_t *o = s->objects + s->held;
    work_t *w = s->work;
    const pose_t *l = w->links + s->hold;
    const int64_t n = o->nv, linear = s->nh == 3 ? 2 : 3;
    double point[3], solved[HAND][NV];
    int64_t i, j;
    turn3(l->R, s->point, point);
    for (i = 0; i < 3; i++)
        point[i] += l->p[i];
    for (i = 0; i < linear; i++)
        point_row(s, s->hold, point, AXES[i], w->Jh + i*n);
    for (i = linear; i < s->nh; i++) {
        double *row = w->Jh + i*n;
        const int64_t axis = s->nh == 3 ? 2 : i - 3;
        memset(row, 0, n*sizeof *row);
        if (o->kind == LINKAGE)
            memcpy(row, l->J + (3 + axis)*n, n*sizeof *row);
        else
            row[i] = 1.0;
    }
    for (i = 0; i < s->nh; i++) {
        memcpy(solved[i], w->Jh + i*n, n*sizeof(double));
        forward(n, w->L + o->v*NV, solved[i]);
    }
    for (i = 0; i < s->nh; i++)
        for (j = 0; j < s->nh; j++)
            w->mobility[i*s->nh + j] = dot_n(n, solved[i], solved[j]);
    pseudo_inverse(s->nh, w->mobility, 1e-9, w->inverse);
}

/* pose and velocity of the hold, as those of the device are written */
static inline void hold_motion(const scene_t *s, double *x, double *xd)
{
    const object_t *o = s->objects + s->held;
    const pose_t *l = s->work->links + s->hold;
    const double *R = l->R;
    double point[3];
    int64_t k;
    turn3(R, s->point, point);
    for (k = 0; k < 3; k++)
        point[k] += l->p[k];
    for (k = 0; k < s->nh; k++)
        xd[k] = dot_n(o->nv, s->work->Jh + k*o->nv, s->memory.v + o->v);
    if (s->nh == 3) {
        const double angle = o->kind == PLANAR ? s->memory.q[o->q + 2] : atan2(R[3], R[0]);
        x[0] = point[0], x[1] = point[1], x[2] = angle;
        return;
    }
    memcpy(x, point, sizeof point);
    if (o->kind == SPATIAL) {
        memcpy(x + 3, s->memory.q + o->q + 3, 4*sizeof *x);
        return;
    }
    { /* the quaternion of a rotation, from its largest component */
        const double trace = R[0] + R[4] + R[8];
        double e[4] = {1 + trace, 1 + 2*R[0] - trace, 1 + 2*R[4] - trace, 1 + 2*R[8] - trace}, half;
        int64_t big = 0;
        for (k = 1; k < 4; k++)
            big = e[k] > e[big] ? k : big;
        half = 0.5*sqrt(e[big]);
        e[0] = big == 0 ? 4*half*half : big == 1 ? R[7] - R[5] : big == 2 ? R[2] - R[6] : R[3] - R[1];
        e[1] = big == 1 ? 4*half*half : big == 0 ? R[7] - R[5] : big == 2 ? R[1] + R[3] : R[2] + R[6];
        e[2] = big == 2 ? 4*half*half : big == 0 ? R[2] - R[6] : big == 1 ? R[1] + R[3] : R[5] + R[7];
        e[3] = big == 3 ? 4*half*half : big == 0 ? R[3] - R[1] : big == 1 ? R[2] + R[6] : R[5] + R[7];
        for (k = 0; k < 4; k++)
            x[3 + k] = e[k]/(4*half);
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

/* what is driven is too heavy to be pushed away, and has no weight */
static inline void make_heavy(const scene_t *s, const object_t *o)
{
    double *D = s->work->D + o->v*NV;
    int64_t k;
    for (k = 0; k < o->nv*o->nv; k++)
        D[k] *= HEAVY;
    memset(s->work->bias + o->v, 0, o->nv*sizeof(double));
}

/* everything that depends on q and v; 0 where a mass matrix is not positive */
static inline int update_objects(scene_t *s)
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
        if (!factorise(o->nv, L))
            return 0;
        memcpy(w->Lt + o->v*NV, L, o->nv*o->nv*sizeof *L);
    }
    if (s->held >= 0)
        update_hold(s);
    for (k = 0; k < s->nshapes; k++) {
        const shape_t *shape = s->shapes + k;
        const pose_t *l = w->links + shape->link;
        if (shape->link < 0)
            continue; /* the ground's were placed at first */
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

/* q <- q + h v, no body further than `travel` in a tick: what is faster would pass through walls */
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
        for (i = linear; i < o->nv; i++) /* angles count as radians of a unit length: half a turn is far */
            way = fabs(s->dt*v[i]) > 0.5 ? fmax(way, 4.0*s->dt*v[i]*s->dt*v[i]*s->travel*s->travel) : way;
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
