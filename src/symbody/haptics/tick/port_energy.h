/* Surfaces of a local model that move, change and grow old, and the energy that goes with it (port.h). */

static inline int can_move(const surface_t *f)
{
    return f->now.b >= 0;
}

/* how deep the proxy is in a surface (m), and how fast it leaves the place where that is (m/s) */
static inline double depth_in(const scene_t *s, const surface_t *f, double *leaving)
{
    const object_t *o = s->objects + s->held;
    const constraint_t now = surface_now(f);
    double x[3], n[3], row[NV], apart;
    tool_point(s, &now, x);
    apart = separation(&now, x, n);
    point_row(s, o->link + now.a, x, n, row);
    *leaving = dot_n(o->nv, row, s->memory.v + o->v);
    return fmin(fmax(-apart, 0.0), s->local->deepest);
}

/* the energy in the spring of a surface (J): K s^2/2 - h K s sd/2, which ticks (velocities first, then positions) keep, where
   K s^2/2 alone comes and goes with them */
static inline double surface_energy(const scene_t *s, const surface_t *f)
{
    double leaving;
    const double depth = depth_in(s, f, &leaving);
    return fmax(0.0, 0.5*surface_stiffness(s)*depth*(depth + s->dt*(leaving - f->moving)));
}

static inline void count_stored(scene_t *s)
{
    local_t *l = s->local;
    int64_t i;
    for (l->port.stored = 0.0, i = 0; i < l->count; i++)
        if (can_move(l->surfaces + i))
            l->port.stored += surface_energy(s, l->surfaces + i);
}

/* surfaces that store more than there is give way: impulses that are spread let the proxy sink in before springs take over */
static inline void give_way(scene_t *s)
{
    local_t *l = s->local;
    port_t *p = &l->port;
    int64_t i, again;
    for (again = 0; again < 4 && balance(p) < 0.0 && p->stored > 0.0; again++) {
        const double share = sqrt(fmax(0.0, 1.0 + balance(p)/p->stored));
        for (i = 0; i < l->count; i++) {
            surface_t *f = l->surfaces + i;
            double leaving;
            const double depth = depth_in(s, f, &leaving);
            if (can_move(f) && depth > 0.0)
                put_apart(s, &f->now, -share*depth), f->deformed = 1;
        }
        count_stored(s);
        p->lifted++;
    }
}

/* a world that is silent: its surfaces stand still, then soften until they are gone */
static inline void grow_old(scene_t *s)
{
    local_t *l = s->local;
    port_t *p = &l->port;
    const double old = l->silent*s->dt - p->patience;
    if (!(old > 0.0) || !l->count)
        return;
    l->firm = fmax(0.0, 1.0 - old/fmax(p->fading, s->dt));
    if (l->firm == 0.0)
        l->removed += l->count, l->count = 0, p->let_go++;
}

/* surfaces that move by themselves, or to where the world has them: where the port has the energy for it */
static inline void move_surfaces(scene_t *s)
{
    local_t *l = s->local;
    port_t *p = &l->port;
    int64_t i;
    int k;
    l->silent++;
    grow_old(s);
    count_stored(s);
    if (p->on)
        give_way(s);
    settle(p);
    for (i = 0; i < l->count; i++) {
        surface_t *f = l->surfaces + i, kept;
        double leaving, depth, more;
        f->moving = l->kinematic && l->silent*s->dt <= p->still ? f->now.v : 0.0;
        if (f->moving == 0.0 && f->share >= 1.0)
            continue;
        kept = *f;
        depth = depth_in(s, f, &leaving);
        more = -0.5*surface_stiffness(s)*depth*depth;
        for (k = 0; k < 3; k++)
            f->now.point[k] += s->dt*f->moving*f->now.normal[k];
        f->share = fmin(1.0, f->share + 1.0/fmax(1.0, (double)l->ramp));
        depth = depth_in(s, f, &leaving);
        more += 0.5*surface_stiffness(s)*depth*depth;
        if (depth > 0.0 && f->moving > 0.0) /* and what its damper will give */
            more += s->dt*surface_damping(s)*fmax(f->moving - leaving, 0.0)*f->moving;
        if (p->on && more > 0.0 && more > (can_move(f) ? balance(p) : 0.0)) {
            *f = kept, f->moving = 0.0, p->held++;
            continue;
        }
        if (can_move(f))
            p->stored += more;
        else
            p->given += fmax(more, 0.0);
    }
}

