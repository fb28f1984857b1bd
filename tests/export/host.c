/* A host without Python: loads an FMU's library, runs its co-simulation and prints one variable over time.
   usage: host LIBRARY TOKEN REFERENCE STEP STEPS */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    void (*log)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*free)(void *);
    void *finished, *environment;
} callbacks;

static void say(void *e, const char *who, int status, const char *kind, const char *text, ...)
{
    (void)e, (void)kind;
    fprintf(stderr, "%s %d %s\n", who, status, text);
}

static void *find(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "no %s\n", name);
        exit(3);
    }
    return found;
}

int main(int argc, char **argv)
{
    static const callbacks given = {say, calloc, free, NULL, NULL};
    void *library = argc == 6 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL, *unit;
    const unsigned reference = argc == 6 ? (unsigned)atoi(argv[3]) : 0;
    const double step = argc == 6 ? atof(argv[4]) : 0.0;
    const int steps = argc == 6 ? atoi(argv[5]) : 0;
    int k;
    if (!library) {
        fprintf(stderr, "%s\n", argc == 6 ? dlerror() : "usage");
        return 2;
    }
    unit = ((void *(*)(const char *, int, const char *, const char *, const callbacks *, int, int))
            find(library, "fmi2Instantiate"))("host", 1, argv[2], "", &given, 0, 0);
    if (!unit || ((int (*)(void *, int, double, double, int, double))find(library, "fmi2SetupExperiment"))(unit, 0, 0.0, 0.0, 0, 0.0)
        || ((int (*)(void *))find(library, "fmi2EnterInitializationMode"))(unit)
        || ((int (*)(void *))find(library, "fmi2ExitInitializationMode"))(unit))
        return 4;
    for (k = 0; k <= steps; k++) {
        double value;
        if (((int (*)(void *, const unsigned *, size_t, double *))find(library, "fmi2GetReal"))(unit, &reference, 1, &value))
            return 5;
        printf("%.17g\n", value);
        if (((int (*)(void *, double, double, int))find(library, "fmi2DoStep"))(unit, k*step, step, 1))
            return 6;
    }
    ((void (*)(void *))find(library, "fmi2FreeInstance"))(unit);
    return 0;
}
