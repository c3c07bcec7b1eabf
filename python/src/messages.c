/* Messages: how they are written and read. */

#include <stdlib.h>
#include <string.h>

#include "native.h"

static uint8_t *more(tg_writer *w, size_t n) {
    if (w->failed)
        return NULL;
    if (w->cap - w->size < n) {
        size_t cap = w->cap ? w->cap : 256;
        while (cap - w->size < n)
            cap *= 2;
        uint8_t *data = realloc(w->data, cap);
        if (data == NULL) {
            w->failed = true;
            return NULL;
        }
        w->data = data;
        w->cap = cap;
    }
    w->size += n;
    return w->data + w->size - n;
}

void tg_put(tg_writer *w, const void *data, size_t size) {
    uint8_t *at = more(w, size);
    if (at != NULL && size > 0)
        memcpy(at, data, size);
}

void tg_put_u8(tg_writer *w, uint8_t n) { tg_put(w, &n, 1); }

static void put_number(tg_writer *w, uint64_t n, size_t size) {
    uint8_t *at = more(w, size);
    for (size_t i = 0; at != NULL && i < size; i++)
        at[i] = (uint8_t)(n >> (8 * i));
}

void tg_put_u32(tg_writer *w, uint32_t n) { put_number(w, n, 4); }
void tg_put_u64(tg_writer *w, uint64_t n) { put_number(w, n, 8); }

void tg_put_text(tg_writer *w, const char *text, size_t size) {
    tg_put_u32(w, (uint32_t)size);
    tg_put(w, text, size);
}

/* Lone surrogates, which no UTF-8 has, get their three bytes, as the compiler writes them. */
int tg_put_str(tg_writer *w, PyObject *str) {
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(str, &size);
    if (text != NULL) {
        tg_put_text(w, text, (size_t)size);
        return 0;
    }
    PyErr_Clear();
    PyObject *bytes = PyUnicode_AsEncodedString(str, "utf-8", "surrogatepass");
    if (bytes == NULL)
        return -1;
    char *data;
    if (PyBytes_AsStringAndSize(bytes, &data, &size) < 0) {
        Py_DECREF(bytes);
        return -1;
    }
    tg_put_text(w, data, (size_t)size);
    Py_DECREF(bytes);
    return 0;
}

size_t tg_put_count(tg_writer *w) {
    tg_put_u32(w, 0);
    return w->size;
}

void tg_set_count(tg_writer *w, size_t at, uint32_t n) {
    for (size_t i = 0; !w->failed && i < 4; i++)
        w->data[at - 4 + i] = (uint8_t)(n >> (8 * i));
}

void tg_free(tg_writer *w) {
    free(w->data);
    memset(w, 0, sizeof *w);
}

const uint8_t *tg_take(tg_reader *r, size_t n) {
    if (n > r->size) {
        r->failed = true;
        r->size = 0;
        return NULL;
    }
    const uint8_t *at = r->data;
    r->data += n;
    r->size -= n;
    return at;
}

static uint64_t get_number(tg_reader *r, size_t size) {
    const uint8_t *at = tg_take(r, size);
    uint64_t n = 0;
    for (size_t i = 0; at != NULL && i < size; i++)
        n |= (uint64_t)at[i] << (8 * i);
    return n;
}

uint8_t tg_get_u8(tg_reader *r) { return (uint8_t)get_number(r, 1); }
uint32_t tg_get_u32(tg_reader *r) { return (uint32_t)get_number(r, 4); }
uint64_t tg_get_u64(tg_reader *r) { return get_number(r, 8); }

PyObject *tg_get_str(tg_reader *r) {
    uint32_t n = tg_get_u32(r);
    const uint8_t *at = tg_take(r, n);
    return PyUnicode_DecodeUTF8(at ? (const char *)at : "", at ? (Py_ssize_t)n : 0, "surrogatepass");
}

uint32_t tg_get_count(tg_reader *r, size_t each) {
    uint32_t n = tg_get_u32(r);
    if (n > r->size / each) {
        r->failed = true;
        r->size = 0;
        return 0;
    }
    return n;
}
