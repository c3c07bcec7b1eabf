/* Constants between Python and messages. */

#include <stdlib.h>
#include <string.h>

#include "native.h"

PyObject *tg_constexpr_type;

bool tg_is_constexpr(PyObject *o) {
    return tg_constexpr_type != NULL && PyObject_TypeCheck(o, (PyTypeObject *)tg_constexpr_type);
}

/* tg_marker gives an attribute of an object's own or of its class's, if there is one. */
PyObject *tg_marker(PyObject *o, const char *name) {
    PyObject *v = PyObject_GetAttrString(o, name);
    if (v == NULL)
        PyErr_Clear();
    return v;
}

bool tg_is_namedtuple(PyObject *o) {
    if (!PyTuple_Check(o) || PyTuple_CheckExact(o))
        return false;
    PyObject *fields = tg_marker(o, "_fields");
    bool is = fields != NULL && PyTuple_Check(fields);
    Py_XDECREF(fields);
    return is;
}

/* A tensor descriptor is what has its five attributes, as triton.tools.tensor_descriptor.TensorDescriptor does. */
bool tg_is_descriptor(PyObject *o) {
    static const char *const attributes[] = {"base", "shape", "strides", "block_shape"};
    PyObject *name = PyObject_GetAttrString((PyObject *)Py_TYPE(o), "__name__");
    bool is = name != NULL && strcmp(tg_utf8(name), "TensorDescriptor") == 0;
    PyErr_Clear();
    Py_XDECREF(name);
    for (size_t i = 0; is && i < sizeof attributes / sizeof *attributes; i++) {
        PyObject *v = tg_marker(o, attributes[i]);
        is = v != NULL;
        Py_XDECREF(v);
    }
    return is;
}

static bool is_exact(PyObject *o, PyTypeObject *type) { return Py_TYPE(o) == type; }

/* tg_is_stable: data that cannot change, and objects, which are told by identity. */
bool tg_is_stable(PyObject *o) {
    if (PyTuple_Check(o)) {
        Py_ssize_t n = PyTuple_Size(o);
        for (Py_ssize_t i = 0; i < n; i++)
            if (!tg_is_stable(PyTuple_GetItem(o, i)))
                return false;
        return true;
    }
    return !PyList_Check(o) && !PyDict_Check(o) && !PyAnySet_Check(o);
}

static void put_cstr(tg_writer *w, const char *s) { tg_put_text(w, s, strlen(s)); }

/* put_foreign says why a kernel cannot use an object. */
static int put_foreign(tg_writer *w, const char *code, PyObject *text) {
    if (text == NULL)
        return -1;
    tg_put_u8(w, TG_FOREIGN);
    put_cstr(w, code);
    int failed = tg_put_str(w, text);
    Py_DECREF(text);
    return failed;
}

static int put_long(tg_writer *w, PyObject *o) {
    int overflow;
    long long n = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (n == -1 && PyErr_Occurred())
        return -1;
    if (overflow == 0) {
        tg_put_u8(w, TG_INT);
        tg_put_u64(w, (uint64_t)n);
        return 0;
    }
    PyObject *hex = PyNumber_ToBase(o, 16);
    if (hex == NULL)
        return -1;
    const char *s = PyUnicode_AsUTF8AndSize(hex, NULL); /* 0x…, -0x… */
    int failed = s == NULL;
    if (!failed) {
        bool negative = s[0] == '-';
        s += negative ? 3 : 2;
        size_t n_digits = strlen(s);
        tg_put_u8(w, TG_BIG);
        tg_put_u32(w, (uint32_t)(n_digits + negative));
        if (negative)
            tg_put(w, "-", 1);
        tg_put(w, s, n_digits);
    }
    Py_DECREF(hex);
    return failed ? -1 : 0;
}

typedef int (*put_fn)(tg_writer *w, tg_kernel *k, PyObject *o, int depth);

static int put_sequence(tg_writer *w, tg_kernel *k, PyObject *o, int depth, put_fn put) {
    PyObject *list = PySequence_List(o);
    if (list == NULL)
        return -1;
    Py_ssize_t n = PyList_Size(list);
    int failed = 0;
    tg_put_u32(w, (uint32_t)n);
    for (Py_ssize_t i = 0; !failed && i < n; i++)
        failed = put(w, k, PyList_GetItem(list, i), depth + 1);
    Py_DECREF(list);
    return failed;
}

