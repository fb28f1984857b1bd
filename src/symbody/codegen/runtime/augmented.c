/* Index-3 augmented Lagrangian with projections, by the trapezoidal rule (Jaiswal 2.1.3, 2.4).

   Unknowns of a step: the increments z of the coordinates (of a quaternion: a rotation vector) and the new states y,
     r_z = dt^2/4 (g + J'(lambda + alpha h)) = 0,    r_y = y - y0 - dt/2 (f0 + f) = 0,
   by Newton's method with the exact tangent; lambda takes up alpha h after every iteration. Velocities and
   accelerations are then projected onto the constraints, weighted by W = M + dt/2 C + dt^2/4 K. Redundant equations
   and singular positions do no harm. Nothing is allocated. */
#include "steps.h"

#include "newton.h"


typedef struct {
    generated newton; /* (t, x, u, a, lambda, alpha) -> g, M, C, K, G = dg/dy, f, Fq, Fv, Fy, h, J */
    const double *newton_h;
    generated loops; /* (t, x, u) -> h, J, Phi_t, J'qd */
    const double *loops_h;
    generated outputs; /* (t, x, u) -> y */
    const double *outputs_h;
    long nx, nq, nv, nu, ns, nh, ny, nballs;
    const long *velocity; /* per coordinate in x, the place in x of its velocity; -1 within a quaternion */
    const long *balls;    /* pairs: where in x a unit quaternion begins, and its angular velocity */
    const double *u;
    double *x, *a, *lambda, *f; /* state, accelerations, multipliers, rates of the states */
    double *work;               /* see `places` */
    double alpha, tolerance, dt;
    long row, limit, iterations, most; /* of all steps together, and of the worst step */
} augmented_t;

/* Arrays inside work. */
typedef struct {
    double *z, *y, *x, *a, *g, *M, *C, *K, *G, *f, *Fq, *Fv, *Fy, *h, *J, *t, *bias, *A, *r, *last;
} places;

static places lay_out(const augmented_t *s)
{
    const long n = s->nv, m = s->nh, k = s->ns, all = n + k;
    double *p = s->work;
    places w;
    w.z = p, p += all; /* z and y side by side: one vector for Newton */
    w.y = w.z + n;
    w.x = p, p += s->nx;
    w.a = p, p += n;
    w.g = p, p += n;
    w.M = p, p += n*n;
    w.C = p, p += n*n;
    w.K = p, p += n*n;
    w.G = p, p += n*k;
    w.f = p, p += k;
    w.Fq = p, p += k*n;
    w.Fv = p, p += k*n;
    w.Fy = p, p += k*k;
    w.h = p, p += m;
    w.J = p, p += m*n;
    w.t = p, p += m;
    w.bias = p, p += m;
    w.A = p, p += all*all;
    w.r = p, p += all;
    w.last = p;
    return w;
}

/* x of the trial increments: coordinates moved, velocities and states by the trapezoidal rule */
static void trial(const augmented_t *s, const places *w)
{
    const double dt = s->dt, *v0 = s->x + s->nq;
    long k, i;
    for (k = 0; k < s->nq; k++)
        w->x[k] = s->velocity[k] >= 0 ? s->x[k] + w->z[s->velocity[k] - s->nq] : s->x[k];
    for (k = 0; k < s->nballs; k++) {
        const double *q = s->x + s->balls[2*k], *d = w->z + s->balls[2*k + 1] - s->nq;
        const double turn = sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2]);
        const double c = cos(0.5*turn), e = turn > 1e-8 ? sin(0.5*turn)/turn : 0.5;
        const double x = e*d[0], y = e*d[1], z = e*d[2];
        double *to = w->x + s->balls[2*k];
        to[0] = q[0]*c - q[1]*x - q[2]*y - q[3]*z;
        to[1] = q[0]*x + q[1]*c + q[2]*z - q[3]*y;
        to[2] = q[0]*y + q[2]*c + q[3]*x - q[1]*z;
        to[3] = q[0]*z + q[3]*c + q[1]*y - q[2]*x;
    }
    for (i = 0; i < s->nv; i++) {
        w->x[s->nq + i] = 2.0/dt*w->z[i] - v0[i];
        w->a[i] = 4.0/(dt*dt)*w->z[i] - 4.0/dt*v0[i] - s->a[i];
    }
    memcpy(w->x + s->nq + s->nv, w->y, s->ns*sizeof(double));
}

static double weight(const augmented_t *s, const places *w, long i, long j)
{
    const long e = i*s->nv + j;
    return w->M[e] + 0.5*s->dt*w->C[e] + 0.25*s->dt*s->dt*w->K[e];
}

/* A += c J'J, A in rows of n numbers; most of J is zero */
static void add_square(const augmented_t *s, const places *w, double c, double *A, long n)
{
    long i, j, k;
    for (k = 0; k < s->nh; k++) {
        const double *row = w->J + k*s->nv;
        for (i = 0; i < s->nv; i++)
            if (row[i] != 0.0)
                for (j = 0; j < s->nv; j++)
                    A[i*n + j] += c*row[i]*row[j];
    }
}

