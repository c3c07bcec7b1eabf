package native

import (
	"math"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
)

// Functions of f64 around the exponential and the logarithm. Where a number with twice the digits goes in or comes out, what is left is within a unit of the
// last place.

// logDD gives the natural logarithm of v + low, low being 0 (none) or far below v. v = 2^e·m with m in [1/√2, √2); ln m is 2·artanh(s) with
// s = (m-1)/(m+1), whose series' first two terms are summed with twice the digits: what the others add is below 2^-12 of it. The remainder of the series is
// below 2^-70.
func (x *nest) logDD(v, low reg) dd {
	g := x.g
	m := g.rmi(amd64.VGETMANTPD, v, 0) // [1, 2)
	e := g.rm(amd64.VGETEXPPD, v)
	big := g.cmp(amd64.VCMPPD, m, g.f64(math.Sqrt2), 0x1d)
	m = g.blend(8, big, m, g.mul64(m, g.f64(0.5)))
	e = g.blend(8, big, e, g.add64(e, g.f64(1)))
	num := g.exactly(g.sub64(m, g.f64(1)))
	if low != none {
		num = g.quickSum(num.hi, g.rvm(amd64.VSCALEFPD, low, g.sub64(g.f64(0), e)))
	}
	den := g.quickSum(g.f64(2), num.hi)
	den.lo = g.add64(den.lo, num.lo)
	s := g.divDD(num, den)
	s = g.quickSum(s.hi, s.lo)
	z := g.mulDD(s, s)
	var c []float64
	for k := 12; k >= 2; k-- {
		c = append(c, 2/float64(2*k+1))
	}
	t := g.quickSum(g.f64(ddThirds.hi), g.mul64(z.hi, x.horner64(z.hi, c...)))
	t.lo = g.add64(t.lo, g.f64(ddThirds.lo))
	r := g.mulDD(g.mulDD(s, z), t)
	two := g.quickSum(g.add64(s.hi, s.hi), r.hi)
	two.lo = g.add64(two.lo, g.fma(8, g.f64(2), s.lo, r.lo))
	const high, rest = 6.93147180369123816490e-01, 1.90821492927058770002e-10 // 33 bits of ln 2: products with e are exact
	sum := g.quickSum(g.mul64(e, g.f64(high)), two.hi)
	sum = g.quickSum(sum.hi, g.fma(8, e, g.f64(rest), g.add64(sum.lo, two.lo)))
	return g.tame(dd{x.logSpecial64(v, sum.hi), sum.lo})
}

// An expParts is e^a as (1 + r + c)·2^n, where r + c has the digits that e^a - 1 needs.
type expParts struct{ r, c, n reg }

// expOf splits what is brought into the range of f64's exponents, and a little more, before.
func (x *nest) expOf(a dd) expParts {
	g := x.g
	n := g.nearest64(g.mul64(a.hi, g.f64(math.Log2E)))
	const high, low = 6.93147180369123816490e-01, 1.90821492927058770002e-10
	r := g.twoSum(g.minus64(a.hi, n, g.f64(high)), g.mul64(n, g.f64(-low)))
	r.lo = g.add64(r.lo, a.lo)
	var c []float64
	f := 1.0
	for k := 1; k <= 13; k++ {
		f *= float64(k)
		if k > 1 {
			c = append([]float64{1 / f}, c...)
		}
	}
	p := g.mul64(g.mul64(r.hi, r.hi), x.horner64(r.hi, c...)) // e^r - 1 - r
	more := g.fma(8, r.lo, g.add64(r.hi, p), r.lo)
	return expParts{r.hi, g.add64(p, more), n}
}

// value gives 1 + r + c.
func (p expParts) value(g *generator) dd {
	s := g.quickSum(g.f64(1), p.r)
	return dd{s.hi, g.add64(s.lo, p.c)}
}

// expDD gives e^a.
func (x *nest) expDD(a dd) reg {
	g := x.g
	hi := x.between(8, a.hi, -746, 711)
	lo := g.blend(8, g.less64(g.parts(a.hi), g.f64(800)), g.f64(0), a.lo)
	p := x.expOf(dd{hi, lo})
	return g.rvm(amd64.VSCALEFPD, g.float(p.value(g)), p.n)
}

func exp10of64(x *nest, in []reg) reg {
	g, v := x.g, x.between(8, in[0], -330, 310)
	p := g.twoProd(v, g.f64(ddLn10.hi))
	return x.expDD(dd{p.hi, g.fma(8, v, g.f64(ddLn10.lo), p.lo)})
}

func pow64(x *nest, in []reg) reg {
	return x.powSpecial(in[0], in[1], func(abs reg) reg {
		g := x.g
		l := x.logDD(abs, none)
		p := g.twoProd(l.hi, in[1])
		return x.expDD(dd{p.hi, g.fma(8, l.lo, in[1], p.lo)})
	})
}

