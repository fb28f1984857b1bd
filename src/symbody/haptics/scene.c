/* A tick of a haptic scene: measure the device, find contacts, move every group of bodies, render what the hand feels. */
#include "steps.h"

#include "stepping/state.h"

#include "scene.h"

#include "dense.h"

#include "packet.h"

#include "realtime/mailbox.h"

#include "port.h"

#include "local_model.h"

#include "objects.h"

#include "polygon.h"

#include "polyhedron.h"

#include "surfaces.h"

#include "contacts.h"

#include "port_energy.h"

#include "impact.h"

#include "resting.h"

#include "constraint.h"

#include "controller.h"

#include "pantograph.h"

#include "device.h"

#include "tick.h"

const int64_t structure_sizes[] = {sizeof(scene_t), sizeof(object_t), sizeof(shape_t), sizeof(settings_t),
                                   sizeof(device_t), sizeof(contact_t), sizeof(memory_t), sizeof(record_t)};
const int64_t work_size = sizeof(work_t);

/* n ticks, an input each (or one for all, where `stride` is 0); a record of each where `records` is given */
void scene_run(scene_t *s, int64_t n, const double *inputs, int64_t stride, record_t *records)
{
    int64_t k;
    for (k = 0; k < n; k++) {
        tick(s, inputs + stride*k);
        if (records)
            records[k] = s->record;
    }
}

/* contacts of the scene as it is; nothing moves */
int scene_look(scene_t *s)
{
    place_ground(s);
    if (!update_objects(s))
        return 0;
    find_contacts(s, margin_of(s));
    return 1;
}

/* one impact with contacts that are given: rows J (c x nv), the velocities before and after in memory; energies recorded */
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

/* torques of the pantograph for a wrench, its pose by the encoders: what redundancy resolution and kinematics give */
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


/* gains of the coupling as they are used, after scene_look: lowered where a tick is too long for them */
void scene_gains(scene_t *s, double *stiffness, double *damping)
{
    int64_t k;
    device_mass(s, s->work->Md);
    for (k = 0; k < s->nh; k++)
        stiffness[k] = stiffness_of(s, k), damping[k] = damper_of(s, k);
}
