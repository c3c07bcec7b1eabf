// Package module reads a module file in Go: it finds the kernels and gives each an Env that
// knows what the file's names mean, as far as kernels need it, without running the file.
//
// In: the text of a module. Out: its kernels, with what their decorators say; values of host
// expressions; the errors of what cannot be known.
//
// Names are found lazily (scope.go): a name leads to the statements of its scope that bind it,
// and those run, in a small interpreter of host code (interp.go, stmt.go, expr.go, call.go),
// when somebody asks for the name. Whether control comes to a statement is found the same way
// (guard.go). What cannot be known — what an unavailable module gives, a parameter of a function
// nobody calls — is an unknown value (value.go): it may be bound, passed and stored, and is an
// error only where a kernel or a condition needs it.
//
// What always holds:
//
//   - Evaluation is pure: no input or output; the environment counts as empty. It takes a
//     bounded number of steps, and is the same each time.
//   - A statement sees the names as they are at its place in the text, runs at most once, and
//     changes nothing that an earlier one has seen.
//   - A value is never guessed. Where conditions cannot be evaluated and definitions differ, the
//     name is unknown, as is a name that some function declares global. What is assumed instead:
//     a module that is not available here can be imported there; an assertion about an unknown
//     holds; an unavailable module's import * hides no builtin; and a list or dict that is
//     changed in place, at the top level, through one of its names has no other.
//   - A *Module is safe for concurrent use. The modules of a program have one lock; while a function that
//     comes from outside runs (foreign.go) nobody holds it, so such a function may use them too.
//
// How to look at it: the tests hold a table of module texts with what each name gives.
package module