/* what the proxy gave to bodies that can move, in this tick (J): - h f.v, v the mean of before and after, which is what the
   tick took from its kinetic energy. Of an impact only the whole is known, and not negative: how redundant contacts share it is
   arbitrary. */
static inline void count_entered(scene_t *s)
{
    const memory_t *m = &s->memory;
    local_t *l = s->local;
    double whole = 0.0, theirs = 0.0;
    int64_t c, i;
    int k;
    for (c = 0; c < m->ncontacts; c++) {
        const contact_t *touch = m->contacts + c;
        const row_t *rows = s->work->rows[c];
        double t[3], b[3], v[3], along[3], given;
        tangents(touch->normal, s->nh == 3, t, b);
        for (k = 0; k < 3; k++)
            along[k] = row_times(rows + k, m->v);
        for (k = 0; k < 3; k++)
            v[k] = 0.5*((touch->vn + along[0])*touch->normal[k] + touch->vt[k] + along[1]*t[k] + (s->nh == 3 ? 0.0 : along[2]*b[k]));
        given = -s->dt*dot3(touch->force, v);
        for (i = 0; i < l->count && l->surfaces[i].key != touch->key; i++)
            ;
        whole += given;
        theirs += i < l->count && can_move(l->surfaces + i) ? given : 0.0;
    }
    l->port.entered += s->record.impacts > 0.0 ? fmin(fmax(theirs, 0.0), fmax(whole, 0.0)) : theirs;
}

/* a packet between two ticks: no surface stores more energy by it than it did, and what the world has paid is here */
static inline int64_t take_from_world(scene_t *s, const packet_t *packet)
{
    local_t *l = s->local;
    port_t *p = &l->port;
    double before[CONSTRAINTS];
    int64_t keys[CONSTRAINTS], n = l->count, i, j, reason;
    if (!update_objects(s))
        return NO_NUMBERS;
    for (i = 0; i < n; i++)
        keys[i] = l->surfaces[i].key, before[i] = surface_energy(s, l->surfaces + i);
    reason = take_packet(s, packet);
    if (reason != TAKEN)
        return reason;
    if (isfinite(packet->paid) && packet->paid > p->received)
        p->received = packet->paid;
    for (i = 0; i < l->count; i++) {
        surface_t *f = l->surfaces + i;
        const double now = surface_energy(s, f);
        double was = 0.0;
        for (j = 0; j < n; j++)
            if (keys[j] == f->key)
                was = before[j];
        if (!(now > was) || f->share < 1.0) /* one that is on its way is seen to there */
            continue;
        if (p->on)
            put_apart(s, &f->now, -sqrt(2.0*was/surface_stiffness(s)));
        else if (!can_move(f))
            p->given += now - was;
    }
    return TAKEN;
}

/* -- between the loop's thread and those who listen -------------------------------------------------------------------- */

static inline void take_posted(scene_t *s)
{
    port_t *p = &s->local->port;
    const double *posted = p->packets ? collect(&p->inbox, (double *)p->packets, sizeof(packet_t)/sizeof(double)) : 0;
    if (posted) {
        p->taken++;
        take_from_world(s, (const packet_t *)posted);
    }
}

/* objects beside the tool, where the world last had them; ticks that begin again know of no surface */
static inline void follow_world(scene_t *s)
{
    memory_t *m = &s->memory;
    local_t *l = s->local;
    int64_t k;
    if (m->ticks == 0)
        l->count = 0;
    for (k = 0; k < s->nobjects && l->seen && !l->whole; k++) {
        const object_t *o = s->objects + k;
        if (k == s->held)
            continue;
        memcpy(m->q + o->q, l->seen + o->q, o->nq*sizeof *m->q);
        memcpy(m->v + o->v, l->seen + s->nq + o->v, o->nv*sizeof *m->v);
    }
}

static inline void post_proxy(scene_t *s)
{
    const object_t *o = s->objects + s->held;
    const memory_t *m = &s->memory;
    port_t *p = &s->local->port;
    proxy_packet_t made = {PACKET_MAGIC, PACKET_VERSION, p->told + 1, s->local->sequence, o->nq, o->nv, m->ticks*s->dt};
    if (!p->proxies)
        return;
    p->told++; /* goes on where ticks begin again */
    memcpy(made.q, m->q + o->q, o->nq*sizeof(double)), memcpy(made.v, m->v + o->v, o->nv*sizeof(double));
    made.paid = p->paid;
    post(&p->outbox, (double *)p->proxies, sizeof made/sizeof(double), (const double *)&made);
}
