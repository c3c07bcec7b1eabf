package lower

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/layout"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A tile that is larger than shared memory is brought to other threads in rounds: in each all threads write a part of it and read it. What is read
// comes into registers, or into local memory if it is too much for them.

// A relay is a way in rounds.
type relay struct {
	from, to *view // to: without a loop
	places   int   // bits of a place in the buffer, in the order
	order    layout.Matrix
	rounds   int
}

// mostRelayed bounds the registers of a thread that are brought elsewhere in rounds, and with them the code.
const mostRelayed = 512

// relayed plans the way in rounds from a view that holds all of a tile to another; nil if there is none.
func (l *lowerer) relayed(t tile.Type, from, w *view) *relay {
	n := t.LogElems()
	d, _ := l.distinct(from)
	a, ok := d.whole(n)
	r := &relay{from: d, to: l.withoutLoop(w)}
	if !ok || max(r.from.size(), r.to.size()) > mostRelayed {
		return nil
	}
	b := covering(r.to, n)
	var bits int
	// Half of the memory is left to what lies there beside it.
	if r.order, bits, ok = layout.InRounds(&a, &b, 8*stored(l.typeOf(t)).Bytes(), l.o.Can.SharedMax/2); !ok {
		return nil
	}
	r.places, r.rounds = n-bits, 1<<bits
	return r
}

// withoutLoop gives a view in which what a loop's counter chooses are further registers.
func (l *lowerer) withoutLoop(w *view) *view {
	v := *w
	v.regs = append(w.regs[:len(w.regs):len(w.regs)], w.loop...)
	v.loop, v.counter = nil, nil
	return l.intern(v)
}

// allOf gives a view of all of a tile of 2^n elements in which the threads have what they have in another, and more.
func (l *lowerer) allOf(w *view, n int) *view {
	v := *l.withoutLoop(w)
	v.base = 0
	var reached layout.Span
	for _, list := range [...][]uint32{v.regs, v.lane, v.warp} {
		reached.AddAll(wide(list))
	}
	for i := range n {
		if reached.Add(1 << i) {
			v.regs = append(v.regs[:len(v.regs):len(v.regs)], 1<<i)
		}
	}
	return l.intern(v)
}

// A relayKey tells what was brought where.
type relayKey struct {
	v  *tile.Value
	to *view
}

// A relayedTile is what was brought: what lies in local memory, and of which registers or of which local memory it was made.
type relayedTile struct {
	local int
	of    []*lir.Value
	from  int
	block *lir.Block
}

// readInRounds gives the elements of a tile that is too large for shared memory; it reports whether there is a way.
func (l *lowerer) readInRounds(v *tile.Value, w *view) ([]*lir.Value, bool) {
	h := l.vals[v.ID]
	if h.shared != 0 {
		return nil, false
	}
	if all := l.allOf(w, v.Type.LogElems()); all != w || w.size() > maxSums {
		return l.readRelayed(v, all, w)
	}
	r := l.relayed(v.Type, h.in, w)
	if r == nil {
		return nil, false
	}
	out := make([]*lir.Value, w.size())
	l.runRelay(r, v, func(reg int, x *lir.Value) { out[reg] = x })
	return out, true
}

// readRelayed gives elements of a tile of which only a part is asked for at a time: all of it is brought to local memory, once.
func (l *lowerer) readRelayed(v *tile.Value, all, w *view) ([]*lir.Value, bool) {
	h, k := l.vals[v.ID], relayKey{v, all}
	done := l.relays[k]
	if done == nil || !slices.Equal(done.of, h.regs) || done.from != h.local || !l.b.IsOpen(done.block) {
		r := l.relayed(v.Type, h.in, all)
		if r == nil {
			return nil, false
		}
		depth := l.knownAt(v)
		done = &relayedTile{of: h.regs, from: h.local, block: l.b.BlockAt(depth)}
		l.b.At(depth, func() {
			done.local = l.b.Func.NewLocal(all.size()*stored(l.typeOf(v.Type)).Bytes(), 16) + 1
			l.runRelay(r, v, func(reg int, x *lir.Value) { l.writeLocalAt(done.local-1, reg, all, []*lir.Value{x}) })
		})
		if l.relays == nil {
			l.relays = map[relayKey]*relayedTile{}
		}
		l.relays[k] = done
	}
	moved := &tile.Value{Type: v.Type, ID: int32(len(l.vals) - 1)} // see inline
	saved := l.vals[moved.ID]
	l.vals[moved.ID] = held{in: all, local: done.local}
	defer func() { l.vals[moved.ID] = saved }()
	s, _ := locate(all, w)
	return l.readLocal(moved, w, &s)
}

