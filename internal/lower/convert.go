package lower

import (
	"math/bits"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A source says where the elements of a view are in what is held: for the register, lane and warp, each a combination of what is chosen by the
// bits of the asking register, lane, warp and counter.
type source struct {
	regs, lane, warp, loop []place
	base                   place
}

// A place is a register, a lane and a warp of what is held.
type place struct{ reg, lane, warp uint32 }

func (p place) plus(q place) place {
	return place{p.reg ^ q.reg, p.lane ^ q.lane, p.warp ^ q.warp}
}

// locate finds where the elements of w are in a view h that reaches all of them. Of several holders it takes the thread that asks, then those with other
// registers, lanes, warps in this order.
func locate(h, w *view) (s source, ok bool) {
	m := solverOf(h)
	find := func(vectors []uint32, own []uint32, self func(i int) place) []place {
		out := make([]place, len(vectors))
		for i, x := range vectors {
			if i < len(own) && own[i] == x {
				out[i] = self(i)
				continue
			}
			p, found := m.solve(x)
			ok = ok && found
			out[i] = p
		}
		return out
	}
	ok = true
	s.regs = find(w.regs, nil, nil)
	s.lane = find(w.lane, h.lane, func(i int) place { return place{lane: 1 << i} })
	s.warp = find(w.warp, h.warp, func(i int) place { return place{warp: 1 << i} })
	s.loop = find(w.loop, nil, nil)
	base, found := m.solve(w.base ^ h.base)
	s.base = base
	return s, ok && found
}

// A solver expresses numbers of elements by basis vectors.
type solver struct {
	echelon [32]uint32
	made    [32]place
}

func solverOf(h *view) *solver {
	m := &solver{}
	for i, x := range h.regs {
		m.add(x, place{reg: 1 << i})
	}
	for i, x := range h.lane {
		m.add(x, place{lane: 1 << i})
	}
	for i, x := range h.warp {
		m.add(x, place{warp: 1 << i})
	}
	return m
}

func (m *solver) add(x uint32, p place) {
	for x != 0 {
		top := bits.Len32(x) - 1
		if m.echelon[top] == 0 {
			m.echelon[top], m.made[top] = x, p
			return
		}
		x, p = x^m.echelon[top], p.plus(m.made[top])
	}
}

func (m *solver) solve(x uint32) (p place, ok bool) {
	for x != 0 {
		top := bits.Len32(x) - 1
		if m.echelon[top] == 0 {
			return p, false
		}
		x, p = x^m.echelon[top], p.plus(m.made[top])
	}
	return p, true
}

// at gives the place that a register's own part leads to.
func (s *source) at(r int) place {
	p := s.base
	for i := 0; r != 0; i, r = i+1, r>>1 {
		if r&1 != 0 {
			p = p.plus(s.regs[i])
		}
	}
	return p
}

// maxPicks bounds how many registers one is picked from by the thread's number.
const maxPicks = 4

// convert gives the elements of what is held that a view asks for.
func (l *lowerer) convert(v *tile.Value, w *view) []*lir.Value {
	h := &l.vals[v.ID]
	if h.in == w && h.regs != nil {
		return h.regs
	}
	if h.regs == nil && h.local == 0 {
		return l.readShared(v, w)
	}
	if h.regs != nil {
		if vals, ok := l.exchanged(v, h, w); ok {
			return vals
		}
	}
	s, ok := locate(h.in, w)
	if !ok {
		l.refuse("elements of a tile are needed that no thread holds")
	}
	if h.regs == nil {
		if vals, ok := l.readLocal(v, w, &s); ok {
			return vals
		}
		return l.readShared(v, w)
	}
	if vals, ok := l.withinWarp(h, w, &s); ok {
		return vals
	}
	return l.readShared(v, w)
}

// withinWarp gives the elements if they are in the own warp's registers, and few instructions get them.
func (l *lowerer) withinWarp(h *held, w *view, s *source) ([]*lir.Value, bool) {
	if s.base.warp != 0 || crosses(s.regs) || crosses(s.lane) || crosses(s.loop) {
		return nil, false
	}
	var choice uint32 // bits of the register that the thread decides
	moved := s.base.lane != 0
	for i, p := range s.warp {
		if p.warp != 1<<i || p.lane != 0 {
			return nil, false
		}
		choice |= p.reg
	}
	for i, p := range s.lane {
		choice |= p.reg
		moved = moved || p.lane != 1<<i
	}
	for _, p := range s.regs {
		moved = moved || p.lane != 0
	}
	for _, p := range s.loop {
		choice |= p.reg
		moved = moved || p.lane != 0
	}
	picks := 1 << bits.OnesCount32(choice)
	if picks > maxPicks || moved && w.size()*picks > maxHeld {
		return nil, false
	}
	pick := func(r uint32, get func(reg uint32) *lir.Value) *lir.Value { return l.choose(w, s, r, choice, get) }
	out := make([]*lir.Value, w.size())
	for r := range out {
		p := s.at(r)
		if !moved {
			out[r] = pick(p.reg, func(reg uint32) *lir.Value { return h.regs[reg] })
			continue
		}
		lane := l.sourceLane(w, s, p.lane)
		out[r] = pick(p.reg, func(reg uint32) *lir.Value { return l.shuffle(h.regs[reg], lane) })
	}
	return out, true
}

func crosses(ps []place) bool {
	for _, p := range ps {
		if p.warp != 0 {
			return true
		}
	}
	return false
}

// choose gives one of the registers that differ from r by bits of choice, as the thread's number says.
func (l *lowerer) choose(w *view, s *source, r, choice uint32, get func(reg uint32) *lir.Value) *lir.Value {
	if choice == 0 {
		return get(r)
	}
	low := choice & -choice
	vector := func(ps []place) []uint32 {
		out := make([]uint32, len(ps))
		for i, p := range ps {
			if p.reg&low != 0 {
				out[i] = 1
			}
		}
		return out
	}
	parity := l.and(l.parity(w, vector(s.lane), vector(s.warp), vector(s.loop)), 1)
	x := l.choose(w, s, r, choice^low, get)
	y := l.choose(w, s, r^low, choice^low, get)
	return l.pick(l.isNonZero(parity), y, x)
}

// parity gives the exclusive or of the bits of lane, warp and counter that are chosen, each once.
func (l *lowerer) parity(w *view, lane, warp, loop []uint32) *lir.Value {
	sum := l.b.I32(0)
	for _, src := range [...]struct {
		bits []uint32
		from func() *lir.Value
	}{{lane, l.lane}, {warp, l.warp}, {loop, func() *lir.Value { return w.counter }}} {
		for i, x := range src.bits {
			if x != 0 {
				sum = l.b.Pure(lir.OpXor, 0, lir.I32, 0, sum, l.shr(src.from(), i))
			}
		}
	}
	return sum
}

// sourceLane gives the lane that holds a register's element: a combination of the own number's bits.
func (l *lowerer) sourceLane(w *view, s *source, base uint32) *lir.Value {
	lanes := func(ps []place) []uint32 {
		out := make([]uint32, len(ps))
		for i, p := range ps {
			out[i] = p.lane
		}
		return out
	}
	own := l.gather(w, lanes(s.lane), nil, lanes(s.loop))
	return l.b.Pure(lir.OpXor, 0, lir.I32, 0, own, l.b.I32(int(base)))
}

// shuffle gives another lane's value, of any type.
func (l *lowerer) shuffle(v, lane *lir.Value) *lir.Value {
	return l.perWord(v, func(x *lir.Value) *lir.Value {
		return l.b.Emit(&lir.Op{Code: lir.OpShuffle, Mod: uint8(lir.ShuffleIdx), Args: []*lir.Value{x, lane}}, x.Type)[0]
	})
}

// shuffleXor gives the value of the lane whose number differs by mask.
func (l *lowerer) shuffleXor(v *lir.Value, mask int) *lir.Value {
	return l.perWord(v, func(x *lir.Value) *lir.Value {
		return l.b.Emit(&lir.Op{Code: lir.OpShuffle, Mod: uint8(lir.ShuffleXor), Args: []*lir.Value{x, l.b.I32(mask)}}, x.Type)[0]
	})
}

// perWord applies what is there for 32 bits to a value of any type.
func (l *lowerer) perWord(v *lir.Value, f func(*lir.Value) *lir.Value) *lir.Value {
	b := l.b
	switch t := v.Type; {
	case v.IsConst():
		return v
	case t == lir.I32 || t == lir.F32:
		return f(v)
	case t == lir.I1:
		return l.isNonZero(f(b.Pure(lir.OpExtU, 0, lir.I32, 0, v)))
	case t.Bits() == 64:
		whole := l.cast(v, lir.I64)
		lo := f(b.Pure(lir.OpTrunc, 0, lir.I32, 0, whole))
		hi := f(b.Pure(lir.OpTrunc, 0, lir.I32, 0, l.shr(whole, 32)))
		both := b.Pure(lir.OpOr, 0, lir.I64, 0, b.Pure(lir.OpExtU, 0, lir.I64, 0, lo), l.shl(b.Pure(lir.OpExtU, 0, lir.I64, 0, hi), 32))
		return l.cast(both, t)
	default:
		whole := f(b.Pure(lir.OpExtU, 0, lir.I32, 0, l.cast(v, lir.Int(t.Bits()))))
		return l.cast(b.Pure(lir.OpTrunc, 0, lir.Int(t.Bits()), 0, whole), t)
	}
}

// cast gives a value's bits as another type of the same width.
func (l *lowerer) cast(v *lir.Value, t lir.Type) *lir.Value {
	if v.Type == t {
		return v
	}
	return l.b.Pure(lir.OpBitcast, 0, t, 0, v)
}
