/* Arrays of every framework, without importing one. What a type offers is found once, the first time that an object of it
   is seen:

     the DLPack C exchange API     torch; no Python code runs and nothing is made
     numpy.ndarray                 its struct, whose head has been the same since NumPy 1.0
     torch, jax                    the attributes that their arrays have
     __cuda_array_interface__, __array_interface__, __dlpack__
     data_ptr() and dtype          what wraps an array with another element type

   Nothing is copied, and nothing waits. */

#include <stdlib.h>
#include <string.h>

#include "native.h"

/* DLPack, version 1. */

typedef struct {
    uint32_t major, minor;
} dl_version;

typedef struct {
    void *data;
    struct { int32_t type, index; } device;
    int32_t ndim;
    struct { uint8_t code, bits; uint16_t lanes; } dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} dl_tensor;

typedef struct dl_managed {
    dl_tensor tensor;
    void *context;
    void (*deleter)(struct dl_managed *);
} dl_managed;

typedef struct dl_versioned {
    dl_version version;
    void *context;
    void (*deleter)(struct dl_versioned *);
    uint64_t flags;
    dl_tensor tensor;
} dl_versioned;

enum { DL_READ_ONLY = 1, DL_COPIED = 2 };

enum { MOST_DIMENSIONS = 64 }; /* NumPy's arrays have at most so many */

typedef struct dl_exchange {
    dl_version version;
    struct dl_exchange *previous;
    void *allocate, *managed_from_object, *managed_to_object;
    int (*from_object)(void *object, dl_tensor *out);
    int (*current_stream)(int32_t device, int32_t index, void **stream);
} dl_exchange;

/* span adds the way from the first index of a dimension to the last: false if no memory is that large. */
static bool span(int64_t *to, int64_t n, int64_t stride) {
    int64_t way;
    return !__builtin_mul_overflow(n - 1, stride, &way) && !__builtin_add_overflow(*to, way, to) && *to < INT64_MAX / 16 && *to > INT64_MIN / 16;
}

/* measure finds out how the elements lie: strides count parts of an element, of which it has unit; NULL is C order. */
static void measure(tg_array *a, int ndim, const int64_t *shape, const int64_t *strides, int64_t unit) {
    int64_t expect = 1, last = 0, first = 0;
    bool empty = false;
    a->contiguous = true;
    a->ndim = ndim <= TG_RANK ? ndim : -1;
    for (int i = ndim - 1; i >= 0; i--) {
        if (strides && shape[i] > 1 && strides[i] % unit != 0)
            a->misshapen = "strides that are no multiples of an element's size, as fields of structures have: pass a copy of it";
        int64_t n = shape[i], s = !strides ? expect : unit == 1 ? strides[i] : strides[i] / unit;
        if (a->ndim >= 0) {
            a->shape[i] = n;
            a->strides[i] = s;
        }
        if (n != 1 && s != expect)
            a->contiguous = false;
        if (n == 0)
            empty = true;
        else if (n < 0 || !span(s > 0 ? &last : &first, n, s))
            a->misshapen = "a shape that no memory can have";
        expect = (int64_t)((uint64_t)expect * (uint64_t)n);
    }
    if (a->misshapen)
        return;
    a->contiguous = a->contiguous || empty;
    a->bytes = empty ? 0 : (uint64_t)(last + 1) * (int64_t)tg_dtype_bytes(a->dtype);
    a->front = empty ? 0 : (uint64_t)-first * (int64_t)tg_dtype_bytes(a->dtype);
}

/* set_place takes the address, the device and the type of a tensor. */
static void set_place(tg_array *a, const dl_tensor *t) {
    tg_set_dtype(a, t->dtype.code, t->dtype.bits, t->dtype.lanes);
    a->data = (uint64_t)(uintptr_t)t->data + t->byte_offset;
    a->device = t->device.type == DL_CUDA_HOST ? DL_CPU : t->device.type == DL_MANAGED ? DL_CUDA : t->device.type;
    a->index = a->device == DL_CPU ? 0 : t->device.index;
}

static void set_tensor(tg_array *a, const dl_tensor *t) {
    set_place(a, t);
    measure(a, t->ndim, t->shape, t->strides, 1);
}

