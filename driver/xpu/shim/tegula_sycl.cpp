// libtegula_sycl: kernels given as SPIR-V, on SYCL queues. See tegula_sycl.h.
//
// Built by any C++17 compiler against the SYCL runtime's headers; no device code is compiled here.
#include "tegula_sycl.h"

#include <sycl/backend/opencl.hpp>
#include <sycl/sycl.hpp>

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace exp_ = sycl::ext::oneapi::experimental;

namespace {

// A failure is thrown inside this file and told by a tg_error outside.
struct failure {
  int32_t kind;
  int32_t code;
  std::string name;
  std::string text;
};

template <size_t N> void put(char (&to)[N], const std::string &from) {
  const size_t n = std::min(from.size(), N - 1);
  std::memcpy(to, from.data(), n);
  to[n] = 0;
}

int tell(tg_error *err, int32_t kind, int32_t code, const std::string &name, const std::string &text) {
  if (err != nullptr) {
    err->kind = kind;
    err->code = code;
    put(err->name, name);
    put(err->text, text);
  }
  return 1;
}

// The names of SYCL's error codes (SYCL 2020, table 137).
const char *name_of(int code) {
  switch (static_cast<sycl::errc>(code)) {
  case sycl::errc::success: return "success";
  case sycl::errc::runtime: return "runtime";
  case sycl::errc::kernel: return "kernel";
  case sycl::errc::accessor: return "accessor";
  case sycl::errc::nd_range: return "nd_range";
  case sycl::errc::event: return "event";
  case sycl::errc::kernel_argument: return "kernel_argument";
  case sycl::errc::build: return "build";
  case sycl::errc::invalid: return "invalid";
  case sycl::errc::memory_allocation: return "memory_allocation";
  case sycl::errc::platform: return "platform";
  case sycl::errc::profiling: return "profiling";
  case sycl::errc::feature_not_supported: return "feature_not_supported";
  case sycl::errc::kernel_not_supported: return "kernel_not_supported";
  case sycl::errc::backend_mismatch: return "backend_mismatch";
  default: return "unknown";
  }
}

int32_t kind_of(int code) {
  switch (static_cast<sycl::errc>(code)) {
  case sycl::errc::build: return TG_KIND_BUILD;
  case sycl::errc::memory_allocation: return TG_KIND_RESOURCE;
  default: return TG_KIND_RUNTIME;
  }
}

// guard runs what may throw, and tells how it ended.
template <class F> int guard(tg_error *err, F &&f) {
  try {
    f();
    return 0;
  } catch (const failure &e) {
    return tell(err, e.kind, e.code, e.name, e.text);
  } catch (const sycl::exception &e) {
    const int code = e.code().value();
    return tell(err, kind_of(code), code, name_of(code), e.what());
  } catch (const std::bad_alloc &) {
    return tell(err, TG_KIND_RESOURCE, 0, "bad_alloc", "the process has no memory left");
  } catch (const std::exception &e) {
    return tell(err, TG_KIND_RUNTIME, 0, "exception", e.what());
  } catch (...) {
    return tell(err, TG_KIND_RUNTIME, 0, "exception", "the runtime threw something that is no exception");
  }
}

void check_cl(cl_int code, const char *call) {
  if (code != CL_SUCCESS) {
    throw failure{TG_KIND_RUNTIME, code, call, std::string(call) + " failed with OpenCL error " + std::to_string(code)};
  }
}

// A native is a handle that get_native gave: a reference that has to be given back.
template <class T, cl_int (*Release)(T)> class native {
public:
  explicit native(T handle) : handle_(handle) {}
  native(const native &) = delete;
  native &operator=(const native &) = delete;
  ~native() {
    if (handle_ != nullptr) {
      Release(handle_);
    }
  }
  T release() { return std::exchange(handle_, nullptr); }
  operator T() const { return handle_; }

private:
  T handle_;
};
using native_context = native<cl_context, clReleaseContext>;
using native_device = native<cl_device_id, clReleaseDevice>;
using native_kernel = native<cl_kernel, clReleaseKernel>;
using native_program = native<cl_program, clReleaseProgram>;

template <class T> auto native_of(const T &object) { return sycl::get_native<sycl::backend::opencl>(object); }

// offer_cpu names Intel's OpenCL device for processors to OpenCL's loader, if it lies beside the SYCL runtime, as Python's packages put it, and the
// environment names none: nothing else registers it.
void offer_cpu() {
  const char *const variable = "OCL_ICD_FILENAMES";
  Dl_info info;
  if (std::getenv(variable) != nullptr || dladdr(reinterpret_cast<void *>(&sycl::platform::get_platforms), &info) == 0 || info.dli_fname == nullptr) {
    return;
  }
  const std::string runtime(info.dli_fname);
  const std::string library = runtime.substr(0, runtime.rfind('/') + 1) + "libintelocl.so";
  if (access(library.c_str(), R_OK) == 0) {
    setenv(variable, library.c_str(), 0);
  }
}

// rank orders devices: GPUs first, and of the drivers that a GPU may have Level Zero's, which frameworks use.
int rank(const sycl::device &d) {
  return (d.is_gpu() ? 0 : 2) + (d.get_backend() == sycl::backend::ext_oneapi_level_zero ? 0 : 1);
}

// all_devices gives the devices in the order of their numbers.
const std::vector<sycl::device> &all_devices() {
  static const std::vector<sycl::device> list = [] {
    offer_cpu();
    std::vector<sycl::device> l = sycl::device::get_devices();
    std::stable_sort(l.begin(), l.end(), [](const sycl::device &a, const sycl::device &b) { return rank(a) < rank(b); });
    return l;
  }();
  return list;
}

const sycl::device &device_at(int32_t index) {
  const auto &l = all_devices();
  if (index < 0 || static_cast<size_t>(index) >= l.size()) {
    throw failure{TG_KIND_DEVICE, 0, "no-device",
                  "there is no device xpu:" + std::to_string(index) + "; the runtime has " + std::to_string(l.size())};
  }
  return l[index];
}

sycl::context context_of(const sycl::device &d) { return d.get_platform().khr_get_default_context(); }

sycl::queue &queue_of(void *p) {
  if (p == nullptr) {
    throw failure{TG_KIND_NULL, 0, "null-queue", "the queue is null"};
  }
  return *static_cast<sycl::queue *>(p);
}

int32_t index_of(const sycl::device &d) {
  const auto &l = all_devices();
  const auto at = std::find(l.begin(), l.end(), d);
  if (at == l.end()) {
    throw failure{TG_KIND_DEVICE, 0, "no-device", "the queue's device is none of the runtime's"};
  }
  return static_cast<int32_t>(at - l.begin());
}

// A kernel is code for one device. A queue may have a context of its own; the kernel is made for each
// that it meets, the device's default one first.
class kernel {
public:
  kernel(const sycl::device &device, std::vector<char> code, bool binary, std::string entry)
      : device_(device), code_(std::move(code)), binary_(binary), entry_(std::move(entry)) {
    in(context_of(device_));
  }
  kernel(const kernel &) = delete;
  kernel &operator=(const kernel &) = delete;
  ~kernel() {
    for (const build &b : built_) {
      if (b.program != nullptr) {
        clReleaseProgram(b.program);
      }
    }
  }

