package lower

import (
	"math/bits"

	"github.com/tegula-lang/tegula/internal/layout"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Tiles in memory. In shared memory the elements lie in row-major order, with what is needed against bank conflicts mixed in;
// in local memory in the order of the thread's registers.

// stored gives the type that values of a type have in memory.
func stored(t lir.Type) lir.Type {
	if t == lir.I1 {
		return lir.I8
	}
	return t
}

func (l *lowerer) toMemory(v *lir.Value) *lir.Value {
	if v.Type == lir.I1 {
		return l.b.Pure(lir.OpExtU, 0, lir.I8, 0, v)
	}
	return v
}

func (l *lowerer) fromMemory(v *lir.Value, t lir.Type) *lir.Value {
	if t == lir.I1 {
		return l.isNonZero(v)
	}
	return v
}

// newShared makes a buffer of shared memory, if the target has so much.
func (l *lowerer) newShared(bytes int) int {
	if limit := l.o.Can.SharedMax; limit > 0 && bytes > limit {
		panic(refusal{diag.At(diag.OutOfResources, l.place(), "%d bytes of shared memory are needed here, and there are %d; a smaller block, or more warps, may help", bytes, limit).WithCode("shared-memory")})
	}
	return l.b.Func.NewShared(bytes, 16)
}

// newStage makes a buffer for what is staged.
func (l *lowerer) newStage(s *staged, bytes int) int {
	buffer := l.newShared(bytes)
	if s.load == nil {
		l.b.Func.Shared[buffer].Align = 8 * s.tile.Swizzle
	}
	return buffer
}

// readShared gives elements that others hold. The tile is written to shared memory as soon as it is known, in front of the loops that the asker is in.
func (l *lowerer) readShared(v *tile.Value, w *view) []*lir.Value {
	h := &l.vals[v.ID]
	if !l.hasRoomFor(v.Type) {
		if vals, ok := l.readInRounds(v, w); ok {
			return vals
		}
	}
	buffer, order := h.shared-1, h.order
	if h.shared == 0 {
		depth := l.knownAt(v)
		order = l.orderOf(v.Type, h.in, w)
		l.b.At(depth, func() { buffer = l.writeShared(v, order) })
		if depth < l.b.Depth() { // or it would be needed in each iteration
			l.b.At(depth, func() { l.b.Emit(&lir.Op{Code: lir.OpBarrier}) })
		}
	}
	return l.load2(buffer, l.typeOf(v.Type), l.mapped(w, apply(order)))
}

// load2 reads the elements of a view from a tile in shared memory.
func (l *lowerer) load2(buffer int, t lir.Type, w *view) []*lir.Value {
	mem := stored(t)
	size := mem.Bytes()
	w, from := l.neighboursFirst(w, 16/size)
	n := vectorOf(w, 16/size)
	part, used := l.part(w), w.threadBits()
	out := make([]*lir.Value, w.size())
	for r := 0; r < len(out); r += n {
		m := lir.Mem{Space: lir.Shared, Buffer: buffer}
		addr := l.address(part, used, w.at(r), size, nil, &m)
		vals := l.b.Load(m, mem, n, addr, nil, nil)
		for i, x := range vals {
			out[from.of(r+i)] = l.fromMemory(x, t)
		}
	}
	return out
}

// vectorOf gives how many registers, from the first on, are neighbours in the order of the elements wherever they begin: a power of two, at most limit.
func vectorOf(w *view, limit int) int {
	k := 0
	for k < len(w.regs) && 1<<(k+1) <= limit && w.regs[k] == 1<<k {
		k++
	}
	// No other source of the number may touch these bits.
	others := w.threadBits() | w.base
	for _, x := range w.regs[k:] {
		others |= x
	}
	return 1 << min(k, bits.TrailingZeros32(others|1<<31))
}

// writeShared puts a tile that is held into a new buffer, in an order.
func (l *lowerer) writeShared(v *tile.Value, order *layout.Matrix) int {
	h := l.vals[v.ID]
	t := l.typeOf(v.Type)
	buffer := l.newShared(v.Type.NumElems() * stored(t).Bytes())
	write := func(w *view, vals []*lir.Value) {
		l.store2(buffer, l.mapped(w, apply(order)), vals, l.owner(h.in))
	}
	if h.regs != nil {
		d, mask := l.distinct(h.in)
		vals := make([]*lir.Value, d.size())
		for r := range vals {
			vals[r] = h.regs[layout.Deposit(uint32(r), uint32(mask))]
		}
		write(d, vals)
		return buffer
	}
	l.rolled(h.in, v.Type, false, nil, func(w *view, _ []*lir.Value) []*lir.Value {
		write(w, l.eval(v, w))
		return nil
	})
	return buffer
}

// store2 writes the elements of a view to a tile in shared memory.
func (l *lowerer) store2(buffer int, w *view, vals []*lir.Value, pred *lir.Value) {
	mem := stored(vals[0].Type)
	size := mem.Bytes()
	w, from := l.neighboursFirst(w, 16/size)
	n := vectorOf(w, 16/size)
	part, used := l.part(w), w.threadBits()
	for r := 0; r < len(vals); r += n {
		group := make([]*lir.Value, n)
		for i := range group {
			group[i] = l.toMemory(vals[from.of(r+i)])
		}
		m := lir.Mem{Space: lir.Shared, Buffer: buffer, Group: buffer + 1}
		addr := l.address(part, used, w.at(r), size, nil, &m)
		l.b.Store(m, addr, pred, group...)
	}
}

// owner gives whether this thread is the one, of those that hold the same elements, that acts for them; nil if there are no others.
func (l *lowerer) owner(w *view) *lir.Value {
	var pred *lir.Value
	for _, s := range [...]struct {
		vectors []uint32
		from    func() *lir.Value
	}{{w.lane, l.lane}, {w.warp, l.warp}} {
		free := 0
		for i, x := range s.vectors {
			if x == 0 {
				free |= 1 << i
			}
		}
		if free == 0 {
			continue
		}
		zero := l.b.Pure(lir.OpCmp, uint8(tile.EQ), lir.I1, 0, l.and(s.from(), free), l.b.I32(0))
		pred = l.both(pred, zero)
	}
	return pred
}

// both is the conjunction of two conditions, either of which may be nil, which is true.
func (l *lowerer) both(x, y *lir.Value) *lir.Value {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	return l.b.Pure(lir.OpAnd, 0, lir.I1, 0, x, y)
}

// rolled runs body over the registers of a view, some at a time: once if they are few, or what it asks for is held as a whole, else in a
// loop. What is carried goes through all runs.
func (l *lowerer) rolled(home *view, t tile.Type, whole bool, carried []*lir.Value, body func(w *view, carried []*lir.Value) []*lir.Value) []*lir.Value {
	part := l.partOf(home, t, whole)
	if part == home {
		return body(home, carried)
	}
	l.settle()
	b := l.b
	return b.Repeat(1<<len(part.loop), carried, func(i *lir.Value, carried []*lir.Value) []*lir.Value {
		return l.within(func() []*lir.Value {
			w := *part
			w.counter = i
			return body(l.intern(w), carried)
		})
	})
}

// partOf gives the view of a part that rolled goes over at a time, without the loop's counter; home, if that is all.
func (l *lowerer) partOf(home *view, t tile.Type, whole bool) *view {
	if whole || words(t, home) <= fewWords {
		return home
	}
	inner := min(len(home.regs), log2(sliceOf(t)))
	w := *home
	w.regs, w.loop = home.regs[:inner], home.regs[inner:]
	return l.intern(w)
}

// sliceOf gives how many elements of a type a rolled loop goes over at a time.
func sliceOf(t tile.Type) int { return max(1, min(maxSlice*32/max(8, t.ElemBits()), fewWords)) }

// keep computes a large tile into local memory.
func (l *lowerer) keep(v *tile.Value, home *view) {
	t := stored(l.typeOf(v.Type))
	buffer := l.b.Func.NewLocal(home.size()*t.Bytes(), 16)
	l.rolled(home, v.Type, l.mustWhole(v, home), nil, func(w *view, _ []*lir.Value) []*lir.Value {
		l.writeLocal(buffer, w, l.eval(v, w))
		return nil
	})
	l.set(v, held{in: home, local: buffer + 1, depth: l.b.Depth()})
}

// writeLocal writes a part of a tile, a rolled loop's view of its home.
func (l *lowerer) writeLocal(buffer int, w *view, vals []*lir.Value) {
	l.writeLocalAt(buffer, 0, w, vals)
}

// writeLocalAt writes a part of a tile whose registers begin at a number.
func (l *lowerer) writeLocalAt(buffer, first int, w *view, vals []*lir.Value) {
	size := stored(vals[0].Type).Bytes()
	at := l.b.I32(0)
	if w.counter != nil {
		at = l.shl(w.counter, len(w.regs)+log2(size))
	}
	n := min(len(vals), 16/size)
	for r := 0; r < len(vals); r += n {
		group := make([]*lir.Value, n)
		for i := range group {
			group[i] = l.toMemory(vals[r+i])
		}
		l.b.Store(lir.Mem{Space: lir.Local, Buffer: buffer, Offset: int64((first + r) * size)}, at, nil, group...)
	}
}

// readLocal reads a part of a tile that the thread has itself.
func (l *lowerer) readLocal(v *tile.Value, w *view, s *source) ([]*lir.Value, bool) {
	h := &l.vals[v.ID]
	if s.base.lane != 0 || s.base.warp != 0 || strays(s.regs) || strays(s.loop) {
		return nil, false
	}
	for i, p := range s.lane {
		if p.lane != 1<<i || p.warp != 0 {
			return nil, false
		}
	}
	for i, p := range s.warp {
		if p.warp != 1<<i || p.lane != 0 {
			return nil, false
		}
	}
	t := l.typeOf(v.Type)
	size := stored(t).Bytes()
	reg := func(ps []place) []uint32 {
		out := make([]uint32, len(ps))
		for i, p := range ps {
			out[i] = p.reg
		}
		return out
	}
	index := view{regs: reg(s.regs), lane: reg(s.lane), warp: reg(s.warp), loop: reg(s.loop), counter: w.counter, base: s.base.reg}
	n := vectorOf(&index, 16/size)
	part, used := l.gather(&index, index.lane, index.warp, index.loop), index.threadBits()
	out := make([]*lir.Value, w.size())
	for r := 0; r < len(out); r += n {
		at := l.join(part, used, l.b.I32(int(index.at(r))), index.at(r))
		vals := l.b.Load(lir.Mem{Space: lir.Local, Buffer: h.local - 1}, stored(t), n, l.shl(at, log2(size)), nil, nil)
		for i, x := range vals {
			out[r+i] = l.fromMemory(x, t)
		}
	}
	return out, true
}

func strays(ps []place) bool {
	for _, p := range ps {
		if p.lane != 0 || p.warp != 0 {
			return true
		}
	}
	return false
}

// mustWhole reports whether a tile is made of tiles as large that are held: no loop can choose among registers.
func (l *lowerer) mustWhole(v *tile.Value, home *view) bool {
	seen := map[*tile.Value]bool{}
	var visit func(v *tile.Value) bool
	visit = func(v *tile.Value) bool {
		if v == nil || !v.Type.IsTile() || seen[v] {
			return false
		}
		seen[v] = true
		h := &l.vals[v.ID]
		switch {
		case h.regs != nil:
			return len(h.regs) > maxSlice && 2*len(h.regs) > home.size()
		case h.local != 0:
			return false
		case h.init != nil:
			return visit(h.init)
		case v.Op == nil:
			return false
		}
		for _, a := range v.Op.Args {
			if visit(a) {
				return true
			}
		}
		return false
	}
	return visit(v)
}