static int put_names(tg_writer *w, PyObject *names) {
    PyObject *list = names ? PySequence_List(names) : NULL;
    if (list == NULL)
        return -1;
    Py_ssize_t n = PyList_Size(list);
    int failed = 0;
    tg_put_u32(w, (uint32_t)n);
    for (Py_ssize_t i = 0; !failed && i < n; i++)
        failed = tg_put_str(w, PyList_GetItem(list, i));
    Py_DECREF(list);
    return failed;
}

static int put_tuple(tg_writer *w, tg_kernel *k, PyObject *o, int depth, put_fn put) {
    if (!tg_is_namedtuple(o)) {
        tg_put_u8(w, TG_TUPLE);
        return put_sequence(w, k, o, depth, put);
    }
    PyObject *fields = PyObject_GetAttrString(o, "_fields");
    tg_put_u8(w, TG_NAMEDTUPLE);
    int failed = put_names(w, fields);
    Py_XDECREF(fields);
    return failed ? failed : put_sequence(w, k, o, depth, put);
}

static int put_dict(tg_writer *w, tg_kernel *k, PyObject *o, int depth) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    tg_put_u8(w, TG_DICT);
    tg_put_u32(w, (uint32_t)PyDict_Size(o));
    PyObject *copy = PyDict_Copy(o);
    int failed = copy == NULL;
    while (!failed && PyDict_Next(copy, &at, &key, &value))
        failed = tg_put_value(w, k, key, depth + 1) < 0 || tg_put_value(w, k, value, depth + 1) < 0;
    Py_XDECREF(copy);
    return failed ? -1 : 0;
}

static int put_range(tg_writer *w, PyObject *o) {
    static const char *const parts[] = {"start", "stop", "step"};
    tg_put_u8(w, TG_RANGE);
    for (int i = 0; i < 3; i++) {
        PyObject *v = PyObject_GetAttrString(o, parts[i]);
        long long n = v ? PyLong_AsLongLong(v) : -1;
        Py_XDECREF(v);
        if (n == -1 && PyErr_Occurred())
            return -1;
        tg_put_u64(w, (uint64_t)n);
    }
    return 0;
}

static int put_slice(tg_writer *w, tg_kernel *k, PyObject *o, int depth) {
    static const char *const parts[] = {"start", "stop", "step"};
    tg_put_u8(w, TG_SLICE);
    for (int i = 0; i < 3; i++) {
        PyObject *v = PyObject_GetAttrString(o, parts[i]);
        int failed = v == NULL || tg_put_value(w, k, v, depth + 1) < 0;
        Py_XDECREF(v);
        if (failed)
            return -1;
    }
    return 0;
}

/* put_marked writes what carries a marker of the language: 1 if it does. */
static int put_marked(tg_writer *w, PyObject *o) {
    PyObject *type = tg_marker(o, "__tegula_type__");
    if (type != NULL && PyUnicode_Check(type)) {
        tg_put_u8(w, TG_TYPE);
        int failed = tg_put_str(w, type);
        Py_DECREF(type);
        PyObject *block = tg_marker(o, "__tegula_block__");
        PyObject *list = block && block != Py_None ? PySequence_List(block) : PyList_New(0);
        Py_XDECREF(block);
        if (failed || list == NULL)
            return -1;
        Py_ssize_t n = PyList_Size(list);
        tg_put_u32(w, (uint32_t)n);
        for (Py_ssize_t i = 0; i < n; i++)
            tg_put_u64(w, (uint64_t)PyLong_AsLongLong(PyList_GetItem(list, i)));
        Py_DECREF(list);
        return PyErr_Occurred() ? -1 : 1;
    }
    Py_XDECREF(type);
    PyObject *name = tg_marker(o, "__tegula_name__");
    int is = 0;
    if (name != NULL && PyUnicode_Check(name)) {
        tg_put_u8(w, TG_LANG);
        is = tg_put_str(w, name) < 0 ? -1 : 1;
    }
    Py_XDECREF(name);
    return is;
}

static bool is_true(PyObject *o, const char *name) {
    PyObject *v = tg_marker(o, name);
    bool is = v != NULL && PyObject_IsTrue(v) == 1;
    PyErr_Clear();
    Py_XDECREF(v);
    return is;
}

/* text_of gives an attribute that is a str, or "". */
static PyObject *text_of(PyObject *o, const char *name) {
    PyObject *v = tg_marker(o, name);
    if (v == NULL || !PyUnicode_Check(v)) {
        Py_XDECREF(v);
        return PyUnicode_FromString("");
    }
    return v;
}

