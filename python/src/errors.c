/* The exceptions, and how they are made of what the library says of an error. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native.h"

/* The categories, and the builtin that each derives from, too. The sub-kinds of ArgumentError derive from that alone. */
static struct {
    const char *name;
    PyObject **builtin;
    PyObject *type;
} categories[] = {
    {"SyntaxError", &PyExc_SyntaxError, NULL},      {"CompileError", &PyExc_TypeError, NULL},
    {"Unsupported", &PyExc_NotImplementedError, NULL}, {"GridError", &PyExc_ValueError, NULL},
    {"ArgumentError", &PyExc_TypeError, NULL},      {"GlobalChanged", &PyExc_RuntimeError, NULL},
    {"SchemaError", &PyExc_ValueError, NULL},       {"OutOfResources", &PyExc_RuntimeError, NULL},
    {"StreamError", &PyExc_ValueError, NULL},       {"DriverError", &PyExc_RuntimeError, NULL},
    {"CheckError", &PyExc_AssertionError, NULL},
};

/* The sub-kinds of ArgumentError, by the codes that they stand for. */
static struct {
    const char *name, *code;
    PyObject *type;
} kinds[] = {
    {"MixedDevices", "mixed-devices", NULL},     {"MixedFrameworks", "mixed-frameworks", NULL},
    {"MultipleDevices", "multiple-devices", NULL}, {"NotContiguous", "not-contiguous", NULL},
    {"DtypeError", "dtype", NULL},               {"LaunchKeywordError", "launch-keyword", NULL},
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

static PyObject *base;

static PyObject *new_exception(PyObject *module, const char *name, PyObject *bases) {
    char full[64];
    snprintf(full, sizeof full, "tegula.errors.%s", name);
    PyObject *type = PyErr_NewException(full, bases, NULL);
    if (type != NULL && PyModule_AddObjectRef(module, name, type) < 0)
        Py_CLEAR(type);
    return type;
}

/* What exceptions have when nothing else is known. */
static int add_defaults(void) {
    static const char *const texts[] = {"code", "category", "message"};
    static const char *const nothings[] = {"filename", "lineno", "offset", "text"};
    PyObject *empty = PyUnicode_FromString("");
    int failed = empty == NULL;
    for (size_t i = 0; !failed && i < COUNT(texts); i++)
        failed = PyObject_SetAttrString(base, texts[i], empty) < 0;
    for (size_t i = 0; !failed && i < COUNT(nothings); i++)
        failed = PyObject_SetAttrString(base, nothings[i], Py_None) < 0;
    Py_XDECREF(empty);
    return failed ? -1 : 0;
}

int tg_add_errors(PyObject *module) {
    base = new_exception(module, "TegulaError", NULL);
    if (base == NULL || add_defaults() < 0)
        return -1;
    PyObject *argument = NULL;
    for (size_t i = 0; i < COUNT(categories); i++) {
        PyObject *bases = PyTuple_Pack(2, base, *categories[i].builtin);
        if (bases == NULL)
            return -1;
        categories[i].type = new_exception(module, categories[i].name, bases);
        Py_DECREF(bases);
        if (categories[i].type == NULL)
            return -1;
        if (strcmp(categories[i].name, "ArgumentError") == 0)
            argument = categories[i].type;
    }
    for (size_t i = 0; i < COUNT(kinds); i++) {
        kinds[i].type = new_exception(module, kinds[i].name, argument);
        if (kinds[i].type == NULL)
            return -1;
    }
    return 0;
}

static PyObject *type_of(const char *category, const char *code) {
    if (strcmp(category, "ArgumentError") == 0)
        for (size_t i = 0; i < COUNT(kinds); i++)
            if (strcmp(kinds[i].code, code) == 0)
                return kinds[i].type;
    for (size_t i = 0; i < COUNT(categories); i++)
        if (strcmp(categories[i].name, category) == 0)
            return categories[i].type;
    return base;
}

/* set takes the value. */
static int set(PyObject *e, const char *name, PyObject *value) {
    int failed = value == NULL || PyObject_SetAttrString(e, name, value) < 0;
    Py_XDECREF(value);
    return failed ? -1 : 0;
}

void tg_raise(const char *category, const char *code, const char *format, ...) {
    va_list list;
    va_start(list, format);
    PyObject *text = PyUnicode_FromFormatV(format, list);
    va_end(list);
    if (text == NULL)
        return;
    PyObject *type = type_of(category, code);
    PyObject *e = PyObject_CallFunctionObjArgs(type, text, NULL);
    if (e != NULL && set(e, "code", PyUnicode_FromString(code)) == 0 && set(e, "category", PyUnicode_FromString(category)) == 0 &&
        set(e, "message", Py_NewRef(text)) == 0)
        PyErr_SetObject(type, e);
    Py_XDECREF(e);
    Py_DECREF(text);
}

/* Exceptions that Python raised while it answered the library are kept until the library gives its error back. */
static PyObject *kept;
static uint64_t last_kept;

static PyObject *take_current(void) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (value != NULL && trace != NULL)
        PyException_SetTraceback(value, trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    return value;
}

static uint64_t keep(PyObject *e) {
    if (kept == NULL && (kept = PyDict_New()) == NULL) {
        PyErr_Clear();
        return 0;
    }
    PyObject *key = PyLong_FromUnsignedLongLong(++last_kept);
    if (key == NULL || PyDict_SetItem(kept, key, e) < 0)
        PyErr_Clear();
    Py_XDECREF(key);
    return last_kept;
}

static PyObject *take_kept(uint64_t number) {
    if (kept == NULL || number == 0)
        return NULL;
    PyObject *key = PyLong_FromUnsignedLongLong(number);
    PyObject *e = key ? Py_XNewRef(PyDict_GetItemWithError(kept, key)) : NULL;
    /* An error that was made of an older exception and never raised leaves it behind: none is older than this one. */
    if (e != NULL)
        PyDict_Clear(kept);
    Py_XDECREF(key);
    return e;
}

const char *tg_utf8(PyObject *o) {
    static PyObject *text;
    PyObject *last = text;
    text = PyObject_Str(o);
    Py_XDECREF(last);
    const char *s = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    if (s == NULL) {
        PyErr_Clear();
        return "?";
    }
    return s;
}

/* tg_get_exception_text writes the current exception's number, then its text, and clears it. */
void tg_get_exception_text(tg_writer *w) {
    PyObject *e = take_current();
    if (e == NULL) {
        tg_put_u64(w, 0);
        tg_put(w, "an error", 8);
        return;
    }
    tg_put_u64(w, keep(e));
    PyObject *name = PyObject_GetAttrString((PyObject *)Py_TYPE(e), "__name__");
    if (name != NULL) {
        const char *s = tg_utf8(name);
        tg_put(w, s, strlen(s));
        Py_DECREF(name);
    }
    const char *text = tg_utf8(e);
    if (text[0] != 0) {
        tg_put(w, ": ", 2);
        tg_put(w, text, strlen(text));
    }
    PyErr_Clear();
    Py_DECREF(e);
}

static void raise_again(PyObject *e) {
    PyErr_SetObject((PyObject *)Py_TYPE(e), e);
}

/* text_or_none takes a text from a description. */
static PyObject *text_or_none(tg_reader *r) {
    PyObject *text = tg_get_str(r);
    if (text != NULL && PyUnicode_GetLength(text) == 0) {
        Py_DECREF(text);
        return Py_NewRef(Py_None);
    }
    return text;
}

static PyObject *number_or_none(uint32_t n) { return n ? PyLong_FromUnsignedLong(n) : Py_NewRef(Py_None); }

static int describe(PyObject *e, tg_reader *r, PyObject *category, PyObject *code) {
    if (set(e, "category", Py_NewRef(category)) < 0 || set(e, "code", Py_NewRef(code)) < 0)
        return -1;
    if (set(e, "message", tg_get_str(r)) < 0 || set(e, "filename", text_or_none(r)) < 0)
        return -1;
    uint32_t line = tg_get_u32(r), column = tg_get_u32(r);
    if (set(e, "lineno", number_or_none(line)) < 0 || set(e, "offset", number_or_none(column)) < 0 || set(e, "text", text_or_none(r)) < 0)
        return -1;
    PyObject *detail = tg_get_str(r);
    if (detail == NULL)
        return -1;
    PyObject *args = PyTuple_Pack(1, detail);
    int failed = args == NULL || PyObject_SetAttrString(e, "args", args) < 0;
    /* SyntaxError's str() shows its msg, and would add the place once more. */
    if (!failed && PyObject_TypeCheck(e, (PyTypeObject *)PyExc_SyntaxError))
        failed = PyObject_SetAttrString(e, "msg", detail) < 0;
    Py_XDECREF(args);
    Py_DECREF(detail);
    if (!failed && tg_get_u8(r)) {
        failed = set(e, "resource", tg_get_str(r)) < 0;
        int64_t required = (int64_t)tg_get_u64(r), limit = (int64_t)tg_get_u64(r);
        failed = failed || set(e, "required", PyLong_FromLongLong(required)) < 0 || set(e, "limit", PyLong_FromLongLong(limit)) < 0;
    }
    return failed ? -1 : 0;
}

void tg_raise_described(const tg_text *description) {
    tg_reader r = {description->data, description->size, false};
    PyObject *category = tg_get_str(&r);
    PyObject *cause = take_kept(tg_get_u64(&r));
    if (category == NULL || PyUnicode_GetLength(category) == 0) {
        if (cause != NULL)
            raise_again(cause);
        else if (!PyErr_Occurred())
            PyErr_SetString(base, "an error that is not known");
        Py_XDECREF(cause);
        Py_XDECREF(category);
        return;
    }
    PyObject *code = tg_get_str(&r), *e = NULL;
    const char *c = PyUnicode_AsUTF8AndSize(category, NULL), *d = code ? PyUnicode_AsUTF8AndSize(code, NULL) : NULL;
    PyObject *type = c && d ? type_of(c, d) : NULL;
    if (type != NULL)
        e = PyObject_CallFunction(type, NULL);
    if (e != NULL && describe(e, &r, category, code) == 0) {
        if (cause != NULL)
            PyException_SetCause(e, Py_NewRef(cause));
        PyErr_SetObject(type, e);
    }
    Py_XDECREF(cause);
    Py_XDECREF(e);
    Py_XDECREF(code);
    Py_DECREF(category);
}
