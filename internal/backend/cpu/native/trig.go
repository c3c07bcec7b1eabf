package native

import (
	"encoding/binary"
	"math"
	"math/big"
	"sync"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/backend/cpu/libm"
)

// An angle is v = q·π/2 + r with |r| ≤ π/4, a little more where v is large; q is an integer of 64 bits.
type angle struct{ q, r reg }

// reduced reduces f32s that are held as f64s. Up to 2^28, the quotient times π/2, which is given in two parts, is subtracted without loss, as the
// difference is rounded once (Cody and Waite, "Software Manual for the Elementary Functions", 1980). Beyond, the bits of 2/π that matter are
// multiplied with the number's integer mantissa (Payne and Hanek, "Radian Reduction for Trigonometric Functions", SIGNUM Newsletter 18, 1983).
func (x *nest) reduced(v reg) angle {
	g := x.g
	n := g.nearest64(g.mul64(v, g.f64(2/math.Pi)))
	a := angle{r: g.minus64(g.minus64(v, n, g.f64(halfPiHigh)), n, g.f64(halfPiLow))}
	a.q = g.rm(amd64.VCVTTPD2QQ, n)
	abs, _ := g.parts64(v)
	far := g.cmp(amd64.VCMPPD, abs, g.f64(1<<largeAngle), 0x1d)
	far = g.kop(amd64.KAND, far, g.less64(abs, g.f64(math.Inf(1))), 0)
	near := g.label()
	g.op3(amd64.KORTEST, far, far, none, 0)
	g.jcc(amd64.CCE, near)
	big := x.reducedLarge(v, abs, far)
	for _, m := range [][2]reg{{a.q, big.q}, {a.r, big.r}} {
		i := ins(amd64.VPBLENDMQ)
		i.A, i.B, i.C, i.K = m[0], m[0], m[1], far
		g.emit(i)
	}
	g.bind(near)
	return a
}

const (
	halfPiHigh = 1.5707963267948966
	halfPiLow  = 6.123233995736766e-17
	// largeAngle is the exponent from which numbers are reduced by the table.
	largeAngle = 28
)

// reducedLarge reduces the lanes that far selects.
func (x *nest) reducedLarge(v, abs, far reg) angle {
	g := x.g
	e := g.rm(amd64.VCVTTPD2QQ, g.sub64(g.rm(amd64.VGETEXPPD, abs), g.f64(largeAngle)))
	m := g.mul64(g.rmi(amd64.VGETMANTPD, abs, 0), g.f64(1<<23))
	table := g.gpr()
	i := ins(amd64.LEA)
	i.A, i.HasMem, i.M = table, true, g.constant(64, largeAngles())
	g.emit(i)
	product := func(part int) reg {
		const columns = 8 * (128 - largeAngle)
		return g.mul64(m, x.gather(amd64.VPGATHERQQ, amd64.Mem{Base: table, Index: e, Scale: 8, Disp: int32(part * columns)}, far))
	}
	high, middle, low := product(0), product(1), product(2)
	four := g.f64(4)
	high = g.minus64(high, g.rmi(amd64.VRNDSCALEPD, g.mul64(high, g.f64(0.25)), 9), four)
	n := g.nearest64(g.add64(high, middle))
	rest := g.add64(g.add64(g.sub64(high, n), middle), low)
	r := g.mul64(rest, g.f64(math.Pi/2))
	q := g.rm(amd64.VCVTTPD2QQ, n)
	negative := g.less64(v, g.f64(0))
	_, sign := g.parts64(v)
	k := ins(amd64.VPSUBQ) // q = -q
	k.A, k.B, k.C, k.K = q, g.splatBits(8, 0), q, negative
	g.emit(k)
	return angle{q, g.rvm(amd64.VPXORQ, r, sign)}
}

// largeAngles is a table for the exponents from largeAngle on: 2/π·2^(exponent-23) modulo 4, the weight of the mantissa's last bit in
// quarters of a turn, in three parts: 28 bits, 28 bits, and the rest. Products with 24 bits of the first two are exact.
var largeAngles = sync.OnceValue(func() []byte {
	var parts [3][]byte
	for e := largeAngle; e < 128; e++ {
		c := libm.TwoOverPi()
		c.SetMantExp(c, e-23)
		turns := new(big.Float).SetPrec(c.Prec()).Quo(c, big.NewFloat(4))
		whole, _ := turns.Int(nil)
		c.Sub(c, new(big.Float).SetPrec(c.Prec()).SetInt(whole.Mul(whole, big.NewInt(4))))
		for p, grid := range []int{26, 54, 0} {
			f, _ := c.Float64()
			if grid > 0 {
				scaled, _ := new(big.Float).SetMantExp(c, grid).Int(nil)
				f, _ = new(big.Float).SetMantExp(new(big.Float).SetInt(scaled), -grid).Float64()
			}
			parts[p] = binary.LittleEndian.AppendUint64(parts[p], math.Float64bits(f))
			c.Sub(c, big.NewFloat(f))
		}
	}
	return append(append(parts[0], parts[1]...), parts[2]...)
})

// sinCos gives the sine and cosine of |r| ≤ π/4 by Taylor's polynomials, to more bits than f32 has.
func (x *nest) sinCos(r reg) (sin, cos reg) {
	g := x.g
	z := g.mul64(r, r)
	sin = g.fma(8, g.mul64(r, z), x.horner64(z, -1.0/39916800, 1.0/362880, -1.0/5040, 1.0/120, -1.0/6), r)
	cos = x.horner64(z, 1.0/479001600, -1.0/3628800, 1.0/40320, -1.0/720, 1.0/24, -1.0/2, 1)
	return sin, cos
}