// minusOne gives e^v - 1, halved so that it does not overflow before it has to.
func (x *nest) minusOne(v reg) dd {
	g := x.g
	p := x.expOf(g.exactly(x.between(8, v, -60, 710)))
	half := g.rvm(amd64.VSCALEFPD, g.f64(0.5), p.n)
	s := g.twoSum(g.sub64(half, g.f64(0.5)), g.mul64(half, p.r))
	return g.quickSum(s.hi, g.fma(8, half, p.c, s.lo))
}

func expm1of64(x *nest, in []reg) reg {
	m := x.minusOne(in[0]).hi
	return x.near(in[0], 0x1p-54, in[0], x.g.add64(m, m))
}

func log1pOf64(x *nest, in []reg) reg {
	g := x.g
	u := g.twoSum(g.f64(1), in[0])
	return x.near(in[0], 0x1p-54, in[0], g.float(x.logDD(u.hi, u.lo)))
}

// halfExp gives e^v/2 and e^-v/2 for v ≥ 0.
func (x *nest) halfExp(v reg) (up, down dd) {
	g := x.g
	p := x.expOf(g.exactly(x.between(8, v, 0, 711)))
	n := g.sub64(p.n, g.f64(1))
	s := p.value(g)
	s = g.quickSum(s.hi, s.lo)
	up = dd{g.rvm(amd64.VSCALEFPD, s.hi, n), g.rvm(amd64.VSCALEFPD, s.lo, n)}
	capped := g.rvm(amd64.VMINPD, g.f64(1e300), up.hi)
	d := g.div64(g.f64(0.25), capped)
	rest := g.minus64(g.minus64(g.f64(0.25), d, capped), d, up.lo)
	return up, dd{d, g.mul64(g.mul64(d, g.f64(4)), rest)}
}

func sinh64(x *nest, in []reg) reg {
	g := x.g
	abs, sign := g.parts64(in[0])
	up, down := x.halfExp(abs)
	r := g.withSign64(g.add64(g.sub64(up.hi, down.hi), g.sub64(up.lo, down.lo)), sign)
	z := g.mul64(in[0], in[0])
	series := x.horner64(z, 1.0/1307674368000, 1.0/6227020800, 1.0/39916800, 1.0/362880, 1.0/5040, 1.0/120, 1.0/6)
	small := g.fma(8, g.mul64(in[0], z), series, in[0])
	r = x.near(in[0], 0.3, small, r)
	return x.near(in[0], 0x1p-54, in[0], r)
}

func cosh64(x *nest, in []reg) reg {
	g := x.g
	up, down := x.halfExp(g.parts(in[0]))
	return g.add64(up.hi, g.add64(down.hi, g.add64(up.lo, down.lo)))
}

// tanh64 is m/(m+2) with m = e^2v - 1.
func tanh64(x *nest, in []reg) reg {
	g := x.g
	abs, sign := g.parts64(in[0])
	m := x.minusOne(x.between(8, g.add64(abs, abs), 0, 60))
	q := g.divDD(m, g.addD(m, g.f64(1)))
	r := g.withSign64(g.float(q), sign)
	return x.near(in[0], 0x1p-20, x.odd(in[0], -1.0/3), r)
}

// arcosh gives ln(abs + root), or the logarithm of twice as much where numbers are so large that the root is as good as abs.
func (x *nest) arcosh(abs reg, root dd) reg {
	g := x.g
	large := g.less64(g.f64(1<<30), abs)
	u := g.blendDD(large, g.addD(root, abs), g.exactly(abs))
	l := x.logDD(u.hi, u.lo)
	more := dd{g.blend(8, large, g.f64(0), g.f64(ddLn2.hi)), g.blend(8, large, g.f64(0), g.f64(ddLn2.lo))}
	s := g.twoSum(l.hi, more.hi)
	r := g.add64(s.hi, g.add64(s.lo, g.add64(l.lo, more.lo)))
	return g.blend(8, g.finite(abs), abs, r)
}

func asinh64(x *nest, in []reg) reg {
	g := x.g
	abs, sign := g.parts64(in[0])
	sq := g.twoProd(abs, abs)
	r := g.withSign64(x.arcosh(abs, g.sqrtDD(g.addD(sq, g.f64(1)))), sign)
	return x.near(in[0], 0x1p-20, x.odd(in[0], -1.0/6), r)
}

func acosh64(x *nest, in []reg) reg {
	g, v := x.g, in[0]
	r := x.arcosh(v, g.sqrtDD(g.addD(g.twoProd(v, v), g.f64(-1))))
	return g.blend(8, g.less64(v, g.f64(1)), r, g.f64(math.NaN()))
}

