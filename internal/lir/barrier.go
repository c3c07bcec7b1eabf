package lir

import (
	"maps"

	"github.com/tegula-lang/tegula/internal/tile"
)

// placeBarriers puts a barrier in front of each access that may meet one of another thread since the last barrier, where one of the
// two writes. Threads meet in shared memory, where buffers overlap; and in global memory, where the kernel's author thinks of
// operations on whole tiles, one after another: what one thread has written another may read, unless the addresses come from
// different parameters or each belongs to one thread.
func placeBarriers(f *Func) {
	w := &barrierWalk{f: f, loops: map[*Op]*loopState{}}
	w.block(f.Body, meetings{})
}

// A meeting is an access that other threads may meet.
type meeting struct {
	space      Space
	from, to   int // Shared: the bytes
	origin     int // Global
	group      int
	turns      uint64 // Global: see Mem
	write      bool
	everything bool // Global: an atomic that orders all that came before, or comes after
	async      bool // a copy that may not be done yet
	reading    bool // a matrix instruction of a warp group that may not be
}

type meetings map[meeting]bool

// after gives what is still pending after a barrier: what is asynchronous and has not been waited for.
func (p meetings) after() meetings {
	left := meetings{}
	for x := range p {
		if x.async || x.reading {
			left[x] = true
		}
	}
	return left
}

// copied gives what is pending when all copies have happened.
func (p meetings) copied() meetings {
	all := meetings{}
	for x := range p {
		x.async = false
		all[x] = true
	}
	return all
}

// multiplied gives what is pending when all matrix instructions of the thread's warp group are done.
func (p meetings) multiplied() meetings {
	all := meetings{}
	for x := range p {
		x.reading = false
		all[x] = true
	}
	return all
}

// turned gives what is pending at the begin of a loop's next iteration: an address may be another thread's there.
func (p meetings) turned(depth int) meetings {
	all := meetings{}
	for x := range p {
		if x.turns>>min(depth, 62)&1 != 0 {
			x.group = 0
		}
		all[x] = true
	}
	return all
}

type barrierWalk struct {
	f     *Func
	depth int  // of the block
	dry   bool // what would be needed is found out; nothing is put in
	loops map[*Op]*loopState
}

// block walks b with what is pending before it, puts barriers in, and gives what is pending after it.
func (w *barrierWalk) block(b *Block, pending meetings) meetings {
	var ops []*Op
	for _, op := range b.Ops {
		switch {
		case op.Code == OpBarrier:
			pending = pending.after()
		case op.Code == OpCopyWait && op.Imm == 0:
			pending = pending.copied()
		case op.Code == OpGroupWait && op.Imm == 0:
			pending = pending.multiplied()
		case parts(op): // threads part: what they need is needed in front of it
			all := meetings{}
			for _, r := range op.Regions {
				r.Walk(func(o *Op) { w.add(all, o) })
			}
			if meets(pending, all) {
				ops, pending = append(ops, &Op{Code: OpBarrier, Loc: op.Loc}), pending.after()
			}
			maps.Copy(pending, all)
		case len(op.Regions) > 0:
			pending = w.structured(op, pending)
		default:
			now := meetings{}
			w.add(now, op)
			if meets(pending, now) {
				ops, pending = append(ops, &Op{Code: OpBarrier, Loc: op.Loc}), pending.after()
			}
			maps.Copy(pending, now)
		}
		ops = append(ops, op)
	}
	if !w.dry {
		b.Ops = ops
	}
	return pending
}

// parts reports whether threads may take different ways through an operation.
func parts(op *Op) bool { return (op.Code == OpIf || op.Code == OpWhile) && op.Imm == 1 }

// structured walks an operation with regions. What is pending at the end of a loop's body is pending at its begin.
func (w *barrierWalk) structured(op *Op, pending meetings) meetings {
	w.depth++
	defer func() { w.depth-- }()
	if op.Code == OpIf {
		then := w.block(op.Regions[0], maps.Clone(pending))
		els := w.block(op.Regions[1], maps.Clone(pending))
		maps.Copy(then, els)
		return then
	}
	known := w.loops[op]
	if known == nil || !within(pending, known.in) {
		known = w.settled(op, pending, known)
		w.loops[op] = known
	}
	if w.dry {
		return maps.Clone(known.out)
	}
	out := w.loop(op, known.in)
	maps.Copy(out, known.in)
	return out
}

// A loopState is what is pending at the begin of a loop's iterations, and behind the loop.
type loopState struct{ in, out meetings }

// settled walks a loop until nothing more is pending at its begin. What was found out with less pending before it still holds: loops in loops would be
// walked anew for each iteration of each other.
func (w *barrierWalk) settled(op *Op, pending meetings, known *loopState) *loopState {
	outer := w.dry
	w.dry = true
	defer func() { w.dry = outer }()
	in := maps.Clone(pending)
	if known != nil {
		maps.Copy(in, known.in)
	}
	for {
		out := w.loop(op, in)
		n := len(in)
		maps.Copy(in, out.turned(w.depth))
		if len(in) == n {
			maps.Copy(out, in)
			return &loopState{in, out}
		}
	}
}

// within reports whether all of p is in q.
func within(p, q meetings) bool {
	for x := range p {
		if !q[x] {
			return false
		}
	}
	return true
}

// loop walks the regions of a loop once.
func (w *barrierWalk) loop(op *Op, in meetings) meetings {
	out := maps.Clone(in)
	for _, r := range op.Regions {
		out = w.block(r, out)
	}
	return out
}

// add adds what an operation accesses.
func (w *barrierWalk) add(all meetings, op *Op) {
	if op.Mem != nil {
		w.addAccess(all, op, op.Mem, op.Code != OpLoad && op.Code != OpLoadMatrix && op.Code != OpGroupMMA)
	}
	if op.From != nil {
		w.addAccess(all, op, op.From, false)
	}
}

func (w *barrierWalk) addAccess(all meetings, op *Op, m *Mem, write bool) {
	if m.Space == Local {
		return
	}
	x := meeting{space: m.Space, write: write, async: op.Code == OpCopyAsync, reading: op.Code == OpGroupMMA}
	if m.Space == Shared {
		s := w.f.Shared[m.Buffer]
		x.from, x.to, x.group = s.Offset, s.Offset+s.Size, m.Group
		if op.Code == OpAtomicRMW { // atomics of one kind may meet
			x.group = -1 - int(m.Kind)
		}
		all[x] = true
		return
	}
	x.origin, x.group, x.turns = m.Origin, m.Group, m.Turns
	if op.Code == OpAtomicRMW || op.Code == OpAtomicCAS {
		x.everything = m.Sem != tile.Relaxed
	}
	if op.Code == OpAtomicRMW && m.Kind != tile.AtomicXchg && len(op.Results) == 0 { // those of one kind may meet: nobody sees their order
		x.group, x.turns = -1-int(m.Kind), 0
	}
	if m.ReadOnly {
		return
	}
	all[x] = true
}

// meets reports whether one of the pending accesses may meet one of the new ones.
func meets(pending, now meetings) bool {
	for x := range now {
		for y := range pending {
			if x.meets(y) {
				return true
			}
		}
	}
	return false
}

func (x meeting) meets(y meeting) bool {
	if x.space != y.space || !x.write && !y.write {
		return false
	}
	if x.group != 0 && x.group == y.group {
		return false
	}
	if x.space == Shared {
		return x.from < y.to && y.from < x.to
	}
	return x.everything || y.everything || x.origin == 0 || y.origin == 0 || x.origin == y.origin
}
