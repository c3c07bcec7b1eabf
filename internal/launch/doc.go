// Package launch turns a call of a kernel into a launch of compiled code.
//
// In: a kernel, arguments by position and by name, a grid or a function that gives one, a
// stream. Out: a submission to the stream's device, in this order:
//
//	bind        arguments to parameters; defaults; heuristics and configurations of the file
//	grid        evaluated with the bound arguments and made canonical
//	specialise  types, constants and the facts that the target's policy asks for make a key
//	variant     the compiled kernel for the key: compiled once, however many ask at once
//	pack        arguments in the order of the compiled kernel's parameters
//	submit      the driver takes it from here
//
// What always holds: a launch that is refused has compiled, submitted and touched nothing; a
// Kernel is safe for concurrent use; the package never looks into a stream's handle or a
// binary. Errors name the argument, the parameter or the axis that they are about.
//
// To look at it: tegula run says on stderr what it filled in; Kernel.Variants counts what was
// compiled.
package launch
