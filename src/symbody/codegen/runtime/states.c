/* A generated function for many states, one after the other. Used until the library for several at once is built. */
#include <stddef.h>

#include "steps.h"

/* from one state to the next, the pointers `in` advance by `stride` and `out` by `size` */
void each_state(generated call, size_t n, size_t n_in, size_t n_out, const double **in, const size_t *stride, double **out,
                const size_t *size, const double *h)
{
    size_t i, k;
    for (i = 0; i < n; i++) {
        call((const double *const *)in, out, h);
        for (k = 0; k < n_in; k++)
            in[k] += stride[k];
        for (k = 0; k < n_out; k++)
            out[k] += size[k];
    }
}
