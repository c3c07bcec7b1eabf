/* SYCL devices: the queue that launches go on, and the requests for streams and memory of devices. */

#include <stdlib.h>
#include <string.h>

#include "native.h"

#define MOST_ARGS 256 /* that a launch is submitted with */

int tg_get_xpu(tg_xpu *d, tg_reader *r) {
    uint64_t launch = tg_get_u64(r), kernel = tg_get_u64(r);
    memcpy(&d->launch, &launch, sizeof d->launch);
    d->kernel = (void *)(uintptr_t)kernel;
    d->local = tg_get_u32(r);
    d->nargs = tg_get_count(r, 8);
    if (d->nargs > MOST_ARGS) {
        tg_raise("Unsupported", "too-many-arguments", "a launch on an xpu device has at most %d arguments, what tuples and descriptors consist of counted, not %u",
                 MOST_ARGS, (unsigned)d->nargs);
        return -1;
    }
    d->args = calloc(d->nargs + 1, sizeof *d->args);
    if (d->args == NULL)
        return -1;
    for (uint32_t i = 0; i < d->nargs; i++) {
        d->args[i][0] = tg_get_u32(r);
        d->args[i][1] = tg_get_u32(r);
    }
    return r->failed ? -1 : 0;
}

/* tg_run_xpu submits, without the interpreter's lock: the runtime waits when a queue is full. */
int tg_run_xpu(tg_compiled *k, const uint32_t grid[3], uint64_t queue, const tg_slot *slots) {
    const tg_xpu *d = &k->xpu;
    struct { uint64_t bits; uint32_t size, pointer; } args[MOST_ARGS];
    int failed;
    for (uint32_t i = 0; i < d->nargs; i++) {
        args[i].bits = slots[i].bits;
        args[i].size = d->args[i][0];
        args[i].pointer = d->args[i][1];
    }
    Py_BEGIN_ALLOW_THREADS
    failed = d->launch((void *)(uintptr_t)queue, d->kernel, grid, d->local, args, (int32_t)d->nargs, NULL);
    Py_END_ALLOW_THREADS
    return failed;
}

/* attribute gives o.name, or o.name() if call is set, and takes o. */
static PyObject *attribute(PyObject *o, const char *name, bool call) {
    PyObject *v = o ? PyObject_GetAttrString(o, name) : NULL;
    Py_XDECREF(o);
    if (v == NULL || !call)
        return v;
    PyObject *result = PyObject_CallNoArgs(v);
    Py_DECREF(v);
    return result;
}

/* torch_queue asks torch.xpu.current_stream(index) for its sycl_queue, the address of a sycl::queue. */
static PyObject *torch_queue(int32_t index) {
    PyObject *name = PyUnicode_FromString("torch"), *torch = name ? PyImport_GetModule(name) : NULL;
    Py_XDECREF(name);
    PyObject *current = attribute(attribute(torch, "xpu", false), "current_stream", false);
    PyObject *stream = current ? PyObject_CallFunction(current, "i", index) : NULL;
    Py_XDECREF(current);
    PyObject *queue = attribute(stream, "sycl_queue", false);
    if (queue == NULL && (torch == NULL || PyErr_ExceptionMatches(PyExc_AttributeError))) {
        PyErr_Clear();
        tg_raise("StreamError", "no-queue", "the arrays are torch's on xpu:%d, but this torch does not tell its SYCL queue: it has no torch.xpu.current_stream(%d).sycl_queue",
                 index, index);
    }
    return queue;
}

/* own_queue asks tegula.xpu, which may have been told of one. */
static PyObject *own_queue(int32_t index) {
    static PyObject *ask;
    if (ask == NULL && (ask = attribute(PyImport_ImportModule("tegula.xpu"), "_current_handle", false)) == NULL)
        return NULL;
    PyObject *number = PyLong_FromLong(index), *handle = number ? PyObject_CallFunctionObjArgs(ask, number, NULL) : NULL;
    Py_XDECREF(number);
    return handle;
}

