/* Launching. A launch binds and classifies its arguments, finds the variant, compares the globals that it depends on, packs and
   submits. Neither Go nor Python code runs on the way, but for a grid that is a function, when the variant is there. */

#include <stdlib.h>
#include <string.h>

#include "launch.h"

PyTypeObject *tg_launcher_type;
PyObject *tg_enter_hook, *tg_exit_hook;
int tg_check_mode;
bool tg_debug_mode;

/* Grids. */

typedef struct {
    int64_t sizes[4];
    uint32_t n; /* more than three are not in sizes, but counted to four */
} dims;

static const char *const axes[] = {"x", "y", "z"};

static int grid_size(dims *d, PyObject *o) {
    int axis = (int)d->n;
    int64_t *to = &d->sizes[axis];
    if (PyLong_CheckExact(o)) {
        int overflow;
        *to = PyLong_AsLongLongAndOverflow(o, &overflow);
        if (overflow == 0)
            return 0;
        tg_raise("GridError", overflow > 0 ? "too-large" : "negative", "Grid must contain 1 to 3 positive integer dimensions. The size of axis %d (%s) is %S.", axis, axes[axis], o);
        return -1;
    }
    PyObject *n = PyBool_Check(o) || PyFloat_Check(o) || !PyIndex_Check(o) ? NULL : PyNumber_Index(o);
    if (n == NULL) {
        if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError))
            return -1;
        PyErr_Clear();
        if (tg_is_constexpr(o)) {
            PyObject *value = PyObject_GetAttrString(o, "value");
            int failed = value == NULL || grid_size(d, value) < 0;
            Py_XDECREF(value);
            return failed ? -1 : 0;
        }
        PyObject *type = PyObject_GetAttrString((PyObject *)Py_TYPE(o), "__name__");
        tg_raise("GridError", "not-integer", "Grid must contain 1 to 3 positive integer dimensions. The size of axis %d (%s) is %R, a value of type %S.", axis,
                 axis < 3 ? axes[axis] : "?", o, type);
        Py_XDECREF(type);
        return -1;
    }
    PyObject *exact = PyLong_CheckExact(n) ? Py_NewRef(n) : PyNumber_Long(n);
    int failed = exact == NULL || grid_size(d, exact) < 0;
    Py_XDECREF(exact);
    Py_DECREF(n);
    return failed ? -1 : 0;
}

/* get_dims reads a tuple, a list or an integer. */
static int get_dims(dims *d, PyObject *grid) {
    d->n = 0;
    bool tuple = PyTuple_Check(grid);
    if (!tuple && !PyList_Check(grid)) {
        if (grid_size(d, grid) < 0)
            return -1;
        d->n = 1;
        return 0;
    }
    Py_ssize_t n = tuple ? PyTuple_Size(grid) : PyList_Size(grid);
    for (Py_ssize_t i = 0; i < n && i < 3; i++) {
        PyObject *o = tuple ? PyTuple_GetItem(grid, i) : PyList_GetItem(grid, i);
        if (grid_size(d, o) < 0)
            return -1;
        d->n++;
    }
    if (n > 3)
        d->n = (uint32_t)(n < 1000 ? n : 1000);
    return 0;
}

/* plain tells whether a grid is within what every device takes; the device's own limits come later. */
static bool plain(const dims *d, uint32_t grid[3]) {
    if (d->n < 1 || d->n > 3)
        return false;
    grid[0] = grid[1] = grid[2] = 1;
    for (uint32_t i = 0; i < d->n; i++) {
        if (d->sizes[i] < 1 || d->sizes[i] > INT32_MAX)
            return false;
        grid[i] = (uint32_t)d->sizes[i];
    }
    return (uint64_t)grid[0] * grid[1] <= INT64_MAX / (uint64_t)grid[2];
}

