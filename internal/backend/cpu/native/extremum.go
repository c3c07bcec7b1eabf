package native

import (
	"math"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// minMax gives the smaller or larger of two floats: -0 is below +0; a NaN is passed on, or else the other
// operand is. The instructions give their second operand for zeros and NaNs, so equal operands are joined
// bit by bit (or for the smaller, and for the larger) to order the zeros.
func (x *nest) minMax(c tile.Code, w int, a, b reg, propagate bool) reg {
	g := x.g
	o, join := pick(w, amd64.VMINPS, amd64.VMINPD), pick(w, amd64.VPORD, amd64.VPORQ)
	if c == tile.OpFMax {
		o, join = pick(w, amd64.VMAXPS, amd64.VMAXPD), pick(w, amd64.VPANDD, amd64.VPANDQ)
	}
	r := g.rvm(o, a, b)
	equal := g.cmp(pick(w, amd64.VCMPPS, amd64.VCMPPD), a, b, 0)
	i := ins(join)
	i.A, i.B, i.C, i.K = r, a, b, equal
	g.emit(i)
	if propagate { // r is b where either is a NaN
		return g.blend(w, x.isNaN(w, a), r, a)
	}
	return g.blend(w, x.isNaN(w, b), r, a)
}

// The immediates of vrangeps: the smaller, or the larger, with its sign.
const (
	rangeMin = 4
	rangeMax = 5
)

// extremum gives the smaller or larger of two floats, as minMax does, in one instruction where there is one: it orders the zeros, and gives
// the other operand for a NaN, unless that is a signaling one, which it passes on as a quiet one. So what may be signaling is made quiet before.
func (x *nest) extremum(op *tile.Op, w int, in []reg, args []*val) reg {
	g := x.g
	propagate := op.Attr.(tile.NaNAttr).Propagate
	if g.selects != nil {
		return x.minMax(op.Code, w, in[0], in[1], propagate)
	}
	imm := int64(rangeMin)
	if op.Code == tile.OpFMax {
		imm = rangeMax
	}
	a, b := in[0], in[1]
	if !propagate {
		a, b = x.quieted(args[0], w, a), x.quieted(args[1], w, b)
	}
	r := g.rvmi(pick(w, amd64.VRANGEPS, amd64.VRANGEPD), a, b, imm)
	if propagate {
		i := ins(pick(w, amd64.VADDPS, amd64.VADDPD))
		i.A, i.B, i.C, i.K = r, a, b, g.cmp(pick(w, amd64.VCMPPS, amd64.VCMPPD), a, b, 3)
		g.emit(i)
	}
	return r
}

// quieted gives lanes without signaling NaNs: a zero that is added changes nothing else.
func (x *nest) quieted(v *val, w int, r reg) reg {
	if x.isQuiet(v) {
		return r
	}
	return x.g.rvm(pick(w, amd64.VADDPS, amd64.VADDPD), r, x.constF(w, math.Copysign(0, -1)))
}

// quietVal gives a value without signaling NaNs.
func (x *nest) quietVal(v *val) *val {
	if x.isQuiet(v) || x.g.selects != nil {
		return v
	}
	d := newVal(v.t)
	d.level, d.quiet = v.level, true
	x.on(d.level, func() {
		vs := x.asVec(v)
		for h := range halves(v.t) {
			d.v[h] = x.quieted(v, v.width(), vs[h])
		}
	})
	return d
}

// extreme reports whether a reduction gives the smallest or largest of floats, which is never a signaling NaN.
func extreme(op *tile.Op) bool {
	c := op.Regions[0].Ops[0].Code
	return (c == tile.OpFMin || c == tile.OpFMax) && commutes([]*tile.Op{op}) && !isFP8(op.Args[0].Type)
}

// isQuiet reports whether a value certainly has no signaling NaN.
func (x *nest) isQuiet(v *val) bool {
	if v.known && v.t.IsFloat() {
		f := v.t.Elem().DType().Decode(v.bits)
		v.quiet = f == f
	}
	if !v.quiet && v.from != nil {
		v.quiet = x.g.plan.isQuiet(v.from, map[*tile.Value]bool{})
	}
	return v.quiet
}

// quiets reports whether an operation's result is never a signaling NaN, whatever its operands are.
func quiets(c tile.Code) bool {
	switch c {
	case tile.OpFAdd, tile.OpFSub, tile.OpFMul, tile.OpFDiv, tile.OpFDivRN, tile.OpFMA, tile.OpFMin, tile.OpFMax, tile.OpExp, tile.OpExp2,
		tile.OpLog, tile.OpLog2, tile.OpSqrt, tile.OpSqrtRN, tile.OpRSqrt, tile.OpFTrunc, tile.OpSToF, tile.OpUToF, tile.OpDot:
		return true
	}
	return false
}

// isQuiet reports whether a tile certainly has no signaling NaN: neither has anything that it comes from, as it is, by way of moves, choices and loops.
// seen are values that are being looked at, or have been: one that is not quiet ends it all.
func (p *plan) isQuiet(v *tile.Value, seen map[*tile.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	all := func(vals ...*tile.Value) bool {
		for _, w := range vals {
			if !p.isQuiet(w, seen) {
				return false
			}
		}
		return true
	}
	op := v.Op
	if op == nil {
		loop := p.loops[v.Block]
		if loop == nil || v.Index == 0 {
			return false
		}
		return all(loop.Args[v.Index+2], v.Block.Terminator().Args[v.Index-1])
	}
	switch {
	case p.isOutlined(op):
		return false
	case quiets(op.Code):
		return true
	}
	switch op.Code {
	case tile.OpConst:
		f := v.Type.Elem().DType().Decode(op.Attr.(tile.ConstAttr).Bits)
		return f == f
	case tile.OpSelect, tile.OpCat, tile.OpJoin:
		return all(op.Args[len(op.Args)-2:]...)
	case tile.OpSplat, tile.OpBroadcast, tile.OpExpandDims, tile.OpReshape, tile.OpTrans, tile.OpSplit, tile.OpHint, tile.OpFNeg, tile.OpAbsF, tile.OpFExt:
		return all(op.Args[0])
	case tile.OpReduce:
		return len(op.Args) == 1 && len(op.Regions[0].Ops) == 2 && quiets(op.Regions[0].Ops[0].Code) && all(op.Args[0])
	case tile.OpFor:
		return all(op.Args[v.Index+3], op.Regions[0].Terminator().Args[v.Index])
	}
	return false
}
