/* The supervisor of a ride as a stepper of the real-time loop (loop_supervisor.py): stream guard, governor, fast stop and
   state machine, with the laws of stream.py, governor.py, fast_stop.py and states.py. Its numbers and the table of
   transitions come from there. Nothing is allocated. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../../codegen/runtime/steps.h"

enum { N = 8, FIRST_OF_POSE = 2, MOST_SLACK = 16 };
enum { OFF, HOMING, READY, RUNNING, STOPPING, FAULT }; /* in the order of states.py */
enum { POWER_ON, HOMED, START, STOP, AT_REST, FAIL, FAILED_AT_REST, RESET, POWER_OFF, EVENTS };
enum { WISH_OFF, WISH_READY, WISH_RIDE };
enum { ACCEPTED, CLIPPED, REFUSED };
enum { NO_METHOD = -1 };
/* inputs; then the axes of all methods: each without the table, and with it */
enum { WISH, METHOD, TABLE, HALT, ERROR, DRIVE_FAULT, HOMED_DRIVES, OUTPUT_FAULT, OUTPUT_BUSY, OUTPUT_AGE, GAINS,
       CUES = GAINS + N };
/* reasons, in the order of loop_supervisor.py */
enum { NO_REASON, STOPPED_BY_WISH, STOPPED_BY_HALT, STARVED, NOT_FOLLOWED, NOT_MEASURED, UNSTABLE, NO_END, NO_OUTPUT };
static const int DRIVE_REASONS[] = {NO_REASON, NOT_FOLLOWED, UNSTABLE, NOT_MEASURED, NO_END}; /* by faults of drive_loop.py */
enum { GOOD, NO_NUMBER, FAR_OUTSIDE, JUMPED };

typedef struct {
    double r[N], v[N], a[N];            /* the reference, which can always stop */
    double target[N], rates[N], last[N]; /* of the stream: within the limits, and as it was given */
    double from[N], offset[N], old, fade; /* a blend: from here, or from the method `old` with an offset; its time (s) */
    double now, accepted_at, fed;       /* s; fed: whether a sample was accepted since the start */
    double state, failed, armed, method, reason, refusal, status;
    double counts[3];
    double lag, moved, calm;            /* sums of the delay: error times rate, rate squared; s since a limit acted */
    double lost;                        /* whether homing must find the position of the platform */
} supervisor_memory_t;

typedef struct {
    generated slack; /* (pose, rates, second) -> distances to the shared limits */
    const double *slack_h;
    const double *u;
    const double *low, *high, *speed, *acceleration, *neutral, *fractions, *shares;
    const int64_t *next; /* state x event -> state, or -1 */
    supervisor_memory_t *m;
    int64_t nslack, nfractions, nshares, nmethods;
    double dt, follow, approach, braking, clipped, rounding;
    double beyond, jump, patience, tracking, blend, forget, silent;
} supervisor_t;

static const double CALM = 0.2; /* s without a limit, after which the reference has caught up */

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

static double within(double x, double low, double high)
{
    return least(most(x, low), high);
}

static double sign(double x)
{
    return (x > 0.0) - (x < 0.0);
}

/* -- fast stop --------------------------------------------------------------------------------------------------- */

static double stop_time(const supervisor_t *s, int k, double v)
{
    const double a = s->acceleration[k];
    return s->dt*ceil(fabs(v)/(a > 0.0 ? a*s->dt : 1.0) - s->rounding);
}

/* axes, rates and second derivatives at a time of the stop */
static void stopping(const supervisor_t *s, const double *r, const double *v, double t, double *x, double *w, double *a)
{
    int k;
    for (k = 0; k < N; k++) {
        const double whole = stop_time(s, k, v[k]), span = whole > 0.0 ? whole : 1.0, tau = least(t, whole);
        const int moving = t < whole - s->rounding*s->dt;
        x[k] = r[k] + v[k]*tau*(1.0 - 0.5*tau/span);
        w[k] = moving ? v[k]*(1.0 - tau/span) : 0.0;
        a[k] = moving ? -v[k]/span : 0.0;
    }
}

