package cpu

import (
	"math"

	"github.com/tegula-lang/tegula/internal/tile"
)

// mathFuncs are the functions of one float. They are computed in float64 and rounded once,
// which gives f32 and narrower types the right result but in the rare case where the
// exact one lies within float64's error of halfway between two.
var mathFuncs = map[tile.Code]func(float64) float64{
	tile.OpExp:    math.Exp,
	tile.OpExp2:   math.Exp2,
	tile.OpLog:    math.Log,
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

// mathUnary plans a function of one float.
func (p *planner) mathUnary(op *tile.Op) error {
	d, in := p.elementwise(op)
	e := op.Result().Type.Elem()
	p.emitMath(op, e, d, in[0], mathFuncs[op.Code])
	return nil
}

// emitMath rounds twice where e is narrower than f32, as if computed in f32.
func (p *planner) emitMath(op *tile.Op, e tile.Elem, d, x slot, f func(float64) float64) {
	if e == tile.F64 {
		p.emit(op, unary(storing[float64](d), stored[float64](x), each1(f)))
		return
	}
	p.emit(op, unary(sinkF32(e, d), sourceF32(e, x), each1(func(x float32) float32 { return float32(f(float64(x))) })))
}
