package native

import (
	"math"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
)

// The error function and what is made of it, of f64. The coefficients are those of polynomials through Chebyshev's points, made with 60 digits.

// erfNear gives erf v for |v| ≤ 0.85 as v + v·P(v²), P being erf(√z)/√z - 1 up to 2^-54.
func (x *nest) erfNear(v reg) reg {
	g := x.g
	p := x.horner64(g.mul64(v, v), -8.807228747394255e-10, 1.4178147022176822e-08, -1.629861590493901e-07, 1.645750227254517e-06, -1.4925440093153918e-05,
		0.00012055326564623378, -0.0008548326894243774, 0.005223977623790537, -0.026866170645006546, 0.11283791670954639, -0.3761263890318374, 0.1283791670955126)
	return g.fma(8, v, p, v)
}

// erfcxFar gives e^(v²)·erfc v for v ≥ 0.45 as P(t)/(1 + 2v) with t = (v-3)/(v+3), up to 2^-54 (M. M. Shepherd and J. G. Laframboise, "Chebyshev approximation
// of (1 + 2x)exp(x²)erfc x in 0 ≤ x < ∞", Math. Comp. 36, 1981).
func (x *nest) erfcxFar(v reg) reg {
	g := x.g
	three := g.f64(3)
	t := g.div64(g.sub64(v, three), g.add64(v, three))
	p := x.horner64(t, -7.145171977434563e-11, 3.43929744241813e-09, -7.142568036577497e-09, -2.1105252950567466e-08, 4.3027032887817295e-08,
		1.1266952012043725e-07, -1.4587824631549687e-07, -6.252716927336847e-07, 3.6123869086645386e-07, 3.4767927024999658e-06, -7.339786691244286e-07,
		-2.010204375610565e-05, 4.950329623113718e-06, 0.00012509968647194866, -0.00010515997979994612, -0.0007798323222032793, 0.00188869038238407,
		0.00252939182082319, -0.023770514920326703, 0.06830802734371776, -0.11927366341524873, 0.12964515870276747, -0.04756229435345156,
		-0.13562110612458123, 1.2530080582697296)
	return g.div64(p, g.fma(8, g.f64(2), v, g.f64(1)))
}

// erfcFar gives erfc v for v ≥ 0.45; sq is v², which is known better than v.
func (x *nest) erfcFar(v reg, sq dd) reg {
	g := x.g
	p := x.expOf(g.negDD(sq))
	return g.rvm(amd64.VSCALEFPD, g.mul64(x.erfcxFar(v), g.float(p.value(g))), p.n)
}

const sqrtPi = 1.772453850905516

// Where these are switched: erf, whose polynomial is good for a little more, and its complement.
const (
	erfSwitch  = 0.84
	erfcSwitch = 0.5
)

func erf64(x *nest, in []reg) reg {
	g := x.g
	abs, sign := g.parts64(in[0])
	far := x.between(8, abs, erfcSwitch, 6) // from which on it is 1
	r := g.withSign64(g.sub64(g.f64(1), x.erfcFar(far, g.twoProd(far, far))), sign)
	return x.near(in[0], erfSwitch, x.erfNear(in[0]), r)
}

func erfc64(x *nest, in []reg) reg {
	g, v := x.g, in[0]
	far := x.between(8, g.parts(v), erfcSwitch, 28) // from which on it is 0
	r := x.erfcFar(far, g.twoProd(far, far))
	r = g.blend(8, g.less64(v, g.f64(0)), r, g.sub64(g.f64(2), r))
	return x.near(v, erfcSwitch, g.sub64(g.f64(1), x.erfNear(v)), r)
}

// erfcx64 is 2e^(v²) - erfcx(-v) below 0.
func erfcx64(x *nest, in []reg) reg {
	g, v := x.g, in[0]
	abs := g.parts(v)
	const large = 1e10 // from where on 1/(v·√π) is as good
	far := x.erfcxFar(x.between(8, abs, erfcSwitch, large))
	far = g.blend(8, g.less64(g.f64(large), abs), far, g.div64(g.f64(1/sqrtPi), abs))
	capped := g.rvm(amd64.VMINPD, g.f64(28), abs) // infinite below -28
	p := x.expOf(g.twoProd(capped, capped))
	e := g.float(p.value(g))
	square := func(scale float64) reg { return g.rvm(amd64.VSCALEFPD, e, g.add64(p.n, g.f64(scale))) }
	r := g.blend(8, g.less64(v, g.f64(0)), far, g.sub64(square(1), far))
	return x.near(v, erfcSwitch, g.mul64(square(0), g.sub64(g.f64(1), x.erfNear(v))), r)
}

// normcdf64 is erfc(-v/√2)/2. The exponential is that of v²/2 itself.
func normcdf64(x *nest, in []reg) reg {
	g, v := x.g, in[0]
	abs := x.between(8, g.parts(v), 0, 39)
	sq := g.twoProd(abs, abs)
	half := dd{g.mul64(sq.hi, g.f64(0.5)), g.mul64(sq.lo, g.f64(0.5))}
	far := x.erfcFar(x.between(8, g.mul64(abs, g.f64(math.Sqrt2/2)), erfcSwitch, 28), half)
	far = g.mul64(far, g.f64(0.5))
	r := g.blend(8, g.less64(v, g.f64(0)), g.sub64(g.f64(1), far), far)
	half64 := g.f64(0.5)
	return x.near(v, erfcSwitch*math.Sqrt2, g.fma(8, half64, x.erfNear(g.mul64(v, g.f64(math.Sqrt2/2))), half64), r)
}