  const sycl::device &device() const { return device_; }

  const sycl::kernel &in(const sycl::context &context) {
    std::lock_guard<std::mutex> hold(lock_);
    for (const build &b : built_) {
      if (b.context == context) {
        return b.kernel;
      }
    }
    built_.push_back(make(context));
    return built_.back().kernel;
  }

  // binary gives the device's own code, nothing where the runtime gives none.
  std::vector<char> binary() {
    in(context_of(device_));
    std::lock_guard<std::mutex> hold(lock_);
    const cl_program program = built_.front().program;
    if (program == nullptr) {
      return {};
    }
    cl_uint n = 0;
    check_cl(clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof n, &n, nullptr), "clGetProgramInfo");
    std::vector<cl_device_id> devices(n);
    check_cl(clGetProgramInfo(program, CL_PROGRAM_DEVICES, n * sizeof devices[0], devices.data(), nullptr), "clGetProgramInfo");
    std::vector<size_t> sizes(n);
    check_cl(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, n * sizeof sizes[0], sizes.data(), nullptr), "clGetProgramInfo");
    const native_device mine(native_of(device_));
    const size_t at = std::find(devices.begin(), devices.end(), static_cast<cl_device_id>(mine)) - devices.begin();
    if (at == n) {
      return {};
    }
    std::vector<char> out(sizes[at]);
    std::vector<unsigned char *> places(n, nullptr);
    places[at] = reinterpret_cast<unsigned char *>(out.data());
    check_cl(clGetProgramInfo(program, CL_PROGRAM_BINARIES, n * sizeof places[0], places.data(), nullptr), "clGetProgramInfo");
    return out;
  }

