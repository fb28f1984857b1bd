/* The local model of a slow world: a scene of the tool alone, the proxy, whose contacts are with surfaces that the world told.

   A tick of it is that of a scene; only where contacts come from is another (surfaces.h), and mass matrix and weight are those
   of the last packet (thesis 6.3): D qdd + G = sum J_i^T f_i + J_h^T F_h, J_i and J_h at the proxy, no Coriolis forces; or exact. */
enum { TAKEN, WRONG_SIZE, WRONG_VERSION, WRONG_COUNT, NO_NUMBERS, NO_MASS, STALE, REASONS };
enum { STEPS_KEPT = 5 }; /* periods of the world whose mean is taken */

/* a constraint as it is now; in an intermediate representation on its way to where the world has it */
typedef struct {
    constraint_t now;
    double from[3], along[3], share; /* point and normal at first, and how far it has come (1: there) */
    int64_t key;                     /* the same as long as it is taken for the same */
    int64_t deformed;                /* its point of the tool is not where the world has it */
    double moving;                   /* m/s along its normal, in this tick */
} surface_t;

struct local {
    int64_t intermediate, ramp;      /* planes of contacts as they are, moved over so many ticks; no deformation of the proxy */
    int64_t kinematic;               /* surfaces move between packets */
    int64_t exact;                   /* mass matrix and bias are those of the proxy where it is, with Coriolis forces */
    int64_t reported;                /* separations count as the world saw them, not where the proxy is now (thesis 6.1) */
    int64_t whole;                   /* contacts are those of the scene's own shapes: nothing is local */
    int64_t contact, controller;     /* of the settings, but for an intermediate representation */
    const double *seen;              /* q and v of all objects as the world last had them: others than the tool stand there */
    double v_max, w_max, theta_max;  /* of coherence: m/s, rad/s, rad */
    double deepest, fastest, stiffest, most_damping; /* m, m/s, N/m, N s/m: more is not believed */
    double restart;                  /* s of silence after which an older sequence number is a new world */
    double firm;                     /* share of stiffness and damping that surfaces have: they soften where the world is silent */
    int64_t count, keys, sequence, frozen, silent; /* silent: ticks since the last packet */
    int64_t nperiods;
    double t, periods[STEPS_KEPT];   /* s, of the world */
    double least[NV], most[NV];      /* of the mass matrix's diagonal: what is believed of a world */
    double D[NV*NV], G[NV], held[HAND*HAND];
    surface_t surfaces[CONSTRAINTS];
    int64_t reasons[REASONS];        /* packets taken and refused */
    int64_t skipped, bounded, added, matched, removed, deformed; /* constraints */
    port_t port;
};

/* whether surfaces of packets stand for the world */
static inline int is_local(const scene_t *s)
{
    return s->local && !s->local->whole;
}

/* K of surfaces (N/m), B (N s/m) */
static inline double surface_stiffness(const scene_t *s)
{
    return s->local->firm*s->settings.stiffness;
}

static inline double surface_damping(const scene_t *s)
{
    return s->local->firm*s->settings.damping;
}

/* whether what a packet says of the tool counts */
static inline int is_frozen(const scene_t *s)
{
    return is_local(s) && s->local->frozen && !s->local->exact;
}

/* mass matrix and weight of the last packet */
static inline void freeze(const scene_t *s, const object_t *o)
{
    const local_t *l = s->local;
    if (!is_frozen(s) || o != s->objects + s->held)
        return;
    memcpy(s->work->D + o->v*NV, l->D, o->nv*o->nv*sizeof(double));
    memcpy(s->work->bias + o->v, l->G, o->nv*sizeof(double));
}

/* inertia of the held link, where the last packet told it */
static inline void tell_inertia(const scene_t *s, double *M)
{
    if (is_frozen(s) && s->local->held[0] > 0.0)
        memcpy(M, s->local->held, s->nh*s->nh*sizeof *M);
}
