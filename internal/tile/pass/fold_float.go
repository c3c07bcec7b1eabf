package pass

import (
	"math"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/tile"
)

// floatFolders compute in f64 for f64, and else in f32 with one rounding to the element's
// format. Operations that a target may approximate are folded only where the correctly
// rounded result is among what it may give; the transcendental ones are left to the target.
var floatFolders = map[tile.Code]folder{
	tile.OpFAdd:   arithmetic(add[float32], add[float64]),
	tile.OpFSub:   arithmetic(sub[float32], sub[float64]),
	tile.OpFMul:   arithmetic(mul[float32], mul[float64]),
	tile.OpFDiv:   arithmetic(div[float32], div[float64]),
	tile.OpFDivRN: arithmetic(div[float32], div[float64]),
	tile.OpFRem:   arithmetic(rem[float32], rem[float64]),
	tile.OpFMin:   extremum(func(x, y float64) bool { return x < y }),
	tile.OpFMax:   extremum(func(x, y float64) bool { return x > y }),
	tile.OpClamp:  clamp,
	tile.OpFNeg:   sign(dtype.DType.Negate),
	tile.OpAbsF:   sign(dtype.DType.Abs),
	tile.OpSqrt:   function(math.Sqrt),
	tile.OpSqrtRN: function(math.Sqrt),
	tile.OpFloor:  function(math.Floor),
	tile.OpCeil:   function(math.Ceil),
	tile.OpCmpF:   cmpF,
}

type float interface{ float32 | float64 }

func add[T float](x, y T) T { return x + y }
func sub[T float](x, y T) T { return x - y }
func mul[T float](x, y T) T { return x * y }
func div[T float](x, y T) T { return x / y }

// rem is fmod, whose result is exact in the operands' format.
func rem[T float](x, y T) T { return T(math.Mod(float64(x), float64(y))) }

func arithmetic(f32 func(x, y float32) float32, f64 func(x, y float64) float64) folder {
	return func(op *tile.Op, x operands) (uint64, bool) {
		d := op.Args[0].Type.Elem().DType()
		a, b := d.Decode(x[0]), d.Decode(x[1])
		if op.Args[0].Type.Elem() == tile.F64 {
			return d.Encode(f64(a, b)), true
		}
		return d.Encode(float64(f32(float32(a), float32(b)))), true
	}
}

// function makes a folder of a function whose result, computed in f64 and rounded to f32,
// is the correctly rounded one in f32.
func function(f func(float64) float64) folder {
	return func(op *tile.Op, x operands) (uint64, bool) {
		d := op.Args[0].Type.Elem().DType()
		v := f(d.Decode(x[0]))
		if op.Args[0].Type.Elem() != tile.F64 {
			v = float64(float32(v))
		}
		return d.Encode(v), true
	}
}

func sign(f func(d dtype.DType, bits uint64) uint64) folder {
	return func(op *tile.Op, x operands) (uint64, bool) {
		return f(op.Args[0].Type.Elem().DType(), x[0]), true
	}
}

// extremum makes a folder of OpFMin or OpFMax, which give one of the operands as it is: not every format rounds all its numbers to themselves, as an
// infinity. The order of -0 and 0 is the target's.
func extremum(beyond func(x, y float64) bool) folder {
	return func(op *tile.Op, x operands) (uint64, bool) {
		d := op.Args[0].Type.Elem().DType()
		a, b := d.Decode(x[0]), d.Decode(x[1])
		propagate := op.Attr.(tile.NaNAttr).Propagate
		switch {
		case isNaN(a) && propagate, isNaN(b) && !propagate:
			return x[0], true
		case isNaN(a), isNaN(b):
			return x[1], true
		case a == 0 && b == 0 && x[0] != x[1]:
			return 0, false
		case beyond(a, b):
			return x[0], true
		}
		return x[1], true
	}
}

// clamp folds OpClamp of numbers, which gives one of them; what a NaN gives is left to the target, as is the order of -0 and 0.
func clamp(op *tile.Op, x operands) (uint64, bool) {
	d := op.Args[0].Type.Elem().DType()
	v, lo, hi := d.Decode(x[0]), d.Decode(x[1]), d.Decode(x[2])
	if isNaN(v) || isNaN(lo) || isNaN(hi) || v == 0 || lo == 0 && hi == 0 {
		return 0, false
	}
	switch {
	case hi < max(v, lo):
		return x[2], true
	case lo > v:
		return x[1], true
	}
	return x[0], true
}

func isNaN(x float64) bool { return x != x }

func cmpF(op *tile.Op, x operands) (uint64, bool) {
	d := op.Args[0].Type.Elem().DType()
	a, b := d.Decode(x[0]), d.Decode(x[1])
	return truth(compareFloats(op.Attr.(tile.CmpFAttr).Pred, a, b)), true
}

func compareFloats(p tile.CmpF, x, y float64) bool {
	unordered := isNaN(x) || isNaN(y)
	switch p {
	case tile.OEQ:
		return x == y
	case tile.ONE:
		return x != y && !unordered
	case tile.OLT:
		return x < y
	case tile.OLE:
		return x <= y
	case tile.OGT:
		return x > y
	case tile.OGE:
		return x >= y
	case tile.ORD:
		return !unordered
	case tile.UNO:
		return unordered
	}
	return !compareFloats(negatedF[p], x, y)
}

// floatBits gives the bits of a number as an element of type e.
func floatBits(e tile.Elem, x float64) (uint64, bool) {
	return e.DType().Encode(x), e.IsFloat()
}
