// Package launch turns a call of a kernel into a launch of compiled code.
//
// In: a kernel, arguments by position and by name, a grid, a stream. Out: a submission to the
// stream's device, in this order:
//
//	collect     call.go, value.go: arguments into a pooled Call
//	bind        bind.go, fill.go: arguments to parameters; configurations, heuristics, defaults
//	grid        grid.go: made canonical for the device
//	key         key.go: types, constants and the facts that the target's policy asks for
//	variant     variant.go, table.go: the compiled kernel for the key; compiled once, however many ask
//	code        store.go: the binary by its identity, shared between kernels, kept on disk; resources.go
//	globals     globals.go: those that can change are what they were
//	pack        arguments in the order of the compiled kernel's parameters
//	submit      hook.go: hooks, if there are any; the driver takes it from here
//
// A launch that is like the kernel's latest in all that its variant depends on skips what lies between (again.go): each argument is
// compared with what was known of the one before in its place, and packed. What differs, or is more than a number or a buffer, goes the long way.
//
// What always holds: a launch that is refused has compiled, submitted and touched nothing but
// what had to be compiled to know; the launch of a compiled variant takes no lock and allocates
// nothing; a Kernel is safe for concurrent use; the package never looks into a stream's handle, a
// function or a binary. Errors name the argument, the parameter or the axis that they are about.
//
// To look at it: tegula run says on stderr what it filled in; Kernel.Variants counts what was
// compiled; docs/contract.md lists what is promised, with the tests.
package launch
