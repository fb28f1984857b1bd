/* A haptic scene: objects with coordinates q and velocities v that carry convex shapes, what touches, and who holds it.

   Everything that a tick remembers lies in memory_t, what it computes anew in work_t; nothing is allocated. A planar body
   has q = (x, y, angle), a body in space q = (x, y, z, unit quaternion) and v = (velocity, angular velocity) in world axes,
   both at the centre of mass; of a linkage, a generated function gives mass matrix, bias, and poses and Jacobians of links. */
enum { OBJECTS = 32, LINKS = 64, SHAPES = 96, POINTS = 768, FACES = 320, CORNERS = 1280, PAIRS = 2048 };
enum { NV = 24, DOF = 160, COORDINATES = 192, CONTACTS = 160, HAND = 6, POSE = 7, LONGEST = 256, LOOP = 16, FRICTIONS = 4 };
enum { PLANAR, SPATIAL, LINKAGE };
enum { IMPULSE, PENALTY, CONSTRAINT };
enum { FOUR_CHANNEL, VIRTUAL_COUPLER, UNILATERAL_COUPLER, DIRECT };
enum { FULL, SATURATE, SCALE, SPREAD, SPREAD_EXACT };
enum { FREE, RESTING, COLLIDING };
enum { GROUND = -1 };

typedef struct {
    int64_t kind, q, nq, v, nv; /* where its coordinates and velocities are, and how many */
    int64_t link, nlinks;
    int64_t driven;              /* it moves as it is told, and nothing pushes it away */
    void *dynamics;              /* of a linkage: generated, (q, qd) -> M, c, positions, rotations, Jacobians */
    const double *dynamics_h;
} object_t;

/* a rigid body of an object, and where it is held if it is held */
typedef struct {
    double mass, com[3], inertia[9]; /* kg; m, on its axes; kg m2 about its centre of mass; planar: the last */
    double hold[3];                  /* m */
} link_t;

typedef struct {
    int64_t link;             /* or GROUND */
    int64_t first, count;     /* its points: of a polygon counter-clockwise */
    int64_t face, faces;      /* none: a polygon */
    int64_t edge, edges;      /* directions of its edges, each once */
    double centre[3], radius; /* of a ball around it */
} shape_t;

/* numbers that may change from tick to tick */
typedef struct {
    int64_t contact, controller, limiting, friction; /* which; friction -1: none */
    int64_t two_rows;  /* impacts of two moving bodies: a row for each, as the thesis has it; else action = reaction */
    int64_t unclamped; /* penalty forces may pull */
    int64_t shaping;   /* the device is made to feel like the tool */
    int64_t passivity; /* the passivity controller acts; its observer always does */
    int64_t curving;   /* the device is given J' v of the hold, too */
    int64_t hold;      /* which link of the held object is in the hand */
    double stiffness, damping, restitution;      /* N/m, N s/m */
    double mu_s, mu_k, deflection, v_min, beta;  /* deflection (m) at which friction gives way; beta: N s/m */
    double mu_impact;                            /* of impulses; 0: smooth impacts */
    double couple_k[HAND], couple_b[HAND];       /* N/m, N m/rad; N s/m, N m s/rad */
    double adaptive, least_damping;              /* s/m, N s/m: damping of the tool that grows with the contact force */
    double k_tc, b_tc, rank_tolerance;           /* 1/s2, 1/s: penalty off what the joints allow; share of a singular value */
    double limit[HAND], hand_limit[HAND];        /* N, N m: what the device may render; what is believed of a hand */
    double gravity[3];
} settings_t;

typedef struct {
    int64_t external, pantograph, observed; /* measured from outside; twin pantograph; velocity and hand force by observers */
    int64_t substeps, delay;                /* in a tick; ticks from the command to the motors */
    double mass[HAND], damping[HAND], friction[HAND], limit[HAND], quantum[HAND];
    double hand_k[HAND], hand_b[HAND], hand_m[HAND]; /* the hand: spring to its target, damper, mass */
    double smoothing, gain;                 /* s, of velocities; 1/s, of the observer of the hand's force */
    double arm, forearm, gap, handle, rotor, torque, counts; /* pantograph: m, m, m, m, kg m2, N m, per turn */
} device_t;

typedef struct {
    int64_t a, b;                /* shapes, b the ground or the one touched; -1: a constraint of a local model */
    int64_t link_a, link_b, key; /* their links, or GROUND; the same features have the same key */
    int64_t seen, group;         /* whether it was there a tick before */
    double point[3], normal[3];  /* m, in the world; from b to a */
    double s, vn, moving, vt[3]; /* m, below zero: penetration; m/s, of a against b; of a surface that moves by itself */
    double firm;                 /* share of stiffness and damping: less than one where a world is silent */
    double z[3], mode;           /* deflection of friction (m) */
    double target;               /* normal velocity that a spread impact aims at (m/s) */
    double mu_s, mu_k;
    double force[3];             /* on a (N) */
} contact_t;

