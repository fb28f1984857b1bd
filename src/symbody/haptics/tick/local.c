/* The local model and the world it stands for: packets taken, and what of a scene is near its tool. */
#include "steps.h"

#include "stepping/state.h"

#include "scene.h"

#include "dense.h"

#include "generalised_inverse.h"

#include "packet.h"

#include "realtime/mailbox.h"

#include "port.h"

#include "local_model.h"

#include "objects.h"

#include "hold.h"

#include "polygon.h"

#include "polyhedron.h"

#include "surfaces.h"

#include "contacts.h"

#include "port_energy.h"

#include "impact_basis.h"

#include "impact_friction.h"

#include "impact.h"

#include "resting.h"

#include "constraint.h"

#include "controller.h"

#include "pantograph.h"

#include "device.h"

#include "tick.h"

const int64_t structure_sizes[] = {sizeof(scene_t), sizeof(constraint_t), sizeof(packet_t), sizeof(proxy_packet_t),
                                   sizeof(surface_t), sizeof(port_t), sizeof(local_t)};

/* a packet between two ticks; what became of it */
int64_t local_take(scene_t *s, const packet_t *p)
{
    return take_from_world(s, p);
}

/* a packet for the thread that makes the ticks; and the newest word of the proxy, 0 where there is none since the last */
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

/* how far the proxy is from each surface (m), and the normals there */
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

/* what is believed of a mass matrix: that of the tool where it is, within some orders */
void local_know(scene_t *s)
{
    if (update_objects(s))
        know_mass(s);
}

/* a contact of the tool as a constraint; `side` of it is the tool: 0, a; 1, b */
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

/* mass matrix and weight of an object where it is: bias without velocities, before anything freezes it or makes it heavy */
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

/* all that is within a margin of an object, as constraints; how many. Nothing is changed: contacts that ticks remember stay. */
int64_t world_near(scene_t *s, int64_t object, double margin, constraint_t *found)
{
    memory_t *m = &s->memory;
    object_t *tool = s->objects + object;
    const int64_t driven = tool->driven;
    const int64_t kept = m->ncontacts, dropped = m->dropped;
    contact_t before[CONTACTS];
    int64_t k, n = 0;
    memcpy(before, m->contacts, kept*sizeof *before);
    tool->driven = 0; /* ticks do not look whether what is driven touches the ground */
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

/* energy (J) of the last tick at contacts of an object with others: given[0] by the object, given[1] what the others have of it;
   f.v, v the mean of before and after. What contacts store or lose is between the two. */
static void count_given(const scene_t *s, int64_t object, const double *before, double *given)
{
    const memory_t *m = &s->memory;
    double row[NV];
    int64_t k, i, side;
    for (k = 0; k < m->ncontacts; k++) {
        const contact_t *c = m->contacts + k;
        const int64_t links[2] = {c->link_a, c->link_b};
        const int mine = c->link_b >= 0 && s->owner[c->link_b] == object; /* which side of it is the object */
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

/* n ticks of a world in which an object that is driven goes to q at constant velocity; given: energies (J) of count_given */
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
