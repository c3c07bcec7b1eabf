package launch

import (
	"math"
	"math/big"
	"slices"
	"unsafe"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
)

// A Kind says what a Value is.
type Kind uint8

// The kinds.
const (
	Absent         Kind = iota // no argument
	KindNone                   // None
	KindStr                    // a string; its bytes are Host's
	KindConst                  // another constant of Python's: a type, a function; Const holds it
	KindBool                   // Bits is 0 or 1
	KindInt                    // Bits is the number, two's complement; DType the first of int32, int64, uint64 to hold it
	KindFloat                  // Bits is the number as a float64; DType is Float32 unless the caller said another
	KindArray                  // Bits is the address, Place where that is; DType is the elements'
	KindTuple                  // Const is a *Tuple
	KindDescriptor             // Const is a *Tuple: the array, the sizes and the strides; DType is the elements'
)

// A Value is an argument as the call gave it. The zero Value is none.
//
// A launch writes, reads and clears one for each argument, so Values are small, and are set field
// by field: what has no memory behind it sets no pointer.
type Value struct {
	Kind  Kind
	DType dtype.DType
	Fixed bool  // a constant, whatever the parameter says
	rank  uint8 // of shape
	Place driver.Place
	code  code // the class and the type, as keys have them; 0 if more than these is to be looked at
	Bits  uint64
	host  unsafe.Pointer // an array's first byte, if it is this process's
	bytes int            // of host
	shape *int           // an array's dimensions; nil for one, of as many elements as host has
	Const pyval.Value
}

// A Tuple is a tuple argument.
type Tuple struct {
	Elems []Value
	Names []string       // of a named tuple
	Desc  *sema.DescSpec // of a descriptor
}

// None is the argument None.
var None = Value{Kind: KindNone}

// SetNone makes v, which is Absent, the argument None.
func (v *Value) SetNone() { v.Kind = KindNone }

// intType gives the type of an integer argument.
func intType(n int64) dtype.DType {
	if n == int64(int32(n)) {
		return dtype.Int32
	}
	return dtype.Int64
}

// SetInt makes v, which is Absent, an integer.
func (v *Value) SetInt(n int64) {
	d := intType(n)
	v.Kind, v.DType, v.code, v.Bits = KindInt, d, codeInt|code(d), uint64(n)
}

// SetUint makes v, which is Absent, an integer.
func (v *Value) SetUint(n uint64) {
	if n <= math.MaxInt64 {
		v.SetInt(int64(n))
		return
	}
	v.Kind, v.DType, v.code, v.Bits = KindInt, dtype.Uint64, codeInt|code(dtype.Uint64), n
}

// SetFloat makes v, which is Absent, a floating-point number of a type.
func (v *Value) SetFloat(d dtype.DType, f float64) {
	v.Kind, v.DType, v.code, v.Bits = KindFloat, d, codeOther|code(d), math.Float64bits(f)
}

// SetBool makes v, which is Absent, an int1.
func (v *Value) SetBool(b bool) {
	v.Kind, v.DType, v.code = KindBool, dtype.Int1, codeOther|code(dtype.Int1)
	if b {
		v.Bits = 1
	}
}

// SetHost makes v, which is Absent, an array in this process's memory. A nil shape is that of one
// dimension.
func (v *Value) SetHost(d dtype.DType, host []byte, shape []int) {
	v.Kind, v.DType, v.code = KindArray, d, codeArray|code(d)
	v.setMemory(uint64(uintptr(unsafe.Pointer(unsafe.SliceData(host)))), host)
	if shape != nil {
		v.setShape(shape)
	}
}

func (v *Value) setMemory(address uint64, host []byte) {
	v.Bits, v.host, v.bytes = address, unsafe.Pointer(unsafe.SliceData(host)), len(host)
}

// scalarShape is where the shapes of no dimensions are, so that they are not nil.
var scalarShape int

// setShape sets the shape; ranks beyond what a byte holds are cut.
func (v *Value) setShape(shape []int) {
	v.shape, v.rank = unsafe.SliceData(shape), uint8(min(len(shape), math.MaxUint8))
	if len(shape) == 0 {
		v.shape = &scalarShape
	}
}

// Host gives an array's bytes, nil if they are not this process's.
func (v *Value) Host() []byte { return unsafe.Slice((*byte)(v.host), v.bytes) }

// SetBuffer makes v, which is Absent, an array in a device's memory. It keeps nothing of the Buffer
// itself, so that the pointer to it does not escape.
func (v *Value) SetBuffer(b *driver.Buffer) {
	v.Kind, v.DType, v.code, v.Place = KindArray, b.DType, codeArray|code(b.DType), b.Place
	v.setMemory(b.Address, b.Host)
	v.setShape(b.Shape)
}

// SetStr makes v, which is Absent, a string.
func (v *Value) SetStr(s string) {
	v.Kind, v.host, v.bytes = KindStr, unsafe.Pointer(unsafe.StringData(s)), len(s)
}

// str gives the string that v is.
func (v *Value) str() string { return unsafe.String((*byte)(v.host), v.bytes) }

// SetConst makes v, which is Absent, a constant.
func (v *Value) SetConst(c pyval.Value) {
	switch c := c.(type) {
	case pyval.NoneType:
		v.Kind = KindNone
	case string:
		v.SetStr(c)
	default:
		v.Kind, v.Const = KindConst, c
	}
}

// Fix makes v a constant, whatever its parameter says.
func (v *Value) Fix() { v.Fixed, v.code = true, 0 }