static int eval_grid(tg_call *c, PyObject *grid, dims *d) {
    if (grid == NULL) { /* of a warmup */
        d->n = 1;
        d->sizes[0] = 1;
        return 0;
    }
    if (PyTuple_Check(grid) || PyList_Check(grid) || PyLong_Check(grid) || !PyCallable_Check(grid))
        return get_dims(d, grid);
    PyObject *values = tg_values_by_name(c), *made = values ? PyObject_CallFunctionObjArgs(grid, values, NULL) : NULL;
    int failed = made == NULL || get_dims(d, made) < 0;
    Py_XDECREF(made);
    Py_XDECREF(values);
    return failed ? -1 : 0;
}

/* What the library prints for a kernel goes to sys.stdout, as print does. */
static void show(tg_text *printed) {
    if (printed->data == NULL)
        return;
    PyObject *out = PySys_GetObject("stdout"), *text = PyUnicode_DecodeUTF8((const char *)printed->data, (Py_ssize_t)printed->size, "replace");
    if (out != NULL && out != Py_None && text != NULL) {
        PyObject *done = PyObject_CallMethod(out, "write", "O", text);
        Py_XDECREF(done);
    }
    PyErr_Clear();
    Py_XDECREF(text);
    free(printed->data);
    printed->data = NULL;
}

/* resolve asks the library for the variant: a new reference. */
static tg_compiled *resolve(tg_call *c, bool bound, const dims *d, uint64_t stream, const char *target) {
    tg_writer w = {0};
    tg_text answer = {0};
    uint32_t n = d->n;
    if (tg_put_call(&w, c, bound, d->sizes, n > 4 ? 4 : n, stream, target) < 0) {
        tg_free(&w);
        return NULL;
    }
    if (tg_request(TG_RESOLVE, &w, &answer) < 0)
        return NULL;
    tg_reader r = {answer.data, answer.size, false};
    tg_compiled *k = tg_new_compiled(c->kernel);
    int failed = k == NULL;
    if (!failed) {
        k->id = tg_get_u64(&r);
        k->name = tg_get_str(&r);
        k->target = tg_get_str(&r);
        failed = k->name == NULL || k->target == NULL || (target[0] == 0 && tg_get_compiled(k, &r) < 0);
    }
    if (!failed) {
        uint32_t size = tg_get_u32(&r);
        const uint8_t *text = tg_take(&r, size);
        tg_text printed = {size && text ? malloc(size) : NULL, size};
        if (printed.data != NULL)
            memcpy(printed.data, text, size);
        show(&printed);
    }
    free(answer.data);
    if (failed)
        Py_CLEAR(k);
    return k;
}

/* Packing. */

static int encode(tg_compiled *k, int arg, const tg_leaf *l, uint64_t *bits) {
    tg_writer w = {0};
    tg_text answer = {0};
    tg_put_u64(&w, k->id);
    tg_put_u32(&w, (uint32_t)arg);
    tg_put_u8(&w, l->kind == LEAF_FLOAT ? TG_FLOAT : TG_INT);
    tg_put_u64(&w, l->bits);
    if (tg_request(TG_ENCODE, &w, &answer) < 0)
        return -1;
    tg_reader r = {answer.data, answer.size, false};
    *bits = tg_get_u64(&r);
    free(answer.data);
    return 0;
}

static int pack_float(const tg_leaf *l, uint64_t *bits) {
    double f;
    memcpy(&f, &l->bits, 8);
    float g = (float)f;
    uint32_t b;
    memcpy(&b, &g, 4);
    *bits = b;
    return 0;
}

static int refuse_write(const tg_kernel *k, const tg_pass *p) {
    tg_raise("ArgumentError", "read-only-array", "the kernel writes to argument '%U', which is a read-only array: pass a copy, or make it writeable", k->params[p->param].name);
    return -1;
}

