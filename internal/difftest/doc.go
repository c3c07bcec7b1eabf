// Package difftest is a corpus of small kernels with the results that independent judges gave:
// Triton's interpreter, or NumPy where the interpreter cannot run a kernel.
//
// In: testdata/kernels/*.py, plain Triton files in which a comment above a kernel describes a
// launch, and testdata/expected.json, what testdata/expected.py made of them. Out: Cases, each
// with its arguments and the bytes that each output must have, so that any back end can be
// compared by running a loop over them, without Python.
//
// What always holds: inputs are a function of the kernel's and the parameter's name; the judge
// recorded a checksum of them, and Load fails where the two sides disagree.
//
// To look at it: go test ./internal/difftest -v; to make expected.json anew: make oracles and
// run testdata/expected.py write with that Python.
package difftest