/* What is known of a type. */
enum source { NOT_SEEN, NO_ARRAY, EXCHANGE, NUMPY, ATTRIBUTES, JAX, CUDA_INTERFACE, ARRAY_INTERFACE, CAPSULE, POINTER, RECORD };

typedef struct {
    PyTypeObject *type; /* kept alive */
    uint8_t source, framework;
    bool foreign; /* of a framework that is not known */
    const dl_exchange *exchange;
} seen;

#define SEEN 256
static seen types[SEEN];

static bool has(PyObject *type, const char *name) {
    int is = PyObject_HasAttrString(type, name);
    PyErr_Clear();
    return is;
}

/* root gives the package that a type, or one that it derives from, comes from. */
static int framework_of(PyTypeObject *type, uint8_t *framework) {
    static const struct { const char *root; uint8_t framework; } roots[] = {
        {"numpy", TG_NUMPY}, {"cupy", TG_CUPY}, {"torch", TG_TORCH}, {"jax", TG_JAX}, {"jaxlib", TG_JAX},
    };
    PyObject *mro = PyObject_GetAttrString((PyObject *)type, "__mro__");
    Py_ssize_t n = mro ? PyTuple_Size(mro) : 0;
    int found = 0;
    for (Py_ssize_t i = 0; !found && i < n; i++) {
        PyObject *module = tg_marker(PyTuple_GetItem(mro, i), "__module__");
        const char *name = module && PyUnicode_Check(module) ? PyUnicode_AsUTF8AndSize(module, NULL) : NULL;
        for (size_t j = 0; name != NULL && j < sizeof roots / sizeof *roots; j++) {
            size_t len = strlen(roots[j].root);
            if (strncmp(name, roots[j].root, len) == 0 && (name[len] == 0 || name[len] == '.')) {
                *framework = roots[j].framework;
                found = 1;
                break;
            }
        }
        Py_XDECREF(module);
    }
    PyErr_Clear();
    Py_XDECREF(mro);
    return found;
}

/* The head of numpy.ndarray, and of its descr, after the object's own. */
typedef struct {
    PyObject ob_base;
    char *data;
    int nd;
    Py_ssize_t *dimensions, *strides;
    PyObject *base;
    PyObject *descr;
    int flags;
} np_array;

typedef struct {
    PyObject ob_base;
    PyTypeObject *typeobj;
    char kind, type, byteorder, former_flags;
    int type_num;
} np_descr;

enum { NP_WRITEABLE = 0x400 };

/* is_numpy tells whether a type is one of NumPy's or derives from it. */
static bool is_numpy(PyTypeObject *type, const char *class) {
    PyObject *name = PyUnicode_FromString("numpy"), *numpy = name ? PyImport_GetModule(name) : NULL;
    PyObject *own = numpy ? PyObject_GetAttrString(numpy, class) : NULL;
    Py_XDECREF(name);
    bool is = own != NULL && PyType_Check(own) && PyType_IsSubtype(type, (PyTypeObject *)own);
    PyErr_Clear();
    Py_XDECREF(own);
    Py_XDECREF(numpy);
    return is;
}

static const dl_exchange *exchange_of(PyTypeObject *type) {
    PyObject *capsule = tg_marker((PyObject *)type, "__dlpack_c_exchange_api__");
    const dl_exchange *api = capsule ? PyCapsule_GetPointer(capsule, "dlpack_exchange_api") : NULL;
    PyErr_Clear();
    Py_XDECREF(capsule); /* the type has it, and the API is not freed */
    while (api != NULL && api->version.major != 1)
        api = api->previous;
    return api != NULL && api->from_object != NULL ? api : NULL;
}

/* Numbers, strings and the like are no arrays, whatever protocols their types have. */
static bool is_plain(PyTypeObject *type) {
    return PyType_IsSubtype(type, &PyLong_Type) || PyType_IsSubtype(type, &PyFloat_Type) || PyType_IsSubtype(type, &PyUnicode_Type) ||
           PyType_IsSubtype(type, &PyTuple_Type) || PyType_IsSubtype(type, &PyList_Type) || PyType_IsSubtype(type, &PyDict_Type) ||
           PyType_IsSubtype(type, &PyType_Type) || PyType_IsSubtype(type, &PyModule_Type);
}

