package lower

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/layout"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A partial is what a loop combines with the result of a reduction in each iteration, and uses for nothing else: a sum of sums, such as the denominator of a
// softmax. Each thread carries on what it has combined itself; threads are combined after the loop.
type partial struct {
	op   *tile.Op // the reduction
	view *view    // in which it combines
	axis uint32
	out  *view // of its result
}

// findPartials finds what a loop carries on in parts.
func (l *lowerer) findPartials(loop *tile.Op, cs []carrier) {
	for i := range cs {
		c := &cs[i]
		if c.parts = l.partialOf(loop, c, i); c.parts != nil {
			l.inParts[c.parts.op] = true
		}
	}
}

// partialOf tells whether a loop carries a value on in parts.
func (l *lowerer) partialOf(loop *tile.Op, c *carrier, i int) *partial {
	body := loop.Regions[0]
	y := body.Terminator().Args[i]
	if c.stride != nil || c.local != 0 || y.Op == nil || l.traits.home[y.Op] != body || len(y.Op.Args) != 2 || len(l.traits.users[y.ID]) != 1 {
		return nil
	}
	for j, r := range y.Op.Args {
		if op := r.Op; l.isPart(op, y.Op) && l.traits.home[op] == body && len(l.traits.users[r.ID]) == 1 && l.traits.scales(c.v, y.Op.Args[1-j], y.Op, body) {
			return l.partialIn(op, c, y)
		}
	}
	return nil
}

// isPart reports whether a reduction combines elements as another operation combines its results, in whatever order.
func (l *lowerer) isPart(op, with *tile.Op) bool {
	if op == nil || op.Code != tile.OpReduce || len(op.Args) != 1 || !tile.Commutes(op.Regions[0]) {
		return false
	}
	by := op.Regions[0].Terminator().Args[0].Op
	if _, known := l.identity(op.Regions[0], 0, 1); !known || by.Code != with.Code || by.Attr != with.Attr {
		return false
	}
	e := op.Args[0].Type.Elem()
	return !e.IsFloat() || (e == tile.F32 || e == tile.F64) && !l.o.Unfused // others are rounded in between; without Unfused the order of sums is open
}

// scales reports whether a value is one that a loop carries, or this times a factor of at most 1, and whether it is used for that alone.
func (t *traits) scales(carried, v *tile.Value, by *tile.Op, body *tile.Block) bool {
	if len(t.users[carried.ID]) != 1 {
		return false
	}
	if v == carried {
		return true
	}
	if v.Op == nil || v.Op.Code != tile.OpFMul || by.Code != tile.OpFAdd || t.home[v.Op] != body || len(t.users[v.ID]) != 1 {
		return false
	}
	for i, a := range v.Op.Args {
		if a == carried && t.shrinks(v.Op.Args[1-i]) {
			return true
		}
	}
	return false
}

// shrinks reports whether a value is the power of a number less the larger one of it and another, or of a positive multiple of that: at most 1.
func (t *traits) shrinks(v *tile.Value) bool {
	v = unmoved(v)
	if v.Op == nil || v.Op.Code != tile.OpExp2 && v.Op.Code != tile.OpExp {
		return false
	}
	d := unmoved(v.Op.Args[0])
	for d.Op != nil && d.Op.Code == tile.OpFMul {
		x, by := unmoved(d.Op.Args[0]), unmoved(d.Op.Args[1])
		if isPositive(x) {
			x, by = by, x
		}
		if !isPositive(by) {
			return false
		}
		d = x
	}
	if d.Op == nil || d.Op.Code != tile.OpFSub {
		return false
	}
	old, top := d.Op.Args[0], d.Op.Args[1]
	return top.Op != nil && top.Op.Code == tile.OpFMax && slices.Contains(top.Op.Args, old)
}

// isPositive reports whether a value is a constant without a minus.
func isPositive(v *tile.Value) bool {
	return v.Op != nil && v.Op.Code == tile.OpConst && v.Op.Attr.(tile.ConstAttr).Bits>>(v.Type.ElemBits()-1)&1 == 0
}

// unmoved gives what shape operations move the elements of.
func unmoved(v *tile.Value) *tile.Value {
	for v.Op != nil && moves(v.Op.Code) {
		v = v.Op.Args[0]
	}
	return v
}

// partialIn gives a partial if all that is done with it is done where the reduction has its results.
func (l *lowerer) partialIn(op *tile.Op, c *carrier, y *tile.Value) *partial {
	axis := dimBits(op.Args[0].Type, op.Attr.(tile.AxisAttr).Axis)
	p := &partial{op: op, view: l.reductionView(op, axis), axis: axis}
	p.out = l.sliceOf(p.view, axis)
	if c.v.Type.IsScalar() {
		return p
	}
	for _, v := range []*tile.Value{c.v, y, y.Op.Args[0], y.Op.Args[1]} {
		if l.home(v) != p.out {
			return nil
		}
	}
	return p
}

// sliceOf gives the view of a reduction's result.
func (l *lowerer) sliceOf(w *view, axis uint32) *view {
	out, _ := l.distinct(l.mapped(w, func(e uint32) uint32 { return layout.Extract(e&^axis, ^axis) }))
	return out
}

// begin gives what threads start with: of those that are combined the first has the value, the others what changes nothing.
func (p *partial) begin(l *lowerer, vals []*lir.Value) []*lir.Value {
	id, _ := l.identity(p.op.Regions[0], 0, 1)
	along := func(list []uint32) []uint32 {
		out := make([]uint32, len(list))
		for i, x := range list {
			if x&p.axis == 0 {
				out[i] = 1
			}
		}
		return out
	}
	first := l.owner(&view{lane: along(p.view.lane), warp: along(p.view.warp)})
	if first == nil {
		return vals
	}
	out := make([]*lir.Value, len(vals))
	for i, v := range vals {
		out[i] = l.pick(first, v, l.b.Const(v.Type, id))
	}
	return out
}

// end combines threads.
func (p *partial) end(l *lowerer, v *tile.Value) {
	l.op, l.b.Loc = p.op, p.op.Loc
	h := l.vals[v.ID]
	acc := [][]*lir.Value{append([]*lir.Value(nil), h.regs...)}
	if v.Type.IsScalar() {
		acc[0] = []*lir.Value{h.scalar}
	}
	acc = l.reduceLanes(p.op, p.view, p.axis, acc)
	acc = l.reduceWarps(p.op, p.view, p.axis, p.out, acc)
	if v.Type.IsScalar() {
		l.set(v, held{scalar: acc[0][0]})
		return
	}
	l.set(v, held{in: p.out, regs: acc[0]})
}
