/* NAME through FMI 2.0: the functions of the standard for model exchange and co-simulation, around both.h. */
#ifdef FMI2_FUNCTION_PREFIX
#define PREFIX FMI2_FUNCTION_PREFIX
#else
#define PREFIX
#endif
#define VERSION fmi2
#include "both.h"

/* What the standard calls fmi2Real, fmi2Integer, fmi2Boolean, fmi2String and fmi2ValueReference. */
typedef double real;
typedef int integer;
typedef int boolean;
typedef const char *string;
typedef unsigned int reference;

typedef void (*log_function)(void *environment, string instance, int status, string category, string message, ...);

/* fmi2CallbackFunctions; memory comes from the C library */
typedef struct {
    log_function logger;
    void *(*allocate)(size_t, size_t);
    void (*free)(void *);
    void (*step_finished)(void *, int);
    void *environment;
} callbacks;

/* fmi2EventInfo */
typedef struct {
    boolean again, terminate, nominals_changed, states_changed, time_event;
    real next_time;
} event_info;

enum { DO_STEP, PENDING, LAST_SUCCESSFUL_TIME, IS_TERMINATED }; /* fmi2StatusKind */

static void tell(const instance *i, status s, const char *category, const char *message)
{
    if (i->logger)
        ((log_function)i->logger)(i->environment, i->name, s, category, message);
}

EXPORT string FMI(GetTypesPlatform)(void)
{
    return "default";
}

EXPORT string FMI(GetVersion)(void)
{
    return "2.0";
}

EXPORT status FMI(SetDebugLogging)(void *c, boolean on, size_t n, const string categories[])
{
    NEED(1, "SetDebugLogging");
    (void)n, (void)categories;
    ((instance *)c)->logging = on;
    return OK;
}

EXPORT void *FMI(Instantiate)(string name, int type, string guid, string resources, const callbacks *functions,
                              boolean visible, boolean logging)
{
    (void)resources, (void)visible;
    if (!functions)
        return NULL;
    return instantiate(type == 0 ? MODEL_EXCHANGE : CO_SIMULATION, name, guid, logging, functions->environment,
                       (void (*)(void))functions->logger);
}

EXPORT status FMI(SetupExperiment)(void *c, boolean tolerance_given, real tolerance, real start, boolean stop_given,
                                   real stop)
{
    NEED(i->k.mode == INSTANTIATED, "SetupExperiment");
    (void)tolerance_given, (void)tolerance, (void)stop_given, (void)stop;
    return set_time(c, start);
}

EXPORT status FMI(EnterInitializationMode)(void *c)
{
    NEED(i->k.mode == INSTANTIATED, "EnterInitializationMode");
    ((instance *)c)->k.mode = INITIALISING;
    return OK;
}

EXPORT status FMI(GetReal)(void *c, const reference vr[], size_t n, real value[])
{
    NEED(1, "GetReal");
    return get(c, vr, n, value);
}

EXPORT status FMI(SetReal)(void *c, const reference vr[], size_t n, const real value[])
{
    NEED(i->k.mode != TERMINATED, "SetReal");
    return set(c, vr, n, value);
}

