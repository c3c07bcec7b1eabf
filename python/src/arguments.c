/* Arguments: which parameter each is for, what it is, and the key of the variant for all of them. The rules are the library's
   (internal/launch): it gave the table of parameters and what the backends' policies ask for, and whatever does not fit is
   given to it as it is, for the error. */

#include <stdlib.h>
#include <string.h>

#include "launch.h"

/* Options that other launchers have. They change how a GPU's code is scheduled, not what it means. */
static const char *const ignored[] = {
    "launch_cooperative_grid", "launch_pdl", "sanitize_overflow", "arch", "warp_size", "ir_override",
    "allow_fp8e4nv", "max_num_imprecise_acc_default", "extern_libs", "supported_fp8_dtypes", "deprecated_fp8_dot_operand_dtypes",
    "default_dot_input_precision", "allowed_dot_input_precisions", "instrumentation_mode", "ptx_version", "ptx_options",
    "matrix_instr_nonkdim", "kpack", "waves_per_eu", "num_buffers_warp_spec", "num_consumer_groups", "reg_dec_producer", "reg_inc_consumer",
    "minRegAutoWS", "maxRegAutoWS", "grf_mode", "split_barriers_scope", "generate_native_code",
};

static bool is_text(PyObject *name, const char *text) { return PyUnicode_CompareWithASCIIString(name, text) == 0; }

/* number_option takes a number, or what 0 stands for. The library says what is wrong with one; here is said what is none, or none that it could be told. */
static int number_option(int32_t *to, PyObject *name, const char *code, int32_t zero, PyObject *value) {
    if (value == Py_None)
        return 1;
    PyObject *whole = PyIndex_Check(value) ? PyNumber_Index(value) : NULL;
    int overflow = 0;
    long n = whole ? PyLong_AsLongAndOverflow(whole, &overflow) : 0;
    Py_XDECREF(whole);
    if (whole == NULL || overflow != 0 || n > 1 << 20 || n < -(1 << 20)) {
        PyErr_Clear();
        tg_raise("ArgumentError", code, whole ? "%U is %R, which is out of range" : "%U is %R; it must be a whole number", name, value);
        return -1;
    }
    *to = n == 0 ? zero : n < 1 ? -1 : (int32_t)n;
    return 1;
}

int tg_option(tg_options *o, PyObject *name, PyObject *value) {
    if (is_text(name, "num_warps"))
        return number_option(&o->warps, name, "num-warps", -1, value);
    if (is_text(name, "num_stages"))
        return number_option(&o->stages, name, "num-stages", 1, value);
    if (is_text(name, "num_ctas"))
        return number_option(&o->ctas, name, "num-ctas", -1, value);
    if (is_text(name, "threads_per_warp"))
        return number_option(&o->lanes, name, "threads-per-warp", -1, value);
    if (is_text(name, "maxnreg"))
        return number_option(&o->registers, name, "maxnreg", -1, value);
    if (is_text(name, "debug")) {
        int is = value == Py_None ? 0 : PyObject_IsTrue(value);
        o->debug = is == 1;
        return is < 0 ? -1 : 1;
    }
    if (is_text(name, "enable_fp_fusion")) {
        int is = value == Py_None ? 1 : PyObject_IsTrue(value);
        o->unfused = is == 0;
        return is < 0 ? -1 : 1;
    }
    if (is_text(name, "backend_name")) { /* others say which compiler made the options */
        o->triton = PyUnicode_Check(value) && is_text(value, "cuda-mlir");
        return 1;
    }
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (is_text(name, ignored[i]))
            return 1;
    return 0;
}

static int param_named(const tg_kernel *k, PyObject *name) {
    for (int i = 0; i < k->n; i++)
        if (k->params[i].name == name)
            return i;
    for (int i = 0; i < k->n; i++)
        if (PyUnicode_Compare(k->params[i].name, name) == 0)
            return i;
    return -1;
}

/* kwparams tells which parameters the keywords of a call are: -1 for those that are none. A call that is made again, in a loop, has
   the same tuple of keywords. */
static const int *kwparams(tg_kernel *k, PyObject *kwnames) {
    if (k->kwnames == kwnames)
        return k->kwparams;
    Py_ssize_t n = PyTuple_Size(kwnames);
    int *list = malloc((size_t)(n ? n : 1) * sizeof *list);
    if (list == NULL)
        return NULL;
    for (Py_ssize_t i = 0; i < n; i++)
        list[i] = param_named(k, PyTuple_GetItem(kwnames, i));
    free(k->kwparams);
    PyObject *old = k->kwnames;
    k->kwnames = Py_NewRef(kwnames);
    k->kwparams = list;
    Py_XDECREF(old);
    return list;
}

