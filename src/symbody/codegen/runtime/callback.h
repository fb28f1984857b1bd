/* the function whose address is stored in h at `place` */
#ifndef RUNTIME_CALLBACK_H
#define RUNTIME_CALLBACK_H

#include <string.h>

#include "external.h"

static inline external *function_at(const double *place)
{
    external *f;
    memcpy(&f, place, sizeof f);
    return f;
}

#endif
