/* A Python callable for one generated function: float64 arrays are passed to C directly, all other arguments go to
   `_slow`. It uses only what NumPy's binary interface guarantees since 1.7: the first fields of an array, and the
   function that makes one, entry 94 of its table. The buffer protocol would take twice as long. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#define MOST 16   /* inputs or outputs */
#define DEEPEST 3 /* dimensions of an output */

typedef struct {
    PyObject_HEAD
    char *data;
    int nd;
    Py_ssize_t *dimensions, *strides;
    PyObject *base, *descr;
    int flags;
} Array;

enum { CONTIGUOUS = 0x0001, ALIGNED = 0x0100, WRITEABLE = 0x0400 };
typedef PyObject *new_array(PyTypeObject *type, PyObject *descr, int nd, const Py_ssize_t *dimensions,
                            const Py_ssize_t *strides, void *data, int flags, PyObject *like);

static struct {
    PyTypeObject *array;
    PyObject *float64;
    new_array *make;
} numpy;

typedef void entry(const double *const *in, double *const *out, const double *h);

typedef struct {
    int nd;
    Py_ssize_t dimensions[DEEPEST];
} Shape;

typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    entry *function;
    const double *h;
    int n_in, n_out, optional[MOST];
    Shape in[MOST], out[MOST];
    const double *zeros;      /* read by optional inputs that are not given */
    PyObject *names, *result; /* of inputs; the type of several outputs, or None */
} Caller;

/* the data of an array of doubles with the wanted shape; NULL, without an error set, if it is anything else */
static double *data_of(PyObject *object, const Shape *shape, int flags)
{
    const Array *a = (const Array *)object;
    if (Py_TYPE(object) != numpy.array || a->descr != numpy.float64 || (a->flags & flags) != flags || a->nd != shape->nd)
        return NULL;
    for (int i = 0; i < shape->nd; i++)
        if (a->dimensions[i] != shape->dimensions[i])
            return NULL;
    return (double *)a->data;
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

static PyObject *new_output(const Shape *shape)
{
    return numpy.make(numpy.array, Py_NewRef(numpy.float64), shape->nd, shape->dimensions, NULL, NULL, 0, NULL);
}

/* the outputs as one object: an array, or several in the named tuple */
static PyObject *new_outputs(Caller *f)
{
    if (f->result == Py_None)
        return new_output(&f->out[0]);
    PyObject *arrays = PyTuple_New(f->n_out), *one, *wrapped;
    for (int i = 0; arrays && i < f->n_out; i++) {
        one = new_output(&f->out[i]);
        if (!one) {
            Py_DECREF(arrays);
            return NULL;
        }
        PyTuple_SET_ITEM(arrays, i, one);
    }
    if (!arrays)
        return NULL;
    wrapped = PyTuple_Pack(1, arrays);
    Py_DECREF(arrays);
    one = wrapped ? PyTuple_Type.tp_new((PyTypeObject *)f->result, wrapped, NULL) : NULL;
    Py_XDECREF(wrapped);
    return one;
}

/* the index of an input given by name; OUT, or UNKNOWN, for which `_slow` raises the error */
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
        in[i] = arrays[i] ? data_of(arrays[i], &f->in[i], CONTIGUOUS | ALIGNED) : f->optional[i] ? f->zeros : NULL;
        fits = in[i] != NULL;
    }
    if (!fits)
        return slow(self, args, nargsf, kwnames);
    outputs = given ? Py_NewRef(given) : new_outputs(f);
    if (!outputs)
        return NULL;
    for (i = 0; fits && i < f->n_out; i++) {
        PyObject *array = several ? PyTuple_GET_ITEM(outputs, i) : outputs;
        out[i] = data_of(array, &f->out[i], CONTIGUOUS | ALIGNED | WRITEABLE);
        fits = out[i] != NULL;
    }
    if (fits) {
        f->function(in, out, f->h);
        return outputs;
    }
    Py_DECREF(outputs);
    return slow(self, args, nargsf, kwnames);
}

/* a shape from a tuple; false if it has too many dimensions */
static int read_shape(PyObject *sizes, Shape *shape)
{
    shape->nd = (int)PyTuple_GET_SIZE(sizes);
    for (int i = 0; i < shape->nd && shape->nd <= DEEPEST; i++)
        shape->dimensions[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(sizes, i));
    return shape->nd <= DEEPEST;
}

