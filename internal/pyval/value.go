package pyval

// A Value is a Python value; see the package comment for the Go types it may have.
type Value = any

// NoneType is the type of None.
type NoneType struct{}

// None is Python's None.
var None = NoneType{}

// A Tuple is an immutable sequence; Names, if not nil, are the fields of a named tuple.
type Tuple struct {
	Elems []Value
	Names []string
}

// A List is a mutable sequence.
type List struct{ Elems []Value }

// An Error is an exception: Type is Python's name of it, such as TypeError.
type Error struct{ Type, Msg string }

// Error gives Type: Msg.
func (e *Error) Error() string { return e.Type + ": " + e.Msg }
