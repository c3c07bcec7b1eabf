package lower

import (
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Operations that move elements by numbers that are only known at run time go through shared memory.

// gatherOp lowers OpGather: the source lies in shared memory, and each thread reads what its indices say.
func (l *lowerer) gatherOp(op *tile.Op) {
	src, index := op.Args[0], op.Args[1]
	axis := op.Attr.(tile.AxisAttr).Axis
	buffer := l.share(src, func(e uint32) uint32 { return e })
	t := l.typeOf(src.Type)
	read := func(w *view) []*lir.Value {
		// The element of the source has the index's coordinates, but for the axis.
		rest := ^dimBits(index.Type, axis)
		move := gatherBits(src.Type, index.Type, axis)
		others := l.mapped(w, func(e uint32) uint32 { return move(e & rest) })
		indices := l.eval(index, w)
		out := make([]*lir.Value, w.size())
		part := l.part(others)
		for r := range out {
			i := indices[r]
			switch {
			case i.Type == lir.I64:
				i = l.b.Pure(lir.OpTrunc, 0, lir.I32, 0, i)
			case i.Type.Bits() < 32:
				i = l.widen(i, true)
			}
			i = l.and(i, src.Type.Dim(axis)-1) // an index outside is undefined; the access is not
			e := l.b.Pure(lir.OpAdd, 0, lir.I32, 0, l.join(part, others.threadBits(), l.b.I32(int(others.at(r))), others.at(r)), l.shl(i, lowBit(src.Type, axis)))
			addr := l.shl(e, log2(stored(t).Bytes()))
			out[r] = l.fromMemory(l.b.Load(lir.Mem{Space: lir.Shared, Buffer: buffer}, stored(t), 1, addr, nil, nil)[0], t)
		}
		return out
	}
	l.produce(op.Results[0], l.home(op.Results[0]), l.mustWhole(index, l.home(op.Results[0])), read)
}

// share writes a tile to shared memory with its elements renumbered.
func (l *lowerer) share(v *tile.Value, renumber func(uint32) uint32) int {
	t := l.typeOf(v.Type)
	buffer := l.newShared(v.Type.NumElems() * stored(t).Bytes())
	home, _ := l.distinct(l.home(v))
	if h := l.vals[v.ID]; h.in != nil {
		home, _ = l.distinct(h.in)
	}
	owner := l.owner(home)
	l.rolled(home, v.Type, l.mustWhole(v, home), nil, func(w *view, _ []*lir.Value) []*lir.Value {
		l.store2(buffer, l.mapped(w, renumber), l.eval(v, w), owner)
		return nil
	})
	return buffer
}

// gatherBits maps numbers of the index's elements, whose coordinate along the axis is 0, to those of the source.
func gatherBits(src, index tile.Type, axis int) func(uint32) uint32 {
	return func(e uint32) uint32 {
		var out uint32
		for d := range src.Rank() {
			if d != axis {
				out |= e >> lowBit(index, d) & (1<<index.LogDim(d) - 1) << lowBit(src, d)
			}
		}
		return out
	}
}

// produce makes a tile by parts, and holds it or keeps it in local memory.
func (l *lowerer) produce(v *tile.Value, home *view, whole bool, part func(w *view) []*lir.Value) {
	if l.holds(v.Type, home) {
		l.set(v, held{in: home, regs: part(home)})
		return
	}
	buffer := l.b.Func.NewLocal(home.size()*stored(l.typeOf(v.Type)).Bytes(), 16)
	l.rolled(home, v.Type, whole, nil, func(w *view, _ []*lir.Value) []*lir.Value {
		vals := part(w)
		l.writeLocal(buffer, w, vals)
		return nil
	})
	l.set(v, held{in: home, local: buffer + 1, depth: l.b.Depth()})
}

// histogram lowers OpHistogram: counters in shared memory that all threads add to.
func (l *lowerer) histogram(op *tile.Op) {
	b := l.b
	result := op.Results[0]
	bins := result.Type.NumElems()
	buffer := l.newShared(bins * 4)
	out := l.home(result)
	zero := func(w *view) {
		d, _ := l.distinct(w)
		l.store2(buffer, d, repeat(b.I32(0), d.size()), l.owner(out))
	}
	l.rolled(out, result.Type, false, nil, func(w *view, _ []*lir.Value) []*lir.Value {
		zero(w)
		return nil
	})
	vals, mask := op.Args[0], at(op.Args, 1)
	home, _ := l.distinct(l.home(vals))
	if !independent(home) {
		home = l.defaultView(vals.Type)
	}
	l.rolled(home, vals.Type, l.mustWhole(vals, home) || l.mustWhole(mask, home), nil, func(w *view, _ []*lir.Value) []*lir.Value {
		xs := l.eval(vals, w)
		var preds []*lir.Value
		if mask != nil {
			preds = l.eval(mask, w)
		}
		for r, x := range xs {
			in := b.Pure(lir.OpCmp, uint8(tile.LTU), lir.I1, 0, x, b.I32(bins))
			pred := l.both(l.both(slot(preds, r), in), l.owner(home))
			m := lir.Mem{Space: lir.Shared, Buffer: buffer, Kind: tile.AtomicAdd, Sem: tile.Relaxed, Scope: tile.ScopeCTA}
			l.emitAtomic(lir.OpAtomicRMW, m, l.shl(x, 2), pred, b.I32(1))
		}
		return nil
	})
	l.produce(result, out, false, func(w *view) []*lir.Value {
		d, m := l.distinct(w)
		return spread(l.load2(buffer, lir.I32, d), m, w.size())
	})
}

// mapElements lowers OpMap: its region, for each element.
func (l *lowerer) mapElements(op *tile.Op) {
	r := op.Regions[0]
	one := func(args []*lir.Value) []*lir.Value {
		for i, a := range r.Args {
			l.set(a, held{scalar: args[i]})
		}
		return l.within(func() []*lir.Value {
			outer := l.op
			l.block(r)
			l.op = outer
			return l.scalars(r.Terminator().Args)
		})
	}
	if isScalar(op) {
		l.setScalars(op, one(l.scalars(op.Args)))
		return
	}
	l.eachElement(op, one)
}

// eachElement computes an operation of several results element by element.
func (l *lowerer) eachElement(op *tile.Op, one func(args []*lir.Value) []*lir.Value) {
	home := l.home(op.Results[0])
	large, whole := false, false
	for _, list := range [...][]*tile.Value{op.Results, op.Args} {
		for _, v := range list {
			large = large || !l.holds(v.Type, home)
		}
	}
	buffers := make([]int, len(op.Results))
	if large {
		for i, v := range op.Results {
			buffers[i] = l.b.Func.NewLocal(home.size()*stored(l.typeOf(v.Type)).Bytes(), 16)
		}
		for _, a := range op.Args {
			whole = whole || l.mustWhole(a, home)
		}
	}
	run := func(w *view) [][]*lir.Value {
		out := make([][]*lir.Value, len(op.Results))
		args := l.operands(op, w)
		for r := range w.size() {
			for i, v := range one(column(args, r)) {
				out[i] = append(out[i], v)
			}
		}
		return out
	}
	if !large {
		for i, vals := range run(home) {
			l.vals[op.Results[i].ID] = held{in: home, regs: vals}
		}
		return
	}
	l.rolled(home, op.Results[0].Type, whole, nil, func(w *view, _ []*lir.Value) []*lir.Value {
		for i, vals := range run(w) {
			l.writeLocal(buffers[i], w, vals)
		}
		return nil
	})
	for i, v := range op.Results {
		l.set(v, held{in: home, local: buffers[i] + 1, depth: l.b.Depth()})
	}
}
