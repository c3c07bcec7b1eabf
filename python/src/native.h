/* What the files of the extension share. The extension keeps to the limited API of CPython 3.10. */

#ifndef TEGULA_NATIVE_H
#define TEGULA_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <stdbool.h>
#include <stdint.h>

#include "bridge.h"

/* messages.c: messages that are written and read. A writer that ran out of memory says so when it is sent. */

typedef struct {
    uint8_t *data;
    size_t size, cap;
    bool failed;
} tg_writer;

void tg_put(tg_writer *w, const void *data, size_t size);
void tg_put_u8(tg_writer *w, uint8_t n);
void tg_put_u32(tg_writer *w, uint32_t n);
void tg_put_u64(tg_writer *w, uint64_t n);
void tg_put_text(tg_writer *w, const char *text, size_t size);
int tg_put_str(tg_writer *w, PyObject *str);
size_t tg_put_count(tg_writer *w);                     /* a number that is known later */
void tg_set_count(tg_writer *w, size_t at, uint32_t n);
void tg_free(tg_writer *w);

typedef struct {
    const uint8_t *data;
    size_t size;
    bool failed;
} tg_reader;

const uint8_t *tg_take(tg_reader *r, size_t n);
uint8_t tg_get_u8(tg_reader *r);
uint32_t tg_get_u32(tg_reader *r);
uint64_t tg_get_u64(tg_reader *r);
PyObject *tg_get_str(tg_reader *r);
uint32_t tg_get_count(tg_reader *r, size_t each);      /* of a list whose elements have at least so many bytes */

/* library.c: the library, which is loaded when it is first needed. */

int tg_library(void);                                  /* loads it, or raises */
int tg_request(uint8_t request, tg_writer *message, tg_text *answer);
void tg_tell(uint8_t request, uint64_t number);        /* a request whose answer nobody waits for */
extern tg_submit_fn tg_submit;
extern struct tg_policy { bool one; uint64_t divisor; } tg_policies[3]; /* of cpu, cuda, xpu */
int tg_put_environment(tg_writer *w);
bool tg_is_ending(void);                               /* the interpreter ends, and this thread does not end it */

/* errors.c */

int tg_add_errors(PyObject *module);
void tg_raise_described(const tg_text *description);   /* what the library says */
void tg_raise(const char *category, const char *code, const char *format, ...);
uint64_t tg_keep_exception(void);                      /* takes the current exception */
void tg_get_exception_text(tg_writer *w);              /* the same, with its text */
const char *tg_utf8(PyObject *o);                      /* str(o), good until the next call */

/* arrays.c: arrays, without importing what they are of. */

enum tg_framework { TG_NUMPY, TG_CUPY, TG_TORCH, TG_JAX, TG_DLPACK };

#define TG_RANK 32

/* Devices, as DLPack numbers them. */
enum { DL_CPU = 1, DL_CUDA = 2, DL_CUDA_HOST = 3, DL_MANAGED = 13, DL_ONEAPI = 14, DL_OTHER = -1 };

typedef struct {
    uint64_t data;
    uint64_t bytes;       /* from data on */
    uint64_t front;       /* in front of data, where strides are negative */
    uint8_t dtype;        /* TG_INVALID: not one that kernels have; name says which */
    uint8_t framework;
    bool contiguous;
    bool readonly;
    const char *misshapen; /* what is wrong with its shape or strides; NULL: nothing */
    int32_t device, index;
    int ndim;             /* -1: shape and strides are not known */
    int64_t shape[TG_RANK], strides[TG_RANK];
    char name[32];        /* of an element type that kernels do not have */
    const void *exchange; /* the exchange API, which knows the current stream */
    uint64_t stream;      /* that whoever made the array says orders its use; 0: it says none */
} tg_array;

/* 1: an array; 0: none; -1: an exception. */
int tg_array_of(PyObject *o, tg_array *a);
int tg_argument_of(PyObject *o, tg_array *a, bool strict); /* the same for a launch: how the elements lie need not be there if nothing asks for it */
bool tg_is_array(PyObject *o);
bool tg_looks_again(PyObject *o);                      /* the same for an object that may have what the first one of its type had not */
int tg_current_stream(const tg_array *a, uint64_t *stream); /* 0, or -1 and an exception */
int tg_wait_for(PyObject *array);                      /* until an array is computed whose framework has no stream to order by */
PyObject *tg_array_record(PyObject *self, PyObject *args);

