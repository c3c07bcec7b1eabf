// Package native compiles kernels to machine code for this processor.
//
// In: a verified tile.Module. Out: a Program, whose Run runs the code for every program instance of a grid, in
// parallel. What cannot be compiled yet is refused whole, by name, at its line; such a kernel runs on the
// checked executor, whose meaning this package has to have everywhere else.
package native