func atanh64(x *nest, in []reg) reg {
	g, v := x.g, in[0]
	abs, sign := g.parts64(v)
	q := g.divDD(g.twoSum(g.f64(1), abs), g.twoSum(g.f64(1), g.withSign64(abs, g.splatBits(8, 1<<63))))
	q = g.quickSum(q.hi, q.lo)
	r := g.withSign64(g.mul64(g.float(x.logDD(q.hi, q.lo)), g.f64(0.5)), sign)
	r = x.near(v, 0x1p-20, x.odd(v, 1.0/3), r)
	r = g.blend(8, g.equal64(abs, g.f64(1)), r, g.withSign64(g.f64(math.Inf(1)), sign))
	return g.blend(8, g.less64(g.f64(1), abs), r, g.f64(math.NaN()))
}

// A cubeRoot is the root of v's absolute value as root·2^n.
type cubeRoot struct {
	root dd
	n    reg
}

// cubeRootOf improves a polynomial's 13 bits by Halley's and Newton's methods, the second with the exact remainder.
func (x *nest) cubeRootOf(abs reg) cubeRoot {
	g := x.g
	m, e := g.rmi(amd64.VGETMANTPD, abs, 0), g.rm(amd64.VGETEXPPD, abs)
	n := g.rmi(amd64.VRNDSCALEPD, g.fma(8, e, g.f64(1.0/3), g.f64(0.1)), 9)
	left := g.minus64(e, n, g.f64(3)) // 0, 1 or 2
	y := x.horner64(m, 0.022148699208245196, -0.1586624600531909, 0.5808263911380952, 0.5557909602691388)
	for _, step := range []float64{1, 2} {
		more := g.equal64(left, g.f64(step))
		y = g.blend(8, more, y, g.mul64(y, g.f64(math.Cbrt(math.Exp2(step)))))
		m = g.blend(8, more, m, g.mul64(m, g.f64(math.Exp2(step))))
	}
	cube := g.mul64(g.mul64(y, y), y)
	y = g.mul64(y, g.div64(g.fma(8, g.f64(2), m, cube), g.fma(8, g.f64(2), cube, m)))
	sq := g.twoProd(y, y)
	exact := g.mulD(sq, y)
	rest := g.add64(g.sub64(m, exact.hi), g.sub64(g.f64(0), exact.lo))
	return cubeRoot{dd{y, g.div64(rest, g.mul64(g.f64(3), sq.hi))}, n}
}

func cbrt64(x *nest, in []reg) reg {
	g := x.g
	abs, sign := g.parts64(in[0])
	c := x.cubeRootOf(abs)
	r := g.withSign64(g.rvm(amd64.VSCALEFPD, g.float(c.root), c.n), sign)
	r = g.blend(8, g.finite(in[0]), in[0], r)
	return g.blend(8, g.equal64(in[0], g.f64(0)), r, in[0])
}

func rcbrt64(x *nest, in []reg) reg {
	g := x.g
	abs, sign := g.parts64(in[0])
	c := x.cubeRootOf(abs)
	r := g.withSign64(g.rvm(amd64.VSCALEFPD, g.inverseD(c.root), g.sub64(g.f64(0), c.n)), sign)
	plain := g.div64(g.f64(1), in[0])
	r = g.blend(8, g.finite(in[0]), plain, r)
	return g.blend(8, g.equal64(in[0], g.f64(0)), r, plain)
}

// A length is that of a vector, as root·2^n. What is not finite is left to special.
type length struct {
	root    dd
	n       reg
	largest reg // of the absolute values
}

func (x *nest) lengthOf(in []reg) length {
	g := x.g
	largest := g.parts(in[0])
	for _, v := range in[1:] {
		largest = g.rvm(amd64.VMAXPD, largest, g.parts(v))
	}
	n := x.between(8, g.rm(amd64.VGETEXPPD, largest), -1074, 1023)
	minus := g.sub64(g.f64(0), n)
	var sum dd
	for i, v := range in {
		v = g.rvm(amd64.VSCALEFPD, v, minus)
		sq := g.twoProd(v, v)
		if i > 0 {
			sq = g.addDD(sum, sq)
		}
		sum = sq
	}
	return length{g.sqrtDD(sum), n, largest}
}

// special gives r, or inf where any operand is infinite, or NaN where any is that.
func (x *nest) special(in []reg, r, inf reg) reg {
	g := x.g
	for _, v := range in {
		r = g.blend(8, x.isNaN(8, v), r, v)
	}
	for _, v := range in {
		r = g.blend(8, g.equal64(g.parts(v), g.f64(math.Inf(1))), r, inf)
	}
	return r
}

func norm64(x *nest, in []reg) reg {
	g, l := x.g, x.lengthOf(in)
	return x.special(in, g.rvm(amd64.VSCALEFPD, g.float(l.root), l.n), g.f64(math.Inf(1)))
}

func rnorm64(x *nest, in []reg) reg {
	g, l := x.g, x.lengthOf(in)
	r := g.rvm(amd64.VSCALEFPD, g.inverseD(l.root), g.sub64(g.f64(0), l.n))
	r = g.blend(8, g.equal64(l.largest, g.f64(0)), r, g.f64(math.Inf(1)))
	return x.special(in, r, g.f64(0))
}