static int keeps_axes(const supervisor_t *s, const double *r, const double *v)
{
    int k;
    for (k = 0; k < N; k++)
        if (!(r[k] >= s->low[k] - s->rounding && r[k] <= s->high[k] + s->rounding
              && fabs(v[k]) <= s->speed[k]*(1.0 + s->rounding)))
            return 0;
    return 1;
}

static int has_slack(const supervisor_t *s, const double *x, const double *w, const double *a)
{
    double found[MOST_SLACK];
    const double *in[3] = {x + FIRST_OF_POSE, w + FIRST_OF_POSE, a + FIRST_OF_POSE};
    double *out[1] = {found};
    int64_t k;
    s->slack(in, out, s->slack_h);
    for (k = 0; k < s->nslack; k++)
        if (!(found[k] > 0.0)) /* NaN is not */
            return 0;
    return 1;
}

static int stoppable(const supervisor_t *s, const double *r, const double *v)
{
    double x[N], w[N], a[N], whole[N], ends[N], still[N] = {0.0}, last = 0.0;
    int64_t i;
    int k;
    for (k = 0; k < N; k++) {
        whole[k] = stop_time(s, k, v[k]);
        ends[k] = r[k] + 0.5*v[k]*whole[k];
        last = most(last, whole[k]);
    }
    if (!keeps_axes(s, r, v) || !keeps_axes(s, ends, still))
        return 0;
    for (i = s->nfractions - 1; i >= 0; i--) { /* the end of a stop is nearest to a limit: most failures show there */
        stopping(s, r, v, last*s->fractions[i], x, w, a);
        if (!has_slack(s, x, w, a))
            return 0;
    }
    for (k = 0; k < N; k++) {
        if (whole[k] == 0.0 || whole[k] == last) /* among the fractions */
            continue;
        stopping(s, r, v, whole[k], x, w, a);
        if (!has_slack(s, x, w, a))
            return 0;
    }
    return 1;
}

/* -- governor ---------------------------------------------------------------------------------------------------- */

static double stopped_rate(const supervisor_t *s, int k, double v)
{
    const double whole = stop_time(s, k, v);
    return whole > 0.0 ? v*(1.0 - s->dt/whole) : 0.0;
}

/* the largest w >= 0 with w^2/(2A) + w dt <= room */
static double fastest(const supervisor_t *s, int k, double room)
{
    const double A = s->acceleration[k] > 0.0 ? s->acceleration[k] : 1.0;
    return A*(sqrt(s->dt*s->dt + 2.0*most(room, 0.0)/A) - s->dt);
}

static int allowed(const supervisor_t *s, const double *r, const double *v, const double *w)
{
    double after[N], second[N];
    int k;
    for (k = 0; k < N; k++)
        after[k] = r[k] + 0.5*s->dt*(v[k] + w[k]), second[k] = (w[k] - v[k])/s->dt;
    return has_slack(s, r, v, second) && has_slack(s, after, w, second) && stoppable(s, after, w);
}

/* one sample of the reference towards the target; returns whether a limit clipped it */
static int advance(supervisor_t *s)
{
    supervisor_memory_t *m = s->m;
    const double dt = s->dt;
    double free[N], proposal[N], stop[N], w[N];
    int64_t i;
    int k, clipped = 0;
    for (k = 0; k < N; k++) {
        const double A = s->acceleration[k], speed = s->speed[k], r = m->r[k], v = m->v[k];
        const double e = m->target[k] + dt*m->rates[k] - r - dt*v, far = fabs(e);
        const double pace = least(speed, least(s->approach*far, sqrt(2.0*s->braking*A*far)));
        free[k] = v + dt*s->follow*(sign(e)*pace - (v - m->rates[k]));
        stop[k] = stopped_rate(s, k, v);
        proposal[k] = within(free[k], most(v - A*dt, -speed), least(v + A*dt, speed));
        proposal[k] = within(proposal[k], least(-fastest(s, k, r - s->low[k] + 0.5*dt*v), stop[k]),
                             most(fastest(s, k, s->high[k] - r - 0.5*dt*v), stop[k]));
    }
    for (i = 0; i < s->nshares; i++) {
        for (k = 0; k < N; k++)
            w[k] = stop[k] + s->shares[i]*(proposal[k] - stop[k]);
        if (allowed(s, m->r, m->v, w))
            break;
    }
    if (i == s->nshares)
        memcpy(w, stop, sizeof w);
    for (k = 0; k < N; k++) {
        clipped |= fabs(w[k] - free[k]) > s->clipped*most(s->speed[k], s->rounding);
        m->r[k] += 0.5*dt*(m->v[k] + w[k]);
        m->a[k] = (w[k] - m->v[k])/dt;
        m->v[k] = w[k];
        m->target[k] += dt*m->rates[k];
    }
    return clipped;
}

