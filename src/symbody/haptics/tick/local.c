/* Exported functions of a local model and of its world: taking packets, and constraints near the tool. */
#include "tick.h"


/* take a packet between two ticks; TAKEN, or why it was refused */
int64_t local_take(scene_t *s, const packet_t *p)
{
    return take_from_world(s, p);
}

/* Post a packet for the thread of the ticks. local_proxy reads the newest packet of the proxy; 0 if none is new. */
void local_post(local_t *l, const packet_t *p)
{
    l->port.posted++;
    post(&l->port.inbox, (double *)l->port.packets, sizeof *p/sizeof(double), (const double *)p);
}

int local_proxy(local_t *l, proxy_packet_t *p)
{
    const double *found = collect(&l->port.outbox, (double *)l->port.proxies, sizeof *p/sizeof(double));
    if (found)
        copy_words(sizeof *p/sizeof(double), found, (double *)p);
    return found != 0;
}

/* separation of the proxy from each surface (m), and the normals there */
void local_separations(scene_t *s, double *apart, double (*normal)[3])
{
    int64_t k;
    if (!update_objects(s))
        return;
    for (k = 0; k < s->local->count; k++) {
        const constraint_t now = surface_now(s->local->surfaces + k);
        double x[3];
        tool_point(s, &now, x);
        apart[k] = separation(&now, x, normal[k]);
    }
}

/* set the accepted range of mass matrices from the tool's own */
void local_know(scene_t *s)
{
    if (update_objects(s))
        know_mass(s);
}

/* a contact of the tool as a constraint; side 0: the tool is a, 1: it is b */
static constraint_t constraint_of(const scene_t *s, const contact_t *c, const object_t *tool, int side)
{
    constraint_t made = {0};
    const double sign = side ? -1.0 : 1.0;
    const int on_tool = lies_on_a(c) != side;
    const int64_t link = side ? c->link_b : c->link_a, other = side ? c->link_a : c->link_b;
    const pose_t *at = s->work->links + link;
    double x[3];
    int k;
    made.a = link - tool->link, made.b = other >= 0 ? (side ? c->a : c->b) : -1 - (side ? c->a : c->b);
    made.s = c->s, made.kind = PLANE;
    for (k = 0; k < 3; k++) {
        made.normal[k] = sign*c->normal[k];
        made.point[k] = c->point[k] - (on_tool ? c->s*made.normal[k] : 0.0);
        x[k] = made.point[k] + c->s*made.normal[k] - at->p[k];
    }
    unturn3(at->R, x, made.tool);
    if (other >= 0) {
        const object_t *o = s->objects + s->owner[other];
        double row[NV];
        point_row(s, other, made.point, made.normal, row);
        made.v = dot_n(o->nv, row, s->memory.v + o->v);
    }
    made.mu_s = s->settings.friction < 0 ? 0.0 : c->mu_s, made.mu_k = s->settings.friction < 0 ? 0.0 : c->mu_k;
    return made;
}

/* mass matrix and gravity bias of an object at its pose: its own, neither of a packet nor made heavy */
void object_dynamics(scene_t *s, int64_t object, double *D, double *G)
{
    const object_t *o = s->objects + object;
    double v[NV], *now = s->memory.v + o->v;
    memcpy(v, now, o->nv*sizeof *v);
    memset(now, 0, o->nv*sizeof *v);
    update_object(s, o);
    memcpy(D, s->work->D + o->v*NV, o->nv*o->nv*sizeof *D);
    memcpy(G, s->work->bias + o->v, o->nv*sizeof *G);
    memcpy(now, v, o->nv*sizeof *v);
}

/* Constraints within a margin of an object; returns their number. The contacts that ticks remember do not change. */
int64_t world_near(scene_t *s, int64_t object, double margin, constraint_t *found)
{
    memory_t *m = &s->memory;
    object_t *tool = s->objects + object;
    const int64_t driven = tool->driven;
    const int64_t kept = m->ncontacts, dropped = m->dropped;
    contact_t before[CONTACTS];
    int64_t k, n = 0;
    memcpy(before, m->contacts, kept*sizeof *before);
    tool->driven = 0; /* ticks ignore contacts of a driven object with the ground */
    if (update_objects(s))
        find_contacts(s, margin);
    for (k = 0; k < m->ncontacts; k++) {
        const contact_t *c = m->contacts + k;
        const int a = c->link_a >= 0 && s->owner[c->link_a] == object, b = c->link_b >= 0 && s->owner[c->link_b] == object;
        if (a != b)
            found[n++] = constraint_of(s, c, tool, b);
    }
    tool->driven = driven;
    memcpy(m->contacts, before, kept*sizeof *before);
    m->ncontacts = kept, m->dropped = dropped;
    return n;
}

/* Energy (J) of the last tick at the contacts of an object: given[0] is the work of the object, given[1] what the
   others received of it. Power is f.v with the mean of v before and after. Contacts store or dissipate the
   difference. */
static void count_given(const scene_t *s, int64_t object, const double *before, double *given)
{
    const memory_t *m = &s->memory;
    double row[NV];
    int64_t k, i, side;
    for (k = 0; k < m->ncontacts; k++) {
        const contact_t *c = m->contacts + k;
        const int64_t links[2] = {c->link_a, c->link_b};
        const int mine = c->link_b >= 0 && s->owner[c->link_b] == object; /* the side of the object */
        if (c->link_a < 0 || c->link_b < 0 || (s->owner[c->link_a] == object) == mine)
            continue;
        for (side = 0; side < 2; side++) {
            const object_t *o = s->objects + s->owner[links[side]];
            double *to = given + (side != mine);
            point_row(s, links[side], c->point, c->force, row);
            for (i = 0; i < o->nv; i++)
                *to += (mine ? 0.5 : -0.5)*s->dt*row[i]*(before[o->v + i] + m->v[o->v + i]);
        }
    }
}

/* n ticks of a world in which a driven object moves to q at constant velocity; given: energies (J) of count_given */
void world_move(scene_t *s, int64_t object, const double *q, int64_t n, double *given)
{
    const object_t *o = s->objects + object;
    memory_t *m = &s->memory;
    const double input[HAND + POSE] = {0}, h = n*s->dt;
    double *now = m->q + o->q, *v = m->v + o->v, wanted[NV], before[DOF];
    const int64_t straight = o->kind == SPATIAL ? 3 : o->nq;
    int64_t i, k;
    for (k = 0; k < straight; k++)
        wanted[k] = (q[k] - now[k])/h;
    if (o->kind == SPATIAL) {
        turn_between(q + 3, now + 3, wanted + 3);
        for (k = 3; k < 6; k++)
            wanted[k] /= h;
    }
    for (i = 0; i < n; i++) {
        memcpy(v, wanted, o->nv*sizeof *v);
        memcpy(before, m->v, s->nv*sizeof *before);
        tick(s, input);
        count_given(s, object, before, given);
    }
    memcpy(now, q, o->nq*sizeof *now);
    memcpy(v, wanted, o->nv*sizeof *v);
}