typedef struct {
    double q[COORDINATES], v[DOF];
    contact_t contacts[CONTACTS];
    int64_t ncontacts, ticks;
    int64_t staying[OBJECTS];                  /* its group is still colliding: an impulse is being spread */
    double x[POSE], xd[HAND], momentum[HAND];  /* device: pose, velocity; integral of its observer */
    double measured[POSE], rate[HAND], hand[HAND]; /* what the controller believes of it */
    double ring[LONGEST*HAND];                 /* commands on their way, */
    double rendered[LONGEST*HAND], moved[HAND]; /* and what they render; way of the device since the last tick */
    double energy;                             /* J, that the observer of passivity has counted */
    double pressed;                            /* N, of resting contact at the hold, a tick before */
    int64_t joined, away;                      /* a unilateral coupler holds; the device was not there a tick before */
    double Jh[HAND*NV];                        /* Jacobian of the hold a tick before */
    int64_t link, rank;                        /* in the hand; the largest rank of its Jacobian so far */
    int64_t lost, bounded, faults, dropped;    /* ticks without a device, with a bounded hand, undone; contacts left out */
    int64_t singular;                          /* ticks in which the Jacobian of the hold was of less rank than elsewhere */
} memory_t;

/* a tick, as it is recorded */
typedef struct {
    double t, state, contacts, impacts, sliding, depth, kinetic, before, after, energy, friction;
    double strike, rub; /* N, of an impact at the hold; W, lost by friction */
    double rank, apart; /* of the Jacobian of the hold; m, from the tool to the device */
    double hand[HAND], command[HAND], wrench[HAND], felt[HAND]; /* hand force, motors, contact at the hold, what is rendered */
    double x[POSE], xd[HAND], tool[POSE], toold[HAND];
} record_t;

typedef struct {
    double p[3], R[9];
    double J[6*NV]; /* of a linkage: velocity of its origin, angular velocity */
} pose_t;

/* J = U S V^T (m x n), cut off at its rank: see generalised_inverse.h */
typedef struct {
    int64_t m, n, rank;
    double Ut[HAND*HAND]; /* m x m: row k is direction k at the hand; from `rank` on those in which the link cannot move */
    double S[HAND];       /* singular values, largest first */
    double Vt[HAND*NV];   /* rank x n: row k is what the joints do in direction k, of length one */
} full_rank_t;

/* the row of a direction at a contact, over the velocities of the objects that touch */
typedef struct {
    int64_t at[2], n[2];
    double x[2][NV];
} row_t;

typedef struct {
    pose_t links[LINKS];
    double points[POINTS][3], centre[SHAPES][3];
    double normals[FACES][3], edges[CORNERS][3];
    double D[DOF*NV], L[DOF*NV], Lt[DOF*NV], bias[DOF]; /* per object: mass matrix, its factor, that with coupling; bias */
    contact_t before[CONTACTS];
    int64_t group[OBJECTS], at[DOF], dofs[DOF], chosen[CONTACTS], order[2*CONTACTS];
    row_t rows[CONTACTS][3], column[2*CONTACTS];
    double A[2*CONTACTS][DOF], Q[DOF][DOF], R[DOF][2*CONTACTS], M[DOF*DOF];
    double B[2*CONTACTS][DOF], G[2*CONTACTS][DOF]; /* of tangents: what they change across the normals, and along Q */
    row_t moved[CONTACTS][3];
    double y[DOF], change[DOF], applied[DOF], dv[DOF];
    double lambda[CONTACTS][3], bound[CONTACTS], width[CONTACTS][3], slope[CONTACTS][2];
    double coupled[NV*NV]; /* mass matrix of the held object, with the damping of its coupling */
    double Jh[HAND*NV], mobility[HAND*HAND];                     /* at the hold: Jacobian, J D^-1 J^T */
    full_rank_t factors;                                         /* of the Jacobian */
    double inverse[HAND*NV];                                     /* J#^T: wrench at the hold of a generalised force */
    double curving[HAND];                                        /* J' v: m/s2, rad/s2 */
    double topology[HAND];                                       /* N, N m: what keeps the device on what the joints allow */
    double Md[HAND*HAND];                                        /* mass matrix of the device */
    double T[DOF];                                               /* generalised force of contacts */
    double weight[HAND];                                         /* of the tool at the hold: -bias */
    double tool[POSE], toold[HAND], apart[HAND], apartd[HAND];   /* the hold, and how far the device is from it */
    double kept_q[COORDINATES], kept_v[DOF];
} work_t;

typedef struct local local_t;

