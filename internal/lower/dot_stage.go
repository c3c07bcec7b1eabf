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
	load   *layout.Access
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
}

// stage writes an operand to shared memory, for loads in a layout. What loops do not change is written in front of them, and once.
func (l *lowerer) stage(v *tile.Value, elem tile.Elem, to layout.Layout, bring func([]*lir.Value) []*lir.Value) *staged {
	k := stageKey{v, elem, to}
	h := l.vals[v.ID]
	if s := l.stages[k]; s != nil && h.regs != nil && slices.Equal(s.of, h.regs) && l.b.IsOpen(s.block) {
		return s
	}
	home, _ := l.distinct(l.home(v))
	part := l.partOf(home, v.Type, l.mustWhole(v, home))
	s := l.planStage(covering(part, v.Type.LogElems()), to, elem)
	s.buffer = l.newShared(v.Type.NumElems() * s.typ.Bytes())
	depth := l.b.Depth()
	s.of = h.regs
	if h.regs != nil {
		known := h.depth
		for _, r := range h.regs {
			known = max(known, l.b.DepthOf(r))
		}
		depth = l.b.OutsideLoops(known)
	}
	s.block = l.b.BlockAt(depth)
	inLoop := depth < l.b.Depth()
	l.b.At(depth, func() {
		l.writeStage(s, v, home, bring)
		if inLoop { // or it would be waited for in each iteration
			l.b.Emit(&lir.Op{Code: lir.OpBarrier})
		}
	})
	l.stages[k] = s
	return s
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
	m := layout.Through(from, to, elem.Bits(), 0)
	if l.o.Can.LoadMatrix {
		for _, transposed := range []bool{false, true} {
			if c, ok := layout.PlanMatrices(from, to, elem.Bits(), transposed, 0); ok && accesses(c.Memory) <= accesses(m) {
				m = c.Memory
			}
		}
	}
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