/* look_at finds what a type's arrays offer, by the first one. Proxies, wrappers and the like have it of their own, not of their type. */
static void look_at(seen *s, PyTypeObject *type, PyObject *o) {
    PyObject *t = (PyObject *)type;
    bool known = framework_of(type, &s->framework), described = known && has(o, "dtype") && has(o, "shape");
    uint8_t source = NO_ARRAY;
    s->exchange = NULL;
    if (is_plain(type) || is_numpy(type, "generic") || is_numpy(type, "dtype")) /* NumPy's scalars are numbers */
        source = NO_ARRAY;
    else if ((s->exchange = exchange_of(type)) != NULL)
        source = EXCHANGE;
    else if (known && s->framework == TG_NUMPY && is_numpy(type, "ndarray"))
        source = NUMPY;
    else if (known && s->framework == TG_TORCH && (has(o, "data_ptr") || described))
        source = ATTRIBUTES;
    else if (known && s->framework == TG_JAX && (has(o, "unsafe_buffer_pointer") || has(o, "__dlpack__") || described))
        source = JAX;
    else if (has(o, "__tegula_array__"))
        source = RECORD;
    else if (has(o, "__cuda_array_interface__"))
        source = CUDA_INTERFACE;
    else if (has(o, "__array_interface__"))
        source = ARRAY_INTERFACE;
    else if (has(t, "__dlpack__") && has(t, "__dlpack_device__"))
        source = CAPSULE;
    else if (described)
        source = ATTRIBUTES;
    else if (has(o, "data_ptr"))
        source = POINTER;
    s->foreign = !known;
    if (!known)
        s->framework = source == CUDA_INTERFACE ? TG_CUPY : source == ARRAY_INTERFACE ? TG_NUMPY : TG_DLPACK;
    Py_XDECREF((PyObject *)s->type);
    s->type = (PyTypeObject *)Py_NewRef(t);
    s->source = source;
}

static seen *seen_of(PyObject *o) {
    PyTypeObject *type = Py_TYPE(o);
    uintptr_t h = (uintptr_t)type >> 4;
    seen *s = &types[(h ^ h >> 8) % SEEN];
    if (s->type != type)
        look_at(s, type, o);
    return s;
}

static void of_numpy(PyObject *o, tg_array *a) {
    static const uint8_t numbers[] = {
        TG_I1, TG_I8, TG_U8, TG_I16, TG_U16, TG_I32, TG_U32, sizeof(long) == 8 ? TG_I64 : TG_I32, sizeof(long) == 8 ? TG_U64 : TG_U32,
        TG_I64, TG_U64, TG_F32, TG_F64, TG_INVALID, TG_INVALID, TG_INVALID, TG_INVALID, TG_INVALID, TG_INVALID, TG_INVALID, TG_INVALID,
        TG_INVALID, TG_INVALID, TG_F16,
    };
    const np_array *n = (const np_array *)o;
    const np_descr *d = (const np_descr *)n->descr;
    a->data = (uint64_t)(uintptr_t)n->data;
    a->device = DL_CPU;
    a->index = 0;
    a->readonly = !(n->flags & NP_WRITEABLE);
    a->dtype = d->type_num >= 0 && d->type_num < (int)sizeof numbers ? numbers[d->type_num] : TG_INVALID;
    if (a->dtype == TG_INVALID) { /* one that another package added, or none that kernels have */
        PyObject *name = PyObject_GetAttrString(n->descr, "name");
        tg_set_dtype_named(a, name ? tg_utf8(name) : "?");
        Py_XDECREF(name);
    } else if (d->byteorder == '>') {
        PyOS_snprintf(a->name, sizeof a->name, "%s of swapped bytes", tg_dtype_name(a->dtype));
        a->dtype = TG_INVALID;
    }
    int64_t size = (int64_t)tg_dtype_bytes(a->dtype), shape[MOST_DIMENSIONS], strides[MOST_DIMENSIONS];
    if (size == 0) {
        PyObject *n = PyObject_GetAttrString(o, "itemsize");
        size = n ? (int64_t)PyLong_AsLong(n) : 1;
        Py_XDECREF(n);
    }
    PyErr_Clear();
    int nd = n->nd <= MOST_DIMENSIONS ? n->nd : MOST_DIMENSIONS;
    for (int i = 0; i < nd; i++) {
        shape[i] = n->dimensions[i];
        strides[i] = n->strides[i];
    }
    measure(a, nd, shape, strides, size ? size : 1);
}

