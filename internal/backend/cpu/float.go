package cpu

import (
	"math"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/tile"
)

// floatBinary plans arithmetic on two floats. What is narrower than f32 is computed in f32
// and rounded once; the extremum of two float8 is chosen.
func (p *planner) floatBinary(op *tile.Op) error {
	e := op.Result().Type.Elem()
	d, in := p.elementwise(op)
	if e.IsFP8() && (op.Code == tile.OpFMin || op.Code == tile.OpFMax) {
		f := extremumFP8(op.Code, e, op.Attr.(tile.NaNAttr).Propagate)
		p.emit(op, binary(storing[uint8](d), stored[uint8](in[0]), stored[uint8](in[1]), each2(f)))
		return nil
	}
	if e == tile.F64 {
		p.emit(op, binary(storing[float64](d), stored[float64](in[0]), stored[float64](in[1]), floatKernel[float64](op)))
		return nil
	}
	p.emit(op, binary(sinkF32(e, d), sourceF32(e, in[0]), sourceF32(e, in[1]), floatKernel[float32](op)))
	return nil
}

func floatKernel[T float](op *tile.Op) func(d, x, y []T) {
	switch op.Code {
	case tile.OpFAdd:
		return add[T]
	case tile.OpFSub:
		return sub[T]
	case tile.OpFMul:
		return mul[T]
	case tile.OpFDiv, tile.OpFDivRN:
		return div[T]
	case tile.OpFRem:
		return each2(func(x, y T) T { return T(math.Mod(float64(x), float64(y))) })
	}
	propagate := op.Attr.(tile.NaNAttr).Propagate
	switch {
	case op.Code == tile.OpFMin && propagate:
		return minNaN[T]
	case op.Code == tile.OpFMax && propagate:
		return maxNaN[T]
	case op.Code == tile.OpFMin:
		return each2(minNum[T])
	}
	return each2(maxNum[T])
}

func div[T float](d, x, y []T) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = x[i] / y[i]
	}
}

// Go's min and max propagate NaN and order -0 before +0, as IEEE 754's minimum and maximum do.
func minNaN[T float](d, x, y []T) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = min(x[i], y[i])
	}
}

func maxNaN[T float](d, x, y []T) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = max(x[i], y[i])
	}
}

// minNum and maxNum give the other operand where one is NaN.
func minNum[T float](x, y T) T {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return min(x, y)
}

func maxNum[T float](x, y T) T {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return max(x, y)
}

// floatTernary plans OpFMA and OpClamp.
func (p *planner) floatTernary(op *tile.Op) error {
	e := op.Result().Type.Elem()
	d, in := p.elementwise(op)
	if e.IsFP8() && op.Code == tile.OpClamp {
		f := clampFP8(e, op.Attr.(tile.NaNAttr).Propagate)
		p.emit(op, ternary(storing[uint8](d), stored[uint8](in[0]), stored[uint8](in[1]), stored[uint8](in[2]), each3(f)))
		return nil
	}
	if e == tile.F64 {
		p.emit(op, ternary(storing[float64](d), stored[float64](in[0]), stored[float64](in[1]), stored[float64](in[2]),
			ternaryKernel(op, math.FMA)))
		return nil
	}
	p.emit(op, ternary(sinkF32(e, d), sourceF32(e, in[0]), sourceF32(e, in[1]), sourceF32(e, in[2]),
		ternaryKernel(op, fma32)))
	return nil
}

func ternaryKernel[T float](op *tile.Op, fma func(x, y, z T) T) func(d, x, y, z []T) {
	f := fma
	if op.Code == tile.OpClamp {
		f = clampNum[T]
		if op.Attr.(tile.NaNAttr).Propagate {
			f = clampNaN[T]
		}
	}
	return each3(f)
}

// A NaN x gives lo, as minNum and maxNum do.
func clampNum[T float](x, lo, hi T) T { return minNum(maxNum(x, lo), hi) }

// Only x's NaN is passed on.
func clampNaN[T float](x, lo, hi T) T {
	if x != x {
		return x
	}
	return clampNum(x, lo, hi)
}

// fma32 gives x*y+z rounded once. The product is exact in float64; the sum is rounded to odd
// there, which leaves 29 more bits than float32 has, so that the last rounding is right.
func fma32(x, y, z float32) float32 {
	p := float64(x) * float64(y)
	c := float64(z)
	s := p + c
	if s-s != 0 { // infinite or NaN
		return float32(s)
	}
	// The error of the sum (Knuth's two-sum).
	t := s - p
	e := (p - (s - t)) + (c - t)
	if b := math.Float64bits(s); e != 0 && b&1 == 0 {
		if (e > 0) == (s > 0) {
			s = math.Float64frombits(b + 1)
		} else {
			s = math.Float64frombits(b - 1)
		}
	}
	return float32(s)
}

// signBit plans OpFNeg and OpAbsF, which work on the sign bit alone, where a format has signs for all of its numbers.
func (p *planner) signBit(op *tile.Op) error {
	d, in := p.elementwise(op)
	negate := op.Code == tile.OpFNeg
	switch op.Result().Type.ElemBits() {
	case 8:
		f, format := dtype.DType.Abs, op.Result().Type.Elem().DType()
		if negate {
			f = dtype.DType.Negate
		}
		p.emit(op, unary(storing[uint8](d), stored[uint8](in[0]), each1(func(x uint8) uint8 { return uint8(f(format, uint64(x))) })))
	case 16:
		p.emit(op, unary(storing[uint16](d), stored[uint16](in[0]), signKernel[uint16](1<<15, negate)))
	case 32:
		p.emit(op, unary(storing[uint32](d), stored[uint32](in[0]), signKernel[uint32](1<<31, negate)))
	default:
		p.emit(op, unary(storing[uint64](d), stored[uint64](in[0]), signKernel[uint64](1<<63, negate)))
	}
	return nil
}

func signKernel[U unsigned](sign U, negate bool) func(d, x []U) {
	if negate {
		return func(d, x []U) {
			x = x[:len(d)]
			for i := range d {
				d[i] = x[i] ^ sign
			}
		}
	}
	return func(d, x []U) {
		x = x[:len(d)]
		for i := range d {
			d[i] = x[i] &^ sign
		}
	}
}
