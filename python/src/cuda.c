/* Submissions to NVIDIA GPUs by the driver's library, whose functions' addresses came with the variant. */

#include <stdlib.h>
#include <string.h>

#include "native.h"

typedef int (*launch_fn)(void *function, uint32_t x, uint32_t y, uint32_t z, uint32_t bx, uint32_t by, uint32_t bz, uint32_t shared, void *stream, void **params, void **extra);

/* A CUlaunchConfig. */
typedef struct {
    uint32_t grid[3], block[3], shared;
    void *stream, *attrs;
    uint32_t count;
} config;

typedef int (*launch_ex_fn)(const config *config, void *function, void **params, void **extra);

/* The marks of the list that says where packed arguments are. */
#define PARAM_END ((void *)0)
#define PARAM_POINTER ((void *)1)
#define PARAM_SIZE ((void *)2)

#define MOST_BYTES 4096 /* of arguments, by CUDA's rules */

static void *get_pointer(tg_reader *r) { return (void *)(uintptr_t)tg_get_u64(r); }

int tg_get_cuda(tg_cuda *d, tg_reader *r) {
    d->launch = get_pointer(r);
    d->get_current = (int (*)(void **))(uintptr_t)tg_get_u64(r);
    d->set_current = (int (*)(void *))(uintptr_t)tg_get_u64(r);
    d->synchronize = (int (*)(void *))(uintptr_t)tg_get_u64(r);
    d->context = get_pointer(r);
    d->function = get_pointer(r);
    d->attrs = get_pointer(r);
    d->nattrs = tg_get_u32(r);
    for (int i = 0; i < 3; i++) {
        d->block[i] = tg_get_u32(r);
        d->cluster[i] = tg_get_u32(r);
    }
    d->shared = tg_get_u32(r);
    d->bytes = tg_get_u32(r);
    d->nargs = tg_get_count(r, 8);
    d->args = calloc(d->nargs + 1, sizeof *d->args);
    if (d->args == NULL || d->bytes > MOST_BYTES)
        return -1;
    for (uint32_t i = 0; i < d->nargs; i++) {
        d->args[i].offset = tg_get_u32(r);
        d->args[i].size = tg_get_u32(r);
        if (d->args[i].size > 8 || d->args[i].offset + d->args[i].size > d->bytes)
            return -1;
    }
    return r->failed ? -1 : 0;
}

static int launch(const tg_cuda *d, const uint32_t grid[3], void *stream, void **extra) {
    uint32_t x = grid[0] * d->cluster[0], y = grid[1] * d->cluster[1], z = grid[2] * d->cluster[2];
    if (d->nattrs == 0)
        return ((launch_fn)(uintptr_t)d->launch)(d->function, x, y, z, d->block[0], d->block[1], d->block[2], d->shared, stream, NULL, extra);
    config c = {{x, y, z}, {d->block[0], d->block[1], d->block[2]}, d->shared, stream, d->attrs, d->nattrs};
    return ((launch_ex_fn)(uintptr_t)d->launch)(&c, d->function, NULL, extra);
}

/* The results by which the library says that the current context is none or another one. It has done nothing then. */
enum { INVALID_CONTEXT = 201, INVALID_HANDLE = 400 };

/* submit launches, and waits for the stream if it is to. A function is launched in its own context or not at all, so the current one is
   looked at only if the library misses it: then the device's is made current, and what was before is so again afterwards. */
static int submit(const tg_cuda *d, const uint32_t grid[3], void *stream, void **extra, bool wait) {
    void *before = NULL;
    if (!wait) {
        int result = launch(d, grid, stream, extra);
        if (result != INVALID_CONTEXT && result != INVALID_HANDLE)
            return result;
    }
    int result = d->get_current(&before);
    if (result == 0 && before != d->context)
        result = d->set_current(d->context);
    if (result != 0)
        return result;
    result = launch(d, grid, stream, extra);
    if (result == 0 && wait)
        result = d->synchronize(stream);
    if (before != NULL && before != d->context) /* none needs none: the next launch finds this one */
        d->set_current(before);
    return result;
}

/* put writes an argument of some bytes. The sizes that scalars and addresses have are told apart, so that each is one instruction. */
static void put(char *to, uint64_t bits, uint32_t size) {
    switch (size) {
    case 8:
        memcpy(to, &bits, 8);
        break;
    case 4:
        memcpy(to, &bits, 4);
        break;
    default:
        memcpy(to, &bits, size);
    }
}

/* tg_run_cuda submits. The interpreter's lock is given away: the library waits when a queue is full. */
int tg_run_cuda(tg_compiled *k, const uint32_t grid[3], uint64_t stream, const tg_slot *slots, bool wait) {
    const tg_cuda *d = &k->cuda;
    uint64_t params[MOST_BYTES / 8];
    size_t size = d->bytes;
    void *extra[5] = {PARAM_POINTER, params, PARAM_SIZE, &size, PARAM_END};
    int result;
    for (uint32_t i = 0; i < d->nargs; i++)
        put((char *)params + d->args[i].offset, slots[i].bits, d->args[i].size);
    Py_BEGIN_ALLOW_THREADS
    result = submit(d, grid, (void *)(uintptr_t)stream, size ? extra : NULL, wait);
    Py_END_ALLOW_THREADS
    if (result == 0)
        return 0;
    tg_writer w = {0};
    tg_text answer = {0};
    tg_put_u64(&w, k->id);
    tg_put_u32(&w, (uint32_t)result);
    if (tg_request(TG_FAILURE, &w, &answer) == 0)
        free(answer.data);
    return -1;
}
