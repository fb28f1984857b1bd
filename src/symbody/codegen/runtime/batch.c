/* NAME for many states: the function of NAME.c with one state in each lane of the machine's vectors. */
LANES_H
#define NAME NAME_lanes
#define SYMBODY_BATCH
#include "NAME.c"

#if !defined(SYMBODY_UNIT) || SYMBODY_UNIT == 0

/* lane k takes state first + k; lanes beyond the last state repeat it */
static inline void gather(size_t size, const double *in, size_t stride, size_t first, size_t last, real *x)
{
    for (size_t k = 0; k < LANES; k++) {
        const double *state = in + stride*(first + k < last ? first + k : last);
        for (size_t j = 0; j < size; j++)
            ((double *)x)[j*LANES + k] = state[j];
    }
}

static inline void scatter(size_t size, const real *x, size_t first, size_t last, double *out)
{
    for (size_t k = 0; k < LANES && first + k <= last; k++)
        for (size_t j = 0; j < size; j++)
            out[size*(first + k) + j] = ((const double *)x)[j*LANES + k];
}

void NAME_batch(size_t n, const double *const *in, const size_t *stride, double *const *out, const double *h);
void NAME_batch(size_t n, const double *const *in, const size_t *stride, double *const *out, const double *h)
{
ARRAYS
    (void)h;
    for (size_t i = 0; i < n; i += LANES) {
STEPS
    }
}

#endif