private:
  // A build is the kernel in a context, with the program that it is of where OpenCL made it.
  struct build {
    sycl::context context;
    sycl::kernel kernel;
    cl_program program;
  };

  build make(const sycl::context &context) {
    if (device_.get_backend() == sycl::backend::opencl && !built_by_runtime()) {
      return make_opencl(context);
    }
    return {context, make_source(context), nullptr};
  }

  // make_opencl makes the kernel by OpenCL's own functions: they give the log and the binary.
  build make_opencl(const sycl::context &context) {
    const native_context ctx(native_of(context));
    const native_device held(native_of(device_));
    cl_device_id dev = held;
    cl_int code = CL_SUCCESS;
    cl_program program = nullptr;
    if (binary_) {
      const size_t size = code_.size();
      const unsigned char *at = reinterpret_cast<const unsigned char *>(code_.data());
      cl_int status = CL_SUCCESS;
      program = clCreateProgramWithBinary(ctx, 1, &dev, &size, &at, &status, &code);
    } else {
      program = clCreateProgramWithIL(ctx, code_.data(), code_.size(), &code);
    }
    if (code != CL_SUCCESS) {
      throw failure{TG_KIND_BUILD, code, binary_ ? "clCreateProgramWithBinary" : "clCreateProgramWithIL",
                    "the device does not take the module: OpenCL error " + std::to_string(code)};
    }
    native_program owned(program);
    code = clBuildProgram(program, 1, &dev, exact_division(dev), nullptr, nullptr);
    if (code != CL_SUCCESS) {
      size_t size = 0;
      clGetProgramBuildInfo(program, dev, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
      std::string log(size, '\0');
      clGetProgramBuildInfo(program, dev, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
      while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) {
        log.pop_back();
      }
      throw failure{TG_KIND_BUILD, code, "clBuildProgram", log.empty() ? "the module did not build, and there is no log" : log};
    }
    cl_kernel k = clCreateKernel(program, entry_.c_str(), &code);
    if (code != CL_SUCCESS) {
      throw failure{TG_KIND_BUILD, code, "clCreateKernel", "the module has no kernel " + entry_};
    }
    const native_kernel reference(k); // make_kernel takes one of its own
    return {context, sycl::make_kernel<sycl::backend::opencl>(k, context), owned.release()};
  }

  // built_by_runtime reports whether TEGULA_XPU_BUILD=sycl has the runtime's own compiler make kernels for OpenCL, too: what Level Zero's devices do can
  // be tried then where there is none.
  static bool built_by_runtime() {
    const char *const how = std::getenv("TEGULA_XPU_BUILD");
    return how != nullptr && std::strcmp(how, "sycl") == 0;
  }

  // exact_division gives the option that has f32 divisions and square roots rounded to nearest, where the device can.
  static const char *exact_division(cl_device_id device) {
    cl_device_fp_config config = 0;
    clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, nullptr);
    return (config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0 ? "-cl-fp32-correctly-rounded-divide-sqrt" : "";
  }

  // make_source makes the kernel by the runtime's own compiler of SPIR-V, which other backends than
  // OpenCL have: Level Zero's.
  sycl::kernel make_source(const sycl::context &context) {
    if (binary_) {
      throw failure{TG_KIND_BUILD, 0, "binary", "only OpenCL devices take native binaries"};
    }
    std::vector<std::byte> bytes(code_.size());
    std::memcpy(bytes.data(), code_.data(), code_.size());
    std::string option = "-ze-fp32-correctly-rounded-divide-sqrt", log;
    if (device_.get_backend() == sycl::backend::opencl) {
      option = exact_division(native_device(native_of(device_)));
    }
    auto source = exp_::create_kernel_bundle_from_source(context, exp_::source_language::spirv, bytes);
    auto bundle = [&] {
      try {
        const exp_::properties how{exp_::build_options{option}, exp_::save_log{&log}};
        return exp_::build(source, std::vector<sycl::device>{device_}, how);
      } catch (const sycl::exception &e) {
        throw failure{TG_KIND_BUILD, e.code().value(), name_of(e.code().value()), log.empty() ? e.what() : log};
      }
    }();
    if (!bundle.ext_oneapi_has_kernel(entry_)) {
      throw failure{TG_KIND_BUILD, 0, "no-kernel", "the module has no kernel " + entry_};
    }
    return bundle.ext_oneapi_get_kernel(entry_);
  }

  sycl::device device_;
  std::vector<char> code_;
  bool binary_;
  std::string entry_;
  std::mutex lock_;
  std::deque<build> built_; // those that were given out stay where they are
};

