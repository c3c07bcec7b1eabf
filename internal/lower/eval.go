package lower

import (
	"github.com/tegula-lang/tegula/internal/layout"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// eval gives the elements of v that a view asks for, one for each of its registers.
func (l *lowerer) eval(v *tile.Value, w *view) []*lir.Value {
	if v.Type.IsScalar() {
		return repeat(l.scalar(v), w.size())
	}
	l.settleIf(v)
	if d, mask := l.distinct(w); d != w {
		return spread(l.eval(v, d), mask, w.size())
	}
	q := asked{int(v.ID), w.id}
	if vals, ok := l.remember(q); ok {
		return vals
	}
	vals := l.answer(v, w)
	l.name(v, held{regs: vals})
	l.memo[len(l.memo)-1][q] = vals
	return vals
}

// spread repeats the values of the registers with only bits of mask.
func spread(vals []*lir.Value, mask, n int) []*lir.Value {
	out := make([]*lir.Value, n)
	for r := range out {
		out[r] = vals[layout.Extract(uint32(r), uint32(mask))]
	}
	return out
}

func repeat(v *lir.Value, n int) []*lir.Value {
	out := make([]*lir.Value, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// answer finds the elements where they are, or computes them.
func (l *lowerer) answer(v *tile.Value, w *view) []*lir.Value {
	h := &l.vals[v.ID]
	switch {
	case h.regs != nil || h.local != 0 || h.shared != 0:
		return l.convert(v, w)
	case h.init != nil:
		return l.stepped(v, w)
	case v.Op == nil:
		l.refuse("a tile that control flow carries is needed where it is not known")
	}
	return l.made(v, w)
}

// made computes the elements of an operation's result that a view asks for.
func (l *lowerer) made(v *tile.Value, w *view) []*lir.Value {
	op := v.Op
	outer := l.b.Loc
	defer func() { l.b.Loc = outer }()
	l.b.Loc = op.Loc
	switch op.Code {
	case tile.OpConst:
		return repeat(l.constant(v), w.size())
	case tile.OpSplat:
		return repeat(l.scalar(op.Args[0]), w.size())
	case tile.OpRange:
		return l.numbers(w, op.Attr.(tile.RangeAttr).Start)
	case tile.OpReshape, tile.OpExpandDims, tile.OpHint, tile.OpBroadcast, tile.OpTrans, tile.OpSplit:
		return l.eval(op.Args[0], l.seen(v, w))
	case tile.OpJoin:
		return l.either(op, w, 1, func(e uint32) uint32 { return e >> 1 })
	case tile.OpCat:
		return l.cat(op, w)
	case tile.OpLoad:
		return l.load(op, w)
	}
	if !op.Code.IsElementwise() {
		l.refuse("%s cannot be computed here", op.Code)
	}
	args := make([][]*lir.Value, len(op.Args))
	for i, a := range op.Args {
		args[i] = l.eval(a, w)
	}
	out := make([]*lir.Value, w.size())
	one := make([]*lir.Value, len(args))
	for r := range out {
		for i := range args {
			one[i] = args[i][r]
		}
		out[r] = l.compute(op, one)[0]
	}
	return out
}

// numbers gives the element numbers plus start.
func (l *lowerer) numbers(w *view, start int64) []*lir.Value {
	part, bits := l.part(w), w.threadBits()
	out := make([]*lir.Value, w.size())
	for r := range out {
		e := l.join(part, bits, l.b.I32(int(w.at(r))), w.at(r))
		out[r] = l.b.Pure(lir.OpAdd, 0, lir.I32, 0, e, l.b.I32(int(start)))
	}
	return out
}

// seen gives the view of the operand that shows what a view shows of v, the result of a shape operation.
func (l *lowerer) seen(v *tile.Value, w *view) *view {
	op := v.Op
	from, to := op.Args[0].Type, v.Type
	switch op.Code {
	case tile.OpBroadcast:
		return l.mapped(w, broadcastBits(from, to))
	case tile.OpTrans:
		return l.mapped(w, transBits(from, op.Attr.(tile.PermAttr)))
	case tile.OpSplit:
		return l.withBase(l.mapped(w, func(e uint32) uint32 { return e << 1 }), uint32(v.Index))
	}
	return w // the same numbers
}

// broadcastBits maps numbers of a tile's elements to those of the tile that it repeats.
func broadcastBits(from, to tile.Type) func(uint32) uint32 {
	var mask uint32
	for d := range to.Rank() {
		if from.Dim(d) == to.Dim(d) {
			mask |= dimBits(to, d)
		}
	}
	return func(e uint32) uint32 { return layout.Extract(e, mask) }
}

// dimBits gives the bits of element numbers that are the coordinate along dimension d.
func dimBits(t tile.Type, d int) uint32 {
	return (1<<t.LogDim(d) - 1) << lowBit(t, d)
}

// lowBit gives the lowest bit of element numbers that is of the coordinate along dimension d.
func lowBit(t tile.Type, d int) int {
	low := 0
	for i := d + 1; i < t.Rank(); i++ {
		low += t.LogDim(i)
	}
	return low
}

// transBits maps numbers of a transposed tile's elements to those of the tile.
func transBits(from tile.Type, p tile.PermAttr) func(uint32) uint32 {
	return func(e uint32) uint32 {
		var out uint32
		at := 0
		for i := from.Rank() - 1; i >= 0; i-- {
			d := int(p.Order[i])
			n := from.LogDim(d)
			out |= e >> at & (1<<n - 1) << lowBit(from, d)
			at += n
		}
		return out
	}
}

// cat is one of two tiles, told apart by the highest bit along a dimension.
func (l *lowerer) cat(op *tile.Op, w *view) []*lir.Value {
	t, axis := op.Results[0].Type, op.Attr.(tile.AxisAttr).Axis
	bit := uint32(1) << (lowBit(t, axis) + t.LogDim(axis) - 1)
	keep := ^bit
	return l.either(op, w, bit, func(e uint32) uint32 { return layout.Extract(e, keep) })
}

// either is, element by element, one of two operands, told apart by a bit of the element number; rest gives the number in the operand.
func (l *lowerer) either(op *tile.Op, w *view, bit uint32, rest func(uint32) uint32) []*lir.Value {
	inner := l.mapped(w, rest)
	out := make([]*lir.Value, w.size())
	if w.threadBits()&bit == 0 { // each register is of one of them
		for side := range 2 {
			mask, has := sideRegs(w, bit, side)
			if !has {
				continue
			}
			vals := l.eval(op.Args[side], l.pickRegs(inner, mask))
			for i, r := range mask {
				out[r] = vals[i]
			}
		}
		return out
	}
	x, y := l.eval(op.Args[0], inner), l.eval(op.Args[1], inner)
	part := l.and(l.part(w), int(bit))
	second := l.isNonZero(part)
	for r := range out {
		if w.at(r)&bit != 0 {
			out[r] = l.pick(second, x[r], y[r])
		} else {
			out[r] = l.pick(second, y[r], x[r])
		}
	}
	return out
}

// sideRegs lists the registers whose element has a bit, or has not. As the map is affine they are a coset.
func sideRegs(w *view, bit uint32, side int) (regs []int, any bool) {
	for r := range w.size() {
		if (w.at(r)&bit != 0) == (side == 1) {
			regs = append(regs, r)
		}
	}
	return regs, len(regs) > 0
}

// pickRegs gives the view of some registers of v, a coset of a subspace in increasing order.
func (l *lowerer) pickRegs(v *view, regs []int) *view {
	var bases []uint32
	for i := 1; i < len(regs); i <<= 1 {
		bases = append(bases, v.at(regs[i])^v.at(regs[0]))
	}
	return l.withBase(l.withRegs(v, bases), v.at(regs[0])^v.base)
}

// pick is a select that knows truth values.
func (l *lowerer) pick(c, x, y *lir.Value) *lir.Value {
	if x == y {
		return x
	}
	if x.Type != lir.I1 {
		return l.b.Pure(lir.OpSelect, 0, x.Type, 0, c, x, y)
	}
	not := l.not(c)
	return l.b.Pure(lir.OpOr, 0, lir.I1, 0, l.b.Pure(lir.OpAnd, 0, lir.I1, 0, c, x), l.b.Pure(lir.OpAnd, 0, lir.I1, 0, not, y))
}

func (l *lowerer) not(c *lir.Value) *lir.Value {
	return l.b.Pure(lir.OpXor, 0, lir.I1, 0, c, l.b.Bool(true))
}

func (l *lowerer) isNonZero(x *lir.Value) *lir.Value {
	x = l.widen(x, false)
	return l.b.Pure(lir.OpCmp, uint8(tile.NE), lir.I1, 0, x, l.b.Const(x.Type, 0))
}

// stepped gives a carried tile that goes up by the same everywhere: what it began as, and how far it has gone.
func (l *lowerer) stepped(v *tile.Value, w *view) []*lir.Value {
	h := l.vals[v.ID]
	from := l.eval(h.init, w)
	out := make([]*lir.Value, len(from))
	for i, x := range from {
		out[i] = l.b.Pure(lir.OpAdd, 0, x.Type, 0, x, h.step)
	}
	return out
}

// Limits of registers, of 32 bits, of one tile in one thread.
const (
	fewWords = 32  // so many are always held
	maxHeld  = 64  // more are not held
	maxSums  = 256 // of a view in which matrix instructions leave sums
	maxSlice = 16  // a rolled loop's part, of elements of 32 bits
)

// words gives how many registers of 32 bits a tile takes in a view.
func words(t tile.Type, w *view) int { return w.size() * max(1, t.ElemBits()/32) }

// holds reports whether a tile's registers in a view are few enough to be held. What matrix instructions add to is, and what is
// computed from it element by element.
func (l *lowerer) holds(t tile.Type, w *view) bool {
	n := words(t, w)
	return n <= maxHeld || n <= maxSums && l.isSum(w)
}

// isSum reports whether sums of matrix instructions lie in a view.
func (l *lowerer) isSum(w *view) bool {
	for _, p := range l.products {
		if p.view == w {
			return true
		}
	}
	return false
}

// hold computes a tile in its place, unless it is computed when it is asked for.
func (l *lowerer) hold(op *tile.Op) {
	if l.selectCorner(op) {
		return
	}
	for _, v := range op.Results {
		if l.traits.lazy(v) {
			continue
		}
		home := l.home(v)
		switch n := words(v.Type, home); {
		case n > fewWords && !l.isSum(home) && l.traits.waits(op) && (n > maxHeld || l.traits.oneRoot(op) && !l.traits.transposed(v)) && !l.mustWhole(v, home):
		case l.holds(v.Type, home):
			l.set(v, held{in: home, regs: l.eval(v, home)})
		default:
			l.keep(v, home)
		}
	}
}
