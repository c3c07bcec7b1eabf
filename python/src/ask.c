/* The questions that the library puts to Python while it compiles. They come on the thread that made the request, or, of a
   launch that takes long, on that one too; it does not hold the interpreter's lock. */

#include <stdlib.h>
#include <string.h>

#include "native.h"

/* find_cell gives the cell of a closure's variable, borrowed from the function. */
static PyObject *find_cell(tg_kernel *k, PyObject *name) {
    PyObject *closure = PyObject_GetAttrString(k->fn, "__closure__");
    if (closure == NULL || !PyTuple_Check(closure)) {
        Py_XDECREF(closure);
        return NULL;
    }
    PyObject *code = PyObject_GetAttrString(k->fn, "__code__"), *names = code ? PyObject_GetAttrString(code, "co_freevars") : NULL, *cell = NULL;
    Py_ssize_t n = names ? PyTuple_Size(names) : 0;
    for (Py_ssize_t i = 0; i < n && i < PyTuple_Size(closure); i++)
        if (PyUnicode_Compare(PyTuple_GetItem(names, i), name) == 0)
            cell = PyTuple_GetItem(closure, i);
    Py_XDECREF(names);
    Py_XDECREF(code);
    Py_DECREF(closure); /* the function has it */
    return cell;
}

/* tg_find_global gives what a name of a kernel function is bound to in its closure or its globals: a new reference. NULL
   without an exception: nothing. cell is that of a closure's variable, borrowed. */
PyObject *tg_find_global(tg_kernel *k, PyObject *name, PyObject **cell) {
    PyObject *v = NULL;
    *cell = find_cell(k, name);
    if (PyErr_Occurred())
        return NULL;
    if (*cell != NULL) {
        v = PyObject_GetAttrString(*cell, "cell_contents");
        if (v == NULL && PyErr_ExceptionMatches(PyExc_ValueError))
            PyErr_Clear(); /* not bound yet */
        return v;
    }
    PyObject *globals = PyObject_GetAttrString(k->fn, "__globals__");
    if (globals != NULL && PyDict_Check(globals))
        v = Py_XNewRef(PyDict_GetItemWithError(globals, name));
    Py_XDECREF(globals);
    return v;
}

static tg_kernel *get_kernel(tg_reader *r) {
    tg_kernel *k = tg_kernel_of(tg_get_u64(r));
    if (k == NULL)
        PyErr_SetString(PyExc_RuntimeError, "the kernel is no longer there");
    return k;
}

/* declared_constant reports whether the module says of a global that it is tl.constexpr: N: tl.constexpr = 8. From Python 3.14 on
   the annotations are made by a function when they are asked for. */
static bool declared_constant(tg_kernel *k, PyObject *name) {
    PyObject *globals = PyObject_GetAttrString(k->fn, "__globals__"), *annotations = NULL;
    if (globals != NULL && PyDict_Check(globals)) {
        annotations = Py_XNewRef(PyDict_GetItemString(globals, "__annotations__"));
        PyObject *make = annotations ? NULL : PyDict_GetItemString(globals, "__annotate__");
        if (make != NULL && make != Py_None)
            annotations = PyObject_CallFunction(make, "i", 1);
    }
    PyObject *a = annotations && PyDict_Check(annotations) ? PyDict_GetItemWithError(annotations, name) : NULL;
    bool is = a != NULL && (a == tg_constexpr_type || (PyUnicode_Check(a) && strstr(tg_utf8(a), "constexpr") != NULL));
    PyErr_Clear();
    Py_XDECREF(annotations);
    Py_XDECREF(globals);
    return is;
}