/* elements.c: element types. */

/* Kinds of types, as DLPack numbers them. */
enum { DL_INT, DL_UINT, DL_FLOAT, DL_OPAQUE, DL_BFLOAT, DL_COMPLEX, DL_BOOL };

const char *tg_dtype_name(uint8_t dtype);              /* float32 */
const char *tg_dtype_short(uint8_t dtype);             /* fp32 */
uint8_t tg_dtype_of(const char *name);                 /* any name that frameworks or signatures have */
size_t tg_dtype_bytes(uint8_t dtype);
void tg_set_dtype(tg_array *a, int code, int bits, int lanes); /* as DLPack describes it */
void tg_set_dtype_named(tg_array *a, const char *text); /* the last part of torch.float32 or <class 'numpy.float32'> */
void tg_set_type_name(tg_array *a, const char *name);

/* info.c: what Python is told of an array. */

int tg_add_arrays(PyObject *module);
PyObject *tg_array_arg_info(PyObject *self, PyObject *value);
PyObject *tg_array_pointer(PyObject *self, PyObject *value);

/* kernel.c */

typedef struct {
    PyObject *name;       /* interned */
    uint8_t kind, facts;
    int64_t low;
    uint64_t high;
    PyObject *fallback;   /* the default, or NULL */
} tg_param;

typedef struct tg_kernel {
    PyObject_HEAD
    PyObject *fn, *source, *filename, *options, *launch_metadata, *pre_run_hooks;
    long first_line;
    PyObject *weak;
    uint64_t id;
    bool loaded, strict;
    uint8_t policy;               /* that the last launch's device has: a row of tg_policies */
    int n, positional, variadic;  /* variadic: the parameter, or -1 */
    tg_param *params;
    PyObject *names;              /* of the parameters, a tuple */
    PyObject *held;               /* objects that the library has the addresses of: address -> object */
    PyObject *kwnames;            /* of the last call by name, and which parameter each is */
    int *kwparams;
    PyObject *launcher;           /* the last one */
    struct tg_table *table;
} tg_kernel;

extern PyTypeObject *tg_kernel_type, *tg_launcher_type, *tg_compiled_type;
int tg_add_kernel(PyObject *module);
int tg_load(tg_kernel *k);                             /* makes the table of parameters, or raises */
tg_kernel *tg_kernel_of(uint64_t id);                  /* borrowed; NULL if there is none */
tg_kernel *tg_unwrap_kernel(PyObject *o);              /* the kernel of an Autotuner and the like; a new reference or NULL, no exception */
int tg_hold(tg_kernel *k, PyObject *o);

/* values.c: constants between Python and messages. */

int tg_put_value(tg_writer *w, tg_kernel *k, PyObject *o, int depth);
int tg_put_global(tg_writer *w, tg_kernel *k, PyObject *o);
int tg_put_argument(tg_writer *w, tg_kernel *k, PyObject *o, int depth);
PyObject *tg_get_value(tg_reader *r, tg_kernel *k, int depth);
extern PyObject *tg_constexpr_type;
bool tg_is_constexpr(PyObject *o);
PyObject *tg_marker(PyObject *o, const char *name);    /* an attribute, or NULL without an exception */
bool tg_is_namedtuple(PyObject *o);
bool tg_is_descriptor(PyObject *o);
bool tg_is_stable(PyObject *o);                        /* only binding it anew can change it */

/* ask.c: the library's questions. */

int tg_answer(uint8_t question, const uint8_t *message, size_t size, tg_text *answer);
PyObject *tg_find_global(tg_kernel *k, PyObject *name, PyObject **cell); /* borrowed from k; NULL: none, or an exception */

/* compiled.c */

typedef struct {
    int leaf;             /* the argument, counted as launch.c does */
    int param, depth;
    int path[4];
    uint8_t as, size, dtype;
    bool written;         /* through it, a pointer */
} tg_pass;

typedef struct {
    tg_kernel *owner;     /* whose function looks the name up; NULL for an attribute */
    PyObject *name;
    PyObject *cell;       /* of a closure's variable; else */
    PyObject *globals;    /* that have the name; else */
    PyObject *object;     /* that has the attribute */
    PyObject *value, *inner; /* inner: of a constexpr */
    bool stable;
} tg_capture;

/* A pair of arguments whose arrays may not overlap, but may begin at the same address if same is set. */
typedef struct {
    uint32_t a, b;
    bool same;
} tg_overlap;

