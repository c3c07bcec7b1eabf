package lower

import (
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Arithmetic that rounds down, up or towards zero, on targets that round to nearest only. What an operation gives to nearest is off by
// less than a step, and on which side of it the exact result lies is the sign of a remainder that has no rounding error of its own: that
// is computed of mantissas in [1, 2), where nothing overflows or is too small (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums",
// and Shewchuk's expansions for the sum of what fma adds). A step towards the exact result, where the rounding asks for it, is then
// the integer next to the float's bits.

// rounded computes an operation of f32 or f64 with a rounding, by hardware or without.
func (l *lowerer) rounded(code lir.Code, r lir.Rounding, t lir.Type, args ...*lir.Value) *lir.Value {
	if l.o.Can.Directed || r == lir.Fused || r == lir.Nearest || remainders[code] == nil {
		return l.b.Pure(code, uint8(r), t, 0, args...)
	}
	xs := make([]real, len(args))
	for i, a := range args {
		xs[i] = l.real(a)
	}
	near := l.real(l.b.Pure(code, uint8(lir.Nearest), t, 0, args...))
	rest := remainders[code](near, xs)
	out := near.towards(rest, r, near.exactly(code, xs))
	if signs := zeroSigns[code]; signs != nil && r == lir.Down { // the sum of a number and its negative is -0
		zero := l.both(near.is(tile.OEQ, near.num(0)), rest.is(tile.OEQ, near.num(0)))
		out = out.or(zero, near.num(0).withSignOf(l.real(signs(xs))))
	}
	return out.v
}

// exactly says whether a result is exact whatever the remainder says: operands that are not finite, divisions by zero, NaN.
func (x real) exactly(code lir.Code, xs []real) *lir.Value {
	l := x.l
	exact := x.is(tile.UNO, x)
	or := func(c *lir.Value) { exact = l.b.Pure(lir.OpOr, 0, lir.I1, 0, exact, c) }
	for _, a := range xs {
		or(l.not(a.finite()))
	}
	if code == lir.OpFDiv || code == lir.OpRcp {
		or(xs[len(xs)-1].is(tile.OEQ, x.num(0)))
	}
	return exact
}

// zeroSigns give a number that is negative if any of the terms of a sum is.
var zeroSigns = map[lir.Code]func(xs []real) *lir.Value{
	lir.OpFAdd: func(xs []real) *lir.Value { return xs[0].eitherSign(xs[1]) },
	lir.OpFSub: func(xs []real) *lir.Value { return xs[0].eitherSign(xs[1].neg()) },
	lir.OpFMA:  func(xs []real) *lir.Value { return xs[0].withSignOf(xs[1]).eitherSign(xs[2]) },
}

func (x real) eitherSign(y real) *lir.Value { return x.ofBits(x.int(lir.OpOr, x.bits(), y.bits())).v }

// remainders give, for each operation, a number whose sign is that of the exact result less the nearest one, for operands and results
// that are finite.
var remainders = map[lir.Code]func(near real, xs []real) real{
	lir.OpFAdd: func(near real, xs []real) real { return near.remainderOfSum(xs[0], xs[1]) },
	lir.OpFSub: func(near real, xs []real) real { return near.remainderOfSum(xs[0], xs[1].neg()) },
	lir.OpFMul: func(near real, xs []real) real { return near.remainderOfProduct(xs[0], xs[1]) },
	lir.OpFDiv: func(near real, xs []real) real { return near.remainderOfQuotient(xs[0], xs[1]) },
	lir.OpRcp:  func(near real, xs []real) real { return near.remainderOfQuotient(near.num(1), xs[0]) },
	lir.OpSqrt: func(near real, xs []real) real { return near.remainderOfRoot(xs[0]) },
	lir.OpFMA:  func(near real, xs []real) real { return near.remainderOfFMA(xs[0], xs[1], xs[2]) },
}

// remainderOfSum is exact, in the order of magnitudes, by Dekker.
func (x real) remainderOfSum(a, b real) real {
	swap := a.abs().is(tile.OLT, b.abs())
	large, small := a.or(swap, b), b.or(swap, a)
	return small.sub(x.sub(large))
}

func (x real) remainderOfProduct(a, b real) real {
	am, ae := a.parts()
	bm, be := b.parts()
	xm, xe := x.parts()
	apart := x.l.int(lir.OpSub, xe, x.l.int(lir.OpAdd, ae, be))
	return am.fma(bm, xm.shifted(apart, 8).neg())
}

// remainderOfQuotient is that of the division, with the divisor's sign.
func (x real) remainderOfQuotient(a, b real) real {
	am, ae := a.parts()
	bm, be := b.parts()
	xm, xe := x.parts()
	apart := x.l.int(lir.OpSub, ae, x.l.int(lir.OpAdd, xe, be))
	// A quotient that became 0 leaves all of the dividend.
	r := am.shifted(apart, 8).or(x.is(tile.OEQ, x.num(0)), am)
	return xm.neg().fma(bm, r).withSignOf(b)
}

func (x real) remainderOfRoot(a real) real {
	am, ae := a.parts()
	xm, xe := x.parts()
	apart := x.l.int(lir.OpSub, ae, x.l.int(lir.OpAdd, xe, xe))
	return xm.neg().fma(xm, am.shifted(apart, 8))
}

// remainderOfFMA adds up a·b, in two parts, c and the result. What is much smaller than the largest may be any number as small: it decides
// nothing but what would be zero without it.
func (x real) remainderOfFMA(a, b, c real) real {
	l := x.l
	am, ae := a.parts()
	bm, be := b.parts()
	cm, ce := c.parts()
	xm, xe := x.parts()
	product := am.mul(bm)
	low := am.fma(bm, product.neg())
	pe := l.int(lir.OpAdd, ae, be)
	none := l.b.I32(-1 << 20)
	pe = l.pick(product.is(tile.OEQ, x.num(0)), none, pe)
	ce = l.pick(c.is(tile.OEQ, x.num(0)), none, ce)
	top := l.int(lir.OpMaxS, pe, ce)
	bits, _ := x.mantissa()
	limit := 2*bits + 12
	from := func(m real, e *lir.Value) real { return m.shifted(l.int(lir.OpSub, e, top), limit) }
	return from(product, pe).signOfSum(from(low, pe), from(cm, ce), from(xm, xe).neg())
}

// signOfSum gives a number with the sign of an exact sum: the largest part of the expansion that is not zero.
func (x real) signOfSum(others ...real) real {
	expansion := []real{x}
	for _, y := range others {
		for i, e := range expansion {
			sum := y.add(e)
			back := sum.sub(y)
			expansion[i] = y.sub(sum.sub(back)).add(e.sub(back))
			y = sum
		}
		expansion = append(expansion, y)
	}
	sign := expansion[0]
	for _, e := range expansion[1:] {
		sign = sign.or(e.is(tile.UNE, x.num(0)), e)
	}
	return sign
}

// parts gives x as m·2^e with 1 ≤ |m| < 2; of 0, m is 0.
func (x real) parts() (m real, e *lir.Value) {
	n, by := x.normal()
	m = x.normalised()
	return m.or(x.is(tile.OEQ, x.num(0)), x), x.l.int(lir.OpSub, n.exponent(), by)
}

// shifted is x·2^n, with n kept within a bound.
func (x real) shifted(n *lir.Value, bound int) real {
	l := x.l
	n = l.int(lir.OpMinS, l.int(lir.OpMaxS, n, l.b.I32(-bound)), l.b.I32(bound))
	if x.t() == lir.F64 {
		n = l.b.Pure(lir.OpExtS, 0, lir.I64, 0, n)
	}
	return x.mul(x.power(n))
}

// withSignOf flips x's sign if y is negative.
func (x real) withSignOf(y real) real {
	sign := x.int(lir.OpAnd, y.bits(), x.constant(1<<(x.t().Bits()-1)))
	return x.ofBits(x.int(lir.OpXor, x.bits(), sign))
}

// towards gives the neighbour of x, which is a result rounded to nearest, that a rounding asks for: rest has the sign of what is
// missing, if the result is not exact anyway. An infinite result is too large then.
func (x real) towards(rest real, r lir.Rounding, exact *lir.Value) real {
	l, zero := x.l, x.num(0)
	missing := rest.or(x.abs().is(tile.OEQ, x.inf()), x.neg())
	above, below := missing.is(tile.OGT, zero), missing.is(tile.OLT, zero)
	bits, one, sign := x.bits(), x.constant(1), x.constant(1<<(x.t().Bits()-1))
	larger, smaller := x.int(lir.OpAdd, bits, one), x.int(lir.OpSub, bits, one) // magnitudes
	positive := l.b.Pure(lir.OpCmp, uint8(tile.GES), lir.I1, 0, bits, x.constant(0))
	isZero := x.is(tile.OEQ, zero)
	var when, next *lir.Value
	switch r {
	case lir.Up:
		when, next = above, l.pick(isZero, one, l.pick(positive, larger, smaller))
	case lir.Down:
		when, next = below, l.pick(isZero, x.int(lir.OpOr, sign, one), l.pick(positive, smaller, larger))
	default: // towards zero, where zero is already
		when, next = l.both(l.pick(positive, below, above), l.not(isZero)), smaller
	}
	return x.or(l.both(when, l.not(exact)), x.ofBits(next))
}
