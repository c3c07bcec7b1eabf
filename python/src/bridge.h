/* The line between the extension and the library that holds the compiler, which is written in Go.

   Requests and answers are messages: numbers are little-endian and of a fixed size, strings and lists have their length
   in front, 4 bytes. internal/bridge reads and writes the other end; the numbers here are those that it has. */

#ifndef TEGULA_BRIDGE_H
#define TEGULA_BRIDGE_H

#include <stddef.h>
#include <stdint.h>

/* Requests: what is asked, what comes back. */
enum tg_request {
    TG_START = 1,       /* library's path, Python's: version, policies of cpu, cuda and xpu */
    TG_LOAD,            /* environment, definition of a kernel: table of its parameters */
    TG_RESOLVE,         /* launch: variant */
    TG_STAGES,          /* compiled kernel: names */
    TG_EMIT,            /* compiled kernel, stage: text */
    TG_METADATA,        /* compiled kernel: JSON */
    TG_COMPILE,         /* kernel, target, options, signature: compiled kernel */
    TG_CHECK_GLOBALS,   /* compiled kernel: nothing */
    TG_DEVICES,         /* nothing: devices */
    TG_CHECK_METADATA,  /* JSON: JSON */
    TG_DROP_KERNEL,     /* kernel: nothing */
    TG_DROP_COMPILED,   /* compiled kernel: nothing */
    TG_VARIANTS,        /* kernel: number */
    TG_SOURCE,          /* kernel: hash */
    TG_ENCODE,          /* compiled kernel, argument, number: its bits */
    TG_FAULT,           /* compiled kernel, address, program, arguments: an error */
    TG_FAILURE,         /* compiled kernel, a driver's number: an error */
    TG_DEVICE,          /* backend, index, what to do, numbers: numbers */
    TG_QUEUE            /* a sycl::queue's address: its device */
};

/* What to do with a device, and its numbers; streams come first, then a memory's number. */
enum tg_device_op {
    TG_OWN_STREAM, TG_NEW_STREAM, TG_CLOSE_STREAM, TG_WAIT, TG_LIMITS, TG_ALLOCATE, TG_RELEASE, TG_COPY_IN, TG_COPY_OUT, TG_FILL_ZERO
};

/* Questions that the library puts to Python. */
enum tg_question {
    TG_ASK_LOOKUP = 1,  /* kernel, name: found, constant, value */
    TG_ASK_ATTR,        /* kernel, object, name: found, value */
    TG_ASK_CALL,        /* kernel, object, arguments, named arguments: value */
    TG_ASK_FIELDS,      /* kernel, class: names, with defaults and types */
    TG_ASK_MEMBER,      /* kernel, class, name: found, static, value */
    TG_ASK_POLL         /* nothing: an exception, if the launch should stop */
};

/* Values. */
enum tg_tag {
    TG_NONE, TG_FALSE, TG_TRUE, TG_INT, TG_BIG, TG_FLOAT, TG_STR, TG_TUPLE, TG_NAMEDTUPLE, TG_LIST, TG_DICT, TG_SET,
    TG_FROZENSET, TG_RANGE, TG_SLICE, TG_ELLIPSIS, TG_LANG, TG_TYPE, TG_BUILTIN, TG_KERNEL, TG_OBJECT, TG_ARRAY, TG_DESC,
    TG_FIXED, TG_FOREIGN, TG_UNDEFINED
};

/* What an object offers. */
enum { TG_CALLABLE = 1, TG_MODULE = 2, TG_BOXED = 4, TG_AGGREGATE = 8, TG_RECORD = 16, TG_PLAIN = 32 };

/* What the definition of a kernel says of a parameter, and what its table says. */
enum { TG_SAID_CONSTEXPR = 1, TG_SAID_DEFAULT = 2, TG_SAID_NO_SPECIALIZE = 4, TG_SAID_NO_ALIGN = 8 };
enum { TG_FACT_CONSTEXPR = 1, TG_FACT_NO_SPECIALIZE = 2, TG_FACT_NO_ALIGN = 4, TG_FACT_DECLARED = 8, TG_FACT_DECLARED_INT = 16 };
enum { TG_POSITIONAL_ONLY, TG_ORDINARY, TG_VARIADIC, TG_KEYWORD_ONLY };

/* How a signature describes a parameter. */
enum { TG_SAYS_NOTHING, TG_SAYS_TYPE, TG_SAYS_CONSTANT, TG_SAYS_DEFAULT };

/* How an argument is passed, and how a variant is submitted. */
enum { TG_AS_POINTER, TG_AS_INT, TG_AS_FLOAT32, TG_AS_OTHER };
enum { TG_SUBMIT_GO, TG_SUBMIT_DIRECT, TG_SUBMIT_CUDA, TG_SUBMIT_XPU };

/* Element types. */
enum tg_dtype {
    TG_INVALID, TG_I1, TG_I8, TG_I16, TG_I32, TG_I64, TG_U8, TG_U16, TG_U32, TG_U64, TG_F16, TG_BF16, TG_F32, TG_F64,
    TG_F8E4NV, TG_F8E5, TG_F8E4B15, TG_F8E4B8, TG_F8E5B16, TG_DTYPES
};

/* A packed argument: a scalar's bits or an address, and for memory of this process how many bytes there are from there on, and in
   front of it. */
typedef struct {
    uint64_t bits;
    uint64_t bytes, front;
} tg_slot;

/* Text that malloc gave; data is NULL if there is none. */
typedef struct {
    uint8_t *data;
    size_t size;
} tg_text;

/* Puts a question to Python: 0 and an answer, or 1 and an exception's number (8 bytes) and text. */
typedef int (*tg_ask)(uint8_t question, const uint8_t *message, size_t size, tg_text *answer);

/* The functions of the library. Answers are 0, or 1 with the description of an error. */
typedef void (*tg_set_ask_fn)(tg_ask ask);
typedef int (*tg_request_fn)(uint8_t request, uint8_t *message, size_t size, tg_text *answer);
typedef int (*tg_submit_fn)(uint64_t compiled, uint32_t *grid, uint64_t stream, tg_slot *slots, size_t n, int64_t *cost, tg_text *printed, tg_text *failed);

#endif
