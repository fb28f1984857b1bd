/* The scene of a ride as a stepper of the real-time loop (ski_scene.py): a skier under gravity (the equations are in
   skier.py), a recorded motion, or a live stream; and what the seat undergoes. Nothing is allocated. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../codegen/runtime/steps.h"
#include "vectors.h"

typedef struct {
    const double *coefficients; /* of the bicubic spline, rows x columns */
    int64_t rows, columns;      /* of the coefficients: two more than heights */
    double spacing, x0, y0;
} ground_t;

typedef struct {
    double friction, edge_grip, edge_speed, carry, brake, drag, largest_lean, lean_rate, smallest_radius, speed_limit;
    double gravity, slow;
} skier_t;

typedef struct {
    double p[3], v[3], heading, lean, flying;
} ski_state_t;

/* -- ground --------------------------------------------------------------------------------------------------- */

/* the first of four coefficients that count at a place, and their weights: value and two derivatives */
static int64_t weigh(double at, double origin, double spacing, int64_t n, double w[3][4])
{
    const double u = within((at - origin)/spacing, 0.0, (double)(n - 1));
    const int64_t first = (int64_t)u < n - 2 ? (int64_t)u : n - 2;
    const double t = u - (double)first, r = 1.0 - t, s = spacing;
    const double rows[3][4] = {
        {r*r*r/6.0, (4.0 - 6.0*t*t + 3.0*t*t*t)/6.0, (4.0 - 6.0*r*r + 3.0*r*r*r)/6.0, t*t*t/6.0},
        {-r*r/(2.0*s), t*(3.0*t - 4.0)/(2.0*s), r*(4.0 - 3.0*r)/(2.0*s), t*t/(2.0*s)},
        {r/(s*s), (3.0*t - 2.0)/(s*s), (1.0 - 3.0*t)/(s*s), t/(s*s)},
    };
    memcpy(w, rows, sizeof rows);
    return first;
}

/* D[a][b] = d^(a+b) h/dy^a dx^b */
static void derivatives(const ground_t *g, double x, double y, double D[3][3])
{
    double wx[3][4], wy[3][4];
    const int64_t i = weigh(x, g->x0, g->spacing, g->columns - 2, wx);
    const int64_t k = weigh(y, g->y0, g->spacing, g->rows - 2, wy);
    int a, b, m, n;
    for (a = 0; a < 3; a++)
        for (b = 0; b < 3; b++) {
            D[a][b] = 0.0;
            for (m = 0; m < 4; m++)
                for (n = 0; n < 4; n++)
                    D[a][b] += wy[a][m]*g->coefficients[(k + m)*g->columns + i + n]*wx[b][n];
        }
}

static int contains(const ground_t *g, double x, double y)
{
    const double wide = g->spacing*(double)(g->columns - 3), high = g->spacing*(double)(g->rows - 3);
    return x >= g->x0 && x <= g->x0 + wide && y >= g->y0 && y <= g->y0 + high;
}

/* axes of skis on the ground: forward, left, up */
static void ski_axes(double heading, double hx, double hy, double *ahead, double *left, double *up)
{
    const double flat[3] = {cos(heading), sin(heading), 0.0};
    up[0] = -hx, up[1] = -hy, up[2] = 1.0;
    unit(up);
    cross(up, flat, left);
    unit(left);
    cross(left, up, ahead);
}

/* -- skier ---------------------------------------------------------------------------------------------------- */

static void place(ski_state_t *s, const ground_t *g, double x, double y, double vx, double vy)
{
    double D[3][3];
    derivatives(g, x, y, D);
    s->p[0] = x, s->p[1] = y, s->p[2] = D[0][0];
    s->v[0] = vx, s->v[1] = vy, s->v[2] = D[0][1]*vx + D[1][0]*vy;
}

/* acceleration on the ground; 0 if the ground falls away faster than the skier */
static int accelerate(const ski_state_t *s, const ground_t *g, const skier_t *c, double brake, double *a)
{
    double D[3][3], ahead[3], left[3], n[3], N, speed, resists, aside, edge, forward, returned;
    int k;
    derivatives(g, s->p[0], s->p[1], D);
    ski_axes(s->heading, D[0][1], D[1][0], ahead, left, n);
    N = (c->gravity + D[0][2]*s->v[0]*s->v[0] + 2.0*D[1][1]*s->v[0]*s->v[1] + D[2][0]*s->v[1]*s->v[1])*n[2];
    if (N <= 0.0)
        return 0;
    speed = sqrt(dot(s->v, s->v));
    resists = (c->friction + brake*c->brake)*N/(speed > c->slow ? speed : c->slow) + c->drag*speed;
    aside = dot(s->v, left), forward = dot(s->v, ahead);
    edge = c->edge_grip*N*within(aside/c->edge_speed, -1.0, 1.0);
    returned = forward > (fabs(aside) > 1.0 ? fabs(aside) : 1.0) ? c->carry*edge*aside/forward : 0.0;
    for (k = 0; k < 3; k++)
        a[k] = N*n[k] - resists*s->v[k] - edge*left[k] + returned*ahead[k];
    a[2] -= c->gravity;
    return 1;
}