// quadrant gives sin(q·π/2 + r).
func (x *nest) quadrant(a angle) reg {
	g := x.g
	sin, cos := x.sinCos(a.r)
	odd, sign := x.inQuadrant(a.q)
	return g.rvm(amd64.VPXORQ, g.blend(8, odd, sin, cos), sign)
}

// inQuadrant tells where the cosine is taken for the sine, and gives the sign that it has.
func (x *nest) inQuadrant(q reg) (odd, sign reg) {
	g := x.g
	odd = g.cmp(amd64.VPTESTMQ, q, g.splatBits(8, 1), 0)
	return odd, g.rmi(amd64.VPSLLQ, g.rvm(amd64.VPANDQ, q, g.splatBits(8, 2)), 62)
}

// further turns an angle by a quarter.
func (x *nest) further(a angle) angle {
	return angle{x.g.rvm(amd64.VPADDQ, a.q, x.g.splatBits(8, 1)), a.r}
}

func (x *nest) sin(v reg) reg {
	s := x.quadrant(x.reduced(v))
	return x.g.blend(8, x.g.equal64(v, x.g.f64(0)), s, v) // -0 stays
}

func (x *nest) cos(v reg) reg { return x.quadrant(x.further(x.reduced(v))) }

func (x *nest) tan(v reg) reg {
	g := x.g
	a := x.reduced(v)
	sin, cos := x.sinCos(a.r)
	odd := g.cmp(amd64.VPTESTMQ, a.q, g.splatBits(8, 1), 0)
	minus := g.rvm(amd64.VPXORQ, cos, g.splatBits(8, 1<<63))
	t := g.div64(g.blend(8, odd, sin, minus), g.blend(8, odd, cos, sin))
	return g.blend(8, g.equal64(v, g.f64(0)), t, v)
}

// halfTurns reduces v·π; what is 2^24 or more is an even integer.
func (x *nest) halfTurns(v reg) angle {
	g := x.g
	n := g.nearest64(g.add64(v, v))
	r := g.mul64(g.minus64(v, n, g.f64(0.5)), g.f64(math.Pi))
	return angle{g.rm(amd64.VCVTTPD2QQ, n), r}
}

func (x *nest) sinPi(v reg) reg {
	g := x.g
	s := x.quadrant(x.halfTurns(v))
	whole := g.equal64(v, g.nearest64(v))
	_, sign := g.parts64(v)
	s = g.blend(8, whole, s, sign) // zeros have the sign of the operand
	return g.blend(8, g.less64(g.parts(v), g.f64(math.Inf(1))), g.f64(math.NaN()), s)
}

func (x *nest) cosPi(v reg) reg {
	g := x.g
	c := x.quadrant(x.further(x.halfTurns(v)))
	c = g.blend(8, g.equal64(c, g.f64(0)), c, g.f64(0)) // no negative zero
	return g.blend(8, g.less64(g.parts(v), g.f64(math.Inf(1))), g.f64(math.NaN()), c)
}

// parts gives the absolute value alone.
func (g *generator) parts(v reg) reg {
	abs, _ := g.parts64(v)
	return abs
}

// atan is reduced to |t| ≤ tan(π/8) by 1/v and (v-1)/(v+1), whose Taylor polynomial has a remainder below 2^-32.
func (x *nest) atan(v reg) reg {
	g := x.g
	abs, sign := g.parts64(v)
	return g.withSign64(x.atanOf(abs), sign)
}

func (x *nest) atanOf(abs reg) reg {
	g := x.g
	one := g.f64(1)
	inverse := g.less64(one, abs)
	t := g.blend(8, inverse, abs, g.div64(one, abs))
	upper := g.less64(g.f64(math.Sqrt2-1), t)
	t = g.blend(8, upper, t, g.div64(g.sub64(t, one), g.add64(t, one)))
	z := g.mul64(t, t)
	var c []float64
	for k := 12; k >= 1; k-- {
		c = append(c, math.Pow(-1, float64(k))/float64(2*k+1))
	}
	r := g.fma(8, g.mul64(t, z), x.horner64(z, c...), t)
	r = g.blend(8, upper, r, g.add64(r, g.f64(math.Pi/4)))
	return g.blend(8, inverse, r, g.sub64(g.f64(math.Pi/2), r))
}

func (x *nest) asin(v reg) reg {
	g := x.g
	root := g.rm(amd64.VSQRTPD, g.mul64(g.sub64(g.f64(1), v), g.add64(g.f64(1), v)))
	return x.atan(g.div64(v, root))
}

func (x *nest) acos(v reg) reg {
	g := x.g
	r := x.atanOf(g.rm(amd64.VSQRTPD, g.div64(g.sub64(g.f64(1), v), g.add64(g.f64(1), v))))
	return g.add64(r, r)
}

// atan2 gives the angle of (u, v), y first.
func (x *nest) atan2(y, u reg) reg {
	g := x.g
	ay, sy := g.parts64(y)
	au, su := g.parts64(u)
	steep := g.less64(au, ay)
	small, large := g.blend(8, steep, ay, au), g.blend(8, steep, au, ay)
	t := g.div64(small, large)
	t = g.blend(8, g.equal64(large, g.f64(0)), t, g.f64(0))
	t = g.blend(8, g.equal64(small, g.f64(math.Inf(1))), t, g.f64(1))
	r := x.atanOf(t)
	r = g.blend(8, steep, r, g.sub64(g.f64(math.Pi/2), r))
	behind := g.cmp(amd64.VPTESTMQ, su, su, 0)
	r = g.blend(8, behind, r, g.sub64(g.f64(math.Pi), r))
	r = g.withSign64(r, sy)
	nan := g.cmp(amd64.VCMPPD, y, u, 3)
	return g.blend(8, nan, r, g.f64(math.NaN()))
}
