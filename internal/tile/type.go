package tile

import (
	"math/bits"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/dtype"
)

// An Elem is an element type without sign.
type Elem uint8

// The element types. The float8 formats are named as in package dtype.
const (
	NoElem Elem = iota
	I1
	I8
	I16
	I32
	I64
	F8E4M3
	F8E5M2
	F8E4B15
	F8E4M3FZ
	F8E5M2FZ
	BF16
	F16
	F32
	F64
	numElems
)

// elemInfo has a row for each number, so that no Elem is out of its range.
var elemInfo = [1 << 8]struct {
	name  string
	bits  uint8
	dtype dtype.DType
}{
	NoElem:   {"none", 0, dtype.Invalid},
	I1:       {"i1", 1, dtype.Int1},
	I8:       {"i8", 8, dtype.Int8},
	I16:      {"i16", 16, dtype.Int16},
	I32:      {"i32", 32, dtype.Int32},
	I64:      {"i64", 64, dtype.Int64},
	F8E4M3:   {"f8e4m3", 8, dtype.Float8E4M3},
	F8E5M2:   {"f8e5m2", 8, dtype.Float8E5M2},
	F8E4B15:  {"f8e4b15", 8, dtype.Float8E4B15},
	F8E4M3FZ: {"f8e4m3fz", 8, dtype.Float8E4M3FZ},
	F8E5M2FZ: {"f8e5m2fz", 8, dtype.Float8E5M2FZ},
	BF16:     {"bf16", 16, dtype.BFloat16},
	F16:      {"f16", 16, dtype.Float16},
	F32:      {"f32", 32, dtype.Float32},
	F64:      {"f64", 64, dtype.Float64},
}

// String gives the name used in the text form.
func (e Elem) String() string {
	if e >= numElems {
		return "bad"
	}
	return elemInfo[e].name
}

// Bits gives the width: 1 for i1.
func (e Elem) Bits() int { return int(elemInfo[e].bits) }

// Bytes gives the size in memory: 1 for i1.
func (e Elem) Bytes() int { return (int(elemInfo[e].bits) + 7) / 8 }

// DType gives the type in the language; the signed one for integers.
func (e Elem) DType() dtype.DType { return elemInfo[e].dtype }

// IsInt reports whether e is an integer type (i1 too).
func (e Elem) IsInt() bool { return e >= I1 && e <= I64 }

// IsFloat reports whether e is a floating-point type.
func (e Elem) IsFloat() bool { return e >= F8E4M3 && e <= F64 }

// IsFP8 reports whether e is an 8-bit floating-point type.
func (e Elem) IsFP8() bool { return e >= F8E4M3 && e <= F8E5M2FZ }

// MaxRank is the largest rank of a tile; MaxLogElems the logarithm of the largest
// number of its elements; MaxPtrDepth the deepest pointer.
const (
	MaxRank     = 24
	MaxLogElems = 20
	MaxPtrDepth = 2
)

// A Type is a scalar (rank 0), a tile of elements, or a descriptor of tiles (type_desc.go). It
// is a small comparable value: two types are the same if they are ==. The zero Type is "no type".
type Type struct {
	elem Elem  // for pointers, the pointee
	ptr  uint8 // pointer depth: 0 a number, 1 a pointer to elem, 2 a pointer to such a pointer
	desc descFlags
	rank uint8
	log  [MaxRank]uint8 // log2 of each dimension; of a descriptor, of its block's
}

// Scalar gives the scalar type of an element type.
func Scalar(e Elem) Type { return Type{elem: e} }

// PtrTo gives the type of pointers to values of t's element type (one level more of
// pointer), with t's shape.
func PtrTo(t Type) Type {
	t.ptr++
	return t
}

// Pointee gives the type of what pointers of type t point to, with t's shape.
func (t Type) Pointee() Type {
	if t.ptr > 0 {
		t.ptr--
	}
	return t
}

// IsZero reports whether t is no type.
func (t Type) IsZero() bool { return t.elem == NoElem }

// Elem gives the element type; for pointers, the innermost pointee.
func (t Type) Elem() Elem { return t.elem }

// PtrDepth gives the pointer depth.
func (t Type) PtrDepth() int { return int(t.ptr) }

// IsPtr reports whether the elements are pointers.
func (t Type) IsPtr() bool { return t.ptr > 0 }

// IsInt reports whether the elements are integers.
func (t Type) IsInt() bool { return t.isNumber() && t.elem.IsInt() }

// IsFloat reports whether the elements are floating-point numbers.
func (t Type) IsFloat() bool { return t.isNumber() && t.elem.IsFloat() }