static void brake(supervisor_t *s)
{
    supervisor_memory_t *m = s->m;
    double x[N], w[N], a[N];
    int k;
    stopping(s, m->r, m->v, s->dt, x, w, a);
    for (k = 0; k < N; k++)
        m->a[k] = (w[k] - m->v[k])/s->dt, m->r[k] = x[k], m->v[k] = w[k];
}

static int still(const supervisor_memory_t *m)
{
    int k;
    for (k = 0; k < N; k++)
        if (m->v[k] != 0.0)
            return 0;
    return 1;
}

/* -- stream ------------------------------------------------------------------------------------------------------ */

static int screened(const supervisor_t *s, const double *sample)
{
    const supervisor_memory_t *m = s->m;
    int k;
    for (k = 0; k < N; k++)
        if (!isfinite(sample[k]))
            return NO_NUMBER;
    for (k = 0; k < N; k++) {
        const double half = most(0.5*(s->high[k] - s->low[k]), 1e-9);
        if (fabs(sample[k] - 0.5*(s->low[k] + s->high[k]))/half > s->beyond)
            return FAR_OUTSIDE;
    }
    for (k = 0; k < N && m->fed; k++)
        if (fabs(sample[k] - m->last[k])/(m->now - m->accepted_at)/most(s->speed[k], 1e-9) > s->jump)
            return JUMPED;
    return GOOD;
}

/* take a sample as the target, or refuse it */
static void offer(supervisor_t *s, const double *sample)
{
    supervisor_memory_t *m = s->m;
    const int why = screened(s, sample);
    int k;
    m->status = why == GOOD ? ACCEPTED : REFUSED;
    if (why != GOOD) {
        m->refusal = why;
        m->counts[REFUSED]++;
        memset(m->rates, 0, sizeof m->rates);
        return;
    }
    for (k = 0; k < N; k++) {
        const double rate = m->fed ? (sample[k] - m->last[k])/(m->now - m->accepted_at) : 0.0;
        m->target[k] = within(sample[k], s->low[k], s->high[k]);
        m->rates[k] = m->target[k] == sample[k] ? within(rate, -s->speed[k], s->speed[k]) : 0.0;
        m->last[k] = sample[k];
    }
    m->accepted_at = m->now, m->fed = 1.0;
}

/* delay of the reference behind the samples (s): the t that minimises |reference + t rate - sample|, with forgetting.
   While a limit acts and shortly after, the difference is not a delay. */
static void measure_delay(supervisor_t *s, const double *goal, const double *rates)
{
    supervisor_memory_t *m = s->m;
    const double keep = exp(-s->dt/s->forget);
    int k;
    m->calm = m->status == ACCEPTED ? m->calm + s->dt : 0.0;
    if (m->calm < CALM)
        return;
    m->lag *= keep, m->moved *= keep;
    for (k = 0; k < N; k++) {
        const double range = most(s->high[k] - s->low[k], 1e-9);
        m->lag += (goal[k] - m->r[k])*rates[k]/(range*range);
        m->moved += rates[k]*rates[k]/(range*range);
    }
}

/* -- states ------------------------------------------------------------------------------------------------------ */

static int change(supervisor_t *s, int event, int reason)
{
    supervisor_memory_t *m = s->m;
    const int64_t to = s->next[(int64_t)m->state*EVENTS + event];
    if (to < 0)
        return 0;
    if (event == STOP || event == FAIL) {
        m->reason = reason;
        m->armed = 0.0;
        m->failed = m->failed || event == FAIL;
    }
    m->state = (double)to;
    return 1;
}

