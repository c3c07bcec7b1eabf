package lower

import (
	"math"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Functions of floats whose results are exact, or correctly rounded.

func (x real) inf() real { return x.num(math.Inf(1)) }

func (x real) finite() *lir.Value { return x.abs().is(tile.OLT, x.inf()) }

// mantissa gives the number of explicit mantissa bits, and the exponent's bias.
func (x real) mantissa() (bits, bias int) {
	if x.t() == lir.F64 {
		return 52, 1023
	}
	return 23, 127
}

func (x real) int(code lir.Code, a, b *lir.Value) *lir.Value { return x.l.int(code, a, b) }

func (x real) intType() lir.Type { return lir.Int(x.t().Bits()) }

func (x real) constant(n uint64) *lir.Value { return x.l.b.Const(x.intType(), n) }

// round goes to the nearest integer, halves away from zero.
func (x real) round() real {
	t := x.un(lir.OpFRound, lir.Zero)
	half := x.sub(t).abs().is(tile.OGE, x.num(0.5))
	return t.or(half, t.add(x.num(1).signOf(x))).signOf(x).or(x.is(tile.UNO, x), x)
}

// fdim is the positive difference.
func (x real) fdim(y real) real {
	d := x.sub(y)
	return x.num(0).or(x.is(tile.UGT, y), d)
}

// nextAfter is the next number towards y.
func (x real) nextAfter(y real) real {
	bits := x.bits()
	one := x.constant(1)
	t := x.intType()
	up := x.is(tile.OLT, y)
	positive := x.l.b.Pure(lir.OpCmp, uint8(tile.GES), lir.I1, 0, bits, x.constant(0))
	away := x.l.b.Pure(lir.OpXor, 0, lir.I1, 0, up, x.l.not(positive)) // larger magnitude: up and positive, or down and negative
	next := x.l.pick(away, x.int(lir.OpAdd, bits, one), x.int(lir.OpSub, bits, one))
	smallest := x.ofBits(one).signOf(y)
	r := x.ofBits(next).or(x.is(tile.OEQ, x.num(0)), smallest)
	r = r.or(x.is(tile.OEQ, y), y)
	_ = t
	return r.or(x.is(tile.UNO, y), x.add(y))
}

// rsqrtNearest is 1/√x, correctly rounded, of f32.
func (x real) rsqrtNearest() real {
	wide := real{x.l, x.l.b.Pure(lir.OpFExt, 0, lir.F64, 0, x.v)}
	r := wide.num(1).div(wide.sqrt())
	return real{x.l, x.l.b.Pure(lir.OpFTrunc, uint8(lir.Nearest), lir.F32, 0, r.v)}
}

// rcpHigh is 1/x with only the upper half of the bits.
func (x real) rcpHigh() real {
	r := x.un(lir.OpRcp, lir.Nearest)
	return x.ofBits(x.int(lir.OpAnd, r.bits(), x.constant(0xffffffff00000000)))
}

// power gives 2^n for -bias < n ≤ bias, as an integer of x's width.
func (x real) power(n *lir.Value) real {
	bits, bias := x.mantissa()
	e := x.int(lir.OpAdd, n, x.constant(uint64(bias)))
	return x.ofBits(x.l.shl(e, bits))
}

// scale is x·2^n, rounded once: three factors that cannot overflow, of which the last rounds.
func (x real) scale(n *lir.Value) real {
	l := x.l
	_, bias := x.mantissa()
	bound := func(v *lir.Value, lo, hi int) *lir.Value {
		return l.int(lir.OpMinS, l.int(lir.OpMaxS, v, l.b.I32(lo)), l.b.I32(hi))
	}
	n = bound(n, -4*bias, 4*bias)
	// Half of the way first: what is left is the same half, or one more.
	wide := func(v *lir.Value) *lir.Value {
		if x.t() == lir.F64 {
			return l.b.Pure(lir.OpExtS, 0, lir.I64, 0, v)
		}
		return v
	}
	if x.t() == lir.F32 { // exact in f64, where it is rounded once at the end
		d := real{l, l.b.Pure(lir.OpFExt, 0, lir.F64, 0, x.v)}
		n = bound(n, -400, 400)
		r := d.mul(d.power(l.b.Pure(lir.OpExtS, 0, lir.I64, 0, n)))
		return real{l, l.b.Pure(lir.OpFTrunc, uint8(lir.Nearest), lir.F32, 0, r.v)}
	}
	// Upwards the steps are exact. Downwards what comes before the last step stays a normal number: it is scaled up first.
	up := func(x real, n *lir.Value) real {
		for range 3 {
			step := bound(n, 0, bias)
			x, n = x.mul(x.power(wide(step))), l.int(lir.OpSub, n, step)
		}
		return x
	}
	down := func(x real, n *lir.Value) real {
		// x = m·2^e with m in [1, 2): the sum of the exponents decides.
		e := x.ilogb()
		total := bound(l.int(lir.OpAdd, e, n), -bias-60, 2*bias)
		m := x.normalised()
		normal := bound(total, -bias+1, bias)
		r := m.mul(x.power(wide(normal)))
		rest := l.int(lir.OpSub, total, normal)
		r = r.mul(x.power(wide(bound(rest, -bias+1, bias))))
		return r
	}
	isUp := l.b.Pure(lir.OpCmp, uint8(tile.GES), lir.I1, 0, n, l.b.I32(0))
	r := down(x, n).or(isUp, up(x, n))
	plain := x.l.both(x.finite(), x.is(tile.UNE, x.num(0)))
	return x.or(plain, r)
}

// normal gives x scaled so that it is no subnormal, and how much the exponent is too large by then.
func (x real) normal() (real, *lir.Value) {
	bits, bias := x.mantissa()
	tiny := x.abs().is(tile.OLT, x.num(math.Ldexp(1, 1-bias)))
	scaled := x.or(tiny, x.mul(x.num(math.Ldexp(1, bits+1))))
	return scaled, x.l.pick(tiny, x.l.b.I32(bits+1), x.l.b.I32(0))
}

// exponent gives the exponent of a number that is not subnormal.
func (x real) exponent() *lir.Value {
	bits, bias := x.mantissa()
	e := x.l.shr(x.l.and2(x.bits(), x.constant(x.intType().Mask()>>1)), bits)
	return x.l.int(lir.OpSub, x.l.narrow(e, lir.I32), x.l.b.I32(bias))
}

func (l *lowerer) and2(x, y *lir.Value) *lir.Value { return l.int(lir.OpAnd, x, y) }

// ilogb gives the exponent; the smallest integer for 0 and NaN, the largest for infinities.
func (x real) ilogb() *lir.Value {
	l := x.l
	n, by := x.normal()
	e := l.int(lir.OpSub, n.exponent(), by)
	e = l.pick(x.abs().is(tile.OEQ, x.inf()), l.b.I32(math.MaxInt32), e)
	none := l.b.Pure(lir.OpOr, 0, lir.I1, 0, x.is(tile.OEQ, x.num(0)), x.is(tile.UNO, x))
	return l.pick(none, l.b.Const(lir.I32, 1<<31), e)
}

// logb gives the exponent as a float.
func (x real) logb() real {
	e := real{x.l, x.l.b.Pure(lir.OpSToF, uint8(lir.Nearest), x.t(), 0, x.ilogb())}
	r := e.or(x.abs().is(tile.OEQ, x.inf()), x.inf())
	r = r.or(x.is(tile.OEQ, x.num(0)), x.inf().neg())
	return r.or(x.is(tile.UNO, x), x)
}

// normalised gives x scaled by a power of two to a magnitude in [1, 2).
func (x real) normalised() real {
	bits, bias := x.mantissa()
	n, _ := x.normal()
	t := x.intType()
	keep := x.constant(1<<(t.Bits()-1) | 1<<bits - 1)
	return x.ofBits(x.int(lir.OpOr, x.int(lir.OpAnd, n.bits(), keep), x.constant(uint64(bias)<<bits)))
}

// fmod is the remainder of the truncated quotient, by long division of the mantissas, as many bits at a time as a word has room for.
func (x real) fmod(y real) real {
	l, b := x.l, x.l.b
	bits, bias := x.mantissa()
	whole := func(v real) (m, e *lir.Value) { // v = m·2^(e - bias - bits)
		n, by := v.abs().normal()
		e = l.int(lir.OpSub, l.int(lir.OpAdd, n.exponent(), b.I32(bias)), by)
		m = l.int(lir.OpAnd, n.bits(), x.constant(1<<bits-1))
		m = l.int(lir.OpOr, m, x.constant(1<<bits))
		if m.Type == lir.I32 {
			m = b.Pure(lir.OpExtU, 0, lir.I64, 0, m)
		}
		return m, e
	}
	mx, ex := whole(x)
	my, ey := whole(y)
	step := 63 - bits
	left := l.int(lir.OpSub, ex, ey)
	first := l.pick(b.Pure(lir.OpCmp, uint8(tile.GES), lir.I1, 0, left, b.I32(0)), l.int(lir.OpRemU, mx, my), mx)
	out := b.WhileEach([]*lir.Value{first, left}, func(v []*lir.Value) (*lir.Value, []*lir.Value) {
		more := b.Pure(lir.OpCmp, uint8(tile.GTS), lir.I1, 0, v[1], b.I32(0))
		return l.both(more, l.isNonZero(v[0])), v
	}, func(v []*lir.Value) []*lir.Value {
		n := l.int(lir.OpMinS, v[1], b.I32(step))
		m := l.int(lir.OpRemU, b.Pure(lir.OpShl, 0, lir.I64, 0, v[0], n), my)
		return []*lir.Value{m, l.int(lir.OpSub, v[1], n)}
	})
	// m·2^(ey - bias - bits), which is exact: two factors, as one might be too small.
	wide := real{l, b.Pure(lir.OpUToF, uint8(lir.Nearest), lir.F64, 0, out[0])}
	e := b.Pure(lir.OpExtS, 0, lir.I64, 0, l.int(lir.OpSub, ey, b.I32(bias+bits)))
	half := b.Pure(lir.OpShrS, 0, lir.I64, 0, e, b.I32(1))
	wide = wide.mul(wide.power(half)).mul(wide.power(l.int(lir.OpSub, e, half)))
	r := wide
	if x.t() == lir.F32 {
		r = real{l, b.Pure(lir.OpFTrunc, uint8(lir.Nearest), lir.F32, 0, wide.v)}
	}
	r = r.signOf(x)
	smaller := x.abs().is(tile.OLT, y.abs())
	r = r.or(smaller, x)
	bad := b.Pure(lir.OpOr, 0, lir.I1, 0, l.not(x.finite()), y.is(tile.UEQ, x.num(0)))
	nan := x.num(math.NaN())
	r = r.or(bad, nan)
	return r.or(y.is(tile.UNO, y), nan)
}

// remainder is the remainder of the quotient rounded to nearest, even ones of two.
func (x real) remainder(y real) real {
	l, b := x.l, x.l.b
	d := y.abs()
	twice := d.add(d)
	r := x.abs().fmod(twice)
	r = r.or(twice.is(tile.OEQ, x.inf()), x.abs())
	odd := r.is(tile.OGE, d) // the quotient so far
	q := r.or(odd, r.sub(d))
	rest := d.sub(q)
	up := b.Pure(lir.OpOr, 0, lir.I1, 0, q.is(tile.OGT, rest), l.both(odd, q.is(tile.OEQ, rest)))
	q = q.or(up, q.sub(d))
	q = q.or(d.is(tile.OEQ, x.inf()), x.abs())
	sign := l.int(lir.OpAnd, x.bits(), x.constant(1<<(x.t().Bits()-1)))
	q = x.ofBits(l.int(lir.OpXor, q.bits(), sign))
	bad := b.Pure(lir.OpOr, 0, lir.I1, 0, l.not(x.finite()), y.is(tile.UEQ, x.num(0)))
	return q.or(bad, x.num(math.NaN()))
}