static void fly(ski_state_t *s, const ground_t *g, const skier_t *c, double dt)
{
    double D[3][3], n[3], ahead[3], left[3], into;
    const double vz = s->v[2] - c->gravity*dt;
    int k;
    s->p[0] += dt*s->v[0], s->p[1] += dt*s->v[1], s->p[2] += 0.5*dt*(s->v[2] + vz);
    s->v[2] = vz;
    derivatives(g, s->p[0], s->p[1], D);
    s->flying = s->p[2] > D[0][0];
    if (s->flying)
        return;
    ski_axes(s->heading, D[0][1], D[1][0], ahead, left, n);
    into = dot(s->v, n);
    s->p[2] = D[0][0];
    for (k = 0; k < 3; k++)
        s->v[k] -= (into < 0.0 ? into : 0.0)*n[k];
}

/* the start, moved by dt with velocity and acceleration of another state */
static void move(ski_state_t *s, const ski_state_t *at, const ground_t *g, const skier_t *c, double brake, double dt)
{
    double a[3];
    if (!accelerate(at, g, c, brake, a)) {
        fly(s, g, c, dt);
        return;
    }
    place(s, g, s->p[0] + dt*at->v[0], s->p[1] + dt*at->v[1], s->v[0] + dt*a[0], s->v[1] + dt*a[1]);
}

/* `ski_step` of skier.py */
void ski_step(ski_state_t *s, const ground_t *g, const skier_t *c, double steer, double brake, double dt)
{
    const double wanted = -within(steer, -1.0, 1.0)*c->largest_lean, speed = sqrt(dot(s->v, s->v));
    const double largest = speed/c->smallest_radius;
    ski_state_t half;
    s->lean += within(wanted - s->lean, -c->lean_rate*dt, c->lean_rate*dt);
    if (s->flying) {
        fly(s, g, c, dt);
        return;
    }
    s->heading += dt*within(-c->gravity*tan(s->lean)/(speed > c->slow ? speed : c->slow), -largest, largest);
    brake = within(brake, 0.0, 1.0);
    half = *s;
    move(&half, s, g, c, brake, 0.5*dt);
    if (half.flying) { /* the whole step is a flight, as in skier.py */
        *s = half;
        return;
    }
    move(s, &half, g, c, brake, dt);
}

/* -- the scene ------------------------------------------------------------------------------------------------ */

enum { SIGNALS = 6, ROW = 13 }; /* a row of a track: position, heading, lean, speed, slope angle, six signals */
/* inputs; RELEASED: 0 while the scene waits; AGE (s) of the six signals of a stream, then these */
enum { STEER, BRAKE, SOURCE, RELEASED, AGE, STREAM };

typedef struct {
    const double *rows; /* n x ROW, at equal steps */
    int64_t n;
    double step;
} track_t;

typedef struct {
    ski_state_t ski, start;
    double R[9], known, rest, source, played; /* axes of the seat at the last step; times (s) */
    double signals[SIGNALS];
} scene_memory_t;

typedef struct {
    const double *u;
    const ground_t *ground;
    const skier_t *skier;
    const track_t *tracks;
    scene_memory_t *m;
    const double *largest, *slopes; /* of the signals, and per s */
    int64_t ntracks;
    double dt, end_x, end_y, end_radius; /* the end of the piste: skiers brake there */
    double patience;                     /* s, oldest sample of a stream */
} ski_scene_t;

static const double WAIT = 4.0; /* s at rest, or outside the map, before the skier begins again */

/* axes of the seat as columns: those of the skis, turned by the lean */
static void seat_axes(const ski_state_t *s, double hx, double hy, double *R)
{
    const double c = cos(s->lean), d = sin(s->lean);
    double ahead[3], left[3], up[3];
    int k;
    ski_axes(s->heading, hx, hy, ahead, left, up);
    for (k = 0; k < 3; k++)
        R[3*k] = ahead[k], R[3*k + 1] = c*left[k] + d*up[k], R[3*k + 2] = c*up[k] - d*left[k];
}

/* R^T (a + g e_z) - g e_z and the turn rates, from two steps */
static void seat_signals(ski_scene_t *s, const double *before, double *signals)
{
    scene_memory_t *m = s->m;
    const double g = s->skier->gravity;
    double D[3][3], R[9], W[9], f[3];
    int i, j, k;
    derivatives(s->ground, m->ski.p[0], m->ski.p[1], D);
    seat_axes(&m->ski, D[0][1], D[1][0], R);
    for (k = 0; k < 3; k++)
        f[k] = (m->ski.v[k] - before[k])/s->dt + (k == 2 ? g : 0.0);
    for (i = 0; i < 3; i++) {
        signals[i] = R[i]*f[0] + R[3 + i]*f[1] + R[6 + i]*f[2] - (i == 2 ? g : 0.0);
        for (j = 0; j < 3; j++) {
            W[3*i + j] = 0.0;
            for (k = 0; k < 3; k++)
                W[3*i + j] += R[3*k + i]*(R[3*k + j] - (m->known ? m->R[3*k + j] : R[3*k + j]))/s->dt;
        }
    }
    signals[3] = 0.5*(W[7] - W[5]), signals[4] = 0.5*(W[2] - W[6]), signals[5] = 0.5*(W[3] - W[1]);
    memcpy(m->R, R, sizeof R);
    m->known = 1.0;
}

