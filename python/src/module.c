/* tegula._native. */

#include <stdlib.h>
#include <string.h>

#include "native.h"

#ifndef TEGULA_VERSION
#define TEGULA_VERSION "0"
#endif

/* set_object replaces what a variable holds; None is nothing. */
static PyObject *set_object(PyObject **variable, PyObject *value) {
    PyObject *old = *variable;
    *variable = value == Py_None ? NULL : Py_NewRef(value);
    Py_XDECREF(old);
    return Py_NewRef(Py_None);
}

static PyObject *set_constexpr_type(PyObject *self, PyObject *type) {
    (void)self;
    if (!PyType_Check(type)) {
        PyErr_SetString(PyExc_TypeError, "constexpr is a class");
        return NULL;
    }
    return set_object(&tg_constexpr_type, type);
}

static PyObject *set_hook(PyObject **variable, PyObject *hook) {
    if (hook != Py_None && !PyCallable_Check(hook)) {
        PyErr_SetString(PyExc_TypeError, "a hook is a function, or None");
        return NULL;
    }
    return set_object(variable, hook);
}

static PyObject *set_enter_hook(PyObject *self, PyObject *hook) {
    (void)self;
    return set_hook(&tg_enter_hook, hook);
}

static PyObject *set_exit_hook(PyObject *self, PyObject *hook) {
    (void)self;
    return set_hook(&tg_exit_hook, hook);
}

static PyObject *set_check(PyObject *self, PyObject *mode) {
    (void)self;
    long n = PyLong_AsLong(mode);
    if (n == -1 && PyErr_Occurred())
        return NULL;
    if (n < 0 || n > 2) {
        PyErr_SetString(PyExc_ValueError, "the mode is 0, 1 or 2");
        return NULL;
    }
    int old = tg_check_mode;
    tg_check_mode = (int)n;
    return PyLong_FromLong(old);
}

static PyObject *set_debug(PyObject *self, PyObject *on) {
    (void)self;
    int is = PyObject_IsTrue(on);
    if (is < 0)
        return NULL;
    tg_debug_mode = is == 1;
    Py_RETURN_NONE;
}

static PyObject *devices(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    tg_writer w = {0};
    tg_text answer = {0};
    if (tg_request(TG_DEVICES, &w, &answer) < 0)
        return NULL;
    tg_reader r = {answer.data, answer.size, false};
    uint32_t n = tg_get_count(&r, 20);
    PyObject *list = PyList_New(0);
    for (uint32_t i = 0; list != NULL && i < n; i++) {
        PyObject *backend = tg_get_str(&r);
        uint32_t index = tg_get_u32(&r);
        PyObject *name = tg_get_str(&r), *arch = tg_get_str(&r), *version = tg_get_str(&r);
        PyObject *d = backend && name && arch && version
                          ? Py_BuildValue("{sOsIsOsOsO}", "backend", backend, "index", index, "name", name, "arch", arch, "version", version) : NULL;
        if (d == NULL || PyList_Append(list, d) < 0)
            Py_CLEAR(list);
        Py_XDECREF(d);
        Py_XDECREF(backend);
        Py_XDECREF(name);
        Py_XDECREF(arch);
        Py_XDECREF(version);
    }
    free(answer.data);
    return list;
}

static PyObject *check_metadata(PyObject *self, PyObject *text) {
    (void)self;
    tg_writer w = {0};
    tg_text answer = {0};
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "metadata are a str");
        return NULL;
    }
    if (tg_put_str(&w, text) < 0) {
        tg_free(&w);
        return NULL;
    }
    if (tg_request(TG_CHECK_METADATA, &w, &answer) < 0)
        return NULL;
    PyObject *out = PyUnicode_DecodeUTF8((const char *)answer.data, (Py_ssize_t)answer.size, "replace");
    free(answer.data);
    return out;
}