// knownAt gives the depth at which a tile that is held is known, outside of the loops that do not change it.
func (l *lowerer) knownAt(v *tile.Value) int {
	h := l.vals[v.ID]
	depth := h.depth
	for _, r := range h.regs {
		depth = max(depth, l.b.DepthOf(r))
	}
	return l.b.OutsideLoops(depth)
}

// runRelay brings a tile on its way, and gives what comes, register by register.
func (l *lowerer) runRelay(r *relay, v *tile.Value, got func(reg int, x *lir.Value)) {
	h, t := l.vals[v.ID], l.typeOf(v.Type)
	mem := stored(t)
	buffer, owner := l.newShared(mem.Bytes()<<r.places), l.owner(h.in)
	_, mask := l.distinct(h.in)
	from, to := l.relaySide(r, r.from, mem), l.relaySide(r, r.to, mem)
	for round := range r.rounds {
		if !to.goes(round) {
			continue
		}
		from.each(round, func(regs []int, place uint32, pred *lir.Value) {
			vals := make([]*lir.Value, len(regs))
			for i, reg := range regs {
				vals[i] = l.toMemory(l.heldAt(&h, int(layout.Deposit(uint32(reg), uint32(mask))), t))
			}
			// What one round writes the next one overwrites, also if nobody needs what was read. The numbers of rounds are negative: those above 0
			// are whole buffers', those just below 0 the kinds of atomics.
			m := lir.Mem{Space: lir.Shared, Buffer: buffer, Group: -(buffer+1)*mostRelayed - round}
			l.b.Store(m, from.address(place, &m), l.both(owner, pred), vals...)
		})
		to.each(round, func(regs []int, place uint32, _ *lir.Value) {
			m := lir.Mem{Space: lir.Shared, Buffer: buffer}
			for i, x := range l.b.Load(m, mem, len(regs), to.address(place, &m), nil, nil) {
				got(regs[i], l.fromMemory(x, t))
			}
		})
	}
}

// A relaySide is a side of a way in rounds: the places of its registers, and above them the rounds.
type relaySide struct {
	l      *lowerer
	at     *view
	before reorder
	vector int
	size   int
	places int
	own    *lir.Value // the thread's part of places, which uses bits
	used   uint32
	round  *lir.Value // the thread's part of rounds, which uses bits
	rounds uint32
}

func (l *lowerer) relaySide(r *relay, w *view, mem lir.Type) *relaySide {
	s := &relaySide{l: l, size: mem.Bytes(), places: r.places}
	s.at, s.before = l.neighboursFirst(l.mapped(w, apply(&r.order)), 16/s.size)
	s.vector = vectorOf(s.at, 16/s.size)
	threads := l.withRegs(s.at, nil)
	place := l.mapped(threads, func(e uint32) uint32 { return e & (1<<r.places - 1) })
	round := l.mapped(threads, func(e uint32) uint32 { return e >> r.places })
	s.own, s.used = l.part(place), place.threadBits()
	s.round, s.rounds = l.part(round), round.threadBits()
	return s
}

// each goes through what may go in a round: neighbours, their place, and whether they do go; nil: they do.
func (s *relaySide) each(round int, do func(regs []int, place uint32, pred *lir.Value)) {
	b := s.l.b
	for r := 0; r < s.at.size(); r += s.vector {
		at := s.at.at(r)
		wanted := at>>s.places ^ uint32(round)
		if wanted&^s.rounds != 0 {
			continue
		}
		var pred *lir.Value
		if s.rounds != 0 {
			pred = b.Pure(lir.OpCmp, uint8(tile.EQ), lir.I1, 0, s.round, b.I32(int(wanted)))
		}
		regs := make([]int, s.vector)
		for i := range regs {
			regs[i] = s.before.of(r + i)
		}
		do(regs, at&(1<<s.places-1), pred)
	}
}

// goes reports whether anything may go in a round.
func (s *relaySide) goes(round int) bool {
	any := false
	s.each(round, func([]int, uint32, *lir.Value) { any = true })
	return any
}

func (s *relaySide) address(place uint32, m *lir.Mem) *lir.Value {
	return s.l.address(s.own, s.used, place, s.size, nil, m)
}

// heldAt gives a register of what is held, or what the thread has in its stead in local memory.
func (l *lowerer) heldAt(h *held, r int, t lir.Type) *lir.Value {
	if h.regs != nil {
		return h.regs[r]
	}
	m := lir.Mem{Space: lir.Local, Buffer: h.local - 1, Offset: int64(r * stored(t).Bytes())}
	return l.fromMemory(l.b.Load(m, stored(t), 1, l.b.I32(0), nil, nil)[0], t)
}
