package pyval

import (
	"slices"
	"strings"

	"github.com/tegula-lang/tegula/internal/syntax"
)

// opNames are the operators as Python writes them in messages.
var opNames = map[syntax.Op]string{
	syntax.Add: "+", syntax.Sub: "-", syntax.Mult: "*", syntax.MatMult: "@", syntax.Div: "/", syntax.Mod: "%",
	syntax.Pow: "** or pow()", syntax.LShift: "<<", syntax.RShift: ">>", syntax.BitOr: "|", syntax.BitXor: "^",
	syntax.BitAnd: "&", syntax.FloorDiv: "//", syntax.Invert: "~", syntax.UAdd: "+", syntax.USub: "-",
	syntax.Eq: "==", syntax.NotEq: "!=", syntax.Lt: "<", syntax.LtE: "<=", syntax.Gt: ">", syntax.GtE: ">=",
	syntax.Is: "is", syntax.IsNot: "is not", syntax.In: "in", syntax.NotIn: "not in",
}

func binaryTypeError(op syntax.Op, a, b Value) error {
	return typeError("unsupported operand type(s) for %s: '%s' and '%s'", opNames[op], TypeName(a), TypeName(b))
}

// Binary gives a op b for an arithmetic, bitwise or shift operator.
func Binary(op syntax.Op, a, b Value) (Value, error) {
	a, b = unbox(a), unbox(b)
	switch {
	case isInt(a) && isInt(b):
		return boolBinary(op, a, b)
	case isNumber(a) && isNumber(b):
		return floatBinary(op, a, b)
	}
	switch op {
	case syntax.Add:
		return concat(a, b)
	case syntax.Mult:
		return repeat(a, b)
	case syntax.Mod:
		if s, ok := a.(string); ok {
			return printf(s, b)
		}
	case syntax.BitOr, syntax.BitAnd, syntax.Sub, syntax.BitXor:
		return setBinary(op, a, b)
	}
	return nil, binaryTypeError(op, a, b)
}

// boolBinary does a op b for two ints, of which both may be bools: &, | and ^ of bools are bools.
func boolBinary(op syntax.Op, a, b Value) (Value, error) {
	x, ok := a.(bool)
	if !ok {
		return intBinary(op, a, b)
	}
	y, ok := b.(bool)
	if !ok {
		return intBinary(op, a, b)
	}
	switch op {
	case syntax.BitAnd:
		return x && y, nil
	case syntax.BitOr:
		return x || y, nil
	case syntax.BitXor:
		return x != y, nil
	}
	return intBinary(op, a, b)
}

// Unary gives op a for -, +, ~ and not.
func Unary(op syntax.Op, a Value) (Value, error) {
	if op == syntax.Not {
		t, err := Truth(a)
		return !t, err
	}
	a = unbox(a)
	if isInt(a) {
		return intUnary(op, a), nil
	}
	if f, ok := a.(float64); ok {
		switch op {
		case syntax.USub:
			return -f, nil
		case syntax.UAdd:
			return f, nil
		}
	}
	return nil, typeError("bad operand type for unary %s: '%s'", opNames[op], TypeName(a))
}

func concat(a, b Value) (Value, error) {
	switch x := a.(type) {
	case string:
		y, ok := b.(string)
		if !ok {
			return nil, typeError("can only concatenate str (not \"%s\") to str", TypeName(b))
		}
		if len(x)+len(y) > MaxLen {
			return nil, tooLarge("str")
		}
		return x + y, nil
	case Tuple:
		y, ok := b.(Tuple)
		if !ok {
			return nil, typeError("can only concatenate tuple (not \"%s\") to tuple", TypeName(b))
		}
		elems, err := join(x.Elems, y.Elems)
		return Tuple{Elems: elems}, err
	case *List:
		y, ok := b.(*List)
		if !ok {
			return nil, typeError("can only concatenate list (not \"%s\") to list", TypeName(b))
		}
		elems, err := join(x.Elems, y.Elems)
		return &List{elems}, err
	}
	return nil, binaryTypeError(syntax.Add, a, b)
}

func join(x, y []Value) ([]Value, error) {
	if len(x)+len(y) > MaxLen {
		return nil, tooLarge("sequence")
	}
	return slices.Concat(x, y), nil // a copy even if one is empty: a list must own its elements
}

// repeat gives sequence * int, in either order.
func repeat(a, b Value) (Value, error) {
	seq, count := a, b
	if isInt(a) {
		seq, count = b, a
	}
	length := 0
	switch s := seq.(type) {
	case string:
		length = len(s)
	case Tuple:
		length = len(s.Elems)
	case *List:
		length = len(s.Elems)
	default:
		return nil, binaryTypeError(syntax.Mult, a, b)
	}
	if !isInt(count) {
		return nil, typeError("can't multiply sequence by non-int of type '%s'", TypeName(count))
	}
	n := bigOf(count)
	times := 0
	if n.Sign() > 0 && length > 0 {
		if !n.IsInt64() || n.Int64() > int64(MaxLen/length) {
			return nil, tooLarge("sequence")
		}
		times = int(n.Int64())
	}
	switch s := seq.(type) {
	case string:
		return strings.Repeat(s, times), nil
	case Tuple:
		return Tuple{Elems: repeatElems(s.Elems, times)}, nil
	case *List:
		return &List{repeatElems(s.Elems, times)}, nil
	}
	return nil, binaryTypeError(syntax.Mult, a, b)
}

func repeatElems(elems []Value, times int) []Value {
	out := make([]Value, 0, len(elems)*times)
	for range times {
		out = append(out, elems...)
	}
	return out
}

// setBinary does set algebra, and | of dicts.
func setBinary(op syntax.Op, a, b Value) (Value, error) {
	if x, ok := a.(*Dict); ok && op == syntax.BitOr {
		if y, ok := b.(*Dict); ok {
			out := x.Copy()
			return out, out.Update(y)
		}
	}
	x, ok := a.(*Set)
	if !ok {
		return nil, binaryTypeError(op, a, b)
	}
	y, ok := b.(*Set)
	if !ok {
		return nil, binaryTypeError(op, a, b)
	}
	out := &Set{Frozen: x.Frozen}
	for _, v := range x.Elems() {
		in, err := y.Has(v)
		if err != nil {
			return nil, err
		}
		if keep := op == syntax.BitOr || in == (op == syntax.BitAnd); keep {
			if err := out.Add(v); err != nil {
				return nil, err
			}
		}
	}
	if op != syntax.BitOr && op != syntax.BitXor {
		return out, nil
	}
	for _, v := range y.Elems() {
		in, err := x.Has(v)
		if err != nil {
			return nil, err
		}
		if !in {
			if err := out.Add(v); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}