static PyObject *variants(PyObject *self, PyObject *kernel) {
    (void)self;
    tg_writer w = {0};
    tg_text answer = {0};
    if (!PyObject_TypeCheck(kernel, tg_kernel_type)) {
        PyErr_SetString(PyExc_TypeError, "variants takes a Kernel");
        return NULL;
    }
    tg_put_u64(&w, ((tg_kernel *)kernel)->id);
    if (tg_request(TG_VARIANTS, &w, &answer) < 0)
        return NULL;
    tg_reader r = {answer.data, answer.size, false};
    uint32_t n = tg_get_u32(&r);
    free(answer.data);
    return PyLong_FromUnsignedLong(n);
}

/* say_param writes what a signature says of a parameter. */
static int say_param(tg_writer *w, tg_kernel *k, const tg_param *p, PyObject *signature, PyObject *constexprs, PyObject *attrs) {
    PyObject *value = PyDict_GetItemWithError(constexprs, p->name), *type = PyDict_GetItemWithError(signature, p->name);
    if (PyErr_Occurred())
        return -1;
    if (value != NULL) {
        tg_put_u8(w, TG_SAYS_CONSTANT);
        return tg_put_value(w, k, value, 0);
    }
    if (type != NULL && (!PyUnicode_Check(type) || PyUnicode_CompareWithASCIIString(type, "constexpr") != 0)) {
        if (!PyUnicode_Check(type)) {
            PyErr_Format(PyExc_TypeError, "the signature of '%U' is a str such as \"*fp32\", not %R", p->name, type);
            return -1;
        }
        PyObject *divisor = attrs ? PyDict_GetItemWithError(attrs, p->name) : NULL;
        long long n = divisor ? PyLong_AsLongLong(divisor) : 0;
        tg_put_u8(w, TG_SAYS_TYPE);
        if (PyErr_Occurred() || tg_put_str(w, type) < 0)
            return -1;
        tg_put_u64(w, (uint64_t)n);
        return 0;
    }
    if (p->fallback == NULL) {
        tg_put_u8(w, TG_SAYS_NOTHING);
        return 0;
    }
    tg_put_u8(w, TG_SAYS_DEFAULT);
    return tg_put_argument(w, k, p->fallback, 0);
}

/* check_names raises for names that are no parameters. */
static int check_names(tg_kernel *k, PyObject *map, const char *what) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (map != NULL && PyDict_Next(map, &at, &key, &value)) {
        int is = PySequence_Contains(k->names, key);
        if (is < 0)
            return -1;
        if (is == 0) {
            tg_raise("ArgumentError", "unknown-argument", "%s names %R, which is no parameter of the kernel; it has %R", what, key, k->names);
            return -1;
        }
    }
    return 0;
}

static uint32_t option(PyObject *options, const char *name) {
    PyObject *v = options ? PyDict_GetItemString(options, name) : NULL;
    long n = v && v != Py_None ? PyLong_AsLong(v) : 0;
    return n < 0 || n > 1 << 20 ? (uint32_t)-1 : (uint32_t)n;
}

static int put_signature(tg_writer *w, tg_kernel *k, PyObject *signature, PyObject *constexprs, PyObject *attrs, const char *target, PyObject *options) {
    tg_put_u64(w, k->id);
    tg_put_text(w, target, strlen(target));
    tg_put_u32(w, option(options, "num_warps"));
    tg_put_u32(w, option(options, "num_stages"));
    tg_put_u32(w, option(options, "num_ctas"));
    tg_put_u32(w, option(options, "threads_per_warp"));
    tg_put_u32(w, option(options, "maxnreg"));
    tg_put_u8(w, option(options, "debug") != 0 || tg_debug_mode);
    PyObject *fusion = options ? PyDict_GetItemString(options, "enable_fp_fusion") : NULL;
    tg_put_u8(w, fusion != NULL && fusion != Py_None && PyObject_IsTrue(fusion) == 0);
    if (PyErr_Occurred())
        return -1;
    for (int i = 0; i < k->n; i++)
        if (say_param(w, k, &k->params[i], signature, constexprs, attrs) < 0)
            return -1;
    return 0;
}

static PyObject *dict_or_null(PyObject *map) {
    if (map == NULL || map == Py_None)
        return NULL;
    PyObject *d = PyDict_New();
    if (d != NULL && PyDict_Update(d, map) < 0)
        Py_CLEAR(d);
    return d;
}

