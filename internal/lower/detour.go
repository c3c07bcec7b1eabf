package lower

import (
	"math/bits"

	"github.com/tegula-lang/tegula/internal/layout"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A load waits until its elements are asked for, and who asks wants them where it writes them: of a transposition each thread would read a column.
// Then the same elements are read in a view that memory likes, and brought to those who asked.

// detour gives the view in which a load had better read the elements that w asks for; nil if that is w itself.
func (l *lowerer) detour(op *tile.Op, w *view) *view {
	ptr, mask := op.Args[0], at(op.Args, 1)
	if w.size() < minDetour || l.scattered(ptr) || l.fillsSectors(ptr, mask, w) {
		return nil
	}
	asked := maskOf(w)
	if w.base&asked != 0 || !complete(w, asked) || l.o.Can.SharedMax < 2*ptr.Type.Pointee().ElemBytes()<<bits.OnesCount32(asked) {
		return nil
	}
	info, t := l.axes.Of(ptr), ptr.Type
	shape, contiguity, aligned := make([]int, t.Rank()), make([]int, t.Rank()), make([]int, t.Rank())
	for d := range shape {
		there := asked & dimBits(t, d) >> lowBit(t, d)
		run := 1 << bits.TrailingZeros32(^there) // of neighbours that are all asked for
		shape[d] = 1 << bits.OnesCount32(there)
		contiguity[d], aligned[d] = min(run, info.Contiguity(d)), min(run, info.AlignedRun(d))
	}
	fast := layout.FastestFirst(contiguity)[0]
	size := t.Pointee().ElemBytes()
	aligned[fast] = l.maskRun(mask, fast, min(aligned[fast], max(1, maxAccess/size)))
	lay := layout.Coalesced(shape, contiguity, aligned, 8*size, l.o.WarpSize, l.o.Warps)
	v := *l.mapped(l.ofLayout(&lay), func(e uint32) uint32 { return layout.Deposit(e, asked) })
	v.loop, v.counter, v.base = w.loop, w.counter, w.base
	better := l.intern(v)
	_, now := l.runs(ptr, mask, w)
	if _, run := l.runs(ptr, mask, better); run >= 4*now {
		return better
	}
	return nil
}

// minDetour is from how many elements a thread on a detour pays.
const minDetour = 4

// maskOf gives the bits of element numbers that registers and threads choose.
func maskOf(w *view) uint32 {
	var all uint32
	for _, list := range [...][]uint32{w.regs, w.lane, w.warp} {
		for _, x := range list {
			all |= x
		}
	}
	return all
}

// complete reports whether the registers of all threads have all elements whose numbers differ in some bits, and a loop chooses others.
func complete(w *view, asked uint32) bool {
	m := solverOf(w)
	for _, bit := range bitsOf(asked) {
		if _, ok := m.solve(bit); !ok {
			return false
		}
	}
	for _, x := range w.loop {
		if x&asked != 0 {
			return false
		}
	}
	return true
}

// handedOver gives the elements of a load that are in registers of one view as another asks for them; both are of the same elements.
func (l *lowerer) handedOver(op *tile.Op, regs []*lir.Value, from, to *view) []*lir.Value {
	asked := maskOf(to)
	without := func(w *view) *view {
		v := *l.mapped(w, func(e uint32) uint32 { return layout.Extract(e, asked) })
		v.loop, v.counter, v.base = nil, nil, 0
		return l.intern(v)
	}
	typ, _ := tile.Scalar(op.Results[0].Type.Elem()).WithShape(1 << bits.OnesCount32(asked))
	part := &tile.Value{Type: typ, ID: int32(len(l.vals) - 1)} // see inline
	l.vals[part.ID] = held{in: without(from), regs: regs}
	defer func() { l.vals[part.ID] = held{} }()
	return l.convert(part, without(to))
}
