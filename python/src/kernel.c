/* Kernels: the Python object, and the table of parameters that the library makes of its source. */

#include <stdlib.h>
#include <string.h>

#include "native.h"

PyTypeObject *tg_kernel_type;

/* The kernels that the library may ask about, by number. */
static struct {
    tg_kernel **list;
    uint64_t n, cap;
} kernels;

tg_kernel *tg_kernel_of(uint64_t id) { return id < kernels.n ? kernels.list[id] : NULL; }

static int number_kernel(tg_kernel *k) {
    if (kernels.n == kernels.cap) {
        uint64_t cap = kernels.cap ? 2 * kernels.cap : 64;
        tg_kernel **list = realloc(kernels.list, cap * sizeof *list);
        if (list == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        kernels.list = list;
        kernels.cap = cap;
        if (kernels.n == 0)
            kernels.list[kernels.n++] = NULL; /* 0 is no kernel */
    }
    k->id = kernels.n;
    kernels.list[kernels.n++] = k;
    return 0;
}

/* tg_hold keeps an object alive as long as the kernel: the library has its address. */
int tg_hold(tg_kernel *k, PyObject *o) {
    if (k->held == NULL && (k->held = PyDict_New()) == NULL)
        return -1;
    PyObject *address = PyLong_FromVoidPtr(o);
    int failed = address == NULL || PyDict_SetItem(k->held, address, o) < 0;
    Py_XDECREF(address);
    return failed ? -1 : 0;
}

/* tg_unwrap_kernel follows .fn from what libraries wrap kernels in. */
tg_kernel *tg_unwrap_kernel(PyObject *o) {
    Py_INCREF(o);
    for (int depth = 0; depth < 16; depth++) {
        if (PyObject_TypeCheck(o, tg_kernel_type))
            return (tg_kernel *)o;
        PyObject *fn = PyType_Check(o) || PyModule_Check(o) ? NULL : tg_marker(o, "fn");
        Py_DECREF(o);
        if (fn == NULL)
            return NULL;
        o = fn;
    }
    Py_DECREF(o);
    return NULL;
}

/* Options of a kernel. */

static PyObject *option(tg_kernel *k, const char *name) {
    PyObject *v = k->options ? PyDict_GetItemString(k->options, name) : NULL;
    return v == Py_None ? NULL : v;
}

static bool flag(tg_kernel *k, const char *name) {
    PyObject *v = option(k, name);
    bool is = v != NULL && PyObject_IsTrue(v) == 1;
    PyErr_Clear();
    return is;
}

static uint32_t small(tg_kernel *k, const char *name) {
    PyObject *v = option(k, name);
    long n = v ? PyLong_AsLong(v) : 0;
    PyErr_Clear();
    return n > 0 && n < 1 << 16 ? (uint32_t)n : 0;
}

/* lists tells whether an option, a list of names and indices, has a parameter in it. */
static bool lists(tg_kernel *k, const char *name, PyObject *param, Py_ssize_t index) {
    PyObject *v = option(k, name), *list = v ? PySequence_List(v) : NULL;
    Py_ssize_t n = list ? PyList_Size(list) : 0;
    bool is = false;
    for (Py_ssize_t i = 0; !is && i < n; i++) {
        PyObject *e = PyList_GetItem(list, i);
        is = PyUnicode_Check(e) ? PyUnicode_Compare(e, param) == 0 : PyLong_Check(e) && PyLong_AsLong(e) == index;
    }
    PyErr_Clear();
    Py_XDECREF(list);
    return is;
}

static int check_options(PyObject *options) {
    static const char *const known[] = {
        "do_not_specialize", "do_not_specialize_on_alignment", "debug", "strict", "num_warps", "num_stages", "num_ctas", "threads_per_warp", "noinline",
    };
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(options, &at, &key, &value)) {
        const char *name = PyUnicode_Check(key) ? PyUnicode_AsUTF8AndSize(key, NULL) : NULL;
        bool is = false;
        for (size_t i = 0; name != NULL && i < sizeof known / sizeof *known; i++)
            is = is || strcmp(name, known[i]) == 0;
        if (!is) {
            tg_raise("ArgumentError", "option", "a kernel has no option %R", key);
            return -1;
        }
    }
    return 0;
}