/* The options that a launch chooses; 0 takes the default. */
typedef struct {
    int32_t warps, stages, ctas, lanes, registers;
    bool debug, unfused;
    bool triton; /* Triton's compiler makes the code */
} tg_options;

/* How machine code is called without the library; internal/backend/cpu/native has the contract. */
typedef struct {
    int64_t (*entry)(void *frame);
    size_t frame_bytes, frame_align;
    uint32_t arg_offset, noverlaps;
    tg_overlap *overlaps;
    bool waits;
    int64_t small;        /* fuel that is not worth others' help */
    int64_t cost;         /* of a program the last time, in fuel; 0: not known */
    void *frame;          /* one that nobody uses, or NULL */
} tg_direct;

/* How the NVIDIA driver's library submits; driver/cuda has the contract. */
typedef struct {
    void *launch;
    int (*get_current)(void **);
    int (*set_current)(void *);
    int (*synchronize)(void *stream);
    void *context, *function, *attrs;
    uint32_t nattrs, block[3], cluster[3], shared, bytes, nargs;
    struct { uint32_t offset, size; } *args;
} tg_cuda;

/* How the library for SYCL devices submits; driver/xpu/shim has the contract. */
typedef struct {
    int (*launch)(void *queue, void *kernel, const uint32_t grid[3], uint32_t local, const void *args, int32_t nargs, void *error);
    void *kernel;
    uint32_t local, nargs;
    uint32_t (*args)[2]; /* the size of each, and whether it is an address */
} tg_xpu;

typedef struct tg_compiled {
    PyObject_HEAD
    PyObject *kernel, *name, *target;
    PyObject *weak;
    uint64_t id, function;
    PyObject *constants;  /* of the call that it was made for, by name; NULL: it was made for types */
    tg_options options;   /* of that call */
    uint32_t limits[3];
    bool loaded;          /* it can be launched */
    uint8_t submit;
    int nargs, ncaptures;
    tg_pass *args;
    tg_capture *captures;
    tg_direct direct;
    tg_cuda cuda;
    tg_xpu xpu;
} tg_compiled;

int tg_add_compiled(PyObject *module);
tg_compiled *tg_new_compiled(tg_kernel *k);
int tg_get_compiled(tg_compiled *c, tg_reader *r);     /* the answer to TG_RESOLVE */
int tg_check_captures(tg_compiled *c);

/* direct.c: launches that the calling thread does without entering the library. */

int tg_get_direct(tg_direct *d, tg_reader *r);
void tg_free_direct(tg_direct *d);
bool tg_is_direct(const tg_compiled *k, const uint32_t grid[3], const tg_slot *slots);
int tg_run_direct(tg_compiled *k, const uint32_t grid[3], const tg_slot *slots);
void tg_catch_faults(void);                            /* before the library is loaded */

/* cuda.c: submissions by the NVIDIA driver's library. */

int tg_get_cuda(tg_cuda *d, tg_reader *r);
int tg_run_cuda(tg_compiled *k, const uint32_t grid[3], uint64_t stream, const tg_slot *slots, bool wait);

/* xpu.c: SYCL devices. */

int tg_get_xpu(tg_xpu *d, tg_reader *r);
int tg_run_xpu(tg_compiled *k, const uint32_t grid[3], uint64_t queue, const tg_slot *slots); /* 0; not 0: nothing was submitted, the library says why */
int tg_xpu_stream(const tg_array *a, uint64_t *handle);
PyObject *tg_device_request(PyObject *self, PyObject *args);
PyObject *tg_queue_device(PyObject *self, PyObject *handle);
PyObject *tg_dtype_size(PyObject *self, PyObject *name);

/* launch.c */

int tg_add_launcher(PyObject *module);
PyObject *tg_launch(tg_kernel *k, PyObject *grid, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames, const char *target);
PyObject *tg_bind(tg_kernel *k, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
int tg_run_compiled(tg_compiled *c, PyObject *grid, PyObject *const *args, Py_ssize_t nargs);
void tg_free_table(tg_kernel *k);
int tg_visit_table(tg_kernel *k, visitproc visit, void *arg);
PyObject *tg_launcher(tg_kernel *k, PyObject *grid);
extern PyObject *tg_enter_hook, *tg_exit_hook;
extern int tg_check_mode;
extern bool tg_debug_mode;

#define TG_MAX_DEPTH 64

#endif
