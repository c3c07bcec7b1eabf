package native

import (
	"math"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
)

// A dd is lanes of numbers with twice the digits of f64, as the sum of two f64s that do not overlap. The operations are those of package libm,
// which names their sources: T. J. Dekker, "A floating-point technique for extending the available precision", Numer. Math. 18, 1971; with fused
// multiplication, M. Joldes et al., "Tight and rigorous error bounds for basic building blocks of double-word arithmetic", ACM TOMS 44, 2017.
type dd struct{ hi, lo reg }

// A ddConst is a constant with its lower half.
type ddConst struct{ hi, lo float64 }

var (
	ddLn2     = ddConst{math.Ln2, 2.3190468138462996e-17}
	ddLn10    = ddConst{math.Ln10, -2.1707562233822494e-16}
	ddPi      = ddConst{math.Pi, 1.2246467991473532e-16}
	ddHalfPi  = ddConst{math.Pi / 2, 6.123233995736766e-17}
	ddQuartPi = ddConst{math.Pi / 4, 3.061616997868383e-17}
	ddThirds  = ddConst{2.0 / 3, 3.700743415417188e-17}
)

func (g *generator) dd(c ddConst) dd { return dd{g.f64(c.hi), g.f64(c.lo)} }

// exactly gives a number as a dd.
func (g *generator) exactly(v reg) dd { return dd{v, g.f64(0)} }

// twoSum gives a + b without loss.
func (g *generator) twoSum(a, b reg) dd {
	s := g.add64(a, b)
	t := g.sub64(s, a)
	return dd{s, g.add64(g.sub64(a, g.sub64(s, t)), g.sub64(b, t))}
}

// quickSum is twoSum for |a| ≥ |b|, or a = 0.
func (g *generator) quickSum(a, b reg) dd {
	s := g.add64(a, b)
	return dd{s, g.sub64(b, g.sub64(s, a))}
}

// twoProd gives a·b without loss, if that is no smaller than f64 has digits for.
func (g *generator) twoProd(a, b reg) dd {
	p := g.mul64(a, b)
	e := g.move(p)
	g.op3(amd64.VFMSUB231PD, e, a, b, 0) // a·b - p
	return dd{p, e}
}

func (g *generator) addDD(a, b dd) dd {
	s, t := g.twoSum(a.hi, b.hi), g.twoSum(a.lo, b.lo)
	s = g.quickSum(s.hi, g.add64(s.lo, t.hi))
	return g.quickSum(s.hi, g.add64(s.lo, t.lo))
}

// addD adds an f64.
func (g *generator) addD(a dd, b reg) dd {
	s := g.twoSum(a.hi, b)
	return g.quickSum(s.hi, g.add64(s.lo, a.lo))
}

func (g *generator) mulDD(a, b dd) dd {
	p := g.twoProd(a.hi, b.hi)
	return g.quickSum(p.hi, g.fma(8, a.hi, b.lo, g.fma(8, a.lo, b.hi, p.lo)))
}

// mulD multiplies by an f64.
func (g *generator) mulD(a dd, b reg) dd {
	p := g.twoProd(a.hi, b)
	return g.quickSum(p.hi, g.fma(8, a.lo, b, p.lo))
}

// divDD divides. The quotient's parts may overlap by some bits.
func (g *generator) divDD(a, b dd) dd {
	q := g.div64(a.hi, b.hi)
	rest := g.minus64(g.add64(g.minus64(a.hi, q, b.hi), a.lo), q, b.lo)
	return dd{q, g.div64(rest, b.hi)}
}

// inverseD gives 1/b as an f64.
func (g *generator) inverseD(b dd) reg {
	q := g.div64(g.f64(1), b.hi)
	rest := g.minus64(g.minus64(g.f64(1), q, b.hi), q, b.lo)
	return g.fma(8, q, rest, q)
}

// sqrtDD gives the root of what is not negative.
func (g *generator) sqrtDD(a dd) dd {
	s := g.rm(amd64.VSQRTPD, a.hi)
	rest := g.add64(g.minus64(a.hi, s, s), a.lo)
	lo := g.div64(rest, g.add64(s, s))
	return dd{s, g.blend(8, g.equal64(s, g.f64(0)), lo, s)}
}

func (g *generator) negDD(a dd) dd {
	sign := g.splatBits(8, 1<<63)
	return dd{g.rvm(amd64.VPXORQ, a.hi, sign), g.rvm(amd64.VPXORQ, a.lo, sign)}
}

// blendDD gives b where k, else a.
func (g *generator) blendDD(k reg, a, b dd) dd {
	return dd{g.blend(8, k, a.hi, b.hi), g.blend(8, k, a.lo, b.lo)}
}

// float rounds to an f64.
func (g *generator) float(a dd) reg { return g.add64(a.hi, a.lo) }

// finite gives the lanes that hold finite numbers.
func (g *generator) finite(v reg) reg { return g.less64(g.parts(v), g.f64(math.Inf(1))) }

// tame clears the lower part where the upper one is not finite.
func (g *generator) tame(a dd) dd {
	return dd{a.hi, g.blend(8, g.finite(a.hi), g.f64(0), a.lo)}
}
