/* A haptic scene: objects with coordinates q and velocities v that carry convex shapes, their contacts, and the hand.

   memory_t holds all that a tick remembers, work_t what it computes anew; nothing is allocated. A planar body has q =
   (x, y, angle), a body in space q = (x, y, z, unit quaternion) and v = (velocity, angular velocity) in world axes,
   both at the centre of mass. For a linkage, a generated function computes mass matrix, bias, poses and Jacobians. */
#ifndef HAPTICS_SCENE_H
#define HAPTICS_SCENE_H

#include <stdint.h>

enum { OBJECTS = 32, LINKS = 64, SHAPES = 96, POINTS = 768, FACES = 320, CORNERS = 1280, PAIRS = 2048 };
enum { NV = 24, DOF = 160, COORDINATES = 192, CONTACTS = 160, HAND = 6, POSE = 7, LONGEST = 256, LOOP = 16, FRICTIONS = 4 };
enum { PLANAR, SPATIAL, LINKAGE };
enum { IMPULSE, PENALTY, CONSTRAINT };
enum { FOUR_CHANNEL, VIRTUAL_COUPLER, UNILATERAL_COUPLER, DIRECT };
enum { FULL, SATURATE, SCALE, SPREAD, SPREAD_EXACT };
enum { FREE, RESTING, COLLIDING };
enum { GROUND = -1 };

typedef struct {
    int64_t kind, q, nq, v, nv; /* place and number of its coordinates and velocities */
    int64_t link, nlinks;
    int64_t driven;              /* a kinematic body: contacts do not move it */
    void *dynamics;              /* of a linkage: generated (q, qd) -> M, c, positions, rotations, Jacobians */
    const double *dynamics_h;
} object_t;

/* a rigid body of an object, and the point where a hand holds it */
typedef struct {
    double mass, com[3], inertia[9]; /* kg; m, in its frame; kg m2 about its centre of mass; planar: the last */
    double hold[3];                  /* m */
} link_t;

typedef struct {
    int64_t link;             /* or GROUND */
    int64_t first, count;     /* its points, counter-clockwise for a polygon */
    int64_t face, faces;      /* none: a polygon */
    int64_t edge, edges;      /* directions of its edges, parallel ones once */
    double centre[3], radius; /* of its bounding sphere */
} shape_t;

/* settings that may change from tick to tick */
typedef struct {
    int64_t contact, controller, limiting, friction; /* indices; friction -1: none */
    int64_t two_rows;  /* impacts of two moving bodies: a row for each, as in the thesis; else one, action = reaction */
    int64_t unclamped; /* penalty forces may pull */
    int64_t shaping;   /* the device is made to feel like the tool */
    int64_t passivity; /* the passivity controller is on; its observer always is */
    int64_t curving;   /* the command contains J' v of the hold */
    int64_t hold;      /* link of the held object that is in the hand */
    double stiffness, damping, restitution;      /* N/m, N s/m */
    double mu_s, mu_k, deflection, v_min, beta;  /* deflection (m) at which sliding begins; beta: N s/m */
    double mu_impact;                            /* of impulses; 0: frictionless impacts */
    double couple_k[HAND], couple_b[HAND];       /* N/m, N m/rad; N s/m, N m s/rad */
    double adaptive, least_damping;              /* s/m, N s/m: damping of the tool, growing with the contact force */
    double k_tc, b_tc, rank_tolerance;           /* 1/s2, 1/s: penalty along topology directions; relative singular value */
    double limit[HAND], hand_limit[HAND];        /* N, N m: of the rendered wrench; of the hand's */
    double gravity[3];
} settings_t;

typedef struct {
    int64_t external, pantograph, observed; /* measured outside; twin pantograph; with observers of velocity and hand force */
    int64_t substeps, delay;                /* of a tick; delay of the motors in ticks */
    double mass[HAND], damping[HAND], friction[HAND], limit[HAND], quantum[HAND];
    double reach[3];                        /* m, m, m or rad: distance of the end stops from the origin */
    double hand_k[HAND], hand_b[HAND], hand_m[HAND]; /* hand: spring to its target, damper, mass */
    double smoothing, gain;                 /* s, velocity filter; 1/s, observer of the hand's force */
    double arm, forearm, gap, handle, rotor, torque, counts; /* pantograph: m, m, m, m, kg m2, N m, per turn */
} device_t;

typedef struct {
    int64_t a, b;                /* shapes; -1: a constraint of a local model */
    int64_t link_a, link_b, key; /* their links, or GROUND; identifies the pair of features */
    int64_t seen, group;         /* whether it existed a tick before */
    double point[3], normal[3];  /* m, in the world; from b to a */
    double s, vn, moving, vt[3]; /* m, negative: penetration; m/s, of a relative to b; of a moving surface */
    double firm;                 /* share of stiffness and damping; below one if the world is silent */
    double z[3], mode;           /* deflection of friction (m) */
    double target;               /* target of the normal velocity of a spread impact (m/s) */
    double mu_s, mu_k;
    double force[3];             /* on a (N) */
} contact_t;