static int pack(tg_compiled *k, const tg_call *c, tg_slot *slots) {
    for (int i = 0; i < k->nargs; i++) {
        const tg_pass *p = &k->args[i];
        const tg_leaf *l = &c->leaves[p->depth ? tg_leaf_at(c, p) : c->starts[p->param]];
        slots[i].bytes = slots[i].front = 0;
        if (p->as == TG_AS_POINTER) {
            if (p->written && l->readonly)
                return refuse_write(c->kernel, p);
            slots[i].bits = l->bits;
            slots[i].bytes = l->bytes;
            slots[i].front = l->front;
        } else if (p->as == TG_AS_INT && l->kind != LEAF_FLOAT)
            slots[i].bits = p->dtype == TG_I1 ? l->bits & 1 : l->bits & (UINT64_MAX >> (64 - 8 * p->size));
        else if (p->as == TG_AS_FLOAT32 && l->kind == LEAF_FLOAT)
            pack_float(l, &slots[i].bits);
        else if (p->dtype == TG_F64 && l->kind == LEAF_FLOAT)
            slots[i].bits = l->bits;
        else if (encode(k, i, l, &slots[i].bits) < 0)
            return -1;
    }
    return 0;
}

/* submit launches a variant, without the interpreter's lock unless it is over in no time; and waits for it if it is to, where launches do
   not. */
static int submit(tg_compiled *k, const uint32_t grid[3], uint64_t stream, tg_slot *slots, bool wait) {
    tg_text printed = {0}, error = {0};
    int64_t cost = 0;
    int failed;
    if (tg_is_direct(k, grid, slots))
        return tg_run_direct(k, grid, slots);
    if (k->submit == TG_SUBMIT_CUDA)
        return tg_run_cuda(k, grid, stream, slots, wait);
    if (tg_library() < 0)
        return -1;
    if (k->submit == TG_SUBMIT_XPU && tg_run_xpu(k, grid, stream, slots) == 0)
        return 0;
    Py_BEGIN_ALLOW_THREADS
    failed = tg_submit(k->id, (uint32_t *)grid, stream, slots, (size_t)k->nargs, &cost, &printed, &error);
    Py_END_ALLOW_THREADS
    if (cost > 0)
        k->direct.cost = cost;
    show(&printed);
    if (failed)
        tg_raise_described(&error);
    free(error.data);
    return failed ? -1 : 0;
}

/* Hooks. */