static bool text_is(PyObject *o, const char *name, const char *want) {
    PyObject *v = text_of(o, name);
    bool is = v != NULL && PyUnicode_CompareWithASCIIString(v, want) == 0;
    Py_XDECREF(v);
    return is;
}

/* put_builtin writes one of Python's builtin functions and types: 1 if it is one that is bound as such. */
static int put_builtin(tg_writer *w, PyObject *o) {
    if (!text_is(o, "__module__", "builtins"))
        return 0;
    PyObject *name = text_of(o, "__name__"), *builtins = PyImport_ImportModule("builtins");
    PyObject *own = name && builtins ? PyObject_GetAttr(builtins, name) : NULL;
    int is = 0;
    if (own == o) {
        tg_put_u8(w, TG_BUILTIN);
        is = tg_put_str(w, name) < 0 ? -1 : 1;
    }
    PyErr_Clear();
    Py_XDECREF(own);
    Py_XDECREF(name);
    Py_XDECREF(builtins);
    return is;
}

static bool is_module(PyObject *o) { return PyModule_Check(o); }
static bool is_function(PyObject *o) { return text_is((PyObject *)Py_TYPE(o), "__name__", "function"); }
static bool is_enum(PyObject *o) {
    PyObject *members = tg_marker((PyObject *)Py_TYPE(o), "__members__"), *value = members ? tg_marker(o, "_value_") : NULL;
    bool is = value != NULL;
    Py_XDECREF(members);
    Py_XDECREF(value);
    return is;
}

static bool is_record_class(PyObject *o) {
    if (!PyType_Check(o) || !PyType_IsSubtype((PyTypeObject *)o, &PyTuple_Type))
        return false;
    PyObject *fields = tg_marker(o, "_fields");
    Py_XDECREF(fields);
    return fields != NULL;
}

static int put_text_of(tg_writer *w, PyObject *text) {
    if (text == NULL) {
        PyErr_Clear();
        put_cstr(w, "?");
        return 0;
    }
    int failed = tg_put_str(w, text);
    Py_DECREF(text);
    return failed;
}

static int put_record_class(tg_writer *w, tg_kernel *k, PyObject *o, int depth) {
    PyObject *fields = PyObject_GetAttrString(o, "_fields");
    int failed = put_names(w, fields);
    Py_XDECREF(fields);
    PyObject *defaults = failed ? NULL : tg_marker(o, "_field_defaults");
    PyObject *values = defaults && PyDict_Check(defaults) ? PyDict_Values(defaults) : PyList_New(0);
    Py_XDECREF(defaults);
    failed = failed || values == NULL || put_sequence(w, k, values, depth, tg_put_value);
    Py_XDECREF(values);
    return failed ? -1 : 0;
}

/* put_object writes an object by its address; the kernel keeps it alive. */
static int put_object(tg_writer *w, tg_kernel *k, PyObject *o, int depth) {
    bool type = PyType_Check(o), boxed = !type && (PyLong_Check(o) || PyUnicode_Check(o) || PyFloat_Check(o)) && is_enum(o);
    bool record = is_record_class(o), aggregate = type && is_true(o, "__tegula_aggregate__");
    uint8_t flags = 0;
    if (is_module(o))
        flags |= TG_MODULE;
    else if (is_function(o) && !is_true(o, "__tegula_host__"))
        flags |= TG_PLAIN;
    else if (PyCallable_Check(o))
        flags |= TG_CALLABLE;
    flags |= (boxed ? TG_BOXED : 0) | (aggregate ? TG_AGGREGATE : 0) | (record && !aggregate ? TG_RECORD : 0);
    if (tg_hold(k, o) < 0)
        return -1;
    tg_put_u8(w, TG_OBJECT);
    tg_put_u64(w, (uint64_t)(uintptr_t)o);
    tg_put_u8(w, flags);
    if (put_text_of(w, text_of(type || flags & TG_PLAIN ? o : (PyObject *)Py_TYPE(o), "__name__")) < 0 || put_text_of(w, PyObject_Repr(o)) < 0)
        return -1;
    if (boxed) {
        PyObject *value = PyObject_GetAttrString(o, "_value_");
        int failed = value == NULL || tg_put_value(w, k, value, depth + 1) < 0;
        Py_XDECREF(value);
        return failed ? -1 : 0;
    }
    return flags & TG_RECORD ? put_record_class(w, k, o, depth) : 0;
}

static int put_kernel(tg_writer *w, tg_kernel *k) {
    if (tg_load(k) < 0)
        return -1;
    tg_put_u8(w, TG_KERNEL);
    tg_put_u64(w, k->id);
    return 0;
}

