/* NAME through FMI 3.0: the functions of the standard for model exchange and co-simulation, around both.h. */
#ifdef FMI3_FUNCTION_PREFIX
#define PREFIX FMI3_FUNCTION_PREFIX
#else
#define PREFIX
#endif
#define VERSION fmi3
#include "both.h"

#include <stdbool.h>

typedef const char *string;
typedef uint32_t reference;
typedef const uint8_t *binary;
typedef void (*log_function)(void *environment, int status, string category, string message);

static void tell(const instance *i, status s, const char *category, const char *message)
{
    if (i->logger)
        ((log_function)i->logger)(i->environment, s, category, message);
}

EXPORT string FMI(GetVersion)(void)
{
    return "3.0";
}

EXPORT status FMI(SetDebugLogging)(void *c, bool on, size_t n, const string categories[])
{
    NEED(1, "SetDebugLogging");
    (void)n, (void)categories;
    ((instance *)c)->logging = on;
    return OK;
}

EXPORT void *FMI(InstantiateModelExchange)(string name, string token, string resources, bool visible, bool logging,
                                           void *environment, log_function log)
{
    (void)resources, (void)visible;
    return instantiate(MODEL_EXCHANGE, name, token, logging, environment, (void (*)(void))log);
}

EXPORT void *FMI(InstantiateCoSimulation)(string name, string token, string resources, bool visible, bool logging,
                                          bool events, bool early_return, const reference intermediate[], size_t n,
                                          void *environment, log_function log, void (*update)(void))
{
    (void)resources, (void)visible, (void)events, (void)early_return, (void)intermediate, (void)n, (void)update;
    return instantiate(CO_SIMULATION, name, token, logging, environment, (void (*)(void))log);
}

EXPORT void *FMI(InstantiateScheduledExecution)(string name, string token, string resources, bool visible, bool logging,
                                                void *environment, log_function log, void (*update)(void),
                                                void (*lock)(void), void (*unlock)(void))
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)update, (void)lock, (void)unlock;
    if (log)
        log(environment, ERROR, "logStatusError", "this FMU has no scheduled execution");
    return NULL;
}

EXPORT status FMI(EnterInitializationMode)(void *c, bool tolerance_given, double tolerance, double start,
                                           bool stop_given, double stop)
{
    NEED(i->k.mode == INSTANTIATED, "EnterInitializationMode");
    (void)tolerance_given, (void)tolerance, (void)stop_given, (void)stop;
    ((instance *)c)->k.mode = INITIALISING;
    return set_time(c, start);
}

EXPORT status FMI(GetFloat64)(void *c, const reference vr[], size_t n, double values[], size_t m)
{
    NEED(m == n, "GetFloat64");
    return get(c, vr, n, values);
}

EXPORT status FMI(SetFloat64)(void *c, const reference vr[], size_t n, const double values[], size_t m)
{
    NEED(m == n && i->k.mode != TERMINATED, "SetFloat64");
    return set(c, vr, n, values);
}

