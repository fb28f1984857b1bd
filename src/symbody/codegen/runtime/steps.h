/* What all steppers share: how generated functions are called, why a run may end, inputs between rows, quaternions. */
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef void (*generated)(const double *const *in, double *const *out, const double *h);
enum { DONE, NOT_FINITE, NEAR_SINGULAR, NOT_CONVERGED, BEYOND_LIMIT };

static inline int finite_all(int64_t n, const double *x)
{
    double total = 0.0;
    int64_t k;
    for (k = 0; k < n; k++)
        total += x[k]*0.0;
    return total == 0.0;
}

/* whether all numbers that must stay positive are; `n` of them, given by a generated function of (t, x, u, guess) */
static inline int within(generated limits, const double *h, const double *const *in, int64_t n, double *room)
{
    double *out[1] = {room};
    int64_t k;
    if (n == 0)
        return 1;
    limits(in, out, h);
    for (k = 0; k < n; k++)
        if (!(room[k] > 0.0))
            return 0;
    return 1;
}

/* inputs at a share of the way from the row of a step to the next; `row` numbers from row to row, 0 where one serves */
static inline const double *inputs_between(const double *u, int64_t row, int64_t nu, int64_t step, double share, double *between)
{
    const double *a = u + row*step;
    int64_t k;
    if (share == 0.0 || row == 0)
        return a;
    for (k = 0; k < nu; k++)
        between[k] = a[k] + share*(a[k + row] - a[k]);
    return between;
}

/* whether a pivot of the loops has come down to a share of what it was at first, or changed its sign */
static inline int shrunk(int64_t n, const double *pivots, const double *first, double share)
{
    int64_t k;
    for (k = 0; k < n; k++)
        if (!(pivots[k]/first[k] > share))
            return 1;
    return 0;
}

/* unit quaternions again; `balls` are pairs, the first of which says where in x one begins */
static inline void normalise(int64_t n, const int64_t *balls, double *x)
{
    int64_t k, i;
    for (k = 0; k < n; k++) {
        double *e = x + balls[2*k], size = sqrt(e[0]*e[0] + e[1]*e[1] + e[2]*e[2] + e[3]*e[3]);
        for (i = 0; i < 4; i++)
            e[i] /= size;
    }
}
