/* A haptic scene as a method that steps a system: the real-time loop, recordings and the studio then know nothing of it.

   The system's model is what the scene looks like: its state x is read from the scene after each tick, its inputs are the
   hand's and the scene's settings. */
#include "steps.h"

#include "stepping/state.h"

#include "stepping/fixed_step.h"

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

/* what an input is: given to the tick, a number, one that is whole, how a world is stood for */
enum { GIVEN, NUMBER, CHOICE, STANDING };
enum { SURFACES, INTERMEDIATE, WHOLE };

typedef struct {
    fixed_t frame;
    scene_t *scene;
    const int64_t *source; /* for each number of x, its place in the scene (bytes) */
    const int64_t *sink;   /* for each input: what it is, and its place */
} haptic_t;

static int begin(fixed_t *s, int64_t step)
{
    (void)s, (void)step;
    return DONE;
}

/* a local model by its surfaces, as an intermediate representation (springs, direct coupling), or the whole scene instead */
static void stand_for_world(scene_t *s, int64_t how)
{
    local_t *l = s->local;
    if (how == WHOLE)
        l->count = 0;
    l->whole = how == WHOLE, l->intermediate = how == INTERMEDIATE;
    s->settings.contact = l->intermediate ? PENALTY : l->contact;
    s->settings.controller = l->intermediate ? DIRECT : l->controller;
}

static int advance(fixed_t *s, int64_t step, double *next)
{
    const haptic_t *h = (const haptic_t *)s;
    const double *u = s->u + s->row*step;
    double given[HAND + POSE] = {0};
    int64_t k;
    for (k = 0; k < s->nu; k++) {
        char *place = (char *)h->scene + h->sink[2*k + 1];
        if (h->sink[2*k] == GIVEN)
            given[h->sink[2*k + 1]] = u[k];
        else if (h->sink[2*k] == NUMBER)
            *(double *)place = u[k];
        else if (h->sink[2*k] == CHOICE)
            *(int64_t *)place = (int64_t)floor(u[k] + 0.5);
        else
            stand_for_world(h->scene, (int64_t)floor(u[k] + 0.5));
    }
    if (h->scene->local) {
        follow_world(h->scene);
        take_posted(h->scene);
    }
    tick(h->scene, given);
    if (h->scene->local)
        post_proxy(h->scene);
    for (k = 0; k < s->nx; k++)
        next[k] = *(const double *)((const char *)h->scene + h->source[k]);
    return DONE;
}

STEPPER(haptic_t, begin, advance, NULL)
