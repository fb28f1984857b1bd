/* Cells of the height field: soil that is moved, spread and heaped, and the flow of slopes that are too steep. What
   leaves a cell arrives in another, so the volume stays. */
#ifndef SOIL_CELLS_H
#define SOIL_CELLS_H

#include <math.h>
#include <stdint.h>

#include "soil.h"

enum { FARTHEST = 64 };         /* cells that pressed soil moves at most */
static const double ABOVE = 0.25; /* cells: a body this far above the ground keeps soil from flowing under it */
enum { MANY_TILES = 32 };         /* fewer are faster in one thread */
enum { RESTS, LOOKS, FLOWS };     /* a tile */
static const double STOP = 0.98;  /* a slope that flows stops at this share of the slope at which it begins */

static inline int64_t tile_of(const soil_t *s, int64_t cell)
{
    const int64_t across = (s->columns + TILE - 1)/TILE, row = row_of(s, cell);
    return row/TILE*across + (cell - row*s->columns)/TILE;
}

static inline void wake(soil_t *s, int64_t cell)
{
    s->awake[tile_of(s, cell)] = 2.0;
}

/* add soil of a height (m, negative: take it); fresh soil fills what was pressed */
static inline void heap(soil_t *s, int64_t cell, double dh)
{
    s->height[cell] += dh;
    if (dh > 0.0)
        s->sinkage[cell] = s->sinkage[cell] > dh ? s->sinkage[cell] - dh : 0.0;
    wake(s, cell);
}

/* whether a body rests on a cell in this step */
static inline int is_loaded(const soil_t *s, int64_t cell)
{
    return s->touched[cell] == s->count[STEP];
}

/* Note the vertical force of a body on a cell, also 0 of one just above it. */
static inline void press(soil_t *s, int64_t cell, double force)
{
    if (is_loaded(s, cell)) {
        s->load[cell] += force;
        return;
    }
    s->load[cell] = force;
    s->touched[cell] = s->count[STEP];
    wake(s, cell);
}

/* Load (N) that arrives at a cell two blocks below, from the loads of bodies around it: the 2-fold kernel of equations 13
   and 14 of Pub. V with phi = (1, 2, 1)/4, along rows and columns. */
static inline double load_below(const soil_t *s, int64_t cell)
{
    static const double passed[5] = {1.0/16.0, 4.0/16.0, 6.0/16.0, 4.0/16.0, 1.0/16.0};
    const int64_t row = row_of(s, cell), column = cell - row*s->columns;
    double sum = 0.0;
    int64_t i, k;
    for (i = row > 2 ? row - 2 : 0; i <= row + 2 && i < s->rows; i++)
        for (k = column > 2 ? column - 2 : 0; k <= column + 2 && k < s->columns; k++)
            if (is_loaded(s, i*s->columns + k))
                sum += passed[i - row + 2]*passed[k - column + 2]*s->load[i*s->columns + k];
    return sum;
}

/* h' = h + eta f/(d^2 rho g) (Jaiswal, Pub. V, equation 16), with the base pressure of the loads around */
static inline double pressed_height(const soil_t *s, int64_t cell)
{
    const material_t *m = s->material;
    return s->height[cell] + m->pressing*load_below(s, cell)/(s->spacing*s->spacing*m->density*m->gravity);
}

/* Lower a cell under a body by plastic flow. The soil moves when all bodies have been looked at, to both sides along
   `side` (a horizontal unit vector), or to four sides (none). */
static inline void sink(soil_t *s, int64_t cell, double dh, const double *side)
{
    if (!(dh > 0.0) || s->nmoved == s->most_moved)
        return;
    s->height[cell] -= dh;
    s->sinkage[cell] += dh;
    s->moved_cell[s->nmoved] = cell;
    s->moved[s->nmoved] = dh;
    s->moved_side[2*s->nmoved] = side ? side[0] : 0.0;
    s->moved_side[2*s->nmoved++ + 1] = side ? side[1] : 0.0;
}

/* the first cell in a direction that carries no body, and its distance in cells; -1 if the terrain ends */
static inline int64_t beside(const soil_t *s, int64_t cell, double ex, double ey, int *steps)
{
    const int64_t home = row_of(s, cell);
    const double row = (double)home, column = (double)(cell - home*s->columns);
    int k;
    for (k = 1; k <= FARTHEST; k++) {
        const int64_t r = (int64_t)floor(row + k*ey + 0.5), c = (int64_t)floor(column + k*ex + 0.5);
        if (r < 0 || c < 0 || r >= s->rows || c >= s->columns)
            return -1;
        if (!is_loaded(s, r*s->columns + c)) {
            *steps = k;
            return r*s->columns + c;
        }
    }
    return -1;
}

/* Soil that bodies pressed out goes to the nearest free cells: shares (h' of the cell - h' of the other)/distance^2. */
static inline void spread(soil_t *s)
{
    int64_t k;
    for (k = 0; k < s->nmoved; k++) {
        const int64_t cell = s->moved_cell[k];
        const double ex = s->moved_side[2*k], ey = s->moved_side[2*k + 1], from = pressed_height(s, cell);
        const int four = ex == 0.0 && ey == 0.0, n = four ? 4 : 2;
        const double sides[4][2] = {{four ? 1.0 : ex, four ? 0.0 : ey}, {four ? -1.0 : -ex, four ? 0.0 : -ey},
                                    {0.0, 1.0}, {0.0, -1.0}};
        int64_t to[4];
        double share[4], total = 0.0, left = s->moved[k];
        int i, last = -1;
        for (i = 0; i < n; i++) {
            int steps = 1;
            to[i] = beside(s, cell, sides[i][0], sides[i][1], &steps);
            share[i] = 0.0;
            if (to[i] >= 0) {
                const double drop = from - pressed_height(s, to[i]);
                share[i] = (drop > 1e-6 ? drop : 1e-6)/((double)steps*steps);
                total += share[i];
                last = i;
            }
        }
        if (last < 0) /* no room: it stays where it is */
            heap(s, cell, left);
        for (i = 0; i <= last; i++)
            if (share[i] > 0.0) {
                const double part = i == last ? left : s->moved[k]*share[i]/total;
                heap(s, to[i], part);
                left -= part;
            }
    }
    s->nmoved = 0;
}