// IsBool reports whether the elements are i1.
func (t Type) IsBool() bool { return t.isNumber() && t.elem == I1 }

func (t Type) isNumber() bool { return t.ptr == 0 && t.desc == 0 }

// ElemBits gives the width of an element; pointers have 64.
func (t Type) ElemBits() int {
	if t.isNumber() {
		return t.elem.Bits()
	}
	return 64
}

// ElemBytes gives the size of an element in memory.
func (t Type) ElemBytes() int {
	if t.isNumber() {
		return t.elem.Bytes()
	}
	return 8
}

// IsScalar reports whether t has rank 0.
func (t Type) IsScalar() bool { return t.rank == 0 }

// IsTile reports whether t is a tile: of rank 1 or more, and no descriptor.
func (t Type) IsTile() bool { return t.rank > 0 && t.desc == 0 }

// Rank gives the number of dimensions.
func (t Type) Rank() int { return int(t.rank) }

// Dim gives the size of dimension i.
func (t Type) Dim(i int) int { return 1 << t.log[i] }

// LogDim gives log2 of dimension i.
func (t Type) LogDim(i int) int { return int(t.log[i]) }

// LogElems gives log2 of the number of elements.
func (t Type) LogElems() int {
	n := 0
	for _, l := range t.log[:t.rank] {
		n += int(l)
	}
	return n
}

// NumElems gives the number of elements: 1 for a scalar.
func (t Type) NumElems() int { return 1 << t.LogElems() }

// Shape gives the dimensions.
func (t Type) Shape() []int {
	s := make([]int, t.rank)
	for i := range s {
		s[i] = t.Dim(i)
	}
	return s
}

// Scalar gives the type of one element of t.
func (t Type) Scalar() Type { return Type{elem: t.elem, ptr: t.ptr} }

// WithElem gives t's shape with another number type as element.
func (t Type) WithElem(e Elem) Type {
	t.elem, t.ptr, t.desc = e, 0, 0
	return t
}

// WithScalar gives t's shape with s's element.
func (t Type) WithScalar(s Type) Type {
	t.elem, t.ptr, t.desc = s.elem, s.ptr, 0
	return t
}

// WithShapeOf gives t's element in u's shape.
func (t Type) WithShapeOf(u Type) Type { return u.WithScalar(t) }

// SameShape reports whether t and u have the same shape.
func (t Type) SameShape(u Type) bool {
	return t.rank == u.rank && t.log == u.log && t.IsDesc() == u.IsDesc()
}

// WithShape gives t's element in a new shape. It reports false if a dimension is no
// power of two, the rank exceeds MaxRank or the elements exceed 2^MaxLogElems.
func (t Type) WithShape(shape ...int) (Type, bool) {
	u := t.Scalar()
	if len(shape) > MaxRank {
		return Type{}, false
	}
	sum := 0
	for i, n := range shape {
		if n <= 0 || n&(n-1) != 0 {
			return Type{}, false
		}
		l := bits.TrailingZeros64(uint64(n))
		sum += l
		if sum > MaxLogElems {
			return Type{}, false
		}
		u.log[i] = uint8(l)
	}
	u.rank = uint8(len(shape))
	return u, true
}

// InsertDim gives t with a dimension of size 1 before position axis (0 ≤ axis ≤ rank).
func (t Type) InsertDim(axis int) Type {
	copy(t.log[axis+1:], t.log[axis:t.rank])
	t.log[axis] = 0
	t.rank++
	return t
}

// AppendDim gives t with a last dimension of size 2^log.
func (t Type) AppendDim(log int) Type {
	t.log[t.rank] = uint8(log)
	t.rank++
	return t
}

// DropDim gives t without dimension axis.
func (t Type) DropDim(axis int) Type {
	copy(t.log[axis:], t.log[axis+1:t.rank])
	t.rank--
	t.log[t.rank] = 0
	return t
}

// WithDim gives t with dimension axis of size 2^log.
func (t Type) WithDim(axis, log int) Type {
	t.log[axis] = uint8(log)
	return t
}

// String gives the text form: f32, ptr<f16>, 128x64xf32, 128xptr<i8>, desc<128x64xf16>.
func (t Type) String() string {
	if t.IsDesc() {
		return t.descString()
	}
	var b strings.Builder
	for i := range min(int(t.rank), MaxRank) { // InsertDim can give one more, which Verify reports
		b.WriteString(strconv.Itoa(t.Dim(i)))
		b.WriteByte('x')
	}
	for range t.ptr {
		b.WriteString("ptr<")
	}
	b.WriteString(t.elem.String())
	for range t.ptr {
		b.WriteByte('>')
	}
	return b.String()
}
