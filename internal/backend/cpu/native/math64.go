package native

import (
	"math"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Functions of f64, on registers of 8 lanes. Functions of f32 that are seldom used are computed in f64, too, whose
// errors do not show after rounding.

func (g *generator) f64(f float64) reg { return g.splatBits(8, math.Float64bits(f)) }

func (g *generator) mul64(a, b reg) reg { return g.rvm(amd64.VMULPD, a, b) }
func (g *generator) add64(a, b reg) reg { return g.rvm(amd64.VADDPD, a, b) }
func (g *generator) sub64(a, b reg) reg { return g.rvm(amd64.VSUBPD, a, b) }
func (g *generator) div64(a, b reg) reg { return g.rvm(amd64.VDIVPD, a, b) }

// less gives the lanes where a < b; equal, where they are equal; nearest rounds to an integer.
func (g *generator) less64(a, b reg) reg  { return g.cmp(amd64.VCMPPD, a, b, 0x11) }
func (g *generator) equal64(a, b reg) reg { return g.cmp(amd64.VCMPPD, a, b, 0) }
func (g *generator) nearest64(a reg) reg  { return g.rmi(amd64.VRNDSCALEPD, a, 8) }

// minus gives z - x·y.
func (g *generator) minus64(z, x, y reg) reg {
	d := g.move(z)
	g.op3(amd64.VFNMADD231PD, d, x, y, 0)
	return d
}

// parts64 takes a float apart: its absolute value and its sign bit.
func (g *generator) parts64(v reg) (abs, sign reg) {
	return g.rvm(amd64.VPANDQ, v, g.splatBits(8, 1<<63-1)), g.rvm(amd64.VPANDQ, v, g.splatBits(8, 1<<63))
}

func (g *generator) withSign64(v, sign reg) reg { return g.rvm(amd64.VPORQ, v, sign) }

// horner64 evaluates a polynomial whose coefficients are given from the highest on.
func (x *nest) horner64(at reg, coefficients ...float64) reg {
	g := x.g
	r := g.f64(coefficients[0])
	for _, c := range coefficients[1:] {
		d := g.move(r)
		g.op3(amd64.VFMADD213PD, d, at, g.f64(c), 0) // r*at + c
		r = d
	}
	return r
}

// math64 gives a function of f64 that has an operation of its own.
func (x *nest) math64(c tile.Code, in []reg) (reg, bool) {
	v := in[0]
	switch c {
	case tile.OpSin:
		return sin64(x, in), true
	case tile.OpCos:
		return cos64(x, in), true
	case tile.OpErf:
		return erf64(x, in), true
	case tile.OpFRem:
		return x.fmod(v, in[1]), true
	case tile.OpExp:
		return x.exp64(v), true
	case tile.OpExp2:
		return x.exp2of64(v), true
	case tile.OpLog:
		return x.log64(v), true
	case tile.OpLog2:
		return x.logTo64(v, log2Parts), true
	case tile.OpRSqrt:
		return x.rsqrt64(v), true
	}
	return none, false
}

// rsqrt64 improves 1/√v, which was rounded twice, by Newton's step r + r·(1 - v·r²)/2, if that is a number.
func (x *nest) rsqrt64(v reg) reg {
	g := x.g
	r := g.div64(g.f64(1), g.rm(amd64.VSQRTPD, v))
	p := g.twoProd(v, r)
	off := g.minus64(g.minus64(g.f64(1), p.hi, r), p.lo, r)
	return g.blend(8, g.finite(off), r, g.fma(8, g.mul64(r, g.f64(0.5)), off, r))
}

// exp64 splits as exp does, whose bounds it has.
func (x *nest) exp64(v reg) reg {
	g := x.g
	v = x.between(8, v, -746, 710)
	n := g.nearest64(g.mul64(v, g.f64(math.Log2E)))
	const high, low = 6.93147180369123816490e-01, 1.90821492927058770002e-10 // 33 bits of ln 2, and the rest
	return x.scaled64(g.minus64(g.minus64(v, n, g.f64(high)), n, g.f64(low)), n)
}

func (x *nest) exp2of64(v reg) reg {
	g := x.g
	v = x.between(8, v, -1076, 1025)
	n := g.nearest64(v)
	return x.scaled64(g.mul64(g.sub64(v, n), g.f64(math.Ln2)), n)
}

// scaled64 gives e^r·2^n; the remainder of the Taylor polynomial, r^14/14!, is below 2^-57.
func (x *nest) scaled64(r, n reg) reg {
	var c []float64
	f := 1.0
	for k := 1; k <= 13; k++ {
		f *= float64(k)
		c = append([]float64{1 / f}, c...)
	}
	return x.g.rvm(amd64.VSCALEFPD, x.horner64(r, append(c, 1)...), n)
}

// A logarithm's parts: v = 2^e·(1+f), log(1+f) = f - (half - s·(half+r)), with s = f/(2+f) and half = f²/2. The method and the coefficients
// of r are those of FreeBSD's msun, e_log.c and k_log.h (Sun Microsystems, 1993); the error is below 2^-58.
type logParts struct{ e, f, s, half, r reg }

func (x *nest) logParts(v reg) logParts {
	g := x.g
	m := g.rmi(amd64.VGETMANTPD, v, 0) // [1, 2)
	e := g.rm(amd64.VGETEXPPD, v)
	big := g.cmp(amd64.VCMPPD, m, g.f64(math.Sqrt2), 0x1d)
	i := ins(amd64.VMULPD)
	i.A, i.B, i.C, i.K = m, m, g.f64(0.5), big
	g.emit(i)
	j := ins(amd64.VADDPD)
	j.A, j.B, j.C, j.K = e, e, g.f64(1), big
	g.emit(j)
	f := g.sub64(m, g.f64(1))
	s := g.div64(f, g.add64(f, g.f64(2)))
	z := g.mul64(s, s)
	r := g.mul64(z, x.horner64(z, 1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01, 2.222219843214978396e-01,
		2.857142874366239149e-01, 3.999999999940941908e-01, 6.666666666666735130e-01))
	return logParts{e, f, s, g.mul64(g.f64(0.5), g.mul64(f, f)), r}
}

func (x *nest) log64(v reg) reg {
	g := x.g
	p := x.logParts(v)
	const high, low = 6.93147180369123816490e-01, 1.90821492927058770002e-10
	// e·high - ((half - (s·(half+r) + e·low)) - f)
	t := g.fma(8, p.s, g.add64(p.half, p.r), g.mul64(p.e, g.f64(low)))
	res := g.fma(8, p.e, g.f64(high), g.sub64(p.f, g.sub64(p.half, t)))
	return x.logSpecial64(v, res)
}

// A base is what logarithms to it are made of: 1/ln base in two parts, and log 2 in two.
type base struct{ invHigh, invLow, twoHigh, twoLow float64 }

var (
	log2Parts  = base{1.44269504072144627571e+00, 1.67517131648865118353e-10, 1, 0}
	log10Parts = base{4.34294481878168880939e-01, 2.50829467116452752298e-11, 3.01029995663611771306e-01, 3.69423907715893078616e-13}
)

// logTo64 gives a logarithm to another base: that of 1+f is cut in two, of which the first part times invHigh is exact.
func (x *nest) logTo64(v reg, b base) reg {
	g := x.g
	p := x.logParts(v)
	hi := g.rvm(amd64.VPANDQ, g.sub64(p.f, p.half), g.splatBits(8, 0xffffffff<<32))
	lo := g.fma(8, p.s, g.add64(p.half, p.r), g.sub64(g.sub64(p.f, hi), p.half))
	e := g.mul64(p.e, g.f64(b.twoHigh))
	high := g.mul64(hi, g.f64(b.invHigh))
	low := g.fma(8, g.add64(lo, hi), g.f64(b.invLow), g.mul64(lo, g.f64(b.invHigh)))
	if b.twoLow != 0 {
		low = g.fma(8, p.e, g.f64(b.twoLow), low)
	}
	w := g.add64(e, high)
	low = g.add64(low, g.add64(g.sub64(e, w), high))
	return x.logSpecial64(v, g.add64(low, w))
}

func (x *nest) logSpecial64(v, res reg) reg {
	g := x.g
	res = g.blend(8, g.less64(v, g.f64(0)), res, g.f64(math.NaN()))
	res = g.blend(8, g.equal64(v, g.f64(0)), res, g.f64(math.Inf(-1)))
	res = g.blend(8, g.equal64(v, g.f64(math.Inf(1))), res, v)
	return g.blend(8, x.isNaN(8, v), res, v)
}

// viaF64 computes a function of lanes of f32 in f64.
func (x *nest) viaF64(in []reg, f func(in []reg) reg) reg {
	g := x.g
	half := func(h int) reg {
		wide := make([]reg, len(in))
		for i, v := range in {
			if h == 1 {
				v = g.upperHalf(v)
			}
			wide[i] = g.rm(amd64.VCVTPS2PD, v)
		}
		return g.rm(amd64.VCVTPD2PS, f(wide))
	}
	return g.joined(half(0), half(1))
}