/* annotation gives the text of a parameter's annotation, as Triton reads it. */
static PyObject *annotation(PyObject *annotations, PyObject *name) {
    PyObject *a = annotations && PyDict_Check(annotations) ? PyDict_GetItemWithError(annotations, name) : NULL;
    if (a == NULL)
        return PyErr_Occurred() ? NULL : PyUnicode_FromString("");
    if (PyUnicode_Check(a))
        return Py_NewRef(a);
    PyObject *text = tg_marker(a, "__tegula_type__");
    if (text != NULL && PyUnicode_Check(text))
        return text;
    Py_XDECREF(text);
    return PyType_Check(a) ? PyObject_GetAttrString(a, "__name__") : PyObject_Str(a);
}

/* is_constexpr: Triton asks whether the annotation has the word in it. */
static bool is_constexpr(PyObject *annotations, PyObject *name, PyObject *text) {
    PyObject *a = annotations && PyDict_Check(annotations) ? PyDict_GetItemWithError(annotations, name) : NULL;
    return (a != NULL && a == tg_constexpr_type) || strstr(tg_utf8(text), "constexpr") != NULL;
}

/* put_params writes what Python knows of each parameter. */
static int put_params(tg_writer *w, tg_kernel *k, PyObject *names) {
    PyObject *annotations = PyObject_GetAttrString(k->fn, "__annotations__");
    if (annotations == NULL)
        PyErr_Clear();
    Py_ssize_t n = PyList_Size(names);
    int failed = 0;
    tg_put_u32(w, (uint32_t)n);
    for (Py_ssize_t i = 0; !failed && i < n; i++) {
        PyObject *pair = PyList_GetItem(names, i), *name = PyTuple_GetItem(pair, 0), *text = annotation(annotations, name);
        if (text == NULL || tg_put_str(w, name) < 0 || tg_put_str(w, text) < 0) {
            Py_XDECREF(text);
            failed = -1;
            break;
        }
        uint8_t flags = 0;
        flags |= is_constexpr(annotations, name, text) ? TG_SAID_CONSTEXPR : 0;
        flags |= PyTuple_GetItem(pair, 1) != Py_None ? TG_SAID_DEFAULT : 0;
        flags |= lists(k, "do_not_specialize", name, i) ? TG_SAID_NO_SPECIALIZE : 0;
        flags |= lists(k, "do_not_specialize_on_alignment", name, i) ? TG_SAID_NO_ALIGN : 0;
        tg_put_u8(w, flags);
        Py_DECREF(text);
    }
    Py_XDECREF(annotations);
    return failed;
}

static long number_of(PyObject *o, const char *name) {
    PyObject *v = PyObject_GetAttrString(o, name);
    long n = v ? PyLong_AsLong(v) : 0;
    Py_XDECREF(v);
    return n;
}

/* list_params lists (name, (default,) or None), as the function has them. Defaults may be None themselves. */
static PyObject *list_params(tg_kernel *k) {
    PyObject *code = PyObject_GetAttrString(k->fn, "__code__"), *names = code ? PyObject_GetAttrString(code, "co_varnames") : NULL;
    PyObject *defaults = names ? PyObject_GetAttrString(k->fn, "__defaults__") : NULL;
    PyObject *kwdefaults = defaults ? PyObject_GetAttrString(k->fn, "__kwdefaults__") : NULL;
    PyObject *list = kwdefaults ? PyList_New(0) : NULL;
    if (list != NULL) {
        Py_ssize_t positional = number_of(code, "co_argcount"), kwonly = number_of(code, "co_kwonlyargcount");
        Py_ssize_t variadic = number_of(code, "co_flags") & 4 ? 1 : 0, ndefaults = defaults == Py_None ? 0 : PyTuple_Size(defaults);
        for (Py_ssize_t i = 0; i < positional + variadic + kwonly && list != NULL; i++) {
            /* In co_varnames, *args comes after the keyword-only parameters; here it comes before them. */
            Py_ssize_t at = i < positional ? i : variadic == 0 ? i : i == positional ? positional + kwonly : i - 1;
            PyObject *name = PyTuple_GetItem(names, at), *value = NULL;
            if (i < positional && i >= positional - ndefaults)
                value = PyTuple_GetItem(defaults, i - (positional - ndefaults));
            else if (i >= positional + variadic && kwdefaults != Py_None)
                value = PyDict_GetItemWithError(kwdefaults, name);
            PyObject *boxed = value ? PyTuple_Pack(1, value) : Py_NewRef(Py_None), *pair = name && boxed ? PyTuple_Pack(2, name, boxed) : NULL;
            if (pair == NULL || PyList_Append(list, pair) < 0)
                Py_CLEAR(list);
            Py_XDECREF(boxed);
            Py_XDECREF(pair);
        }
    }
    Py_XDECREF(code);
    Py_XDECREF(names);
    Py_XDECREF(defaults);
    Py_XDECREF(kwdefaults);
    return list;
}

