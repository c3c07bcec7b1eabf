package pyval

import (
	"fmt"
	"math/big"
)

// A Value is a Python value; see the package comment for the Go types it may have.
type Value = any

// The bounds on what an operation may make. They are far above what a kernel needs and low
// enough that a single operation takes well under a millisecond.
const (
	MaxIntBits = 1 << 14 // bits of an int
	MaxLen     = 1 << 20 // elements of a sequence, bytes of a str
	maxDepth   = 64      // nesting of containers that an operation walks
)

// NoneType is the type of None.
type NoneType struct{}

// None is Python's None.
var None = NoneType{}

// EllipsisType is the type of Ellipsis.
type EllipsisType struct{}

// Ellipsis is Python's Ellipsis, written "...".
var Ellipsis = EllipsisType{}

// A Tuple is an immutable sequence; Names, if not nil, are the fields of a named tuple.
type Tuple struct {
	Elems []Value
	Names []string
}

// NewTuple makes a plain tuple.
func NewTuple(elems ...Value) Tuple { return Tuple{Elems: elems} }

// A List is a mutable sequence.
type List struct{ Elems []Value }

// NewList makes a list.
func NewList(elems ...Value) *List { return &List{Elems: elems} }

// A Range is what range(start, stop, step) gives; Step is not 0.
type Range struct{ Start, Stop, Step int64 }

// A Slice is start:stop:step as an index; what is left out is None.
type Slice struct{ Start, Stop, Step Value }

// A Kwarg is a keyword argument.
type Kwarg struct {
	Name  string
	Value Value
}

// A Callable is a value that can be called with constants.
type Callable interface {
	Call(args []Value, kwargs []Kwarg) (Value, error)
}

// An Attrer is an object whose attributes are known.
type Attrer interface {
	Attr(name string) (v Value, ok bool, err error)
}

// A Boxed object behaves as the constant in it wherever a plain value is asked for: a member of
// an IntEnum is an int.
type Boxed interface{ Unbox() Value }

// A Container is an object of another package that has elements.
type Container interface {
	Len() (int, error)
	Iterate() ([]Value, error)
	GetItem(index Value) (Value, error)
}

// A Typed object names its Python type.
type Typed interface{ TypeName() string }

// A Reprer is an object with a repr of its own.
type Reprer interface{ Repr() string }

// A Strer is an object with a str that is not its repr.
type Strer interface{ Str() string }

// An Error is an exception: Type is Python's name of it, such as TypeError.
type Error struct{ Type, Msg string }

// Error gives Type: Msg.
func (e *Error) Error() string {
	if e.Msg == "" {
		return e.Type
	}
	return e.Type + ": " + e.Msg
}

// Errorf makes an exception.
func Errorf(typ, format string, args ...any) *Error {
	return &Error{Type: typ, Msg: fmt.Sprintf(format, args...)}
}

func typeError(format string, args ...any) error { return Errorf("TypeError", format, args...) }

func valueError(format string, args ...any) error { return Errorf("ValueError", format, args...) }

func tooLarge(what string) error {
	return Errorf("MemoryError", "%s is too large for a compile-time constant", what)
}

// unbox gives the constant that v stands for.
func unbox(v Value) Value {
	switch v.(type) {
	case int64, float64, bool, string, NoneType, Tuple, *List, *big.Int:
		return v
	}
	if b, ok := v.(Boxed); ok {
		return b.Unbox()
	}
	return v
}

// TypeName gives the name of v's Python type.
func TypeName(v Value) string {
	switch v := v.(type) {
	case NoneType:
		return "NoneType"
	case EllipsisType:
		return "ellipsis"
	case bool:
		return "bool"
	case int64, *big.Int:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case Tuple:
		return "tuple"
	case *List:
		return "list"
	case *Dict:
		return "dict"
	case *Set:
		if v.Frozen {
			return "frozenset"
		}
		return "set"
	case Range:
		return "range"
	case Slice:
		return "slice"
	case *Class:
		return "type"
	case *Builtin:
		return "builtin_function_or_method"
	case Typed:
		return v.TypeName()
	}
	return "object"
}