static int call_hook(PyObject *hook, tg_call *c, tg_compiled *k, uint64_t stream) {
    if (hook == NULL)
        return 0;
    PyObject *args = PyTuple_New(c->kernel->n), *done = NULL;
    for (int i = 0; args != NULL && i < c->kernel->n; i++)
        PyTuple_SetItem(args, i, Py_NewRef(c->values[i]));
    Py_INCREF(hook);
    if (args != NULL)
        done = PyObject_CallFunction(hook, "OO(III)KO", (PyObject *)c->kernel, (PyObject *)k, c->grid[0], c->grid[1], c->grid[2], (unsigned long long)stream, args);
    Py_DECREF(hook);
    Py_XDECREF(args);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

/* submit_hooked calls the hooks around a launch. The exit hook is called if the enter hook succeeded, also when the launch failed. */
static int submit_hooked(tg_call *c, tg_compiled *k, uint64_t stream, tg_slot *slots) {
    PyObject *type, *value, *trace;
    if (call_hook(tg_enter_hook, c, k, stream) < 0)
        return -1;
    int failed = submit(k, c->grid, stream, slots, c->waits);
    PyErr_Fetch(&type, &value, &trace);
    int refused = call_hook(tg_exit_hook, c, k, stream);
    if (failed < 0)
        PyErr_Restore(type, value, trace); /* it came first */
    return failed < 0 || refused < 0 ? -1 : 0;
}

static int call_pre_run_hooks(tg_call *c) {
    PyObject *hooks = c->kernel->pre_run_hooks;
    if (hooks == NULL || hooks == Py_None)
        return 0;
    PyObject *list = PySequence_List(hooks), *args = list ? PyTuple_New(c->nargs) : NULL, *kwargs = args ? PyDict_New() : NULL;
    Py_ssize_t named = c->kwnames ? PyTuple_Size(c->kwnames) : 0;
    int failed = kwargs == NULL;
    for (Py_ssize_t i = 0; !failed && i < c->nargs; i++)
        PyTuple_SetItem(args, i, Py_NewRef(c->args[i]));
    for (Py_ssize_t i = 0; !failed && i < named; i++)
        failed = PyDict_SetItem(kwargs, PyTuple_GetItem(c->kwnames, i), c->args[c->nargs + i]) < 0;
    for (Py_ssize_t i = 0; !failed && i < PyList_Size(list); i++) {
        PyObject *done = PyObject_Call(PyList_GetItem(list, i), args, kwargs);
        failed = done == NULL;
        Py_XDECREF(done);
    }
    Py_XDECREF(list);
    Py_XDECREF(args);
    Py_XDECREF(kwargs);
    return failed ? -1 : 0;
}

/* note notes what a variant was made for, so that it can be launched on its own. */
static int note(const tg_call *c, tg_compiled *k) {
    k->options = c->options;
    k->constants = PyDict_New();
    for (int i = 0; k->constants != NULL && i < c->kernel->n; i++)
        if ((c->kernel->params[i].facts & TG_FACT_CONSTEXPR) && c->values[i] != NULL &&
            PyDict_SetItem(k->constants, c->kernel->params[i].name, c->values[i]) < 0)
            return -1;
    return k->constants ? 0 : -1;
}

/* find gives the variant of a call: a new reference. */
static tg_compiled *find(tg_call *c, const dims *d, uint64_t stream) {
    tg_compiled *k = c->cacheable ? tg_find(c->kernel, c) : NULL;
    if (k != NULL && k->loaded && plain(d, c->grid) && c->grid[0] <= k->limits[0] && c->grid[1] <= k->limits[1] && c->grid[2] <= k->limits[2]) {
        Py_INCREF(k);
        if (tg_check_captures(k) < 0)
            Py_CLEAR(k);
        return k;
    }
    k = resolve(c, true, d, stream, "");
    if (k != NULL && !plain(d, c->grid)) {
        Py_DECREF(k);
        tg_raise("GridError", "too-large", "Grid must contain 1 to 3 positive integer dimensions. It is too large.");
        return NULL;
    }
    if (k != NULL && note(c, k) < 0)
        Py_CLEAR(k);
    if (k != NULL && c->cacheable)
        tg_insert(c->kernel, c, k);
    return k;
}

/* stream_of gives the stream that orders the use of a call's arrays: 0, or -1 and an exception. */
static int stream_of(tg_call *c, uint64_t *stream) {
    tg_array *a = &c->array; /* whose other fields do not matter */
    a->device = c->device;
    a->index = c->index;
    a->framework = c->framework;
    a->exchange = c->exchange;
    a->stream = c->stream;
    return tg_current_stream(a, stream);
}

/* wait_for_arrays waits for the arrays of JAX. Its streams are nobody else's, so nothing else orders a launch behind what computes them; nor
   what uses them next behind the launch, for which submit waits. */
static int wait_for_arrays(const tg_call *c) {
    for (int i = 0; i < c->nleaves; i++)
        if (c->leaves[i].kind == LEAF_ARRAY && c->leaves[i].object != NULL && tg_wait_for(c->leaves[i].object) < 0)
            return -1;
    return 0;
}

/* place_of finds where a launch that is only compiled would be: where its arrays are or, if types stand for them, where the active driver is. */
static int place_of(tg_call *c, uint64_t *stream) {
    int found = tg_find_place(c);
    if (found != 0)
        return found < 0 ? -1 : stream_of(c, stream);
    PyObject *module = PyImport_ImportModule("tegula.runtime.driver"), *place = module ? PyObject_CallMethod(module, "current_place", NULL) : NULL;
    int device, index;
    unsigned long long handle;
    int failed = place == NULL || !PyArg_ParseTuple(place, "iiK", &device, &index, &handle);
    if (!failed) {
        c->device = device;
        c->index = index;
        *stream = handle;
    }
    Py_XDECREF(place);
    Py_XDECREF(module);
    return failed ? -1 : 0;
}

static tg_compiled *run(tg_call *c, PyObject *grid, const char *target) {
    dims d = {{0}, 0};
    tg_slot slots[TG_LEAVES];
    int bad = tg_bind_call(c);
    if (bad < 0)
        return NULL;
    if (bad > 0) {
        c->device = 1;
        c->index = 0;
        d.n = 1;
        d.sizes[0] = 1;
        tg_compiled *k = resolve(c, false, &d, 1, "");
        if (k != NULL)
            tg_raise("ArgumentError", "arguments", "the arguments do not fit the kernel");
        Py_XDECREF((PyObject *)k);
        return NULL;
    }
    if (target == NULL && call_pre_run_hooks(c) < 0)
        return NULL;
    if (eval_grid(c, grid, &d) < 0)
        return NULL;
    if (target != NULL) {
        uint64_t stream = 1;
        c->warm = true;
        c->device = 1;
        c->index = 0;
        tg_compiled *k = *target == 0 && place_of(c, &stream) < 0 ? NULL : resolve(c, true, &d, stream, target);
        if (k != NULL && note(c, k) < 0)
            Py_CLEAR(k);
        return k;
    }
    if (tg_classify(c) < 0)
        return NULL;
    if (c->options.triton && c->waits) {
        tg_raise("ArgumentError", "not-for-jax", "backend_name=\"cuda-mlir\" is not for arrays of JAX, whose work no stream orders");
        return NULL;
    }
    uint64_t stream;
    if (stream_of(c, &stream) < 0)
        return NULL;
    tg_compiled *k = find(c, &d, stream);
    if (k == NULL)
        return NULL;
    if (k->nargs > TG_LEAVES || pack(k, c, slots) < 0 || (c->waits && wait_for_arrays(c) < 0) ||
        (tg_enter_hook || tg_exit_hook ? submit_hooked(c, k, stream, slots) : submit(k, c->grid, stream, slots, c->waits)) < 0)
        Py_CLEAR(k);
    return k;
}

/* tg_launch launches, or compiles only if a target is given; "" is that of the arguments' device. */
PyObject *tg_launch(tg_kernel *k, PyObject *grid, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames, const char *target) {
    tg_call c;
    if (tg_load(k) < 0)
        return NULL;
    c.kernel = k;
    c.args = args;
    c.nargs = nargs;
    c.kwnames = kwnames != NULL && PyTuple_Size(kwnames) > 0 ? kwnames : NULL;
    c.rest = c.strings = NULL;
    c.options = (tg_options){0};
    c.warm = false;
    Py_INCREF(k);
    tg_compiled *made = run(&c, grid, target);
    Py_XDECREF(c.rest);
    Py_XDECREF(c.strings);
    Py_DECREF(k);
    return (PyObject *)made;
}

PyObject *tg_bind(tg_kernel *k, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    tg_call c;
    if (tg_load(k) < 0)
        return NULL;
    c.kernel = k;
    c.args = args;
    c.nargs = nargs;
    c.kwnames = kwnames != NULL && PyTuple_Size(kwnames) > 0 ? kwnames : NULL;
    c.rest = c.strings = NULL;
    c.options = (tg_options){0};
    c.warm = false;
    c.device = 1;
    c.index = 0;
    int bad = tg_bind_call(&c);
    PyObject *result = NULL;
    if (bad > 0) {
        dims d = {{1}, 1};
        Py_XDECREF((PyObject *)resolve(&c, false, &d, 1, ""));
        if (!PyErr_Occurred())
            tg_raise("ArgumentError", "arguments", "the arguments do not fit the kernel");
    } else if (bad == 0) {
        PyObject *values = tg_values_by_name(&c), *options = PyDict_New();
        Py_ssize_t named = c.kwnames ? PyTuple_Size(c.kwnames) : 0;
        for (Py_ssize_t i = 0; values && options && i < named; i++) {
            PyObject *name = PyTuple_GetItem(c.kwnames, i);
            if (!PyDict_Contains(values, name))
                PyDict_SetItem(options, name, args[nargs + i]);
        }
        result = values && options && !PyErr_Occurred() ? PyTuple_Pack(2, values, options) : NULL;
        Py_XDECREF(values);
        Py_XDECREF(options);
    }
    Py_XDECREF(c.rest);
    Py_XDECREF(c.strings);
    return result;
}

/* tg_run_compiled launches a variant: 1; 0: the arguments are surely those of another one, or nobody knows; -1: an exception. */
int tg_run_compiled(tg_compiled *k, PyObject *grid, PyObject *const *args, Py_ssize_t nargs) {
    tg_call c;
    tg_slot slots[TG_LEAVES];
    dims d = {{0}, 0};
    tg_kernel *kernel = (tg_kernel *)k->kernel;
    if (!k->loaded || kernel == NULL) {
        tg_raise("DriverError", "not-loaded", "the kernel was compiled for a target, not for a device, and cannot be launched");
        return -1;
    }
    if (nargs != kernel->n || nargs > TG_PARAMS)
        return 0;
    memset(&c, 0, offsetof(tg_call, starts));
    c.kernel = kernel;
    c.options = k->options;
    for (Py_ssize_t i = 0; i < nargs; i++)
        c.values[i] = args[i];
    if (get_dims(&d, grid) < 0)
        return -1;
    if (!plain(&d, c.grid) || c.grid[0] > k->limits[0] || c.grid[1] > k->limits[1] || c.grid[2] > k->limits[2]) {
        tg_raise("GridError", "not-positive", "Grid must contain 1 to 3 positive integer dimensions. %R is none that the device takes.", grid);
        return -1;
    }
    int done = tg_classify(&c) < 0 ? -1 : c.cacheable && tg_find(kernel, &c) == k;
    if (done == 1 && (tg_check_captures(k) < 0 || pack(k, &c, slots) < 0 || (c.waits && wait_for_arrays(&c) < 0)))
        done = -1;
    Py_XDECREF(c.strings);
    uint64_t stream;
    if (done == 1 && (stream_of(&c, &stream) < 0 || (tg_enter_hook || tg_exit_hook ? submit_hooked(&c, k, stream, slots) : submit(k, c.grid, stream, slots, c.waits)) < 0))
        done = -1;
    return done;
}

/* Launchers: a kernel with a grid. */

typedef PyObject *(*vectorcall)(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *kwnames);

typedef struct {
    PyObject_HEAD
    PyObject *kernel, *grid;
    vectorcall call;
} launcher;

/* Of CPython's ABI since 3.8; the limited API has the names since 3.12. */
#define HAVE_VECTORCALL (1UL << 11)
#define ARGUMENTS_OFFSET ((size_t)1 << (8 * sizeof(size_t) - 1))

static PyObject *launcher_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames) {
    launcher *l = (launcher *)self;
    return tg_launch((tg_kernel *)l->kernel, l->grid, args, (Py_ssize_t)(nargsf & ~ARGUMENTS_OFFSET), kwnames, NULL);
}

