/* Times cuLaunchKernel from C: what no launcher can be faster than. Prints "POINTERS NANOSECONDS" for kernels of 3 and 19
 * arguments. With an argument it launches one kernel, waits for it and ends: what no first kernel of a process can be faster than. It then
 * prints what the parts of that took, in milliseconds.
 *
 *   cc -O2 raw_launch.c -o raw_launch -ldl && ./raw_launch
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void *library;

static void *find(const char *name) {
    void *f = dlsym(library, name);
    if (f == NULL) {
        fprintf(stderr, "no %s\n", name);
        exit(1);
    }
    return f;
}

static void check(int r, const char *what) {
    if (r != 0) {
        fprintf(stderr, "%s: %d\n", what, r);
        exit(1);
    }
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

enum { BATCH = 200, ROUNDS = 300, MOST = 19 };

static int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
static int (*wait)(void *);

/* measure gives the least nanoseconds of a launch, over rounds of launches that fit the device's queue. */
static double measure(void *module, const char *name, int args, void *stream) {
    int (*function)(void **, void *, const char *) = find("cuModuleGetFunction");
    void *f, *params[MOST];
    unsigned long long values[MOST];
    double least = 1e18;
    check(function(&f, module, name), "cuModuleGetFunction");
    for (int i = 0; i < args; i++) {
        values[i] = 0;
        params[i] = &values[i];
    }
    for (int r = 0; r < ROUNDS; r++) {
        double start = now();
        for (int i = 0; i < BATCH; i++)
            check(launch(f, 1, 1, 1, 128, 1, 1, 0, stream, params, NULL), "cuLaunchKernel");
        double each = (now() - start) / BATCH;
        if (each < least)
            least = each;
        check(wait(stream), "cuStreamSynchronize");
    }
    return least;
}

/* kernel writes PTX of a kernel that does nothing with its arguments. */
static void kernel(char *text, const char *name, int args) {
    sprintf(text + strlen(text), ".visible .entry %s(", name);
    for (int i = 0; i < args; i++)
        sprintf(text + strlen(text), "%s.param .u64 a%d", i ? ", " : "", i);
    strcat(text, ") { ret; }\n");
}

/* tell prints what a part took, which began at *since and ends now. */
static void tell(int tells, const char *part, double *since) {
    double t = now();
    if (tells)
        printf("%s %.1f\n", part, (t - *since) / 1e6);
    *since = t;
}

int main(int argc, char **argv) {
    (void)argv;
    double since = now();
    char text[1 << 13] = ".version 8.0\n.target sm_75\n.address_size 64\n";
    void *context, *module, *stream;
    int device;
    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    int (*init)(unsigned) = find("cuInit");
    int (*get)(int *, int) = find("cuDeviceGet");
    int (*retain)(void **, int) = find("cuDevicePrimaryCtxRetain");
    int (*current)(void *) = find("cuCtxSetCurrent");
    int (*load)(void **, const void *) = find("cuModuleLoadData");
    int (*create)(void **, unsigned) = find("cuStreamCreate");
    launch = find("cuLaunchKernel");
    wait = find("cuStreamSynchronize");
    tell(argc > 1, "dlopen", &since);
    check(init(0), "cuInit");
    tell(argc > 1, "cuInit", &since);
    check(get(&device, 0), "cuDeviceGet");
    check(retain(&context, device), "cuDevicePrimaryCtxRetain");
    tell(argc > 1, "cuDevicePrimaryCtxRetain", &since);
    check(current(context), "cuCtxSetCurrent");
    kernel(text, "three", 3);
    kernel(text, "nineteen", MOST);
    check(load(&module, text), "cuModuleLoadData");
    check(create(&stream, 1), "cuStreamCreate");
    if (argc > 1) {
        int (*function)(void **, void *, const char *) = find("cuModuleGetFunction");
        void *f, *params[3];
        unsigned long long zero = 0;
        params[0] = params[1] = params[2] = &zero;
        check(function(&f, module, "three"), "cuModuleGetFunction");
        check(launch(f, 1, 1, 1, 128, 1, 1, 0, stream, params, NULL), "cuLaunchKernel");
        check(wait(stream), "cuStreamSynchronize");
        tell(1, "a kernel", &since);
        return 0;
    }
    printf("3 %.0f\n", measure(module, "three", 3, stream));
    printf("19 %.0f\n", measure(module, "nineteen", MOST, stream));
    return 0;
}