/* put_plain writes data: 1 if it is data. */
static int put_plain(tg_writer *w, tg_kernel *k, PyObject *o, int depth) {
    int failed;
    if (o == Py_None || o == Py_True || o == Py_False) {
        tg_put_u8(w, o == Py_None ? TG_NONE : o == Py_True ? TG_TRUE : TG_FALSE);
        return 1;
    }
    if (is_exact(o, &PyLong_Type))
        failed = put_long(w, o);
    else if (is_exact(o, &PyFloat_Type)) {
        double f = PyFloat_AsDouble(o);
        tg_put_u8(w, TG_FLOAT);
        uint64_t bits;
        memcpy(&bits, &f, 8);
        tg_put_u64(w, bits);
        return 1;
    } else if (is_exact(o, &PyUnicode_Type)) {
        tg_put_u8(w, TG_STR);
        failed = tg_put_str(w, o);
    } else if (PyTuple_Check(o))
        failed = put_tuple(w, k, o, depth, tg_put_value);
    else if (PyList_Check(o)) {
        tg_put_u8(w, TG_LIST);
        failed = put_sequence(w, k, o, depth, tg_put_value);
    } else if (PyDict_Check(o))
        failed = put_dict(w, k, o, depth);
    else if (PyAnySet_Check(o)) {
        tg_put_u8(w, PyFrozenSet_Check(o) ? TG_FROZENSET : TG_SET);
        failed = put_sequence(w, k, o, depth, tg_put_value);
    } else if (is_exact(o, &PyRange_Type))
        failed = put_range(w, o);
    else if (is_exact(o, &PySlice_Type))
        failed = put_slice(w, k, o, depth);
    else if (o == Py_Ellipsis) {
        tg_put_u8(w, TG_ELLIPSIS);
        return 1;
    } else
        return 0;
    return failed ? -1 : 1;
}

/* put_number writes what behaves as a number without being Python's: a subclass, or NumPy's scalars. 1 if it does. */
static int put_number_like(tg_writer *w, tg_kernel *k, PyObject *o, int depth) {
    PyObject *n = NULL;
    if (is_enum(o))
        return 0;
    if (PyLong_Check(o) || PyIndex_Check(o)) {
        n = PyNumber_Index(o);
        if (n != NULL && !is_exact(n, &PyLong_Type)) {
            PyObject *exact = PyNumber_Long(n);
            Py_DECREF(n);
            n = exact;
        }
    } else if (PyFloat_Check(o) || text_is((PyObject *)Py_TYPE(o), "__module__", "numpy")) {
        PyObject *item = tg_marker(o, "item");
        if (item != NULL)
            n = PyObject_CallNoArgs(item);
        else if (PyFloat_Check(o))
            n = PyFloat_FromDouble(PyFloat_AsDouble(o));
        Py_XDECREF(item);
        if (n != NULL && !is_exact(n, &PyFloat_Type) && !is_exact(n, &PyBool_Type))
            Py_CLEAR(n);
    } else if (PyUnicode_Check(o))
        n = PyUnicode_FromObject(o);
    if (n == NULL) {
        PyErr_Clear();
        return 0;
    }
    int is = put_plain(w, k, n, depth);
    Py_DECREF(n);
    return is;
}

/* tg_put_value writes a constant, or an object that has no other form. */
int tg_put_value(tg_writer *w, tg_kernel *k, PyObject *o, int depth) {
    if (depth > TG_MAX_DEPTH) {
        PyErr_SetString(PyExc_RecursionError, "a constant is nested too deeply");
        return -1;
    }
    int is = put_plain(w, k, o, depth);
    if (is != 0)
        return is < 0 ? -1 : 0;
    if (tg_is_constexpr(o)) {
        PyObject *value = PyObject_GetAttrString(o, "value");
        int failed = value == NULL;
        if (!failed && is_function(value)) /* tl.constexpr as a decorator: a function that is called while kernels are compiled */
            failed = put_object(w, k, o, depth) < 0;
        else if (!failed)
            failed = tg_put_value(w, k, value, depth + 1) < 0;
        Py_XDECREF(value);
        return failed ? -1 : 0;
    }
    tg_kernel *inner = tg_unwrap_kernel(o);
    if (inner != NULL) {
        int failed = put_kernel(w, inner);
        Py_DECREF(inner);
        return failed;
    }
    if ((is = put_marked(w, o)) != 0 || (is = put_builtin(w, o)) != 0 || (is = put_number_like(w, k, o, depth)) != 0)
        return is < 0 ? -1 : 0;
    return put_object(w, k, o, depth);
}

