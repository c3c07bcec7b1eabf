package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A feeding is the left operand of a product whose elements are narrow, computed in the nest of reductions over the same elements, as the weights of attention are:
//
//	weights = exp2(scores - top[:, None])
//	denom = denom * shrink + sum(weights, 1)
//	acc = dot(weights.to(bf16), v, acc)
//
// If nothing else needs it, it goes to the product's panel from there, and to no buffer.
type feeding struct {
	v *tile.Value // what the product multiplies
	p *panel
}

// place gives a job the place that its value goes to. jobs and reduces are in the same nest.
func (g *generator) place(j *job, jobs []job, reduces []*tile.Op) {
	if j.v == nil {
		return
	}
	if j.fed = g.feedingOf(j.v, reduces); j.fed != nil {
		return
	}
	if j.to = g.replaced(j.v, jobs, reduces); j.to == nil {
		j.to = g.bufferFor(j.v)
	}
}

// feedingOf gives the panel of the product that a value goes to, as it is or converted, if that and reductions of the same nest are all that need it; else nil.
func (g *generator) feedingOf(v *tile.Value, reduces []*tile.Op) *feeding {
	if g.selects != nil || len(reduces) == 0 || !commutes(reduces) || v.Type.LogDim(v.Type.Rank()-1) < g.laneBits {
		return nil
	}
	next := g.beyond(v, reduces)
	if next != nil && next.Code == tile.OpFTrunc && g.plan.home[next] == g.plan.home[v.Op] && !g.plan.isOutlined(next) {
		v = next.Results[0]
		next = g.beyond(v, reduces)
	}
	key := packedOperand{next, 0}
	if next == nil || next.Code != tile.OpDot || next.Args[0] != v || next.Args[1] == v || next.Args[2] == v || g.plan.home[next] != g.plan.home[v.Op] ||
		g.plan.isOutlined(next) || g.deferred[next] != nil || g.packed[key] != nil {
		return nil
	}
	arith, ok := g.arithmeticOf(next)
	if !ok || arith.size != 2 || arith.in != v.Type.Elem() {
		return nil
	}
	s := matmulOf(next)
	o := g.left(arith, v, s, s.k)
	o.ready = true
	g.packed[key] = o
	return &feeding{v, o.panel}
}

// beyond gives the only operation besides some reductions that uses a value, once; nil if there are others.
func (g *generator) beyond(v *tile.Value, reduces []*tile.Op) *tile.Op {
	var next *tile.Op
	for _, op := range g.usersOf()[v] {
		switch {
		case isOneOf(op, reduces):
		case next != nil:
			return nil
		default:
			next = op
		}
	}
	return next
}

func isOneOf(op *tile.Op, ops []*tile.Op) bool {
	for _, o := range ops {
		if o == op {
			return true
		}
	}
	return false
}

// evalNarrow gives 16 elements of two bytes one after another.
func (x *nest) evalNarrow(v *tile.Value, at view) *val {
	g := x.g
	d := newVal(v.Type)
	if op := v.Op; g.bf16 && op.Code == tile.OpFTrunc && v.Type.Elem() == tile.BF16 && op.Args[0].Type.Elem() == tile.F32 && toNearest(op) {
		f := x.eval(op.Args[0], at)
		x.on(x.depth(), func() {
			d.v[0] = g.vec()
			g.op3(amd64.VCVTNEPS2BF16, d.v[0], x.asVec(f)[0], none, 0)
		})
		return d
	}
	f := x.eval(v, at)
	x.on(x.depth(), func() { d.v[0] = g.narrowed(amd64.VPMOVDW, x.toBits(v.Type.Scalar(), x.asVec(f)[0]), 0) })
	return d
}

func toNearest(op *tile.Op) bool { return op.Attr.(tile.RoundAttr).Mode == tile.NearestEven }

// write stores a strip of the panel's elements.
func (f *feeding) write(x *nest, r reg, at view) {
	k := packing{nest: x, p: f.p, base: amd64.RDI}
	x.on(x.depth(), func() { k.putNarrow(r, k.place(at)) })
}