kernel &kernel_of(void *p) {
  if (p == nullptr) {
    throw failure{TG_KIND_NULL, 0, "null-kernel", "the kernel is null"};
  }
  return *static_cast<kernel *>(p);
}

void describe(const sycl::device &d, tg_device *out) {
  namespace info = sycl::info::device;
  std::memset(out, 0, sizeof *out);
  put(out->name, d.get_info<info::name>());
  put(out->vendor, d.get_info<info::vendor>());
  put(out->driver, d.get_info<info::driver_version>());
  put(out->platform, d.get_platform().get_info<sycl::info::platform::name>());
  const std::pair<sycl::aspect, uint64_t> aspects[] = {
      {sycl::aspect::gpu, TG_GPU},           {sycl::aspect::fp16, TG_FP16},
      {sycl::aspect::fp64, TG_FP64},         {sycl::aspect::atomic64, TG_ATOMIC64},
      {sycl::aspect::usm_device_allocations, TG_USM_DEVICE}, {sycl::aspect::usm_shared_allocations, TG_USM_SHARED},
  };
  for (const auto &a : aspects) {
    if (d.has(a.first)) {
      out->features |= a.second;
    }
  }
  if (d.get_backend() == sycl::backend::ext_oneapi_level_zero) {
    out->features |= TG_LEVEL_ZERO;
  }
  out->memory = d.get_info<info::global_mem_size>();
  out->local_memory = d.get_info<info::local_mem_size>();
  out->max_work_group = d.get_info<info::max_work_group_size>();
  out->compute_units = d.get_info<info::max_compute_units>();
  const auto groups = d.get_info<exp_::info::device::max_work_groups<3>>();
  for (int i = 0; i < 3; i++) {
    out->max_groups[i] = groups[2 - i];
  }
  for (size_t size : d.get_info<info::sub_group_sizes>()) {
    if (out->num_sub_groups < sizeof out->sub_groups / sizeof out->sub_groups[0]) {
      out->sub_groups[out->num_sub_groups++] = static_cast<uint32_t>(size);
    }
  }
}

void set_arg(sycl::handler &h, int i, const tg_arg &a) {
  if (a.pointer != 0) {
    h.set_arg(i, reinterpret_cast<void *>(static_cast<uintptr_t>(a.bits)));
    return;
  }
  switch (a.size) {
  case 1: h.set_arg(i, static_cast<uint8_t>(a.bits)); return;
  case 2: h.set_arg(i, static_cast<uint16_t>(a.bits)); return;
  case 4: h.set_arg(i, static_cast<uint32_t>(a.bits)); return;
  case 8: h.set_arg(i, static_cast<uint64_t>(a.bits)); return;
  default:
    throw failure{TG_KIND_RUNTIME, 0, "argument-size", "argument " + std::to_string(i) + " has " + std::to_string(a.size) + " bytes"};
  }
}

} // namespace