/* tg_put_global writes what a name is bound to, with whether it was declared constant. */
int tg_put_global(tg_writer *w, tg_kernel *k, PyObject *o) {
    tg_put_u8(w, tg_is_constexpr(o));
    return tg_put_value(w, k, o, 0);
}

static void put_array(tg_writer *w, const tg_array *a) {
    tg_put_u8(w, TG_ARRAY);
    tg_put_u8(w, a->dtype);
    tg_put_u32(w, (uint32_t)a->device);
    tg_put_u32(w, (uint32_t)a->index);
    tg_put_u64(w, a->data);
    tg_put_u64(w, a->bytes);
}

static int put_numbers(tg_writer *w, PyObject *o, const char *name) {
    PyObject *v = PyObject_GetAttrString(o, name), *list = v ? PySequence_List(v) : NULL;
    Py_XDECREF(v);
    if (list == NULL)
        return -1;
    Py_ssize_t n = PyList_Size(list);
    tg_put_u32(w, (uint32_t)n);
    for (Py_ssize_t i = 0; i < n; i++)
        tg_put_u64(w, (uint64_t)PyLong_AsLongLong(PyList_GetItem(list, i)));
    Py_DECREF(list);
    return PyErr_Occurred() ? -1 : 0;
}

static int put_descriptor(tg_writer *w, tg_kernel *k, PyObject *o, int depth) {
    PyObject *base = PyObject_GetAttrString(o, "base");
    tg_put_u8(w, TG_DESC);
    int failed = base == NULL || tg_put_argument(w, k, base, depth + 1) < 0;
    Py_XDECREF(base);
    if (failed || put_numbers(w, o, "shape") < 0 || put_numbers(w, o, "strides") < 0 || put_numbers(w, o, "block_shape") < 0)
        return -1;
    PyObject *padding = tg_marker(o, "padding");
    tg_put_u8(w, padding != NULL && PyUnicode_Check(padding) && PyUnicode_CompareWithASCIIString(padding, "nan") == 0);
    Py_XDECREF(padding);
    tg_put_u8(w, is_true(o, "round_f32_to_tf32"));
    return 0;
}

/* tg_put_argument writes an argument of a launch. */
int tg_put_argument(tg_writer *w, tg_kernel *k, PyObject *o, int depth) {
    if (depth > TG_MAX_DEPTH) {
        PyErr_SetString(PyExc_RecursionError, "an argument is nested too deeply");
        return -1;
    }
    if (PyTuple_Check(o))
        return put_tuple(w, k, o, depth, tg_put_argument);
    if (PyList_Check(o)) {
        tg_put_u8(w, TG_LIST);
        return put_sequence(w, k, o, depth, tg_put_argument);
    }
    if (tg_is_constexpr(o)) {
        tg_put_u8(w, TG_FIXED);
        return tg_put_value(w, k, o, depth);
    }
    int is = put_plain(w, k, o, depth);
    if (is != 0)
        return is < 0 ? -1 : 0;
    if (tg_is_descriptor(o))
        return put_descriptor(w, k, o, depth);
    tg_array a;
    is = tg_array_of(o, &a);
    if (is < 0)
        return -1;
    if (is == 0)
        return tg_put_value(w, k, o, depth);
    if (a.dtype == TG_INVALID) {
        return put_foreign(w, "dtype", PyUnicode_FromFormat("an array of %s cannot be passed to a kernel: there is no such element type in kernels", a.name));
    }
    put_array(w, &a);
    return 0;
}

static PyObject *get_sequence(tg_reader *r, tg_kernel *k, int depth) {
    uint32_t n = tg_get_count(r, 1);
    PyObject *list = PyList_New(0);
    for (uint32_t i = 0; list != NULL && i < n; i++) {
        PyObject *v = tg_get_value(r, k, depth + 1);
        if (v == NULL || PyList_Append(list, v) < 0)
            Py_CLEAR(list);
        Py_XDECREF(v);
    }
    return list;
}

static PyObject *get_dict(tg_reader *r, tg_kernel *k, int depth) {
    uint32_t n = tg_get_count(r, 2);
    PyObject *dict = PyDict_New();
    for (uint32_t i = 0; dict != NULL && i < n; i++) {
        PyObject *key = tg_get_value(r, k, depth + 1), *v = key ? tg_get_value(r, k, depth + 1) : NULL;
        if (v == NULL || PyDict_SetItem(dict, key, v) < 0)
            Py_CLEAR(dict);
        Py_XDECREF(key);
        Py_XDECREF(v);
    }
    return dict;
}