static int bind_named(tg_call *c) {
    tg_kernel *k = c->kernel;
    Py_ssize_t n = PyTuple_Size(c->kwnames);
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *value = c->args[c->nargs + i];
        const int *params = kwparams(k, c->kwnames); /* anew: an option's value may run code that launches the kernel, too */
        if (params == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        int p = params[i];
        if (p < 0) {
            int is = tg_option(&c->options, PyTuple_GetItem(c->kwnames, i), value);
            if (is <= 0)
                return is < 0 ? -1 : 1;
            continue;
        }
        if (c->values[p] != NULL || k->params[p].kind == TG_VARIADIC || k->params[p].kind == TG_POSITIONAL_ONLY)
            return 1;
        c->values[p] = value;
    }
    return 0;
}

/* take_rest collects what *args takes. */
static int take_rest(tg_call *c) {
    tg_kernel *k = c->kernel;
    Py_ssize_t extra = c->nargs > k->positional ? c->nargs - k->positional : 0;
    if (k->variadic < 0)
        return extra > 0;
    c->rest = PyTuple_New(extra);
    if (c->rest == NULL)
        return -1;
    for (Py_ssize_t i = 0; i < extra; i++)
        PyTuple_SetItem(c->rest, i, Py_NewRef(c->args[k->positional + i]));
    c->values[k->variadic] = c->rest;
    return 0;
}

int tg_bind_call(tg_call *c) {
    tg_kernel *k = c->kernel;
    Py_ssize_t given = c->nargs < k->positional ? c->nargs : k->positional;
    if (k->n > TG_PARAMS) {
        tg_raise("Unsupported", "too-many-parameters", "a kernel has at most %d parameters", TG_PARAMS);
        return -1;
    }
    for (Py_ssize_t i = 0; i < given; i++)
        c->values[i] = c->args[i];
    for (int i = (int)given; i < k->n; i++)
        c->values[i] = NULL;
    int bad = c->nargs > k->positional || k->variadic >= 0 ? take_rest(c) : 0;
    if (bad == 0 && c->kwnames != NULL)
        bad = bind_named(c);
    for (int i = (int)given; bad == 0 && i < k->n; i++)
        if (c->values[i] == NULL && (c->values[i] = k->params[i].fallback) == NULL)
            bad = 1;
    return bad;
}

PyObject *tg_values_by_name(tg_call *c) {
    PyObject *d = PyDict_New();
    for (int i = 0; d != NULL && i < c->kernel->n; i++)
        if (PyDict_SetItem(d, c->kernel->params[i].name, c->values[i]) < 0)
            Py_CLEAR(d);
    return d;
}

/* Codes of the key, 16 bits each: the kind, whether it is a constant, facts, and a type or a size. */
enum { CODE_CONST = 0x800, CODE_DIVISIBLE = 0x400, CODE_ONE = 0x200 };

typedef struct {
    tg_call *call;
    int param;
    bool one;
    uint64_t divisor; /* 0: it does not matter */
    uint16_t codes[TG_LEAVES + 8];
    int ncodes;
    uint64_t constants[TG_LEAVES + 8];
    int nconstants;
} maker;

static tg_leaf *add(maker *m, uint8_t kind) {
    tg_call *c = m->call;
    if (c->nleaves == TG_LEAVES || m->nconstants == TG_LEAVES) {
        tg_raise("Unsupported", "too-many-arguments", "a launch has at most %d arguments, the elements of tuples counted", TG_LEAVES);
        return NULL;
    }
    tg_leaf *l = &c->leaves[c->nleaves++];
    *l = (tg_leaf){.kind = kind};
    return l;
}

static void code(maker *m, const tg_leaf *l, int more) { m->codes[m->ncodes++] = (uint16_t)(l->kind << 12 | more); }

static void constant(maker *m, uint64_t bits) { m->constants[m->nconstants++] = bits; }

/* keyed_by makes an object part of the key. */
static void keyed_by(maker *m, tg_leaf *l, PyObject *o) {
    l->object = o;
    m->call->nobjects++;
    constant(m, (uint64_t)(uintptr_t)o);
}

