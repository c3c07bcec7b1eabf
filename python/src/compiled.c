/* Compiled kernels: what a launch gives back, and what it needs to be repeated without asking the library. */

#include <stdlib.h>
#include <string.h>

#include "native.h"

PyTypeObject *tg_compiled_type;
static PyObject *made_type; /* what is made: a subclass, perhaps */
static PyObject *cell_contents, *value_name;

tg_compiled *tg_new_compiled(tg_kernel *k) {
    PyTypeObject *type = (PyTypeObject *)(made_type ? made_type : (PyObject *)tg_compiled_type);
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    tg_compiled *c = (tg_compiled *)alloc(type, 0);
    if (c != NULL)
        c->kernel = Py_NewRef((PyObject *)k);
    return c;
}

/* capture notes what a name or an attribute is bound to now. */
static int capture(tg_capture *c, PyObject *value) {
    if (value == NULL)
        return -1;
    c->value = value;
    if (!tg_is_constexpr(value)) {
        c->stable = tg_is_stable(value);
        return 0;
    }
    c->inner = PyObject_GetAttrString(value, "value");
    c->stable = c->inner != NULL && tg_is_stable(c->inner);
    return c->inner ? 0 : -1;
}

static int get_global(tg_capture *c, tg_reader *r) {
    PyObject *cell = NULL;
    tg_kernel *owner = tg_kernel_of(tg_get_u64(r));
    c->name = tg_get_str(r);
    if (owner == NULL || c->name == NULL)
        return -1;
    PyUnicode_InternInPlace(&c->name);
    c->owner = (tg_kernel *)Py_NewRef((PyObject *)owner);
    PyObject *value = tg_find_global(owner, c->name, &cell);
    if (value == NULL)
        return -1;
    c->cell = Py_XNewRef(cell);
    if (cell == NULL && (c->globals = PyObject_GetAttrString(owner->fn, "__globals__")) == NULL) {
        Py_DECREF(value);
        return -1;
    }
    return capture(c, value);
}

static int get_attribute(tg_capture *c, tg_reader *r) {
    tg_get_u64(r); /* the kernel that holds the object */
    c->object = Py_NewRef((PyObject *)(uintptr_t)tg_get_u64(r));
    c->name = tg_get_str(r);
    if (c->name == NULL)
        return -1;
    PyUnicode_InternInPlace(&c->name);
    return capture(c, PyObject_GetAttr(c->object, c->name));
}

static int get_captures(tg_compiled *c, tg_reader *r) {
    uint32_t n = tg_get_count(r, 12);
    tg_capture *list = calloc(n ? n : 1, sizeof *list);
    c->captures = list;
    for (uint32_t i = 0; list != NULL && i < n; i++) {
        c->ncaptures = (int)i + 1;
        if (get_global(&list[i], r) < 0)
            return -1;
    }
    uint32_t m = tg_get_count(r, 20);
    list = list ? realloc(list, (n + m + 1) * sizeof *list) : NULL;
    if (list == NULL)
        return -1;
    c->captures = list;
    memset(list + n, 0, m * sizeof *list);
    for (uint32_t i = 0; i < m; i++) {
        c->ncaptures = (int)(n + i) + 1;
        if (get_attribute(&list[n + i], r) < 0)
            return -1;
    }
    return 0;
}

static int get_args(tg_compiled *c, tg_reader *r) {
    uint32_t n = tg_get_count(r, 11);
    c->args = calloc(n ? n : 1, sizeof *c->args);
    if (c->args == NULL)
        return -1;
    c->nargs = (int)n;
    for (uint32_t i = 0; i < n; i++) {
        tg_pass *p = &c->args[i];
        p->param = (int)tg_get_u32(r);
        uint32_t depth = tg_get_count(r, 4);
        if (depth > sizeof p->path / sizeof *p->path)
            return -1;
        p->depth = (int)depth;
        for (uint32_t j = 0; j < depth; j++)
            p->path[j] = (int)tg_get_u32(r);
        p->as = tg_get_u8(r);
        p->size = tg_get_u8(r);
        p->dtype = tg_get_u8(r);
        p->written = tg_get_u8(r);
    }
    return 0;
}