/* number gives an attribute, or what a method gives, as a number; false if there is none. */
static bool number(PyObject *o, const char *name, bool call, uint64_t *out) {
    PyObject *v = tg_marker(o, name);
    if (v != NULL && call) {
        PyObject *f = v;
        v = PyObject_CallNoArgs(f);
        Py_DECREF(f);
    }
    PyObject *n = v ? PyNumber_Index(v) : NULL;
    bool ok = n != NULL;
    if (ok)
        *out = PyLong_AsUnsignedLongLongMask(n);
    Py_XDECREF(n);
    Py_XDECREF(v);
    ok = ok && !PyErr_Occurred();
    PyErr_Clear();
    return ok;
}

/* numbers gives the numbers of a sequence: how many, or -1. */
static int numbers(PyObject *list, int64_t *out, int most) {
    PyObject *t = list && list != Py_None ? PySequence_Tuple(list) : NULL;
    int n = t ? (int)PyTuple_Size(t) : -1;
    for (int i = 0; i < n && i < most; i++) {
        PyObject *v = PyNumber_Index(PyTuple_GetItem(t, i));
        out[i] = v ? PyLong_AsLongLong(v) : 0;
        Py_XDECREF(v);
    }
    if (PyErr_Occurred() || n > most)
        n = -1;
    PyErr_Clear();
    Py_XDECREF(t);
    return n;
}

static int numbers_of(PyObject *o, const char *name, bool call, int64_t *out, int most) {
    PyObject *v = tg_marker(o, name);
    if (v != NULL && call) {
        PyObject *f = v;
        v = PyObject_CallNoArgs(f);
        Py_DECREF(f);
        PyErr_Clear();
    }
    int n = numbers(v, out, most);
    Py_XDECREF(v);
    return n;
}

static void set_dtype_of(tg_array *a, PyObject *o) {
    PyObject *dtype = tg_marker(o, "dtype"), *name;
    if (dtype == NULL)
        return;
    if ((name = tg_marker(dtype, "__tegula_type__")) != NULL || (name = tg_marker(dtype, "name")) != NULL || (name = PyObject_Str(dtype)) != NULL)
        tg_set_dtype_named(a, tg_utf8(name));
    PyErr_Clear();
    Py_XDECREF(name);
    Py_DECREF(dtype);
}

static int32_t device_named(const char *text) {
    static const struct { const char *name; int32_t device; } names[] = {
        {"cuda", DL_CUDA}, {"gpu", DL_CUDA}, {"<CUDA", DL_CUDA}, {"Cuda", DL_CUDA}, {"xpu", DL_ONEAPI}, {"cpu", DL_CPU}, {"TFRT_CPU", DL_CPU},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(text, names[i].name, strlen(names[i].name)) == 0)
            return names[i].device;
    return DL_OTHER;
}

/* set_device takes what a framework says of a device: an object with type and index (torch), platform and id (JAX) or id (CuPy), or text
   such as "cuda:1". */
static void set_device(tg_array *a, PyObject *device) {
    PyObject *name = tg_marker(device, "type");
    uint64_t index = 0;
    char text[32] = "";
    if (name == NULL || !PyUnicode_Check(name)) {
        Py_XDECREF(name);
        name = tg_marker(device, "platform");
    }
    bool numbered = number(device, "index", false, &index) || number(device, "id", false, &index);
    if (name != NULL && PyUnicode_Check(name))
        strncpy(text, tg_utf8(name), sizeof text - 1);
    else if (PyUnicode_Check(device) || !numbered) {
        strncpy(text, tg_utf8(device), sizeof text - 1);
        const char *colon = strchr(text, ':');
        if (colon != NULL)
            index = strtoul(colon + 1, NULL, 10);
    }
    Py_XDECREF(name);
    PyErr_Clear();
    if (text[0] != 0) /* else a number of the framework's only kind of devices */
        a->device = device_named(text);
    a->index = a->device == DL_CPU ? 0 : (int32_t)index;
}