typedef struct {
    int64_t nobjects, nlinks, nshapes, nq, nv;
    int64_t npairs, nown; /* of shapes that may touch; the first of them are of one linkage each */
    int64_t held;       /* the object in the hand; none: GROUND */
    int64_t nh, np;     /* 3 and 3 in the plane, 6 and 7 in space */
    double dt, travel;  /* s; m that a body may move in a tick */
    double margin;      /* m, within which constraints see what comes */
    object_t objects[OBJECTS];
    link_t links[LINKS];
    int64_t owner[LINKS]; /* object of a link */
    shape_t shapes[SHAPES];
    double points[POINTS][3], normals[FACES][3], edges[CORNERS][3];
    int64_t loops[FACES][2], corners[CORNERS]; /* of a face: first corner and how many; points of the shape */
    int64_t pairs[PAIRS][2];
    settings_t settings;
    device_t device;
    void *laws[FRICTIONS]; /* generated friction: (v, z, mode, p) -> force, z, mode, slopes by v and by z */
    const double *laws_h[FRICTIONS];
    work_t *work;
    local_t *local;     /* of a local model: constraints in place of shapes that touch (local_model.h); else none */
    memory_t memory;
    record_t record;
} scene_t;

/* -- vectors ------------------------------------------------------------------------------------------------------------ */

static inline double dot3(const double *a, const double *b)
{
    return a[0]*b[0] + a[1]*b[1] + a[2]*b[2];
}

static inline void cross3(const double *a, const double *b, double *c)
{
    c[0] = a[1]*b[2] - a[2]*b[1];
    c[1] = a[2]*b[0] - a[0]*b[2];
    c[2] = a[0]*b[1] - a[1]*b[0];
}

static inline void minus3(const double *a, const double *b, double *c)
{
    int k;
    for (k = 0; k < 3; k++)
        c[k] = a[k] - b[k];
}

/* R x, or R^T x */
static inline void turn3(const double *R, const double *x, double *y)
{
    int k;
    for (k = 0; k < 3; k++)
        y[k] = R[3*k]*x[0] + R[3*k + 1]*x[1] + R[3*k + 2]*x[2];
}

static inline void unturn3(const double *R, const double *x, double *y)
{
    int k;
    for (k = 0; k < 3; k++)
        y[k] = R[k]*x[0] + R[3 + k]*x[1] + R[6 + k]*x[2];
}

static inline double dot_n(int64_t n, const double *a, const double *b)
{
    double total = 0.0;
    int64_t k;
    for (k = 0; k < n; k++)
        total += a[k]*b[k];
    return total;
}

static inline double clipped(double x, double limit)
{
    return x > limit ? limit : x < -limit ? -limit : x;
}


static inline void rotation_of(const double *e, double *R)
{
    const double w = e[0], x = e[1], y = e[2], z = e[3];
    R[0] = 1 - 2*(y*y + z*z), R[1] = 2*(x*y - w*z), R[2] = 2*(x*z + w*y);
    R[3] = 2*(x*y + w*z), R[4] = 1 - 2*(x*x + z*z), R[5] = 2*(y*z - w*x);
    R[6] = 2*(x*z - w*y), R[7] = 2*(y*z + w*x), R[8] = 1 - 2*(x*x + y*y);
}

/* a unit quaternion turned by an angular velocity on world axes for h: e + h/2 (0, w) o e, made unit again */
static inline void spin(double *e, const double *w, double h)
{
    const double a = e[0], b = e[1], c = e[2], d = e[3];
    double size;
    int k;
    e[0] = a - 0.5*h*(w[0]*b + w[1]*c + w[2]*d);
    e[1] = b + 0.5*h*(w[0]*a + w[1]*d - w[2]*c);
    e[2] = c + 0.5*h*(w[1]*a + w[2]*b - w[0]*d);
    e[3] = d + 0.5*h*(w[2]*a + w[0]*c - w[1]*b);
    size = sqrt(e[0]*e[0] + e[1]*e[1] + e[2]*e[2] + e[3]*e[3]);
    for (k = 0; k < 4; k++)
        e[k] /= size;
}

/* the rotation vector (rad) that leads from the attitude b to a, on world axes */
static inline void turn_between(const double *a, const double *b, double *r)
{
    double w = a[0]*b[0] + a[1]*b[1] + a[2]*b[2] + a[3]*b[3], size, factor;
    const double sign = w < 0.0 ? -1.0 : 1.0;
    int k;
    r[0] = sign*(-a[0]*b[1] + a[1]*b[0] - a[2]*b[3] + a[3]*b[2]);
    r[1] = sign*(-a[0]*b[2] + a[1]*b[3] + a[2]*b[0] - a[3]*b[1]);
    r[2] = sign*(-a[0]*b[3] - a[1]*b[2] + a[2]*b[1] + a[3]*b[0]);
    size = sqrt(dot3(r, r));
    factor = size > 1e-12 ? 2.0*atan2(size, fabs(w))/size : 2.0;
    for (k = 0; k < 3; k++)
        r[k] *= factor;
}