typedef struct {
    double q[COORDINATES], v[DOF];
    contact_t contacts[CONTACTS];
    int64_t ncontacts, ticks;
    int64_t staying[OBJECTS];                  /* its group still spreads an impulse */
    double x[POSE], xd[HAND], momentum[HAND];  /* device: pose, velocity; state of its observer */
    double measured[POSE], rate[HAND], hand[HAND]; /* the controller's estimates */
    double ring[LONGEST*HAND];                 /* delayed commands, */
    double rendered[LONGEST*HAND], moved[HAND]; /* their rendered wrenches; displacement since the last tick */
    double energy;                             /* J, of the passivity observer */
    double pressed;                            /* N, resting contact force at the hold a tick before */
    int64_t joined, away;                      /* the unilateral coupler is engaged; the device was missing a tick before */
    double Jh[HAND*NV];                        /* Jacobian of the hold a tick before */
    int64_t link, rank;                        /* in the hand; largest rank of its Jacobian so far */
    int64_t lost, bounded, faults, dropped;    /* ticks: without device, with limited hand force, rolled back; dropped contacts */
    int64_t singular;                          /* ticks with a Jacobian of the hold of less than that rank */
} memory_t;

/* the record of a tick */
typedef struct {
    double t, state, contacts, impacts, sliding, depth, kinetic, before, after, energy, friction;
    double strike, rub; /* N, of an impact at the hold; W, dissipated by friction */
    double rank, apart; /* of the Jacobian of the hold; m, from the tool to the device */
    double hand[HAND], command[HAND], wrench[HAND], felt[HAND]; /* hand force, motors, contacts, rendered */
    double x[POSE], xd[HAND], tool[POSE], toold[HAND];
} record_t;

typedef struct {
    double p[3], R[9];
    double J[6*NV]; /* of a link of a linkage: velocity of its origin, angular velocity */
} pose_t;

/* J = U S V^T (m x n) up to its rank: see generalised_inverse.h */
typedef struct {
    int64_t m, n, rank;
    double Ut[HAND*HAND]; /* m x m: row k is direction k at the hand; rows from `rank` on are not reachable */
    double S[HAND];       /* singular values, largest first */
    double Vt[HAND*NV];   /* rank x n: row k is the motion of the joints for direction k, of length one */
} full_rank_t;

/* Jacobian row of a direction at a contact, over the velocities of both objects */
typedef struct {
    int64_t at[2], n[2];
    double x[2][NV];
} row_t;

typedef struct {
    pose_t links[LINKS];
    double points[POINTS][3], centre[SHAPES][3];
    double normals[FACES][3], edges[CORNERS][3];
    double D[DOF*NV], L[DOF*NV], Lt[DOF*NV], bias[DOF]; /* per object: mass matrix, its factor, the same with coupling; bias */
    contact_t before[CONTACTS];
    int64_t group[OBJECTS], at[DOF], dofs[DOF], chosen[CONTACTS], order[2*CONTACTS];
    row_t rows[CONTACTS][3], column[2*CONTACTS];
    double A[2*CONTACTS][DOF], Q[DOF][DOF], R[DOF][2*CONTACTS], M[DOF*DOF];
    double B[2*CONTACTS][DOF], G[2*CONTACTS][DOF]; /* tangents: parts orthogonal to the normals, and along Q */
    row_t moved[CONTACTS][3];
    double y[DOF], change[DOF], applied[DOF], dv[DOF];
    double lambda[CONTACTS][3], bound[CONTACTS], width[CONTACTS][3], slope[CONTACTS][2];
    double coupled[NV*NV]; /* mass matrix of the held object with the damping of its coupling */
    double Jh[HAND*NV], mobility[HAND*HAND];                     /* of the hold: Jacobian, J D^-1 J^T */
    full_rank_t factors;                                         /* of the Jacobian */
    double inverse[HAND*NV];                                     /* J#^T: generalised force -> wrench at the hold */
    double curving[HAND];                                        /* J' v: m/s2, rad/s2 */
    double topology[HAND];                                       /* N, N m: penalty along topology directions */
    double Md[HAND*HAND];                                        /* mass matrix of the device */
    double T[DOF];                                               /* generalised force of contacts */
    double weight[HAND];                                         /* -bias of the tool at the hold */
    double tool[POSE], toold[HAND], apart[HAND], apartd[HAND];   /* the hold, and its distance from the device */
    double kept_q[COORDINATES], kept_v[DOF];
} work_t;

typedef struct local local_t;

typedef struct {
    int64_t nobjects, nlinks, nshapes, nq, nv;
    int64_t npairs, nown; /* pairs of shapes that may touch; the first nown are within one linkage */
    int64_t held;       /* the object in the hand, or GROUND */
    int64_t nh, np;     /* 3 and 3 in the plane, 6 and 7 in space */
    double dt, travel;  /* s; largest motion of a body in a tick (m) */
    double margin;      /* m, within which constraints see approaching shapes */
    object_t objects[OBJECTS];
    link_t links[LINKS];
    int64_t owner[LINKS]; /* object of a link */
    shape_t shapes[SHAPES];
    double points[POINTS][3], normals[FACES][3], edges[CORNERS][3];
    int64_t loops[FACES][2], corners[CORNERS]; /* of a face: first corner and their number; points of the shape */
    int64_t pairs[PAIRS][2];
    settings_t settings;
    device_t device;
    void *laws[FRICTIONS]; /* generated friction (v, z, mode, p) -> force, z, mode, slopes by v and z */
    const double *laws_h[FRICTIONS];
    work_t *work;
    local_t *local;     /* of a local model: constraints in place of shapes (local_model.h); else NULL */
    memory_t memory;
    record_t record;
} scene_t;

#endif
