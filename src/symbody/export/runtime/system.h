/* NAME: dx/dt = f(t, x, u, p), y = g(t, x, u, p), loops closed inside, and steps of fixed size.
   Nothing is allocated, nothing is global: all numbers of one machine are in one NAME_system.

   NAME_system s;
   NAME_reset(&s);             the start of the model
   s.p[...] = ...;             other parameters, inputs, states, where they are wanted
   NAME_begin(&s);             closes the loops
   for (;;) {
       s.u[...] = ...;
       NAME_step(&s, 1e-3);    of fourth order; s is as it was where this does not return NAME_DONE
       NAME_observe(&s, y);
   } */
#ifndef NAME_SYSTEM_H
#define NAME_SYSTEM_H

#ifdef __cplusplus
extern "C" {
#endif

SIZES

PLACES

/* what the functions return */
enum {
    NAME_DONE,
    NAME_NOT_FINITE,    /* a number became infinite or undefined */
    NAME_NOT_CLOSED,    /* no dependent coordinates were found that close the loops */
    NAME_NEAR_SINGULAR  /* a pivot of the loops vanishes: the chosen coordinates, or their order, end here */
};

/* C has no empty arrays. */
#define NAME_ROOM(n) ((n) > 0 ? (n) : 1)

typedef struct {
    double t;                            /* s */
    double x[NAME_ROOM(NAME_NX)];        /* coordinates, velocities, further states */
    double u[NAME_ROOM(NAME_NU)];        /* inputs, now */
    double slope[NAME_ROOM(NAME_NU)];    /* of the inputs within a step, per second; zero: they are held */
    double p[NAME_ROOM(NAME_NP)];        /* parameters; after a change of them: NAME_tune */
    double guess[NAME_ROOM(NAME_ND)];    /* dependent coordinates of the last evaluation, the next guess */
    double pivots[NAME_ROOM(NAME_NPIVOTS)]; /* of the loops' Jacobian at the beginning */
    double rates_h[NAME_ROOM(NAME_RATES_H)]; /* what depends on parameters only */
    double outputs_h[NAME_ROOM(NAME_OUTPUTS_H)];
} NAME_system;

/* Time, states, inputs and parameters of the model as it was exported. */
void NAME_reset(NAME_system *s);

/* Before the first step, and after x was set from outside: parameters take effect, loops are closed. */
int NAME_begin(NAME_system *s);

/* After a change of parameters on the way. */
void NAME_tune(NAME_system *s);

/* dx/dt now. */
int NAME_derivatives(NAME_system *s, double xd[]);

/* The outputs now. */
int NAME_observe(NAME_system *s, double y[]);

/* Whether the loops are as far from a singular position as they should be, now. */
int NAME_watch(NAME_system *s);

/* One step of dt seconds: of fourth order (Runge, Kutta), or semi-implicit of first order. */
int NAME_step(NAME_system *s, double dt);
int NAME_step_semi_implicit(NAME_system *s, double dt);

#ifdef __cplusplus
}
#endif

#endif