/* launcher_call_slow is for callers that do not know vectorcall. */
static PyObject *launcher_call_slow(PyObject *self, PyObject *args, PyObject *kwargs) {
    Py_ssize_t n = PyTuple_Size(args), m = kwargs ? PyDict_Size(kwargs) : 0, at = 0, i = 0;
    PyObject **list = calloc((size_t)(n + m + 1), sizeof *list), *names = m ? PyTuple_New(m) : NULL, *key, *value, *result = NULL;
    if (list == NULL || (m > 0 && names == NULL)) {
        free(list);
        Py_XDECREF(names);
        return PyErr_NoMemory();
    }
    for (; i < n; i++)
        list[i] = PyTuple_GetItem(args, i);
    while (m > 0 && PyDict_Next(kwargs, &at, &key, &value)) {
        PyTuple_SetItem(names, i - n, Py_NewRef(key));
        list[i++] = value;
    }
    result = launcher_call(self, list, (size_t)n, names);
    free(list);
    Py_XDECREF(names);
    return result;
}

/* keeps_little tells whether a grid may be kept: a function may hold arrays. */
static bool keeps_little(PyObject *grid) {
    Py_ssize_t n = PyTuple_CheckExact(grid) ? PyTuple_Size(grid) : 4;
    for (Py_ssize_t i = 0; n <= 3 && i < n; i++)
        if (!PyLong_CheckExact(PyTuple_GetItem(grid, i)))
            return false;
    return n <= 3;
}

