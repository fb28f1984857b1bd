/* An error-state Kalman filter around the steps of a system: see error_state.py, whose formulas these are.

   A step: the slopes of the model where it is, P <- F P F' + Q with F = exp(A dt), the model's own step; then one
   measurement after the other (their noises are independent, so that no matrix is solved). P is of the n errors of the
   state and of m unknown inputs and parameters behind them, of which the first g are estimated; the others are
   considered: they have no gain. Nothing is allocated. */
#include "steps.h"

typedef int advance_t(void *stepper, const double *x, int64_t n);

typedef struct {
    generated slopes; /* (t, x, u, guess) -> A n x n, G n x m, y nz, H nz x n, J nz x m */
    const double *slopes_h;
    advance_t *advance;
    void *stepper;
    int64_t n, nv, nz, m, g, inputs, substeps;
    const double *stepped; /* the stepper's own state */
    double *x, *u, *guess; /* the estimate, and the stepper's inputs and dependent coordinates */
    double *P;             /* (n + m) x (n + m) */
    double *A, *G, *y, *H, *J;                /* what slopes give */
    double *F, *W, *V, *power, *N, *d, *gain; /* room: n x n, but W as P, and d and gain n + m */
    const double *densities;                  /* n + m: sigma of white noise (unit by square root of s) */
    const double *R;                          /* nz variances of the sensors */
    double *innovation, *share;               /* nz: z - h(x), and its square by its variance */
    int64_t *used;                            /* nz: 1 used, 0 not measured, -1 refused by the gate */
    const int64_t *place;                     /* where in u the inputs are that are estimated, the first unknown ones */
    double *offset;                           /* what they are thought to be besides what is told of them */
    double t, dt, gate, nis;
} filter_t;

const int64_t structure_sizes[] = {sizeof(filter_t)};

enum { TERMS = 6, MOST_HALVINGS = 60, SWEEPS = 4 };
static const double PADE[TERMS] = {1.0, 1.0/2, 1.0/9, 1.0/72, 1.0/1008, 1.0/30240}; /* (5, 5) of the exponential */
static const double SMALL = 0.25;

/* C <- A B, all n x n */
static void multiply(int64_t n, const double *A, const double *B, double *C)
{
    int64_t i, j, k;
    for (i = 0; i < n; i++) {
        double *row = C + n*i;
        for (j = 0; j < n; j++)
            row[j] = 0.0;
        for (k = 0; k < n; k++) {
            const double a = A[n*i + k];
            const double *b = B + n*k;
            if (a != 0.0)
                for (j = 0; j < n; j++)
                    row[j] += a*b[j];
        }
    }
}

static void swap(int64_t n, double *a, double *b)
{
    int64_t k;
    for (k = 0; k < n; k++) {
        const double x = a[k];
        a[k] = b[k];
        b[k] = x;
    }
}

/* B <- A^-1 B by elimination with partial pivoting, B being n x w; A is overwritten. 0 where A is singular */
static int solve(int64_t n, int64_t w, double *A, double *B)
{
    int64_t i, j, k;
    for (k = 0; k < n; k++) {
        int64_t best = k;
        for (i = k + 1; i < n; i++)
            if (fabs(A[n*i + k]) > fabs(A[n*best + k]))
                best = i;
        if (A[n*best + k] == 0.0)
            return 0;
        if (best != k) {
            swap(n, A + n*k, A + n*best);
            swap(w, B + w*k, B + w*best);
        }
        for (i = k + 1; i < n; i++) {
            const double f = A[n*i + k]/A[n*k + k];
            if (f == 0.0)
                continue;
            for (j = k; j < n; j++)
                A[n*i + j] -= f*A[n*k + j];
            for (j = 0; j < w; j++)
                B[w*i + j] -= f*B[w*k + j];
        }
    }
    for (i = n - 1; i >= 0; i--)
        for (j = 0; j < w; j++) {
            double sum = B[w*i + j];
            for (k = i + 1; k < n; k++)
                sum -= A[n*i + k]*B[w*k + j];
            B[w*i + j] = sum/A[n*i + i];
        }
    return 1;
}