/* All variables are Float64. */
#define NONE_OF(type, name)                                                                              \
    EXPORT status FMI(Get##name)(void *c, const reference vr[], size_t n, type values[], size_t m)       \
    {                                                                                                    \
        (void)vr, (void)values;                                                                          \
        NEED(n == 0 && m == 0, "Get" #name);                                                             \
        return OK;                                                                                       \
    }                                                                                                    \
    EXPORT status FMI(Set##name)(void *c, const reference vr[], size_t n, const type values[], size_t m) \
    {                                                                                                    \
        (void)vr, (void)values;                                                                          \
        NEED(n == 0 && m == 0, "Set" #name);                                                             \
        return OK;                                                                                       \
    }
NONE_OF(float, Float32)
NONE_OF(int8_t, Int8)
NONE_OF(uint8_t, UInt8)
NONE_OF(int16_t, Int16)
NONE_OF(uint16_t, UInt16)
NONE_OF(int32_t, Int32)
NONE_OF(uint32_t, UInt32)
NONE_OF(int64_t, Int64)
NONE_OF(uint64_t, UInt64)
NONE_OF(bool, Boolean)
NONE_OF(string, String)

EXPORT status FMI(GetBinary)(void *c, const reference vr[], size_t n, size_t sizes[], binary values[], size_t m)
{
    (void)vr, (void)sizes, (void)values;
    NEED(n == 0 && m == 0, "GetBinary");
    return OK;
}

EXPORT status FMI(SetBinary)(void *c, const reference vr[], size_t n, const size_t sizes[], const binary values[],
                             size_t m)
{
    (void)vr, (void)sizes, (void)values;
    NEED(n == 0 && m == 0, "SetBinary");
    return OK;
}

EXPORT status FMI(GetNumberOfVariableDependencies)(void *c, reference vr, size_t *n)
{
    (void)vr, (void)n;
    NEED(0, "GetNumberOfVariableDependencies");
    return OK;
}

EXPORT status FMI(GetVariableDependencies)(void *c, reference dependent, size_t elements[], reference independents[],
                                           size_t places[], int kinds[], size_t n)
{
    (void)dependent, (void)elements, (void)independents, (void)places, (void)kinds, (void)n;
    NEED(0, "GetVariableDependencies");
    return OK;
}

EXPORT status FMI(GetFMUState)(void *c, void **state)
{
    NEED(1, "GetFMUState");
    return save(c, state);
}

EXPORT status FMI(SetFMUState)(void *c, void *state)
{
    NEED(1, "SetFMUState");
    return restore(c, state);
}

EXPORT status FMI(FreeFMUState)(void *c, void **state)
{
    NEED(state != NULL, "FreeFMUState");
    free(*state);
    *state = NULL;
    return OK;
}

EXPORT status FMI(SerializedFMUStateSize)(void *c, void *state, size_t *size)
{
    NEED(state != NULL, "SerializedFMUStateSize");
    *size = sizeof(kept);
    return OK;
}

EXPORT status FMI(SerializeFMUState)(void *c, void *state, uint8_t bytes[], size_t size)
{
    NEED(1, "SerializeFMUState");
    return serialise(c, state, (char *)bytes, size);
}

EXPORT status FMI(DeserializeFMUState)(void *c, const uint8_t bytes[], size_t size, void **state)
{
    NEED(1, "DeserializeFMUState");
    return deserialise(c, (const char *)bytes, size, state);
}

EXPORT status FMI(GetDirectionalDerivative)(void *c, const reference unknowns[], size_t nu, const reference knowns[],
                                            size_t nk, const double seed[], size_t ns, double sensitivity[], size_t n)
{
    NEED(EVALUATING && ns == nk && n == nu, "GetDirectionalDerivative");
    return directional(c, 0, unknowns, nu, knowns, nk, seed, sensitivity);
}

EXPORT status FMI(GetAdjointDerivative)(void *c, const reference unknowns[], size_t nu, const reference knowns[],
                                        size_t nk, const double seed[], size_t ns, double sensitivity[], size_t n)
{
    NEED(EVALUATING && ns == nu && n == nk, "GetAdjointDerivative");
    return directional(c, 1, unknowns, nu, knowns, nk, seed, sensitivity);
}

/* There are no structural parameters, clocks, events or discrete states. */
#define NEVER(name, ...)                   \
    EXPORT status FMI(name)(__VA_ARGS__)   \
    {                                      \
        NEED(0, #name);                    \
        return OK;                         \
    }
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
NEVER(EnterConfigurationMode, void *c)
NEVER(ExitConfigurationMode, void *c)
NEVER(GetClock, void *c, const reference vr[], size_t n, bool values[])
NEVER(SetClock, void *c, const reference vr[], size_t n, const bool values[])
NEVER(GetIntervalDecimal, void *c, const reference vr[], size_t n, double intervals[], int qualifiers[])
NEVER(GetIntervalFraction, void *c, const reference vr[], size_t n, uint64_t a[], uint64_t b[], int qualifiers[])
NEVER(GetShiftDecimal, void *c, const reference vr[], size_t n, double shifts[])
NEVER(GetShiftFraction, void *c, const reference vr[], size_t n, uint64_t a[], uint64_t b[])
NEVER(SetIntervalDecimal, void *c, const reference vr[], size_t n, const double intervals[])
NEVER(SetIntervalFraction, void *c, const reference vr[], size_t n, const uint64_t a[], const uint64_t b[])
NEVER(SetShiftDecimal, void *c, const reference vr[], size_t n, const double shifts[])
NEVER(SetShiftFraction, void *c, const reference vr[], size_t n, const uint64_t a[], const uint64_t b[])
NEVER(ActivateModelPartition, void *c, reference clock, double time)
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

EXPORT status FMI(EvaluateDiscreteStates)(void *c)
{
    NEED(EVALUATING, "EvaluateDiscreteStates");
    return OK;
}

EXPORT status FMI(UpdateDiscreteStates)(void *c, bool *again, bool *terminate, bool *nominals_changed,
                                        bool *states_changed, bool *time_event, double *next_time)
{
    NEED(EVALUATING, "UpdateDiscreteStates");
    *again = *terminate = *nominals_changed = *states_changed = *time_event = false;
    *next_time = 0.0;
    return OK;
}

/* -- model exchange ----------------------------------------------------------------------------------------------- */

EXPORT status FMI(CompletedIntegratorStep)(void *c, bool no_way_back, bool *event, bool *terminate)
{
    NEED(EXCHANGING, "CompletedIntegratorStep");
    (void)no_way_back;
    *event = *terminate = false;
    return problem(c, NAME_watch(&((instance *)c)->k.system));
}

EXPORT status FMI(GetContinuousStateDerivatives)(void *c, double xd[], size_t n)
{
    NEED(i->kind == MODEL_EXCHANGE && i->k.mode != INSTANTIATED, "GetContinuousStateDerivatives");
    return get_rates(c, xd, n);
}

EXPORT status FMI(GetNumberOfEventIndicators)(void *c, size_t *n)
{
    NEED(i->kind == MODEL_EXCHANGE, "GetNumberOfEventIndicators");
    *n = 0;
    return OK;
}

EXPORT status FMI(GetNumberOfContinuousStates)(void *c, size_t *n)
{
    NEED(i->kind == MODEL_EXCHANGE, "GetNumberOfContinuousStates");
    *n = NX;
    return OK;
}

/* -- co-simulation ------------------------------------------------------------------------------------------------ */

EXPORT status FMI(EnterStepMode)(void *c)
{
    NEED(STEPPING, "EnterStepMode");
    return OK;
}

EXPORT status FMI(GetOutputDerivatives)(void *c, const reference vr[], size_t n, const int32_t orders[],
                                        double values[], size_t m)
{
    (void)vr, (void)orders, (void)values;
    NEED(i->kind == CO_SIMULATION && n == 0 && m == 0, "GetOutputDerivatives");
    return OK;
}

EXPORT status FMI(DoStep)(void *c, double t, double length, bool no_way_back, bool *event, bool *terminate,
                          bool *early, double *last)
{
    status s;
    NEED(STEPPING, "DoStep");
    (void)no_way_back;
    s = advance(c, t, length);
    *event = *terminate = *early = false;
    *last = ((instance *)c)->k.system.t;
    return s;
}
