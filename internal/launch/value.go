package launch

import (
	"math"
	"math/big"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
)

// A Kind says what a Value is.
type Kind uint8

// The kinds.
const (
	KindConst      Kind = iota // a constant of Python's: None, a string, a type, a function; Const holds it
	KindBool                   // Bits is 0 or 1
	KindInt                    // Bits is the number, two's complement; DType the first of int32, int64, uint64 to hold it
	KindFloat                  // Bits is the number as a float64; DType is Float32
	KindArray                  // Host, Shape; DType is the elements'
	KindTuple                  // Elems, Names
	KindDescriptor             // Desc; Elems are the array, the sizes and the strides; DType is the elements'
)

// A Value is an argument as the call gave it. The zero Value is a constant and no argument
// (Const is nil; None is pyval.None).
type Value struct {
	Kind  Kind
	DType dtype.DType
	Bits  uint64
	Host  []byte // the array's bytes; empty and nil are the same
	Shape []int
	Const pyval.Value
	Elems []Value
	Names []string // of a named tuple
	Desc  *sema.DescSpec
}

// None is the argument None.
var None = Value{Kind: KindConst, Const: pyval.None}

// Int makes an integer argument.
func Int(n int64) Value {
	d := dtype.Int64
	if n >= math.MinInt32 && n <= math.MaxInt32 {
		d = dtype.Int32
	}
	return Value{Kind: KindInt, DType: d, Bits: uint64(n)}
}

// Uint makes an integer argument.
func Uint(n uint64) Value {
	if n > math.MaxInt64 {
		return Value{Kind: KindInt, DType: dtype.Uint64, Bits: n}
	}
	return Int(int64(n))
}

// Float makes a floating-point argument.
func Float(f float64) Value {
	return Value{Kind: KindFloat, DType: dtype.Float32, Bits: math.Float64bits(f)}
}

// FloatOf makes a floating-point argument of another type than float32.
func FloatOf(d dtype.DType, f float64) Value {
	return Value{Kind: KindFloat, DType: d, Bits: math.Float64bits(f)}
}

// Bool makes an int1 argument.
func Bool(b bool) Value {
	v := Value{Kind: KindBool, DType: dtype.Int1}
	if b {
		v.Bits = 1
	}
	return v
}

// Array makes an array argument out of this process's memory.
func Array(d dtype.DType, host []byte, shape ...int) Value {
	return Value{Kind: KindArray, DType: d, Host: host, Shape: shape}
}

// Const makes an argument that is known when the kernel is compiled.
func Const(v pyval.Value) Value { return Value{Kind: KindConst, Const: v} }

// FromPython makes an argument of what Python would pass: numbers become run-time scalars,
// everything else but tuples of them is a constant.
func FromPython(v pyval.Value) (Value, error) {
	switch v := v.(type) {
	case bool:
		return Bool(v), nil
	case int64:
		return Int(v), nil
	case *big.Int:
		if v.IsUint64() {
			return Uint(v.Uint64()), nil
		}
		return Const(v), nil // as a run-time argument specialise refuses it
	case float64:
		return Float(v), nil
	case *pyval.List:
		return tupleFromPython(v.Elems, nil)
	case pyval.Tuple:
		return tupleFromPython(v.Elems, v.Names)
	}
	return Const(v), nil
}

func tupleFromPython(elems []pyval.Value, names []string) (Value, error) {
	t := Value{Kind: KindTuple, Elems: make([]Value, len(elems)), Names: names}
	for i, e := range elems {
		var err error
		if t.Elems[i], err = FromPython(e); err != nil {
			return Value{}, err
		}
	}
	return t, nil
}

// Python gives the argument as host code sees it. Arrays are objects with shape, dtype,
// numel() and what else host code asks of a tensor.
func (v *Value) Python() pyval.Value {
	switch v.Kind {
	case KindBool:
		return v.Bits != 0
	case KindInt:
		if v.DType == dtype.Uint64 {
			return pyval.Int(new(big.Int).SetUint64(v.Bits))
		}
		return int64(v.Bits)
	case KindFloat:
		return math.Float64frombits(v.Bits)
	case KindArray:
		return &ArrayObject{DType: v.DType, Shape: v.Shape}
	case KindTuple:
		elems := make([]pyval.Value, len(v.Elems))
		for i := range elems {
			elems[i] = v.Elems[i].Python()
		}
		return pyval.Tuple{Elems: elems, Names: v.Names}
	}
	if v.Kind == KindDescriptor {
		return &DescriptorObject{v}
	}
	return v.Const
}

// IsNone reports whether the argument is None.
func (v *Value) IsNone() bool { return v.Kind == KindConst && v.Const == pyval.Value(pyval.None) }

// describe says what the argument is, for messages.
func (v *Value) describe() string {
	switch v.Kind {
	case KindBool:
		return "a bool"
	case KindInt:
		return "an integer"
	case KindFloat:
		return "a float"
	case KindArray:
		return "an array of " + v.DType.Attr()
	case KindTuple:
		return "a tuple"
	case KindDescriptor:
		return "a tensor descriptor of " + v.DType.Attr()
	}
	if v.IsNone() {
		return "None"
	}
	return "a value of type " + pyval.TypeName(v.Const)
}
