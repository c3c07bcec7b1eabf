package sema

import (
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/tile"
)

// elems gives the tile IR's element for each element type of the language.
var elems = map[dtype.DType]tile.Elem{
	dtype.Int1:         tile.I1,
	dtype.Int8:         tile.I8,
	dtype.Int16:        tile.I16,
	dtype.Int32:        tile.I32,
	dtype.Int64:        tile.I64,
	dtype.Uint8:        tile.I8,
	dtype.Uint16:       tile.I16,
	dtype.Uint32:       tile.I32,
	dtype.Uint64:       tile.I64,
	dtype.Float8E4M3:   tile.F8E4M3,
	dtype.Float8E5M2:   tile.F8E5M2,
	dtype.Float8E4B15:  tile.F8E4B15,
	dtype.Float8E4M3FZ: tile.F8E4M3FZ,
	dtype.Float8E5M2FZ: tile.F8E5M2FZ,
	dtype.BFloat16:     tile.BF16,
	dtype.Float16:      tile.F16,
	dtype.Float32:      tile.F32,
	dtype.Float64:      tile.F64,
}

// ScalarType gives the type of a scalar.
func ScalarType(d dtype.DType) Type { return Type{d, tile.Scalar(elems[d])} }

// PointerTo gives the type of pointers to t, which is a scalar type.
func PointerTo(t Type) Type { return Type{t.DType, tile.PtrTo(t.Tile)} }

// IsPtr reports whether t is a pointer or a tile of pointers.
func (t Type) IsPtr() bool { return t.Tile.IsPtr() }

// IsTile reports whether t has a shape.
func (t Type) IsTile() bool { return t.Tile.IsTile() }

// Scalar gives the type of one element.
func (t Type) Scalar() Type { return Type{t.DType, t.Tile.Scalar()} }

// Pointee gives the type of what pointers of type t point to, in t's shape.
func (t Type) Pointee() Type { return Type{t.DType, t.Tile.Pointee()} }

// WithElem gives t's shape with another element type.
func (t Type) WithElem(d dtype.DType) Type { return Type{d, t.Tile.WithElem(elems[d])} }

// isNumber reports whether the elements are numbers of the given kind of test.
func (t Type) isNumber(is func(dtype.DType) bool) bool { return !t.IsPtr() && is(t.DType) }

// isInt reports whether the elements are integers; int1 counts as one.
func (t Type) isInt() bool { return t.isNumber(dtype.DType.IsInt) }

// isFloat reports whether the elements are floating-point numbers.
func (t Type) isFloat() bool { return t.isNumber(dtype.DType.IsFloat) }

// isFP8 reports whether the elements are 8-bit floating-point numbers.
func (t Type) isFP8() bool { return t.isNumber(dtype.DType.IsFP8) }

// isBool reports whether the elements are int1.
func (t Type) isBool() bool { return t.isNumber(dtype.DType.IsBool) }

// String gives the type as messages name it: float32, pointer<int8>, float16[128, 64].
func (t Type) String() string {
	var b strings.Builder
	depth := t.Tile.PtrDepth()
	for range depth {
		b.WriteString("pointer<")
	}
	b.WriteString(t.DType.Attr())
	for range depth {
		b.WriteByte('>')
	}
	if t.IsTile() {
		b.WriteString(shapeString(t.Tile))
	}
	return b.String()
}

// shapeString gives a shape as messages name it: [128, 64].
func shapeString(t tile.Type) string { return dimsString(t.Shape()) }

func dimsString[T int | int64](dims []T) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, n := range dims {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.FormatInt(int64(n), 10))
	}
	b.WriteByte(']')
	return b.String()
}

// tritonName gives the type as str() does in the language: fp32, pointer<int8>, <['128'], fp16>.
func (t Type) tritonName() string {
	name := scalarName(t.DType)
	for range t.Tile.PtrDepth() {
		name = "pointer<" + name + ">"
	}
	if !t.IsTile() {
		return name
	}
	dims := make([]string, t.Tile.Rank())
	for i := range dims {
		dims[i] = "'" + strconv.Itoa(t.Tile.Dim(i)) + "'"
	}
	return "<[" + strings.Join(dims, ", ") + "], " + name + ">"
}

// scalarName gives dtype.name: fp32, bf16, int8, uint8, int1.
func scalarName(d dtype.DType) string {
	if d.IsInt() {
		return d.Attr()
	}
	return d.String()
}

// allDTypes lists the element types, void too.
func allDTypes() []dtype.DType {
	var all []dtype.DType
	for d := dtype.Void; d <= dtype.Float64; d++ {
		all = append(all, d)
	}
	return all
}