/* same_grid tells whether a grid is one that keeps little, anew. */
static bool same_grid(PyObject *kept, PyObject *grid) {
    if (kept == grid)
        return true;
    if (!PyTuple_CheckExact(kept) || !PyTuple_CheckExact(grid) || PyTuple_Size(kept) != PyTuple_Size(grid))
        return false;
    for (Py_ssize_t i = 0; i < PyTuple_Size(kept); i++) {
        PyObject *a = PyTuple_GetItem(kept, i), *b = PyTuple_GetItem(grid, i);
        if (a != b && !(PyLong_CheckExact(b) && PyObject_RichCompareBool(a, b, Py_EQ) == 1))
            return false;
    }
    return true;
}

/* tg_launcher gives a launcher. The last one is kept: a loop asks for it again. */
PyObject *tg_launcher(tg_kernel *k, PyObject *grid) {
    launcher *last = (launcher *)k->launcher;
    if (last != NULL && same_grid(last->grid, grid))
        return Py_NewRef((PyObject *)last);
    launcher *l = PyObject_GC_New(launcher, tg_launcher_type);
    if (l == NULL)
        return NULL;
    l->kernel = Py_NewRef((PyObject *)k);
    l->grid = Py_NewRef(grid);
    l->call = launcher_call;
    PyObject_GC_Track(l);
    if (keeps_little(grid)) {
        PyObject *old = k->launcher;
        k->launcher = Py_NewRef((PyObject *)l);
        Py_XDECREF(old);
    }
    return (PyObject *)l;
}

