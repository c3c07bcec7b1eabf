// Package xpu is the driver of SYCL devices: Intel's GPUs, and whatever else a SYCL runtime offers.
// Importing it registers the backend "xpu"; the runtime is loaded when a device is first asked for.
//
// In: a binary that holds a SPIR-V module or what Finish made of one, a canonical grid, bound
// arguments, a stream whose handle is a sycl::queue*. Out: a submission over an nd_range<3> on that
// queue, whose global range is (z, y, x·threads) and whose local range is (1, 1, threads), where
// threads is threads_per_warp · num_warps.
//
// What always holds: queue and kernel are checked for null, and the queue for its device; work-group
// size, local memory and sub-group size are compared with the device's before anything is
// submitted. Without the runtime there are no devices, and opening one is a DriverError that says
// what to install.
//
// The runtime is reached through a small library of C functions, libtegula_sycl.so, whose source is in
// shim/ and which "make xpu-shim" builds. It is looked for where TEGULA_XPU_SHIM says, then beside the
// running program, then where the system's loader looks.
//
// It is tested on Intel's OpenCL device for CPUs, not on an Intel GPU.
package xpu
