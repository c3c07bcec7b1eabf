// Package cpu is the checked executor: it runs kernels on the CPU as the tile IR means them. It
// is the reference that other back ends are compared with, so it is simple and complete first,
// and fast second.
//
// In: a verified tile.Module. Compile plans its kernel once; Run runs the plan for every
// program instance of a grid over the memory of array arguments, in parallel. Out: what the
// kernel stores and prints, or the first error: a diag.Check at the kernel's line, with the
// calls that the line was inlined through.
//
// What always holds. Nothing outside of the array arguments is read or written: each active
// lane's address is checked, also that it is aligned. An argument's memory is used in place.
// Results do not depend on the number of threads, unless the kernel's own programs race. A kernel in an
// endless loop, or in an operation that takes long, can be stopped. A bug in this package becomes an error that names the operation.
// The memory of a program instance is bounded and known when it is planned (FrameBytes), that of all
// that run at a time in the process too (budget.go);
// running an operation allocates nothing, but for printing and library functions that round by mode.
//
// # How it works
//
// A value is a slot: a place in the frame of its function, assigned when planning, which gives
// memory out again as soon as a value is not needed (arena.go, liveness.go). A tile that is the
// same everywhere, such as a splat, is held as one element. An operation is a step, a closure
// over slots that works on whole tiles (ops.go says which function plans which operation). What
// no program instance changes (constants, ranges, what is computed from arguments) is computed
// once for each worker and launch.
//
// Elementwise operations are plain loops over typed slices (elementwise.go). Floats narrower
// than f32 are loaded as f32 and rounded once when the result is stored; float8 saturates (see
// dtype.Encode). Regions of reductions, scans and maps run on up to 256 elements at a time,
// unless they branch (lanes.go).
//
// Pointers are virtual addresses that carry their array's number, so a pointer that has left
// its array is not mistaken for one into another (space.go).
//
// With Options.Sanitize, further steps look for what goes wrong without a fault (sanitize.go): values that no memory gave follow
// their way as tags (taint.go), and package shadow remembers which program touched what (race.go). Without
// it there are no such steps.
//
// # What the language leaves open, and what happens here
//
//   - Integer division by zero gives 0, as quotient and as remainder: whether the lane's result is
//     ever used is not known. The smallest number divided by -1 wraps.
//   - A shift by the width or more gives 0, or the sign where it is arithmetic.
//   - Floats out of an integer's range saturate; NaN becomes 0.
//   - A masked-off load without other gives 0; the sanitizer reports where that matters.
//   - Reductions combine neighbours in pairs, the results again in pairs, and so on: a balanced
//     tree that keeps the order. Scans go along the axis one by one, reversed ones from its end.
//   - A dot adds each rounded product to the accumulator, in the order of k, in f32 (f64 for an f64
//     result, i32 for integers), whatever input precision is allowed.
//   - Atomics of one tile happen in the order of its elements, each sequentially consistent.
//   - exp, log and the like are computed by Go's math package in float64 and rounded. On another kind of
//     processor float64 may differ in its last bit, and f32, rarely, with it.
//   - Of a store that is out of bounds, lanes before the first bad one may have been stored.
//   - A false assumption is an error.
//
// To look at it: FrameBytes gives the memory of a program instance; the tests of random programs
// print the modules that they run.
package cpu
