// Command tegula runs and compiles kernels that are written in Triton's language.
//
//	tegula run FILE.py[:KERNEL] NAME=VALUE… --grid EXPR[,EXPR[,EXPR]]
//	tegula compile FILE.py[:KERNEL] --sig "x=*fp32:16, n=i32, BLOCK=1024" --emit tile
//	tegula devices
//
// In: flags and files. Out: results on stdout, notes and errors on stderr, exit status 0, 1 for a
// run-time or driver error, 2 for a usage or compile error.
//
// A VALUE is a Python expression: a literal, a name of the kernel's file (tl.float16 or a helper
// function, for constants), an earlier argument's name, or one of
//
//	@FILE.npy                       the array in a file; @FILE.npy:DTYPE takes its bytes for another type
//	zeros(DTYPE, DIM…)              zeros
//	full(V, DTYPE, DIM…)            all V
//	arange(DTYPE, N)                0, 1, … N-1
//	rand(DTYPE, DIM…, seed=0)       uniform in [0, 1): element 4i+k is result k of tl.rand4x(seed, i)
//	randn(DTYPE, DIM…, seed=0)      normal: element 4i+k is result k of tl.randn4x(seed, i)
//
// where DTYPE is a name such as fp32 or float32. The random numbers are the same on every machine.
//
// What always holds: the command does nothing that the package tegula cannot; whatever the input,
// it ends with a message, never with a Go stack trace.
package main