// SetTuple makes v, which is Absent, a tuple.
func (v *Value) SetTuple(t *Tuple) { v.Kind, v.Const = KindTuple, t }

// SetPython makes v, which is Absent, what Python would pass: numbers become run-time scalars,
// everything else but tuples of them is a constant.
func (v *Value) SetPython(p pyval.Value) {
	switch p := p.(type) {
	case bool:
		v.SetBool(p)
	case int64:
		v.SetInt(p)
	case *big.Int:
		if p.IsUint64() {
			v.SetUint(p.Uint64())
		} else {
			v.SetConst(p) // as a run-time argument specialise refuses it
		}
	case float64:
		v.SetFloat(dtype.Float32, p)
	case *pyval.List, pyval.Tuple:
		left := MaxTuple
		if t := tupleFromPython(p, &left, 0); t != nil {
			v.SetTuple(t)
		} else {
			v.SetConst(oversized{})
		}
	default:
		v.SetConst(p)
	}
}

// The bounds of a tuple argument: its elements, with those of the tuples in it, and how deep these are. They
// may be shared, so what is small in memory may be large.
const (
	MaxTuple      = 1 << 16
	MaxTupleDepth = 64
)

// An oversized stands for a tuple that is none of a kernel's arguments.
type oversized struct{}

// TypeName says so in messages.
func (oversized) TypeName() string { return "tuple that is too large or nested too deeply" }

// tupleFromPython makes a tuple of a tuple or list, with what is left of the elements that it may have; nil if it has more.
func tupleFromPython(p pyval.Value, left *int, depth int) *Tuple {
	var elems []pyval.Value
	t := &Tuple{}
	switch p := p.(type) {
	case *pyval.List:
		elems = p.Elems
	case pyval.Tuple:
		elems, t.Names = p.Elems, p.Names
	}
	if *left -= len(elems); *left < 0 || depth > MaxTupleDepth {
		return nil
	}
	t.Elems = make([]Value, len(elems))
	for i, e := range elems {
		switch e.(type) {
		case *pyval.List, pyval.Tuple:
			inner := tupleFromPython(e, left, depth+1)
			if inner == nil {
				return nil
			}
			t.Elems[i].SetTuple(inner)
		default:
			t.Elems[i].SetPython(e)
		}
	}
	return t
}

// Const makes a constant argument.
func Const(c pyval.Value) (v Value) {
	v.SetConst(c)
	return v
}

// FromPython makes an argument of what Python would pass.
func FromPython(p pyval.Value) (v Value) {
	v.SetPython(p)
	return v
}

// tuple gives the tuple, or the parts of the descriptor, that v is.
func (v *Value) tuple() *Tuple {
	t, _ := v.Const.(*Tuple)
	return t
}

// at gives an element of a tuple, or a part of a descriptor, by its path.
func (v *Value) at(path []int) *Value {
	for _, i := range path {
		v = &v.tuple().Elems[i]
	}
	return v
}

// Dims gives an array's shape.
func (v *Value) Dims() []int {
	if v.shape == nil {
		return []int{v.bytes / v.DType.Bytes()}
	}
	return unsafe.Slice(v.shape, int(v.rank))
}

// Len gives the number of an array's elements.
func (v *Value) Len() int {
	if v.shape == nil {
		return v.bytes / v.DType.Bytes()
	}
	n := 1
	for _, d := range v.Dims() {
		n *= d
	}
	return n
}

// Int gives an integer argument. ok is false if v is none, or too large.
func (v *Value) Int() (n int, ok bool) {
	switch v.Kind {
	case KindInt:
		n = int(v.Bits)
		return n, v.DType != dtype.Uint64 && int64(n) == int64(v.Bits)
	case KindConst:
		c, isInt := v.Const.(int64)
		n = int(c)
		return n, isInt && int64(n) == c
	}
	return 0, false
}

// Python gives the argument as host code sees it. Arrays are objects with shape, dtype,
// numel() and what else host code asks of a tensor.
func (v *Value) Python() pyval.Value {
	switch v.Kind {
	case KindNone:
		return pyval.None
	case KindStr:
		return v.str()
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
		return &ArrayObject{DType: v.DType, Shape: v.Dims()}
	case KindTuple:
		t := v.tuple()
		elems := make([]pyval.Value, len(t.Elems))
		for i := range elems {
			elems[i] = t.Elems[i].Python()
		}
		return pyval.Tuple{Elems: elems, Names: t.Names}
	case KindDescriptor:
		return &DescriptorObject{v.tuple()}
	}
	return v.Const
}

// describe says what the argument is, for messages.
func (v *Value) describe() string {
	switch v.Kind {
	case KindNone:
		return "None"
	case KindStr:
		return "a value of type str"
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
	return "a value of type " + pyval.TypeName(v.Const)
}

// hasArray reports whether v is or contains an array.
func (v *Value) hasArray() bool {
	if v.Kind == KindArray {
		return true
	}
	t := v.tuple()
	return t != nil && slices.ContainsFunc(t.Elems, func(e Value) bool { return e.hasArray() })
}

// bits gives a scalar argument's bits in the type that the compiled kernel takes.
func (v *Value) bits(d dtype.DType) uint64 {
	switch {
	case v.Kind == KindFloat:
		return d.Encode(math.Float64frombits(v.Bits))
	case !d.IsFloat():
		return v.Bits & (math.MaxUint64 >> (64 - d.Bits()))
	case v.Kind == KindInt && v.DType != dtype.Uint64:
		return d.Encode(float64(int64(v.Bits)))
	default:
		return d.Encode(float64(v.Bits))
	}
}
