#ifndef NAME_H
#define NAME_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

DECLARATIONS

/* the same for every generated function: inputs and outputs in the order above */
void NAME_call(const double *const *in, double *const *out, const double *h);

/* n states in rows; stride[i] is the length of a row of input i, or 0 where all states share one; in NAME_batch.c */
void NAME_batch(size_t n, const double *const *in, const size_t *stride, double *const *out, const double *h);

#ifdef __cplusplus
}
#endif

#endif
