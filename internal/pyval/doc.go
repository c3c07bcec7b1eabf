// Package pyval is Python's constant values and their exact arithmetic: what a
// constexpr, a module-level constant or a command-line value can be.
//
// In: values and operators. Out: values, or the error that Python would raise.
//
// A Value is one of these Go types, and equal values have one form:
//
//	NoneType            None
//	EllipsisType        Ellipsis
//	bool                True, False
//	int64               an int that fits
//	*big.Int            an int that does not fit int64; it is never changed
//	float64             float
//	string              str, as UTF-8 in which a lone surrogate has its own three bytes
//	Tuple               tuple (elements may be any value, of other packages too)
//	*List, *Dict, *Set  list, dict (insertion-ordered), set and frozenset
//	Range, Slice        range and slice objects
//	*Class, *Builtin    types and functions of Python's builtins and math
//	anything else       an object of another package; it has identity, and what it offers through
//	                    Callable, Attrer, Boxed, Container, Typed, Reprer and Strer
//
// The operations: Binary, Unary, Compare (compare.go, binary.go), Truth, Len, Iter, GetItem
// (container.go), Attr for methods (methods*.go), Str, Repr, Format (repr.go, format.go), Literal,
// LookupBuiltin and LookupMath.
//
// What always holds: integers are exact and without bound in principle, but an operation
// whose result would exceed MaxIntBits bits (or MaxLen elements) is an error, so that no input
// allocates without bound; // and % floor as Python's do; nothing panics. What depends on a
// C library in CPython (powers, logarithms) is rounded to the nearest float here. An error is an
// *Error with the type of exception that Python would raise; MemoryError marks this package's
// own bounds. What differs from Python: zip, map, filter, enumerate, reversed and the views of a
// dict are lists, since nothing here is lazy; a NaN is never equal to itself, also inside
// containers; there are no complex numbers and no bytes.
//
// How to look at it: the tests put thousands of expressions to a real python3 where there is one.
package pyval
