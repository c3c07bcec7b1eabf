package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// divideWide divides integers of 64 bits. Where all of a strip are at most 2^51, as sizes and offsets are, that is done in f64, else lane by lane. The f64 nearest to
// a quotient may be the next integer; the remainder, which is exact, then has the wrong sign.
func (x *nest) divideWide(op *tile.Op, d *val, args []*val) {
	g := x.g
	in := [2][2]reg{x.asVec(args[0]), x.asVec(args[1])}
	d.v = [2]reg{g.vec(), g.vec()}
	slow, done := g.label(), g.label()
	large := x.beyond51(op.Code, args, in)
	g.op3(amd64.KORTEST, large, large, none, 0)
	g.jcc(amd64.CCNE, slow)
	for h := range d.v {
		g.op3(amd64.VMOVAPS, d.v[h], x.dividedF64(op.Code, in[0][h], in[1][h]), none, 0)
	}
	g.jmp(done)
	g.bind(slow)
	each := newVal(d.t)
	x.oneByOne(op, each, args)
	for h := range d.v {
		g.op3(amd64.VMOVAPS, d.v[h], each.v[h], none, 0)
	}
	g.bind(done)
}

func isSignedDivision(c tile.Code) bool { return c == tile.OpDivS || c == tile.OpRemS }

// beyond51 gives the lanes, of either half of a strip, that may be larger: those that have bits from the 51st on, or from the 52nd where -2^51 is counted
// as 0.
func (x *nest) beyond51(c tile.Code, args []*val, in [2][2]reg) reg {
	g := x.g
	high, below := none, uint64(1<<51)
	if isSignedDivision(c) {
		below = 1 << 52
	}
	for i, a := range args {
		if a.known && a.bits < 1<<51 {
			continue
		}
		for _, v := range in[i] {
			if isSignedDivision(c) {
				v = g.rvm(amd64.VPADDQ, v, g.splatBits(8, 1<<51))
			}
			if high != none {
				v = g.rvm(amd64.VPORQ, high, v)
			}
			high = v
		}
	}
	return g.cmp(amd64.VPTESTMQ, high, g.splatBits(8, ^(below-1)), 0)
}

// dividedF64 gives quotients or remainders of integers up to 2^51; 0 of divisions by 0.
func (x *nest) dividedF64(c tile.Code, a, b reg) reg {
	g := x.g
	n, m := x.smallToF64(a), x.smallToF64(b)
	q := g.rmi(amd64.VRNDSCALEPD, g.div64(n, m), 11)
	r := g.minus64(n, q, m)
	wrong := g.less64(g.mul64(r, n), g.f64(0))
	if c == tile.OpDivS || c == tile.OpDivU {
		sign := g.rvm(amd64.VPANDQ, g.rvm(amd64.VPXORQ, n, m), g.splatBits(8, 1<<63))
		r = g.blend(8, wrong, q, g.sub64(q, g.withSign64(g.f64(1), sign)))
	} else {
		_, sign := g.parts64(n)
		r = g.blend(8, wrong, r, g.add64(r, g.withSign64(g.parts(m), sign)))
	}
	return g.blend(8, g.cmp(amd64.VPTESTMQ, b, b, 0), g.splatBits(8, 0), x.smallToI64(r))
}

// integerBits is a float whose last digit is 1: an integer up to 2^51 that is added to it lies in its last bits.
const integerBits = 3 << 51

func (x *nest) smallToF64(v reg) reg {
	g := x.g
	if g.selects == nil {
		return g.rm(amd64.VCVTQQ2PD, v)
	}
	return g.sub64(g.rvm(amd64.VPADDQ, v, g.f64(integerBits)), g.f64(integerBits))
}

func (x *nest) smallToI64(v reg) reg {
	g := x.g
	if g.selects == nil {
		return g.rm(amd64.VCVTTPD2QQ, v)
	}
	return g.rvm(amd64.VPSUBQ, g.add64(v, g.f64(integerBits)), g.f64(integerBits))
}