int tg_get_compiled(tg_compiled *c, tg_reader *r) {
    c->function = tg_get_u64(r);
    for (int i = 0; i < 3; i++)
        c->limits[i] = tg_get_u32(r);
    int failed = get_args(c, r) < 0 || get_captures(c, r) < 0;
    c->submit = tg_get_u8(r);
    failed = failed || (c->submit == TG_SUBMIT_DIRECT && tg_get_direct(&c->direct, r) < 0);
    failed = failed || (c->submit == TG_SUBMIT_CUDA && tg_get_cuda(&c->cuda, r) < 0);
    failed = failed || (c->submit == TG_SUBMIT_XPU && tg_get_xpu(&c->xpu, r) < 0);
    c->loaded = !failed;
    if (failed && !PyErr_Occurred())
        PyErr_NoMemory();
    return failed ? -1 : 0;
}

/* now gives what a capture is bound to: a new reference. */
static PyObject *now(const tg_capture *c) {
    if (c->object != NULL)
        return PyObject_GetAttr(c->object, c->name);
    if (c->cell != NULL)
        return PyObject_GetAttr(c->cell, cell_contents);
    return Py_XNewRef(PyDict_GetItemWithError(c->globals, c->name));
}

/* same tells whether a capture is surely what it was. What may have changed in place is left to the library. */
static bool same(const tg_capture *c) {
    if (!c->stable)
        return false;
    if (c->globals != NULL && c->inner == NULL)
        return PyDict_GetItemWithError(c->globals, c->name) == c->value;
    PyObject *value = now(c);
    bool is = value == c->value;
    if (is && c->inner != NULL) {
        PyObject *inner = PyObject_GetAttr(value, value_name);
        is = inner == c->inner;
        Py_XDECREF(inner);
    }
    PyErr_Clear();
    Py_XDECREF(value);
    return is;
}

static void recapture(tg_capture *c) {
    PyObject *value = now(c), *old = c->value, *inner = c->inner;
    c->value = c->inner = NULL;
    c->stable = false; /* if it cannot be captured, it is always compared */
    if (capture(c, value) < 0)
        PyErr_Clear();
    Py_XDECREF(old);
    Py_XDECREF(inner);
}

/* tg_check_captures raises GlobalChanged if a global is not what it was when the kernel was compiled. */
int tg_check_captures(tg_compiled *c) {
    int i = 0;
    while (i < c->ncaptures && same(&c->captures[i]))
        i++;
    if (i == c->ncaptures)
        return 0;
    tg_writer w = {0};
    tg_text answer = {0};
    tg_put_u64(&w, c->id);
    if (tg_request(TG_CHECK_GLOBALS, &w, &answer) < 0)
        return -1;
    free(answer.data);
    for (; i < c->ncaptures; i++)
        recapture(&c->captures[i]);
    return 0;
}

/* The object. */