static void begin_again(scene_memory_t *m)
{
    m->ski = m->start, m->known = 0.0, m->rest = 0.0, m->played = 0.0;
}

static void ski(ski_scene_t *s, double *signals)
{
    scene_memory_t *m = s->m;
    const double before[3] = {m->ski.v[0], m->ski.v[1], m->ski.v[2]};
    const double dx = m->ski.p[0] - s->end_x, dy = m->ski.p[1] - s->end_y;
    const int ends = dx*dx + dy*dy < s->end_radius*s->end_radius || !contains(s->ground, m->ski.p[0], m->ski.p[1]);
    const double speed = sqrt(dot(before, before)), limit = s->skier->speed_limit;
    const double fast = within((speed - 0.93*limit)/(0.07*limit), 0.0, 1.0);
    const double asked = s->u[BRAKE] > fast ? s->u[BRAKE] : fast;
    ski_step(&m->ski, s->ground, s->skier, s->u[STEER], ends ? 1.0 : asked, s->dt);
    m->rest = ends && speed < 0.2 ? m->rest + s->dt : 0.0;
    seat_signals(s, before, signals);
    if (m->rest > WAIT)
        begin_again(m);
}

static void play(ski_scene_t *s, const track_t *track, double *signals)
{
    scene_memory_t *m = s->m;
    const double at = m->played/track->step, whole = (double)(track->n - 1);
    const int64_t k = at < whole ? (int64_t)at : track->n - 2;
    const double share = at < whole ? at - (double)k : 1.0;
    const double *a = track->rows + ROW*k, *b = a + ROW;
    int i;
    for (i = 0; i < 3; i++) {
        m->ski.p[i] = a[i] + share*(b[i] - a[i]);
        m->ski.v[i] = (b[i] - a[i])/track->step;
    }
    m->ski.heading = a[3] + share*(b[3] - a[3]), m->ski.lean = a[4] + share*(b[4] - a[4]);
    for (i = 0; i < SIGNALS; i++)
        signals[i] = at < whole ? a[ROW - SIGNALS + i] + share*(b[ROW - SIGNALS + i] - a[ROW - SIGNALS + i]) : 0.0;
    m->played += s->dt;
    if (m->played > whole*track->step + WAIT)
        m->played = 0.0;
}

static int waits(const ski_scene_t *s)
{
    return !(s->u[RELEASED] > 0.5);
}

/* outputs: place, angles of the skis (heading, pitch, roll), lean, speed, slope, flight, source, time of a track, whether
   the scene waits, then the signals */
static void tell(const ski_scene_t *s, double *y)
{
    const ski_state_t *k = &s->m->ski;
    double D[3][3], ahead[3], left[3], up[3];
    derivatives(s->ground, k->p[0], k->p[1], D);
    ski_axes(k->heading, D[0][1], D[1][0], ahead, left, up);
    memcpy(y, k->p, sizeof k->p);
    y[3] = atan2(ahead[1], ahead[0]), y[4] = -asin(within(ahead[2], -1.0, 1.0)), y[5] = atan2(left[2], up[2]);
    y[6] = k->lean;
    y[7] = waits(s) ? 0.0 : sqrt(dot(k->v, k->v));
    y[8] = atan(sqrt(D[0][1]*D[0][1] + D[1][0]*D[1][0]));
    y[9] = k->flying;
    y[10] = s->m->source;
    y[11] = s->m->played;
    y[12] = waits(s);
    memcpy(y + 13, s->m->signals, sizeof s->m->signals);
}

/* stepper_t: the outputs are those of the step that is made, so that the stages after it see it in the same period */
int64_t integrate(ski_scene_t *s, int64_t first, int64_t n, int64_t every, double *path, int *status)
{
    scene_memory_t *m = s->m;
    int64_t step;
    int i;
    *status = DONE;
    for (step = first; step < first + n; step++) {
        double signals[SIGNALS] = {0.0};
        const double chosen = floor(s->u[SOURCE] + 0.5);
        if (chosen != m->source) {
            m->source = chosen;
            begin_again(m);
        }
        if (chosen > (double)s->ntracks + 0.5) { /* a stream waits for nobody; an old one is zero: a soft rest */
            if (s->u[AGE] < s->patience)
                memcpy(signals, s->u + STREAM, sizeof signals);
        } else if (!waits(s)) {
            if (chosen < 0.5)
                ski(s, signals);
            else
                play(s, s->tracks + (int64_t)chosen - 1, signals);
        }
        for (i = 0; i < SIGNALS; i++) { /* NaN becomes zero, a jump becomes a ramp */
            const double wanted = signals[i] == signals[i] ? within(signals[i], -s->largest[i], s->largest[i]) : 0.0;
            const double reach = s->slopes[i]*s->dt;
            m->signals[i] += within(wanted - m->signals[i], -reach, reach);
        }
        if (step % every == 0)
            tell(s, path);
    }
    return n;
}
