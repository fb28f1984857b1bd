/* A generated function, called in the same way whatever its inputs and outputs are. */
#ifndef RUNTIME_GENERATED_H
#define RUNTIME_GENERATED_H

typedef void (*generated)(const double *const *in, double *const *out, const double *h);

#endif
