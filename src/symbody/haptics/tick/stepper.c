/* A haptic scene as a stepper of the real-time loop (steps.py): inputs of the loop go into the scene, a tick is made,
   and outputs are read from the scene. Places are pointers to fields of the scene, of its local model, or of arrays
   that Python owns. */
#include "../../codegen/runtime/steps.h"
#include "tick.h"

/* kinds of inputs: a number, an integer, or how the local model represents the world */
enum { NUMBER, CHOICE, STANDING };
enum { SURFACES, INTERMEDIATE, WHOLE };

typedef struct {
    scene_t *scene;
    const double *u;        /* inputs of the loop */
    const double *given;    /* push and pose of the hand, for the tick */
    const int64_t *kind;    /* of each input */
    void *const *place;     /* where it is written; not used for STANDING */
    double *const *outputs; /* where each output is read */
    int64_t nu, ny;
} haptic_loop_t;

/* represent the world by surfaces, by an intermediate representation (springs, direct coupling), or by the whole
   scene */
static void stand_for_world(scene_t *s, int64_t how)
{
    local_t *l = s->local;
    if (how == WHOLE)
        l->count = 0;
    l->whole = how == WHOLE, l->intermediate = how == INTERMEDIATE;
    s->settings.contact = l->intermediate ? PENALTY : l->contact;
    s->settings.controller = l->intermediate ? DIRECT : l->controller;
}

static void set_inputs(const haptic_loop_t *l)
{
    int64_t k;
    for (k = 0; k < l->nu; k++) {
        const int64_t whole = (int64_t)floor(l->u[k] + 0.5);
        if (l->kind[k] == NUMBER)
            *(double *)l->place[k] = l->u[k];
        else if (l->kind[k] == CHOICE)
            *(int64_t *)l->place[k] = whole;
        else
            stand_for_world(l->scene, whole);
    }
}

static int tick_once(const haptic_loop_t *l)
{
    int64_t k;
    set_inputs(l);
    if (l->scene->local) {
        follow_world(l->scene);
        take_posted(l->scene);
    }
    tick(l->scene, l->given);
    if (l->scene->local)
        post_proxy(l->scene);
    for (k = 0; k < l->ny; k++)
        if (!isfinite(*l->outputs[k]))
            return NOT_FINITE;
    return DONE;
}

/* n ticks from number `first` on; before each whose number is a multiple of `every`, a row of outputs. Returns the ticks
   that were made; where they are fewer than n, `status` says why. */
int64_t integrate(haptic_loop_t *l, int64_t first, int64_t n, int64_t every, double *path, int *status)
{
    int64_t step, k;
    *status = DONE;
    for (step = first; step < first + n; step++) {
        if (every && step % every == 0) {
            for (k = 0; k < l->ny; k++)
                path[k] = *l->outputs[k];
            path += l->ny;
        }
        *status = tick_once(l);
        if (*status != DONE)
            break;
    }
    return step - first;
}
