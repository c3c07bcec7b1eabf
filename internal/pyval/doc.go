// Package pyval is Python's constant values and their exact arithmetic: what a
// constexpr, a module-level constant or a command-line value can be.
//
// In: values and operators. Out: values, or the error that Python would raise.
//
// A Value is one of these Go types, and equal values have one form:
//
//	NoneType            None
//	bool                True, False
//	int64               an int that fits
//	*big.Int            an int that does not fit int64
//	float64             float
//	string              str
//	Tuple               tuple (elements may be any value, of other packages too)
//	*List, *Dict        list, dict (insertion-ordered)
//	anything else       an object of another package; it has identity and is otherwise opaque here
//
// What always holds: integers are exact and without bound in principle, but an operation
// whose result would exceed MaxIntBits bits (or MaxLen elements) is an error, so that no input
// allocates without bound; // and % floor as Python's do; nothing panics.
package pyval
