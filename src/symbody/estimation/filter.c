/* An error-state Kalman filter around the steps of a system: see error_state.py, whose formulas these are.

   A step: the slopes of the model where it is, P <- F P F' + Q with F = exp(A dt), the model's own step; then one
   measurement after the other (their noises are independent, so that no matrix is solved). Nothing is allocated. */
#include "steps.h"

typedef int advance_t(void *stepper, const double *x, int64_t n);

typedef struct {
    generated slopes; /* (t, x, u, guess) -> A n x n, y nz, H nz x n, G n x np */
    const double *slopes_h;
    advance_t *advance;
    void *stepper;
    int64_t n, nv, nz, np, substeps;
    const double *stepped; /* the stepper's own state */
    double *x, *u, *guess; /* the estimate, and the stepper's inputs and dependent coordinates */
    double *P;             /* n x n, of the errors */
    double *A, *y, *H, *G; /* what slopes give */
    double *F, *W, *V, *power, *d, *gain; /* room: three n x n, one n x n, n, n */
    const double *densities, *doubts;     /* n, np: sigma of white noise, sigma sqrt(2 memory) of parameters */
    const double *R;                      /* nz variances of the sensors */
    double *innovation, *share;           /* nz: z - h(x), and its square by its variance */
    int64_t *used;                        /* nz: 1 used, 0 not measured, -1 refused by the gate */
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

/* B <- A^-1 B by elimination with partial pivoting; A is overwritten. 0 where A is singular */
static int solve(int64_t n, double *A, double *B)
{
    int64_t i, j, k;
    for (k = 0; k < n; k++) {
        int64_t best = k;
        for (i = k + 1; i < n; i++)
            if (fabs(A[n*i + k]) > fabs(A[n*best + k]))
                best = i;
        if (A[n*best + k] == 0.0)
            return 0;
        for (j = 0; best != k && j < n; j++) {
            const double a = A[n*k + j], b = B[n*k + j];
            A[n*k + j] = A[n*best + j];
            A[n*best + j] = a;
            B[n*k + j] = B[n*best + j];
            B[n*best + j] = b;
        }
        for (i = k + 1; i < n; i++) {
            const double f = A[n*i + k]/A[n*k + k];
            if (f == 0.0)
                continue;
            for (j = k; j < n; j++)
                A[n*i + j] -= f*A[n*k + j];
            for (j = 0; j < n; j++)
                B[n*i + j] -= f*B[n*k + j];
        }
    }
    for (i = n - 1; i >= 0; i--)
        for (j = 0; j < n; j++) {
            double sum = B[n*i + j];
            for (k = i + 1; k < n; k++)
                sum -= A[n*i + k]*B[n*k + j];
            B[n*i + j] = sum/A[n*i + i];
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
    if (!solve(n, even, f->F))
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
    const int64_t n = f->n, nv = f->nv;
    const double dt = f->dt;
    int64_t i, j, k;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            double rate = i == j ? f->densities[i]*f->densities[i] : 0.0;
            for (k = 0; k < f->np; k++)
                rate += f->G[f->np*i + k]*f->G[f->np*j + k]*f->doubts[k]*f->doubts[k];
            f->P[n*i + j] += rate*dt;
            if (i >= nv && i < 2*nv && j >= nv && j < 2*nv)
                f->P[n*(i - nv) + j - nv] += rate*dt*dt*dt/3.0;
            if (i >= nv && i < 2*nv)
                f->P[n*(i - nv) + j] += rate*dt*dt/2.0;
            if (j >= nv && j < 2*nv)
                f->P[n*i + j - nv] += rate*dt*dt/2.0;
        }
}

static void slopes(filter_t *f)
{
    const double *in[4] = {&f->t, f->x, f->u, f->guess};
    double *out[4] = {f->A, f->y, f->H, f->G};
    f->slopes(in, out, f->slopes_h);
}

int predict(filter_t *f)
{
    const int64_t n = f->n;
    int64_t i, j, k;
    int status;
    slopes(f);
    if (!exponential(f))
        return NOT_FINITE;
    multiply(n, f->F, f->P, f->W);
    for (i = 0; i < n; i++)
        for (j = 0; j <= i; j++) {
            double sum = 0.0;
            for (k = 0; k < n; k++)
                sum += f->W[n*i + k]*f->F[n*j + k];
            f->P[n*i + j] = f->P[n*j + i] = sum;
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
    const int64_t n = f->n;
    double *dx = f->d, *PH = f->W;
    int64_t i, j, k;
    slopes(f);
    f->nis = 0.0;
    for (i = 0; i < n; i++)
        dx[i] = 0.0;
    for (k = 0; k < f->nz; k++) {
        const double *h = f->H + n*k;
        double y = z[k] - f->y[k], S = f->R[k];
        f->innovation[k] = f->share[k] = NAN;
        f->used[k] = 0;
        if (!isfinite(z[k]))
            continue;
        for (i = 0; i < n; i++) {
            double sum = 0.0;
            for (j = 0; j < n; j++)
                sum += f->P[n*i + j]*h[j];
            PH[i] = sum;
        }
        for (i = 0; i < n; i++) {
            S += h[i]*PH[i];
            y -= h[i]*dx[i];
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
        for (i = 0; i < n; i++) {
            f->gain[i] = PH[i]/S;
            dx[i] += f->gain[i]*y;
        }
        /* Joseph's form, written out for one measurement: P - K (PH)' - PH K' + K S K' */
        for (i = 0; i < n; i++)
            for (j = 0; j <= i; j++)
                f->P[n*i + j] = f->P[n*j + i] =
                    f->P[n*i + j] - f->gain[i]*PH[j] - PH[i]*f->gain[j] + f->gain[i]*S*f->gain[j];
    }
    for (i = 0; i < n; i++)
        f->x[i] += dx[i];
    return DONE;
}

/* steps with a row of inputs and of measurements each; the rows of estimates and of variances after them */
int64_t filter_steps(filter_t *f, int64_t steps, const double *u, int64_t nu, const double *z, double *mean,
                     double *variance, int *status)
{
    int64_t k, i;
    for (k = 0; k < steps; k++) {
        memcpy(f->u, u + nu*k, nu*sizeof *u);
        *status = predict(f);
        if (*status == DONE)
            *status = correct(f, z + f->nz*k);
        if (*status != DONE)
            return k;
        for (i = 0; i < f->n; i++) {
            mean[f->n*k + i] = f->x[i];
            variance[f->n*k + i] = f->P[f->n*i + i];
        }
    }
    return k;
}
