/* A generated function inside XLA, the compiler of JAX: its typed interface for foreign functions, in C.
   Arrays of the batch are read and written where XLA keeps them; single precision is converted. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <xla/ffi/api/c_api.h>

#include "../codegen/runtime/loop_closer.h"

#define MOST 16 /* inputs or outputs */
#define TEXT 400 /* bytes of a message */

/* filled by Python, which keeps it while the process runs; `batch` is NULL until it is compiled */
typedef struct {
    void (*call)(const double *const *in, double *const *out, const double *h);
    void (*batch)(size_t n, const double *const *in, const size_t *stride, double *const *out, const double *h);
    const double *h;
    int64_t n_in, n_out, in_size[MOST], out_size[MOST];
    const loop_closer_t *loops; /* closes the loops of each state from the start; NULL: they are closed from an input */
    int64_t guess, known[LOOP_INPUTS]; /* inputs: that which gets the result, and t, x, u, p (-1: none) */
} Routine;

static XLA_FFI_Error *fail(XLA_FFI_CallFrame *frame, const char *message)
{
    XLA_FFI_Error_Create_Args args = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, NULL, message, XLA_FFI_Error_Code_INVALID_ARGUMENT};
    return frame->api->XLA_FFI_Error_Create(&args);
}

static int64_t elements(const XLA_FFI_Buffer *b)
{
    int64_t n = 1;
    for (int64_t i = 0; i < b->rank; i++)
        n *= b->dims[i];
    return n;
}

static void each_state(const Routine *f, size_t n, const double **in, const size_t *stride, double **out)
{
    for (size_t k = 0; k < n; k++) {
        f->call((const double *const *)in, out, f->h);
        for (int64_t i = 0; i < f->n_in; i++)
            in[i] += stride[i];
        for (int64_t i = 0; i < f->n_out; i++)
            out[i] += f->out_size[i];
    }
}

static void evaluate(const Routine *f, size_t n, const double **in, const size_t *stride, double **out)
{
    if (f->batch)
        f->batch(n, (const double *const *)in, stride, out, f->h);
    else
        each_state(f, n, in, stride, out);
}

/* the outputs of states whose loops are open */
static void mask(const Routine *f, size_t n, const double *v, double *const *out)
{
    const size_t nd = (size_t)f->loops->path.nd;
    for (size_t k = 0; k < n; k++)
        for (int64_t i = 0; i < f->n_out && isnan(v[k*nd]); i++)
            for (int64_t j = 0; j < f->out_size[i]; j++)
                out[i][(int64_t)k*f->out_size[i] + j] = NAN;
}

/* All states. Returns 0 without memory; `text` has the reason if loops are open. */
static int compute(const Routine *f, size_t n, const double **in, size_t *stride, double **out, char *text)
{
    const double *known[LOOP_INPUTS];
    double *v, *first[MOST];
    size_t steps[LOOP_INPUTS], size;
    loop_end_t end;
    if (!f->loops) {
        evaluate(f, n, in, stride, out);
        return 1;
    }
    for (int k = 0; k < LOOP_INPUTS; k++) {
        known[k] = f->known[k] < 0 ? NULL : in[f->known[k]];
        steps[k] = f->known[k] < 0 ? 0 : stride[f->known[k]];
    }
    size = n*(size_t)f->loops->path.nd;
    v = malloc((size + LOOP_CLOSER_WORK(f->loops))*sizeof *v);
    if (!v)
        return 0;
    if (close_each(f->loops, n, known, steps, v, v + size, &end) < n)
        open_loop_text(f->loops, &end, TEXT, text);
    in[f->guess] = v;
    stride[f->guess] = (size_t)f->loops->path.nd;
    for (int64_t i = 0; i < f->n_out; i++)
        first[i] = out[i];
    evaluate(f, n, in, stride, out);
    mask(f, n, v, first);
    free(v);
    return 1;
}