/* set_device_of asks an array for its device, or for its devices, of which one is taken. */
static void set_device_of(tg_array *a, PyObject *o) {
    PyObject *device = tg_marker(o, "device"), *all = NULL;
    if (device != NULL && PyCallable_Check(device)) {
        PyObject *f = device;
        device = PyObject_CallNoArgs(f);
        Py_DECREF(f);
    }
    if (device == NULL && (all = tg_marker(o, "devices")) != NULL) {
        PyObject *set = PyObject_CallNoArgs(all), *each = set ? PyObject_GetIter(set) : NULL;
        device = each ? PyIter_Next(each) : NULL;
        Py_XDECREF(each);
        Py_XDECREF(set);
        Py_DECREF(all);
    }
    PyErr_Clear();
    if (device != NULL)
        set_device(a, device);
    Py_XDECREF(device);
}

static bool truth_of(PyObject *o, const char *name, bool call, bool otherwise) {
    PyObject *v = tg_marker(o, name);
    if (v != NULL && call && PyCallable_Check(v)) {
        PyObject *f = v;
        v = PyObject_CallNoArgs(f);
        Py_DECREF(f);
    }
    int is = v ? PyObject_IsTrue(v) : -1;
    PyErr_Clear();
    Py_XDECREF(v);
    return is < 0 ? otherwise : is;
}

/* lay_out measures an array by its shape and strides, which count elements. */
static void lay_out(tg_array *a, PyObject *o, const char *stride, bool call, int64_t unit) {
    int64_t shape[TG_RANK], strides[TG_RANK];
    int n = numbers_of(o, "shape", false, shape, TG_RANK), m = stride ? numbers_of(o, stride, call, strides, TG_RANK) : -1;
    if (n < 0) {
        uint64_t elements = 0;
        number(o, "numel", true, &elements);
        shape[0] = (int64_t)elements;
        n = 1;
    }
    measure(a, n, shape, m == n ? strides : NULL, unit > 0 ? unit : 1);
}

/* of_attributes asks for what torch's tensors have, and arrays like them. The device is what it is set to before if the array does
   not say one. */
static void of_attributes(PyObject *o, tg_array *a) {
    set_dtype_of(a, o);
    set_device_of(a, o);
    number(o, "data_ptr", true, &a->data);
    lay_out(a, o, "stride", true, 1);
    a->contiguous = truth_of(o, "is_contiguous", true, a->contiguous);
    PyObject *flags = tg_marker(o, "flags");
    if (flags != NULL)
        a->contiguous = truth_of(flags, "c_contiguous", false, a->contiguous);
    Py_XDECREF(flags);
}

/* set_typestr takes a type such as "<f4". */
static void set_typestr(tg_array *a, const char *text) {
    static const char kinds[] = "iufb";
    static const int codes[] = {DL_INT, DL_UINT, DL_FLOAT, DL_BOOL};
    const char *kind = strlen(text) > 2 ? strchr(kinds, text[1]) : NULL;
    a->dtype = TG_INVALID;
    tg_set_type_name(a, text);
    if (kind != NULL && *kind && text[0] != '>')
        tg_set_dtype(a, codes[kind - kinds], 8 * atoi(text + 2), 1);
}

