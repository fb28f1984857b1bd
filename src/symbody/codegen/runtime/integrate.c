/* Fixed steps of a system whose accelerations are a generated function; nothing is allocated, Python never called.

   The state is (u, ud): the given coordinates and velocities, all of them for a tree. The function of a closed system
   finds the dependent coordinates itself, from those of the step before. */
#include <math.h>
#include <string.h>

typedef void (*generated)(const double *const *in, double *const *out, const double *h);

typedef struct {
    generated accelerations; /* tree: (q, qd, Q) -> qdd; closed: (u, ud, Q, guess, add) -> udd, lam, Qd, qdd, q, qd */
    const double *accelerations_h;
    generated rates; /* (q, qd) -> dq/dt */
    const double *rates_h;
    long closed, nq, nv, nu, nud, nd, nfree, nballs;
    const long *free;      /* places in ud of the velocities that accelerate; the others are held */
    const long *given_q;   /* places of u in q */
    const long *given_v;   /* places of ud in qd */
    const long *dependent; /* places in q of the dependent coordinates */
    const long *balls;     /* places in u where unit quaternions begin */
    const double *Q, *held; /* joint forces; zeros for the accelerations of held joints */
    double *u, *ud;        /* state */
    double *guess;         /* dependent coordinates of the step before */
    double *q, *qd;        /* whole motion at the last evaluation */
    double *work;          /* 6 nv + nq + 5 (nu + nud) numbers */
} system_t;

static void rates_of(const system_t *s, double *du)
{
    const double *in[2] = {s->q, s->qd};
    double *qdot = s->work, *out[1] = {qdot};
    long k;
    s->rates(in, out, s->rates_h);
    for (k = 0; k < s->nu; k++)
        du[k] = qdot[s->given_q[k]];
}

/* Rates of u and ud; leaves the whole motion in q, qd. */
static void slope(const system_t *s, const double *u, const double *ud, double *du, double *dud)
{
    double *acc = s->work + s->nq, *lam = acc + s->nv, *effort = lam + s->nv, *qdd = effort + s->nv;
    long k;
    if (s->closed) {
        const double *in[5] = {u, ud, s->Q, s->guess, s->held};
        double *out[6] = {acc, lam, effort, qdd, s->q, s->qd};
        s->accelerations(in, out, s->accelerations_h);
        for (k = 0; k < s->nd; k++)
            s->guess[k] = s->q[s->dependent[k]];
    } else {
        const double *in[3] = {u, ud, s->Q};
        double *out[1] = {acc};
        s->accelerations(in, out, s->accelerations_h);
        memcpy(s->q, u, s->nu*sizeof *u);
        memcpy(s->qd, ud, s->nud*sizeof *ud);
    }
    rates_of(s, du);
    memset(dud, 0, s->nud*sizeof *dud);
    for (k = 0; k < s->nfree; k++)
        dud[s->free[k]] = acc[k];
}

static void add_to(long n, const double *x, double c, const double *d, double *y)
{
    long k;
    for (k = 0; k < n; k++)
        y[k] = x[k] + c*d[k];
}

/* One step of fourth order (Runge, Kutta); the slopes at its beginning are in d. */
static void runge_kutta(const system_t *s, double dt, double *d)
{
    static const double reach[3] = {0.5, 0.5, 1.0}, weight[3] = {2.0, 2.0, 1.0};
    const long n = s->nu + s->nud;
    double *y = d + n, *e = y + n, *sum = e + n;
    int stage;
    memcpy(sum, d, n*sizeof *d);
    memcpy(e, d, n*sizeof *d);
    for (stage = 0; stage < 3; stage++) {
        add_to(s->nu, s->u, reach[stage]*dt, e, y);
        add_to(s->nud, s->ud, reach[stage]*dt, e + s->nu, y + s->nu);
        slope(s, y, y + s->nu, e, e + s->nu);
        add_to(n, sum, weight[stage], e, sum);
    }
    add_to(s->nu, s->u, dt/6.0, sum, s->u);
    add_to(s->nud, s->ud, dt/6.0, sum + s->nu, s->ud);
}

/* One semi-implicit step of first order: velocities first, then positions by the new velocities. */
static void semi_implicit(const system_t *s, double dt, double *d)
{
    long k;
    add_to(s->nud, s->ud, dt, d + s->nu, s->ud);
    for (k = 0; k < s->nud; k++)
        s->qd[s->given_v[k]] = s->ud[k];
    rates_of(s, d);
    add_to(s->nu, s->u, dt, d, s->u);
}

static int step_is_finite(const system_t *s)
{
    double total = 0.0;
    long k;
    for (k = 0; k < s->nv; k++)
        total += s->qd[k]*0.0;
    return total == 0.0;
}

/* n steps; before each one whose number, counted from `done`, is a multiple of `every`, the whole motion is recorded
   in a row of path_q, path_qd. Returns the steps that were made: fewer than n where a number was not finite. */
long integrate(system_t *s, int order, double dt, long n, long done, long every, double *path_q, double *path_qd)
{
    double *d = s->work + s->nq + 4*s->nv;
    long step, rows = 0, k;
    for (step = 0; step < n; step++) {
        slope(s, s->u, s->ud, d, d + s->nu);
        if (!step_is_finite(s))
            return step;
        if ((done + step) % every == 0) {
            memcpy(path_q + rows*s->nq, s->q, s->nq*sizeof *path_q);
            memcpy(path_qd + rows*s->nv, s->qd, s->nv*sizeof *path_qd);
            rows++;
        }
        (order == 4 ? runge_kutta : semi_implicit)(s, dt, d);
        for (k = 0; k < s->nballs; k++) {
            double *e = s->u + s->balls[k], size = sqrt(e[0]*e[0] + e[1]*e[1] + e[2]*e[2] + e[3]*e[3]);
            add_to(4, e, 1.0/size - 1.0, e, e);
        }
    }
    return n;
}
