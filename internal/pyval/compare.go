package pyval

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
	"reflect"
	"strings"

	"github.com/tegula-lang/tegula/internal/syntax"
)

// Compare gives a op b for a comparison operator.
func Compare(op syntax.Op, a, b Value) (bool, error) {
	w := walk{left: maxWalk}
	return w.compare(op, a, b)
}

func (w *walk) compare(op syntax.Op, a, b Value) (bool, error) {
	switch op {
	case syntax.Is:
		return is(a, b), nil
	case syntax.IsNot:
		return !is(a, b), nil
	case syntax.In:
		return contains(b, a)
	case syntax.NotIn:
		in, err := contains(b, a)
		return !in, err
	}
	switch op {
	case syntax.Eq:
		return w.equal(a, b, 0)
	case syntax.NotEq:
		eq, err := w.equal(a, b, 0)
		return !eq, err
	}
	return w.ordered(op, a, b, 0)
}

// Equal gives a == b.
func Equal(a, b Value) (bool, error) {
	w := walk{left: maxWalk}
	return w.equal(a, b, 0)
}

// maxWalk bounds the elements, of all levels, that a comparison looks at.
const maxWalk = 1 << 17

// A walk bounds the work of going through nested containers, which may share or contain
// themselves.
type walk struct{ left int }

// walkAmong gives a walk for an operation that compares n elements, to find one or to sort them: it is
// bounded for all of the comparisons together.
func walkAmong(n int) *walk { return &walk{left: maxWalk + 8*n*bits.Len(uint(n))} }

func (w *walk) step(depth int) error {
	w.left--
	if depth > maxDepth || w.left < 0 {
		return Errorf("RecursionError", "the value is nested too deeply or too large to compare")
	}
	return nil
}

func (w *walk) equal(a, b Value, depth int) (bool, error) {
	if err := w.step(depth); err != nil {
		return false, err
	}
	a, b = unbox(a), unbox(b)
	if isNumber(a) && isNumber(b) {
		c, ordered := compareNumbers(a, b)
		return ordered && c == 0, nil
	}
	switch x := a.(type) {
	case string:
		y, ok := b.(string)
		return ok && x == y, nil
	case Tuple:
		y, ok := b.(Tuple)
		if !ok {
			return false, nil
		}
		return w.equalElems(x.Elems, y.Elems, depth)
	case *List:
		y, ok := b.(*List)
		if !ok || x == y {
			return ok, nil
		}
		return w.equalElems(x.Elems, y.Elems, depth)
	case *Dict:
		y, ok := b.(*Dict)
		if !ok || x == y {
			return ok, nil
		}
		return w.equalDicts(x, y, depth)
	case *Set:
		y, ok := b.(*Set)
		if !ok || x.Len() != y.Len() {
			return false, nil
		}
		return subset(x, y)
	case Range:
		y, ok := b.(Range)
		return ok && x.canonical() == y.canonical(), nil
	}
	return same(a, b), nil
}

func (w *walk) equalElems(x, y []Value, depth int) (bool, error) {
	if len(x) != len(y) {
		return false, nil
	}
	for i := range x {
		if eq, err := w.equal(x[i], y[i], depth+1); err != nil || !eq {
			return false, err
		}
	}
	return true, nil
}

func (w *walk) equalDicts(x, y *Dict, depth int) (bool, error) {
	if x.Len() != y.Len() {
		return false, nil
	}
	for k, v := range x.All() {
		u, ok, err := y.Get(k)
		if err != nil || !ok {
			return false, err
		}
		if eq, err := w.equal(v, u, depth+1); err != nil || !eq {
			return false, err
		}
	}
	return true, nil
}

func subset(x, y *Set) (bool, error) {
	for _, v := range x.Elems() {
		if in, err := y.Has(v); err != nil || !in {
			return false, err
		}
	}
	return true, nil
}

// same reports identity of two values that are no Python data; values that Go cannot compare
// are the same as nothing.
func same(a, b Value) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.ValueOf(a).Comparable() && a == b
}

// compareNumbers compares two numbers exactly; ordered is false if one is NaN.
func compareNumbers(a, b Value) (c int, ordered bool) {
	x, xf := a.(float64)
	y, yf := b.(float64)
	switch {
	case xf && yf:
		return cmp.Compare(x, y), x == x && y == y
	case xf:
		c, ordered = compareIntFloat(b, x)
		return -c, ordered
	case yf:
		return compareIntFloat(a, y)
	}
	if i, ok := AsInt(a); ok {
		if j, ok := AsInt(b); ok {
			return cmp.Compare(i, j), true
		}
	}
	return bigOf(a).Cmp(bigOf(b)), true
}

