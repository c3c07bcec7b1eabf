package cpu

import (
	"math"

	"github.com/tegula-lang/tegula/internal/backend/cpu/libm"
	"github.com/tegula-lang/tegula/internal/tile"
)

// mathFuncs are the functions of one float. They are computed in float64 and rounded, which
// gives f32 the right result but in the rare case where the exact one lies within float64's
// error of halfway between two.
var mathFuncs = map[tile.Code]func(float64) float64{
	tile.OpExp:    math.Exp,
	tile.OpExp2:   math.Exp2,
	tile.OpLog:    libm.Log,
	tile.OpLog2:   math.Log2,
	tile.OpSin:    math.Sin,
	tile.OpCos:    math.Cos,
	tile.OpSqrt:   math.Sqrt,
	tile.OpSqrtRN: math.Sqrt,
	tile.OpRSqrt:  func(x float64) float64 { return 1 / math.Sqrt(x) },
	tile.OpErf:    math.Erf,
	tile.OpFloor:  math.Floor,
	tile.OpCeil:   math.Ceil,
}

// wideMathFuncs are those of f64 for which math's are not accurate enough everywhere: near a
// multiple of π, near 1.
var wideMathFuncs = map[tile.Code]func(float64) float64{
	tile.OpExp: libm.Exp, tile.OpLog2: libm.Log2, tile.OpSin: libm.Sin, tile.OpCos: libm.Cos, tile.OpRSqrt: libm.RSqrt,
}

// mathUnary plans a function of one float. What is narrower than f32 is rounded to f32 first, as
// if it were computed there.
func (p *planner) mathUnary(op *tile.Op) error {
	e, f := op.Result().Type.Elem(), mathFuncs[op.Code]
	d, in := p.elementwise(op)
	if e == tile.F64 {
		if wide := wideMathFuncs[op.Code]; wide != nil {
			f = wide
		}
		p.emit(op, unary(storing[float64](d), stored[float64](in[0]), each1(f)))
		return nil
	}
	p.emit(op, unary(sinkF32(e, d), sourceF32(e, in[0]), each1(func(x float32) float32 { return float32(f(float64(x))) })))
	return nil
}
