/* A generated function inside XLA, the compiler of JAX: its typed interface for foreign functions, in C.
   Arrays of the batch are read and written where XLA keeps them; single precision is converted. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <xla/ffi/api/c_api.h>

#define MOST 16 /* inputs or outputs */

/* filled by Python, which keeps it while the process runs; `batch` is NULL until it is compiled */
typedef struct {
    void (*call)(const double *const *in, double *const *out, const double *h);
    void (*batch)(size_t n, const double *const *in, const size_t *stride, double *const *out, const double *h);
    const double *h;
    int64_t n_in, n_out, in_size[MOST], out_size[MOST];
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

static void compute(const Routine *f, size_t n, const double **in, const size_t *stride, double **out)
{
    if (f->batch)
        f->batch(n, (const double *const *)in, stride, out, f->h);
    else
        each_state(f, n, in, stride, out);
}

/* the same through copies in double precision */
static int compute_single(const Routine *f, size_t n, XLA_FFI_Buffer **args, const size_t *stride, XLA_FFI_Buffer **rets)
{
    const double *in[MOST];
    double *out[MOST];
    size_t total = 1;
    for (int64_t i = 0; i < f->n_in; i++)
        total += (size_t)elements(args[i]);
    for (int64_t i = 0; i < f->n_out; i++)
        total += n*(size_t)f->out_size[i];
    double *memory = malloc(total*sizeof *memory), *next = memory;
    if (!memory)
        return 0;
    for (int64_t i = 0; i < f->n_in; i++) {
        int64_t size = elements(args[i]);
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
    compute(f, n, in, stride, out);
    for (int64_t i = 0; i < f->n_out; i++)
        for (size_t k = 0; k < n*(size_t)f->out_size[i]; k++)
            ((float *)rets[i]->data)[k] = (float)*results++;
    free(memory);
    return 1;
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
    XLA_FFI_Buffer **args = (XLA_FFI_Buffer **)frame->args.args, **rets = (XLA_FFI_Buffer **)frame->rets.rets;
    if (frame->args.size != f->n_in || frame->rets.size != f->n_out)
        return fail(frame, "symbody: not as many arrays as the function has");
    const double *in[MOST];
    double *out[MOST];
    size_t n = 0, stride[MOST];
    for (int64_t i = 0; i < f->n_out; i++) {
        out[i] = rets[i]->data;
        if (f->out_size[i])
            n = (size_t)(elements(rets[i])/f->out_size[i]);
    }
    for (int64_t i = 0; i < f->n_in; i++) {
        int64_t size = f->in_size[i], given = elements(args[i]);
        if (args[i]->dtype != args[0]->dtype || (given != size && given != size*(int64_t)n))
            return fail(frame, "symbody: arrays of different types or batches");
        stride[i] = given == size && n != 1 ? 0 : (size_t)size;
        in[i] = args[i]->data;
    }
    if (!f->n_in || args[0]->dtype == XLA_FFI_DataType_F64)
        compute(f, n, in, stride, out);
    else if (args[0]->dtype != XLA_FFI_DataType_F32)
        return fail(frame, "symbody: neither single nor double precision");
    else if (!compute_single(f, n, args, stride, rets))
        return fail(frame, "symbody: no memory for the batch in double precision");
    return NULL;
}