static int add_int(maker *m, PyObject *o, bool fixed) {
    int overflow;
    long long n = PyLong_AsLongLongAndOverflow(o, &overflow);
    tg_leaf *l = add(m, LEAF_INT);
    if (l == NULL)
        return -1;
    if (overflow != 0) {
        l->bits = overflow > 0 ? PyLong_AsUnsignedLongLong(o) : 0;
        if (overflow < 0 || PyErr_Occurred())
            m->call->cacheable = false; /* too large for a run-time argument */
        PyErr_Clear();
        l->dtype = TG_U64;
        code(m, l, l->dtype | (fixed ? CODE_CONST : !(l->bits & m->divisor) && m->divisor ? CODE_DIVISIBLE : 0));
        if (fixed)
            constant(m, l->bits);
        return 0;
    }
    l->bits = (uint64_t)n;
    l->dtype = n == (int32_t)n ? TG_I32 : TG_I64;
    if (fixed) {
        code(m, l, l->dtype | CODE_CONST);
        constant(m, l->bits);
        return 0;
    }
    const tg_param *p = &m->call->kernel->params[m->param];
    if (p->facts & TG_FACT_DECLARED_INT && (n < p->low || (n > 0 && (uint64_t)n > p->high)))
        m->call->cacheable = false; /* the library refuses it */
    int facts = n == 1 && m->one ? CODE_ONE : m->divisor && !(l->bits & m->divisor) ? CODE_DIVISIBLE : 0;
    code(m, l, l->dtype | facts);
    return 0;
}

static int add_float(maker *m, PyObject *o, bool fixed) {
    double f = PyFloat_AsDouble(o);
    tg_leaf *l = add(m, LEAF_FLOAT);
    if (l == NULL)
        return -1;
    memcpy(&l->bits, &f, 8);
    code(m, l, fixed ? CODE_CONST : 0);
    if (fixed)
        constant(m, l->bits);
    return 0;
}

static int mixed(maker *m, const char *category, const char *format) {
    tg_call *c = m->call;
    tg_raise("ArgumentError", category, format, c->kernel->params[m->param].name, c->kernel->params[c->first].name);
    return -1;
}

/* check_array compares an array with the first one. */
static int check_array(maker *m, const tg_array *a) {
    enum { CPU = 1 };
    tg_call *c = m->call;
    if (c->first < 0) {
        c->first = m->param;
        c->device = a->device;
        c->index = a->index;
        c->framework = a->framework;
        c->exchange = a->exchange;
        c->stream = a->stream;
        return 0;
    }
    if (a->device != c->device)
        return mixed(m, "mixed-devices", a->device == CPU || c->device == CPU
            ? "argument '%U' and argument '%U' are in the memories of the processor and of a GPU; all arrays of a launch must be on one device"
            : "argument '%U' and argument '%U' are in the memories of different kinds of devices; all arrays of a launch must be on one device");
    if (a->device == CPU)
        return 0;
    if (a->framework != c->framework)
        return mixed(m, "mixed-frameworks", "argument '%U' and argument '%U' are GPU arrays of different frameworks, which order their work by different streams; "
                                            "convert one of them (DLPack does it without a copy)");
    if (a->index != c->index)
        return mixed(m, "multiple-devices", "argument '%U' and argument '%U' are on different GPUs; all arrays of a launch must be on one device");
    if (a->stream != c->stream)
        return mixed(m, "mixed-frameworks", "argument '%U' and argument '%U' say that their use is ordered by different streams; wait for one of them, or give both the same");
    return 0;
}

static int add_array(maker *m, PyObject *o) {
    tg_call *c = m->call;
    const tg_array *a = &c->array;
    PyObject *name = c->kernel->params[m->param].name;
    if (a->dtype == TG_INVALID) {
        bool small = strncmp(a->name, "float8", 6) == 0 || strncmp(a->name, "float4", 6) == 0;
        tg_raise("ArgumentError", "dtype", small ? "argument '%U' is an array of %s, which is no element type of kernels: pass a view of it as uint8, as scales and packed numbers are"
                                           : a->name[0] ? "argument '%U' is an array of %s, which is no element type of kernels"
                                                        : "argument '%U' is memory of which nothing says what element type it has", name, a->name);
        return -1;
    }
    if (a->misshapen) {
        tg_raise("ArgumentError", "shape", "argument '%U' has %s", name, a->misshapen);
        return -1;
    }
    if (a->device != 1 && a->device != 2 && a->device != 14) {
        PyObject *device = PyObject_GetAttrString(o, "device");
        if (device == NULL)
            PyErr_Clear();
        tg_raise("ArgumentError", "device", device ? "argument '%U' is on the device %S, which kernels do not run on" : "argument '%U' is on a device that kernels do not run on",
                 name, device);
        Py_XDECREF(device);
        return -1;
    }
    if (a->data == 0 && a->bytes > 0) {
        tg_raise("ArgumentError", "no-memory", "argument '%U' is an array without memory of its own: a sparse, a quantized, a symbolic or a deleted one, or one that is spread over several devices", name);
        return -1;
    }
    if (c->kernel->strict && !a->contiguous) {
        tg_raise("ArgumentError", "not-contiguous", "argument '%U' is not C-contiguous, and the kernel is strict: pass a contiguous array, or its strides to a kernel that is not", name);
        return -1;
    }
    if (check_array(m, a) < 0)
        return -1;
    tg_leaf *l = add(m, LEAF_ARRAY);
    if (l == NULL)
        return -1;
    l->dtype = a->dtype;
    l->bits = a->data;
    l->bytes = a->device == 1 ? a->bytes : 0;
    l->front = a->device == 1 ? a->front : 0;
    l->readonly = a->readonly && a->framework != TG_JAX; /* whose arrays all are, though kernels have nothing else to write to */
    if (a->framework == TG_JAX) {
        l->object = o;
        c->waits = true;
    }
    code(m, l, l->dtype | (m->divisor && !(l->bits & m->divisor) ? CODE_DIVISIBLE : 0));
    return 0;
}

