/* A library like the NVIDIA driver's, for tests: it has two devices, makes code of everything, and notes launches. And a framework's exchange
   API, DLPack's, for objects that are noted in a table. */

#include <stdint.h>
#include <string.h>

typedef struct {
    uint64_t context, stream;
    uint32_t grid[3], block[3], shared;
    uint64_t size;
    uint8_t params[256];
} launch;

launch fake_launches[64];
int fake_count, fake_result, fake_waits;

static _Thread_local void *current;

int cuDriverGetVersion(int *p) { *p = 12040; return 0; }
int cuInit(unsigned flags) { return 0; }
int cuGetErrorName(int result, const char **p) { *p = "CUDA_ERROR_OF_THE_FAKE"; return 0; }
int cuGetErrorString(int result, const char **p) { *p = "the fake refuses"; return 0; }
int cuDeviceGetCount(int *p) { *p = 2; return 0; }
int cuDeviceGet(int *p, int n) { *p = n; return 0; }
int cuDeviceGetName(char *p, int n, int d) { strncpy(p, "fake", n); return 0; }
int cuDeviceGetAttribute(int *p, int a, int d) { *p = a == 75 ? 9 : a == 76 ? 0 : a >= 5 && a <= 7 ? 65535 : a == 10 ? 32 : 1024 * (a == 8 || a == 97 ? 64 : 1); return 0; }
int cuDevicePrimaryCtxRetain(void **p, int d) { *p = (void *)(uintptr_t)(0x1000 + d); return 0; }
int cuCtxGetCurrent(void **p) { *p = current; return 0; }
int cuCtxSetCurrent(void *p) { current = p; return 0; }
int cuStreamCreate(void **p, unsigned f) { *p = (void *)0x2000; return 0; }
int cuLinkCreate_v2(unsigned n, void *o, void *v, void **p) { *p = (void *)1; return 0; }
int cuLinkComplete(void *s, void **p, size_t *n) { *p = "\177ELF\0cod"; *n = 8; return 0; }
int cuModuleLoadDataEx(void **p, const void *code, unsigned n, void *o, void *v) { *p = (void *)0x3000; return 0; }
/* A function has the number of its context's device. */
int cuModuleGetFunction(void **p, void *m, const char *name) { *p = (void *)(0x4000 + ((uintptr_t)current - 0x1000)); return 0; }
int cuFuncGetAttribute(int *p, int a, void *f) { *p = a == 0 ? 1024 : 0; return 0; }

int cuStreamSynchronize(void *s) { fake_waits++; return 0; }

int cuLaunchKernel(void *f, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream, void **params, void **extra) {
    if (current == NULL)
        return 201;
    if ((uintptr_t)current - 0x1000 != (uintptr_t)f - 0x4000)
        return 400;
    if (fake_result)
        return fake_result;
    launch *l = &fake_launches[fake_count++ % 64];
    *l = (launch){(uintptr_t)current, (uintptr_t)stream, {x, y, z}, {bx, by, bz}, shared, extra ? *(size_t *)extra[3] : 0, {0}};
    if (extra)
        memcpy(l->params, extra[1], l->size);
    return 0;
}

#define NOTHING(name) int name(void) { return 0; }
NOTHING(cuLinkAddData_v2) NOTHING(cuLinkDestroy) NOTHING(cuModuleUnload) NOTHING(cuFuncSetAttribute) NOTHING(cuLaunchKernelEx)
NOTHING(cuStreamDestroy_v2) NOTHING(cuStreamQuery) NOTHING(cuStreamWaitEvent) NOTHING(cuStreamBeginCapture_v2)
NOTHING(cuStreamEndCapture) NOTHING(cuStreamIsCapturing) NOTHING(cuEventCreate) NOTHING(cuEventDestroy_v2) NOTHING(cuEventRecord)
NOTHING(cuEventSynchronize) NOTHING(cuEventQuery) NOTHING(cuEventElapsedTime) NOTHING(cuMemAlloc_v2) NOTHING(cuMemFree_v2)
NOTHING(cuMemAllocAsync) NOTHING(cuMemFreeAsync) NOTHING(cuMemGetInfo_v2) NOTHING(cuMemcpyHtoDAsync_v2) NOTHING(cuMemcpyDtoHAsync_v2)
NOTHING(cuPointerGetAttribute) NOTHING(cuGraphInstantiateWithFlags) NOTHING(cuGraphLaunch) NOTHING(cuGraphExecDestroy) NOTHING(cuGraphDestroy)

/* DLPack's. */

typedef struct {
    void *data;
    int32_t device, index, ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t offset;
} tensor;

typedef struct {
    uint32_t major, minor;
    void *previous, *allocate, *managed_from_object, *managed_to_object;
    int (*from_object)(void *object, tensor *out);
    int (*current_stream)(int32_t device, int32_t index, void **stream);
} exchange;

struct { void *object; tensor tensor; } fake_tensors[16];
int fake_looks;

static int from_object(void *object, tensor *out) {
    fake_looks++;
    for (int i = 0; i < 16; i++)
        if (fake_tensors[i].object == object) {
            *out = fake_tensors[i].tensor;
            return 0;
        }
    return -1;
}

static int current_stream(int32_t device, int32_t index, void **stream) { *stream = (void *)(uintptr_t)(0x5000 + index); return 0; }

exchange fake_exchange = {1, 1, 0, 0, 0, 0, from_object, current_stream};
