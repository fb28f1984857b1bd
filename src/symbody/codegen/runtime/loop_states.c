/* Loops of many states, closed one after the other; called from Python. */
#include "loop_closer.h"

size_t close_states(const loop_closer_t *c, size_t n, const double *const *in, const size_t *stride, double *v, double *work,
                    loop_end_t *end)
{
    return close_each(c, n, in, stride, v, work, end);
}

void open_loop_reason(const loop_closer_t *c, const loop_end_t *end, size_t size, char *text)
{
    open_loop_text(c, end, size, text);
}
