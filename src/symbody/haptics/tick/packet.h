/* What a slow world and a fast local model tell each other: one packet of one size each way, all numbers of 8 bytes.

   A constraint is a surface of the environment near the tool: a plane through `point` with the unit `normal` from environment
   to tool, or a sphere or cylinder through that point whose centre is point - radius*normal (a radius below zero: hollow). */
enum { PACKET_MAGIC = 0x53594d42, PACKET_VERSION = 1, CONSTRAINTS = 64 };
enum { PLANE, SPHERE, CYLINDER };

typedef struct {
    int64_t a, b, kind;          /* link of the tool; body of the environment, below zero: fixed; PLANE, SPHERE or CYLINDER */
    double point[3], normal[3];  /* c_p (m), n, in the world */
    double axis[3], radius;      /* of a cylinder: unit direction; of a sphere or cylinder: m */
    double tool[3], tool_radius; /* p: the tool's point on its link's axes (m), or the middle of its rounding of that radius */
    double s, v;                 /* separation where the world saw it (m); velocity of the surface along n (m/s) */
    double mu_s, mu_k;
} constraint_t;

/* world -> local model */
typedef struct {
    int64_t magic, version, sequence, count, nq, nv; /* count: of constraints; nq, nv: of the tool */
    double t;                                        /* s, of the world */
    double stiffness, damping, restitution;          /* K (N/m), B (N s/m), e: of all constraints */
    double D[NV*NV], G[NV];                          /* mass matrix (nv x nv) and gravity's bias of the tool */
    double held[HAND*HAND];                          /* inertia of the held link at the hand (nh x nh); zero: not told */
    constraint_t constraints[CONSTRAINTS];
    double paid; /* J, in all: energy that bodies gave to the tool, for the local model to spend (port.h) */
} packet_t;

/* local model -> world: where the proxy is */
typedef struct {
    int64_t magic, version, sequence, acknowledged, nq, nv; /* acknowledged: the last packet that was taken */
    double t;
    double q[NV], v[NV];
    double paid; /* J, in all: energy that the proxy gave to bodies */
} proxy_packet_t;