static PyObject *compile(tg_kernel *k, PyObject *signature, PyObject *constexprs, PyObject *attrs, const char *target, PyObject *options) {
    tg_writer w = {0};
    tg_text answer = {0};
    if (tg_load(k) < 0 || check_names(k, signature, "the signature") < 0 || check_names(k, constexprs, "constexprs") < 0 || check_names(k, attrs, "attrs") < 0)
        return NULL;
    if (put_signature(&w, k, signature, constexprs, attrs, target, options) < 0) {
        tg_free(&w);
        return NULL;
    }
    if (tg_request(TG_COMPILE, &w, &answer) < 0)
        return NULL;
    tg_reader r = {answer.data, answer.size, false};
    tg_compiled *c = tg_new_compiled(k);
    if (c != NULL) {
        c->id = tg_get_u64(&r);
        c->name = tg_get_str(&r);
        c->target = tg_get_str(&r);
    }
    free(answer.data);
    return (PyObject *)c;
}

static PyObject *compile_method(PyObject *self, PyObject *args, PyObject *kwargs) {
    static char *names[] = {"kernel", "signature", "constexprs", "attrs", "target", "options", NULL};
    PyObject *kernel, *signature, *constexprs, *attrs, *options = NULL;
    const char *target;
    (void)self;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!OOOs|O:compile", names, tg_kernel_type, &kernel, &signature, &constexprs, &attrs, &target, &options))
        return NULL;
    PyObject *maps[4] = {dict_or_null(signature), dict_or_null(constexprs), dict_or_null(attrs), dict_or_null(options)}, *c = NULL;
    for (int i = 0; i < 2; i++)
        if (maps[i] == NULL && !PyErr_Occurred())
            maps[i] = PyDict_New();
    if (!PyErr_Occurred())
        c = compile((tg_kernel *)kernel, maps[0], maps[1], maps[2], target, maps[3]);
    for (int i = 0; i < 4; i++)
        Py_XDECREF(maps[i]);
    return c;
}

static PyMethodDef methods[] = {
    {"set_constexpr_type", set_constexpr_type, METH_O, "Says which class's objects are constants."},
    {"set_enter_hook", set_enter_hook, METH_O, "Sets what is called before each launch."},
    {"set_exit_hook", set_exit_hook, METH_O, "Sets what is called after each launch."},
    {"set_check", set_check, METH_O, "Has launches on the CPU checked."},
    {"set_debug", set_debug, METH_O, "Has every kernel compiled with its assertions."},
    {"devices", devices, METH_NOARGS, "Lists the devices."},
    {"check_metadata", check_metadata, METH_O, "Validates metadata."},
    {"variants", variants, METH_O, "How many variants of a kernel are held."},
    {"compile", (PyCFunction)(void (*)(void))compile_method, METH_VARARGS | METH_KEYWORDS, "Compiles for a target."},
    {"device", tg_device_request, METH_VARARGS, "Streams and memory of devices, by numbers."},
    {"queue_device", tg_queue_device, METH_O, "The number of the device that a sycl::queue is of."},
    {"dtype_size", tg_dtype_size, METH_O, "The name and the size of an element type."},
    {"array_arg_info", tg_array_arg_info, METH_O, "What a launch sees of an array; None for what is none."},
    {"array_record", tg_array_record, METH_VARARGS, "What a launch sees of an array, as bytes."},
    {"array_pointer", tg_array_pointer, METH_O, "Address, type, shape and strides of an array."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "tegula._native", "The launcher, and the line to the compiler.", -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__native(void) {
    PyObject *m = PyModule_Create(&definition);
    if (m == NULL)
        return NULL;
    if (tg_add_errors(m) < 0 || tg_add_arrays(m) < 0 || tg_add_kernel(m) < 0 || tg_add_launcher(m) < 0 || tg_add_compiled(m) < 0 ||
        PyModule_AddStringConstant(m, "__version__", TEGULA_VERSION) < 0)
        Py_CLEAR(m);
    return m;
}