/* All variables are real. */
#define NONE_OF(type, name)                                                          \
    EXPORT status FMI(Get##name)(void *c, const reference vr[], size_t n, type value[]) \
    {                                                                                \
        (void)vr, (void)value;                                                       \
        NEED(n == 0, "Get" #name);                                                   \
        return OK;                                                                   \
    }                                                                                \
    EXPORT status FMI(Set##name)(void *c, const reference vr[], size_t n, const type value[]) \
    {                                                                                \
        (void)vr, (void)value;                                                       \
        NEED(n == 0, "Set" #name);                                                   \
        return OK;                                                                   \
    }
NONE_OF(integer, Integer)
NONE_OF(boolean, Boolean)
NONE_OF(string, String)

EXPORT status FMI(GetFMUstate)(void *c, void **state)
{
    NEED(1, "GetFMUstate");
    return save(c, state);
}

EXPORT status FMI(SetFMUstate)(void *c, void *state)
{
    NEED(1, "SetFMUstate");
    return restore(c, state);
}

EXPORT status FMI(FreeFMUstate)(void *c, void **state)
{
    NEED(state != NULL, "FreeFMUstate");
    free(*state);
    *state = NULL;
    return OK;
}

EXPORT status FMI(SerializedFMUstateSize)(void *c, void *state, size_t *size)
{
    NEED(state != NULL, "SerializedFMUstateSize");
    *size = sizeof(kept);
    return OK;
}

EXPORT status FMI(SerializeFMUstate)(void *c, void *state, char bytes[], size_t size)
{
    NEED(1, "SerializeFMUstate");
    return serialise(c, state, bytes, size);
}

EXPORT status FMI(DeSerializeFMUstate)(void *c, const char bytes[], size_t size, void **state)
{
    NEED(1, "DeSerializeFMUstate");
    return deserialise(c, bytes, size, state);
}

EXPORT status FMI(GetDirectionalDerivative)(void *c, const reference unknowns[], size_t nu, const reference knowns[],
                                            size_t nk, const real seed[], real sensitivity[])
{
    NEED(EVALUATING, "GetDirectionalDerivative");
    return directional(c, 0, unknowns, nu, knowns, nk, seed, sensitivity);
}

/* -- model exchange ----------------------------------------------------------------------------------------------- */

EXPORT status FMI(NewDiscreteStates)(void *c, event_info *info)
{
    static const event_info nothing = {0, 0, 0, 0, 0, 0.0};
    NEED(EXCHANGING, "NewDiscreteStates");
    *info = nothing;
    return OK;
}

EXPORT status FMI(CompletedIntegratorStep)(void *c, boolean no_way_back, boolean *event, boolean *terminate)
{
    NEED(EXCHANGING, "CompletedIntegratorStep");
    (void)no_way_back;
    *event = *terminate = 0;
    return problem(c, NAME_watch(&((instance *)c)->k.system));
}

EXPORT status FMI(GetDerivatives)(void *c, real xd[], size_t n)
{
    NEED(i->kind == MODEL_EXCHANGE && i->k.mode != INSTANTIATED, "GetDerivatives");
    return get_rates(c, xd, n);
}

/* -- co-simulation ------------------------------------------------------------------------------------------------ */

EXPORT status FMI(SetRealInputDerivatives)(void *c, const reference vr[], size_t n, const integer order[],
                                           const real value[])
{
    NEED(i->kind == CO_SIMULATION, "SetRealInputDerivatives");
    return set_input_slopes(c, vr, n, order, value);
}

EXPORT status FMI(GetRealOutputDerivatives)(void *c, const reference vr[], size_t n, const integer order[],
                                            real value[])
{
    (void)vr, (void)order, (void)value;
    NEED(i->kind == CO_SIMULATION && n == 0, "GetRealOutputDerivatives");
    return OK;
}

EXPORT status FMI(DoStep)(void *c, real t, real length, boolean no_way_back)
{
    NEED(STEPPING, "DoStep");
    (void)no_way_back;
    return advance(c, t, length);
}

/* Steps are never pending. */
EXPORT status FMI(CancelStep)(void *c)
{
    NEED(0, "CancelStep");
    return OK;
}

EXPORT status FMI(GetStatus)(void *c, int kind, status *value)
{
    (void)kind, (void)value;
    NEED(0, "GetStatus");
    return DISCARD;
}

EXPORT status FMI(GetRealStatus)(void *c, int kind, real *value)
{
    NEED(i->kind == CO_SIMULATION && kind == LAST_SUCCESSFUL_TIME, "GetRealStatus");
    *value = ((instance *)c)->k.system.t;
    return OK;
}

EXPORT status FMI(GetIntegerStatus)(void *c, int kind, integer *value)
{
    (void)kind, (void)value;
    NEED(0, "GetIntegerStatus");
    return DISCARD;
}

EXPORT status FMI(GetBooleanStatus)(void *c, int kind, boolean *value)
{
    NEED(i->kind == CO_SIMULATION && kind == IS_TERMINATED, "GetBooleanStatus");
    *value = 0;
    return OK;
}

EXPORT status FMI(GetStringStatus)(void *c, int kind, string *value)
{
    (void)kind, (void)value;
    NEED(0, "GetStringStatus");
    return DISCARD;
}