extern "C" {

int tg_sycl_version(void) { return TG_SYCL_VERSION; }

int tg_devices(tg_device *out, int32_t capacity, int32_t *count, tg_error *err) {
  return guard(err, [&] {
    const auto &l = all_devices();
    *count = static_cast<int32_t>(l.size());
    for (int32_t i = 0; i < std::min(*count, capacity); i++) {
      describe(l[i], &out[i]);
    }
  });
}

int tg_queue_new(int32_t device, void **queue, tg_error *err) {
  return guard(err, [&] {
    const sycl::device &d = device_at(device);
    *queue = new sycl::queue(context_of(d), d, sycl::property::queue::in_order{});
  });
}

int tg_queue_free(void *queue, tg_error *err) {
  return guard(err, [&] {
    std::unique_ptr<sycl::queue> q(&queue_of(queue));
    q->wait_and_throw();
  });
}

int tg_queue_wait(void *queue, tg_error *err) {
  return guard(err, [&] { queue_of(queue).wait_and_throw(); });
}

int tg_queue_device(void *queue, int32_t *device, tg_error *err) {
  return guard(err, [&] { *device = index_of(queue_of(queue).get_device()); });
}

int tg_kernel_new(int32_t device, const void *code, size_t bytes, int32_t binary, const char *entry, void **out, tg_error *err) {
  return guard(err, [&] {
    const char *at = static_cast<const char *>(code);
    *out = new kernel(device_at(device), std::vector<char>(at, at + bytes), binary != 0, entry);
  });
}

int tg_kernel_free(void *k, tg_error *err) {
  return guard(err, [&] { delete &kernel_of(k); });
}

int tg_kernel_binary(void *k, void *out, size_t *bytes, tg_error *err) {
  return guard(err, [&] {
    const std::vector<char> b = kernel_of(k).binary();
    if (out != nullptr) {
      if (*bytes < b.size()) {
        throw failure{TG_KIND_RUNTIME, 0, "size", "there is room for " + std::to_string(*bytes) + " of " + std::to_string(b.size()) + " bytes"};
      }
      std::memcpy(out, b.data(), b.size());
    }
    *bytes = b.size();
  });
}

int tg_kernel_limits(void *k, uint64_t *max_work_group, uint64_t *local_memory, tg_error *err) {
  return guard(err, [&] {
    kernel &made = kernel_of(k);
    const sycl::kernel &in = made.in(context_of(made.device()));
    *max_work_group = in.get_info<sycl::info::kernel_device_specific::work_group_size>(made.device());
    *local_memory = 0;
    if (made.device().get_backend() == sycl::backend::opencl) {
      const native_kernel handle(native_of(in));
      const native_device device(native_of(made.device()));
      cl_ulong local = 0;
      check_cl(clGetKernelWorkGroupInfo(handle, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, nullptr), "clGetKernelWorkGroupInfo");
      *local_memory = local;
    }
  });
}

int tg_launch(void *queue, void *k, const uint32_t grid[3], uint32_t local, const tg_arg *args, int32_t num_args, tg_error *err) {
  return guard(err, [&] {
    sycl::queue &q = queue_of(queue);
    kernel &made = kernel_of(k);
    if (q.get_device() != made.device()) {
      throw failure{TG_KIND_DEVICE, 0, "wrong-device", "the queue is one of " + q.get_device().get_info<sycl::info::device::name>() +
                                                           ", the kernel one of " + made.device().get_info<sycl::info::device::name>()};
    }
    const sycl::kernel &in = made.in(q.get_context());
    const sycl::nd_range<3> range{{grid[2], grid[1], static_cast<size_t>(grid[0]) * local}, {1, 1, local}};
    q.submit([&](sycl::handler &h) {
      for (int32_t i = 0; i < num_args; i++) {
        set_arg(h, i, args[i]);
      }
      h.parallel_for(range, in);
    });
  });
}

int tg_alloc(int32_t device, size_t bytes, void **out, tg_error *err) {
  return guard(err, [&] {
    const sycl::device &d = device_at(device);
    const bool on_device = d.has(sycl::aspect::usm_device_allocations);
    *out = on_device ? sycl::aligned_alloc_device(64, bytes, d, context_of(d)) : sycl::aligned_alloc_shared(64, bytes, d, context_of(d));
    if (*out == nullptr) {
      throw failure{TG_KIND_RESOURCE, 0, "memory_allocation", "the device does not have " + std::to_string(bytes) + " bytes"};
    }
  });
}

int tg_free(int32_t device, void *memory, tg_error *err) {
  return guard(err, [&] { sycl::free(memory, context_of(device_at(device))); });
}

int tg_copy(void *queue, void *to, const void *from, size_t bytes, int32_t wait, tg_error *err) {
  return guard(err, [&] {
    sycl::event done = queue_of(queue).memcpy(to, from, bytes);
    if (wait != 0) {
      done.wait_and_throw();
    }
  });
}

} // extern "C"
