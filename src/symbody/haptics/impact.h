/* Simultaneous impacts of a group, frictionless, Newton's restitution at all contacts that close (thesis 4.36):
     p = -(1 + e) (J D^-1 J^T)^+ J v,   v' = v + D^-1 J^T p.

   With D = L L^T, y = L^T v and A = L^-1 J^T this is y' = y - (1 + e) Q Q^T y, the columns of Q an orthonormal basis of those
   of A: for e in [-1, 1] kinetic energy |y|^2/2 does not grow, however nearly redundant the contacts are. */

static const double REDUNDANT = 1e-7; /* share of a column that is left: less, and it depends on others */

/* whether impacts go for stored velocities: then an impulse that is spread over ticks restitutes as one that is not */
static inline int aims_exactly(const scene_t *s)
{
    return s->settings.limiting == SPREAD_EXACT && !s->settings.two_rows;
}

/* columns of the contacts of a group that close; how many */
static inline int64_t impact_columns(scene_t *s, int64_t group)
{
    memory_t *m = &s->memory;
    work_t *w = s->work;
    int64_t k, part, c = 0;
    for (k = 0; k < m->ncontacts; k++) {
        const row_t *row = &w->rows[k][0];
        const int two = s->settings.two_rows && row->n[0] && row->n[1];
        if (m->contacts[k].group != group || m->contacts[k].s > 0.0)
            continue;
        if (!(m->contacts[k].vn < 0.0 || (aims_exactly(s) && m->contacts[k].target > m->contacts[k].vn)))
            continue;
        for (part = 0; part < 1 + two; part++, c++) {
            w->column[c] = *row;
            w->chosen[c] = k;
            if (two)
                w->column[c].n[1 - part] = 0;
        }
    }
    return c;
}

/* A = L^-1 J^T, over the velocities of the group */
static inline void scaled_columns(const scene_t *s, int64_t n, int64_t c)
{
    work_t *w = s->work;
    int64_t j, side;
    for (j = 0; j < c; j++) {
        const row_t *row = w->column + j;
        memset(w->A[j], 0, n*sizeof(double));
        for (side = 0; side < 2; side++)
            if (row->n[side]) {
                double *x = w->A[j] + w->at[row->at[side]];
                memcpy(x, row->x[side], row->n[side]*sizeof *x);
                forward(row->n[side], w->L + row->at[side]*NV, x);
            }
    }
}

/* Gram and Schmidt with pivots, each column twice: Q, and A = Q R in the order found; the rank */
static inline int64_t orthonormal(work_t *w, int64_t n, int64_t c)
{
    double first[2*CONTACTS];
    int64_t i, j, k, r;
    for (j = 0; j < c; j++)
        w->order[j] = j, first[j] = dot_n(n, w->A[j], w->A[j]);
    for (r = 0; r < c && r < n; r++) {
        int64_t best = -1, chosen;
        double most = REDUNDANT*REDUNDANT, size, *q = w->Q[r];
        for (j = r; j < c; j++) {
            const double left = dot_n(n, w->A[w->order[j]], w->A[w->order[j]])/first[w->order[j]];
            if (left > most)
                most = left, best = j;
        }
        if (best < 0)
            break;
        chosen = w->order[best], w->order[best] = w->order[r], w->order[r] = chosen;
        memcpy(q, w->A[chosen], n*sizeof *q);
        for (k = 0; k < r; k++) { /* again: what rounding has left of the others */
            const double along = dot_n(n, w->Q[k], q);
            for (i = 0; i < n; i++)
                q[i] -= along*w->Q[k][i];
        }
        size = sqrt(dot_n(n, q, q));
        for (i = 0; i < n; i++)
            q[i] /= size;
        w->R[r][chosen] = size;
        for (j = r + 1; j < c; j++) {
            double *a = w->A[w->order[j]];
            const double along = w->R[r][w->order[j]] = dot_n(n, q, a);
            for (i = 0; i < n; i++)
                a[i] -= along*q[i];
        }
    }
    return r;
}

/* the change of y along each column of Q; to the stored targets where an impulse is spread exactly */
static inline void restituted(const scene_t *s, int64_t n, int64_t rank, double *along)
{
    const work_t *w = s->work;
    const double e = s->settings.restitution;
    double reached[DOF];
    int64_t r, k;
    for (r = 0; r < rank; r++) {
        const double now = dot_n(n, w->Q[r], w->y);
        along[r] = -(1.0 + e)*now;
        if (aims_exactly(s)) {
            const int64_t j = w->order[r];
            const contact_t *c = s->memory.contacts + w->chosen[j];
            double left = c->target;
            for (k = 0; k < r; k++)
                left -= w->R[k][j]*reached[k];
            reached[r] = left/w->R[r][j];
            along[r] = reached[r] - now;
        }
    }
}

