package native

import (
	"encoding/binary"
	"math"
	"math/big"
	"sync"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/backend/cpu/libm"
)

// Trigonometric functions of f64.

// An angle64 is an angle whose rest has twice the digits.
type angle64 struct {
	q reg
	r dd
}

// reduced64 reduces as reduced does, with a third part of π/2 and all the digits of its products.
func (x *nest) reduced64(v reg) angle64 {
	g := x.g
	const rest = -1.4973849048591698e-33
	n := g.nearest64(g.mul64(v, g.f64(2/math.Pi)))
	p := g.twoProd(n, g.f64(-halfPiLow))
	t := g.twoSum(g.minus64(v, n, g.f64(halfPiHigh)), p.hi)
	r := g.quickSum(t.hi, g.add64(t.lo, g.minus64(p.lo, n, g.f64(rest))))
	a := angle64{g.rm(amd64.VCVTTPD2QQ, n), r}
	abs, _ := g.parts64(v)
	far := g.cmp(amd64.VCMPPD, abs, g.f64(1<<largeAngle), 0x1d)
	far = g.kop(amd64.KAND, far, g.less64(abs, g.f64(math.Inf(1))), 0)
	near := g.label()
	g.op3(amd64.KORTEST, far, far, none, 0)
	g.jcc(amd64.CCE, near)
	big := x.reducedLarge64(v, abs, far)
	for _, m := range [][2]reg{{a.q, big.q}, {a.r.hi, big.r.hi}, {a.r.lo, big.r.lo}} {
		i := ins(amd64.VPBLENDMQ)
		i.A, i.B, i.C, i.K = m[0], m[0], m[1], far
		g.emit(i)
	}
	g.bind(near)
	return a
}

// reducedLarge64 is Payne and Hanek's reduction with products of 53 bits, which fused multiplication gives without loss. The first four terms of their sum
// may cancel but for its last 61 bits, the number nearest to a multiple of π/2 there is; so they are added without loss.
func (x *nest) reducedLarge64(v, abs, far reg) angle64 {
	g := x.g
	e := g.rm(amd64.VCVTTPD2QQ, g.sub64(g.rm(amd64.VGETEXPPD, abs), g.f64(largeAngle)))
	m := g.mul64(g.rmi(amd64.VGETMANTPD, abs, 0), g.f64(1<<52))
	table := g.gpr()
	i := ins(amd64.LEA)
	i.A, i.HasMem, i.M = table, true, g.constant(64, largeAngles64())
	g.emit(i)
	var p [4]dd
	for part := range p {
		const columns = 8 * (1024 - largeAngle)
		at := amd64.Mem{Base: table, Index: e, Scale: 8, Disp: int32(part * columns)}
		p[part] = g.twoProd(m, x.gather(amd64.VPGATHERQQ, at, far))
	}
	top := g.minus64(p[0].hi, g.rmi(amd64.VRNDSCALEPD, g.mul64(p[0].hi, g.f64(0.25)), 9), g.f64(4))
	a := g.twoSum(top, p[0].lo)
	b := g.twoSum(a.hi, p[1].hi)
	n := g.nearest64(b.hi)
	c := g.twoSum(a.lo, b.lo)
	d := g.twoSum(p[1].lo, p[2].hi)
	f := g.twoSum(c.hi, d.hi)
	s := g.twoSum(g.sub64(b.hi, n), f.hi)
	tail := g.add64(g.add64(s.lo, f.lo), g.add64(g.add64(c.lo, d.lo), g.add64(p[2].lo, p[3].hi)))
	r := g.mulDD(g.quickSum(s.hi, tail), g.dd(ddHalfPi))
	q := g.rm(amd64.VCVTTPD2QQ, n)
	_, sign := g.parts64(v)
	k := ins(amd64.VPSUBQ) // q = -q
	k.A, k.B, k.C, k.K = q, g.splatBits(8, 0), q, g.less64(v, g.f64(0))
	g.emit(k)
	return angle64{q, dd{g.rvm(amd64.VPXORQ, r.hi, sign), g.rvm(amd64.VPXORQ, r.lo, sign)}}
}

// largeAngles64 is a table as largeAngles is: 2/π·2^(exponent-52) modulo 4, in four parts of 53 bits.
var largeAngles64 = sync.OnceValue(func() []byte {
	const count = 1024 - largeAngle
	out := make([]byte, 4*8*count)
	four := big.NewFloat(4)
	for e := largeAngle; e < 1024; e++ {
		c := libm.TwoOverPi()
		c.SetMantExp(c, e-52)
		turns, _ := new(big.Float).SetPrec(c.Prec()).Quo(c, four).Int(nil)
		c.Sub(c, new(big.Float).SetPrec(c.Prec()).SetInt(turns.Mul(turns, big.NewInt(4))))
		for part := range 4 {
			f, _ := c.Float64()
			binary.LittleEndian.PutUint64(out[8*(part*count+e-largeAngle):], math.Float64bits(f))
			c.Sub(c, big.NewFloat(f))
		}
	}
	return out
})

