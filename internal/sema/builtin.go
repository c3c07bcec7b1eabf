package sema

import "github.com/tegula-lang/tegula/internal/syntax"

// A Builtin is a function of the language that is written in Go: a row of a table.
type Builtin struct {
	// Name is the canonical name below triton.language: "load", "math.exp", "extra.libdevice.tanh".
	Name string
	// Sig is the parameter list in Python's syntax: "pointer, mask=None, other=None". "*args" and "**name" are allowed.
	Sig string
	// Method is set if tiles have it as a method, with the tile as its first argument.
	Method bool
	// Is is set if the name is a class: it reports whether v is an instance of it. Fn is then the constructor.
	Is func(v Value) bool
	// Fn does the work. It reports failures through gen.fail.
	Fn func(g *gen, c *call) Value
}

// A call is the bound arguments of a builtin's call.
type call struct {
	node syntax.Node   // the call expression, for diagnostics
	name string        // as the user wrote it: tl.load, x.sum
	args []Value       // one for each parameter of the signature, defaults filled in; *args as a pyval.Tuple
	at   []syntax.Node // where each argument stands; node for a default
	set  []bool        // whether the argument was given
	rest argList       // what **name takes
	sig  *signature
}
