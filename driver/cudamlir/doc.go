// Package cudamlir launches what Triton's compiler makes of Tegula's kernels, on the GPUs of driver/cuda: the devices cuda-mlir:0 and
// so on. It is experimental, for programs that compare; importing it registers the driver.
//
// In: a cubin whose metadata have a section cuda-mlir, a canonical grid, bound arguments. Out: a submission by driver/cuda.
//
// What always holds: devices, memory and streams are driver/cuda's under another name, with the same handles; the memory that Triton's code
// asks for beside the arguments belongs to the launch and is given back in the stream's order.
package cudamlir
