/* Friction of an impact. The impacts of the thesis are frictionless.

   Newton's restitution determines the motion along the normals, y1 = y - (1 + e) Q Q^T y. Tangential impulses p_t
   obey Coulomb's law with the velocities J_t v' after the impact: a contact sticks, J_t v' = 0, or slides with mu
   p_n. With the columns B = (1 - Q Q^T) L^-1 J_t^T, which change no normal velocity, this is
     p_t = argmin |B p_t|^2/2 + p_t . J_t v1   with |p_t| <= mu p_n at each contact,
   where p_n contains the normal impulses that B p_t needs: bounds and impulses are found together by projected
   Gauss-Seidel. Restitution with sticking can require more energy than there was; then all p_t are shortened until
   energy does not grow. This is always possible, as p_t = 0 is the frictionless impact. So energy never grows, for
   any number of contacts and of iterations. */
#ifndef HAPTICS_IMPACT_FRICTION_H
#define HAPTICS_IMPACT_FRICTION_H

#include <math.h>
#include <string.h>

#include "../../codegen/runtime/linear_algebra.h"
#include "impact_basis.h"
#include "scene.h"

enum { RUBS = 100 };
static const double RUBBED = 1e-9; /* share of the largest normal impulse: smaller changes end the iteration */

/* columns B and their parts G = Q^T L^-1 J_t^T along the normals; for each contact the largest width (1/kg), 0: no
   sliding */
static inline void friction_columns(scene_t *s, int64_t n, int64_t c, int64_t rank, double *width)
{
    work_t *w = s->work;
    const int64_t ways = s->nh == 3 ? 1 : 2;
    int64_t j, a, i, r;
    for (j = 0; j < c; j++) {
        double whole = 0.0, square[2] = {0.0, 0.0}, mixed = 0.0;
        for (a = 0; a < ways; a++) {
            double *b = w->B[2*j + a];
            scaled_column(s, &w->rows[w->chosen[j]][1 + a], n, b);
            whole = fmax(whole, dot_n(n, b, b));
            for (r = 0; r < rank; r++) {
                const double along = w->G[2*j + a][r] = dot_n(n, w->Q[r], b);
                for (i = 0; i < n; i++)
                    b[i] -= along*w->Q[r][i];
            }
            square[a] = dot_n(n, b, b);
        }
        mixed = ways == 2 ? dot_n(n, w->B[2*j], w->B[2*j + 1]) : 0.0;
        width[j] = 0.5*(square[0] + square[1] + sqrt((square[0] - square[1])*(square[0] - square[1]) + 4.0*mixed*mixed));
        if (width[j] <= REDUNDANT*REDUNDANT*whole)
            width[j] = 0.0;
    }
}

static inline double along_normals(const work_t *w, int64_t n, int64_t rank, const double *G, const double *y)
{
    double total = 0.0;
    int64_t r;
    for (r = 0; r < rank; r++)
        total += G[r]*dot_n(n, w->Q[r], y);
    return total;
}

/* p_t into `across`, two numbers per contact; updates the change of y and its part along the normals */
static inline void rub_impact(scene_t *s, int64_t n, int64_t c, int64_t rank, double *along, double *across)
{
    const double mu = s->settings.mu_impact;
    const int64_t ways = s->nh == 3 ? 1 : 2;
    work_t *w = s->work;
    double width[CONTACTS], bound[CONTACTS], slip[2*CONTACTS], p[2*CONTACTS], normal[DOF], moved[DOF] = {0}, y[DOF];
    double largest = 0.0, slack, slope, share, size;
    int64_t j, a, i, r, sweep, done = 0;
    if (c > CONTACTS || !factor_impulses(w, c, rank))
        return;
    friction_columns(s, n, c, rank, width);
    least_impulses(w, c, rank, along, p);
    for (j = 0; j < c; j++)
        bound[j] = mu*fmax(p[j], 0.0), largest = fmax(largest, fabs(p[j]));
    for (i = 0; i < n; i++)
        y[i] = w->y[i] + w->change[i];
    for (j = 0; j < 2*c; j++) /* J_t v1 */
        slip[j] = j % 2 < ways ? dot_n(n, w->B[j], y) + along_normals(w, n, rank, w->G[j], y) : 0.0;
    for (sweep = 0; sweep < RUBS && !done; sweep++) {
        double most = 0.0;
        memcpy(normal, along, rank*sizeof *normal);
        for (j = 0; j < c; j++) {
            double *t = across + 2*j, was[2] = {t[0], t[1]};
            for (a = 0; a < ways && width[j] > 0.0; a++)
                t[a] -= (slip[2*j + a] + dot_n(n, w->B[2*j + a], moved))/width[j];
            size = sqrt(t[0]*t[0] + t[1]*t[1]);
            for (a = 0; a < ways; a++) {
                t[a] = size > bound[j] ? t[a]*bound[j]/size : t[a];
                for (i = 0; i < n; i++)
                    moved[i] += (t[a] - was[a])*w->B[2*j + a][i];
                for (r = 0; r < rank; r++)
                    normal[r] -= t[a]*w->G[2*j + a][r];
                most = fmax(most, fabs(t[a] - was[a]));
            }
        }
        least_impulses(w, c, rank, normal, p);
        for (j = 0; j < c; j++) {
            const double now = mu*fmax(p[j], 0.0);
            most = fmax(most, fabs(now - bound[j]));
            bound[j] = 0.5*(bound[j] + now); /* half a step, to avoid oscillation */
        }
        done = most <= RUBBED*largest;
    }
    size = dot_n(n, moved, moved);
    slope = dot_n(n, moved, y), slack = fmax(dot_n(n, w->y, w->y) - dot_n(n, y, y), 0.0);
    share = size > 0.0 ? (sqrt(slope*slope + size*slack) - slope)/size : 0.0; /* |y1 + share moved| = |y| */
    share = share < 1.0 ? share : 1.0;
    for (j = 0; j < 2*c; j++)
        across[j] *= share;
    for (i = 0; i < n; i++)
        w->change[i] += share*moved[i];
    for (r = 0; r < rank; r++)
        along[r] += share*(normal[r] - along[r]);
}

#endif
