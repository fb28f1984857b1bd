/* The planar twin pantograph: a handle connects the end points of two five-bars; four motors for x, y and the angle.

   An end point P hangs on two arms of `arm` and `forearm` from motors `gap` apart: of a motor at O, the elbow is
   E = O + arm (cos, sin) theta, and (P - E).Pdot = (P - E).Edot gives theta' = g.Pdot. */
#ifndef HAPTICS_PANTOGRAPH_H
#define HAPTICS_PANTOGRAPH_H

#include <math.h>

#include "scene.h"
#include "vectors.h"

enum { MOTORS = 4 };
static const double BELOW = 0.13; /* m: distance of the motors below the centre of the workspace */

/* motor k: its place, its end point at a pose x, and the vector from the centre of the handle to that point */
static inline void motor_places(const device_t *d, int k, const double *x, double *O, double *P, double *r)
{
    const double side = k < 2 ? -0.5 : 0.5, motor = k % 2 ? 0.5 : -0.5;
    r[0] = side*d->handle*cos(x[2]), r[1] = side*d->handle*sin(x[2]);
    O[0] = side*d->handle + motor*d->gap, O[1] = -BELOW;
    P[0] = x[0] + r[0], P[1] = x[1] + r[1];
}

/* angles of the motors (rad) and the Jacobian of their rates (4 x 3); 0 if out of reach */
static inline int motor_angles(const device_t *d, const double *x, double *theta, double *J)
{
    int k;
    for (k = 0; k < MOTORS; k++) {
        double O[2], P[2], r[2], far, cosine, E[2], along;
        motor_places(d, k, x, O, P, r);
        P[0] -= O[0], P[1] -= O[1];
        far = sqrt(P[0]*P[0] + P[1]*P[1]);
        cosine = (d->arm*d->arm + far*far - d->forearm*d->forearm)/(2.0*d->arm*far);
        if (!(fabs(cosine) < 0.999))
            return 0;
        theta[k] = atan2(P[1], P[0]) + (k % 2 ? -1.0 : 1.0)*acos(cosine); /* elbows outwards */
        E[0] = P[0] - d->arm*cos(theta[k]), E[1] = P[1] - d->arm*sin(theta[k]);
        along = d->arm*(E[1]*cos(theta[k]) - E[0]*sin(theta[k]));
        if (!(fabs(along) > 0.02*d->arm*d->forearm)) /* arm and forearm are aligned */
            return 0;
        J[3*k] = E[0]/along, J[3*k + 1] = E[1]/along;
        J[3*k + 2] = (E[1]*r[0] - E[0]*r[1])/along;
    }
    return 1;
}

/* pose of the handle from the angles of the motors: each end point is the upper intersection of two circles */
static inline void handle_pose(const device_t *d, const double *theta, double *x)
{
    const double none[3] = {0, 0, 0};
    double end[2][2];
    int side, k;
    for (side = 0; side < 2; side++) {
        double E[2][2], P[2], r[2], half[2], size, height;
        for (k = 0; k < 2; k++) {
            double O[2];
            motor_places(d, 2*side + k, none, O, P, r);
            E[k][0] = O[0] + d->arm*cos(theta[2*side + k]), E[k][1] = O[1] + d->arm*sin(theta[2*side + k]);
        }
        half[0] = 0.5*(E[1][0] - E[0][0]), half[1] = 0.5*(E[1][1] - E[0][1]);
        size = sqrt(half[0]*half[0] + half[1]*half[1]);
        height = sqrt(fmax(d->forearm*d->forearm - size*size, 0.0))/size;
        end[side][0] = E[0][0] + half[0] - height*half[1];
        end[side][1] = E[0][1] + half[1] + height*half[0];
    }
    x[0] = 0.5*(end[0][0] + end[1][0]), x[1] = 0.5*(end[0][1] + end[1][1]);
    x[2] = atan2(end[1][1] - end[0][1], end[1][0] - end[0][0]);
}

/* torques (N m) of a wrench u without internal force along the handle: f = J_o (J_o^T J_o)^-1 u, T = J_p^T f */
static inline void motor_torques(const device_t *d, const double *x, const double *J, const double *u, double *T)
{
    const double half = 0.5*d->handle, turn = u[2]/(2.0*half*half);
    int side;
    for (side = 0; side < 2; side++) {
        const double s = side ? half : -half, r[2] = {s*cos(x[2]), s*sin(x[2])};
        const double f[2] = {0.5*u[0] - turn*r[1], 0.5*u[1] + turn*r[0]}, *g = J + 6*side, *h = g + 3;
        const double det = g[0]*h[1] - g[1]*h[0]; /* T = G^-T f, G the rows g and h */
        T[2*side] = (h[1]*f[0] - h[0]*f[1])/det;
        T[2*side + 1] = (g[0]*f[1] - g[1]*f[0])/det;
    }
}

/* M_d = diag(handle) + J^T I J */
static inline void pantograph_mass(const device_t *d, const double *J, double *M)
{
    int i, j, k;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            for (M[3*i + j] = i == j ? d->mass[i] : 0.0, k = 0; k < MOTORS; k++)
                M[3*i + j] += d->rotor*J[3*k + i]*J[3*k + j];
}

/* forces of the motors for a command u with limited torques, including the inertia of the rotors; 0 if out of reach */
static inline int pantograph_forces(const device_t *d, const double *x, const double *xd, const double *u, double *M,
                                    double *force)
{
    static const double SMALL = 1e-6; /* s */
    double theta[MOTORS], J[3*MOTORS], T[MOTORS], ahead[3], other[3*MOTORS], unused[MOTORS];
    int i, k;
    for (i = 0; i < 3; i++)
        ahead[i] = x[i] + SMALL*xd[i];
    if (!motor_angles(d, x, theta, J) || !motor_angles(d, ahead, unused, other))
        return 0;
    pantograph_mass(d, J, M);
    motor_torques(d, x, J, u, T);
    for (i = 0; i < 3; i++)
        force[i] = 0.0;
    for (k = 0; k < MOTORS; k++) {
        double turning = 0.0; /* J' xd */
        for (i = 0; i < 3; i++)
            turning += (other[3*k + i] - J[3*k + i])/SMALL*xd[i];
        for (i = 0; i < 3; i++)
            force[i] += J[3*k + i]*(clipped(T[k], d->torque) - d->rotor*turning);
    }
    return 1;
}

#endif