/* residual and tangent of a step */
static void assemble(const augmented_t *s, const places *w)
{
    const long n = s->nv, k = s->ns, all = n + k;
    const double dt = s->dt, half = 0.5*dt, quarter = 0.25*dt*dt, *y0 = s->x + s->nq + n;
    long i, j;
    for (i = 0; i < n; i++) {
        w->r[i] = quarter*w->g[i];
        for (j = 0; j < n; j++)
            w->A[i*all + j] = weight(s, w, i, j);
        for (j = 0; j < k; j++)
            w->A[i*all + n + j] = quarter*w->G[i*k + j];
    }
    for (i = 0; i < k; i++) {
        w->r[n + i] = w->y[i] - y0[i] - half*(s->f[i] + w->f[i]);
        for (j = 0; j < n; j++)
            w->A[(n + i)*all + j] = -half*w->Fq[i*n + j] - w->Fv[i*n + j];
        for (j = 0; j < k; j++)
            w->A[(n + i)*all + n + j] = (i == j) - half*w->Fy[i*k + j];
    }
    add_square(s, w, quarter*s->alpha, w->A, all);
}

/* J v = -c is met by v - d, (W + dt^2/4 alpha J'J) d = dt^2/4 alpha J'(J v + c): the correction is solved for, since the
   digits of v along the motion would drown in those of the stiff term */
static void project(const augmented_t *s, const places *w, const double *c, double *v)
{
    const long n = s->nv;
    const double scale = 0.25*s->dt*s->dt*s->alpha;
    long i, j, k;
    for (i = 0; i < n; i++)
        for (j = 0, w->r[i] = 0.0; j < n; j++)
            w->A[i*n + j] = weight(s, w, i, j);
    add_square(s, w, scale, w->A, n);
    for (k = 0; k < s->nh; k++) {
        double gap = c[k];
        for (j = 0; j < n; j++)
            gap += w->J[k*n + j]*v[j];
        for (i = 0; i < n; i++)
            w->r[i] += scale*w->J[k*n + i]*gap;
    }
    newton_step((int)n, w->r, w->A, v);
}

static int take_step(augmented_t *s, const places *w, long step)
{
    const long n = s->nv, k = s->ns;
    const double dt = s->dt, t = (step + 1)*dt, *u = s->u + s->row*(step + 1), *v0 = s->x + s->nq;
    const double *in[6] = {&t, w->x, u, w->a, s->lambda, &s->alpha};
    double *out[11] = {w->g, w->M, w->C, w->K, w->G, w->f, w->Fq, w->Fv, w->Fy, w->h, w->J};
    double *loop[4] = {w->h, w->J, w->t, w->bias}, moved = 0.0;
    long i, j;
    for (i = 0; i < n; i++)
        w->z[i] = dt*v0[i] + 0.5*dt*dt*s->a[i];
    for (i = 0; i < k; i++)
        w->y[i] = s->x[s->nq + n + i] + dt*s->f[i];
    trial(s, w);
    for (j = 0; j < s->limit; j++) {
        s->newton(in, out, s->newton_h);
        assemble(s, w);
        moved = newton_step((int)(n + k), w->r, w->A, w->z);
        trial(s, w);
        s->loops(in, loop, s->loops_h);
        for (i = 0; i < s->nh; i++)
            s->lambda[i] += s->alpha*w->h[i];
        if (!(moved > s->tolerance))
            break;
    }
    s->iterations += j + 1;
    s->most = j + 1 > s->most ? j + 1 : s->most;
    if (isnan(moved))
        return NOT_FINITE;
    if (j == s->limit)
        return NOT_CONVERGED;
    s->newton(in, out, s->newton_h); /* rates of the states, and what weighs the projections, at the end */
    project(s, w, w->t, w->x + s->nq);
    s->loops(in, loop, s->loops_h);
    project(s, w, w->bias, w->a);
    normalise(s->nballs, s->balls, w->x);
    for (i = 0; i < s->nx; i++)
        if (!isfinite(w->x[i]))
            return NOT_FINITE;
    memcpy(s->x, w->x, s->nx*sizeof(double));
    memcpy(s->a, w->a, n*sizeof(double));
    memcpy(s->f, w->f, k*sizeof(double));
    return DONE;
}

/* n steps from step `first` on; outputs are recorded before each one whose number is a multiple of `every`. Returns
   the steps that were made; `status` says why where they are fewer. */
long integrate_augmented(augmented_t *s, long first, long n, long every, double *path, int *status)
{
    const places w = lay_out(s);
    long step;
    *status = DONE;
    for (step = first; step < first + n; step++) {
        if (step % every == 0) {
            const double t = step*s->dt, *in[4] = {&t, s->x, s->u + s->row*step, s->lambda};
            double *out[1] = {path};
            s->outputs(in, out, s->outputs_h);
            path += s->ny;
        }
        *status = take_step(s, &w, step);
        if (*status != DONE)
            break;
    }
    return step - first;
}
