/* Exported functions of a haptic scene. A tick measures the device, finds contacts, moves every group of bodies and
   renders forces to the hand. */
#include "tick.h"

const int64_t work_size = sizeof(work_t);

/* n ticks with an input each, or one for all if `stride` is 0; a record of each if `records` is given */
void scene_run(scene_t *s, int64_t n, const double *inputs, int64_t stride, record_t *records)
{
    int64_t k;
    for (k = 0; k < n; k++) {
        tick(s, inputs + stride*k);
        if (records)
            records[k] = s->record;
    }
}

/* find the contacts of the scene without moving it */
int scene_look(scene_t *s)
{
    place_ground(s);
    if (!update_objects(s))
        return 0;
    find_contacts(s, margin_of(s));
    return 1;
}

/* One impact of the contacts found before. Velocities are in memory, energies in the record. Returns the number of
   rows. */
int64_t scene_impact(scene_t *s)
{
    int64_t k, rows = 0;
    s->record.before = kinetic_energy(s);
    for (k = 0; k < s->nobjects; k++)
        if (root_of(s->work->group, k) == k)
            rows += collide(s, k);
    s->record.after = kinetic_energy(s);
    return rows;
}

/* joint angles, Jacobian and torques of the pantograph for a wrench u at a pose x, and the pose from the angles */
int scene_pantograph(const device_t *d, const double *x, const double *u, double *theta, double *J, double *T, double *pose)
{
    if (!motor_angles(d, x, theta, J))
        return 0;
    motor_torques(d, x, J, u, T);
    handle_pose(d, theta, pose);
    return 1;
}

/* pose and velocity of the hold, after scene_look */
void scene_hold(const scene_t *s, double *x, double *xd)
{
    hold_motion(s, x, xd);
}


/* displace the device: translation, then a small rotation */
void scene_displace(scene_t *s, const double *offset)
{
    memory_t *m = &s->memory;
    int64_t k;
    for (k = 0; k < 3; k++)
        m->x[k] += offset[k];
    if (s->nh == HAND)
        spin(m->x + 3, offset + 3, 1.0);
}

/* the wrench at the hold of a generalised force on the held object, after scene_look */
void scene_wrench(const scene_t *s, const double *T, double *wrench)
{
    hold_wrench(s, T, wrench);
}

/* J#^T of any J (m x n), D (n x n) and M (m x m), with U^T and singular values. Returns the rank, or -1 if D or M is
   not positive definite. */
int64_t scene_inverse(int64_t m, int64_t n, const double *J, const double *D, const double *M, double tolerance,
                      double *inverse, double *Ut, double *S)
{
    double L[NV*NV];
    full_rank_t f;
    if (m > HAND || n > NV)
        return -1;
    memcpy(L, D, n*n*sizeof *L);
    if (!cholesky(n, L))
        return -1;
    full_rank(m, n, J, tolerance, &f);
    memcpy(Ut, f.Ut, m*m*sizeof *Ut), memcpy(S, f.S, m*sizeof *S);
    return generalised_inverse(&f, L, M, inverse) ? f.rank : -1;
}

/* Gains of the coupling after scene_look, lowered if a tick is too long for them; then the gains of the penalty along
   topology directions. */
void scene_gains(scene_t *s, double *stiffness, double *damping)
{
    int64_t k;
    device_mass(s, s->work->Md);
    for (k = 0; k < s->nh; k++)
        stiffness[k] = stiffness_of(s, k), damping[k] = damper_of(s, k);
    stiffness[s->nh] = topology_stiffness(s), damping[s->nh] = topology_damping(s);
}
