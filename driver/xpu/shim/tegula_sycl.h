/* The C face of libtegula_sycl: what Tegula asks of a SYCL runtime.
 *
 * Every function that can fail takes a tg_error and gives 0 when it succeeded. Handles are pointers of the library's own, except that a
 * queue is a plain sycl::queue*, so that the queue of a framework can be passed as it is. All functions may be called from any thread; none throws.
 */
#ifndef TEGULA_SYCL_H
#define TEGULA_SYCL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this face: whoever loads the library compares it first. */
#define TG_SYCL_VERSION 1

/* What went wrong. code is the SYCL runtime's, or a driver's when native is not 0. */
typedef struct {
  int32_t code;
  int32_t kind;      /* one of the TG_KIND values */
  char name[64];     /* the code's name, such as "build" or "CL_BUILD_PROGRAM_FAILURE" */
  char text[8096];   /* what the runtime said; the build log of a module that did not build */
} tg_error;

enum {
  TG_KIND_RUNTIME = 1,  /* the runtime or a driver failed */
  TG_KIND_NULL = 2,     /* a queue or a kernel that is null */
  TG_KIND_BUILD = 3,    /* a module that the device's compiler refused */
  TG_KIND_DEVICE = 4,   /* no such device, or a queue of another one */
  TG_KIND_RESOURCE = 5, /* more than the device has */
};

enum { TG_GPU = 1, TG_FP16 = 2, TG_FP64 = 4, TG_ATOMIC64 = 8, TG_USM_DEVICE = 16, TG_USM_SHARED = 32, TG_LEVEL_ZERO = 64 };

typedef struct {
  char name[256];
  char vendor[128];
  char driver[128];
  char platform[128];
  uint64_t features;          /* TG_GPU … */
  uint64_t memory;            /* bytes of the device's memory */
  uint64_t local_memory;      /* bytes that a work-group may have */
  uint64_t max_work_group;    /* work-items of a work-group */
  uint64_t max_groups[3];     /* work-groups along the grid's x, y, z */
  uint32_t compute_units;
  uint32_t num_sub_groups;    /* how many of sub_groups are there */
  uint32_t sub_groups[16];    /* the sizes that a kernel may require */
} tg_device;

/* An argument of a kernel. size is 1, 2, 4 or 8; the value lies in the first bytes. */
typedef struct {
  uint64_t bits;
  uint32_t size;
  uint32_t pointer; /* 1: bits are an address in unified shared memory, or 0 */
} tg_arg;

int tg_sycl_version(void);

/* Devices. GPUs come first, those of Level Zero before those of OpenCL, then other devices, each kind in the runtime's order. */
int tg_devices(tg_device *out, int32_t capacity, int32_t *count, tg_error *err);

/* Queues. Those made here are in order. tg_queue_device gives the number of a queue's device. */
int tg_queue_new(int32_t device, void **queue, tg_error *err);
int tg_queue_free(void *queue, tg_error *err);
int tg_queue_wait(void *queue, tg_error *err);
int tg_queue_device(void *queue, int32_t *device, tg_error *err);

/* Kernels. code is a SPIR-V module, or what tg_kernel_binary gave on the same device. */
int tg_kernel_new(int32_t device, const void *code, size_t bytes, int32_t binary, const char *entry, void **kernel, tg_error *err);
int tg_kernel_free(void *kernel, tg_error *err);
/* The device's own code; *bytes is 0 where the runtime gives none. Call with out NULL for the size. */
int tg_kernel_binary(void *kernel, void *out, size_t *bytes, tg_error *err);
/* What this kernel's work-groups may have on its device, and the local memory that it has itself. */
int tg_kernel_limits(void *kernel, uint64_t *max_work_group, uint64_t *local_memory, tg_error *err);

/* Submits the kernel over nd_range<3>{{z, y, x * local}, {1, 1, local}} of the program grid (x, y, z). */
int tg_launch(void *queue, void *kernel, const uint32_t grid[3], uint32_t local, const tg_arg *args, int32_t num_args, tg_error *err);

/* Unified shared memory of a device. */
int tg_alloc(int32_t device, size_t bytes, void **out, tg_error *err);
int tg_free(int32_t device, void *memory, tg_error *err);
/* Copies in the queue's order. wait: 1 returns when the bytes are there. */
int tg_copy(void *queue, void *to, const void *from, size_t bytes, int32_t wait, tg_error *err);

#ifdef __cplusplus
}
#endif
#endif
