/* Finding compiled kernels by keys. A key is what the compiler is told of the arguments, perhaps more; two keys may lead to
   the same variant of the library's. */

#include <stdlib.h>
#include <string.h>

#include "launch.h"

/* What a kernel has of these: a program that makes a key for every value of a constant does not grow without end. */
#define MOST 4096

typedef struct {
    uint64_t hash;
    uint64_t *words;
    int nwords, nobjects;
    PyObject **objects; /* that the key names by their addresses */
    tg_compiled *compiled;
} entry;

struct tg_table {
    entry *slots; /* a power of two; at most half are taken */
    uint64_t cap, n;
};

tg_compiled *tg_find(tg_kernel *k, const tg_call *c) {
    const struct tg_table *t = k->table;
    if (t == NULL)
        return NULL;
    for (uint64_t i = c->hash & (t->cap - 1); t->slots[i].compiled != NULL; i = (i + 1) & (t->cap - 1)) {
        const entry *e = &t->slots[i];
        if (e->hash == c->hash && e->nwords == c->nwords && memcmp(e->words, c->words, (size_t)c->nwords * 8) == 0)
            return e->compiled;
    }
    return NULL;
}

static void free_entry(entry *e) {
    for (int i = 0; i < e->nobjects; i++)
        Py_XDECREF(e->objects[i]);
    free(e->objects);
    free(e->words);
    Py_XDECREF((PyObject *)e->compiled);
}

void tg_free_table(tg_kernel *k) {
    struct tg_table *t = k->table;
    k->table = NULL;
    if (t == NULL)
        return;
    for (uint64_t i = 0; i < t->cap; i++)
        if (t->slots[i].compiled != NULL)
            free_entry(&t->slots[i]);
    free(t->slots);
    free(t);
}

int tg_visit_table(tg_kernel *k, visitproc visit, void *arg) {
    const struct tg_table *t = k->table;
    for (uint64_t i = 0; t != NULL && i < t->cap; i++) {
        const entry *e = &t->slots[i];
        Py_VISIT((PyObject *)e->compiled);
        for (int j = 0; j < e->nobjects; j++)
            Py_VISIT(e->objects[j]);
    }
    return 0;
}

static void place(struct tg_table *t, entry e) {
    uint64_t i = e.hash & (t->cap - 1);
    while (t->slots[i].compiled != NULL)
        i = (i + 1) & (t->cap - 1);
    t->slots[i] = e;
    t->n++;
}

static int grow(tg_kernel *k) {
    struct tg_table *t = k->table;
    if (t != NULL && t->n >= MOST) {
        tg_free_table(k);
        t = NULL;
    }
    if (t != NULL && 2 * (t->n + 1) <= t->cap)
        return 0;
    struct tg_table *larger = calloc(1, sizeof *larger);
    uint64_t cap = t ? 2 * t->cap : 8;
    if (larger == NULL || (larger->slots = calloc(cap, sizeof *larger->slots)) == NULL) {
        free(larger);
        return -1;
    }
    larger->cap = cap;
    for (uint64_t i = 0; t != NULL && i < t->cap; i++)
        if (t->slots[i].compiled != NULL)
            place(larger, t->slots[i]);
    if (t != NULL) {
        free(t->slots);
        free(t);
    }
    k->table = larger;
    return 0;
}

/* tg_insert notes a compiled kernel. Running out of memory only means that it is looked for again. */
int tg_insert(tg_kernel *k, const tg_call *c, tg_compiled *compiled) {
    if (tg_find(k, c) != NULL || grow(k) < 0)
        return 0;
    entry e = {.hash = c->hash, .nwords = c->nwords};
    e.words = malloc((size_t)c->nwords * 8);
    e.objects = calloc((size_t)c->nobjects + 1, sizeof *e.objects);
    if (e.words == NULL || e.objects == NULL) {
        free(e.words);
        free(e.objects);
        return 0;
    }
    memcpy(e.words, c->words, (size_t)c->nwords * 8);
    for (int i = 0; i < c->nleaves; i++)
        if (c->leaves[i].object != NULL && e.nobjects < c->nobjects)
            e.objects[e.nobjects++] = Py_NewRef(c->leaves[i].object);
    e.compiled = (tg_compiled *)Py_NewRef((PyObject *)compiled);
    place(k->table, e);
    return 0;
}
