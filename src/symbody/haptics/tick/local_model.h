/* The local model of a slow world: a scene that contains only the tool, the proxy, in contact with surfaces from
   packets.

   Its tick is the tick of a scene with two differences. Contacts are those with surfaces (surfaces.h). Mass matrix
   and weight are those of the last packet (thesis 6.3): D qdd + G = sum J_i^T f_i + J_h^T F_h with J_i and J_h at the
   proxy and without Coriolis forces; or they are exact. */
#ifndef HAPTICS_LOCAL_MODEL_H
#define HAPTICS_LOCAL_MODEL_H

#include <string.h>

#include "packet.h"
#include "port.h"
#include "scene.h"

enum { TAKEN, WRONG_SIZE, WRONG_VERSION, WRONG_COUNT, NO_NUMBERS, NO_MASS, STALE, REASONS };
enum { STEPS_KEPT = 5 }; /* periods of the world in the mean */

/* a constraint as it is now; an intermediate representation moves it gradually to its new place */
typedef struct {
    constraint_t now;
    double origin[3], along[3], share; /* first point and normal, and the share of the way (1: arrived) */
    int64_t key;                     /* identifies the surface from packet to packet */
    int64_t deformed;                /* the tool's point was moved away from that of the packet */
    double moving;                   /* m/s along its normal, in this tick */
    double yielding;                 /* m/s, at most 0: velocity with which it still gives way after a late arrival */
} surface_t;

struct local {
    int64_t intermediate;            /* intermediate representation: surfaces move to their places, the proxy is not deformed */
    int64_t kinematic;               /* surfaces move between packets */
    int64_t exact;                   /* mass matrix and bias are those of the proxy, with Coriolis forces */
    int64_t frozen_hold;             /* factors of the hold's Jacobian are those of the last update (thesis 6.3) */
    int64_t reported;                /* use separations as reported by the world, not those of the proxy now (thesis 6.1) */
    int64_t whole;                   /* contacts are those of the scene's own shapes; no local model */
    int64_t contact, controller;     /* of the settings, without an intermediate representation */
    const double *seen;              /* last q and v of all objects in the world: the pose of objects other than the tool */
    double interpolation, deformation; /* s: smoothing at updates, of surfaces in an intermediate representation and of the proxy */
    double v_max, w_max, theta_max;  /* limits of coherence: m/s, rad/s, rad */
    double deepest, fastest, stiffest, most_damping; /* m, m/s, N/m, N s/m: upper limits */
    double restart;                  /* s of silence after which an older sequence number means a new world */
    double firm;                     /* share of stiffness and damping of surfaces; it falls if the world is silent */
    int64_t count, keys, sequence, frozen, silent; /* silent: ticks since the last packet */
    int64_t nperiods;
    double t, periods[STEPS_KEPT];   /* s, of the world */
    double least[NV], most[NV];      /* limits of the diagonal of a mass matrix */
    double D[NV*NV], G[NV], held[HAND*HAND];
    full_rank_t factors;             /* of the hold's Jacobian at the last update */
    int64_t factored;                /* link of the hold then; -1: none */
    surface_t surfaces[CONSTRAINTS];
    int64_t reasons[REASONS];        /* number of packets by TAKEN or reason of refusal */
    int64_t skipped, bounded, added, matched, removed, deformed; /* numbers of constraints */
    port_t port;
};

/* whether surfaces of packets represent the world */
static inline int is_local(const scene_t *s)
{
    return s->local && !s->local->whole;
}

/* K (N/m) and B (N s/m) of surfaces */
static inline double surface_stiffness(const scene_t *s)
{
    return s->local->firm*s->settings.stiffness;
}

static inline double surface_damping(const scene_t *s)
{
    return s->local->firm*s->settings.damping;
}

/* whether mass matrix and weight of the tool are those of a packet */
static inline int is_frozen(const scene_t *s)
{
    return is_local(s) && s->local->frozen && !s->local->exact;
}

/* use mass matrix and weight of the last packet */
static inline void freeze(const scene_t *s, const object_t *o)
{
    const local_t *l = s->local;
    if (!is_frozen(s) || o != s->objects + s->held)
        return;
    memcpy(s->work->D + o->v*NV, l->D, o->nv*o->nv*sizeof(double));
    memcpy(s->work->bias + o->v, l->G, o->nv*sizeof(double));
}

/* use the factors U S V^T of the last update, and with them its topology directions, for the same link in the hand */
static inline void freeze_hold(const scene_t *s, int64_t link)
{
    if (is_local(s) && s->local->frozen_hold && s->local->factored == link)
        s->work->factors = s->local->factors;
}

/* use the inertia of the held link of the last packet, if it was given */
static inline void tell_inertia(const scene_t *s, double *M)
{
    if (is_frozen(s) && s->local->held[0] > 0.0)
        memcpy(M, s->local->held, s->nh*s->nh*sizeof *M);
}

#endif