static int add_value(maker *m, PyObject *o, bool fixed, int depth);

static int add_tuple(maker *m, PyObject *o, bool fixed, int depth) {
    tg_leaf *l = add(m, LEAF_TUPLE);
    if (l == NULL)
        return -1;
    int at = m->call->nleaves - 1;
    bool list = PyList_Check(o);
    Py_ssize_t n = list ? PyList_Size(o) : PyTuple_Size(o);
    if (n > 255 || depth > 8)
        m->call->cacheable = false;
    code(m, l, (int)(n & 255) | (fixed ? CODE_CONST : 0) | (list ? CODE_ONE : 0));
    if (!list && !PyTuple_CheckExact(o))
        keyed_by(m, l, (PyObject *)Py_TYPE(o));
    for (Py_ssize_t i = 0; i < n; i++)
        if (add_value(m, list ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i), fixed, depth + 1) < 0)
            return -1;
    m->call->leaves[at].count = m->call->nleaves - 1 - at;
    return 0;
}

/* get_list reads the numbers of an attribute of a descriptor: how many, at most five, or -1. */
static int get_list(PyObject *descriptor, const char *name, int64_t out[5]) {
    PyObject *v = PyObject_GetAttrString(descriptor, name), *list = v ? PySequence_List(v) : NULL;
    Py_ssize_t n = list ? PyList_Size(list) : -1;
    Py_XDECREF(v);
    for (Py_ssize_t i = 0; i < n && i < 5; i++)
        out[i] = PyLong_AsLongLong(PyList_GetItem(list, i));
    Py_XDECREF(list);
    return PyErr_Occurred() ? -1 : n > 5 ? 6 : (int)n;
}

static bool is_flag(PyObject *o, const char *name, const char *text) {
    PyObject *v = tg_marker(o, name);
    bool is = v != NULL && (text ? PyUnicode_Check(v) && is_text(v, text) : PyObject_IsTrue(v) == 1);
    PyErr_Clear();
    Py_XDECREF(v);
    return is;
}

static int add_numbers(maker *m, const int64_t *list, int n) {
    for (int i = 0; i < n; i++) {
        tg_leaf *l = add(m, LEAF_INT);
        if (l == NULL)
            return -1;
        l->bits = (uint64_t)list[i];
    }
    return 0;
}

/* add_descriptor adds a tensor descriptor: its array, its sizes and strides, which are passed, and its block, which the code is made
   for. What a descriptor promises of its data has to hold in each launch; one that is plainly in order makes a key, others the library
   looks at. */
static int add_descriptor(maker *m, PyObject *o, int depth) {
    tg_call *c = m->call;
    int64_t shape[5], strides[5], block[5];
    tg_leaf *l = add(m, LEAF_DESCRIPTOR);
    int at = c->nleaves - 1, n = get_list(o, "shape", shape);
    if (l == NULL || n < 0 || get_list(o, "strides", strides) != n || get_list(o, "block_shape", block) != n || n > 5) {
        c->cacheable = false;
        return PyErr_Occurred() ? -1 : 0;
    }
    code(m, l, n | (is_flag(o, "padding", "nan") ? 16 : 0) | (is_flag(o, "round_f32_to_tf32", NULL) ? 32 : 0));
    for (int i = 0; i < n; i++)
        constant(m, (uint64_t)block[i]);
    PyObject *base = PyObject_GetAttrString(o, "base");
    int failed = base == NULL || add_value(m, base, false, depth + 1) < 0 || add_numbers(m, shape, n) < 0 || add_numbers(m, strides, n) < 0;
    Py_XDECREF(base);
    if (failed)
        return -1;
    const tg_leaf *array = &c->leaves[at + 1];
    int64_t size = (int64_t)tg_dtype_bytes(array->dtype);
    bool good = array->kind == LEAF_ARRAY && array->bits % 16 == 0 && n > 0 && strides[n - 1] == 1;
    for (int i = 0; i < n; i++)
        good = good && shape[i] >= 1 && shape[i] <= INT32_MAX && (i == n - 1 || (strides[i] > 0 && strides[i] <= INT32_MAX && strides[i] * size % 16 == 0));
    c->cacheable = c->cacheable && good;
    c->leaves[at].count = c->nleaves - 1 - at;
    return 0;
}