int tg_xpu_stream(const tg_array *a, uint64_t *handle) {
    PyObject *queue = a->framework == TG_TORCH ? torch_queue(a->index) : own_queue(a->index);
    if (queue == NULL)
        return -1;
    *handle = PyLong_AsUnsignedLongLong(queue);
    Py_DECREF(queue);
    if (*handle == (uint64_t)-1 && PyErr_Occurred()) {
        PyErr_Clear();
        *handle = 0;
    }
    if (*handle != 0)
        return 0;
    tg_raise("StreamError", "null-handle", "the stream of xpu:%d has a null handle", a->index);
    return -1;
}

/* tg_device_request is _native.device(backend, index, what, *numbers): a tuple of numbers. */
PyObject *tg_device_request(PyObject *self, PyObject *args) {
    tg_writer w = {0};
    tg_text answer = {0};
    Py_ssize_t n = PyTuple_Size(args);
    PyObject *backend = n >= 3 ? PyTuple_GetItem(args, 0) : NULL;
    (void)self;
    if (backend == NULL || !PyUnicode_Check(backend)) {
        PyErr_SetString(PyExc_TypeError, "device takes a backend, an index, what to do, and numbers");
        return NULL;
    }
    long index = PyLong_AsLong(PyTuple_GetItem(args, 1)), op = PyLong_AsLong(PyTuple_GetItem(args, 2));
    if (tg_put_str(&w, backend) < 0 || PyErr_Occurred()) {
        tg_free(&w);
        return NULL;
    }
    tg_put_u32(&w, (uint32_t)(index < INT32_MIN || index > INT32_MAX ? -1 : index));
    tg_put_u8(&w, (uint8_t)(op < 0 || op > 255 ? 255 : op));
    tg_put_u32(&w, (uint32_t)(n - 3));
    for (Py_ssize_t i = 3; i < n; i++)
        tg_put_u64(&w, PyLong_AsUnsignedLongLong(PyTuple_GetItem(args, i)));
    if (PyErr_Occurred()) {
        tg_free(&w);
        return NULL;
    }
    if (tg_request(TG_DEVICE, &w, &answer) < 0)
        return NULL;
    tg_reader r = {answer.data, answer.size, false};
    uint32_t count = tg_get_count(&r, 8);
    PyObject *numbers = PyTuple_New(count);
    for (uint32_t i = 0; numbers != NULL && i < count; i++)
        PyTuple_SetItem(numbers, i, PyLong_FromUnsignedLongLong(tg_get_u64(&r)));
    free(answer.data);
    return numbers;
}

/* tg_queue_device is _native.queue_device(handle): the number of the device that a sycl::queue is of. */
PyObject *tg_queue_device(PyObject *self, PyObject *handle) {
    tg_writer w = {0};
    tg_text answer = {0};
    (void)self;
    tg_put_u64(&w, PyLong_AsUnsignedLongLong(handle));
    if (PyErr_Occurred()) {
        tg_free(&w);
        return NULL;
    }
    if (tg_request(TG_QUEUE, &w, &answer) < 0)
        return NULL;
    tg_reader r = {answer.data, answer.size, false};
    uint32_t index = tg_get_u32(&r);
    free(answer.data);
    return PyLong_FromUnsignedLong(index);
}

/* tg_dtype_size is _native.dtype_size(name): the name that frameworks have, and how many bytes an element has. */
PyObject *tg_dtype_size(PyObject *self, PyObject *name) {
    (void)self;
    const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    uint8_t dtype = text ? tg_dtype_of(text) : TG_INVALID;
    if (dtype != TG_INVALID)
        return Py_BuildValue("(sn)", tg_dtype_name(dtype), (Py_ssize_t)tg_dtype_bytes(dtype));
    if (!PyErr_Occurred())
        tg_raise("ArgumentError", "dtype", "%R is no element type that kernels have", name);
    return NULL;
}
