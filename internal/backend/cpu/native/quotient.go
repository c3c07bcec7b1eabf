package native

import (
	"math"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A vdivps of 16 lanes keeps the divider busy for 16 cycles. Where a loop divides by the same number all the time, its reciprocal y is computed before the loop, and the
// quotient of a and b from that, in the same bits:
//
//	q = a·y;  q += (a - b·q)·y;  q += (a - b·q)·y
//
// After the second step q is within one unit in the last place, so the remainder is exact, and the third rounds the quotient correctly (P. Markstein, Computation of
// elementary functions on the IBM RISC System/6000 processor, 1990), as y is the reciprocal rounded to nearest. That holds where nothing overflows or is
// subnormal: for b and |a| from 2^-60 to 2^60, and for zeros but for their sign. Strips with other lanes are divided. AVX2 divides 8 lanes in 5 cycles, and does
// not gain by it.

// A divisor is what is known of b before the loop.
type divisor struct {
	b, y  reg
	width reg // of the range of a, in bits without the sign; 0 if b is not in range
	zero  reg // what lanes that are 0 have as bits without the sign; something else if b is not in range
}

// maxLight is how many instructions strips take at most, a division as six, that wait for the divider. What computes more meanwhile has no units to spare.
const maxLight = 14

// The bounds of a and b, as bits.
var (
	leastDividend = math.Float32bits(0x1p-60)
	mostDividend  = math.Float32bits(0x1p60)
)

// dividesFast reports whether a quotient of f32 is computed from the reciprocal of a divisor that is computed outside of the loop.
func (x *nest) dividesFast(op *tile.Op, w int, args []*val) bool {
	return x.g.selects == nil && (op.Code == tile.OpFDiv || op.Code == tile.OpFDivRN) && w == 4 && x.light && x.depth() > 0 && args[1].uni && args[1].level < x.depth() && args[0].level == x.depth()
}

// divisorOf gives what is known of a divisor, which is computed once.
func (x *nest) divisorOf(v *val) divisor {
	b := x.asVec(v)[0]
	if d, ok := x.divisors[b]; ok {
		return d
	}
	g := x.g
	d := divisor{b: b}
	x.on(v.level, func() {
		d.y = g.rvm(amd64.VDIVPS, g.splatBits(4, uint64(math.Float32bits(1))), b)
		above := g.rvm(amd64.VPSUBD, b, g.splatBits(4, uint64(leastDividend)))
		in := g.cmp(amd64.VPCMPUD, above, g.splatBits(4, uint64(mostDividend-leastDividend)), cmpLT)
		nothing := g.splatBits(4, 0)
		d.width = g.blend(4, in, nothing, g.splatBits(4, 2*uint64(mostDividend-leastDividend)))
		d.zero = g.blend(4, in, g.splatBits(4, 1), nothing)
	})
	x.divisors[b] = d
	return d
}

// quotient gives lanes divided by a divisor.
func (x *nest) quotient(a reg, v *val) reg {
	g, d := x.g, x.divisorOf(v)
	q := g.rvm(amd64.VMULPS, a, d.y)
	for range 2 {
		rest, next := g.move(a), g.move(q)
		g.op3(amd64.VFNMADD231PS, rest, d.b, q, 0)
		g.op3(amd64.VFMADD231PS, next, rest, d.y, 0)
		q = next
	}
	g.op3(amd64.VPORD, q, q, g.rvm(amd64.VPANDD, a, g.splatBits(4, 1<<31)), 0)
	bits := g.rvm(amd64.VPADDD, a, a)
	outside := g.cmp(amd64.VPCMPUD, g.rvm(amd64.VPSUBD, bits, g.splatBits(4, 2*uint64(leastDividend))), d.width, cmpGE)
	other := g.kop(amd64.KAND, outside, g.cmp(amd64.VPCMPUD, bits, d.zero, cmpNE), 0)
	done := g.label()
	g.op3(amd64.KORTEST, other, other, none, 0)
	g.jcc(amd64.CCE, done)
	g.op3(amd64.VDIVPS, q, a, d.b, 0)
	g.bind(done)
	return q
}