static PyObject *default_of(PyObject *params, PyObject *name) {
    Py_ssize_t n = PyList_Size(params);
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *pair = PyList_GetItem(params, i), *boxed = PyTuple_GetItem(pair, 1);
        if (PyUnicode_Compare(PyTuple_GetItem(pair, 0), name) == 0)
            return boxed == Py_None ? NULL : Py_NewRef(PyTuple_GetItem(boxed, 0));
    }
    return NULL;
}

static void free_params(tg_kernel *k) {
    for (int i = 0; i < k->n; i++) {
        Py_XDECREF(k->params[i].name);
        Py_XDECREF(k->params[i].fallback);
    }
    free(k->params);
    k->params = NULL;
    k->n = 0;
}

static int get_table(tg_kernel *k, tg_reader *r, PyObject *params) {
    uint32_t n = tg_get_count(r, 22);
    k->params = calloc(n ? n : 1, sizeof *k->params);
    k->names = PyTuple_New((Py_ssize_t)n);
    if (k->params == NULL || k->names == NULL)
        return -1;
    k->positional = 0;
    k->variadic = -1;
    for (uint32_t i = 0; i < n; i++) {
        tg_param *p = &k->params[i];
        p->name = tg_get_str(r);
        if (p->name == NULL)
            return -1;
        k->n = (int)i + 1;
        PyUnicode_InternInPlace(&p->name);
        PyTuple_SetItem(k->names, (Py_ssize_t)i, Py_NewRef(p->name));
        p->kind = tg_get_u8(r);
        p->facts = tg_get_u8(r);
        p->low = (int64_t)tg_get_u64(r);
        p->high = tg_get_u64(r);
        p->fallback = default_of(params, p->name);
        if (p->kind == TG_VARIADIC)
            k->variadic = (int)i;
        else if (p->kind != TG_KEYWORD_ONLY)
            k->positional++;
    }
    return r->failed ? -1 : 0;
}

static int put_definition(tg_writer *w, tg_kernel *k, PyObject *params) {
    PyObject *name = PyObject_GetAttrString(k->fn, "__name__");
    tg_put_environment(w);
    tg_put_u64(w, k->id);
    int failed = name == NULL || tg_put_str(w, name) < 0 || tg_put_str(w, k->source) < 0 || tg_put_str(w, k->filename) < 0;
    Py_XDECREF(name);
    if (failed)
        return -1;
    tg_put_u32(w, (uint32_t)k->first_line);
    tg_put_u8(w, flag(k, "debug"));
    tg_put_u32(w, small(k, "num_warps"));
    tg_put_u32(w, small(k, "num_stages"));
    tg_put_u32(w, small(k, "num_ctas"));
    tg_put_u32(w, small(k, "threads_per_warp"));
    return put_params(w, k, params);
}

/* tg_load has the library read the kernel, if it has not yet. */
int tg_load(tg_kernel *k) {
    if (k->loaded)
        return 0;
    if (k->fn == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "Kernel.__init__ was not called");
        return -1;
    }
    if (k->id == 0 && number_kernel(k) < 0)
        return -1;
    PyObject *params = list_params(k);
    tg_writer w = {0};
    tg_text answer = {0};
    int failed = params == NULL || put_definition(&w, k, params) < 0 || tg_request(TG_LOAD, &w, &answer) < 0;
    if (!failed && !k->loaded) { /* another thread may have been as fast */
        tg_reader r = {answer.data, answer.size, false};
        failed = get_table(k, &r, params) < 0;
        k->loaded = !failed;
        if (failed && !PyErr_Occurred())
            PyErr_NoMemory();
    }
    tg_free(&w);
    free(answer.data);
    Py_XDECREF(params);
    return failed ? -1 : 0;
}

/* The object. */

