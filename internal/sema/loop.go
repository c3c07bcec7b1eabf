package sema

import (
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/tile"
)

// An unrolled is a loop whose iterations are compiled one after the other.
type unrolled struct {
	stmt *syntax.For
	n    int
	at   func(i int) Value
	next int // the iteration to come
}

// iterate begins the next iteration of the loop that s is the body of, or gives what follows.
func (g *gen) iterate(s *seq) *seq {
	l := s.loop
	if l == nil {
		return s.next
	}
	if l.next >= l.n {
		return push(l.stmt.Orelse, s.next)
	}
	g.step(l.stmt)
	g.assign(l.stmt.Target, l.at(l.next), l.stmt.Iter)
	l.next++
	s.stmts = l.stmt.Body
	return s
}

// forStmt does a for statement and gives what follows.
func (g *gen) forStmt(st *syntax.For, rest *seq) *seq {
	if st.Async {
		g.unsupported(st, "an async for inside a kernel")
	}
	switch it := g.eval(st.Iter).(type) {
	case *loopRange:
		g.forLoop(st, it)
		return push(st.Orelse, rest)
	case *staticRange:
		n, err := it.Len()
		g.check(st.Iter, err)
		return &seq{loop: &unrolled{stmt: st, n: n, at: func(i int) Value { return it.At(i) }}, next: rest}
	default:
		elems := g.elements(it, st.Iter)
		return &seq{loop: &unrolled{stmt: st, n: len(elems), at: func(i int) Value { return elems[i] }}, next: rest}
	}
}

// forLoop makes a loop that runs on the device.
func (g *gen) forLoop(st *syntax.For, r *loopRange) {
	target, ok := st.Target.(*syntax.Name)
	if !ok {
		g.fail(st.Target, "bad-target", "the target of a loop over a range must be one name")
	}
	g.at(st.Iter)
	lo, hi, step, down := g.bounds(r, st.Iter)
	r.attr.Unsigned = !lo.DType.IsSigned()

	c := g.carry(st, st.Body, target.Id)
	body := &tile.Block{}
	i := Tensor{body.AddArg(g.b.Func, lo.V.Type, target.Id), lo.DType}
	c.open(body)
	c.finish(g.loopBody(st, body, func() {
		if down {
			g.at(st.Iter)
			i = g.mirror(i, lo, hi)
		}
		g.frame.set(target.Id, i, target)
		c.bind(headOf)
		g.exec(push(st.Body, nil))
	}))
	c.settle(body)

	g.at(st)
	g.yieldIn(body, c.values(yieldOf))
	inits := append([]*tile.Value{lo.V, hi.V, step.V}, c.values(initOf)...)
	op := g.b.OpWithRegions(tile.OpFor, r.attr, inits, []*tile.Block{body}, c.types()...)
	c.results(op)
	g.frame.remove(target.Id, &absence{kind: counter, at: target})
}

// yieldIn ends a region.
func (g *gen) yieldIn(blk *tile.Block, vals []*tile.Value) {
	old := g.b.SetBlock(blk)
	g.b.Yield(vals...)
	g.b.SetBlock(old)
}

// mirror gives the counter of a loop that counts down from hi while i counts up from lo.
func (g *gen) mirror(i, lo, hi Tensor) Tensor {
	v := g.b.Binary(tile.OpSub, hi.V, i.V)
	return Tensor{g.b.Binary(tile.OpAdd, v, lo.V), i.DType}
}

// loopBody builds a region of a loop and gives what it assigned.
func (g *gen) loopBody(st syntax.Stmt, blk *tile.Block, do func()) []change {
	f := g.frame
	outer := f.loop
	f.loop = st
	mark := f.mark()
	g.inRegion(st, blk, do)
	f.loop = outer
	return f.end(mark)
}

// whileStmt does a while statement and gives what follows.
func (g *gen) whileStmt(st *syntax.While, rest *seq) *seq {
	c := g.carry(st, st.Body, "")
	before, after := &tile.Block{}, &tile.Block{}
	c.open(before)
	var test Value
	var cond *tile.Value
	inTest := g.loopBody(st, before, func() {
		c.bind(headOf)
		test = g.eval(st.Test)
		if t, ok := test.(Tensor); ok {
			g.at(st.Test)
			cond = g.truth(t, st.Test)
		}
	})
	if cond == nil {
		if g.truthOf(test, st.Test) {
			g.fail(st.Test, "endless-loop", "this condition is always true, so the loop never ends")
		}
		return push(st.Orelse, rest)
	}
	c.passOn(inTest)
	c.openBody(after)
	c.finish(g.loopBody(st, after, func() {
		c.bind(bodyOf)
		g.exec(push(st.Body, nil))
	}))
	c.settle(before, after)

	g.at(st.Test)
	old := g.b.SetBlock(before)
	g.b.Op(tile.OpCondition, nil, append([]*tile.Value{c.now(cond)}, c.values(passOf)...))
	g.b.SetBlock(old)
	g.at(st)
	g.yieldIn(after, c.values(yieldOf))
	op := g.b.OpWithRegions(tile.OpWhile, nil, c.values(initOf), []*tile.Block{before, after}, c.types()...)
	c.results(op)
	return push(st.Orelse, rest)
}