/* from now on the target goes over from the place of the reference, which rests */
static void blend_from_rest(supervisor_t *s)
{
    memcpy(s->m->from, s->m->r, sizeof s->m->from);
    s->m->old = NO_METHOD, s->m->fade = 0.0;
}

/* what a method wants */
static void cue_of(const supervisor_t *s, double method, double *axes)
{
    const double *cue = s->u + CUES + N*(int64_t)method;
    int k;
    for (k = 0; k < N; k++)
        axes[k] = s->neutral[k] + s->u[GAINS + k]*cue[k];
}

/* from now on the target goes over from the method until now, which goes on, to the chosen one */
static void blend_from_method(supervisor_t *s, double old)
{
    supervisor_memory_t *m = s->m;
    double axes[N];
    int k;
    cue_of(s, old, axes);
    for (k = 0; k < N; k++) {
        m->from[k] = m->target[k];
        m->offset[k] = m->target[k] - axes[k]; /* of a blend that has not ended */
        if (!isfinite(axes[k]))
            old = NO_METHOD;
    }
    m->old = old, m->fade = 0.0;
}

/* share of the new target: a quintic with zero slope and curvature at both ends */
static double arrived(const supervisor_t *s)
{
    const double x = least(s->m->fade/s->blend, 1.0);
    return x*x*x*(10.0 - 15.0*x + 6.0*x*x);
}

/* axes: the new target, which is blended with the old one; an old one that ends stays where it was */
static void blend(supervisor_t *s, double *axes)
{
    supervisor_memory_t *m = s->m;
    const double share = arrived(s);
    double old[N];
    int k, good = m->old >= 0.0;
    if (good) {
        cue_of(s, m->old, old);
        for (k = 0; k < N; k++)
            good = good && isfinite(old[k]);
    }
    for (k = 0; k < N && share < 1.0; k++) {
        if (good)
            m->from[k] = old[k] + m->offset[k];
        axes[k] = share*axes[k] + (1.0 - share)*m->from[k];
    }
}

static void choose_method(supervisor_t *s)
{
    const double both = 2.0*floor(s->u[METHOD] + 0.5) + (s->u[TABLE] > 0.5), old = s->m->method;
    const double chosen = within(both, 0.0, (double)(s->nmethods - 1));
    if (chosen == old)
        return;
    s->m->method = chosen;
    if (s->m->state == RUNNING)
        blend_from_method(s, old);
}

static int output_failed(const supervisor_t *s)
{
    return s->u[OUTPUT_FAULT] > 0.5 || !(s->u[OUTPUT_AGE] <= s->silent);
}

static void watch(supervisor_t *s)
{
    const double error = s->u[ERROR], fault = within(s->u[DRIVE_FAULT], 0.0, 4.0);
    if (s->m->failed)
        return; /* the first reason counts */
    if (fault > 0.5)
        change(s, FAIL, DRIVE_REASONS[(int)(fault + 0.5)]);
    else if (output_failed(s))
        change(s, FAIL, NO_OUTPUT);
    else if (!isfinite(error))
        change(s, FAIL, NOT_MEASURED);
    else if (error > s->tracking)
        change(s, FAIL, NOT_FOLLOWED);
}

static void run(supervisor_t *s)
{
    supervisor_memory_t *m = s->m;
    double axes[N], goal[N], rates[N];
    int k;
    if (s->u[HALT] > 0.5 || s->u[WISH] < WISH_RIDE - 0.5) {
        change(s, STOP, s->u[HALT] > 0.5 ? STOPPED_BY_HALT : STOPPED_BY_WISH);
        return;
    }
    cue_of(s, m->method, axes);
    blend(s, axes);
    offer(s, axes);
    if (m->now - m->accepted_at > s->patience) {
        change(s, STOP, STARVED);
        return;
    }
    for (k = 0; k < N; k++)
        goal[k] = m->target[k] + s->dt*m->rates[k], rates[k] = m->rates[k];
    if (advance(s) && m->status == ACCEPTED)
        m->status = CLIPPED;
    if (m->status != REFUSED)
        m->counts[(int)m->status]++;
    measure_delay(s, goal, rates);
}

