// Package cudamlir compiles tile IR for NVIDIA GPUs by way of Triton's compiler: the text that internal/mlir prints, given to the
// Triton of a Python that is installed. It is experimental, and there to be compared with.
//
// In: a verified module, a compute capability, a launch's options. Out: a cubin with what a launcher has to know of it, and the texts of
// Triton's own stages.
//
// What always holds: nothing of Triton's is needed to build or to run anything else; where it is missing, the error says which Python was
// asked and how to name another. A compilation is one process of Python's, which gets the text and answers with one line of JSON.
//
// To look at it: tegula compile FILE --sig … --target cuda-mlir:90a --emit ttgir (or llir, ptx).
package cudamlir
