/* What an error-state Kalman filter keeps, and the functions that it calls: see filter.h. Nothing is allocated. */
typedef int advance_t(void *stepper, const double *x, int64_t n);

typedef struct {
    generated slopes; /* (t, x, u, guess) -> A n x n, G n x m */
    const double *slopes_h;
    generated sensors; /* (t, x, u, guess) -> y nz, H nz x n, J nz x m */
    const double *sensors_h;
    advance_t *advance;
    void *stepper;
    int64_t n, nv, nz, m, g, inputs, substeps, degree; /* degree: of the stability function; 0: F = exp(A dt) */
    const double *stepped; /* the stepper's own state */
    double *x, *u, *guess; /* the estimate, and the stepper's inputs and dependent coordinates */
    double *P;             /* (n + m) x (n + m) */
    double *A, *G, *y, *H, *J;                /* what the two functions give */
    double *F, *W, *V, *power, *N, *T, *d, *gain; /* room: n x n, but W and T as P, and d and gain n + m */
    double *scale;                            /* n powers of two, that brought A to like sizes in the last step */
    const double *stability;                  /* c_0 ... c_degree, then e_1 ... e_degree of the steps */
    const double *densities;                  /* n + m: sigma of white noise (unit by square root of s) */
    double *R;                                /* nz variances of the sensors */
    double *innovation, *share;               /* nz: z - h(x), and its square by its variance; NaN: not measured */
    const int64_t *place;                     /* where in u the inputs are that are estimated, the first unknown ones */
    double *offset;                           /* what they are thought to be besides what is told of them */
    double t, dt, gate, gamma;
} filter_t;
