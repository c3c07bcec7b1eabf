package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// An assumption is what holds in all lanes of a loop's strips up to a limit.
type assumption struct {
	keys  []memoKey // masks that are true there, on the strips of an iteration
	limit reg       // of the counter; none if there are no such masks
	level int       // where that is computed
	all   bool      // no mask is left
}

// assume finds what of masks can be known before the loop: that a number which goes up by 1 from element to element is below one that does not change, and
// what does not change at all. A number that wraps around does so behind the limit.
func (s *sweep) assume(masks []*tile.Value) *assumption {
	a := &assumption{limit: none, all: true}
	if len(masks) == 0 {
		return a
	}
	s.open(s.ways)
	for _, m := range masks {
		s.conjuncts(a, m, s.views(s.ways))
	}
	s.take()
	return a
}

// conjuncts looks at a mask, or at a part of one, seen through the views of the strips of an iteration.
func (s *sweep) conjuncts(a *assumption, v *tile.Value, at []view) {
	x, op := s.x, v.Op
	if x.g.holding[v] {
		return
	}
	if op == nil || x.g.bufs[v] != nil || x.g.plan.isRoot(op) {
		a.all = false
		return
	}
	switch op.Code {
	case tile.OpAnd:
		s.conjuncts(a, op.Args[0], at)
		s.conjuncts(a, op.Args[1], at)
	case tile.OpBroadcast, tile.OpExpandDims, tile.OpReshape, tile.OpTrans:
		through := make([]view, len(at))
		for i := range at {
			_, through[i], _ = moved(v, at[i])
		}
		s.conjuncts(a, op.Args[0], through)
	case tile.OpSplat:
		s.unchanging(a, v, at)
	case tile.OpCmpI:
		args := x.evalAll(op.Args, at[0])
		switch {
		case s.goOn(op, args, at) && s.below(a, op, args):
			a.hold(v, at)
		case args[0].uni && args[1].uni:
			s.unchanging(a, v, at)
		default:
			a.all = false
		}
	default:
		a.all = false
	}
}

// hold notes that a mask is true.
func (a *assumption) hold(v *tile.Value, at []view) {
	for _, w := range at {
		a.keys = append(a.keys, memoKey{v, w})
	}
}

// unchanging looks at a mask that is the same in all strips of the loop.
func (s *sweep) unchanging(a *assumption, v *tile.Value, at []view) {
	x, g := s.x, s.x.g
	m, holds, same := x.eval(v, at[0]), true, true
	for _, w := range at {
		here := x.eval(v, w)
		holds, same = holds && here.known && here.bits != 0, same && here == m
	}
	if holds {
		return
	}
	if !same {
		a.all = false
		return
	}
	if !m.uni || m.known || m.level >= x.depth() {
		a.all = false
		return
	}
	x.on(m.level, func() {
		c, zero, limit := x.asGPR(m), g.gpr(), g.gpr()
		g.op3(amd64.XORL, zero, zero, none, 0)
		g.movImm(limit, 1<<s.to)
		g.op3(amd64.TESTL, c, c, none, 0)
		g.cmov(amd64.CCE, limit, zero)
		a.least(x, limit, m.level)
	})
	a.hold(v, at)
}

// goOn reports whether the numbers that are compared on the strips of an iteration are those of the first one, as many more as lanes lie between, and what they
// are compared with is the same.
func (s *sweep) goOn(op *tile.Op, first []*val, at []view) bool {
	lanes := int64(s.x.g.lanes)
	for w := range at {
		for i, here := range s.x.evalAll(op.Args, at[w]) {
			same := here == first[i] || here.uni && here.known && first[i].known && here.bits == first[i].bits
			on := here.affine && first[i].affine && here.g == first[i].g && here.base == first[i].base && here.step == first[i].step && here.off-first[i].off == int64(w)*lanes
			if !same && !on {
				return false
			}
		}
	}
	return true
}

// below looks at a comparison of two numbers.
func (s *sweep) below(a *assumption, op *tile.Op, args []*val) bool {
	x, g := s.x, s.x.g
	n, end, pred := args[0], args[1], op.Attr.(tile.CmpIAttr).Pred
	if swapped, ok := turned[pred]; ok {
		n, end, pred = end, n, swapped
	}
	never, ok := beyond[pred]
	if !ok || !n.affine || n.step != 1 || n.apart != nil || n.g != s.counter || !end.uni || end.level >= x.depth() {
		return false
	}
	level, w := end.level, d8(n.t)
	if n.base != none {
		level = max(level, n.baseAt)
	}
	x.on(level, func() {
		first, last := n.base, x.asGPR(end)
		switch {
		case first == none:
			first = g.gpr()
			g.movImm(first, uint64(n.off)&(1<<(8*w-1)<<1-1))
		case n.off != 0:
			first = g.addImm(w, first, n.off)
		}
		cmp := pair{amd64.CMP, amd64.CMPL}.of(w)
		limit, all, zero := g.copyG(last), g.gpr(), g.gpr()
		g.op3(pair{amd64.SUB, amd64.SUBL}.of(w), limit, first, none, 0)
		inclusive := pred == tile.LES || pred == tile.LEU
		if inclusive {
			g.movImm(all, 1<<s.to-1)
		} else {
			g.movImm(all, 1<<s.to)
		}
		g.op3(cmp, limit, all, none, 0)
		g.cmov(amd64.CCA, limit, all)
		if inclusive {
			g.op3(amd64.ADDLI, limit, none, none, 1)
		}
		g.op3(amd64.XORL, zero, zero, none, 0)
		g.op3(cmp, first, last, none, 0)
		g.cmov(never, limit, zero)
		a.least(x, limit, level)
	})
	return true
}

// turned are comparisons with their operands exchanged.
var turned = map[tile.CmpI]tile.CmpI{tile.GTS: tile.LTS, tile.GES: tile.LES, tile.GTU: tile.LTU, tile.GEU: tile.LEU}

// beyond are the conditions under which not even the first element is below the limit.
var beyond = map[tile.CmpI]amd64.CC{tile.LTS: amd64.CCGE, tile.LES: amd64.CCG, tile.LTU: amd64.CCAE, tile.LEU: amd64.CCA}

// least lowers the limit to one that is known at a level.
func (a *assumption) least(x *nest, limit reg, level int) {
	if a.limit == none {
		a.limit, a.level = limit, level
		return
	}
	a.level = max(a.level, level)
	x.on(a.level, func() {
		both := x.g.copyG(a.limit)
		x.g.op3(amd64.CMPL, limit, both, none, 0)
		x.g.cmov(amd64.CCB, both, limit)
		a.limit = both
	})
}