static int lookup(tg_reader *r, tg_writer *w) {
    tg_kernel *k = get_kernel(r);
    PyObject *name = k ? tg_get_str(r) : NULL, *cell;
    if (name == NULL)
        return -1;
    PyObject *v = tg_find_global(k, name, &cell);
    if (v == NULL) {
        Py_DECREF(name);
        tg_put_u8(w, 0);
        return PyErr_Occurred() ? -1 : 0;
    }
    /* A closure's variables are constants to the kernel that was made with them. */
    bool constant = cell != NULL || tg_is_constexpr(v) || declared_constant(k, name);
    Py_DECREF(name);
    tg_put_u8(w, 1);
    tg_put_u8(w, constant);
    int failed = tg_put_value(w, k, v, 0);
    Py_DECREF(v);
    return failed;
}

static PyObject *get_object(tg_reader *r) { return (PyObject *)(uintptr_t)tg_get_u64(r); }

/* attr also says whether the attribute stays what it is: what is made anew each time it is asked for has to be data to be compared. */
static int attr(tg_reader *r, tg_writer *w) {
    tg_kernel *k = get_kernel(r);
    PyObject *o = get_object(r), *name = k ? tg_get_str(r) : NULL;
    if (name == NULL)
        return -1;
    PyObject *v = PyObject_GetAttr(o, name);
    if (v == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
        Py_DECREF(name);
        tg_put_u8(w, 0);
        return 0;
    }
    PyObject *again = v ? PyObject_GetAttr(o, name) : NULL;
    Py_DECREF(name);
    int failed = again == NULL;
    if (!failed) {
        tg_put_u8(w, 1);
        tg_put_u8(w, again == v);
        failed = tg_put_value(w, k, v, 0) < 0;
    }
    Py_XDECREF(again);
    Py_XDECREF(v);
    return failed ? -1 : 0;
}

static PyObject *get_arguments(tg_reader *r, tg_kernel *k) {
    uint32_t n = tg_get_count(r, 1);
    PyObject *args = PyTuple_New((Py_ssize_t)n);
    for (uint32_t i = 0; args != NULL && i < n; i++) {
        PyObject *v = tg_get_value(r, k, 0);
        if (v == NULL || PyTuple_SetItem(args, (Py_ssize_t)i, v) < 0)
            Py_CLEAR(args);
    }
    return args;
}

static PyObject *get_named(tg_reader *r, tg_kernel *k) {
    uint32_t n = tg_get_count(r, 5);
    PyObject *kwargs = PyDict_New();
    for (uint32_t i = 0; kwargs != NULL && i < n; i++) {
        PyObject *name = tg_get_str(r), *v = name ? tg_get_value(r, k, 0) : NULL;
        if (v == NULL || PyDict_SetItem(kwargs, name, v) < 0)
            Py_CLEAR(kwargs);
        Py_XDECREF(name);
        Py_XDECREF(v);
    }
    return kwargs;
}

static int call(tg_reader *r, tg_writer *w) {
    tg_kernel *k = get_kernel(r);
    PyObject *o = get_object(r), *args = k ? get_arguments(r, k) : NULL, *kwargs = args ? get_named(r, k) : NULL;
    PyObject *v = kwargs ? PyObject_Call(o, args, kwargs) : NULL;
    int failed = v == NULL || tg_put_value(w, k, v, 0) < 0;
    Py_XDECREF(v);
    Py_XDECREF(kwargs);
    Py_XDECREF(args);
    return failed ? -1 : 0;
}

/* put_field writes a field of an aggregate class: its name, its default, the class that its values are of. */
static int put_field(tg_writer *w, tg_kernel *k, PyObject *class, PyObject *name, PyObject *type) {
    if (tg_put_str(w, name) < 0)
        return -1;
    PyObject *fallback = PyObject_GetAttr(class, name);
    if (fallback == NULL)
        PyErr_Clear();
    tg_put_u8(w, fallback != NULL);
    int failed = fallback != NULL && tg_put_value(w, k, fallback, 0) < 0;
    Py_XDECREF(fallback);
    bool known = type != NULL && !PyUnicode_Check(type);
    tg_put_u8(w, known);
    return failed || (known && tg_put_value(w, k, type, 0) < 0) ? -1 : 0;
}