/* the same through copies in double precision */
static int compute_single(const Routine *f, size_t n, XLA_FFI_Buffer **args, size_t *stride, XLA_FFI_Buffer **rets,
                          char *text)
{
    const double *in[MOST];
    double *out[MOST];
    size_t total = 1;
    int done;
    for (int64_t i = 0; i < f->n_in; i++)
        total += args[i] ? (size_t)elements(args[i]) : 0;
    for (int64_t i = 0; i < f->n_out; i++)
        total += n*(size_t)f->out_size[i];
    double *memory = malloc(total*sizeof *memory), *next = memory;
    if (!memory)
        return 0;
    for (int64_t i = 0; i < f->n_in; i++) {
        int64_t size = args[i] ? elements(args[i]) : 0;
        for (int64_t k = 0; k < size; k++)
            next[k] = ((const float *)args[i]->data)[k];
        in[i] = next;
        next += size;
    }
    double *results = next;
    for (int64_t i = 0; i < f->n_out; i++) {
        out[i] = next;
        next += n*(size_t)f->out_size[i];
    }
    done = compute(f, n, in, stride, out, text);
    for (int64_t i = 0; i < f->n_out; i++)
        for (size_t k = 0; k < n*(size_t)f->out_size[i]; k++)
            ((float *)rets[i]->data)[k] = (float)*results++;
    free(memory);
    return done;
}

XLA_FFI_Error *symbody_states(XLA_FFI_CallFrame *frame);
XLA_FFI_Error *symbody_states(XLA_FFI_CallFrame *frame)
{
    if (frame->extension_start && frame->extension_start->type == XLA_FFI_Extension_Metadata) {
        XLA_FFI_Metadata *about = ((XLA_FFI_Metadata_Extension *)frame->extension_start)->metadata;
        about->api_version.major_version = XLA_FFI_API_MAJOR;
        about->api_version.minor_version = XLA_FFI_API_MINOR;
        return NULL;
    }
    if (frame->stage != XLA_FFI_ExecutionStage_EXECUTE)
        return NULL;
    const Routine *f = *(const Routine **)((XLA_FFI_Scalar *)frame->attrs.attrs[0])->value;
    const int64_t rank = *(const int64_t *)((XLA_FFI_Scalar *)frame->attrs.attrs[1])->value; /* of a single state */
    XLA_FFI_Buffer **given = (XLA_FFI_Buffer **)frame->args.args, **rets = (XLA_FFI_Buffer **)frame->rets.rets;
    XLA_FFI_Buffer *args[MOST];
    if (frame->args.size != f->n_in - (f->loops != NULL) || frame->rets.size != f->n_out)
        return fail(frame, "symbody: not as many arrays as the function has");
    const double *in[MOST];
    double *out[MOST];
    size_t n = 0, stride[MOST];
    char text[TEXT] = "";
    for (int64_t i = 0; i < f->n_in; i++)
        args[i] = f->loops && i == f->guess ? NULL : *given++;
    for (int64_t i = 0; i < f->n_out; i++) {
        out[i] = rets[i]->data;
        if (f->out_size[i])
            n = (size_t)(elements(rets[i])/f->out_size[i]);
    }
    for (int64_t i = 0; i < f->n_in; i++) {
        int64_t size = f->in_size[i];
        stride[i] = 0;
        if (!args[i])
            continue;
        int64_t count = elements(args[i]);
        if (args[i]->dtype != args[0]->dtype || (count != size && count != size*(int64_t)n))
            return fail(frame, "symbody: arrays of different types or batches");
        stride[i] = count == size && n != 1 ? 0 : (size_t)size;
        in[i] = args[i]->data;
    }
    int done;
    if (!f->n_in || args[0]->dtype == XLA_FFI_DataType_F64)
        done = compute(f, n, in, stride, out, text);
    else if (args[0]->dtype == XLA_FFI_DataType_F32)
        done = compute_single(f, n, args, stride, rets, text);
    else
        return fail(frame, "symbody: neither single nor double precision");
    if (!done)
        return fail(frame, "symbody: no memory for the batch");
    return text[0] && n == 1 && rets[0]->rank == rank ? fail(frame, text) : NULL;
}
