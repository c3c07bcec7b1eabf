package lower

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/layout"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A staged is an operand in shared memory, in the order that its way from one layout to another is planned to have.
type staged struct {
	buffer int
	typ    lir.Type // of an element
	offset *layout.Matrix
	to     layout.Layout
	load   *layout.Access // nil: matrix instructions read the tile as it is
	tile   lir.GroupTile
	add    *lir.Value // bytes from the buffer's beginning; nil: 0
	group  int
	block  *lir.Block   // in which it was written
	of     []*lir.Value // the registers that were
}

// A stageKey tells what is staged: a value, brought to a type, for a layout.
type stageKey struct {
	v    *tile.Value
	elem tile.Elem
	to   layout.Layout
	tile lir.GroupTile // or for matrix instructions that read this, as the left or as the right operand
	i    int
}

// stage writes an operand to shared memory, for loads in a layout. What loops do not change is written in front of them, and once.
func (l *lowerer) stage(v *tile.Value, elem tile.Elem, to layout.Layout, bring func([]*lir.Value) []*lir.Value) *staged {
	return l.staged(stageKey{v: v, elem: elem, to: to}, bring, func(home *view) *staged {
		part := l.partOf(home, v.Type, l.mustWhole(v, home))
		return l.planStage(covering(part, v.Type.LogElems()), to, elem)
	})
}

// staged writes what a key says to shared memory, as it is planned, or finds what was written.
func (l *lowerer) staged(k stageKey, bring func([]*lir.Value) []*lir.Value, plan func(home *view) *staged) *staged {
	v := k.v
	l.settleIf(v)
	h := l.vals[v.ID]
	known := h.regs != nil || l.isFixed(v)
	if s := l.stages[k]; s != nil && known && slices.Equal(s.of, h.regs) && l.b.IsOpen(s.block) {
		return s
	}
	home, _ := l.distinct(l.home(v))
	s := plan(home)
	s.buffer = l.newStage(s, v.Type.NumElems()*s.typ.Bytes())
	depth, memo := l.b.Depth(), len(l.memo)
	s.of = h.regs
	switch {
	case h.regs != nil:
		known := h.depth
		for _, r := range h.regs {
			known = max(known, l.b.DepthOf(r))
		}
		depth = l.b.OutsideLoops(known)
	case known:
		at := l.depths[l.traits.home[v.Op]]
		if d := l.b.OutsideLoops(at.depth); d < depth {
			depth, memo = d, at.memo
		}
	}
	s.block = l.b.BlockAt(depth)
	inLoop := depth < l.b.Depth()
	l.b.At(depth, func() {
		if s.load == nil && !inLoop {
			l.settle() // a matrix instruction may be reading what was there in the iteration before
		}
		all, pending := l.memo, l.pending
		if inLoop { // what is known, and pending, in loops is not so in front of them
			l.memo, l.pending = all[:memo:memo], nil
		}
		l.within(func() []*lir.Value {
			l.writeStage(s, v, home, bring)
			return nil
		})
		if inLoop {
			l.memo, l.pending = all, pending
		}
		if s.load == nil {
			l.b.Emit(&lir.Op{Code: lir.OpProxyFence})
		}
		if inLoop { // or it would be waited for in each iteration
			l.b.Emit(&lir.Op{Code: lir.OpBarrier})
		}
	})
	l.stages[k] = s
	return s
}

// isFixed reports whether a value that is not held is made of what does not change where its operation stands.
func (l *lowerer) isFixed(v *tile.Value) bool {
	h := l.vals[v.ID]
	_, ok := l.depths[l.traits.home[v.Op]]
	return ok && v.Op != nil && h.init == nil && h.local == 0 && h.shared == 0
}

func (l *lowerer) writeStage(s *staged, v *tile.Value, home *view, bring func([]*lir.Value) []*lir.Value) {
	owner := l.owner(home)
	l.rolled(home, v.Type, l.mustWhole(v, home), nil, func(w *view, _ []*lir.Value) []*lir.Value {
		l.store2(s.buffer, l.mapped(w, apply(s.offset)), bring(l.eval(v, w)), owner)
		return nil
	})
}

// planStage plans the way from one layout to another that takes the fewest accesses.
func (l *lowerer) planStage(from, to layout.Layout, elem tile.Elem) *staged {
	ways := l.waysOf(from, to, elem)
	return l.stageOf(slices.MinFunc(ways, func(a, b *layout.Memory) int { return accesses(a) - accesses(b) }), to, elem)
}

