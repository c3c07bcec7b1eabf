package lower

import (
	"github.com/tegula-lang/tegula/internal/layout"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Atomics are done once for each element, by the first of the threads that hold it; if the result is used, that thread passes it on.

// atomic lowers the atomics.
func (l *lowerer) atomic(op *tile.Op) {
	ptr := op.Args[0]
	if ptr.Type.IsScalar() {
		l.atomicScalar(op)
		return
	}
	w := l.atomicView(op)
	used := len(op.Results) > 0 && len(l.traits.users[op.Results[0].ID]) > 0
	if words(ptr.Type.Pointee(), w) <= maxHeld || used && l.holds(ptr.Type.Pointee(), w) {
		vals := l.atomics(op, w, w, used)
		if used {
			l.vals[op.Results[0].ID] = held{in: w, regs: l.shareOut(w, vals)}
		}
		return
	}
	var buffer int
	if used {
		buffer = l.b.Func.NewLocal(w.size()*stored(l.typeOf(op.Results[0].Type)).Bytes(), 16)
	}
	whole := false
	for _, a := range op.Args {
		whole = whole || l.mustWhole(a, w)
	}
	l.rolled(w, ptr.Type.Pointee(), whole, nil, func(s *view, _ []*lir.Value) []*lir.Value {
		vals := l.atomics(op, w, s, used)
		if used {
			l.writeLocal(buffer, s, l.shareOut(s, vals))
		}
		return nil
	})
	if used {
		l.vals[op.Results[0].ID] = held{in: w, local: buffer + 1, depth: l.b.Depth()}
	}
}

// atomicView chooses a view in which each thread's own bits tell elements apart, or make no difference.
func (l *lowerer) atomicView(op *tile.Op) *view {
	var w *view
	if len(op.Results) > 0 {
		w = l.home(op.Results[0])
	} else {
		w = l.memoryView(op.Args[0], at(op.Args, 2))
	}
	w, _ = l.distinct(w)
	if !independent(w) {
		return l.defaultView(op.Args[0].Type)
	}
	return w
}

// independent reports whether the vectors of a view that are not zero tell all elements apart.
func independent(w *view) bool {
	s := solver{}
	for _, list := range [...][]uint32{w.regs, w.lane, w.warp} {
		for _, x := range list {
			if x == 0 {
				continue
			}
			if _, made := s.solve(x); made {
				return false
			}
			s.add(x, place{})
		}
	}
	return true
}

// atomics does the atomics of a view's elements; home tells who acts for others.
func (l *lowerer) atomics(op *tile.Op, home, w *view, used bool) []*lir.Value {
	args := make([][]*lir.Value, len(op.Args))
	for i, a := range op.Args {
		args[i] = l.eval(a, w)
	}
	owner := l.owner(home)
	m := l.atomicMem(op)
	l.belongs(&m, op.Args[0], w)
	out := make([]*lir.Value, w.size())
	one := make([]*lir.Value, len(args))
	for r := range out {
		for i := range args {
			one[i] = args[i][r]
		}
		out[r] = l.atomicOne(op, m, one, owner, used)
	}
	return out
}

// shareOut gives each thread what the one that acted for it got.
func (l *lowerer) shareOut(w *view, vals []*lir.Value) []*lir.Value {
	lanes, warps := 0, false
	for i, x := range w.lane {
		if x == 0 {
			lanes |= 1 << i
		}
	}
	for _, x := range w.warp {
		warps = warps || x == 0
	}
	if warps {
		all := spanOf(w)
		compact := l.mapped(w, func(e uint32) uint32 { return layout.Extract(e, all) })
		n := 1
		for range bitsOf(all) {
			n *= 2
		}
		buffer := l.newShared(n * stored(vals[0].Type).Bytes())
		l.store2(buffer, compact, vals, l.owner(w))
		return l.load2(buffer, vals[0].Type, compact)
	}
	if lanes == 0 {
		return vals
	}
	out := make([]*lir.Value, len(vals))
	from := l.and(l.lane(), (l.o.WarpSize-1)&^lanes)
	for i, v := range vals {
		out[i] = l.shuffle(v, from)
	}
	return out
}

// atomicScalar does an atomic of the program's: in one thread, which passes the result on.
func (l *lowerer) atomicScalar(op *tile.Op) {
	used := len(op.Results) > 0 && len(l.traits.users[op.Results[0].ID]) > 0
	m := l.atomicMem(op)
	l.belongsToFirst(&m)
	v := l.atomicOne(op, m, l.scalars(op.Args), l.first(), used)
	if !used {
		return
	}
	l.setScalars(op, []*lir.Value{l.fromFirst(v)})
}

// fromFirst gives all threads what the first one has.
func (l *lowerer) fromFirst(v *lir.Value) *lir.Value {
	mem := stored(v.Type)
	m := lir.Mem{Space: lir.Shared, Buffer: l.newShared(mem.Bytes())}
	l.b.Store(m, l.b.I32(0), l.first(), l.toMemory(v))
	return l.fromMemory(l.b.Load(m, mem, 1, l.b.I32(0), nil, nil)[0], v.Type)
}

func (l *lowerer) atomicMem(op *tile.Op) lir.Mem {
	a := op.Attr.(tile.AtomicAttr)
	return lir.Mem{Space: lir.Global, Kind: a.Kind, Sem: a.Sem, Scope: a.Scope, Origin: l.originNumber(l.traits.originOf(op.Args[0]))}
}

// atomicOne does the atomic of one element, in threads for which pred holds.
func (l *lowerer) atomicOne(op *tile.Op, m lir.Mem, args []*lir.Value, pred *lir.Value, used bool) *lir.Value {
	mask := func(i int) *lir.Value { return l.both(slotOf(args, i), pred) }
	switch op.Code {
	case tile.OpAtomicCAS:
		return l.swap(m, args[0], pred, args[1], args[2])
	case tile.OpAtomicLoad: // adding nothing reads, at any scope and ordering
		return l.atomicRead(m, op.Results[0].Type, args[0], mask(1))
	case tile.OpAtomicStore:
		m.Kind = tile.AtomicXchg
		l.readModifyWrite(m, op.Args[1].Type.Elem(), args[0], mask(2), args[1], false)
		return nil
	case tile.OpAtomicPoll:
		return l.poll(m, op, args, pred)
	}
	return l.readModifyWrite(m, op.Args[1].Type.Elem(), args[0], mask(2), args[1], used)
}

func slotOf(args []*lir.Value, i int) *lir.Value {
	if i < len(args) {
		return args[i]
	}
	return nil
}

// emitAtomic makes the operation; the result is the old value.
func (l *lowerer) emitAtomic(code lir.Code, m lir.Mem, addr, pred *lir.Value, vals ...*lir.Value) *lir.Value {
	args := []*lir.Value{addr}
	if pred != nil && !pred.IsConstBits(1) {
		m.Pred = true
		args = append(args, pred)
	}
	return l.b.Emit(&lir.Op{Code: code, Args: append(args, vals...), Mem: &m}, vals[0].Type)[0]
}

// swap is a compare and swap, of the values' bits.
func (l *lowerer) swap(m lir.Mem, addr, pred, compare, value *lir.Value) *lir.Value {
	t := compare.Type
	bits := lir.Int(t.Bits())
	if bits == lir.I8 {
		return l.cast(l.swapByte(m, addr, pred, l.cast(compare, bits), l.cast(value, bits)), t)
	}
	return l.cast(l.emitAtomic(lir.OpAtomicCAS, m, addr, pred, l.cast(compare, bits), l.cast(value, bits)), t)
}

// atomicRead reads by adding, or or-ing, zero.
func (l *lowerer) atomicRead(m lir.Mem, t tile.Type, addr, pred *lir.Value) *lir.Value {
	bits := lir.Int(t.ElemBits())
	if bits == lir.I8 {
		m.Kind = tile.AtomicOr
		w := l.wordOf(addr)
		return l.cast(w.part(l.emitAtomic(lir.OpAtomicRMW, m, w.addr, pred, l.b.I32(0))), l.typeOf(t))
	}
	if bits.Bits() < 32 {
		zero := l.b.Const(bits, 0)
		return l.cast(l.swap(m, addr, pred, zero, zero), l.typeOf(t))
	}
	m.Kind = tile.AtomicOr
	return l.cast(l.emitAtomic(lir.OpAtomicRMW, m, addr, pred, l.b.Const(bits, 0)), l.typeOf(t))
}

// readModifyWrite does an atomic; what the target has not is done by comparing and swapping until nobody came between.
func (l *lowerer) readModifyWrite(m lir.Mem, e tile.Elem, addr, pred, v *lir.Value, used bool) *lir.Value {
	t := v.Type
	switch {
	case m.Kind == tile.AtomicFMax || m.Kind == tile.AtomicFMin:
		return l.floatExtremum(m, e, addr, pred, v)
	case m.Kind == tile.AtomicFAdd && (t == lir.BF16 && !l.o.Can.BF16Add || e.IsFP8()):
		return l.untilUndisturbed(m, addr, pred, v, func(old *lir.Value) *lir.Value {
			sum := l.b.Pure(lir.OpFAdd, uint8(lir.Nearest), lir.F32, 0, l.toF32(old, e), l.toF32(v, e))
			return l.fromF32(sum, e, lir.Nearest)
		})
	case m.Kind == tile.AtomicFAdd:
		return l.emitAtomic(lir.OpAtomicRMW, m, addr, pred, v)
	case t.Bits() >= 32:
		bits := lir.Int(t.Bits())
		return l.cast(l.emitAtomic(lir.OpAtomicRMW, m, addr, pred, l.cast(v, bits)), t)
	}
	code, ok := map[tile.Atomic]tile.Code{
		tile.AtomicAdd: tile.OpAdd, tile.AtomicAnd: tile.OpAnd, tile.AtomicOr: tile.OpOr, tile.AtomicXor: tile.OpXor, tile.AtomicMaxS: tile.OpMaxS,
		tile.AtomicMaxU: tile.OpMaxU, tile.AtomicMinS: tile.OpMinS, tile.AtomicMinU: tile.OpMinU,
	}[m.Kind]
	return l.untilUndisturbed(m, addr, pred, v, func(old *lir.Value) *lir.Value {
		if !ok {
			return v
		}
		return l.integer(code, t, old, v)
	})
}

// floatExtremum orders floats as integers: those that are not negative as signed ones, the others, in reverse, as unsigned ones.
func (l *lowerer) floatExtremum(m lir.Mem, e tile.Elem, addr, pred, v *lir.Value) *lir.Value {
	t := v.Type
	if t.Bits() < 32 {
		op := lir.OpFMax
		if m.Kind == tile.AtomicFMin {
			op = lir.OpFMin
		}
		return l.untilUndisturbed(m, addr, pred, v, func(old *lir.Value) *lir.Value {
			return l.fromF32(l.minmax(op, false, l.toF32(old, e), l.toF32(v, e)), e, lir.Nearest)
		})
	}
	bits := l.cast(v, lir.Int(t.Bits()))
	negative := l.b.Pure(lir.OpCmp, uint8(tile.LTS), lir.I1, 0, bits, l.b.Const(bits.Type, 0))
	up, down := tile.AtomicMaxS, tile.AtomicMinU
	if m.Kind == tile.AtomicFMin {
		up, down = tile.AtomicMinS, tile.AtomicMaxU
	}
	m.Kind = up
	x := l.emitAtomic(lir.OpAtomicRMW, m, addr, l.both(pred, l.not(negative)), bits)
	m.Kind = down
	y := l.emitAtomic(lir.OpAtomicRMW, m, addr, l.both(pred, negative), bits)
	return l.cast(l.pick(negative, y, x), t)
}

// untilUndisturbed replaces a value of 8 or 16 bits by next of it. A swap of 16 bits is there; 8 bits are a part of their word.
func (l *lowerer) untilUndisturbed(m lir.Mem, addr, pred, v *lir.Value, next func(old *lir.Value) *lir.Value) *lir.Value {
	b, t := l.b, v.Type
	if pred == nil {
		pred = b.Bool(true)
	}
	if t.Bits() == 8 {
		return l.byteUntilUndisturbed(m, addr, pred, v, next)
	}
	bits := lir.Int(t.Bits())
	first := b.Const(bits, 0) // a guess; the first swap tells
	out := b.WhileEach([]*lir.Value{first, b.Bool(false)}, func(vs []*lir.Value) (*lir.Value, []*lir.Value) {
		return l.both(pred, l.not(vs[1])), vs
	}, func(vs []*lir.Value) []*lir.Value {
		old := vs[0]
		got := l.emitAtomic(lir.OpAtomicCAS, m, addr, pred, old, l.cast(next(l.cast(old, t)), bits))
		return []*lir.Value{got, l.same(got, old)}
	})
	return l.cast(out[0], t)
}

func (l *lowerer) same(x, y *lir.Value) *lir.Value {
	return l.b.Pure(lir.OpCmp, uint8(tile.EQ), lir.I1, 0, x, y)
}

// A byteInWord is a byte of memory as a part of its word, which atomics can reach.
type byteInWord struct {
	l           *lowerer
	addr, shift *lir.Value
}

func (l *lowerer) wordOf(addr *lir.Value) byteInWord {
	at := l.b.Pure(lir.OpTrunc, 0, lir.I32, 0, l.and(addr, 3))
	return byteInWord{l, l.and(addr, ^3), l.shl(at, 3)}
}

// part gives the byte in a word.
func (w byteInWord) part(word *lir.Value) *lir.Value {
	return w.l.b.Pure(lir.OpTrunc, 0, lir.I8, 0, w.l.b.Pure(lir.OpShrU, 0, lir.I32, 0, word, w.shift))
}

// with gives a word with another byte.
func (w byteInWord) with(word, x *lir.Value) *lir.Value {
	b := w.l.b
	keep := b.Pure(lir.OpXor, 0, lir.I32, 0, b.Pure(lir.OpShl, 0, lir.I32, 0, b.I32(0xff), w.shift), b.I32(-1))
	put := b.Pure(lir.OpShl, 0, lir.I32, 0, b.Pure(lir.OpExtU, 0, lir.I32, 0, x), w.shift)
	return b.Pure(lir.OpOr, 0, lir.I32, 0, b.Pure(lir.OpAnd, 0, lir.I32, 0, word, keep), put)
}

// byteUntilUndisturbed replaces a byte by next of it; it swaps the whole word.
func (l *lowerer) byteUntilUndisturbed(m lir.Mem, addr, pred, v *lir.Value, next func(old *lir.Value) *lir.Value) *lir.Value {
	b, t, w := l.b, v.Type, l.wordOf(addr)
	first := b.I32(0) // a guess; the first swap tells
	out := b.WhileEach([]*lir.Value{first, b.Bool(false)}, func(vs []*lir.Value) (*lir.Value, []*lir.Value) {
		return l.both(pred, l.not(vs[1])), vs
	}, func(vs []*lir.Value) []*lir.Value {
		old := vs[0]
		put := w.with(old, l.cast(next(l.cast(w.part(old), t)), lir.I8))
		got := l.emitAtomic(lir.OpAtomicCAS, m, w.addr, pred, old, put)
		return []*lir.Value{got, l.same(got, old)}
	})
	return l.cast(w.part(out[0]), t)
}

// swapByte is a compare and swap of a byte: of its word, as long as the byte is what it is compared with and another part changes.
func (l *lowerer) swapByte(m lir.Mem, addr, pred, compare, value *lir.Value) *lir.Value {
	b, w := l.b, l.wordOf(addr)
	if pred == nil {
		pred = b.Bool(true)
	}
	equal := func(x, y *lir.Value) *lir.Value { return l.same(l.widen(x, false), l.widen(y, false)) }
	first := b.I32(0) // a guess; the first swap tells
	out := b.WhileEach([]*lir.Value{first, b.Bool(false)}, func(vs []*lir.Value) (*lir.Value, []*lir.Value) {
		return l.both(pred, l.not(vs[1])), vs
	}, func(vs []*lir.Value) []*lir.Value {
		old := vs[0]
		hit := equal(w.part(old), compare)
		put := l.pick(hit, w.with(old, value), old) // what is no hit is written as it is: that orders memory, too
		got := l.emitAtomic(lir.OpAtomicCAS, m, w.addr, pred, old, put)
		return []*lir.Value{got, l.same(got, old)}
	})
	return w.part(out[0])
}

// poll waits until what is read is the value, or the time is over.
func (l *lowerer) poll(m lir.Mem, op *tile.Op, args []*lir.Value, pred *lir.Value) *lir.Value {
	b := l.b
	if pred == nil {
		pred = b.Bool(true)
	}
	t := op.Args[1].Type
	bits := lir.Int(t.ElemBits())
	want := l.cast(args[1], bits)
	clock := func() *lir.Value { return b.Emit(&lir.Op{Code: lir.OpClock}, lir.I64)[0] }
	var begin *lir.Value
	if len(args) > 2 {
		begin = clock()
	}
	out := b.WhileEach([]*lir.Value{b.Bool(false), l.not(pred)}, func(vs []*lir.Value) (*lir.Value, []*lir.Value) {
		return l.not(vs[1]), vs
	}, func([]*lir.Value) []*lir.Value {
		got := l.same(l.cast(l.atomicRead(m, t, args[0], pred), bits), want)
		done := got
		if len(args) > 2 {
			passed := b.Pure(lir.OpSub, 0, lir.I64, 0, clock(), begin)
			over := b.Pure(lir.OpCmp, uint8(tile.GEU), lir.I1, 0, passed, args[2])
			done = b.Pure(lir.OpOr, 0, lir.I1, 0, got, over)
		}
		return []*lir.Value{got, done}
	})
	return out[0]
}