/* powers of two that bring rows and columns of X to like sizes */
static void balance(int64_t n, const double *X, double *d)
{
    int64_t k, j, sweep;
    for (k = 0; k < n; k++)
        d[k] = 1.0;
    for (sweep = 0; sweep < SWEEPS; sweep++)
        for (k = 0; k < n; k++) {
            double row = 0.0, column = 0.0;
            for (j = 0; j < n; j++)
                if (j != k) {
                    row += fabs(X[n*k + j])*d[j];
                    column += fabs(X[n*j + k])/d[j];
                }
            row /= d[k];
            column *= d[k];
            if (row > 0.0 && column > 0.0)
                d[k] *= exp2(rint(0.5*log2(row/column)));
        }
}

/* F <- exp(A dt); A is overwritten. 0 where that is not finite */
static int exponential(filter_t *f)
{
    const int64_t n = f->n;
    double *X = f->A, *even = f->W, *odd = f->V, *power = f->power, *d = f->d, size = 0.0, halving = 1.0;
    int64_t i, j, k, halvings = 0;
    for (k = 0; k < n*n; k++)
        X[k] *= f->dt;
    balance(n, X, d);
    for (j = 0; j < n; j++) {
        double sum = 0.0;
        for (i = 0; i < n; i++) {
            X[n*i + j] *= d[j]/d[i];
            sum += fabs(X[n*i + j]);
        }
        size = sum > size ? sum : size;
    }
    if (!(size < exp2(MOST_HALVINGS)))
        return 0;
    for (; size*halving > SMALL; halvings++)
        halving *= 0.5;
    for (k = 0; k < n*n; k++) {
        X[k] *= halving;
        even[k] = odd[k] = power[k] = 0.0;
    }
    for (i = 0; i < n; i++)
        power[n*i + i] = 1.0;
    for (k = 0; k < TERMS; k++) {
        double *sum = k % 2 ? odd : even;
        for (i = 0; i < n*n; i++)
            sum[i] += PADE[k]*power[i];
        if (k + 1 < TERMS) {
            multiply(n, power, X, f->F);
            memcpy(power, f->F, n*n*sizeof *power);
        }
    }
    for (k = 0; k < n*n; k++) {
        const double e = even[k], o = odd[k];
        f->F[k] = e + o;
        even[k] = e - o;
    }
    if (!solve(n, n, even, f->F))
        return 0;
    for (; halvings > 0; halvings--) {
        multiply(n, f->F, f->F, odd);
        memcpy(f->F, odd, n*n*sizeof *odd);
    }
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            f->F[n*i + j] *= d[i]/d[j];
    return 1;
}

/* P <- P + Q: sigma^2 [[dt^3/3, dt^2/2], [dt^2/2, dt]] for coordinates and velocities, dt elsewhere */
static void add_noise(filter_t *f)
{
    const int64_t w = f->n + f->m, nv = f->nv;
    const double dt = f->dt;
    int64_t i;
    for (i = 0; i < w; i++)
        f->P[w*i + i] += f->densities[i]*f->densities[i]*dt;
    for (i = 0; i < nv; i++) {
        const double rate = f->densities[nv + i]*f->densities[nv + i];
        f->P[w*i + i] += rate*dt*dt*dt/3.0;
        f->P[w*i + nv + i] += rate*dt*dt/2.0;
        f->P[w*(nv + i) + i] += rate*dt*dt/2.0;
    }
}

/* G <- (I - A dt/2)^-1 G dt: what parameters do to a state over a step */
static int act(filter_t *f)
{
    const int64_t n = f->n;
    int64_t i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            f->N[n*i + j] = (i == j) - 0.5*f->dt*f->A[n*i + j];
    for (i = 0; i < n*f->m; i++)
        f->G[i] *= f->dt;
    return !f->m || solve(n, f->m, f->N, f->G);
}

static void slopes(filter_t *f)
{
    const double *in[4] = {&f->t, f->x, f->u, f->guess};
    double *out[5] = {f->A, f->G, f->y, f->H, f->J};
    f->slopes(in, out, f->slopes_h);
}

