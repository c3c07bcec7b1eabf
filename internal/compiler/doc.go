// Package compiler is the way of the data in one place: a kernel and what is known of its
// arguments become tile IR, then code for a target.
//
// In: a kernel function, an ArgSpec for each parameter, options, a target. Out: a Unit with the
// tile IR and where each of its parameters comes from, which gives the binary or the text of a
// stage, and says what each step took.
//
// What always holds: the steps are front end, passes, backend, in this order, whoever asks; the
// same input gives the same output.
//
// To look at it: tegula compile FILE --sig … --emit tile --time.
package compiler