static int compiled_traverse(PyObject *self, visitproc visit, void *arg) {
    tg_compiled *c = (tg_compiled *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(c->kernel);
    Py_VISIT(c->constants);
    for (int i = 0; i < c->ncaptures; i++) {
        Py_VISIT((PyObject *)c->captures[i].owner);
        Py_VISIT(c->captures[i].cell);
        Py_VISIT(c->captures[i].globals);
        Py_VISIT(c->captures[i].object);
        Py_VISIT(c->captures[i].value);
        Py_VISIT(c->captures[i].inner);
    }
    return 0;
}

static int compiled_clear(PyObject *self) {
    tg_compiled *c = (tg_compiled *)self;
    tg_capture *list = c->captures;
    int n = c->ncaptures;
    c->captures = NULL;
    c->ncaptures = 0;
    c->loaded = false;
    for (int i = 0; i < n; i++) {
        Py_XDECREF((PyObject *)list[i].owner);
        Py_XDECREF(list[i].name);
        Py_XDECREF(list[i].cell);
        Py_XDECREF(list[i].globals);
        Py_XDECREF(list[i].object);
        Py_XDECREF(list[i].value);
        Py_XDECREF(list[i].inner);
    }
    free(list);
    Py_CLEAR(c->kernel);
    Py_CLEAR(c->constants);
    return 0;
}

static void compiled_dealloc(PyObject *self) {
    tg_compiled *c = (tg_compiled *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (c->weak != NULL)
        PyObject_ClearWeakRefs(self);
    compiled_clear(self);
    if (c->id != 0)
        tg_tell(TG_DROP_COMPILED, c->id);
    free(c->args);
    tg_free_direct(&c->direct);
    free(c->cuda.args);
    free(c->xpu.args);
    Py_XDECREF(c->name);
    Py_XDECREF(c->target);
    freefunc free_object = (freefunc)PyType_GetSlot(type, Py_tp_free);
    free_object(self);
    Py_DECREF(type);
}

/* ask makes a request about a compiled kernel. */
static int ask(tg_compiled *c, uint8_t request, PyObject *text, tg_text *answer) {
    tg_writer w = {0};
    tg_put_u64(&w, c->id);
    if (text != NULL && tg_put_str(&w, text) < 0) {
        tg_free(&w);
        return -1;
    }
    return tg_request(request, &w, answer);
}

static PyObject *compiled_metadata(PyObject *self, void *unused) {
    (void)unused;
    tg_text answer = {0};
    if (ask((tg_compiled *)self, TG_METADATA, NULL, &answer) < 0)
        return NULL;
    PyObject *text = PyUnicode_DecodeUTF8((const char *)answer.data, (Py_ssize_t)answer.size, "replace");
    free(answer.data);
    return text;
}

static PyObject *compiled_stages(PyObject *self, PyObject *unused) {
    (void)unused;
    tg_text answer = {0};
    if (ask((tg_compiled *)self, TG_STAGES, NULL, &answer) < 0)
        return NULL;
    tg_reader r = {answer.data, answer.size, false};
    uint32_t n = tg_get_count(&r, 4);
    PyObject *list = PyTuple_New((Py_ssize_t)n);
    for (uint32_t i = 0; list != NULL && i < n; i++)
        PyTuple_SetItem(list, (Py_ssize_t)i, tg_get_str(&r));
    free(answer.data);
    return list;
}

/* A stage is a text, unless it is binary. */
static PyObject *compiled_emit(PyObject *self, PyObject *stage) {
    tg_text answer = {0};
    if (!PyUnicode_Check(stage)) {
        PyErr_SetString(PyExc_TypeError, "the name of a stage is a str");
        return NULL;
    }
    if (ask((tg_compiled *)self, TG_EMIT, stage, &answer) < 0)
        return NULL;
    const char *data = answer.data ? (const char *)answer.data : "";
    PyObject *text = memchr(data, 0, answer.size) ? NULL : PyUnicode_DecodeUTF8(data, (Py_ssize_t)answer.size, NULL);
    if (text == NULL) {
        PyErr_Clear();
        text = PyBytes_FromStringAndSize(data, (Py_ssize_t)answer.size);
    }
    free(answer.data);
    return text;
}

static PyObject *compiled_run(PyObject *self, PyObject *args) {
    Py_ssize_t n = PyTuple_Size(args);
    if (n < 1) {
        PyErr_SetString(PyExc_TypeError, "run needs a grid");
        return NULL;
    }
    PyObject **list = calloc((size_t)n, sizeof *list);
    if (list == NULL)
        return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < n; i++)
        list[i] = PyTuple_GetItem(args, i);
    int done = tg_run_compiled((tg_compiled *)self, list[0], list + 1, n - 1);
    free(list);
    return done < 0 ? NULL : PyBool_FromLong(done);
}

static int put_option(PyObject *options, const char *name, PyObject *value) {
    int failed = value == NULL || PyDict_SetItemString(options, name, value) < 0;
    Py_XDECREF(value);
    return failed ? -1 : 0;
}

/* The options that the metadata do not have, as a launch takes them. */
static PyObject *compiled_options(PyObject *self, void *unused) {
    (void)unused;
    const tg_options *o = &((tg_compiled *)self)->options;
    PyObject *options = PyDict_New();
    int failed = options == NULL || (o->registers && put_option(options, "maxnreg", PyLong_FromLong(o->registers)) < 0) ||
                 (o->debug && put_option(options, "debug", PyBool_FromLong(1)) < 0) ||
                 (o->unfused && put_option(options, "enable_fp_fusion", PyBool_FromLong(0)) < 0) ||
                 (o->triton && put_option(options, "backend_name", PyUnicode_FromString("cuda-mlir")) < 0);
    if (failed)
        Py_CLEAR(options);
    return options;
}

static PyMethodDef compiled_methods[] = {
    {"stages", compiled_stages, METH_NOARGS, "The names of the stages that emit gives."},
    {"emit", compiled_emit, METH_O, "The text of a stage."},
    {"run", compiled_run, METH_VARARGS, "Launches this variant; tells whether the arguments are its own."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef compiled_getset[] = {
    {"metadata_json", compiled_metadata, NULL, "The metadata, as they are written beside a binary.", NULL},
    {"options", compiled_options, NULL, "The options of the call that it was made for which the metadata do not have.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef compiled_members[] = {
    {"name", T_OBJECT_EX, offsetof(tg_compiled, name), READONLY, NULL},
    {"target", T_OBJECT_EX, offsetof(tg_compiled, target), READONLY, NULL},
    {"kernel", T_OBJECT_EX, offsetof(tg_compiled, kernel), READONLY, NULL},
    {"constants", T_OBJECT, offsetof(tg_compiled, constants), READONLY, NULL},
    {"function", T_ULONGLONG, offsetof(tg_compiled, function), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(tg_compiled, weak), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot compiled_slots[] = {
    {Py_tp_doc, "A kernel compiled for what is known of some arguments."},
    {Py_tp_dealloc, compiled_dealloc},
    {Py_tp_traverse, compiled_traverse},
    {Py_tp_clear, compiled_clear},
    {Py_tp_methods, compiled_methods},
    {Py_tp_getset, compiled_getset},
    {Py_tp_members, compiled_members},
    {0, NULL},
};

static PyType_Spec compiled_spec = {
    "tegula._native.CompiledKernel", sizeof(tg_compiled), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, compiled_slots,
};

static PyObject *set_compiled_type(PyObject *self, PyObject *type) {
    (void)self;
    if (!PyType_Check(type) || !PyType_IsSubtype((PyTypeObject *)type, tg_compiled_type)) {
        PyErr_SetString(PyExc_TypeError, "the class has to derive from CompiledKernel");
        return NULL;
    }
    PyObject *old = made_type;
    made_type = Py_NewRef(type);
    Py_XDECREF(old);
    return Py_NewRef(Py_None);
}

static PyMethodDef functions[] = {
    {"set_compiled_type", set_compiled_type, METH_O, "Chooses what launches give back."},
    {NULL, NULL, 0, NULL},
};

int tg_add_compiled(PyObject *module) {
    tg_compiled_type = (PyTypeObject *)PyType_FromSpec(&compiled_spec);
    cell_contents = PyUnicode_InternFromString("cell_contents");
    value_name = PyUnicode_InternFromString("value");
    if (tg_compiled_type == NULL || cell_contents == NULL || value_name == NULL || PyModule_AddFunctions(module, functions) < 0)
        return -1;
    return PyModule_AddObjectRef(module, "CompiledKernel", (PyObject *)tg_compiled_type);
}