/* is_argument tells whether an object that is no array and no data may be an argument that is not declared tl.constexpr: a
   string, a type, a function. */
static bool is_argument(PyObject *o) {
    static const char *const markers[] = {"__tegula_type__", "__tegula_name__"};
    if (PyUnicode_Check(o) || PyCallable_Check(o) || PyDict_Check(o) || PyAnySet_Check(o) || PyLong_Check(o))
        return true;
    tg_kernel *k = tg_unwrap_kernel(o);
    bool is = k != NULL;
    Py_XDECREF((PyObject *)k);
    for (size_t i = 0; !is && i < sizeof markers / sizeof *markers; i++) {
        PyObject *v = tg_marker(o, markers[i]);
        is = v != NULL;
        Py_XDECREF(v);
    }
    return is;
}

static int refuse_object(maker *m, PyObject *o) {
    PyObject *type = PyObject_GetAttrString((PyObject *)Py_TYPE(o), "__name__"), *name = m->call->kernel->params[m->param].name, *buffer = PyMemoryView_FromObject(o);
    PyErr_Clear();
    if (buffer != NULL)
        tg_raise("ArgumentError", "not-an-array", "argument '%U' is of type %S, a buffer, which says nothing of its element type that kernels rely on: "
                 "numpy.asarray or numpy.frombuffer makes an array of the same memory", name, type);
    else
        tg_raise("ArgumentError", "not-an-array", "argument '%U' is of type %S, which is neither an array nor a number: arrays have __dlpack__, __cuda_array_interface__ or "
                 "__array_interface__; a constant of another type is passed to a parameter that is tl.constexpr", name, type);
    Py_XDECREF(buffer);
    Py_XDECREF(type);
    return -1;
}

static int add_object(maker *m, PyObject *o, bool fixed) {
    if (!fixed && !is_argument(o)) {
        int is = tg_looks_again(o) ? tg_argument_of(o, &m->call->array, m->call->kernel->strict) : 0;
        return is < 0 ? -1 : is > 0 ? add_array(m, o) : refuse_object(m, o);
    }
    tg_leaf *l = add(m, LEAF_OBJECT);
    if (l == NULL)
        return -1;
    code(m, l, CODE_CONST);
    keyed_by(m, l, o);
    if (!tg_is_stable(o))
        m->call->cacheable = false;
    return 0;
}

/* add_string: a string is told by its interned self, so that equal ones are one. */
static int add_string(maker *m, PyObject *o) {
    PyObject *s = Py_NewRef(o);
    tg_leaf *l = add(m, LEAF_OBJECT);
    if (l == NULL) {
        Py_DECREF(s);
        return -1;
    }
    PyUnicode_InternInPlace(&s);
    if (s != o) { /* some other one, which only this reference may keep alive */
        if (m->call->strings == NULL && (m->call->strings = PyList_New(0)) == NULL) {
            Py_DECREF(s);
            return -1;
        }
        if (PyList_Append(m->call->strings, s) < 0) {
            Py_DECREF(s);
            return -1;
        }
    }
    code(m, l, CODE_CONST);
    keyed_by(m, l, s);
    Py_DECREF(s);
    return 0;
}

