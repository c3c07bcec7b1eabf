// Package cuda makes PTX for NVIDIA GPUs from tile IR.
//
// In: a verified tile.Module after the passes; an architecture, such as 90a. Out: the text of a PTX module with one kernel, and what a
// launch has to know of it. Package lower decides what each thread does; this package knows which architectures can do what, and how
// LIR is spelled.
//
// What always holds: the text is accepted by ptxas for its architecture; it is the same for the same input; no symbol but the
// kernel, its shared memory and what the driver defines (vprintf, __assertfail) is in it.
//
// The kernel's parameters are those of LIR: the metadata's arguments, one for one. All shared memory is dynamic: a launch asks for
// the metadata's dynamic_shared bytes.
//
// To look at it: tegula compile … --target cuda:90a --emit layout, lir or ptx; docs/cuda.md.
package cuda