/* fields gives those that __tegula_aggregate__ maps to their classes, in order. */
static int fields(tg_reader *r, tg_writer *w) {
    tg_kernel *k = get_kernel(r);
    PyObject *o = get_object(r), *map = k ? PyObject_GetAttrString(o, "__tegula_aggregate__") : NULL, *name, *type;
    if (map == NULL || !PyDict_Check(map)) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "the fields of an aggregate class are a dict");
        Py_XDECREF(map);
        return -1;
    }
    tg_put_u32(w, (uint32_t)PyDict_Size(map));
    Py_ssize_t at = 0;
    int failed = 0;
    while (!failed && PyDict_Next(map, &at, &name, &type))
        failed = put_field(w, k, o, name, type);
    Py_DECREF(map);
    return failed;
}

static bool type_is(PyObject *o, const char *text) {
    bool is = strcmp(tg_utf8((PyObject *)Py_TYPE(o)), text) == 0;
    PyErr_Clear();
    return is;
}

/* member gives an attribute of an aggregate class, and whether it is a static method, or a constructor that is plain Python. The
   constructor that every class has of object is none. */
static int member(tg_reader *r, tg_writer *w) {
    tg_kernel *k = get_kernel(r);
    PyObject *o = get_object(r), *name = k ? tg_get_str(r) : NULL;
    if (name == NULL)
        return -1;
    PyObject *static_getter = NULL, *inspect = PyImport_ImportModule("inspect");
    PyObject *raw = inspect ? PyObject_CallMethod(inspect, "getattr_static", "OO", o, name) : NULL;
    Py_XDECREF(inspect);
    if (raw == NULL || type_is(raw, "<class 'wrapper_descriptor'>")) {
        PyErr_Clear();
        Py_XDECREF(raw);
        Py_DECREF(name);
        tg_put_u8(w, 0);
        return 0;
    }
    PyObject *constructor = tg_marker(raw, "__tegula_constructor__");
    Py_XDECREF(constructor);
    static_getter = PyObject_GetAttr(o, name);
    Py_DECREF(name);
    int failed = static_getter == NULL;
    if (!failed) {
        tg_put_u8(w, 1);
        tg_put_u8(w, type_is(raw, "<class 'staticmethod'>"));
        tg_put_u8(w, constructor != NULL);
        failed = tg_put_value(w, k, static_getter, 0) < 0;
    }
    Py_XDECREF(static_getter);
    Py_DECREF(raw);
    return failed ? -1 : 0;
}

static int poll(tg_reader *r, tg_writer *w) {
    (void)r;
    (void)w;
    return PyErr_CheckSignals();
}

static int (*const answers[])(tg_reader *r, tg_writer *w) = {
    [TG_ASK_LOOKUP] = lookup, [TG_ASK_ATTR] = attr,     [TG_ASK_CALL] = call,
    [TG_ASK_FIELDS] = fields, [TG_ASK_MEMBER] = member, [TG_ASK_POLL] = poll,
};

/* refuse answers without the interpreter. */
static int refuse(tg_text *answer) {
    static const char text[] = "\0\0\0\0\0\0\0\0the interpreter ends";
    answer->size = sizeof text - 1;
    answer->data = malloc(answer->size);
    if (answer->data == NULL)
        answer->size = 0;
    else
        memcpy(answer->data, text, answer->size);
    return 1;
}

int tg_answer(uint8_t question, const uint8_t *message, size_t size, tg_text *answer) {
    if (tg_is_ending())
        return refuse(answer);
    PyGILState_STATE state = PyGILState_Ensure();
    tg_reader r = {message, size, false};
    tg_writer w = {0};
    int failed = question >= sizeof answers / sizeof *answers || answers[question] == NULL || answers[question](&r, &w) < 0;
    if (failed) {
        w.size = 0;
        tg_get_exception_text(&w);
    }
    if (w.failed)
        tg_free(&w);
    answer->data = w.data;
    answer->size = w.size;
    PyGILState_Release(state);
    return failed;
}