/* add_number adds what is a number without being Python's own type: a subclass, NumPy's scalars. 0: it is none. */
static int add_number(maker *m, PyObject *o, bool fixed) {
    if (PyLong_Check(o)) {
        if (fixed)
            return 0; /* a constant keeps what it is: a member of an enumeration has a name */
        return add_int(m, o, false) < 0 ? -1 : 1;
    }
    if (PyFloat_Check(o))
        return add_float(m, o, fixed) < 0 ? -1 : 1;
    PyObject *module = tg_marker((PyObject *)Py_TYPE(o), "__module__"), *item = NULL, *n = NULL;
    if (module != NULL && PyUnicode_Check(module) && is_text(module, "numpy") && !PyType_Check(o))
        item = tg_marker(o, "item");
    Py_XDECREF(module);
    if (item != NULL)
        n = PyObject_CallNoArgs(item);
    Py_XDECREF(item);
    PyErr_Clear();
    int is = 0;
    if (n != NULL && (PyLong_CheckExact(n) || PyFloat_CheckExact(n) || PyBool_Check(n)))
        is = add_value(m, n, fixed, 0) < 0 ? -1 : 1;
    Py_XDECREF(n);
    return is;
}

/* A constant tuple of more elements is told by identity: reading them all would take longer than the launch. */
#define MOST_ELEMENTS 32

static int add_other(maker *m, PyObject *o, bool fixed, int depth) {
    if (PyTuple_Check(o) || PyList_Check(o)) {
        if (fixed && (PyList_Check(o) || PyTuple_Size(o) > MOST_ELEMENTS))
            return add_object(m, o, fixed);
        return add_tuple(m, o, fixed, depth);
    }
    if (tg_is_constexpr(o) && depth < TG_MAX_DEPTH) {
        PyObject *value = PyObject_GetAttrString(o, "value");
        int failed = value == NULL || add_value(m, value, true, depth + 1) < 0;
        Py_XDECREF(value); /* the constexpr has it */
        return failed ? -1 : 0;
    }
    if (PyUnicode_CheckExact(o))
        return add_string(m, o);
    if (!fixed && !PyLong_Check(o) && tg_is_descriptor(o))
        return add_descriptor(m, o, depth);
    int is = add_number(m, o, fixed);
    if (is != 0)
        return is < 0 ? -1 : 0;
    return add_object(m, o, fixed);
}

static int add_value(maker *m, PyObject *o, bool fixed, int depth) {
    PyTypeObject *type = Py_TYPE(o);
    if (type == &PyLong_Type)
        return add_int(m, o, fixed);
    if (type == &PyFloat_Type)
        return add_float(m, o, fixed);
    if (o == Py_None || type == &PyBool_Type) {
        tg_leaf *l = add(m, o == Py_None ? LEAF_NONE : LEAF_BOOL);
        if (l == NULL)
            return -1;
        l->bits = o == Py_True;
        code(m, l, fixed && o != Py_None ? CODE_CONST | (o == Py_True) : 0);
        return 0;
    }
    int is = fixed && !tg_is_array(o) ? 0 : tg_argument_of(o, &m->call->array, m->call->kernel->strict);
    if (is > 0)
        return add_array(m, o);
    return is < 0 ? -1 : add_other(m, o, fixed, depth);
}

