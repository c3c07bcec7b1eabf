// Package xpu makes SPIR-V modules of LIR, for SYCL devices.
//
// In: tile IR, which the passes and lowering that it shares with the other SIMT targets bring to LIR. Out: a SPIR-V 1.4 module
// with one kernel (capability Kernel, Physical64 addressing, OpenCL memory model) and its metadata.
//
// A program instance is a work-group of threads_per_warp · num_warps work-items along dimension 0; a warp is a sub-group, whose size
// the kernel requires. Parameters are those of the LIR function: pointers to global memory and numbers. Shared memory is one
// variable of the module. Control flow is plain branches, which the Kernel capability allows.
//
// What always holds: the module is valid by the SPIR-V specification; each instruction says the source line that it comes from; what
// a device must be able to do beyond the core stands in the metadata's requires.
//
// To look at it: tegula compile FILE --sig … --target xpu --emit spvasm, or --emit spirv for the binary.
package xpu