/* whether a slope of a tile is too steep */
static inline int is_steep(const soil_t *s, int64_t r0, int64_t c0)
{
    const int64_t n = s->columns, end = c0 + TILE < n ? c0 + TILE : n, inner = end < n ? end : n - 1;
    int64_t row, column;
    for (row = r0; row < r0 + TILE && row < s->rows; row++) {
        const double *h = s->height + row*n, *next = row < s->rows - 1 ? h + n : h, *grip = s->grip + row*n;
        int64_t steep = 0;
        for (column = c0; column < inner; column++) {
            const double dx = h[column] - h[column + 1], dy = h[column] - next[column], most = grip[column]*s->spacing;
            steep += dx*dx + dy*dy > most*most;
        }
        if (steep || (end == n && fabs(h[n - 1] - next[n - 1]) > grip[n - 1]*s->spacing))
            return 1;
    }
    return 0;
}

/* The flows out of the cells of a tile, and whether there are any. */
static void flow_out(void *of, int64_t tile)
{
    soil_t *s = of;
    const int64_t across = (s->columns + TILE - 1)/TILE, n = s->columns;
    const int64_t r0 = tile/across*TILE, c0 = tile%across*TILE;
    int64_t row, column;
    if (s->busy[tile] == RESTS || !is_steep(s, r0, c0))
        return;
    for (row = r0; row < r0 + TILE && row < s->rows; row++)
        for (column = c0; column < c0 + TILE && column < n; column++) {
            const int64_t k = row*n + column;
            const double dx = column < n - 1 ? s->height[k] - s->height[k + 1] : 0.0;
            const double dy = row < s->rows - 1 ? s->height[k] - s->height[k + n] : 0.0;
            const double square = dx*dx + dy*dy, most = s->grip[k]*s->spacing;
            s->flux[2*k] = s->flux[2*k + 1] = 0.0;
            if (square > most*most) {
                const double share = s->material->flow*(1.0 - STOP*most/sqrt(square));
                if (dx != 0.0 && !is_loaded(s, dx > 0.0 ? k + 1 : k))
                    s->flux[2*k] = share*dx;
                if (dy != 0.0 && !is_loaded(s, dy > 0.0 ? k + n : k))
                    s->flux[2*k + 1] = share*dy;
                if (s->flux[2*k] != 0.0 || s->flux[2*k + 1] != 0.0)
                    s->busy[tile] = FLOWS;
            }
        }
}

/* what the cells of a tile lose and gain */
static void flow_in(void *of, int64_t tile)
{
    soil_t *s = of;
    const int64_t across = (s->columns + TILE - 1)/TILE, n = s->columns;
    const int64_t r0 = tile/across*TILE, c0 = tile%across*TILE;
    const int own = s->busy[tile] == FLOWS;
    const int left = c0 > 0 && s->busy[tile - 1] == FLOWS, under = r0 > 0 && s->busy[tile - across] == FLOWS;
    int64_t row, column;
    if (!own && !left && !under)
        return;
    for (row = r0; row < r0 + TILE && row < s->rows; row++)
        for (column = c0; column < c0 + TILE && column < n; column++) {
            const int64_t k = row*n + column;
            double gain = own ? -s->flux[2*k] - s->flux[2*k + 1] : 0.0;
            if (column > c0 ? own : left)
                gain += s->flux[2*(k - 1)];
            if (row > r0 ? own : under)
                gain += s->flux[2*(k - n) + 1];
            if (gain != 0.0) {
                s->height[k] += gain;
                if (gain > 0.0)
                    s->sinkage[k] = s->sinkage[k] > gain ? s->sinkage[k] - gain : 0.0;
                s->awake[tile] = 2.0;
            }
        }
    if (own)
        s->awake[tile] = 2.0;
}

/* The flow of slopes steeper than the friction angle (Pub. V, equation 15, downhill positive); nothing flows under a
   body. Only tiles near a change are looked at, in parallel. A cell gathers its flows, so their order does not matter. */
static inline void flow(soil_t *s)
{
    const int64_t across = (s->columns + TILE - 1)/TILE, down = (s->rows + TILE - 1)/TILE, tiles = across*down;
    int64_t tile, row, column, many = 0;
    team_t *team;
    for (tile = 0; tile < tiles; tile++)
        s->busy[tile] = RESTS;
    for (tile = 0; tile < tiles; tile++)
        if (s->awake[tile] > 0.0) {
            const int64_t r = tile/across, c = tile%across;
            for (row = r > 0 ? r - 1 : 0; row <= r + 1 && row < down; row++)
                for (column = c > 0 ? c - 1 : 0; column <= c + 1 && column < across; column++)
                    s->busy[row*across + column] = LOOKS;
            s->awake[tile] -= 1.0;
            many++;
        }
    team = many >= MANY_TILES ? s->team : 0;
    share(team, flow_out, s, tiles);
    share(team, flow_in, s, tiles);
}

#endif