static PyObject *get_long(tg_reader *r) {
    PyObject *text = tg_get_str(r);
    const char *digits = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    PyObject *n = digits ? PyLong_FromString(digits, NULL, 16) : NULL;
    Py_XDECREF(text);
    return n;
}

/* language gives what tegula.language has under a name or for a type. */
static PyObject *language(const char *function, PyObject *argument, PyObject *block) {
    PyObject *module = PyImport_ImportModule("tegula.language");
    PyObject *f = module ? PyObject_GetAttrString(module, function) : NULL;
    PyObject *v = f ? PyObject_CallFunctionObjArgs(f, argument, block, NULL) : NULL;
    Py_XDECREF(f);
    Py_XDECREF(module);
    return v;
}

static PyObject *get_type(tg_reader *r) {
    PyObject *name = tg_get_str(r);
    uint32_t n = tg_get_count(r, 8);
    PyObject *block = name ? PyList_New(0) : NULL, *v = NULL;
    for (uint32_t i = 0; block != NULL && i < n; i++) {
        PyObject *size = PyLong_FromLongLong((int64_t)tg_get_u64(r));
        if (size == NULL || PyList_Append(block, size) < 0)
            Py_CLEAR(block);
        Py_XDECREF(size);
    }
    if (block != NULL)
        v = language("_from_signature", name, block);
    Py_XDECREF(name);
    Py_XDECREF(block);
    return v;
}

static PyObject *get_range(tg_reader *r) {
    long long start = (long long)tg_get_u64(r), stop = (long long)tg_get_u64(r), step = (long long)tg_get_u64(r);
    return PyObject_CallFunction((PyObject *)&PyRange_Type, "LLL", start, stop, step);
}

static PyObject *get_slice(tg_reader *r, tg_kernel *k, int depth) {
    PyObject *start = tg_get_value(r, k, depth + 1), *stop = start ? tg_get_value(r, k, depth + 1) : NULL;
    PyObject *step = stop ? tg_get_value(r, k, depth + 1) : NULL, *slice = step ? PySlice_New(start, stop, step) : NULL;
    Py_XDECREF(start);
    Py_XDECREF(stop);
    Py_XDECREF(step);
    return slice;
}

/* tg_get_value makes the object of a constant that the library passes to a function of Python. */
PyObject *tg_get_value(tg_reader *r, tg_kernel *k, int depth) {
    PyObject *v = NULL, *list;
    double f;
    uint64_t bits;
    uint8_t tag = tg_get_u8(r);
    if (depth > TG_MAX_DEPTH || r->failed) {
        PyErr_SetString(PyExc_RecursionError, "a constant is nested too deeply");
        return NULL;
    }
    switch (tag) {
    case TG_NONE:
        return Py_NewRef(Py_None);
    case TG_FALSE:
    case TG_TRUE:
        return PyBool_FromLong(tag == TG_TRUE);
    case TG_INT:
        return PyLong_FromLongLong((int64_t)tg_get_u64(r));
    case TG_BIG:
        return get_long(r);
    case TG_FLOAT:
        bits = tg_get_u64(r);
        memcpy(&f, &bits, 8);
        return PyFloat_FromDouble(f);
    case TG_STR:
        return tg_get_str(r);
    case TG_LIST:
        return get_sequence(r, k, depth);
    case TG_TUPLE:
    case TG_SET:
        list = get_sequence(r, k, depth);
        v = list ? (tag == TG_TUPLE ? PyList_AsTuple(list) : PySet_New(list)) : NULL;
        Py_XDECREF(list);
        return v;
    case TG_DICT:
        return get_dict(r, k, depth);
    case TG_RANGE:
        return get_range(r);
    case TG_SLICE:
        return get_slice(r, k, depth);
    case TG_ELLIPSIS:
        return Py_NewRef(Py_Ellipsis);
    case TG_KERNEL:
        return Py_XNewRef((PyObject *)tg_kernel_of(tg_get_u64(r)));
    case TG_OBJECT:
        return Py_NewRef((PyObject *)(uintptr_t)tg_get_u64(r));
    case TG_TYPE:
        return get_type(r);
    }
    PyErr_Format(PyExc_TypeError, "a value of the language cannot be passed to a function of Python");
    return NULL;
}
