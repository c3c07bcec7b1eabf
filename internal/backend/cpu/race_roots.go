package cpu

import "github.com/tegula-lang/tegula/internal/tile"

// roots says which of the kernel's parameters a pointer may have been made from: bit i is parameter i, the highest bit
// every one from 63 on. anywhere is a pointer out of memory or out of a number.
type roots uint64

const anywhere = ^roots(0)

// A writeSet says which arrays a module's kernel may write: others need no shadow.
type writeSet struct {
	of  []roots // by value ID of the kernel
	set roots
}

// findWrites follows pointers from the kernel's parameters to stores and atomics. A kernel that calls functions may write
// everything.
func findWrites(m *tile.Module) *writeSet {
	f := m.Funcs[0]
	w := &writeSet{of: make([]roots, f.NumValues())}
	for i, v := range f.Body.Args {
		if v.Type.IsPtr() {
			w.of[v.ID] = parameter(i)
		}
	}
	for w.step(f.Body) {
	}
	f.Body.Walk(func(op *tile.Op) {
		switch {
		case op.Code == tile.OpCall:
			w.set = anywhere
		case accessName[op.Code] != "" && op.Code != tile.OpLoad:
			w.set |= w.of[op.Args[0].ID]
		}
	})
	return w
}

// step follows pointers through every operation once and reports whether it learnt something.
func (w *writeSet) step(b *tile.Block) (changed bool) {
	learn := func(v *tile.Value, r roots) {
		if v.Type.IsPtr() && w.of[v.ID]|r != w.of[v.ID] {
			w.of[v.ID] |= r
			changed = true
		}
	}
	b.Walk(func(op *tile.Op) {
		r := roots(0)
		for _, v := range op.Args {
			r |= w.of[v.ID]
		}
		switch op.Code {
		case tile.OpLoad, tile.OpIntToPtr, tile.OpCall, tile.OpAtomicRMW, tile.OpAtomicCAS, tile.OpAtomicLoad, tile.OpConst:
			r = anywhere
		}
		for _, region := range op.Regions { // what goes in may come out again, in any place
			for _, v := range region.Terminator().Args {
				r |= w.of[v.ID]
			}
		}
		for _, region := range op.Regions {
			for _, v := range region.Args {
				learn(v, r)
			}
		}
		for _, v := range op.Results {
			learn(v, r)
		}
	})
	return changed
}

// parameter is the root that parameter i is.
func parameter(i int) roots { return 1 << min(i, 63) }
