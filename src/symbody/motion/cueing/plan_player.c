/* Plays segments of a plan, x + v t + a t^2/2 from their own times on, as a stage of a chain (plan_player.py). A segment
   may be given before it begins. Without a new segment the axes are not a number: the supervisor stops the ride. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../../codegen/runtime/steps.h"

enum { N = 8, SEGMENT = 1 + 3*N, KEPT = 4 }; /* time (s), positions, rates, accelerations; segments that wait */

typedef struct {
    double kept[KEPT][SEGMENT], count, clock;
} player_memory_t;

typedef struct {
    const double *u; /* a segment, and what the planner watches */
    player_memory_t *m;
    double dt, patience;
} plan_player_t;

/* the newest segment that has begun; NULL before the first */
static const double *begun(const player_memory_t *m, double now)
{
    const double *found = 0;
    int k;
    for (k = 0; k < KEPT; k++)
        if (m->kept[k][0] > 0.0 && m->kept[k][0] <= now && (!found || m->kept[k][0] > found[0]))
            found = m->kept[k];
    return found;
}

int64_t integrate(plan_player_t *p, int64_t first, int64_t n, int64_t every, double *path, int *status)
{
    player_memory_t *m = p->m;
    const int64_t last = ((int64_t)m->count + KEPT - 1)%KEPT;
    const double *s;
    int k;
    *status = DONE;
    if (p->u[0] > 0.0 && p->u[0] != m->kept[last][0]) {
        memcpy(m->kept[(int64_t)m->count%KEPT], p->u, sizeof m->kept[0]);
        m->count++;
    }
    s = begun(m, m->clock + 0.5*p->dt);
    for (k = 0; k < N && first%every == 0; k++) {
        const double t = s ? m->clock - s[0] : 0.0;
        path[k] = !s ? 0.0 : t < p->patience ? s[1 + k] + t*s[1 + N + k] + 0.5*t*t*s[1 + 2*N + k] : NAN;
    }
    m->clock += p->dt*(double)n;
    return n;
}
