package module

import (
	"fmt"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// A Value is what a host expression gives: those of pyval and sema, and the objects of host code
// that this package has types for.
type Value = sema.Value

// An unknown stands for what cannot be known without running the program: what a library gives,
// what a file holds. It may be carried around, and is an error only where its value matters.
type unknown struct {
	path    string // the expression: torch.float16
	why     string // the reason: module 'torch' is not available
	at      diag.Place
	missing bool    // it comes from a file that the program should have, and has not
	choices []Value // where it is one of several: these

	isModule bool // it is a module that is not there
	harmless bool // functions of it leave the objects that they are given as they are
}

// TypeName gives the name of the type in messages.
func (u *unknown) TypeName() string { return "unknown" }

// Repr gives the expression.
func (u *unknown) Repr() string { return "<unknown " + u.path + ">" }

// with gives what an operation on u gives.
func (u *unknown) with(suffix string) *unknown {
	if len(u.path)+len(suffix) > 80 {
		return u
	}
	v := *u
	v.path += suffix
	return &v
}

// named gives u as the value of a name.
func (u *unknown) named(name string) *unknown {
	v := *u
	v.path, v.choices = name, nil
	return &v
}

// changed gives what a name is that the code which u stands for may have changed.
func (u *unknown) changed(name string) *unknown {
	return &unknown{path: name, why: fmt.Sprintf("'%s' may change it, and %s", u.path, u.why), at: u.at}
}

// from gives u with the place of another.
func (u *unknown) from(v *unknown) *unknown {
	w := *u
	w.at = v.at
	return &w
}

// err is the error of a use that needs the value.
func (u *unknown) err() error { return &unknownError{u} }

// An unknownError says that an unknown's value is needed.
type unknownError struct{ *unknown }

func (e *unknownError) Error() string { return e.path + " cannot be evaluated: " + e.why }

// isUnknown gives v as an unknown, or nil.
func isUnknown(v Value) *unknown {
	u, _ := v.(*unknown)
	return u
}

// A constant is tl.constexpr(v). Arithmetic with one gives one.
type constant struct{ v Value }

// Unbox gives the value.
func (c *constant) Unbox() Value { return c.v }

// TypeName gives the name of the type in messages.
func (c *constant) TypeName() string { return "constexpr" }

// Repr gives constexpr[v].
func (c *constant) Repr() string { return "constexpr[" + pyval.Str(c.v) + "]" }

// Str gives the same.
func (c *constant) Str() string { return c.Repr() }

// plain removes constexpr.
func plain(v Value) Value {
	if c, ok := v.(*constant); ok {
		return c.v
	}
	return v
}

// isConstant reports whether v is wrapped in constexpr.
func isConstant(v Value) bool {
	_, ok := v.(*constant)
	return ok
}

// A function is a host function: a def or a lambda.
type function struct {
	mod   *Module
	name  string
	node  syntax.Node
	args  *syntax.Arguments
	body  []syntax.Stmt // of a def
	expr  syntax.Expr   // of a lambda
	def   *syntax.FunctionDef
	frame *frame // the function or class around it; nil at the top
	wraps string // the decorator that hides it, or ""

	defaults   []Value // of the last parameters that may be given by position
	kwDefaults []Value // of the others; nil where there is none
}

// TypeName gives the name of the type in messages.
func (f *function) TypeName() string { return "function" }

// Repr gives <function name>.
func (f *function) Repr() string { return "<function " + f.name + ">" }

// A constexprFunction is a host function marked as one that kernels may call. Two of the same
// function are the same value.
type constexprFunction struct{ fn *function }

// Call runs the function; constants come out as plain values.
func (c *constexprFunction) Call(args []Value, kwargs []pyval.Kwarg) (Value, error) {
	return c.fn.Call(args, kwargs)
}

// TypeName gives the name of the type in messages.
func (c *constexprFunction) TypeName() string { return "ConstexprFunction" }

// Repr gives <function name>.
func (c *constexprFunction) Repr() string { return c.fn.Repr() }

// A native is a host function that is written in Go.
type native struct {
	name string // as users write it: triton.cdiv
	fn   func(args []Value, kwargs []pyval.Kwarg) (Value, error)

	holds []Value // what it may call or hand on
}

// Call calls the function.
func (n *native) Call(args []Value, kwargs []pyval.Kwarg) (Value, error) { return n.fn(args, kwargs) }

// TypeName gives the name of the type in messages.
func (n *native) TypeName() string { return "builtin_function_or_method" }

// Repr gives <function name>.
func (n *native) Repr() string { return "<function " + n.name + ">" }

// call calls any value that can be called.
func call(f Value, args []Value, kwargs []pyval.Kwarg) (Value, error) {
	if u := isUnknown(f); u != nil {
		return u.with("()"), nil
	}
	if c, ok := plain(f).(pyval.Callable); ok {
		return c.Call(args, kwargs)
	}
	return nil, pyval.Errorf("TypeError", "'%s' object is not callable", pyval.TypeName(f))
}

// A raised is an exception with the place where it was raised.
type raised struct {
	exc *pyval.Error
	at  diag.Place
}

func (r *raised) Error() string { return r.exc.Error() }

// Unwrap gives the exception.
func (r *raised) Unwrap() error { return r.exc }

// place gives where a node of the module is.
func (m *Module) place(n syntax.Node) diag.Place { return m.file.Place(n.Range()) }

// raise puts a place to an exception that has none; other errors stay.
func (m *Module) raise(at syntax.Node, err error) error {
	e, ok := err.(*pyval.Error)
	switch {
	case !ok:
		return err
	case e.Type == "MemoryError", e.Type == "RecursionError": // bounds of Tegula's, not of Python's
		return m.unsupported(at, "%v", e).err()
	}
	return &raised{e, m.place(at)}
}

// unknownf makes an unknown without a place.
func (m *Module) unknownf(path, format string, args ...any) *unknown {
	return &unknown{path: path, why: fmt.Sprintf(format, args...)}
}

// unsupported makes an unknown for what this package does not evaluate.
func (m *Module) unsupported(at syntax.Node, format string, args ...any) *unknown {
	return &unknown{path: m.text(at), why: fmt.Sprintf(format, args...), at: m.place(at)}
}

// text gives a node's source on one line, shortened.
func (m *Module) text(n syntax.Node) string {
	s := n.Range()
	text := string(m.file.Src[s.Pos:s.End])
	const most = 60
	for i, r := range text {
		if r == '\n' || i > most {
			return text[:i] + "…"
		}
	}
	return text
}

// doubtOf gives the unknown that an error of evaluating an expression stands for.
func (m *Module) doubtOf(at syntax.Node, err error) *unknown {
	if u, ok := err.(*unknownError); ok {
		return u.unknown
	}
	return m.unsupported(at, "it fails: %v", err)
}