static int launcher_traverse(PyObject *self, visitproc visit, void *arg) {
    launcher *l = (launcher *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(l->kernel);
    Py_VISIT(l->grid);
    return 0;
}

static int launcher_clear(PyObject *self) {
    launcher *l = (launcher *)self;
    Py_CLEAR(l->grid);
    return 0;
}

static void launcher_dealloc(PyObject *self) {
    launcher *l = (launcher *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_XDECREF(l->kernel);
    Py_XDECREF(l->grid);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static PyMemberDef launcher_members[] = {
    {"kernel", T_OBJECT, offsetof(launcher, kernel), READONLY, NULL},
    {"grid", T_OBJECT, offsetof(launcher, grid), READONLY, NULL},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(launcher, call), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot launcher_slots[] = {
    {Py_tp_doc, "A kernel with its grid."},
    {Py_tp_call, launcher_call_slow},
    {Py_tp_dealloc, launcher_dealloc},
    {Py_tp_traverse, launcher_traverse},
    {Py_tp_clear, launcher_clear},
    {Py_tp_members, launcher_members},
    {0, NULL},
};

static PyType_Spec launcher_spec = {
    "tegula._native.Launcher", sizeof(launcher), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | HAVE_VECTORCALL, launcher_slots,
};

int tg_add_launcher(PyObject *module) {
    tg_launcher_type = (PyTypeObject *)PyType_FromSpec(&launcher_spec);
    return tg_launcher_type == NULL ? -1 : PyModule_AddObjectRef(module, "Launcher", (PyObject *)tg_launcher_type);
}
