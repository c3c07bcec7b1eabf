// Package tegula compiles and launches kernels that are written in Triton's language.
//
//	//go:embed kernels.py
//	var source string
//
//	mod, err := tegula.Load("kernels.py", source)
//	…
//	add := mod.Kernel("add")
//	err = add.Launch(ctx, tegula.CPU(), tegula.Grid{tegula.Cdiv(n, 1024)},
//		x, y, out, n, tegula.Const("BLOCK", 1024))
//
// In: a module file, arguments, a grid, a stream. Out: the kernel's effect on the arrays that it
// was given, or an error.
//
// # Arguments
//
// Arguments bind to the kernel's parameters by position; Arg and Const give one by name. An
// argument is one of
//
//   - a slice of numbers or bools, or an Array: a pointer parameter. The kernel reads and writes the
//     slice's own memory; see Memory.
//   - an integer: i32 if it fits, else i64 or u64, whatever its Go type; a float32 or float64: fp32;
//     a bool: i1; a Float16 or other small float: its own type. A parameter that is annotated with a
//     type, such as n: tl.int64, has that type.
//   - nil: None. A string, a DType or a *Kernel: a constant.
//   - a Tuple of these.
//
// A parameter that is declared tl.constexpr takes any of these but arrays, and a new value
// compiles a new variant of the kernel. So does Const for a parameter that is not.
//
// # Memory
//
// Machine code checks nothing: a kernel that leaves its arrays reads and writes what else is in the process, which may end it, now or
// later. With Check, or in a process with TEGULA_CPU=checked, the length of an array bounds what the kernel may touch, and the
// launch ends with an error at the kernel's line. Arrays of an Arena lie alone: running past one of those is an error of the launch
// without either, and costs nothing.
//
// # Errors
//
// Every error has a category, which errors.Is finds: ErrGrid, ErrArgument, ErrCompile and so on; only
// the end of a context, which stops a launch, is that context's own error. errors.As gives an *Error with a stable code, and the place in the kernel's file if there is
// one; Detail prints it with the source line and a caret. A launch that fails before it runs
// has touched nothing. Nothing panics on bad input; what a wrong
// kernel does is said above.
//
// Modules and kernels are safe for concurrent use; a variant is compiled once, however many
// goroutines ask for it.
package tegula
