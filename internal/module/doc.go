// Package module reads a module file in Go: it finds the kernels and gives each an Env that
// knows what the file's names mean, as far as kernels need it, without running the file.
//
// In: the text of a module. Out: its kernels, with what their decorators say; values of host
// expressions; the errors of what cannot be known.
//
// A module runs once, when somebody asks for something of it (run.go): its statements in order, after the
// packages that it is in, with what it imports from the program, in a small interpreter of host code
// (stmt.go, expr.go, assign.go, call.go, class.go). What cannot be known — what a library gives, the time, a
// parameter of a function nobody calls — is an unknown value (value.go): it may be bound, passed and stored,
// and is an error only where a kernel needs it. Around it the interpreter stays on the safe side:
//
//   - Code that is not known may change all that it can reach. Objects that such code is given, that it may
//     reach through those, and that functions change which it may call, are lost (taint.go): asked for,
//     they are unknown. What a function may change is read from its text (usage.go).
//   - Where it is not known which branch runs, all run, one after the other, each from the same state, and
//     what they leave is joined (branch.go, journal.go): a name or object that is not the same after all of
//     them is unknown. So it is with the handlers of a try statement in whose body something may fail.
//   - A statement that cannot be run leaves unknown what it may bind and change.
//
// What always holds:
//
//   - Evaluation does no input or output, takes a bounded number of steps, and is the same each time. What a
//     request changes — a call of a heuristic, the expression of a grid — is taken back when it ends.
//   - A value is what Python has, or unknown; python_test.go holds that against Python. A module that
//     certainly fails has no names: all of them have its exception as their error. A name that some function
//     declares global is unknown to kernels, since the function may run before they do.
//   - What is assumed: the module can be imported, so a branch that fails is not the one that runs, and an
//     assertion about an unknown holds; the environment is empty; a library's import * hides no builtin and
//     no module; libraries bind no names of the program's modules, and a class whose metaclass or base
//     is a library's is as its text says.
//   - A *Module is safe for concurrent use. The modules of a program have one lock; while a function that
//     comes from outside runs (foreign.go) nobody holds it, so such a function may use them too.
//
// How to look at it: the tests hold a table of module texts with what each name gives.
package module