static int kernel_init(PyObject *self, PyObject *args, PyObject *kwargs) {
    static char *names[] = {"fn", "source", "filename", "first_line", "options", NULL};
    tg_kernel *k = (tg_kernel *)self;
    PyObject *fn, *source, *filename, *options = NULL;
    long line;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OUUl|O:Kernel", names, &fn, &source, &filename, &line, &options))
        return -1;
    if (k->fn != NULL) {
        PyErr_SetString(PyExc_RuntimeError, "Kernel.__init__ was called twice");
        return -1;
    }
    PyObject *copy = PyDict_New();
    if (copy == NULL || (options != NULL && options != Py_None && PyDict_Update(copy, options) < 0) || check_options(copy) < 0) {
        Py_XDECREF(copy);
        return -1;
    }
    k->options = copy;
    k->fn = Py_NewRef(fn);
    k->source = Py_NewRef(source);
    k->filename = Py_NewRef(filename);
    k->first_line = line;
    k->launch_metadata = Py_NewRef(Py_None);
    k->pre_run_hooks = Py_NewRef(Py_None);
    k->strict = flag(k, "strict");
    return 0;
}

static int kernel_traverse(PyObject *self, visitproc visit, void *arg) {
    tg_kernel *k = (tg_kernel *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(k->fn);
    Py_VISIT(k->options);
    Py_VISIT(k->launch_metadata);
    Py_VISIT(k->pre_run_hooks);
    Py_VISIT(k->held);
    Py_VISIT(k->launcher);
    for (int i = 0; i < k->n; i++)
        Py_VISIT(k->params[i].fallback);
    return tg_visit_table(k, visit, arg);
}

static int kernel_clear(PyObject *self) {
    tg_kernel *k = (tg_kernel *)self;
    tg_free_table(k);
    Py_CLEAR(k->launcher);
    Py_CLEAR(k->options);
    Py_CLEAR(k->launch_metadata);
    Py_CLEAR(k->pre_run_hooks);
    for (int i = 0; i < k->n; i++)
        Py_CLEAR(k->params[i].fallback);
    if (k->id != 0) {
        kernels.list[k->id] = NULL;
        tg_tell(TG_DROP_KERNEL, k->id);
        k->id = 0;
    }
    Py_CLEAR(k->held);
    Py_CLEAR(k->fn);
    k->loaded = false;
    return 0;
}

static void kernel_dealloc(PyObject *self) {
    tg_kernel *k = (tg_kernel *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (k->weak != NULL)
        PyObject_ClearWeakRefs(self);
    kernel_clear(self);
    free_params(k);
    Py_XDECREF(k->source);
    Py_XDECREF(k->filename);
    Py_XDECREF(k->names);
    Py_XDECREF(k->kwnames);
    free(k->kwparams);
    freefunc free_object = (freefunc)PyType_GetSlot(type, Py_tp_free);
    free_object(self);
    Py_DECREF(type);
}

static PyObject *kernel_subscript(PyObject *self, PyObject *grid) { return tg_launcher((tg_kernel *)self, grid); }

static PyObject *kernel_arg_names(PyObject *self, void *unused) {
    (void)unused;
    tg_kernel *k = (tg_kernel *)self;
    return tg_load(k) < 0 ? NULL : Py_NewRef(k->names);
}

static PyTypeObject *param_type;

static PyStructSequence_Field param_fields[] = {
    {"name", NULL},       {"kind", "as inspect.Parameter.kind"},    {"constexpr", NULL},
    {"annotation", NULL}, {"do_not_specialize", NULL}, {"do_not_specialize_on_alignment", NULL},
    {NULL, NULL},
};

static PyStructSequence_Desc param_desc = {"tegula.Param", "A parameter of a kernel.", param_fields, 6};

static PyObject *new_param(tg_kernel *k, const tg_param *p, PyObject *annotations) {
    PyObject *o = PyStructSequence_New(param_type), *text = annotation(annotations, p->name);
    if (o == NULL || text == NULL) {
        Py_XDECREF(o);
        Py_XDECREF(text);
        return NULL;
    }
    (void)k;
    PyStructSequence_SetItem(o, 0, Py_NewRef(p->name));
    PyStructSequence_SetItem(o, 1, PyLong_FromLong(p->kind));
    PyStructSequence_SetItem(o, 2, PyBool_FromLong(p->facts & TG_FACT_CONSTEXPR));
    PyStructSequence_SetItem(o, 3, text);
    PyStructSequence_SetItem(o, 4, PyBool_FromLong(p->facts & TG_FACT_NO_SPECIALIZE));
    PyStructSequence_SetItem(o, 5, PyBool_FromLong(p->facts & TG_FACT_NO_ALIGN));
    return o;
}

static PyObject *kernel_params(PyObject *self, void *unused) {
    (void)unused;
    tg_kernel *k = (tg_kernel *)self;
    if (tg_load(k) < 0)
        return NULL;
    PyObject *annotations = PyObject_GetAttrString(k->fn, "__annotations__"), *list = PyTuple_New(k->n);
    if (annotations == NULL)
        PyErr_Clear();
    for (int i = 0; list != NULL && i < k->n; i++) {
        PyObject *p = new_param(k, &k->params[i], annotations);
        if (p == NULL)
            Py_CLEAR(list);
        else
            PyTuple_SetItem(list, i, p);
    }
    Py_XDECREF(annotations);
    return list;
}

static PyObject *kernel_cache_key(PyObject *self, void *unused) {
    (void)unused;
    tg_kernel *k = (tg_kernel *)self;
    tg_writer w = {0};
    tg_text answer = {0};
    if (tg_load(k) < 0)
        return NULL;
    tg_put_u64(&w, k->id);
    if (tg_request(TG_SOURCE, &w, &answer) < 0)
        return NULL;
    tg_reader r = {answer.data, answer.size, false};
    PyObject *key = tg_get_str(&r);
    free(answer.data);
    return key;
}

/* spread makes the arrays of a vectorcall of a tuple and a mapping, and calls. */
typedef PyObject *(*spread_fn)(tg_kernel *k, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames, void *context);

static PyObject *spread(tg_kernel *k, PyObject *args, PyObject *kwargs, spread_fn call, void *context) {
    PyObject *copy = PyDict_New(), *key, *value, *result = NULL;
    if (copy == NULL || (kwargs != NULL && PyDict_Update(copy, kwargs) < 0)) {
        Py_XDECREF(copy);
        return NULL;
    }
    Py_ssize_t n = PyTuple_Size(args), m = PyDict_Size(copy), at = 0, i = 0;
    PyObject **list = calloc((size_t)(n + m + 1), sizeof *list), *names = m ? PyTuple_New(m) : NULL;
    if (list != NULL && (m == 0 || names != NULL)) {
        for (; i < n; i++)
            list[i] = PyTuple_GetItem(args, i);
        while (PyDict_Next(copy, &at, &key, &value)) {
            PyTuple_SetItem(names, i - n, Py_NewRef(key));
            list[i++] = value;
        }
        result = call(k, list, n, names, context);
    } else
        PyErr_NoMemory();
    free(list);
    Py_XDECREF(names);
    Py_DECREF(copy);
    return result;
}

struct launch_context {
    PyObject *grid;
    const char *target; /* NULL: launch */
};

static PyObject *call_launch(tg_kernel *k, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames, void *context) {
    struct launch_context *c = context;
    return tg_launch(k, c->grid, args, nargs, kwnames, c->target);
}

static PyObject *call_bind(tg_kernel *k, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames, void *context) {
    (void)context;
    return tg_bind(k, args, nargs, kwnames);
}

/* take removes a keyword: a new reference, or NULL. */
static PyObject *take(PyObject *kwargs, const char *name) {
    PyObject *v = Py_XNewRef(PyDict_GetItemString(kwargs, name));
    if (v != NULL && PyDict_DelItemString(kwargs, name) < 0)
        PyErr_Clear();
    return v;
}

/* noting has what was only compiled remember the options of the call: the keywords that are no parameters. It takes compiled. */
static PyObject *noting(const tg_kernel *k, PyObject *compiled, PyObject *kwargs) {
    if (compiled == NULL || !PyObject_TypeCheck(compiled, tg_compiled_type))
        return compiled;
    PyObject *options = kwargs ? PyDict_Copy(kwargs) : PyDict_New();
    int failed = options == NULL;
    for (int i = 0; !failed && i < k->n; i++) {
        int has = PyDict_Contains(options, k->params[i].name);
        failed = has < 0 || (has > 0 && PyDict_DelItem(options, k->params[i].name) < 0);
    }
    failed = failed || PyObject_SetAttrString(compiled, "_options", options) < 0;
    Py_XDECREF(options);
    if (failed)
        Py_CLEAR(compiled);
    return compiled;
}

static PyObject *kernel_run(PyObject *self, PyObject *args, PyObject *kwargs) {
    PyObject *copy = kwargs ? PyDict_Copy(kwargs) : PyDict_New();
    if (copy == NULL)
        return NULL;
    PyObject *grid = take(copy, "grid"), *warmup = take(copy, "warmup"), *result = NULL;
    int warm = warmup ? PyObject_IsTrue(warmup) : 0;
    struct launch_context c = {grid, warm ? "" : NULL};
    if (warm < 0)
        ;
    else if (grid == NULL && !warm)
        tg_raise("GridError", "missing", "Grid must contain 1 to 3 positive integer dimensions. It is missing: run(..., grid=...).");
    else
        result = spread((tg_kernel *)self, args, copy, call_launch, &c);
    if (warm > 0)
        result = noting((tg_kernel *)self, result, copy);
    Py_XDECREF(grid);
    Py_XDECREF(warmup);
    Py_DECREF(copy);
    return result;
}

static PyObject *kernel_warmup(PyObject *self, PyObject *args, PyObject *kwargs) {
    static char *names[] = {"args", "kwargs", "grid", "target", NULL};
    PyObject *list, *named = NULL, *grid = NULL, *target = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!O|OO:warmup", names, &PyTuple_Type, &list, &named, &grid, &target))
        return NULL;
    struct launch_context c = {grid == Py_None ? NULL : grid, ""};
    if (target != NULL && target != Py_None) {
        c.target = PyUnicode_Check(target) ? PyUnicode_AsUTF8AndSize(target, NULL) : NULL;
        if (c.target == NULL) {
            if (!PyErr_Occurred())
                tg_raise("ArgumentError", "unknown-target", "a target is a str such as \"cuda:90a\", not %R", target);
            return NULL;
        }
    }
    return noting((tg_kernel *)self, spread((tg_kernel *)self, list, named, call_launch, &c), named);
}

static PyObject *kernel_bind(PyObject *self, PyObject *args) {
    PyObject *list, *named;
    if (!PyArg_ParseTuple(args, "O!O:bind", &PyTuple_Type, &list, &named))
        return NULL;
    return spread((tg_kernel *)self, list, named, call_bind, NULL);
}

static PyMethodDef kernel_methods[] = {
    {"run", (PyCFunction)(void (*)(void))kernel_run, METH_VARARGS | METH_KEYWORDS, "Launches on the grid that the keyword gives."},
    {"warmup", (PyCFunction)(void (*)(void))kernel_warmup, METH_VARARGS | METH_KEYWORDS, "Compiles what a launch would, and launches nothing."},
    {"bind", kernel_bind, METH_VARARGS, "The bound arguments by name, and the options."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef kernel_getset[] = {
    {"params", kernel_params, NULL, "The parameters, as the compiler reads them.", NULL},
    {"arg_names", kernel_arg_names, NULL, "The names of the parameters.", NULL},
    {"cache_key", kernel_cache_key, NULL, "A hash of the source, and of the sources of what it calls.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef kernel_members[] = {
    {"fn", T_OBJECT_EX, offsetof(tg_kernel, fn), READONLY, NULL},
    {"source", T_OBJECT_EX, offsetof(tg_kernel, source), READONLY, NULL},
    {"filename", T_OBJECT_EX, offsetof(tg_kernel, filename), READONLY, NULL},
    {"first_line", T_LONG, offsetof(tg_kernel, first_line), READONLY, NULL},
    {"options", T_OBJECT_EX, offsetof(tg_kernel, options), READONLY, NULL},
    {"launch_metadata", T_OBJECT, offsetof(tg_kernel, launch_metadata), 0, NULL},
    {"pre_run_hooks", T_OBJECT, offsetof(tg_kernel, pre_run_hooks), 0, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(tg_kernel, weak), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot kernel_slots[] = {
    {Py_tp_doc, "A kernel function."},
    {Py_tp_init, kernel_init},
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_dealloc, kernel_dealloc},
    {Py_tp_traverse, kernel_traverse},
    {Py_tp_clear, kernel_clear},
    {Py_tp_methods, kernel_methods},
    {Py_tp_getset, kernel_getset},
    {Py_tp_members, kernel_members},
    {Py_mp_subscript, kernel_subscript},
    {0, NULL},
};

static PyType_Spec kernel_spec = {
    "tegula._native.Kernel", sizeof(tg_kernel), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, kernel_slots,
};

int tg_add_kernel(PyObject *module) {
    tg_kernel_type = (PyTypeObject *)PyType_FromSpec(&kernel_spec);
    param_type = PyStructSequence_NewType(&param_desc);
    if (tg_kernel_type == NULL || param_type == NULL)
        return -1;
    if (PyModule_AddObjectRef(module, "Param", (PyObject *)param_type) < 0)
        return -1;
    return PyModule_AddObjectRef(module, "Kernel", (PyObject *)tg_kernel_type);
}
