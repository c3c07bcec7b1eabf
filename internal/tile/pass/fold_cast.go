package pass

import (
	"math"

	"github.com/tegula-lang/tegula/internal/tile"
)

var castFolders = map[tile.Code]folder{
	tile.OpTrunc:    sameBits,
	tile.OpExtU:     sameBits,
	tile.OpExtS:     extS,
	tile.OpBitcast:  sameBits,
	tile.OpIntToPtr: sameBits,
	tile.OpPtrToInt: sameBits,
	tile.OpFExt:     fcast,
	tile.OpFTrunc:   fcast,
	tile.OpSToF:     sToF,
	tile.OpUToF:     uToF,
	tile.OpFToS:     fToS,
	tile.OpFToU:     fToU,
	tile.OpSelect:   choose,
}

func sameBits(_ *tile.Op, x operands) (uint64, bool) { return x[0], true }

func extS(op *tile.Op, x operands) (uint64, bool) {
	return uint64(signExtend(x[0], op.Args[0].Type.ElemBits())), true
}

func fcast(op *tile.Op, x operands) (uint64, bool) {
	from, to := op.Args[0].Type.Elem().DType(), op.Results[0].Type.Elem().DType()
	v := from.Decode(x[0])
	if a, ok := op.Attr.(tile.RoundAttr); ok && a.Mode == tile.TowardsZero {
		return to.EncodeRTZ(v), true
	}
	return to.Encode(v), true
}

// maxExact bounds the integers that every float from f32 up holds, so that rounding to a
// narrower format in one step or by way of f32 is the same.
const maxExact = 1 << 24

func sToF(op *tile.Op, x operands) (uint64, bool) {
	v := signExtend(x[0], op.Args[0].Type.ElemBits())
	to := op.Results[0].Type.Elem()
	switch {
	case op.Args[0].Type.IsBool():
		return 0, false
	case to == tile.F32:
		return uint64(math.Float32bits(float32(v))), true
	case to == tile.F64 || -maxExact <= v && v <= maxExact:
		return to.DType().Encode(float64(v)), true
	}
	return 0, false
}

func uToF(op *tile.Op, x operands) (uint64, bool) {
	to := op.Results[0].Type.Elem()
	switch {
	case to == tile.F32:
		return uint64(math.Float32bits(float32(x[0]))), true
	case to == tile.F64 || x[0] <= maxExact:
		return to.DType().Encode(float64(x[0])), true
	}
	return 0, false
}

// fToS leaves what is out of range to the target.
func fToS(op *tile.Op, x operands) (uint64, bool) {
	v := math.Trunc(op.Args[0].Type.Elem().DType().Decode(x[0]))
	limit := math.Ldexp(1, op.Results[0].Type.ElemBits()-1)
	if !(-limit <= v && v < limit) || op.Results[0].Type.IsBool() {
		return 0, false
	}
	return uint64(int64(v)), true
}

func fToU(op *tile.Op, x operands) (uint64, bool) {
	v := math.Trunc(op.Args[0].Type.Elem().DType().Decode(x[0]))
	if !(0 <= v && v < math.Ldexp(1, op.Results[0].Type.ElemBits())) || op.Results[0].Type.IsBool() {
		return 0, false
	}
	return uint64(v), true
}

func choose(_ *tile.Op, x operands) (uint64, bool) {
	if x[0] != 0 {
		return x[1], true
	}
	return x[2], true
}
