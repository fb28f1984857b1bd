/* A Python callable around one generated function: float64 arrays go to C as they are, anything unusual to `_slow`.
   Uses the buffer protocol only, so that it does not depend on the version of NumPy. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>
#include <string.h>

#define MOST 16 /* inputs or outputs */

typedef void entry(const double *const *in, double *const *out, const double *h);

typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    entry *function;
    const double *h;
    int n_in, n_out, optional[MOST];
    Py_ssize_t in_size[MOST];
    Py_buffer in_view[MOST], out_view[MOST]; /* of the arrays of the last call, as a loop passes the same ones again */
    const double *zeros; /* what an optional input that is not given reads */
    PyObject *names, *shapes, *empty, *result; /* of inputs; of outputs; numpy.empty; the type of several outputs or None */
} Caller;

/* the data of an array of doubles with the wanted shape; NULL, without an error set, if it is anything else */
static double *data_of(PyObject *array, PyObject *shape, Py_ssize_t size, Py_buffer *view, int writable)
{
    Py_ssize_t i, ndim = shape ? PyTuple_GET_SIZE(shape) : 1;
    if (PyObject_GetBuffer(array, view, PyBUF_ND | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0)) < 0) {
        PyErr_Clear();
        return NULL;
    }
    int fits = view->ndim == ndim && view->format && !strcmp(view->format, "d");
    for (i = 0; fits && i < ndim; i++)
        fits = view->shape[i] == (shape ? PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, i)) : size);
    if (fits)
        return view->buf;
    PyBuffer_Release(view);
    return NULL;
}

/* the same for arrays that come from the caller: those of the last call are still held, and need no second look */
static double *held(PyObject *array, PyObject *shape, Py_ssize_t size, Py_buffer *view, int writable)
{
    if (view->obj == array)
        return view->buf;
    PyBuffer_Release(view); /* sets obj to NULL, as a failure below does */
    return data_of(array, shape, size, view, writable);
}

static PyObject *slow(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    Py_ssize_t i, n = PyVectorcall_NARGS(nargsf) + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
    PyObject *result = NULL, *name = PyUnicode_InternFromString("_slow");
    PyObject **all = PyMem_Malloc((n + 1)*sizeof *all);
    if (name && all) {
        all[0] = self;
        for (i = 0; i < n; i++)
            all[i + 1] = args[i];
        result = PyObject_VectorcallMethod(name, all, PyVectorcall_NARGS(nargsf) + 1, kwnames);
    }
    PyMem_Free(all);
    Py_XDECREF(name);
    return result;
}

/* the outputs as one object: an array, or several in the named tuple */
static PyObject *new_outputs(Caller *f)
{
    PyObject *arrays = PyTuple_New(f->n_out), *one, *wrapped;
    for (int i = 0; arrays && i < f->n_out; i++) {
        one = PyObject_CallOneArg(f->empty, PyTuple_GET_ITEM(f->shapes, i));
        if (!one) {
            Py_DECREF(arrays);
            return NULL;
        }
        PyTuple_SET_ITEM(arrays, i, one);
    }
    if (!arrays)
        return NULL;
    if (f->result == Py_None) {
        one = Py_NewRef(PyTuple_GET_ITEM(arrays, 0));
        Py_DECREF(arrays);
        return one;
    }
    wrapped = PyTuple_Pack(1, arrays);
    Py_DECREF(arrays);
    one = wrapped ? PyTuple_Type.tp_new((PyTypeObject *)f->result, wrapped, NULL) : NULL;
    Py_XDECREF(wrapped);
    return one;
}

/* the place of an input that is given by its name; OUT, or UNKNOWN, which the slow way complains about */
enum { OUT = -1, UNKNOWN = -2 };

static int place_of(Caller *f, PyObject *name)
{
    for (int i = 0; i < f->n_in; i++)
        if (PyTuple_GET_ITEM(f->names, i) == name) /* names are interned */
            return i;
    return PyUnicode_CompareWithASCIIString(name, "out") ? UNKNOWN : OUT;
}

