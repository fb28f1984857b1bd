/* The functions that have the same form in FMI 2 and 3. VERSION begins their names; linked statically, each FMU has a
   PREFIX of its own before that. */
#include "instance.h"

#define JOINED(a, b, c) a##b##c
#define JOIN(a, b, c) JOINED(a, b, c)
#define FMI(name) JOIN(PREFIX, VERSION, name)
#define QUOTED(x) #x
#define QUOTE(x) QUOTED(x)

/* Whether a call fits the kind of instance and its mode. */
static status allowed(const instance *i, int fits, const char *function)
{
    if (!i)
        return ERROR;
    return fits ? OK : report(i, ERROR, "%s cannot be called now, or not with these arguments", function);
}

#define NEED(fits, function)                                                    \
    do {                                                                        \
        const instance *i = c;                                                  \
        const status s = allowed(i, i && (fits), QUOTE(VERSION) function);      \
        if (s != OK)                                                            \
            return s;                                                           \
    } while (0)

#define EVALUATING (i->k.mode == INITIALISING || i->k.mode == RUNNING)
#define EXCHANGING (i->kind == MODEL_EXCHANGE && i->k.mode == RUNNING)
#define STEPPING (i->kind == CO_SIMULATION && i->k.mode == RUNNING)

EXPORT void FMI(FreeInstance)(void *c)
{
    release(c);
}

EXPORT status FMI(ExitInitializationMode)(void *c)
{
    NEED(i->k.mode == INITIALISING, "ExitInitializationMode");
    return exit_initialisation(c);
}

EXPORT status FMI(Terminate)(void *c)
{
    NEED(i->k.mode == RUNNING, "Terminate");
    ((instance *)c)->k.mode = TERMINATED;
    return OK;
}

EXPORT status FMI(Reset)(void *c)
{
    NEED(1, "Reset");
    return reset(c);
}

EXPORT status FMI(EnterEventMode)(void *c)
{
    NEED(EXCHANGING, "EnterEventMode");
    return OK;
}

EXPORT status FMI(EnterContinuousTimeMode)(void *c)
{
    NEED(EXCHANGING, "EnterContinuousTimeMode");
    return OK;
}

EXPORT status FMI(SetTime)(void *c, double t)
{
    NEED(EXCHANGING, "SetTime");
    return set_time(c, t);
}

EXPORT status FMI(SetContinuousStates)(void *c, const double x[], size_t n)
{
    NEED(EXCHANGING, "SetContinuousStates");
    return set_states(c, x, n);
}

EXPORT status FMI(GetEventIndicators)(void *c, double z[], size_t n)
{
    (void)z;
    NEED(i->kind == MODEL_EXCHANGE && n == 0, "GetEventIndicators");
    return OK;
}

EXPORT status FMI(GetContinuousStates)(void *c, double x[], size_t n)
{
    NEED(i->kind == MODEL_EXCHANGE, "GetContinuousStates");
    return get_states(c, x, n);
}

EXPORT status FMI(GetNominalsOfContinuousStates)(void *c, double x[], size_t n)
{
    NEED(i->kind == MODEL_EXCHANGE, "GetNominalsOfContinuousStates");
    return get_nominals(c, x, n);
}