int predict(filter_t *f)
{
    const int64_t n = f->n, m = f->m, w = n + m;
    int64_t i, j, k;
    int status;
    slopes(f);
    if (!act(f) || !exponential(f))
        return NOT_FINITE;
    for (i = 0; i < n; i++) { /* W <- [F Gamma] P */
        double *row = f->W + w*i;
        for (j = 0; j < w; j++)
            row[j] = 0.0;
        for (k = 0; k < w; k++) {
            const double a = k < n ? f->F[n*i + k] : f->G[m*i + k - n];
            const double *p = f->P + w*k;
            for (j = 0; j < w; j++)
                row[j] += a*p[j];
        }
    }
    for (i = 0; i < n; i++) {
        for (j = 0; j <= i; j++) {
            double sum = 0.0;
            for (k = 0; k < n; k++)
                sum += f->W[w*i + k]*f->F[n*j + k];
            for (k = 0; k < m; k++)
                sum += f->W[w*i + n + k]*f->G[m*j + k];
            f->P[w*i + j] = f->P[w*j + i] = sum;
        }
        for (j = n; j < w; j++)
            f->P[w*i + j] = f->P[w*j + i] = f->W[w*i + j];
    }
    add_noise(f);
    status = f->advance(f->stepper, f->x, f->substeps);
    if (status == DONE) {
        memcpy(f->x, f->stepped, n*sizeof *f->x);
        f->t += f->dt;
    }
    return status;
}

/* by measurements z; those that are not finite were not made, those beyond the gate are not believed */
int correct(filter_t *f, const double *z)
{
    const int64_t n = f->n, w = n + f->m, gaining = n + f->g;
    double *dx = f->d, *Ph = f->W;
    int64_t i, j, k;
    slopes(f);
    f->nis = 0.0;
    for (i = 0; i < w; i++)
        dx[i] = 0.0;
    for (k = 0; k < f->nz; k++) {
        const double *h = f->H + n*k, *hp = f->J + f->m*k;
        double y = z[k] - f->y[k], S = f->R[k];
        f->innovation[k] = f->share[k] = NAN;
        f->used[k] = 0;
        if (!isfinite(z[k]))
            continue;
        for (i = 0; i < w; i++) {
            double sum = 0.0;
            for (j = 0; j < n; j++)
                sum += f->P[w*i + j]*h[j];
            for (j = n; j < w; j++)
                sum += f->P[w*i + j]*hp[j - n];
            Ph[i] = sum;
        }
        for (i = 0; i < n; i++) {
            S += h[i]*Ph[i];
            y -= h[i]*dx[i];
        }
        for (i = n; i < w; i++) {
            S += hp[i - n]*Ph[i];
            y -= hp[i - n]*dx[i];
        }
        if (!(S > 0.0) || !isfinite(S) || !isfinite(y))
            return NOT_FINITE;
        f->innovation[k] = z[k] - f->y[k];
        f->share[k] = y*y/S;
        if (f->share[k] > f->gate) {
            f->used[k] = -1;
            continue;
        }
        f->used[k] = 1;
        f->nis += f->share[k];
        for (i = 0; i < w; i++)
            f->gain[i] = i < gaining ? Ph[i]/S : 0.0;
        for (i = 0; i < gaining; i++)
            dx[i] += f->gain[i]*y;
        /* Joseph's form, written out for one measurement: P - K (Ph)' - Ph K' + K S K' */
        for (i = 0; i < w; i++)
            for (j = 0; j <= i && j < gaining; j++)
                f->P[w*i + j] = f->P[w*j + i] =
                    f->P[w*i + j] - f->gain[i]*Ph[j] - Ph[i]*f->gain[j] + f->gain[i]*S*f->gain[j];
    }
    for (i = 0; i < n; i++)
        f->x[i] += dx[i];
    for (i = 0; i < f->inputs; i++)
        f->offset[i] += dx[n + i];
    return DONE;
}

static void hold(filter_t *f, const double *u, int64_t nu)
{
    int64_t i;
    memcpy(f->u, u, nu*sizeof *u);
    for (i = 0; i < f->inputs; i++)
        f->u[f->place[i]] += f->offset[i];
}

/* steps with a row of inputs and of measurements each; the rows of estimates and of variances after them, of the states
   and of the inputs that are estimated. No parameter may be estimated: they are not within reach here. */
int64_t filter_steps(filter_t *f, int64_t steps, const double *u, int64_t nu, const double *z, double *mean,
                     double *variance, int *status)
{
    const int64_t wide = f->n + f->inputs;
    int64_t k, i;
    for (k = 0; k < steps; k++) {
        hold(f, u + nu*k, nu);
        *status = predict(f);
        if (*status == DONE)
            *status = correct(f, z + f->nz*k);
        if (*status != DONE)
            return k;
        for (i = 0; i < wide; i++) {
            mean[wide*k + i] = i < f->n ? f->x[i] : u[nu*k + f->place[i - f->n]] + f->offset[i - f->n];
            variance[wide*k + i] = f->P[(f->n + f->m)*i + i];
        }
    }
    return k;
}