/* impulses (N s) of least norm, p = R^T (R R^T)^-1 along; for those who look: motion does not need them */
static inline void impulses(scene_t *s, int64_t c, int64_t rank, double *along)
{
    work_t *w = s->work;
    int64_t i, j, k;
    for (i = 0; i < rank; i++)
        for (k = 0; k <= i; k++) {
            double total = 0.0;
            for (j = k > i ? k : i; j < c; j++) /* R is upper triangular in the order found */
                total += w->R[i][w->order[j]]*w->R[k][w->order[j]];
            w->M[i*rank + k] = total;
        }
    if (!factorise(rank, w->M))
        return;
    forward(rank, w->M, along);
    backward(rank, w->M, along);
    for (j = 0; j < c; j++) {
        contact_t *contact = s->memory.contacts + w->chosen[w->order[j]];
        double p = 0.0;
        for (i = 0; i < rank && i <= j; i++)
            p += w->R[i][w->order[j]]*along[i];
        for (k = 0; k < 3; k++)
            contact->force[k] += p/s->dt*contact->normal[k];
    }
}

/* the share of an impulse that the device can render */
static inline double rendered_share(const scene_t *s, const double *T)
{
    double wrench[HAND], share = 1.0;
    int64_t k;
    hold_wrench(s, T, wrench);
    for (k = 0; k < s->nh; k++)
        if (fabs(wrench[k]) > s->settings.limit[k])
            share = fmin(share, s->settings.limit[k]/fabs(wrench[k]));
    return share;
}

/* the impact of a group; generalised forces of one tick into T. Gives the number of rows that took part. */
static inline int64_t collide(scene_t *s, int64_t group)
{
    memory_t *m = &s->memory;
    work_t *w = s->work;
    const int64_t n = gather(s, group), held = s->held >= 0 && root_of(w->group, s->held) == group;
    const int64_t limiting = s->settings.limiting;
    double along[DOF], share = 1.0;
    int64_t c, rank, k, r, i;
    for (k = 0; k < m->ncontacts; k++)
        if (m->contacts[k].group == group && (!m->contacts[k].seen || !held || !m->staying[s->held]))
            m->contacts[k].target = m->contacts[k].vn < 0.0 ? -s->settings.restitution*m->contacts[k].vn : -INFINITY;
    c = impact_columns(s, group);
    scaled_columns(s, n, c);
    rank = orthonormal(w, n, c);
    for (k = 0; k < s->nobjects; k++)
        if (root_of(w->group, k) == group) {
            const object_t *o = s->objects + k;
            times_transposed(o->nv, w->L + o->v*NV, m->v + o->v, w->y + w->at[o->v]);
        }
    restituted(s, n, rank, along);
    memset(w->change, 0, n*sizeof(double));
    for (r = 0; r < rank; r++)
        for (i = 0; i < n; i++)
            w->change[i] += along[r]*w->Q[r][i];
    for (k = 0; k < s->nobjects; k++)
        if (root_of(w->group, k) == group) { /* T = D (v' - v)/h = L (y' - y)/h */
            const object_t *o = s->objects + k;
            times_factor(o->nv, w->L + o->v*NV, w->change + w->at[o->v], w->T + o->v);
            for (i = 0; i < o->nv; i++)
                w->T[o->v + i] /= s->dt;
        }
    if (held && limiting >= SCALE && !is_sinking(s, group))
        share = rendered_share(s, w->T + s->objects[s->held].v);
    for (r = 0; r < rank; r++)
        along[r] *= share;
    impulses(s, c, rank, along);
    for (k = 0; k < s->nobjects; k++)
        if (root_of(w->group, k) == group) {
            const object_t *o = s->objects + k;
            double *y = w->change + w->at[o->v];
            for (i = 0; i < o->nv; i++)
                y[i] *= share, w->T[o->v + i] *= share;
            backward(o->nv, w->L + o->v*NV, y);
            for (i = 0; i < o->nv; i++)
                m->v[o->v + i] += y[i];
            m->staying[k] = limiting >= SPREAD && share < 1.0;
        }
    return c;
}
