// Package cudacpp prints LIR as CUDA C++ that people can read and nvcc compiles.
//
// In: a finished lir.Func that uses what Can leaves, and the kernel's lines. Out: one self-contained file with an extern "C" kernel that
// has the PTX back end's parameters, grid, block and dynamic shared memory, and gives the same results.
//
// # How it is made
//
// The function is copied into a tree of nodes. Addresses become typed pointers and indices (pointer.go); operations that are the same for
// each register of a tile become groups, whose results are an array (group.go, index.go); a group is printed as a loop that nvcc
// unrolls, and what is used once is printed where it is used (print.go). What CUDA has no function for is a small function of inline PTX
// in front of the kernel (helper.go).
//
// What always holds: the text is the same for the same input; nvcc compiles it without warnings; arithmetic that LIR rounds in a certain way
// is written so that no compiler contracts it; nothing is undefined in C++ that is defined in LIR: sums wrap, shifts are as long as they are.
//
// To look at it: tegula compile … --target cuda:90a --emit cuda; docs/cuda-cpp.md.
package cudacpp
