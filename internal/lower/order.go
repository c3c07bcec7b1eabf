package lower

import (
	"github.com/tegula-lang/tegula/internal/layout"
	"github.com/tegula-lang/tegula/internal/tile"
)

// orderOf gives the order of a tile's elements in shared memory in which threads write them out of one view and read them into
// another in wide vectors, without conflicts between banks. Only differences matter, so constant parts of views do not.
func (l *lowerer) orderOf(t tile.Type, from, to *view) *layout.Matrix {
	n := t.LogElems()
	a, b := covering(from, n), covering(to, n)
	return &layout.Through(a, b, 8*stored(l.typeOf(t)).Bytes(), 0).Offset
}

// covering gives a view as a layout, with registers for what it does not reach. What a rolled loop chooses is never moved together: to the
// order it is like what other warps do.
func covering(w *view, bits int) layout.Layout {
	var regs []uint64
	var reached layout.Span
	for _, v := range wide(w.regs) {
		if reached.Add(v) {
			regs = append(regs, v)
		}
	}
	lanes, warps := wide(w.lane), append(wide(w.warp), wide(w.loop)...)
	reached.AddAll(lanes)
	reached.AddAll(warps)
	for i := range bits {
		if reached.Add(1 << i) {
			regs = append(regs, 1<<i)
		}
	}
	lay, err := layout.New(bits, [layout.NumIns][]uint64{regs, lanes, warps, nil})
	if err != nil {
		panic(err) // it reaches everything now
	}
	return lay
}

// apply gives a matrix as a map of element numbers.
func apply(m *layout.Matrix) func(uint32) uint32 {
	return func(e uint32) uint32 { return uint32(m.Apply(uint64(e))) }
}

// A reorder says for each bit of a register's number which bits it was before: an invertible map.
type reorder []int

// of gives the number that a register had before.
func (p reorder) of(r int) int {
	was := 0
	for i, from := range p {
		if r>>i&1 != 0 {
			was ^= from
		}
	}
	return was
}

// neighboursFirst gives a view with its registers in another order: first those that differ by 1, 2, 4, …, up to a vector of n, while the
// others leave these bits alone.
func (l *lowerer) neighboursFirst(w *view, n int) (*view, reorder) {
	regs, order := append([]uint32(nil), w.regs...), make(reorder, len(w.regs))
	for i := range order {
		order[i] = 1 << i
	}
	k := 0
	for ; 1<<(k+1) <= n; k++ {
		i := k
		for i < len(regs) && regs[i] != 1<<k {
			i++
		}
		if i == len(regs) {
			break
		}
		regs[k], regs[i] = regs[i], regs[k]
		order[k], order[i] = order[i], order[k]
	}
	for i := k; i < len(regs); i++ {
		for j := range k {
			if regs[i]>>j&1 != 0 {
				regs[i] ^= regs[j]
				order[i] ^= order[j]
			}
		}
	}
	return l.withRegs(w, regs), order
}

// likewise gives another view with its registers reordered alike.
func (l *lowerer) likewise(w *view, order reorder) *view {
	regs := make([]uint32, len(w.regs))
	for i, from := range order {
		regs[i] = w.at(from) ^ w.base
	}
	return l.withRegs(w, regs)
}
