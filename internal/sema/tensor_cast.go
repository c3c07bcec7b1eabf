package sema

import (
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/tile"
)

// cast converts x's elements to a number type: floats to nearest even, float to int towards
// zero, anything to int1 by comparing with zero.
func (g *gen) cast(x Tensor, to dtype.DType, at syntax.Node) Tensor {
	return g.castType(x, ScalarType(to), at)
}

// castType converts x's elements to those of type to, whose shape is ignored; pointers too.
func (g *gen) castType(x Tensor, to Type, at syntax.Node) Tensor {
	return g.castRounding(x, to, tile.NearestEven, at)
}

// castRounding is castType with the rounding of a float that becomes a narrower one.
func (g *gen) castRounding(x Tensor, to Type, r tile.Round, at syntax.Node) Tensor {
	from := x.Type()
	to = to.Scalar()
	switch {
	case from.Scalar() == to:
		return x
	case from.IsPtr() || to.IsPtr():
		return g.castPointer(x, to, at)
	case to.DType == dtype.Void:
		g.fail(at, "type-mismatch", "cannot cast %s to void", from)
	case from.isFloat() && to.isFloat():
		return Tensor{g.floatToFloat(x.V, from.DType, to.DType, r), to.DType}
	case from.isFP8() || to.isFP8():
		g.fail(at, "type-mismatch", "cannot cast %s to %s; go through float32", from, to)
	case to.isBool():
		return g.notZero(x)
	case from.isInt() && to.isInt():
		return Tensor{g.intToInt(x.V, from.DType, to.DType), to.DType}
	case from.isInt():
		return g.intToFloat(x, to.DType)
	}
	return g.floatToInt(x, to.DType)
}

// notZero compares with zero; NaN is not zero.
func (g *gen) notZero(x Tensor) Tensor {
	zero := g.zero(x.Type())
	if x.Type().isFloat() {
		return Tensor{g.b.CmpF(tile.UNE, x.V, zero.V), dtype.Int1}
	}
	return Tensor{g.b.CmpI(tile.NE, x.V, zero.V), dtype.Int1}
}

// intToInt changes the width of an integer; between equal widths only the sign's meaning changes.
func (g *gen) intToInt(v *tile.Value, from, to dtype.DType) *tile.Value {
	elem := tile.Scalar(elems[to])
	switch {
	case from.Bits() == to.Bits():
		return v
	case from.Bits() > to.Bits():
		return g.b.Cast(tile.OpTrunc, v, elem)
	case from.IsSigned():
		return g.b.Cast(tile.OpExtS, v, elem)
	}
	return g.b.Cast(tile.OpExtU, v, elem)
}

// floatToFloat rounds once, whatever the two types are.
func (g *gen) floatToFloat(v *tile.Value, from, to dtype.DType, r tile.Round) *tile.Value {
	if from.Bits() < to.Bits() {
		return g.b.Cast(tile.OpFExt, v, tile.Scalar(elems[to]))
	}
	return g.b.FTrunc(v, elems[to], r)
}

func (g *gen) intToFloat(x Tensor, to dtype.DType) Tensor {
	code := tile.OpUToF
	if x.DType.IsSigned() {
		code = tile.OpSToF
	}
	return Tensor{g.b.Cast(code, x.V, tile.Scalar(elems[to])), to}
}

// floatToInt widens the floats of 16 bits and fewer to float32 first, which is exact.
func (g *gen) floatToInt(x Tensor, to dtype.DType) Tensor {
	v := x.V
	if x.DType.Bits() < 32 {
		v = g.b.Cast(tile.OpFExt, v, tile.Scalar(tile.F32))
	}
	code := tile.OpFToU
	if to.IsSigned() {
		code = tile.OpFToS
	}
	return Tensor{g.b.Cast(code, v, tile.Scalar(elems[to])), to}
}

// castPointer converts between pointers, and between pointers and integers.
func (g *gen) castPointer(x Tensor, to Type, at syntax.Node) Tensor {
	from := x.Type()
	switch {
	case from.IsPtr() && to.IsPtr():
		if from.Tile.Scalar() == to.Tile { // int32 and uint32 pointees are one type there
			return Tensor{x.V, to.DType}
		}
		return Tensor{g.b.Cast(tile.OpBitcast, x.V, to.Tile), to.DType}
	case to.IsPtr() && from.isInt() && from.DType.Bits() == 64:
		return Tensor{g.b.Cast(tile.OpIntToPtr, x.V, to.Tile), to.DType}
	case from.IsPtr() && to.isInt() && (to.DType.Bits() == 64 || to.isBool()):
		v := Tensor{g.b.Cast(tile.OpPtrToInt, x.V, tile.Scalar(tile.I64)), dtype.Int64}
		return g.cast(v, to.DType, at)
	}
	g.fail(at, "type-mismatch", "cannot cast %s to %s; a pointer converts to another one and to int64, uint64 or int1, and 64-bit integers to pointers", from, to)
	return Tensor{}
}

// bitcast reads x's bits as elements of type to, which must have the same width.
func (g *gen) bitcast(x Tensor, to Type, at syntax.Node) Tensor {
	from := x.Type()
	to = to.Scalar()
	if from.Scalar() == to {
		return x
	}
	if from.IsPtr() || to.IsPtr() {
		return g.castPointer(x, to, at)
	}
	if to.DType == dtype.Void || from.DType.Bits() != to.DType.Bits() {
		g.fail(at, "type-mismatch", "cannot bitcast %s to %s: their widths differ, %d and %d bits",
			from, to, from.DType.Bits(), to.DType.Bits())
	}
	if from.Tile.Scalar() == to.Tile {
		return Tensor{x.V, to.DType}
	}
	return Tensor{g.b.Cast(tile.OpBitcast, x.V, to.Tile), to.DType}
}