/* of_interface reads an array interface. */
static int of_interface(PyObject *o, const char *name, tg_array *a) {
    PyObject *d = tg_marker(o, name), *v;
    if (d == NULL || !PyDict_Check(d)) {
        Py_XDECREF(d);
        return 0;
    }
    if ((v = PyDict_GetItemString(d, "typestr")) != NULL)
        set_typestr(a, tg_utf8(v));
    int64_t shape[MOST_DIMENSIONS], strides[MOST_DIMENSIONS];
    int n = numbers(PyDict_GetItemString(d, "shape"), shape, MOST_DIMENSIONS), m = numbers(PyDict_GetItemString(d, "strides"), strides, MOST_DIMENSIONS);
    if ((v = PyDict_GetItemString(d, "data")) != NULL && PyTuple_Check(v) && PyTuple_Size(v) == 2) {
        PyObject *at = PyTuple_GetItem(v, 0);
        a->data = at == Py_None ? 0 : PyLong_AsUnsignedLongLongMask(at);
        a->readonly = PyObject_IsTrue(PyTuple_GetItem(v, 1)) == 1;
    }
    if ((v = PyDict_GetItemString(d, "mask")) != NULL && v != Py_None) {
        tg_raise("ArgumentError", "masked", "%s has a mask, which a kernel would not heed: pass the data and the mask as two arrays", name);
        Py_DECREF(d);
        return -1;
    }
    if ((v = PyDict_GetItemString(d, "stream")) != NULL && PyLong_Check(v))
        a->stream = PyLong_AsUnsignedLongLongMask(v);
    int64_t size = (int64_t)tg_dtype_bytes(a->dtype);
    if (a->dtype == TG_INVALID) { /* such as bfloat16, which these interfaces do not have */
        set_dtype_of(a, o);
        size = (int64_t)tg_dtype_bytes(a->dtype);
    }
    if (n >= 0)
        measure(a, n, shape, m == n ? strides : NULL, size ? size : 1);
    else
        a->misshapen = "a shape that is no tuple of at most 64 numbers";
    PyErr_Clear();
    Py_DECREF(d);
    return 1;
}

/* of_cuda_interface heeds the stream that the interface may name only where the framework's current one is not known. */
static int of_cuda_interface(PyObject *o, tg_array *a, bool foreign) {
    a->device = DL_CUDA;
    set_device_of(a, o);
    int is = of_interface(o, "__cuda_array_interface__", a);
    if (!foreign)
        a->stream = 0;
    return is;
}

/* of_dlpack_device tells what is known of an array that does not give its memory: there is nothing to launch with. */
static int of_dlpack_device(PyObject *o, tg_array *a) {
    int64_t device[2];
    if (numbers_of(o, "__dlpack_device__", true, device, 2) != 2)
        return 0;
    of_attributes(o, a);
    a->device = (int32_t)device[0];
    a->index = a->device == DL_CPU ? 0 : (int32_t)device[1];
    return 1;
}

/* capsule_of asks for the memory as DLPack 1 has it, and those who do not know of versions for it as they have it. */
static PyObject *capsule_of(PyObject *o) {
    PyObject *dlpack = tg_marker(o, "__dlpack__"), *none = PyTuple_New(0), *named = Py_BuildValue("{s(ii)}", "max_version", 1, 0), *capsule = NULL;
    if (dlpack != NULL && none != NULL && named != NULL) {
        capsule = PyObject_Call(dlpack, none, named);
        if (capsule == NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Clear();
            capsule = PyObject_CallNoArgs(dlpack);
        }
    }
    Py_XDECREF(dlpack);
    Py_XDECREF(none);
    Py_XDECREF(named);
    return capsule;
}

/* take_capsule reads a capsule. The object keeps what the tensor refers to alive, unless it made a copy of it; the capsule's end frees
   the tensor. */
static int take_capsule(PyObject *capsule, tg_array *a) {
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        const dl_versioned *v = PyCapsule_GetPointer(capsule, "dltensor_versioned");
        if (v->version.major != 1 || v->flags & DL_COPIED) {
            tg_raise("ArgumentError", "no-memory", "%s", v->flags & DL_COPIED ? "an array gives nothing but a copy of its memory (DLPack)" : "an array's memory is described as DLPack 1 does not");
            return -1;
        }
        set_tensor(a, &v->tensor);
        a->readonly = v->flags & DL_READ_ONLY;
        return 1;
    }
    const dl_managed *m = PyCapsule_GetPointer(capsule, "dltensor");
    if (m != NULL)
        set_tensor(a, &m->tensor);
    return m ? 1 : -1;
}

