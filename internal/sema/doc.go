// Package sema gives kernels their meaning: it turns the syntax tree of a kernel function
// into tile IR.
//
// In: a Func (tree, file and an Env that resolves its free names), and what is known of
// each argument (type, facts, or a constant value). Out: a tile.Module, the globals that
// were read, and diagnostics.
//
// It works as an abstract interpreter: each expression is evaluated to a Value, which is
// either known now (a Python constant, a type, a function, a module) or a Tensor, a value
// that exists when the kernel runs. Calls of kernel functions are evaluated in place, so
// the result is one function, each operation carrying the chain of calls it came through.
//
// What always holds: no target is known here; names come from the Env alone; every
// failure is a diag.Error with a place in the source; the module passes tile.Verify.
//
// The package is laid out as:
//
//   - value.go, env.go, builtin.go: the vocabulary; describe.go and host.go: how it looks in messages and to host code.
//   - compile.go, gen.go, size.go, frame.go, name.go: a compilation, its failures and limits, the scopes, the names.
//   - stmt.go, assign.go, branch.go, loop.go, carry.go, range.go: statements. Control flow is structured, so an
//     early return is an if around what follows it, where many come in a row around what follows up to the next
//     (branch.go); a loop's variables are found by compiling its body once under the assumption that all it assigns
//     varies (carry.go).
//   - expr.go, operator.go, call.go, signature.go, pybuiltin.go: expressions and calls.
//   - type*.go: type rules; tensor*.go: what tensors can do; lang*.go: the tables of what tl holds (a block pointer
//     is taken apart in lang_blockptr.go, so the IR has none); std: the part of the library that
//     is written in the language itself.
//
// To look at it: tegula compile FILE.py --emit tile; the golden files below testdata (go test -update rewrites
// them) show what kernels become and what wrong ones are told.
package sema
