/* What the files of a launch share: arguments.c binds and classifies, table.c finds, launch.c submits. */

#ifndef TEGULA_LAUNCH_H
#define TEGULA_LAUNCH_H

#include "native.h"

/* Kinds of arguments, as keys have them. */
enum { LEAF_NONE = 1, LEAF_BOOL, LEAF_INT, LEAF_FLOAT, LEAF_OBJECT, LEAF_ARRAY, LEAF_TUPLE, LEAF_DESCRIPTOR };

/* A leaf is an argument, or an element of a tuple, which follows the tuple. */
typedef struct {
    uint8_t kind, dtype;
    bool readonly;        /* an array that may not be written */
    int count;            /* of a tuple: the leaves in it, at every depth */
    uint64_t bits, bytes, front; /* a number, a float64, an address and how many bytes there are from it on and in front of it */
    PyObject *object;     /* borrowed */
} tg_leaf;

#define TG_PARAMS 256
#define TG_LEAVES 512
#define TG_WORDS (2 + (TG_LEAVES + 8) / 4 + 1 + TG_LEAVES + 8)

/* A call is a launch while it is collected. */
typedef struct {
    tg_kernel *kernel;
    PyObject *const *args; /* as they were given */
    Py_ssize_t nargs;
    PyObject *kwnames;
    PyObject *values[TG_PARAMS]; /* of the parameters, borrowed; NULL: none */
    PyObject *rest;              /* what *args takes, or NULL */
    PyObject *strings;           /* that the key names, or NULL */
    tg_options options;
    bool warm;                   /* types may stand for arrays */
    uint32_t grid[3];
    /* what classify finds */
    int starts[TG_PARAMS];       /* of each parameter's leaves */
    tg_leaf leaves[TG_LEAVES];
    int nleaves;
    bool cacheable;              /* the key says all that matters */
    tg_array array;              /* scratch */
    const void *exchange;        /* of the first array that is not the CPU's */
    uint64_t stream;             /* that it says orders its use; 0: none */
    bool waits;                  /* for arrays of JAX, which are leaves' objects */
    int first;                   /* the parameter of the first array, or -1 */
    int32_t device, index;
    uint8_t framework;
    uint64_t words[TG_WORDS];    /* the key */
    int nwords, nobjects;
    uint64_t hash;
} tg_call;

int tg_bind_call(tg_call *c);                 /* 0; 1: the arguments do not fit, the library says why; -1: an exception */
int tg_classify(tg_call *c);                  /* 0, or -1 and an exception */
int tg_find_place(tg_call *c);                /* of the arrays: 1; 0: there are none; -1: an exception */
int tg_put_call(tg_writer *w, tg_call *c, bool bound, const int64_t *grid, uint32_t ndims, uint64_t stream, const char *target);
int tg_option(tg_options *o, PyObject *name, PyObject *value); /* 1: it is one; 0: it is none; -1: an exception */
PyObject *tg_values_by_name(tg_call *c);
int tg_leaf_at(const tg_call *c, const tg_pass *p);

tg_compiled *tg_find(tg_kernel *k, const tg_call *c); /* borrowed */
int tg_insert(tg_kernel *k, const tg_call *c, tg_compiled *compiled);

#endif
