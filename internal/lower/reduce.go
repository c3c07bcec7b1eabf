package lower

import (
	"math"
	"math/bits"
	"slices"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Reductions go from the inside out: each thread combines its registers, then lanes are combined with their neighbours by
// shuffles, then warps through shared memory. The result is laid out as a slice of the operand, so a broadcast back moves
// nothing.

// reduce lowers OpReduce.
func (l *lowerer) reduce(op *tile.Op) {
	axis := dimBits(op.Args[0].Type, op.Attr.(tile.AxisAttr).Axis)
	w := l.reductionView(op, axis)
	acc := l.reduceRegisters(op, w, axis)
	out := l.sliceOf(w, axis)
	if !l.inParts[op] {
		acc = l.reduceLanes(op, w, axis, acc)
		acc = l.reduceWarps(op, w, axis, out, acc)
	}
	for i, r := range op.Results {
		if r.Type.IsScalar() {
			l.set(r, held{scalar: acc[i][0]})
			continue
		}
		l.set(r, held{in: out, regs: acc[i]})
	}
}

// reductionView gives the view in which elements are combined: the operand's home, unless the order of the elements matters or
// a basis vector lies both along the axis and across it.
func (l *lowerer) reductionView(op *tile.Op, axis uint32) *view {
	t := op.Args[0].Type
	if !tile.Commutes(op.Regions[0]) {
		return l.orderedView(t, axis)
	}
	w := l.firstHome(op.Args)
	if w == nil {
		w = l.home(op.Args[0])
	}
	w, _ = l.distinct(w)
	if w.base != 0 || !clean(w, axis) {
		w = l.defaultView(t)
	}
	return w
}

// clean reports whether each basis vector lies along the axis or across it, and registers differ in one bit each.
func clean(w *view, axis uint32) bool {
	for _, list := range [...][]uint32{w.regs, w.lane, w.warp} {
		for _, x := range list {
			if x&axis != 0 && x&^axis != 0 || x&axis != 0 && x&(x-1) != 0 {
				return false
			}
		}
	}
	return true
}

// orderedView gives a view in which each thread holds neighbours along the axis in its lowest registers, the lanes follow each other along it,
// then the warps.
func (l *lowerer) orderedView(t tile.Type, axis uint32) *view {
	along, across := bitsOf(axis), bitsOf((1<<t.LogElems()-1)&^axis)
	lanes, warps := log2(l.o.WarpSize), log2(l.o.Warps)
	// A few elements a thread, the rest of the axis over lanes, then warps, then more elements a thread.
	threads := min(len(along), lanes+warps)
	own := len(along) - threads
	var v view
	v.regs = append(v.regs, along[:own]...)
	along = along[own:]
	n := min(len(along), lanes)
	v.lane = append(v.lane, along[:n]...)
	along = along[n:]
	take := func(list []uint32, size int) []uint32 {
		n := min(size-len(list), len(across))
		list = append(list, across[:n]...)
		across = across[n:]
		for len(list) < size {
			list = append(list, 0)
		}
		return list
	}
	v.lane = take(v.lane, lanes)
	v.warp = take(append(v.warp, along...), warps)
	v.regs = append(v.regs, across...)
	return l.intern(v)
}

// bitsOf gives the powers of two that a number is the sum of.
func bitsOf(mask uint32) []uint32 {
	var list []uint32
	for ; mask != 0; mask &= mask - 1 {
		list = append(list, mask&-mask)
	}
	return list
}

// combine runs a reduction's region on two elements; x comes before y.
func (l *lowerer) combine(op *tile.Op, x, y []*lir.Value) []*lir.Value {
	r := op.Regions[0]
	n := len(x)
	for i := range x {
		l.vals[r.Args[i].ID] = held{scalar: x[i]}
		l.vals[r.Args[n+i].ID] = held{scalar: y[i]}
	}
	return l.within(func() []*lir.Value {
		outer := l.op
		l.block(r)
		l.op = outer
		return l.scalars(r.Terminator().Args)
	})
}

// reduceRegisters combines each thread's elements along the axis. acc[i] are the registers across it of operand i.
func (l *lowerer) reduceRegisters(op *tile.Op, w *view, axis uint32) [][]*lir.Value {
	if l.fits(op, w) {
		return l.reduceSlice(op, w, axis, l.operands(op, w))
	}
	l.settle()
	// Registers along the axis, from the highest, are gone over by a rolled loop; those across it one after another.
	var along, across []uint32
	for _, x := range w.regs {
		if x&axis != 0 {
			along = append(along, x)
		} else {
			across = append(across, x)
		}
	}
	part := *w
	inner := min(len(along), log2(maxSlice))
	acc := make([][]*lir.Value, len(op.Args))
	for r := range 1 << len(across) {
		base := l.withRegs(w, across).at(r)
		part.regs, part.base = along[:inner], base
		one := l.reduceRolled(op, &part, axis, along[inner:])
		for i, v := range one {
			acc[i] = append(acc[i], v)
		}
	}
	return acc
}

// fits reports whether a reduction's operands can be there all at once.
func (l *lowerer) fits(op *tile.Op, w *view) bool {
	for _, a := range op.Args {
		if !l.holds(a.Type, w) {
			return false
		}
	}
	return true
}

// operands gives a reduction's operands, which it combines where they are.
func (l *lowerer) operands(op *tile.Op, w *view) [][]*lir.Value {
	vals := make([][]*lir.Value, len(op.Args))
	for i, a := range op.Args {
		vals[i] = slices.Clone(l.eval(a, w)) // others ask for the same
	}
	return vals
}

// reduceRolled combines the elements along the axis, some at a time; one result an operand.
func (l *lowerer) reduceRolled(op *tile.Op, part *view, axis uint32, outer []uint32) []*lir.Value {
	b := l.b
	first := func(w view) []*lir.Value {
		v := l.intern(w)
		return column(l.reduceSlice(op, v, axis, l.operands(op, v)), 0)
	}
	if len(outer) == 0 {
		return first(*part)
	}
	start, isIdentity := l.identities(op)
	return b.Repeat(1<<len(outer), start, func(i *lir.Value, acc []*lir.Value) []*lir.Value {
		return l.within(func() []*lir.Value {
			w := *part
			w.loop, w.counter = outer, i
			one := first(w)
			sum := l.combine(op, acc, one)
			if isIdentity {
				return sum
			}
			begin := b.Pure(lir.OpCmp, uint8(tile.EQ), lir.I1, 0, i, b.I32(0))
			for j := range sum {
				sum[j] = l.pick(begin, one[j], sum[j])
			}
			return sum
		})
	})
}

// identities gives what combines with any element to that element; if it is not known, zeros.
func (l *lowerer) identities(op *tile.Op) (vals []*lir.Value, ok bool) {
	ok = true
	for i, a := range op.Args {
		id, known := l.identity(op.Regions[0], i, len(op.Args))
		ok = ok && known
		vals = append(vals, l.b.Const(l.typeOf(a.Type), id))
	}
	if !ok {
		for i, v := range vals {
			vals[i] = l.b.Const(v.Type, 0)
		}
	}
	return vals, ok
}

// identity gives the bits of the identity of the operation that a region's value i is, if it is one on the two arguments of its place.
func (l *lowerer) identity(r *tile.Block, i, n int) (uint64, bool) {
	op := r.Terminator().Args[i].Op
	if op == nil || len(op.Args) != 2 || op.Args[0] != r.Args[i] || op.Args[1] != r.Args[n+i] {
		return 0, false
	}
	t := op.Results[0].Type
	e := t.Elem()
	switch op.Code {
	case tile.OpAdd, tile.OpOr, tile.OpXor, tile.OpMaxU:
		return 0, true
	case tile.OpAnd, tile.OpMinU:
		return math.MaxUint64, true
	case tile.OpFAdd:
		return e.DType().Encode(math.Copysign(0, -1)), !e.IsFP8()
	case tile.OpMinS:
		return 1<<(t.ElemBits()-1) - 1, t.ElemBits() > 1
	case tile.OpMaxS:
		return 1 << (t.ElemBits() - 1), t.ElemBits() > 1
	case tile.OpFMin, tile.OpFMax:
		if e.IsFP8() {
			return 0, false
		}
		if !op.Attr.(tile.NaNAttr).Propagate {
			return e.DType().Encode(math.NaN()), true
		}
		if op.Code == tile.OpFMin {
			return e.DType().Encode(math.Inf(1)), true
		}
		return e.DType().Encode(math.Inf(-1)), true
	}
	return 0, false
}

func column(vals [][]*lir.Value, r int) []*lir.Value {
	out := make([]*lir.Value, len(vals))
	for i := range vals {
		out[i] = vals[i][r]
	}
	return out
}

// reduceSlice combines registers that differ along the axis, neighbours first.
func (l *lowerer) reduceSlice(op *tile.Op, w *view, axis uint32, vals [][]*lir.Value) [][]*lir.Value {
	acc := vals
	regs := append([]uint32(nil), w.regs...)
	for {
		bit := lowestAlong(regs, axis)
		if bit < 0 {
			return acc
		}
		next := make([][]*lir.Value, len(acc))
		for r := range 1 << len(regs) {
			if r>>bit&1 != 0 {
				continue
			}
			for i, v := range l.combine(op, column(acc, r), column(acc, r|1<<bit)) {
				next[i] = append(next[i], v)
			}
		}
		acc = next
		regs = append(regs[:bit], regs[bit+1:]...)
	}
}

// lowestAlong gives the index of the vector along the axis that is the lowest, or -1.
func lowestAlong(vectors []uint32, axis uint32) int {
	best := -1
	for i, x := range vectors {
		if x&axis != 0 && (best < 0 || x < vectors[best]) {
			best = i
		}
	}
	return best
}

// reduceLanes combines lanes that differ along the axis; all of them have the result.
func (l *lowerer) reduceLanes(op *tile.Op, w *view, axis uint32, acc [][]*lir.Value) [][]*lir.Value {
	lanes := append([]uint32(nil), w.lane...)
	if kind, ok := l.redux(op, lanes, axis); ok {
		for r, v := range acc[0] {
			acc[0][r] = l.b.Emit(&lir.Op{Code: lir.OpRedux, Mod: uint8(kind), Args: []*lir.Value{v}}, lir.I32)[0]
		}
		return acc
	}
	commutes := tile.Commutes(op.Regions[0])
	for {
		bit := lowestAlong(lanes, axis)
		if bit < 0 {
			return acc
		}
		lanes[bit] = 0
		for r := range acc[0] {
			mine := column(acc, r)
			theirs := make([]*lir.Value, len(mine))
			for i, v := range mine {
				theirs[i] = l.shuffleXor(v, 1<<bit)
			}
			x, y := mine, theirs
			if !commutes { // the lane whose bit is 0 has the earlier elements
				later := l.isNonZero(l.and(l.lane(), 1<<bit))
				x, y = make([]*lir.Value, len(mine)), make([]*lir.Value, len(mine))
				for i := range mine {
					x[i], y[i] = l.pick(later, theirs[i], mine[i]), l.pick(later, mine[i], theirs[i])
				}
			}
			for i, v := range l.combine(op, x, y) {
				acc[i][r] = v
			}
		}
	}
}

// redux reports whether all lanes can be combined by one instruction.
func (l *lowerer) redux(op *tile.Op, lanes []uint32, axis uint32) (tile.Atomic, bool) {
	if !l.o.Can.Redux || len(op.Args) != 1 || l.typeOf(op.Args[0].Type) != lir.I32 {
		return 0, false
	}
	for _, x := range lanes {
		if x&axis == 0 {
			return 0, false
		}
	}
	if _, ok := l.identity(op.Regions[0], 0, 1); !ok {
		return 0, false
	}
	kind, ok := map[tile.Code]tile.Atomic{
		tile.OpAdd: tile.AtomicAdd, tile.OpAnd: tile.AtomicAnd, tile.OpOr: tile.AtomicOr, tile.OpXor: tile.AtomicXor,
		tile.OpMinS: tile.AtomicMinS, tile.OpMaxS: tile.AtomicMaxS, tile.OpMinU: tile.AtomicMinU, tile.OpMaxU: tile.AtomicMaxU,
	}[op.Regions[0].Terminator().Args[0].Op.Code]
	return kind, ok
}

// reduceWarps combines warps that differ along the axis: each writes what it has, and all read what all of them have. out is
// the view of the result.
func (l *lowerer) reduceWarps(op *tile.Op, w *view, axis uint32, out *view, acc [][]*lir.Value) [][]*lir.Value {
	var along []int // the bits of the warp's number, in the order of the elements
	for rest := append([]uint32(nil), w.warp...); ; {
		bit := lowestAlong(rest, axis)
		if bit < 0 {
			break
		}
		along = append(along, bit)
		rest[bit] = 0
	}
	if len(along) == 0 {
		return acc
	}
	// Results lie next to each other for the warps that have parts of them.
	parts := len(along)
	beside := func(e uint32) uint32 { return e << parts }
	place := *l.mapped(out, beside)
	place.warp = slices.Clone(place.warp)
	for i, bit := range along {
		place.warp[bit] |= 1 << i
	}
	where := l.intern(place)
	owner := l.owner(where)
	read := l.partsView(out, parts)
	all := make([][]*lir.Value, len(acc))
	buffers := make([]int, len(acc))
	for i := range acc {
		size := stored(acc[i][0].Type).Bytes()
		buffers[i] = l.newShared(size << (parts + bits.Len32(spanOf(out))))
		l.store2(buffers[i], where, acc[i], owner)
	}
	for i := range acc {
		all[i] = l.load2(buffers[i], acc[i][0].Type, read)
	}
	ofParts := uint32(1)<<parts - 1
	return l.reduceLanes(op, read, ofParts, l.reduceSlice(op, read, ofParts, all))
}

// partsView gives the view in which warps read the parts of a result: a few of them each thread, as many as one access moves, and the others the
// lanes that have the same result.
func (l *lowerer) partsView(out *view, parts int) *view {
	const few = 2
	v := *l.mapped(out, func(e uint32) uint32 { return e << parts })
	v.lane = slices.Clone(v.lane)
	var regs []uint32
	next := 0
	for ; next < min(few, parts); next++ {
		regs = append(regs, 1<<next)
	}
	for i, x := range v.lane {
		if x == 0 && next < parts {
			v.lane[i] = 1 << next
			next++
		}
	}
	for ; next < parts; next++ {
		regs = append(regs, 1<<next)
	}
	v.regs = append(regs, v.regs...)
	return l.intern(v)
}

// spanOf gives the union of all bits of a view's element numbers.
func spanOf(w *view) uint32 {
	all := w.threadBits() | w.base
	for _, x := range w.regs {
		all |= x
	}
	return all
}
