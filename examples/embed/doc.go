// Command embed shows how a Go program carries kernels in its own binary and runs them on its
// slices, without Python, a C compiler or a file beside it.
//
//	go run ./examples/embed
//
// In: kernels.py, embedded. Out: what three launches gave: one on slices, one whose grid is a function of the arguments,
// and one that reads outside its arrays and is refused.
package main