// sinCos64 gives sine and cosine of r, |r| ≤ π/4 and a little more, each as two numbers of which the second is small. The coefficients are those of FreeBSD's
// msun, k_sin.c and k_cos.c (Sun Microsystems, 1993).
func (x *nest) sinCos64(r dd) (sin, cos dd) {
	g := x.g
	sq := g.twoProd(r.hi, r.hi)
	z := sq.hi
	half := g.mul64(g.f64(0.5), z)
	cube := g.mul64(z, r.hi)
	p := x.horner64(z, 1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06, -1.98412698298579493134e-04, 8.33333333332248946124e-03)
	low := g.fma(8, z, g.minus64(g.mul64(cube, p), r.lo, g.f64(0.5)), r.lo)
	sin = dd{r.hi, g.fma(8, cube, g.f64(-1.66666666666666324348e-01), low)}
	p = x.horner64(z, -1.13596475577881948265e-11, 2.08757232129817482790e-09, -2.75573143513906633035e-07, 2.48015872894767294178e-05,
		-1.38888888888741095749e-03, 4.16666666666666019037e-02)
	w := g.sub64(g.f64(1), half)
	low = g.minus64(g.minus64(g.mul64(g.mul64(z, z), p), r.hi, r.lo), sq.lo, g.f64(0.5))
	cos = dd{w, g.add64(g.sub64(g.sub64(g.f64(1), w), half), low)}
	return sin, cos
}

// quadrant64 gives sin(q·π/2 + r).
func (x *nest) quadrant64(a angle64) reg {
	g := x.g
	sin, cos := x.sinCos64(a.r)
	odd, sign := x.inQuadrant(a.q)
	return g.rvm(amd64.VPXORQ, g.float(g.blendDD(odd, sin, cos)), sign)
}

// furtherOn turns an angle by a quarter.
func (x *nest) furtherOn(a angle64) angle64 {
	return angle64{x.g.rvm(amd64.VPADDQ, a.q, x.g.splatBits(8, 1)), a.r}
}

// unlessZero gives r, but v where that is 0 (of either sign), and NaN where it is not finite.
func (x *nest) unlessZero(v, r reg) reg {
	g := x.g
	r = g.blend(8, g.finite(v), g.f64(math.NaN()), r)
	return g.blend(8, g.equal64(v, g.f64(0)), r, v)
}

func sin64(x *nest, in []reg) reg {
	return x.unlessZero(in[0], x.quadrant64(x.reduced64(in[0])))
}

func cos64(x *nest, in []reg) reg {
	g := x.g
	c := x.quadrant64(x.furtherOn(x.reduced64(in[0])))
	return g.blend(8, g.finite(in[0]), g.f64(math.NaN()), c)
}

func tan64(x *nest, in []reg) reg {
	g := x.g
	a := x.reduced64(in[0])
	sin, cos := x.sinCos64(a.r)
	sin, cos = g.quickSum(sin.hi, sin.lo), g.quickSum(cos.hi, cos.lo)
	odd := g.cmp(amd64.VPTESTMQ, a.q, g.splatBits(8, 1), 0)
	t := g.divDD(g.blendDD(odd, sin, g.negDD(cos)), g.blendDD(odd, cos, sin))
	return x.unlessZero(in[0], g.float(t))
}

// halfTurns64 reduces v·π; what is 2^53 or more is an even integer.
func (x *nest) halfTurns64(v reg) angle64 {
	g := x.g
	v = g.blend(8, g.less64(g.parts(v), g.f64(1<<53)), g.f64(0), v)
	n := g.nearest64(g.add64(v, v))
	t := g.minus64(v, n, g.f64(0.5))
	p := g.twoProd(t, g.f64(ddPi.hi))
	r := g.quickSum(p.hi, g.fma(8, t, g.f64(ddPi.lo), p.lo))
	quarter := g.minus64(n, g.rmi(amd64.VRNDSCALEPD, g.mul64(n, g.f64(0.25)), 9), g.f64(4)) // n modulo 4
	return angle64{g.rm(amd64.VCVTTPD2QQ, quarter), r}
}

func sinPi64(x *nest, in []reg) reg {
	g, v := x.g, in[0]
	s := x.quadrant64(x.halfTurns64(v))
	_, sign := g.parts64(v)
	s = g.blend(8, g.equal64(v, g.nearest64(v)), s, sign) // zeros have the sign of the operand
	return g.blend(8, g.finite(v), g.f64(math.NaN()), s)
}

func cosPi64(x *nest, in []reg) reg {
	g, v := x.g, in[0]
	c := x.quadrant64(x.furtherOn(x.halfTurns64(v)))
	c = g.blend(8, g.equal64(c, g.f64(0)), c, g.f64(0)) // no negative zero
	return g.blend(8, g.finite(v), g.f64(math.NaN()), c)
}

