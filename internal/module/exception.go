package module

import (
	"slices"
	"strings"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// An exceptionClass is one of Python's exceptions as a value.
type exceptionClass struct{ name string }

// Call makes an exception.
func (c *exceptionClass) Call(args []Value, _ []pyval.Kwarg) (Value, error) {
	return &exception{c, args}, nil
}

// TypeName gives the name of the type in messages.
func (c *exceptionClass) TypeName() string { return "type" }

// Repr gives <class 'name'>.
func (c *exceptionClass) Repr() string { return "<class '" + c.name + "'>" }

// An exception is an exception that was made.
type exception struct {
	class *exceptionClass
	args  []Value
}

// TypeName gives the class.
func (e *exception) TypeName() string { return e.class.name }

// Repr gives name(args).
func (e *exception) Repr() string {
	parts := make([]string, len(e.args))
	for i, a := range e.args {
		parts[i] = pyval.Repr(a)
	}
	return e.class.name + "(" + strings.Join(parts, ", ") + ")"
}

// Str gives the message.
func (e *exception) Str() string {
	switch len(e.args) {
	case 0:
		return ""
	case 1:
		return pyval.Str(e.args[0])
	}
	return pyval.Repr(pyval.Tuple{Elems: e.args})
}

// exceptionBases gives the class above an exception's; those not listed are below Exception.
var exceptionBases = map[string]string{
	"ModuleNotFoundError": "ImportError",
	"KeyError":            "LookupError",
	"IndexError":          "LookupError",
	"ZeroDivisionError":   "ArithmeticError",
	"OverflowError":       "ArithmeticError",
	"NotImplementedError": "RuntimeError",
	"RecursionError":      "RuntimeError",
	"UnboundLocalError":   "NameError",
	"Exception":           "BaseException",
}

// exceptionNames are the exceptions that host code may name.
var exceptionNames = []string{
	"ArithmeticError", "AssertionError", "AttributeError", "BaseException", "Exception", "ImportError", "IndexError", "KeyError", "LookupError",
	"MemoryError", "ModuleNotFoundError", "NameError", "NotImplementedError", "OSError", "OverflowError", "RecursionError", "RuntimeError",
	"TypeError", "UnboundLocalError", "ValueError", "ZeroDivisionError",
}

// catches reports whether an except clause takes an exception, and whether that is known. It reads the
// clause's names as they are written: nobody rebinds the builtin exceptions. No name is an exception that is not known.
func catches(clause syntax.Expr, name string) (takes, known bool) {
	switch c := clause.(type) {
	case nil:
		return true, true
	case *syntax.Tuple:
		known = true
		for _, e := range c.Elts {
			t, k := catches(e, name)
			if t {
				return true, true
			}
			known = known && k
		}
		return false, known
	case *syntax.Name:
		if name == "" {
			return isCatchAll(c), isCatchAll(c)
		}
		return isBelow(name, c.Id), slices.Contains(exceptionNames, c.Id)
	}
	return false, false
}

// isBelow reports whether an exception's class is, or derives from, another.
func isBelow(name, class string) bool {
	for {
		if name == class {
			return true
		}
		base, ok := exceptionBases[name]
		switch {
		case ok:
			name = base
		case name == "BaseException":
			return false
		default:
			name = "Exception"
		}
	}
}

// isCatchAll reports whether an except clause takes all exceptions that code may raise.
func isCatchAll(clause syntax.Expr) bool {
	n, ok := clause.(*syntax.Name)
	return clause == nil || ok && (n.Id == "Exception" || n.Id == "BaseException")
}

// A suppressor is contextlib.suppress(…).
type suppressor struct{ types []string }

// newSuppressor is contextlib.suppress.
func newSuppressor(args []Value, _ []pyval.Kwarg) (Value, error) {
	s := &suppressor{}
	for _, a := range args {
		c, ok := a.(*exceptionClass)
		if !ok {
			return &unknown{path: "contextlib.suppress()", why: "which exceptions it stops is not known"}, nil
		}
		s.types = append(s.types, c.name)
	}
	return s, nil
}