static PyObject *caller_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    Caller *f = (Caller *)self;
    Py_ssize_t n = PyVectorcall_NARGS(nargsf), keywords = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    Py_buffer fresh[MOST];
    const double *in[MOST];
    double *out[MOST];
    PyObject *outputs, *given = NULL, *arrays[MOST] = {NULL};
    int i, several = f->result != Py_None, fits = f->function && n <= f->n_in;

    for (i = 0; fits && i < n; i++)
        arrays[i] = args[i];
    for (i = 0; fits && i < keywords; i++) {
        int place = place_of(f, PyTuple_GET_ITEM(kwnames, i));
        fits = place == OUT || (place >= n && !arrays[place]);
        if (place == OUT)
            given = args[n + i] == Py_None ? NULL : args[n + i];
        else if (fits)
            arrays[place] = args[n + i];
    }
    if (given && several)
        fits = fits && PyTuple_Check(given) && PyTuple_GET_SIZE(given) == f->n_out;
    for (i = 0; fits && i < f->n_in; i++) {
        in[i] = arrays[i] ? held(arrays[i], NULL, f->in_size[i], &f->in_view[i], 0) : f->optional[i] ? f->zeros : NULL;
        fits = in[i] != NULL;
    }
    if (!fits)
        return slow(self, args, nargsf, kwnames);
    outputs = given ? Py_NewRef(given) : new_outputs(f);
    if (!outputs)
        return NULL;
    for (i = 0, fits = 1; fits && i < f->n_out; i += fits) {
        PyObject *array = several ? PyTuple_GET_ITEM(outputs, i) : outputs, *shape = PyTuple_GET_ITEM(f->shapes, i);
        out[i] = given ? held(array, shape, 0, &f->out_view[i], 1) : data_of(array, shape, 0, &fresh[i], 1);
        fits = out[i] != NULL;
    }
    if (fits)
        f->function(in, out, f->h);
    while (!given && i > 0)
        PyBuffer_Release(&fresh[--i]);
    if (fits)
        return outputs;
    Py_DECREF(outputs);
    return slow(self, args, nargsf, kwnames);
}

static PyObject *caller_connect(PyObject *self, PyObject *args)
{
    Caller *f = (Caller *)self;
    Py_ssize_t function, h, zeros;
    PyObject *names, *sizes, *optional, *shapes, *empty, *result;
    if (!PyArg_ParseTuple(args, "nnnO!O!O!O!OO", &function, &h, &zeros, &PyTuple_Type, &names, &PyTuple_Type, &sizes,
                          &PyTuple_Type, &optional, &PyTuple_Type, &shapes, &empty, &result))
        return NULL;
    if (PyTuple_GET_SIZE(sizes) > MOST || PyTuple_GET_SIZE(shapes) > MOST)
        Py_RETURN_NONE; /* `function` stays NULL: every call takes the slow way */
    f->n_in = (int)PyTuple_GET_SIZE(sizes);
    f->n_out = (int)PyTuple_GET_SIZE(shapes);
    for (int i = 0; i < f->n_in; i++) {
        f->in_size[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(sizes, i));
        f->optional[i] = PyTuple_GET_ITEM(optional, i) == Py_True;
    }
    if (PyErr_Occurred())
        return NULL;
    Py_XSETREF(f->names, Py_NewRef(names));
    Py_XSETREF(f->shapes, Py_NewRef(shapes));
    Py_XSETREF(f->empty, Py_NewRef(empty));
    Py_XSETREF(f->result, Py_NewRef(result));
    f->h = (const double *)h;
    f->zeros = (const double *)zeros;
    f->function = (entry *)function;
    Py_RETURN_NONE;
}

static PyObject *caller_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    Caller *f = (Caller *)type->tp_alloc(type, 0);
    (void)args;
    (void)kwargs;
    if (f)
        f->call = caller_call;
    return (PyObject *)f;
}

static void caller_dealloc(PyObject *self)
{
    Caller *f = (Caller *)self;
    PyTypeObject *type = Py_TYPE(self);
    for (int i = 0; i < MOST; i++) {
        PyBuffer_Release(&f->in_view[i]);
        PyBuffer_Release(&f->out_view[i]);
    }
    Py_XDECREF(f->names);
    Py_XDECREF(f->shapes);
    Py_XDECREF(f->empty);
    Py_XDECREF(f->result);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"_connect", caller_connect, METH_VARARGS, "Set what is called: addresses, sizes, shapes."}, {NULL, NULL, 0, NULL}};
static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Caller, call), READONLY, NULL}, {NULL, 0, 0, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_new, caller_new}, {Py_tp_dealloc, caller_dealloc}, {Py_tp_call, PyVectorcall_Call},
                              {Py_tp_methods, methods}, {Py_tp_members, members}, {0, NULL}};
static PyType_Spec spec = {"symbody_caller.Caller", sizeof(Caller), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL, slots};

static PyObject *address_of(PyObject *module, PyObject *array)
{
    Py_buffer view;
    PyObject *result;
    (void)module;
    if (PyObject_GetBuffer(array, &view, PyBUF_SIMPLE) < 0)
        return NULL;
    result = PyLong_FromVoidPtr(view.buf);
    PyBuffer_Release(&view);
    return result;
}

static PyMethodDef functions[] = {
    {"address_of", address_of, METH_O, "Where the data of a contiguous array begin."}, {NULL, NULL, 0, NULL}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "symbody_caller", NULL, -1, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_symbody_caller(void)
{
    PyObject *module = PyModule_Create(&definition), *type = module ? PyType_FromSpec(&spec) : NULL;
    if (!type || PyModule_AddObject(module, "Caller", type) < 0)
        return NULL;
    return module;
}
