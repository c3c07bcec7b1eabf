package libm

import "math"

// expParts gives e^a as m·2^k, m from about 0.7 to 1.4: a is reduced by multiples of ln 2, and the
// rest by a power of two, so that few terms of the series are needed.
func expParts(a dd) (m dd, k int) {
	const halvings, terms = 9, 9
	n := math.RoundToEven(a.hi / math.Ln2)
	r := a.sub(ddLn2.scale(n)).ldexp(-halvings)
	// p = e^r - 1, then (1+p)² - 1 = 2p + p² for each halving.
	p := inverseFactorials[terms]
	for i := terms - 1; i >= 1; i-- {
		p = p.mul(r).add(inverseFactorials[i])
	}
	p = p.mul(r)
	for range halvings {
		p = p.ldexp(1).add(p.mul(p))
	}
	return p.add(of(1)), int(n)
}

// exp gives e^a where it does not overflow.
func (a dd) exp() dd {
	m, k := expParts(a)
	return m.ldexp(k)
}

// expFloat gives e^a for any a.
func expFloat(a dd) float64 {
	switch {
	case a.hi > 710:
		return math.Inf(1)
	case a.hi < -746:
		return 0
	}
	m, k := expParts(a)
	return math.Ldexp(m.float(), k)
}

// Exp is the exponential function. Go's is off by a unit of the last place and a third on some processors.
func Exp(x float64) float64 {
	if x != x {
		return x
	}
	return expFloat(of(x))
}

// RSqrt gives the reciprocal of the square root.
func RSqrt(x float64) float64 {
	if !(x >= smallestNormal && x <= math.MaxFloat64) {
		return 1 / math.Sqrt(x)
	}
	return of(1).div(of(x).sqrt()).float()
}

// smallestNormal is the smallest number with all its digits.
const smallestNormal = 0x1p-1022

// Log is the natural logarithm, of subnormal numbers too, which Go's gets wrong on some processors.
func Log(x float64) float64 {
	if x > 0 && x < smallestNormal {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

// log gives the logarithm of x > 0 as a dd: one Newton step, with e^y in full, from Go's.
func log(x float64) dd {
	y := Log(x)
	m, k := expParts(of(-y))
	frac, e := math.Frexp(x)
	t := m.scale(frac).ldexp(e + k).sub(of(1)) // x·e^-y - 1
	return of(y).add(t.sub(t.mul(t).ldexp(-1)))
}

// Log2 is accurate near 1, too.
func Log2(x float64) float64 { return logBy(x, dd{1.4426950408889634, 2.0355273740931033e-17}) }

// Log10 is accurate near 1, too.
func Log10(x float64) float64 { return logBy(x, dd{0.4342944819032518, 1.098319650216765e-17}) }

func logBy(x float64, factor dd) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		return Log(x)
	}
	return log(x).mul(factor).float()
}

// Exp10 gives 10^x.
func Exp10(x float64) float64 {
	if x != x || math.Abs(x) > 400 {
		return math.Exp(4 * x) // NaN, 0 or infinite
	}
	return expFloat(ddLn10.scale(x))
}

// Pow gives x^y. Special cases are math.Pow's, which are C's.
func Pow(x, y float64) float64 {
	sign, ok := powSign(x, y)
	if !ok {
		return math.Pow(x, y)
	}
	l := log(math.Abs(x))
	if big := y * l.hi; math.Abs(big) > 800 {
		return sign * math.Exp(big)
	}
	return sign * expFloat(l.scale(y))
}

// Pow32 is Pow for float32 arguments and results, in float64: the product y·log x is at most about
// 100, so its error is far below what float32 can tell.
func Pow32(x, y float64) float64 {
	sign, ok := powSign(x, y)
	if !ok {
		return math.Pow(x, y)
	}
	return sign * math.Exp(y*Log(math.Abs(x)))
}

// powSign gives the sign of x^y; ok is false for the special cases.
func powSign(x, y float64) (sign float64, ok bool) {
	switch {
	case x == 0 || y == 0 || x-x != 0 || y-y != 0 || x == 1:
		return 0, false
	case x > 0:
		return 1, true
	case y != math.Trunc(y):
		return 0, false
	case math.Mod(y, 2) != 0:
		return -1, true
	}
	return 1, true
}

// RCbrt gives the reciprocal of the cube root.
func RCbrt(x float64) float64 {
	r := 1 / math.Cbrt(x)
	if r-r != 0 || r == 0 {
		return r
	}
	// One Newton step for x·r³ = 1; the exponents are taken out so that nothing under- or overflows.
	frac, e := math.Frexp(x)
	third := e / 3
	s := math.Ldexp(r, third)
	t := of(s).mul(of(s)).mul(of(s)).scale(frac).ldexp(e - 3*third).sub(of(1))
	return math.Ldexp(s-s*t.hi/3, -third)
}
