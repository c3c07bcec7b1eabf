package sim

import "github.com/tegula-lang/tegula/internal/lir"

// A signal is a word in shared memory that threads give and wait for. What happened before it was given is known to who has waited for its round.
type signal struct {
	takes, given int
	round        int
	known        []uint32 // by who has given it in this round
	over         []uint32 // by all who gave it in the round before
}

// A moment is a time by both clocks.
type moment struct{ now, tick uint32 }

// signalOrder tells what is ordered by signals: of each warp, what other threads did until which tick it knows of.
type signalOrder struct {
	tick   uint32     // goes on when a signal is given, and at a warp_sync
	order  [][]uint32 // by warp and thread; nil: there are no signals
	synced []uint32   // by warp: its last warp_sync
	lanes  int        // of a warp
}

func newSignalOrder(f *lir.Func) signalOrder {
	used := false
	f.Body.Walk(func(op *lir.Op) { used = used || op.Code == lir.OpSignalInit })
	o := signalOrder{synced: make([]uint32, f.Warps), lanes: f.WarpSize, tick: 1}
	if !used {
		return o
	}
	o.order = make([][]uint32, f.Warps)
	for w := range o.order {
		o.order[w] = make([]uint32, f.Warps*f.WarpSize)
	}
	return o
}

// ordered reports whether a warp knows of all that a trace tells.
func (c *clock) ordered(r *trace, warp int32) bool {
	known := c.order[warp]
	for w := range c.order {
		if r.warps>>w&1 == 0 {
			continue
		}
		for lane := range c.lanes {
			if r.lanes>>lane&1 != 0 && known[w*c.lanes+lane] <= r.at {
				return false
			}
		}
	}
	return true
}

// noteGroup notes what a warp group did to a byte.
func (c *clock) noteGroup(r *trace, lanes []int32) {
	first := lanes[0] / int32(c.lanes)
	c.note(r, lanes[0], first)
	r.warps |= (1<<lir.GroupWarps - 1) << (first & 31)
	if c.order != nil {
		r.thread, r.warp = -1, -1
	}
}

// syncWarp lets a warp's lanes know what each of them did.
func (c *clock) syncWarp(warp int) {
	c.warps[warp]++
	c.tick++
	c.synced[warp] = c.tick
}

// knows reports whether a warp group knows what a thread did until a tick.
func (m *machine) knows(lanes []int32, thread int32, tick uint32) bool {
	if m.order == nil {
		return false
	}
	first := int(lanes[0]) / m.lanes
	for w := range lir.GroupWarps {
		if m.order[first+w][thread] <= tick {
			return false
		}
	}
	return true
}

// signalling makes the steps of operations on signals.
func (m *machine) signalling(op *lir.Op) step {
	switch op.Code {
	case lir.OpSignalInit:
		a := m.access(op, signalBytes)
		return m.bySignal(a, writing, func(_ int32, at int) {
			if m.signals[at] != nil {
				m.fail(op, "no-signal", "a signal begins where one is already")
			}
			m.signals[at] = &signal{takes: int(op.Imm), known: make([]uint32, m.threads), over: make([]uint32, m.threads)}
		})
	case lir.OpSignalEnd:
		a := m.access(op, signalBytes)
		return m.bySignal(a, writing, func(_ int32, at int) { delete(m.signals, at) })
	case lir.OpSignalGive:
		a := m.access(op, signalBytes)
		return m.bySignal(a, reading, func(t int32, at int) { m.give(op, m.signals[at], t) })
	case lir.OpSignalWait:
		a := m.access(op, signalBytes)
		return m.bySignal(a, reading, func(t int32, at int) { m.await(op, m.signals[at], t, int(a.rest[0][t]&1)) })
	}
	return nil
}

const signalBytes = 8

// bySignal makes the step of something that threads do to signals, one by one.
func (m *machine) bySignal(a *access, u use, do func(thread int32, at int)) step {
	return func(threads []int32) {
		a.begin(threads)
		for _, t := range threads {
			if !a.happens(t) {
				continue
			}
			memory, s := a.at(t)
			if memory == nil {
				return
			}
			at := m.f.Shared[a.mem.Buffer].Offset + int(int32(a.address[t])) + int(a.mem.Offset)
			a.touch(t, u, memory, s, nil)
			if m.fault == nil && u == reading && m.signals[at] == nil {
				m.fail(a.op, "no-signal", "%s of what is no signal (thread %d)", a.op.Code, t)
			}
			if m.fault != nil {
				return
			}
			do(t, at)
		}
	}
}

// give gives a signal once.
func (m *machine) give(op *lir.Op, s *signal, t int32) {
	m.tick++
	w := int(t) / m.lanes
	join(s.known, m.order[w])
	first := w * m.lanes
	for lane := first; lane < first+m.lanes; lane++ {
		s.known[lane] = max(s.known[lane], m.synced[w])
	}
	s.known[t] = m.tick
	if s.given++; s.given == s.takes {
		s.given = 0
		s.round++
		copy(s.over, s.known)
	}
}

// await lets a thread wait for the end of the round of a parity.
func (m *machine) await(op *lir.Op, s *signal, t int32, parity int) {
	if s.round&1 == parity {
		m.fail(op, "deadlock", "thread %d waits for a signal that is given %d of %d times in round %d, and nobody else comes to give it", t, s.given, s.takes, s.round)
		return
	}
	join(m.order[int(t)/m.lanes], s.over)
}

// join lets one know what another knows.
func join(known, other []uint32) {
	for i, tick := range other {
		known[i] = max(known[i], tick)
	}
}