// arc gives the angle, from 0 to π/2, of the vector (den, num), neither of which is negative: of num/den, (num-den)/(num+den) or -den/num, whichever is at most
// tan(π/8), by the polynomial of FreeBSD's msun, s_atan.c.
func (x *nest) arc(num, den dd) dd {
	g := x.g
	const small = math.Sqrt2 - 1
	low := g.cmp(amd64.VCMPPD, num.hi, g.mul64(den.hi, g.f64(small)), 0x12)
	high := g.cmp(amd64.VCMPPD, g.mul64(num.hi, g.f64(small)), den.hi, 0x1d)
	base := dd{g.f64(ddQuartPi.hi), g.f64(ddQuartPi.lo)}
	base = g.blendDD(low, base, g.exactly(g.f64(0)))
	base = g.blendDD(high, base, g.dd(ddHalfPi))
	minus := g.negDD(den)
	n := g.blendDD(high, g.blendDD(low, g.addDD(num, minus), num), minus)
	d := g.blendDD(high, g.blendDD(low, g.addDD(num, den), den), num)
	q := g.divDD(n, d)
	z := g.mul64(q.hi, q.hi)
	p := x.horner64(z, 1.62858201153657823623e-02, -3.65315727442169155270e-02, 4.97687799461593236017e-02, -5.83357013379057348645e-02, 6.66107313738753120669e-02,
		-7.69187620504482999495e-02, 9.09088713343650656196e-02, -1.11111104054623557880e-01, 1.42857142725034663711e-01, -1.99999999998764832476e-01, 3.33333333333329318027e-01)
	rest := g.minus64(g.minus64(q.lo, q.lo, z), g.mul64(q.hi, z), p)
	s := g.quickSum(base.hi, q.hi)
	return g.quickSum(s.hi, g.add64(s.lo, g.add64(base.lo, rest)))
}

// behind gives π - a where k, else a.
func (x *nest) behind(k reg, a dd) reg {
	g := x.g
	return g.float(g.blendDD(k, a, g.addDD(g.dd(ddPi), g.negDD(a))))
}

func atan64(x *nest, in []reg) reg {
	g := x.g
	abs, sign := g.parts64(in[0])
	return g.withSign64(g.float(x.arc(g.exactly(g.rvm(amd64.VMINPD, g.f64(1e300), abs)), g.exactly(g.f64(1)))), sign)
}

// leg gives √(1 - v²).
func (x *nest) leg(v reg) dd {
	g := x.g
	sq := g.twoProd(v, v)
	s := g.twoSum(g.f64(1), g.rvm(amd64.VPXORQ, sq.hi, g.splatBits(8, 1<<63)))
	return g.sqrtDD(g.quickSum(s.hi, g.sub64(s.lo, sq.lo)))
}

func asin64(x *nest, in []reg) reg {
	g := x.g
	abs, sign := g.parts64(in[0])
	r := g.withSign64(g.float(x.arc(g.exactly(abs), x.leg(abs))), sign)
	return g.blend(8, g.less64(g.f64(1), abs), r, g.f64(math.NaN()))
}

func acos64(x *nest, in []reg) reg {
	g := x.g
	abs := g.parts(in[0])
	r := x.behind(g.less64(in[0], g.f64(0)), x.arc(x.leg(abs), g.exactly(abs)))
	return g.blend(8, g.less64(g.f64(1), abs), r, g.f64(math.NaN()))
}

// atan2of64 gives the angle of (u, y), y first. Both are scaled, so that sums do not overflow; infinite ones are as 1 to 0.
func atan2of64(x *nest, in []reg) reg {
	g := x.g
	y, sy := g.parts64(in[0])
	u, su := g.parts64(in[1])
	inf, one, zero := g.f64(math.Inf(1)), g.f64(1), g.f64(0)
	yInf, uInf := g.equal64(y, inf), g.equal64(u, inf)
	any := g.kop(amd64.KOR, yInf, uInf, 0)
	y = g.blend(8, any, y, g.blend(8, yInf, zero, one))
	u = g.blend(8, any, u, g.blend(8, uInf, zero, one))
	u = g.blend(8, g.equal64(g.rvm(amd64.VMAXPD, y, u), zero), u, one) // the angle of (0, 0) is 0
	n := g.rm(amd64.VGETEXPPD, g.rvm(amd64.VMAXPD, y, u))
	minus := g.sub64(zero, n)
	a := x.arc(g.exactly(g.rvm(amd64.VSCALEFPD, y, minus)), g.exactly(g.rvm(amd64.VSCALEFPD, u, minus)))
	r := g.withSign64(x.behind(g.cmp(amd64.VPTESTMQ, su, su, 0), a), sy)
	nan := g.cmp(amd64.VCMPPD, in[0], in[1], 3)
	return g.blend(8, nan, r, g.f64(math.NaN()))
}
