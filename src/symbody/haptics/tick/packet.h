/* The packets between a slow world and a fast local model: one of fixed size each way, all numbers of 8 bytes.

   A constraint is a surface of the environment near the tool: a plane through `point` with the unit `normal` from the
   environment to the tool, or a sphere or cylinder through that point with its centre at point - radius*normal (a
   negative radius: hollow). */
#ifndef HAPTICS_PACKET_H
#define HAPTICS_PACKET_H

#include "scene.h"

enum { PACKET_MAGIC = 0x53594d42, PACKET_VERSION = 1, CONSTRAINTS = 64 };
enum { PLANE, SPHERE, CYLINDER };

typedef struct {
    int64_t a, b, kind;          /* link of the tool; body of the environment, negative: fixed; PLANE, SPHERE or CYLINDER */
    double point[3], normal[3];  /* c_p (m), n, in the world */
    double axis[3], radius;      /* unit direction of a cylinder; of a sphere or cylinder (m) */
    double tool[3], tool_radius; /* p: the tool's point in its link's frame (m), or the centre of its rounding */
    double s, v;                 /* separation as the world saw it (m); velocity of the surface along n (m/s) */
    double mu_s, mu_k;
} constraint_t;

/* world -> local model */
typedef struct {
    int64_t magic, version, sequence, count, nq, nv; /* number of constraints; sizes of the tool */
    double t;                                        /* s, of the world */
    double stiffness, damping, restitution;          /* K (N/m), B (N s/m), e: of all constraints */
    double D[NV*NV], G[NV];                          /* mass matrix (nv x nv) and gravity bias of the tool */
    double held[HAND*HAND];                          /* inertia of the held link at the hand (nh x nh); zero: not given */
    constraint_t constraints[CONSTRAINTS];
    double paid; /* J, total energy that bodies gave to the tool; the local model may spend it (port.h) */
} packet_t;

/* local model -> world: position and velocity of the proxy */
typedef struct {
    int64_t magic, version, sequence, acknowledged, nq, nv; /* acknowledged: the last packet taken */
    double t;
    double q[NV], v[NV];
    double paid; /* J, total energy that the proxy gave to bodies */
} proxy_packet_t;

#endif
