package lower

import (
	"math"

	"github.com/tegula-lang/tegula/internal/lir"
)

// The addresses of what a loop copies ahead are computed in each iteration, by every thread. So they are put together of what does not change in the loop, which
// is known in front of it, and of the little that does.

// bytesOf gives an offset of so many elements in bytes, in 64 bits.
func (l *lowerer) bytesOf(offset *lir.Value, size int) *lir.Value {
	if l.inTerms && offset.Type == lir.I32 {
		return l.bytesInTerms(offset, int64(size))
	}
	return l.wideTimes(offset, int64(size))
}

// bytesInTerms gives a multiple of a number that changes with a loop as a sum of multiples in 64 bits, of which those that do not change are known in front of
// the loop. Of an offset of 32 bits it is the same, unless that or one of its terms wraps around, which docs/gpu.md says they are taken not to.
func (l *lowerer) bytesInTerms(x *lir.Value, by int64) *lir.Value {
	b := l.b
	if op := x.Op; op != nil && len(op.Args) == 2 && b.DepthOf(x) == b.Depth() {
		u, v := op.Args[0], op.Args[1]
		switch {
		case op.Code == lir.OpAdd || op.Code == lir.OpSub:
			return b.Pure(op.Code, 0, lir.I64, 0, l.bytesInTerms(u, by), l.bytesInTerms(v, by))
		case op.Code == lir.OpMul && v.IsConst() && max(v.Int(), -v.Int()) < math.MaxInt32/max(by, -by):
			return l.bytesInTerms(u, by*v.Int())
		case op.Code == lir.OpShl && v.IsConst() && v.Bits < 31 && max(by, -by) < math.MaxInt32>>v.Bits:
			return l.bytesInTerms(u, by<<v.Bits)
		}
	}
	return l.wideTimes(x, by)
}

// wideTimes gives a multiple of a number in 64 bits.
func (l *lowerer) wideTimes(x *lir.Value, by int64) *lir.Value {
	if x.Type != lir.I64 {
		x = l.b.Pure(lir.OpExtS, 0, lir.I64, 0, x)
	}
	return l.b.Pure(lir.OpMul, 0, lir.I64, 0, x, l.b.Const(lir.I64, uint64(by)))
}

// A nearAddress gives addresses that differ by constants as one of them and what is between them. Copies can add only little to an address, so the constant of the
// first one is added in front of the loop.
type nearAddress struct {
	base, addr *lir.Value // the last address without its constant, and with it
	at         int64      // its constant
}

// of gives an address and bytes to add for one and bytes to add.
func (n *nearAddress) of(l *lowerer, addr *lir.Value, off int64) (*lir.Value, int64) {
	const far = 1 << 30
	base := addr
	if op := addr.Op; op != nil && op.Code == lir.OpAdd && op.Args[1].IsConst() {
		base, off = op.Args[0], off+op.Args[1].Int()
	}
	if d := off - n.at; base != n.base || max(d, -d) > far {
		n.base, n.addr, n.at = base, l.plusConst(base, off), off
	}
	return n.addr, off - n.at
}

// plusConst adds a constant to an address of a part that changes with a loop and one that does not: to the latter, in front of the loop.
func (l *lowerer) plusConst(base *lir.Value, c int64) *lir.Value {
	b := l.b
	by := b.Const(lir.I64, uint64(c))
	op := base.Op
	if op == nil || op.Code != lir.OpAdd {
		return b.Pure(lir.OpAdd, 0, lir.I64, 0, base, by)
	}
	changes, stays := op.Args[0], op.Args[1]
	if b.DepthOf(changes) < b.DepthOf(stays) {
		changes, stays = stays, changes
	}
	sum := &lir.Op{Code: lir.OpAdd, Args: []*lir.Value{changes, b.Pure(lir.OpAdd, 0, lir.I64, 0, stays, by)}}
	return b.Emit(sum, lir.I64)[0] // Pure would add the constant last
}
