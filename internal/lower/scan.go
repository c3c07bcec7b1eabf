package lower

import (
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Scans are done in a view in which each thread holds neighbours along the axis, lanes follow each other along it, then
// warps: each thread scans its own, then lanes and warps scan the threads' totals, and what comes before a thread is
// combined with each of its results. A reversed scan is one over the elements numbered from the end.

// scanView gives the view of a scan.
func (l *lowerer) scanView(t tile.Type, axis int, reverse bool) *view {
	mask := dimBits(t, axis)
	w := l.orderedView(t, mask)
	if reverse {
		return l.withBase(w, mask)
	}
	return w
}

// scan lowers OpScan.
func (l *lowerer) scan(op *tile.Op) {
	a := op.Attr.(tile.ScanAttr)
	t := op.Args[0].Type
	axis := dimBits(t, a.Axis)
	w := l.scanView(t, a.Axis, a.Reverse)
	along := 0 // registers along the axis are the lowest
	for along < len(w.regs) && w.regs[along]&axis != 0 {
		along++
	}
	if l.fits(op, w) {
		out := make([][]*lir.Value, len(op.Args))
		vals := l.operands(op, w)
		n := 1 << along
		for from := 0; from < w.size(); from += n {
			for i, part := range l.scanRow(op, w, axis, rows(vals, from, n)) {
				out[i] = append(out[i], part...)
			}
		}
		for i, r := range op.Results {
			l.set(r, held{in: w, regs: out[i]})
		}
		return
	}
	l.scanLarge(op, w, axis, along)
}

func rows(vals [][]*lir.Value, from, n int) [][]*lir.Value {
	out := make([][]*lir.Value, len(vals))
	for i := range vals {
		out[i] = vals[i][from : from+n]
	}
	return out
}

// scanRow scans the registers of a thread that are neighbours along the axis, and those of the threads before it.
func (l *lowerer) scanRow(op *tile.Op, w *view, axis uint32, vals [][]*lir.Value) [][]*lir.Value {
	n := len(vals[0])
	acc := column(vals, 0)
	local := make([][]*lir.Value, n)
	local[0] = acc
	for r := 1; r < n; r++ {
		acc = l.combine(op, acc, column(vals, r))
		local[r] = acc
	}
	before, has := l.totalsBefore(op, w, axis, acc)
	out := make([][]*lir.Value, len(vals))
	for r := range local {
		row := local[r]
		if before != nil {
			row = l.after(op, before, has, row)
		}
		for i, v := range row {
			out[i] = append(out[i], v)
		}
	}
	return out
}

// after combines what came before, if anything did, with a value.
func (l *lowerer) after(op *tile.Op, before []*lir.Value, has *lir.Value, x []*lir.Value) []*lir.Value {
	sum := l.combine(op, before, x)
	for i := range sum {
		sum[i] = l.pick(has, sum[i], x[i])
	}
	return sum
}

// totalsBefore combines the totals of the threads whose elements come before this one's: of lanes, then of warps. has tells whether there are any.
func (l *lowerer) totalsBefore(op *tile.Op, w *view, axis uint32, total []*lir.Value) (before []*lir.Value, has *lir.Value) {
	lanes, warps := 0, 0
	for lanes < len(w.lane) && w.lane[lanes]&axis != 0 {
		lanes++
	}
	for warps < len(w.warp) && w.warp[warps]&axis != 0 {
		warps++
	}
	sum := total
	var index *lir.Value
	if lanes > 0 { // inclusive, over the lanes
		index = l.and(l.lane(), 1<<lanes-1)
		for d := 1; d < 1<<lanes; d <<= 1 {
			shifted := l.shuffleUp(sum, d)
			reaches := l.b.Pure(lir.OpCmp, uint8(tile.GEU), lir.I1, 0, index, l.b.I32(d))
			sum = l.after(op, shifted, reaches, sum)
		}
		before = l.shuffleUp(sum, 1)
		has = l.isNonZero(index)
	}
	if warps == 0 {
		return before, has
	}
	earlier, any := l.warpsBefore(op, w, sum, lanes, warps)
	if before == nil {
		return earlier, any
	}
	// Both, either or none.
	both := l.combine(op, earlier, before)
	out := make([]*lir.Value, len(both))
	for i := range both {
		out[i] = l.pick(any, l.pick(has, both[i], earlier[i]), before[i])
	}
	return out, l.b.Pure(lir.OpOr, 0, lir.I1, 0, any, has)
}

func (l *lowerer) shuffleUp(vals []*lir.Value, d int) []*lir.Value {
	out := make([]*lir.Value, len(vals))
	for i, v := range vals {
		out[i] = l.perWord(v, func(x *lir.Value) *lir.Value {
			return l.b.Emit(&lir.Op{Code: lir.OpShuffle, Mod: uint8(lir.ShuffleUp), Args: []*lir.Value{x, l.b.I32(d)}}, x.Type)[0]
		})
	}
	return out
}

// warpsBefore combines the totals of the warps whose elements come before. Each warp's last lane along the axis writes them to shared memory.
func (l *lowerer) warpsBefore(op *tile.Op, w *view, sum []*lir.Value, lanes, warps int) (before []*lir.Value, any *lir.Value) {
	b := l.b
	// Rows are told by the lanes and warps that do not lie along the axis.
	place := view{lane: make([]uint32, len(w.lane)), warp: make([]uint32, len(w.warp))}
	at := warps
	for i := lanes; i < len(w.lane); i++ {
		if w.lane[i] != 0 {
			place.lane[i] = 1 << at
			at++
		}
	}
	for i := warps; i < len(w.warp); i++ {
		if w.warp[i] != 0 {
			place.warp[i] = 1 << at
			at++
		}
	}
	read := place
	read.warp = append([]uint32(nil), place.warp...)
	for i := range warps {
		place.warp[i] = 1 << i
		read.regs = append(read.regs, 1<<i)
	}
	where, from := l.intern(place), l.intern(read)
	last := l.b.Pure(lir.OpCmp, uint8(tile.EQ), lir.I1, 0, l.and(l.lane(), 1<<lanes-1), b.I32(1<<lanes-1))
	all := make([][]*lir.Value, len(sum))
	for i, v := range sum {
		buffer := l.newShared(stored(v.Type).Bytes() << at)
		l.store2(buffer, where, []*lir.Value{v}, l.both(last, l.owner(w)))
		all[i] = l.load2(buffer, v.Type, from)
	}
	mine := l.and(l.warp(), 1<<warps-1)
	before = column(all, 0)
	for k := 1; k < 1<<warps-1; k++ {
		counts := b.Pure(lir.OpCmp, uint8(tile.GTU), lir.I1, 0, mine, b.I32(k))
		next := l.combine(op, before, column(all, k))
		for i := range next {
			next[i] = l.pick(counts, next[i], before[i])
		}
		before = next
	}
	return before, l.isNonZero(mine)
}

// scanLarge scans tiles that are not held. First the threads' totals are found, then each thread goes over its elements again, from what
// came before, and writes the results to local memory.
func (l *lowerer) scanLarge(op *tile.Op, w *view, axis uint32, along int) {
	b := l.b
	buffers := make([]int, len(op.Results))
	for i, r := range op.Results {
		buffers[i] = b.Func.NewLocal(w.size()*stored(l.typeOf(r.Type)).Bytes(), 16)
	}
	inner := min(along, log2(maxSlice)-1)
	across := 1 << (len(w.regs) - along)
	for row := range across {
		part := *w
		part.base = w.at(row << along)
		part.regs = w.regs[:inner]
		outer := w.regs[inner:along]
		slice := func(i *lir.Value) [][]*lir.Value {
			p := part
			if len(outer) > 0 {
				p.loop, p.counter = outer, i
			}
			v := l.intern(p)
			return l.operands(op, v)
		}
		// scanFrom scans a slice's registers after what came before in this thread.
		scanFrom := func(vals [][]*lir.Value, acc []*lir.Value, has *lir.Value) [][]*lir.Value {
			out := make([][]*lir.Value, len(vals[0]))
			for r := range vals[0] {
				x := column(vals, r)
				if r == 0 {
					acc = l.after(op, acc, has, x)
				} else {
					acc = l.combine(op, acc, x)
				}
				out[r] = acc
			}
			return out
		}
		zeros := make([]*lir.Value, len(op.Args))
		for i, a := range op.Args {
			zeros[i] = b.Const(l.typeOf(a.Type), 0)
		}
		loop := func(start []*lir.Value, body func(i *lir.Value, acc []*lir.Value) []*lir.Value) []*lir.Value {
			return b.Repeat(1<<len(outer), start, func(i *lir.Value, acc []*lir.Value) []*lir.Value {
				return l.within(func() []*lir.Value { return body(i, acc) })
			})
		}
		total := loop(zeros, func(i *lir.Value, acc []*lir.Value) []*lir.Value {
			out := scanFrom(slice(i), acc, l.isNonZero(i))
			return out[len(out)-1]
		})
		before, has := l.totalsBefore(op, w, axis, total)
		if before == nil {
			before, has = zeros, b.Bool(false)
		}
		loop(before, func(i *lir.Value, acc []*lir.Value) []*lir.Value {
			vals := slice(i)
			started := b.Pure(lir.OpOr, 0, lir.I1, 0, has, l.isNonZero(i))
			out := scanFrom(vals, acc, started)
			at := part
			at.loop, at.counter = outer, i
			for j := range op.Results {
				col := make([]*lir.Value, len(out))
				for r := range out {
					col[r] = out[r][j]
				}
				l.writeLocalAt(buffers[j], row<<along, &at, col)
			}
			return out[len(out)-1]
		})
	}
	for i, r := range op.Results {
		l.set(r, held{in: w, local: buffers[i] + 1, depth: b.Depth()})
	}
}