func compareIntFloat(a Value, f float64) (c int, ordered bool) {
	switch {
	case math.IsNaN(f):
		return 0, false
	case math.IsInf(f, 1):
		return -1, true
	case math.IsInf(f, -1):
		return 1, true
	}
	return new(big.Float).SetInt(bigOf(a)).Cmp(big.NewFloat(f)), true
}

// ordered gives a op b for <, <=, > and >=.
func (w *walk) ordered(op syntax.Op, a, b Value, depth int) (bool, error) {
	a, b = unbox(a), unbox(b)
	if isNumber(a) && isNumber(b) {
		c, ordered := compareNumbers(a, b)
		return ordered && holds(op, c), nil
	}
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			return holds(op, strings.Compare(x, y)), nil
		}
	case Tuple:
		if y, ok := b.(Tuple); ok {
			return w.orderedElems(op, x.Elems, y.Elems, depth)
		}
	case *List:
		if y, ok := b.(*List); ok {
			return w.orderedElems(op, x.Elems, y.Elems, depth)
		}
	case *Set:
		if y, ok := b.(*Set); ok {
			return orderedSets(op, x, y)
		}
	}
	return false, typeError("'%s' not supported between instances of '%s' and '%s'", opNames[op], TypeName(a), TypeName(b))
}

func holds(op syntax.Op, c int) bool {
	switch op {
	case syntax.Lt:
		return c < 0
	case syntax.LtE:
		return c <= 0
	case syntax.Gt:
		return c > 0
	}
	return c >= 0
}

// orderedElems orders sequences by their first elements that differ, else by length.
func (w *walk) orderedElems(op syntax.Op, x, y []Value, depth int) (bool, error) {
	for i := range min(len(x), len(y)) {
		eq, err := w.equal(x[i], y[i], depth+1)
		if err != nil {
			return false, err
		}
		if !eq {
			return w.ordered(op, x[i], y[i], depth+1)
		}
	}
	return holds(op, cmp.Compare(len(x), len(y))), nil
}

// orderedSets orders sets by inclusion.
func orderedSets(op syntax.Op, x, y *Set) (bool, error) {
	switch op {
	case syntax.Gt, syntax.GtE:
		x, y = y, x
	}
	if op == syntax.Lt || op == syntax.Gt {
		if x.Len() == y.Len() {
			return false, nil
		}
	}
	return subset(x, y)
}

// is gives a is b. Equal immutable values of one type count as one object.
func is(a, b Value) bool {
	switch x := a.(type) {
	case *List, *Dict, *Set:
		return a == b
	case *big.Int:
		y, ok := b.(*big.Int)
		return ok && x.Cmp(y) == 0
	}
	return Identical(a, b)
}

// Identical reports whether two values have the same type and bits: NaN is identical to
// itself, 0.0 and -0.0 are not identical, nor are 1, 1.0 and True. Containers are identical if
// their elements are, in order.
func Identical(a, b Value) bool {
	w := walk{left: maxWalk}
	return w.identical(a, b, 0)
}

func (w *walk) identical(a, b Value, depth int) bool {
	if w.step(depth) != nil {
		return false
	}
	switch x := a.(type) {
	case float64:
		y, ok := b.(float64)
		return ok && math.Float64bits(x) == math.Float64bits(y)
	case *big.Int:
		y, ok := b.(*big.Int)
		return ok && x.Cmp(y) == 0
	case Tuple:
		y, ok := b.(Tuple)
		return ok && sameNames(x.Names, y.Names) && w.identicalElems(x.Elems, y.Elems, depth)
	case *List:
		y, ok := b.(*List)
		return ok && (x == y || w.identicalElems(x.Elems, y.Elems, depth))
	case *Set:
		y, ok := b.(*Set)
		return ok && (x == y || x.Frozen == y.Frozen && w.identicalElems(x.Elems(), y.Elems(), depth))
	case *Dict:
		y, ok := b.(*Dict)
		return ok && (x == y || w.identicalElems(x.Keys(), y.Keys(), depth) && w.identicalElems(x.Values(), y.Values(), depth))
	case Slice:
		y, ok := b.(Slice)
		return ok && w.identicalElems([]Value{x.Start, x.Stop, x.Step}, []Value{y.Start, y.Stop, y.Step}, depth)
	}
	return same(a, b)
}

func (w *walk) identicalElems(x, y []Value, depth int) bool {
	if len(x) != len(y) {
		return false
	}
	if len(x) > 0 && &x[0] == &y[0] {
		return true
	}
	for i := range x {
		if !w.identical(x[i], y[i], depth+1) {
			return false
		}
	}
	return true
}

func sameNames(x, y []string) bool {
	if len(x) != len(y) || (x == nil) != (y == nil) {
		return false
	}
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}
