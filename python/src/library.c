/* The library that holds the compiler. Importing the extension does not load it; the first thing that needs it does. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "native.h"

static tg_request_fn request_fn;
tg_submit_fn tg_submit;
struct tg_policy tg_policies[3];

/* A process that was forked after the library was loaded has its memory, but not its threads: whoever entered it
   would wait for ever. */
static bool forked;

static void after_fork(void) { forked = request_fn != NULL; }

static int check_fork(void) {
    if (!forked)
        return 0;
    tg_raise("DriverError", "forked", "Tegula was used before this process was forked, and its threads are not in the child: "
             "start processes with the 'spawn' or 'forkserver' method, or first use Tegula after the fork");
    return -1;
}

static const char name[] = "_libtegula.so";

/* path gives where the library is: beside the extension. */
static char *path(void) {
    Dl_info info;
    if (!dladdr((void *)(uintptr_t)&tg_library, &info) || info.dli_fname == NULL)
        return NULL;
    const char *slash = strrchr(info.dli_fname, '/');
    size_t dir = slash ? (size_t)(slash + 1 - info.dli_fname) : 0;
    char *p = malloc(dir + sizeof name);
    if (p != NULL) {
        memcpy(p, info.dli_fname, dir);
        memcpy(p + dir, name, sizeof name);
    }
    return p;
}

static int start(const char *file) {
    tg_writer w = {0};
    tg_text answer = {0};
    PyObject *python = PySys_GetObject("executable"); /* borrowed */
    tg_put_text(&w, file, strlen(file));
    if (python == NULL || !PyUnicode_Check(python))
        tg_put_text(&w, "", 0);
    else if (tg_put_str(&w, python) < 0) {
        tg_free(&w);
        return -1;
    }
    if (tg_request(TG_START, &w, &answer) < 0)
        return -1;
    tg_reader r = {answer.data, answer.size, false};
    tg_take(&r, tg_get_u32(&r));
    uint32_t n = tg_get_count(&r, 9);
    for (uint32_t i = 0; i < n; i++) {
        struct tg_policy p = {tg_get_u8(&r) != 0, tg_get_u64(&r)};
        if (i < 3)
            tg_policies[i] = p;
    }
    free(answer.data);
    return 0;
}

/* When the interpreter ends, threads that ask for its lock are ended, and a thread may not end in the middle of Go. So from then
   on the library's questions are answered by an error, unless they come from the thread that ends the interpreter. */
static volatile bool ending;
static pthread_t ender;

bool tg_is_ending(void) { return ending && !pthread_equal(ender, pthread_self()); }

static PyObject *end(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    ender = pthread_self();
    ending = true;
    return Py_NewRef(Py_None);
}

static PyMethodDef end_definition = {"end", end, METH_NOARGS, NULL};

static int watch_the_end(void) {
    PyObject *atexit = PyImport_ImportModule("atexit"), *f = atexit ? PyCFunction_New(&end_definition, NULL) : NULL;
    PyObject *done = f ? PyObject_CallMethod(atexit, "register", "O", f) : NULL;
    Py_XDECREF(done);
    Py_XDECREF(f);
    Py_XDECREF(atexit);
    return done ? 0 : -1;
}

static int load(const char *file) {
    if (watch_the_end() < 0)
        return -1;
    tg_catch_faults();
    void *lib = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (lib == NULL) {
        tg_raise("DriverError", "library", "the compiler cannot be loaded: %s", dlerror());
        return -1;
    }
    tg_set_ask_fn set_ask = (tg_set_ask_fn)(uintptr_t)dlsym(lib, "tegula_set_ask");
    tg_request_fn request = (tg_request_fn)(uintptr_t)dlsym(lib, "tegula_request");
    tg_submit = (tg_submit_fn)(uintptr_t)dlsym(lib, "tegula_submit");
    if (set_ask == NULL || request == NULL || tg_submit == NULL) {
        tg_raise("DriverError", "library", "%s is not the library of this extension", file);
        return -1;
    }
    pthread_atfork(NULL, NULL, after_fork);
    set_ask(tg_answer);
    request_fn = request;
    return start(file);
}

int tg_library(void) {
    if (request_fn != NULL)
        return check_fork();
    char *file = path();
    if (file == NULL) {
        tg_raise("DriverError", "library", "the directory of the extension is not known");
        return -1;
    }
    int failed = load(file);
    free(file);
    return failed;
}

/* tg_request asks, without the interpreter's lock, and frees the message. The caller frees the answer. */
int tg_request(uint8_t request, tg_writer *message, tg_text *answer) {
    int failed = -1;
    if (message->failed)
        PyErr_NoMemory();
    else if (tg_library() == 0) {
        Py_BEGIN_ALLOW_THREADS
        failed = request_fn(request, message->data, message->size, answer);
        Py_END_ALLOW_THREADS
        if (failed) {
            tg_raise_described(answer);
            free(answer->data);
            answer->data = NULL;
            failed = -1;
        }
    }
    tg_free(message);
    return failed;
}

void tg_tell(uint8_t request, uint64_t number) {
    if (request_fn == NULL || forked)
        return;
    uint8_t message[8];
    for (int i = 0; i < 8; i++)
        message[i] = (uint8_t)(number >> (8 * i));
    tg_text answer = {0};
    request_fn(request, message, sizeof message, &answer); /* it is brief: it takes no lock that waits for Python */
    free(answer.data);
}

/* What Go reads of the environment is what it was when the library was loaded; Python may have changed it since. */
static const char *const variables[] = {"TEGULA_CHECK", "TEGULA_CPU", "TEGULA_NUM_THREADS", "TEGULA_LIBCUDA", "TEGULA_XPU_SHIM", "TEGULA_CACHE", "TEGULA_CACHE_DIR", "TEGULA_CACHE_MAX_BYTES", "XDG_CACHE_HOME", "HOME"};

int tg_put_environment(tg_writer *w) {
    size_t n = sizeof variables / sizeof *variables;
    tg_put_u32(w, (uint32_t)n);
    for (size_t i = 0; i < n; i++) {
        const char *value = getenv(variables[i]);
        tg_put_text(w, variables[i], strlen(variables[i]));
        tg_put_text(w, value ? value : "", value ? strlen(value) : 0);
    }
    return 0;
}