/* of_capsule gives what is known of the array if it does not give its memory; what it says then is raised if that is nothing. */
static int of_capsule(PyObject *o, tg_array *a) {
    PyObject *capsule = capsule_of(o), *type, *value, *trace;
    if (capsule != NULL) {
        int is = take_capsule(capsule, a);
        Py_DECREF(capsule);
        return is;
    }
    PyErr_Fetch(&type, &value, &trace);
    int is = of_dlpack_device(o, a);
    if (is > 0 && a->dtype == TG_INVALID && a->name[0] == 0 && type != NULL) {
        PyErr_Restore(type, value, trace);
        return -1;
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return is;
}

static int of_jax(PyObject *o, tg_array *a) {
    a->device = DL_CPU;
    a->readonly = true;
    set_dtype_of(a, o);
    set_device_of(a, o);
    if (!number(o, "unsafe_buffer_pointer", true, &a->data) && has(o, "__dlpack__") && of_capsule(o, a) > 0)
        return 1;
    PyErr_Clear(); /* one that is deleted, traced or on several devices has no memory */
    lay_out(a, o, NULL, false, 1);
    return 1;
}

static int of_pointer(PyObject *o, tg_array *a) {
    PyObject *base = tg_marker(o, "base");
    tg_array inner;
    int known = base && base != o && seen_of(base)->source != POINTER ? tg_array_of(base, &inner) : 0;
    PyErr_Clear();
    Py_XDECREF(base);
    if (known > 0)
        *a = inner;
    else {
        a->device = DL_CPU;
        set_device_of(a, o);
    }
    uint64_t bytes = a->bytes, front = a->front;
    set_dtype_of(a, o);
    if (!number(o, "data_ptr", true, &a->data))
        return 0;
    if (known <= 0)
        lay_out(a, o, "stride", true, 1);
    else { /* the same memory under another type */
        a->bytes = bytes;
        a->front = front;
    }
    return 1;
}

/* of_record takes what tg_array_record made. */
static int of_record(PyObject *o, tg_array *a) {
    static PyObject *name;
    if (name == NULL && (name = PyUnicode_InternFromString("__tegula_array__")) == NULL)
        return -1;
    PyObject *record = PyObject_GetAttr(o, name);
    PyErr_Clear();
    int is = record != NULL && PyBytes_Check(record) && PyBytes_Size(record) == (Py_ssize_t)sizeof *a;
    if (is)
        memcpy(a, PyBytes_AsString(record), sizeof *a);
    Py_XDECREF(record);
    return is;
}

/* tg_array_record is _native.array_record(address, name of the type, device, shape): what a launch sees of an array in C order, as bytes
   that the array keeps as __tegula_array__. */
PyObject *tg_array_record(PyObject *self, PyObject *args) {
    unsigned long long address;
    const char *name, *device;
    int index;
    PyObject *sizes;
    int64_t shape[TG_RANK];
    tg_array a;
    (void)self;
    if (!PyArg_ParseTuple(args, "KssiO:array_record", &address, &name, &device, &index, &sizes))
        return NULL;
    memset(&a, 0, sizeof a);
    int n = numbers(sizes, shape, TG_RANK);
    if (n < 0 || (a.dtype = tg_dtype_of(name)) == TG_INVALID) {
        tg_raise("ArgumentError", "shape", "a shape is at most %d numbers, and %s a type", TG_RANK, name);
        return NULL;
    }
    a.data = address;
    a.framework = TG_DLPACK;
    a.device = device_named(device);
    a.index = index;
    measure(&a, n, shape, NULL, 1);
    return PyBytes_FromStringAndSize((const char *)&a, sizeof a);
}

static int array_of(seen *s, PyObject *o, tg_array *a) {
    dl_tensor t;
    switch (s->source) {
    case EXCHANGE:
        if (s->exchange->from_object(o, &t) != 0) { /* of a device or a type that DLPack has not got, or without memory */
            PyErr_Clear();
            of_attributes(o, a);
            return 1;
        }
        a->exchange = s->exchange;
        set_tensor(a, &t);
        return 1;
    case NUMPY:
        of_numpy(o, a);
        return 1;
    case ATTRIBUTES:
        a->device = s->framework == TG_CUPY ? DL_CUDA : DL_CPU;
        of_attributes(o, a);
        return 1;
    case CUDA_INTERFACE:
        return of_cuda_interface(o, a, s->foreign);
    case JAX:
        return of_jax(o, a);
    case ARRAY_INTERFACE:
        a->device = DL_CPU;
        return of_interface(o, "__array_interface__", a);
    case CAPSULE:
        return of_capsule(o, a);
    case POINTER:
        return of_pointer(o, a);
    case RECORD:
        return of_record(o, a);
    }
    return 0;
}

/* reset makes a record of nothing. */
static void reset(const seen *s, tg_array *a) {
    a->data = a->bytes = a->front = 0;
    a->dtype = TG_INVALID;
    a->framework = s->framework;
    a->contiguous = true;
    a->readonly = false;
    a->misshapen = NULL;
    a->device = DL_CPU;
    a->index = 0;
    a->ndim = -1;
    a->name[0] = 0;
    a->exchange = NULL;
    a->stream = 0;
}

int tg_array_of(PyObject *o, tg_array *a) {
    seen *s = seen_of(o);
    if (s->source == NO_ARRAY)
        return 0;
    reset(s, a);
    return array_of(s, o, a);
}

int tg_argument_of(PyObject *o, tg_array *a, bool strict) {
    seen *s = seen_of(o);
    dl_tensor t;
    if (s->source != EXCHANGE || strict)
        return tg_array_of(o, a);
    reset(s, a);
    if (s->exchange->from_object(o, &t) != 0) {
        PyErr_Clear();
        of_attributes(o, a);
        return 1;
    }
    a->exchange = s->exchange;
    set_place(a, &t);
    if (a->device == DL_CPU || a->data == 0)
        measure(a, t.ndim, t.shape, t.strides, 1);
    return 1;
}

int tg_wait_for(PyObject *array) {
    PyObject *wait = tg_marker(array, "block_until_ready"), *done = wait ? PyObject_CallNoArgs(wait) : NULL;
    int failed = wait != NULL && done == NULL;
    Py_XDECREF(done);
    Py_XDECREF(wait);
    return failed ? -1 : 0;
}

bool tg_is_array(PyObject *o) { return seen_of(o)->source > NO_ARRAY; }

bool tg_looks_again(PyObject *o) {
    seen *s = seen_of(o);
    if (s->source == NO_ARRAY)
        look_at(s, Py_TYPE(o), o);
    return s->source > NO_ARRAY;
}

/* cupy_stream gives CuPy's current stream of a device. */
static uint64_t cupy_stream(int32_t index) {
    PyObject *name = PyUnicode_FromString("cupy.cuda"), *cuda = name ? PyImport_GetModule(name) : NULL;
    PyObject *f = cuda ? PyObject_GetAttrString(cuda, "get_current_stream") : NULL, *s = f ? PyObject_CallFunction(f, "i", (int)index) : NULL;
    uint64_t n = 0;
    if (f != NULL && s == NULL) { /* of a CuPy before 9.4: of the current device */
        PyErr_Clear();
        s = PyObject_CallNoArgs(f);
    }
    if (s != NULL)
        number(s, "ptr", false, &n);
    PyErr_Clear();
    Py_XDECREF(s);
    Py_XDECREF(f);
    Py_XDECREF(cuda);
    Py_XDECREF(name);
    return n;
}

/* tg_current_stream gives the stream that orders the use of an array: that which the array names, or the current one of its framework. CUDA's
   default stream, whose handle is 0, is named by what stands for it: 1. */
int tg_current_stream(const tg_array *a, uint64_t *handle) {
    const dl_exchange *api = a->exchange;
    void *stream = NULL;
    uint64_t n = 0;
    if (a->device == DL_ONEAPI)
        return tg_xpu_stream(a, handle);
    *handle = 1;
    if (a->device == DL_CPU)
        return 0;
    if (api != NULL && api->current_stream != NULL && api->current_stream(a->device, a->index, &stream) == 0)
        n = (uint64_t)(uintptr_t)stream;
    else if (a->stream != 0)
        n = a->stream;
    else if (a->framework == TG_CUPY)
        n = cupy_stream(a->index);
    PyErr_Clear();
    *handle = n == 0 && a->device == DL_CUDA ? 1 : n;
    return 0;
}
