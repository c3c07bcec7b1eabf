// Package sim runs LIR the way a GPU does, a CTA at a time, and looks for what goes wrong there silently. It is for tests: it
// finds bugs of lowering without a device.
//
// In: a finished lir.Func, a grid, arguments in this process's memory. Out: the kernel's effect on the arrays; an error at the first
// thing that is wrong; with Options.Profile, how well each access uses the memory.
//
// All threads of a CTA do an operation before any does the next, CTAs one after another, each in the order of their numbers. What is
// wrong does not depend on that order:
//
//   - accesses of shared or global memory by two threads of a CTA, one of them a write, without a barrier between them, or a signal that tells
//     of the first (for threads of one warp: or a warp_sync). Atomics do not race with each other, nor writes of the same.
//   - an operation of all threads, or of all of a warp, that some do not come to
//   - a wait for a signal that nobody comes to give
//   - accesses outside of arrays and buffers, and those whose address is no multiple of their size
//   - shared memory that is read before anything was written there, or that something was written to as another buffer since
//
// What always holds: arithmetic is exact, rounded once as the operation says; what is approximate on a device is the nearest number here. What
// the definition of an operation leaves open, such as a division by zero, is something unlikely. Every run ends: there is a limit to the
// work, beyond which it is an error.
//
// It assumes nothing of the order of warps, so it does not find what depends on it alone, such as warps that wait for each other in memory. Of signals a
// warp knows, by a vector clock, what it was told of; that nobody comes to give one does not depend on the order as long as who gives it does not.
package sim