/* mix adds a word to a hash. */
static uint64_t mix(uint64_t hash, uint64_t word) {
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)(hash ^ word ^ 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

/* log_of gives a code of a power of two up to 64, 0 of 0; more than 7 of other numbers. */
static unsigned log_of(int32_t n) {
    unsigned log = 0;
    if (n < 0 || n > 64 || (n & (n - 1)) != 0)
        return 8;
    for (; n != 0; n >>= 1)
        log++;
    return log;
}

/* finish makes the key of what was collected: the options and the device, the codes, the constants. */
static void finish(maker *m) {
    tg_call *c = m->call;
    const tg_options *o = &c->options;
    int n = 0;
    c->words[n++] = (uint64_t)(uint8_t)o->warps | (uint64_t)(uint8_t)o->stages << 8 | (uint64_t)(uint8_t)o->ctas << 16 | (uint64_t)(o->debug || tg_debug_mode) << 24 | (uint64_t)o->unfused << 25 |
                    (uint64_t)tg_check_mode << 26 | (uint64_t)log_of(o->lanes) << 28 | (uint64_t)(uint16_t)c->device << 32 | (uint64_t)(uint16_t)c->index << 48;
    c->words[n++] = (uint64_t)(uint32_t)o->registers | (uint64_t)o->triton << 32;
    if (o->warps > 64 || o->stages > 64 || o->ctas > 64 || o->warps < 0 || o->stages < 0 || o->ctas < 0 || log_of(o->lanes) > 7)
        c->cacheable = false;
    for (int i = 0; i < m->ncodes; i += 4) {
        uint64_t word = 0;
        for (int j = i; j < i + 4 && j < m->ncodes; j++)
            word |= (uint64_t)m->codes[j] << 16 * (j - i);
        c->words[n++] = word;
    }
    memcpy(c->words + n, m->constants, (size_t)m->nconstants * 8);
    c->nwords = n + m->nconstants;
    c->hash = 0;
    for (int i = 0; i < c->nwords; i++)
        c->hash = mix(c->hash, c->words[i]);
}

/* policy_of gives the row of tg_policies for a device of DLPack's. */
static int policy_of(int32_t device) { return device == 2 ? 1 : device == 14 ? 2 : 0; }

/* classify_all classifies with what the policy of a device asks for. */
static int classify_all(tg_call *c, maker *m, int policy) {
    tg_kernel *k = c->kernel;
    c->nleaves = c->nobjects = m->ncodes = m->nconstants = 0;
    c->first = -1;
    c->cacheable = true;
    c->device = 1;
    c->index = 0;
    c->exchange = NULL;
    c->stream = 0;
    c->waits = false;
    for (int i = 0; i < k->n; i++) {
        const tg_param *p = &k->params[i];
        bool facts = !(p->facts & TG_FACT_NO_SPECIALIZE);
        m->param = i;
        m->one = facts && tg_policies[policy].one;
        m->divisor = facts && !(p->facts & TG_FACT_NO_ALIGN) ? tg_policies[policy].divisor : 0;
        c->starts[i] = c->nleaves;
        if (add_value(m, c->values[i], p->facts & TG_FACT_CONSTEXPR, 0) < 0)
            return -1;
    }
    return 0;
}

/* tg_classify classifies with the policy of the device that the kernel's last launch was on; once more if the arrays turn out to be
   on another kind of device. */
int tg_classify(tg_call *c) {
    maker m;
    tg_kernel *k = c->kernel;
    m.call = c;
    int tried = k->policy;
    if (classify_all(c, &m, tried) < 0)
        return -1;
    int policy = policy_of(c->device);
    k->policy = (uint8_t)policy;
    if (policy != tried && classify_all(c, &m, policy) < 0)
        return -1;
    finish(&m);
    return 0;
}

/* place looks for arrays in an argument. */
static int place(maker *m, PyObject *o, int depth) {
    tg_call *c = m->call;
    bool list = PyList_Check(o);
    if (list || PyTuple_Check(o)) {
        Py_ssize_t n = depth > 8 ? 0 : list ? PyList_Size(o) : PyTuple_Size(o);
        for (Py_ssize_t i = 0; i < n; i++)
            if (place(m, list ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i), depth + 1) < 0)
                return -1;
        return 0;
    }
    if (PyLong_Check(o) || PyFloat_Check(o) || PyUnicode_Check(o))
        return 0;
    if (tg_is_descriptor(o)) {
        PyObject *base = PyObject_GetAttrString(o, "base");
        int failed = base == NULL || place(m, base, depth + 1) < 0;
        Py_XDECREF(base);
        return failed ? -1 : 0;
    }
    int is = tg_is_array(o) ? tg_argument_of(o, &c->array, false) : 0;
    return is > 0 ? check_array(m, &c->array) : is;
}

int tg_find_place(tg_call *c) {
    maker m;
    m.call = c;
    c->first = -1;
    c->device = 1;
    c->index = 0;
    c->exchange = NULL;
    c->stream = 0;
    for (int i = 0; i < c->kernel->n; i++) {
        m.param = i;
        if (!(c->kernel->params[i].facts & TG_FACT_CONSTEXPR) && place(&m, c->values[i], 0) < 0)
            return -1;
    }
    return c->first >= 0;
}

/* tg_leaf_at gives the leaf that a parameter of the compiled kernel takes. */
int tg_leaf_at(const tg_call *c, const tg_pass *p) {
    int at = c->starts[p->param];
    for (int i = 0; i < p->depth; i++) {
        at++;
        for (int skip = p->path[i]; skip > 0; skip--)
            at += 1 + c->leaves[at].count;
    }
    return at;
}