static PyObject *caller_connect(PyObject *self, PyObject *args)
{
    Caller *f = (Caller *)self;
    Py_ssize_t function, h, zeros;
    PyObject *names, *inputs, *optional, *outputs, *result;
    if (!PyArg_ParseTuple(args, "nnnO!O!O!O!O", &function, &h, &zeros, &PyTuple_Type, &names, &PyTuple_Type, &inputs,
                          &PyTuple_Type, &optional, &PyTuple_Type, &outputs, &result))
        return NULL;
    if (PyTuple_GET_SIZE(inputs) > MOST || PyTuple_GET_SIZE(outputs) > MOST)
        Py_RETURN_NONE; /* `function` stays NULL: every call uses `_slow` */
    f->n_in = (int)PyTuple_GET_SIZE(inputs);
    f->n_out = (int)PyTuple_GET_SIZE(outputs);
    int fits = 1;
    for (int i = 0; i < f->n_in; i++) {
        fits = fits && read_shape(PyTuple_GET_ITEM(inputs, i), &f->in[i]);
        f->optional[i] = PyTuple_GET_ITEM(optional, i) == Py_True;
    }
    for (int i = 0; i < f->n_out; i++)
        fits = fits && read_shape(PyTuple_GET_ITEM(outputs, i), &f->out[i]);
    if (PyErr_Occurred())
        return NULL;
    Py_XSETREF(f->names, Py_NewRef(names));
    Py_XSETREF(f->result, Py_NewRef(result));
    f->h = (const double *)h;
    f->zeros = (const double *)zeros;
    f->function = fits ? (entry *)function : NULL;
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
    Py_XDECREF(f->names);
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

/* in Python 3.11 a class made in Python does not inherit vectorcall */
static PyObject *call_directly(PyObject *module, PyObject *type)
{
    (void)module;
    if (!PyType_Check(type) || ((PyTypeObject *)type)->tp_call != PyVectorcall_Call) {
        PyErr_SetString(PyExc_TypeError, "not a class of callers");
        return NULL;
    }
    ((PyTypeObject *)type)->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
    return Py_NewRef(type);
}

static PyMethodDef functions[] = {
    {"call_directly", call_directly, METH_O, "Have instances of a subclass of Caller called without a tuple."},
    {"address_of", address_of, METH_O, "Where the data of a contiguous array begin."}, {NULL, NULL, 0, NULL}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "symbody_caller", NULL, -1, functions, NULL, NULL, NULL, NULL};

/* the function table of NumPy 2 or 1; NULL with an error if its binary interface is unknown */
static void **numpy_table(void)
{
    PyObject *module = PyImport_ImportModule("numpy._core._multiarray_umath");
    if (!module) {
        PyErr_Clear();
        module = PyImport_ImportModule("numpy.core._multiarray_umath");
    }
    PyObject *capsule = module ? PyObject_GetAttrString(module, "_ARRAY_API") : NULL;
    void **table = capsule ? PyCapsule_GetPointer(capsule, NULL) : NULL;
    Py_XDECREF(capsule);
    Py_XDECREF(module);
    if (table) {
        unsigned version = ((unsigned (*)(void))table[0])();
        if (version >> 24 == 1 || version >> 24 == 2)
            return table;
        PyErr_SetString(PyExc_ImportError, "a binary interface of NumPy that is not known here");
    }
    return NULL;
}

static int find_numpy(void)
{
    void **table = numpy_table();
    PyObject *module = table ? PyImport_ImportModule("numpy") : NULL;
    if (!module)
        return -1;
    numpy.array = (PyTypeObject *)PyObject_GetAttrString(module, "ndarray");
    numpy.float64 = PyObject_CallMethod(module, "dtype", "s", "f8");
    numpy.make = (new_array *)table[94];
    Py_DECREF(module);
    return numpy.array && numpy.float64 ? 0 : -1;
}

PyMODINIT_FUNC PyInit_symbody_caller(void)
{
    if (find_numpy() < 0)
        return NULL;
    PyObject *module = PyModule_Create(&definition), *type = module ? PyType_FromSpec(&spec) : NULL;
    if (!type || PyModule_AddObject(module, "Caller", type) < 0)
        return NULL;
    return module;
}
