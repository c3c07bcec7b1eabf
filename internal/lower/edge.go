package lower

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Masks that end in the middle of a vector. Where a mask is true up to some element of each group of neighbours and false from there on, as
// offsets < n is, or the other way round, its value for a whole vector is told by the last element of the vector and by the first. A vector is
// moved at once if all of it is there, by a predicate; elements of vectors that the mask cuts are moved one by one behind a branch, which is
// not taken but at the end of an array.

// An edge says how a mask changes within groups of neighbours.
type edge uint8

const (
	anyhow edge = iota // nothing is known
	never              // it does not
	ends               // from true to false
	begins             // from false to true
)

// opposite gives the edge of the negated mask.
func (e edge) opposite() edge { return [...]edge{anyhow, never, begins, ends}[e] }

// both gives the edge of the conjunction or disjunction of two masks.
func (e edge) both(f edge) edge {
	switch {
	case e == never:
		return f
	case f == never || e == f:
		return e
	}
	return anyhow
}

// maskRun gives the size of the largest groups along dimension d, of at most limit elements, in which a mask's edge is known; nil is all true.
func (l *lowerer) maskRun(mask *tile.Value, d, limit int) int {
	if mask == nil || mask.Type.IsScalar() {
		return limit
	}
	for limit > 1 && l.edgeOf(mask, d, limit) == anyhow {
		limit /= 2
	}
	return limit
}

// edgeOf gives the edge of a mask in aligned groups of n elements along dimension d.
func (l *lowerer) edgeOf(mask *tile.Value, d, n int) edge {
	if mask.Type.IsScalar() || l.axes.Of(mask).Constancy(d) >= n {
		return never
	}
	op := mask.Op
	if op == nil || op.Code != tile.OpCmpI && !isLogic(op.Code) && !moves(op.Code) {
		return anyhow
	}
	switch op.Code {
	case tile.OpCmpI:
		return l.edgeOfComparison(op, d, n)
	case tile.OpAnd, tile.OpOr:
		return l.edgeOf(op.Args[0], d, n).both(l.edgeOf(op.Args[1], d, n))
	case tile.OpXor:
		if c, ok := l.axes.Of(op.Args[1]).Const(); ok && c != 0 {
			return l.edgeOf(op.Args[0], d, n).opposite()
		}
	case tile.OpBroadcast, tile.OpHint:
		return l.edgeOf(op.Args[0], d, n)
	case tile.OpExpandDims:
		if at := op.Attr.(tile.AxisAttr).Axis; d > at {
			d--
		}
		return l.edgeOf(op.Args[0], d, n)
	case tile.OpTrans:
		return l.edgeOf(op.Args[0], int(op.Attr.(tile.PermAttr).Order[d]), n)
	}
	return anyhow
}

func isLogic(c tile.Code) bool { return c == tile.OpAnd || c == tile.OpOr || c == tile.OpXor }

// edgeOfComparison: numbers that go up by one in groups that begin at multiples of their size do not wrap in them, signed or not.
func (l *lowerer) edgeOfComparison(op *tile.Op, d, n int) edge {
	x, y := l.axes.Of(op.Args[0]), l.axes.Of(op.Args[1])
	less := edge(anyhow)
	switch {
	case x.AlignedRun(d) >= n && y.Constancy(d) >= n:
		less = ends
	case x.Constancy(d) >= n && y.AlignedRun(d) >= n:
		less = begins
	}
	switch op.Attr.(tile.CmpIAttr).Pred {
	case tile.LTS, tile.LES, tile.LTU, tile.LEU:
		return less
	case tile.GTS, tile.GES, tile.GTU, tile.GEU:
		return less.opposite()
	}
	return anyhow
}

// A cut says which of the vectors of a tile a mask lets through.
type cut struct {
	each []*lir.Value // the mask of each element
	all  []*lir.Value // of each vector: all of its elements are there
	any  *lir.Value   // of some vector, some elements are there and others are not
}

// cutBy compares a mask with the vectors of a plan.
func (l *lowerer) cutBy(mask *tile.Value, p *accessPlan) cut {
	c := cut{each: l.eval(mask, p.w), any: l.b.Bool(false)}
	logic := func(code lir.Code, x, y *lir.Value) *lir.Value { return l.b.Pure(code, 0, lir.I1, 0, x, y) }
	for r := 0; r < len(c.each); r += p.vector {
		first, last := c.each[r], c.each[r+p.vector-1]
		if p.edge == begins {
			first, last = last, first
		}
		c.all, c.any = append(c.all, last), logic(lir.OpOr, c.any, logic(lir.OpXor, first, last))
	}
	return c
}

// alone gives the mask of element r as far as it is not moved with its vector.
func (l *lowerer) alone(c *cut, p *accessPlan, r int) *lir.Value {
	return l.both(c.each[r], l.not(c.all[r/p.vector]))
}

// loadCut reads a tile whose mask cuts vectors. What is narrower than a register is read in words, which are taken apart when they are complete.
func (l *lowerer) loadCut(m lir.Mem, t lir.Type, p *accessPlan, addrs []*lir.Value, c cut, others []*lir.Value) []*lir.Value {
	each, typ := max(1, 32/t.Bits()), t
	switch {
	case p.vector%each != 0:
		each = 1
	case each > 1:
		typ = lir.I32
	}
	if others != nil {
		others = l.intoWords(others, each)
	}
	var words []*lir.Value
	for r := 0; r < p.w.size(); r += p.vector {
		addr, off := p.address(addrs, r)
		m.Offset = off
		words = append(words, l.b.Load(m, typ, p.vector/each, addr, c.all[r/p.vector], part(others, r/each, p.vector/each))...)
	}
	words = l.b.IfEach(c.any, func() []*lir.Value {
		out := l.outOfWords(words, t, each)
		for r, v := range out {
			addr, off := p.address(addrs, r)
			m.Offset = off
			out[r] = l.b.Load(m, t, 1, addr, l.alone(&c, p, r), []*lir.Value{v})[0]
		}
		return l.intoWords(out, each)
	}, func() []*lir.Value { return words })
	return l.outOfWords(words, t, each)
}

// intoWords puts n values each into one word.
func (l *lowerer) intoWords(vals []*lir.Value, n int) []*lir.Value {
	if n == 1 {
		return vals
	}
	var words []*lir.Value
	for i := 0; i < len(vals); i += n {
		words = append(words, l.b.Pack(slices.Clone(vals[i:i+n])))
	}
	return words
}

// outOfWords takes words of n values each apart.
func (l *lowerer) outOfWords(words []*lir.Value, t lir.Type, n int) []*lir.Value {
	if n == 1 {
		return slices.Clone(words)
	}
	var vals []*lir.Value
	for _, w := range words {
		vals = append(vals, l.b.Unpack(t, w)...)
	}
	return vals
}

// storeCut writes a tile whose mask cuts vectors; owner says whether this thread does.
func (l *lowerer) storeCut(m lir.Mem, p *accessPlan, addrs []*lir.Value, c cut, owner *lir.Value, vals []*lir.Value) {
	for r := 0; r < len(vals); r += p.vector {
		addr, off := p.address(addrs, r)
		m.Offset = off
		l.b.Store(m, addr, l.both(c.all[r/p.vector], owner), vals[r:r+p.vector]...)
	}
	l.b.IfEach(l.both(c.any, owner), func() []*lir.Value {
		for r, v := range vals {
			addr, off := p.address(addrs, r)
			m.Offset = off
			l.b.Store(m, addr, l.alone(&c, p, r), v)
		}
		return nil
	}, nil)
}