/* put_type writes an array for a type that stands for one, where the launch would be: 1 if it is one. */
static int put_type(tg_writer *w, const tg_call *c, PyObject *o) {
    PyObject *text = tg_marker(o, "__tegula_type__"), *class = tg_marker((PyObject *)Py_TYPE(o), "__name__");
    const char *name = NULL;
    if (text == NULL && (PyType_Check(o) || (class != NULL && strstr(tg_utf8(class), "dtype") != NULL) || (class != NULL && strstr(tg_utf8(class), "DType") != NULL)))
        text = PyObject_Str(o); /* torch.float32, float32, <class 'numpy.float32'> */
    Py_XDECREF(class);
    if (text != NULL && PyUnicode_Check(text))
        name = tg_utf8(text);
    uint8_t dtype = TG_INVALID;
    if (name != NULL) {
        name += *name == '*';
        name += strncmp(name, "k", 1) == 0 && tg_dtype_of(name + 1) != TG_INVALID;
        char last[32];
        const char *dot = strrchr(name, '.');
        strncpy(last, dot ? dot + 1 : name, sizeof last - 1);
        last[sizeof last - 1] = 0;
        last[strcspn(last, "'>")] = 0;
        dtype = tg_dtype_of(last);
    }
    PyErr_Clear();
    Py_XDECREF(text);
    if (dtype == TG_INVALID)
        return 0;
    tg_put_u8(w, TG_ARRAY);
    tg_put_u8(w, dtype);
    tg_put_u32(w, (uint32_t)c->device);
    tg_put_u32(w, (uint32_t)c->index);
    tg_put_u64(w, 0);
    tg_put_u64(w, 0);
    return 1;
}

static int put_one(tg_writer *w, tg_call *c, int param, PyObject *o) {
    if (c->warm && !(c->kernel->params[param].facts & TG_FACT_CONSTEXPR) && !PyUnicode_Check(o) && !PyLong_Check(o) && put_type(w, c, o))
        return 0;
    return tg_put_argument(w, c->kernel, o, 0);
}

/* put_bound writes the arguments by parameter, defaults too. */
static int put_bound(tg_writer *w, tg_call *c) {
    tg_kernel *k = c->kernel;
    Py_ssize_t extra = c->rest ? PyTuple_Size(c->rest) : 0;
    tg_put_u32(w, (uint32_t)(k->positional + extra));
    for (int i = 0; i < k->positional; i++)
        if (put_one(w, c, i, c->values[i]) < 0)
            return -1;
    for (Py_ssize_t i = 0; i < extra; i++)
        if (put_one(w, c, k->variadic, PyTuple_GetItem(c->rest, i)) < 0)
            return -1;
    size_t count = tg_put_count(w);
    uint32_t n = 0;
    for (int i = k->positional; i < k->n; i++) {
        if (i == k->variadic)
            continue;
        n++;
        if (tg_put_str(w, k->params[i].name) < 0 || put_one(w, c, i, c->values[i]) < 0)
            return -1;
    }
    tg_set_count(w, count, n);
    return 0;
}

/* put_given writes the arguments as they were given. */
static int put_given(tg_writer *w, tg_call *c) {
    Py_ssize_t named = c->kwnames ? PyTuple_Size(c->kwnames) : 0;
    tg_put_u32(w, (uint32_t)c->nargs);
    for (Py_ssize_t i = 0; i < c->nargs; i++)
        if (tg_put_argument(w, c->kernel, c->args[i], 0) < 0)
            return -1;
    size_t count = tg_put_count(w);
    uint32_t n = 0;
    for (Py_ssize_t i = 0; i < named; i++) {
        PyObject *name = PyTuple_GetItem(c->kwnames, i), *value = c->args[c->nargs + i];
        tg_options scratch = {0};
        if (param_named(c->kernel, name) < 0 && tg_option(&scratch, name, value) == 1)
            continue;
        n++;
        if (tg_put_str(w, name) < 0 || tg_put_argument(w, c->kernel, value, 0) < 0)
            return -1;
    }
    tg_set_count(w, count, n);
    return 0;
}

/* tg_put_call writes a launch. */
int tg_put_call(tg_writer *w, tg_call *c, bool bound, const int64_t *grid, uint32_t ndims, uint64_t stream, const char *target) {
    tg_put_u64(w, c->kernel->id);
    tg_put_u32(w, (uint32_t)c->options.warps);
    tg_put_u32(w, (uint32_t)c->options.stages);
    tg_put_u32(w, (uint32_t)c->options.ctas);
    tg_put_u32(w, (uint32_t)c->options.lanes);
    tg_put_u32(w, (uint32_t)c->options.registers);
    tg_put_u8(w, c->options.debug || tg_debug_mode);
    tg_put_u8(w, c->options.unfused);
    tg_put_u8(w, c->options.triton);
    tg_put_u8(w, c->device == 1 ? (uint8_t)tg_check_mode : 0);
    tg_put_u32(w, ndims);
    for (uint32_t i = 0; i < ndims; i++)
        tg_put_u64(w, (uint64_t)grid[i]);
    tg_put_u32(w, (uint32_t)c->device);
    tg_put_u32(w, (uint32_t)c->index);
    tg_put_u64(w, stream);
    tg_put_text(w, target, strlen(target));
    return bound ? put_bound(w, c) : put_given(w, c);
}
