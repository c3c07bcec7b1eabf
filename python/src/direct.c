/* Launches that the calling thread does by calling the machine code itself. Only launches that earlier ones tell to be brief
   are done so, with the interpreter's lock held: what they take, some microseconds, is less than what it costs to
   give it away. One that turns out to be long gives it away then. */

#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "native.h"

/* The beginning of a frame. */
typedef struct {
    int32_t program[3], kept;
    int32_t grid[3], unused2;
    int64_t count;
    uint64_t zero;
    int64_t fuel;
    uint64_t resume;
} header;

enum { FINISHED = 0, PAUSED = 1 };

/* How much a call does between looks at signals, once it is known to be long: some milliseconds. */
#define FUEL 10000000

int tg_get_direct(tg_direct *d, tg_reader *r) {
    d->entry = (int64_t(*)(void *))(uintptr_t)tg_get_u64(r);
    d->frame_bytes = tg_get_u32(r);
    d->frame_align = tg_get_u32(r);
    d->arg_offset = tg_get_u32(r);
    d->waits = tg_get_u8(r) != 0;
    d->small = (int64_t)tg_get_u64(r);
    d->noverlaps = tg_get_count(r, 9);
    d->overlaps = calloc(d->noverlaps + 1, sizeof *d->overlaps);
    if (d->overlaps == NULL)
        return -1;
    for (uint32_t i = 0; i < d->noverlaps; i++) {
        d->overlaps[i].a = tg_get_u32(r);
        d->overlaps[i].b = tg_get_u32(r);
        d->overlaps[i].same = tg_get_u8(r) != 0;
    }
    return r->failed ? -1 : 0;
}

void tg_free_direct(tg_direct *d) {
    free(d->overlaps);
    free(d->frame);
}

static bool collide(const tg_slot *a, const tg_slot *b, bool same) {
    if (a->bits == 0 || b->bits == 0 || (same && a->bits == b->bits))
        return false;
    return a->bits - a->front < b->bits + b->bytes && b->bits - b->front < a->bits + a->bytes;
}

/* tg_is_direct tells whether a launch is brief, and its arrays are such that the code does what the kernel means. */
bool tg_is_direct(const tg_compiled *k, const uint32_t grid[3], const tg_slot *slots) {
    const tg_direct *d = &k->direct;
    if (k->submit != TG_SUBMIT_DIRECT || d->cost <= 0)
        return false;
    double programs = (double)grid[0] * grid[1] * grid[2];
    if (programs * (double)d->cost > (double)d->small || (d->waits && programs > 1))
        return false;
    for (uint32_t i = 0; i < d->noverlaps; i++) {
        const tg_overlap *o = &d->overlaps[i];
        if (collide(&slots[o->a], &slots[o->b], o->same))
            return false;
    }
    return true;
}

/* Faults. The code is entered with a place to go back to; a signal that comes from it goes there. Go has its own handler, which
   passes on what happens in code that is not Go's to the handler that was there before it: this one. */

typedef struct {
    sigjmp_buf back;
    uintptr_t address;
} guard;

static _Thread_local guard *volatile guarded;
static struct sigaction before[2];
static const int signals[2] = {SIGSEGV, SIGBUS};

static void on_fault(int number, siginfo_t *info, void *context) {
    guard *g = guarded;
    int which = number == signals[1];
    if (g == NULL) {
        /* Not of a kernel: what was there before takes it. */
        if (before[which].sa_flags & SA_SIGINFO)
            before[which].sa_sigaction(number, info, context);
        else if (before[which].sa_handler != SIG_DFL && before[which].sa_handler != SIG_IGN)
            before[which].sa_handler(number);
        else
            sigaction(number, &before[which], NULL); /* and the instruction is done again */
        return;
    }
    guarded = NULL;
    g->address = (uintptr_t)info->si_addr;
    pthread_sigmask(SIG_SETMASK, &((ucontext_t *)context)->uc_sigmask, NULL);
    siglongjmp(g->back, 1);
}

void tg_catch_faults(void) {
    struct sigaction mine;
    memset(&mine, 0, sizeof mine);
    mine.sa_sigaction = on_fault;
    mine.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&mine.sa_mask);
    for (int i = 0; i < 2; i++)
        sigaction(signals[i], &mine, &before[i]);
}

/* enter calls the code: -1 if it made a fault. */
static int64_t enter(const tg_direct *d, void *frame, guard *g) {
    if (sigsetjmp(g->back, 0) != 0)
        return -1;
    guarded = g;
    int64_t status = d->entry(frame);
    guarded = NULL;
    return status;
}

/* go_on runs code that turned out to be long: -2 if a signal's handler raised. */
static int64_t go_on(const tg_direct *d, void *frame, guard *g) {
    int64_t status = PAUSED;
    while (status == PAUSED) {
        ((header *)frame)->fuel = FUEL;
        Py_BEGIN_ALLOW_THREADS
        status = enter(d, frame, g);
        Py_END_ALLOW_THREADS
        if (status == PAUSED && PyErr_CheckSignals() < 0)
            return -2;
    }
    return status;
}

static void raise_fault(tg_compiled *k, const header *h, uintptr_t address, const tg_slot *slots) {
    tg_writer w = {0};
    tg_text answer = {0};
    tg_put_u64(&w, k->id);
    tg_put_u64(&w, address);
    for (int i = 0; i < 3; i++)
        tg_put_u32(&w, (uint32_t)h->program[i]);
    tg_put_u32(&w, (uint32_t)k->nargs);
    for (int i = 0; i < k->nargs; i++) {
        tg_put_u64(&w, slots[i].bits);
        tg_put_u64(&w, slots[i].bytes);
        tg_put_u64(&w, slots[i].front);
    }
    if (tg_request(TG_FAULT, &w, &answer) == 0)
        free(answer.data);
}

int tg_run_direct(tg_compiled *k, const uint32_t grid[3], const tg_slot *slots) {
    tg_direct *d = &k->direct;
    guard g;
    void *frame = d->frame; /* taken, while the lock is held */
    d->frame = NULL;
    if (frame == NULL && posix_memalign(&frame, d->frame_align, d->frame_bytes) != 0) {
        PyErr_NoMemory();
        return -1;
    }
    header *h = frame;
    int64_t fuel = 2 * d->small, programs = (int64_t)grid[0] * grid[1] * grid[2];
    *h = (header){.grid = {(int32_t)grid[0], (int32_t)grid[1], (int32_t)grid[2]}, .count = programs, .fuel = fuel};
    uint64_t *args = (uint64_t *)((char *)frame + d->arg_offset);
    for (int i = 0; i < k->nargs; i++)
        args[i] = slots[i].bits;
    int64_t status = enter(d, frame, &g);
    if (status == FINISHED)
        d->cost = (fuel - h->fuel) / programs + 1;
    else if (status == PAUSED) {
        d->cost = fuel / programs + 1;
        status = go_on(d, frame, &g);
    }
    if (status == -1)
        raise_fault(k, h, g.address, slots);
    if (d->frame == NULL)
        d->frame = frame;
    else
        free(frame);
    return status == FINISHED ? 0 : -1;
}