/* the position is known: go to neutral. Otherwise the drives find their ends, and end at neutral (homing.h). */
static void home_softly(supervisor_t *s)
{
    supervisor_memory_t *m = s->m;
    int k;
    if (m->lost) {
        memcpy(m->r, s->neutral, sizeof m->r);
        if (s->u[HOMED_DRIVES] > 0.5 && s->u[OUTPUT_BUSY] < 0.5)
            change(s, HOMED, NO_REASON);
        return;
    }
    if (m->fade < s->blend) {
        for (k = 0; k < N; k++)
            m->target[k] = m->from[k] + arrived(s)*(s->neutral[k] - m->from[k]), m->rates[k] = 0.0;
        advance(s);
        return;
    }
    brake(s);
    if (still(m) && s->u[OUTPUT_BUSY] < 0.5)
        change(s, HOMED, NO_REASON);
}

static void start(supervisor_t *s)
{
    supervisor_memory_t *m = s->m;
    if (!change(s, START, NO_REASON))
        return;
    m->reason = NO_REASON, m->refusal = GOOD, m->failed = 0.0, m->fed = 0.0, m->accepted_at = m->now;
    blend_from_rest(s);
}

static void tick(supervisor_t *s)
{
    supervisor_memory_t *m = s->m;
    const double wish = floor(s->u[WISH] + 0.5);
    m->now += s->dt, m->fade += s->dt;
    if (wish < WISH_RIDE)
        m->armed = 1.0; /* after a stop a person must ask again */
    choose_method(s);
    if (m->state != OFF && m->state != FAULT)
        watch(s);
    switch ((int)m->state) {
    case OFF:
        if (wish >= WISH_READY && !output_failed(s) && change(s, POWER_ON, NO_REASON)) {
            m->lost = s->u[HOMED_DRIVES] < 0.5, m->failed = 0.0;
            blend_from_rest(s);
        }
        break;
    case HOMING:
        if (m->lost && wish == WISH_OFF)
            change(s, POWER_OFF, NO_REASON); /* the drives hold where they are */
        else
            home_softly(s);
        break;
    case READY:
        if (wish == WISH_OFF)
            change(s, POWER_OFF, NO_REASON);
        else if (wish == WISH_RIDE && m->armed && s->u[HALT] < 0.5)
            start(s);
        break;
    case FAULT:
        if (wish == WISH_OFF && change(s, RESET, NO_REASON))
            m->failed = 0.0;
        break;
    case RUNNING:
        run(s);
    }
    if (m->state == STOPPING) {
        brake(s);
        if (still(m))
            change(s, m->failed ? FAILED_AT_REST : AT_REST, NO_REASON);
    } else if (m->state != RUNNING && m->state != HOMING) { /* at rest, after a fault while it homes, too */
        memset(m->v, 0, sizeof m->v);
        memset(m->a, 0, sizeof m->a);
    }
}

/* One sample of the guard alone, for comparison with Python: returns its status. */
int guard_sample(supervisor_t *s, const double *sample)
{
    s->m->now += s->dt;
    offer(s, sample);
    if (advance(s) && s->m->status == ACCEPTED)
        s->m->status = CLIPPED;
    return (int)s->m->status;
}

/* stepper_t: the outputs are those after the tick: the reference for this period */
int64_t integrate(supervisor_t *s, int64_t first, int64_t n, int64_t every, double *path, int *status)
{
    const supervisor_memory_t *m = s->m;
    int64_t step;
    *status = DONE;
    for (step = first; step < first + n; step++) {
        tick(s);
        if (step % every == 0) {
            double *y = path + 3*N;
            memcpy(path, m->r, sizeof m->r);
            memcpy(path + N, m->v, sizeof m->v);
            memcpy(path + 2*N, m->a, sizeof m->a);
            *y++ = m->state, *y++ = m->reason, *y++ = m->status, *y++ = m->refusal;
            *y++ = m->counts[ACCEPTED], *y++ = m->counts[CLIPPED], *y++ = m->counts[REFUSED];
            *y++ = m->moved > 1e-12 ? m->lag/m->moved : 0.0;
            *y++ = m->method;
            *y++ = m->state == RUNNING;
        }
    }
    return n;
}