// waysOf gives ways from one layout to another, the best of its kind each; of equal ones the first is to be taken.
func (l *lowerer) waysOf(from, to layout.Layout, elem tile.Elem) []*layout.Memory {
	var ways []*layout.Memory
	if l.o.Can.LoadMatrix {
		for _, transposed := range []bool{true, false} {
			if c, ok := layout.PlanMatrices(from, to, elem.Bits(), transposed, 0); ok {
				ways = append(ways, c.Memory)
			}
		}
	}
	return append(ways, layout.Through(from, to, elem.Bits(), 0))
}

func (l *lowerer) stageOf(m *layout.Memory, to layout.Layout, elem tile.Elem) *staged {
	return &staged{to: to, typ: l.typeOf(tile.Scalar(elem)), offset: &m.Offset, load: &m.Load}
}

func accesses(m *layout.Memory) int { return m.Store.Len() + m.Load.Len() }

func wide(vs []uint32) []uint64 {
	out := make([]uint64, len(vs))
	for i, v := range vs {
		out[i] = uint64(v)
	}
	return out
}

// loadsOf lets an operand's words be loaded when they are needed.
func (l *lowerer) loadsOf(o *operand, s *staged) {
	o.from = make([]int, s.to.Size(layout.Register))
	o.elements = make([]*lir.Value, len(o.from))
	for i := range s.load.Len() {
		regs, _ := s.load.At(nil, 0, i)
		for _, r := range regs {
			o.from[r] = i
		}
	}
	own := l.threadPart(s)
	m := lir.Mem{Space: lir.Shared, Buffer: s.buffer, Group: s.group}
	o.load = func(i int) {
		regs, at := s.load.At(nil, 0, i)
		addr := l.placeOf(s, own, at, &m)
		if ms := s.load.Matrices; ms != nil {
			for j, word := range l.b.LoadMatrix(m, ms.Transposed, ms.Count, addr) {
				o.words[regs[j*o.perWord]/o.perWord] = word
			}
			return
		}
		if n := o.perWord; n > 1 && wordsOf(regs, n) {
			for j, word := range l.b.Load(m, lir.I32, len(regs)/n, addr, nil, nil) {
				o.words[regs[j*n]/n] = word
			}
			return
		}
		for j, x := range l.b.Load(m, s.typ, s.load.Vector, addr, nil, nil) {
			o.elements[regs[j]] = x
		}
	}
}

// wordsOf reports whether registers, in the order of memory, are those of whole words of n.
func wordsOf(regs []int, n int) bool {
	for i, r := range regs {
		if r%n != i%n || r/n != regs[i-i%n]/n {
			return false
		}
	}
	return len(regs)%n == 0
}

// threadPart gives the part of a place, in elements, that depends on the thread.
func (l *lowerer) threadPart(s *staged) *lir.Value {
	return l.part(s.threadView())
}

// threadView gives a view whose elements are places.
func (s *staged) threadView() *view {
	t := &s.load.Thread
	v := &view{}
	lanes, warps := s.to.InBits(layout.Lane), s.to.InBits(layout.Warp)
	for i := range lanes {
		v.lane = append(v.lane, uint32(t.Column(i)))
	}
	for i := range warps {
		v.warp = append(v.warp, uint32(t.Column(lanes+i)))
	}
	return v
}

// placeOf gives the address, in bytes from the buffer's beginning and what the access adds.
func (l *lowerer) placeOf(s *staged, own *lir.Value, at int, m *lir.Mem) *lir.Value {
	return l.address(own, s.threadView().threadBits(), uint32(at), s.typ.Bytes(), s.add, m)
}

// address gives the address of a place: its part that depends on the thread, of which it is known which bits it may have, exclusive-or at,
// in elements of size bytes, from a beginning, which may be nil, on. What can be added as a constant is left to the access.
func (l *lowerer) address(own *lir.Value, used, at uint32, size int, begin *lir.Value, m *lir.Mem) *lir.Value {
	m.Offset = int64(at&^used) * int64(size)
	addr := l.shl(l.join(own, used, l.b.I32(int(at&used)), at&used), log2(size))
	if begin != nil {
		addr = l.b.Pure(lir.OpAdd, 0, lir.I32, 0, addr, begin)
	}
	return addr
}
