/* NAME from its start with fixed steps; prints a table of its outputs.
   ./NAME [seconds [step [parameter=value input=value ...]]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "NAME_system.h"

static const char *const INPUTS[] = {INPUT_NAMES};
static const char *const PARAMETERS[] = {PARAMETER_NAMES};

/* Where the value of a word name=value goes, in an array with these names; NULL if it is none of them. */
static double *place(const char *word, int n, const char *const *names, double *values)
{
    int k;
    for (k = 0; k < n; k++) {
        const size_t length = strlen(names[k]);
        if (!strncmp(word, names[k], length) && word[length] == '=')
            return values + k;
    }
    return NULL;
}

static void print_row(double t, const double *y)
{
    int k;
    printf("%.17g", t);
    for (k = 0; k < NAME_NY; k++)
        printf(",%.17g", y[k]);
    putchar('\n');
}

int main(int argc, char **argv)
{
    static NAME_system s;
    static double y[NAME_ROOM(NAME_NY)];
    const double seconds = argc > 1 ? atof(argv[1]) : 1.0, dt = argc > 2 ? atof(argv[2]) : 1e-3;
    const long steps = dt > 0.0 ? (long)(seconds/dt + 0.5) : 0;
    long k;
    int status;
    NAME_reset(&s);
    for (k = 3; k < argc; k++) {
        double *value = place(argv[k], NAME_NU, INPUTS, s.u);
        if (!value)
            value = place(argv[k], NAME_NP, PARAMETERS, s.p);
        if (!value) {
            fprintf(stderr, "%s: not name=value of an input or a parameter\n", argv[k]);
            return 2;
        }
        *value = atof(strchr(argv[k], '=') + 1);
    }
    status = NAME_begin(&s);
    puts(HEADER);
    for (k = 0; k <= steps && status == NAME_DONE; k++) {
        s.t = k*dt;
        NAME_observe(&s, y);
        print_row(s.t, y);
        if (k < steps)
            status = NAME_step(&s, dt); /* on a board: sensors to s.u before it, y to the drives after it */
    }
    if (status != NAME_DONE)
        fprintf(stderr, "NAME stopped at t = %g s: %s\n", s.t,
                status == NAME_NOT_CLOSED ? "the loops do not close"
                : status == NAME_NEAR_SINGULAR ? "near a singular position" : "not finite");
    return status != NAME_DONE;
}
