package lower

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// leastSelected is how many elements of a sum a thread has to have for a branch around selecting them to be worth its while.
const leastSelected = 32

// selectCorner lowers a select between a sum that is held and something else, if the mask lets all of the tile through where it lets one corner
// through: as offsets < n does, or row >= column. Most tiles of a loop are such, and nothing is done for them.
// It reports whether it did.
func (l *lowerer) selectCorner(op *tile.Op) bool {
	if op.Code != tile.OpSelect || !op.Args[0].Type.IsTile() {
		return false
	}
	mask, x, v := op.Args[0], op.Args[1], op.Results[0]
	home := l.home(v)
	if home.size() < leastSelected || !l.isSum(home) {
		return false
	}
	corner, ok := l.corner(mask)
	if held := l.vals[mask.ID]; !ok || held.regs != nil || held.local != 0 {
		return false
	}
	l.settleIf(x)
	if y := op.Args[2].Op; y == nil || y.Code != tile.OpConst && y.Code != tile.OpSplat {
		l.settle() // not in the branch
	}
	h := l.vals[x.ID]
	if h.in != home || h.regs == nil {
		return false
	}
	at := l.intern(view{lane: make([]uint32, log2(l.o.WarpSize)), warp: make([]uint32, log2(l.o.Warps)), base: corner})
	all := l.eval(mask, at)[0]
	l.set(v, held{in: home, regs: l.b.If(l.not(all), func() []*lir.Value {
		return l.within(func() []*lir.Value { return slices.Clone(l.made(v, home)) })
	}, func() []*lir.Value { return slices.Clone(h.regs) })})
	return true
}

// corner gives the number of the element at a corner of a tile that is true only if the whole mask is, if there is one: along each dimension
// the mask goes from true to false, or the other way round, or does not change.
func (l *lowerer) corner(mask *tile.Value) (uint32, bool) {
	var at uint32
	for d := range mask.Type.Rank() {
		switch l.edgeOf(mask, d, mask.Type.Dim(d)) {
		case anyhow:
			return 0, false
		case ends:
			at |= dimBits(mask.Type, d)
		}
	}
	return at, true
}
