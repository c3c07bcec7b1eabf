// What Tegula is measured against on SYCL devices: the same SPIR-V, built and submitted by hand. It is a library, for launches in turns with
// Tegula's on one queue, and a program, for the first launch of a process:
//
//	raw                          makes a queue
//	raw SPIRV ENTRY LOCAL        makes a queue, builds the kernel and ends
//	raw SPIRV ENTRY LOCAL add    … and launches it on three arrays of 1024 f32 and a number
#include <sycl/backend/opencl.hpp>
#include <sycl/sycl.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

sycl::kernel build(const sycl::queue &q, const std::string &path, const char *entry) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> code((std::istreambuf_iterator<char>(file)), {});
  cl_context context = sycl::get_native<sycl::backend::opencl>(q.get_context());
  cl_device_id device = sycl::get_native<sycl::backend::opencl>(q.get_device());
  cl_int error = 0;
  cl_program program = clCreateProgramWithIL(context, code.data(), code.size(), &error);
  if (error == 0) {
    error = clBuildProgram(program, 1, &device, "-cl-fp32-correctly-rounded-divide-sqrt", nullptr, nullptr);
  }
  cl_kernel kernel = error == 0 ? clCreateKernel(program, entry, &error) : nullptr;
  if (error != 0) {
    std::fprintf(stderr, "raw: OpenCL error %d\n", error);
    std::exit(1);
  }
  return sycl::make_kernel<sycl::backend::opencl>(kernel, q.get_context());
}

void submit(sycl::queue &q, const sycl::kernel &k, uint32_t local, float *x, float *y, float *out, int n) {
  const sycl::nd_range<3> range{{1, 1, local}, {1, 1, local}};
  q.submit([&](sycl::handler &h) {
    h.set_args(x, y, out, n);
    h.parallel_for(range, k);
  });
}

} // namespace

extern "C" {

// raw_kernel builds a kernel for a queue.
void *raw_kernel(void *queue, const char *path, const char *entry) {
  return new sycl::kernel(build(*static_cast<sycl::queue *>(queue), path, entry));
}

// raw_launches gives the seconds that launching count times takes, and with the wait for the last.
void raw_launches(void *queue, void *kernel, uint32_t local, float *x, float *y, float *out, int n, int count, double *host, double *all) {
  sycl::queue &q = *static_cast<sycl::queue *>(queue);
  const double start = seconds();
  for (int i = 0; i < count; i++) {
    submit(q, *static_cast<sycl::kernel *>(kernel), local, x, y, out, n);
  }
  *host = seconds() - start;
  q.wait();
  *all = seconds() - start;
}
}

int main(int argc, char **argv) {
  sycl::queue q{sycl::default_selector_v, sycl::property::queue::in_order{}};
  if (argc < 4) {
    return 0;
  }
  const sycl::kernel k = build(q, argv[1], argv[2]);
  if (argc < 5) {
    return 0;
  }
  float *x = sycl::malloc_device<float>(1024, q), *y = sycl::malloc_device<float>(1024, q), *out = sycl::malloc_device<float>(1024, q);
  const std::vector<float> ones(1024, 1.0f);
  q.copy(ones.data(), x, 1024);
  q.copy(ones.data(), y, 1024);
  submit(q, k, static_cast<uint32_t>(std::atoi(argv[3])), x, y, out, 1024);
  float first = 0;
  q.copy(out, &first, 1).wait();
  return first == 2.0f ? 0 : 1;
}
