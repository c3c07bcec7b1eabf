package libm

import "math"

// stirling holds B_2k / (2k(2k-1)) for k from 1, with B_2k the Bernoulli numbers.
var stirling = func() []dd {
	fractions := [][2]float64{{1, 12}, {-1, 360}, {1, 1260}, {-1, 1680}, {1, 1188}, {-691, 360360}, {1, 156}, {-3617, 122400},
		{43867, 244188}, {-174611, 125400}, {77683, 5796}, {-236364091, 1506960}, {657931, 300}}
	c := make([]dd, len(fractions))
	for i, f := range fractions {
		c[i] = of(f[0]).div(of(f[1]))
	}
	return c
}()

// logGamma gives log Γ(x) for x ≥ 24 by Stirling's series.
func logGamma(x dd) dd {
	inv := of(1).div(x)
	series := poly(inv.mul(inv), stirling).mul(inv)
	l := log(x.hi).add(x.sub(of(x.hi)).div(x)) // the second term of the lower half is far below
	return x.sub(of(0.5)).mul(l).sub(x).add(ddLogTwoPi2).add(series)
}

// Gamma is the gamma function.
func Gamma(x float64) float64 {
	switch {
	case x != x || math.IsInf(x, 1):
		return x
	case x == 0:
		return math.Copysign(math.Inf(1), x)
	case math.IsInf(x, -1) || x < 0 && x == math.Trunc(x):
		return math.NaN()
	case x > 172:
		return math.Inf(1)
	case x < -190:
		return math.Copysign(0, 0.5-math.Mod(math.Ceil(-x), 2)) // too small; its sign is (-1)^⌈-x⌉
	case x < 0:
		return reflected(x)
	case math.Abs(x) < 1e-300:
		return 1 / x
	}
	g, k := gammaParts(of(x))
	return math.Ldexp(g.float(), k)
}

// gammaParts gives Γ(x) for x > 0 as g·2^k: x is raised to where Stirling's series is good, and the
// factors that are too many are divided out.
func gammaParts(x dd) (g dd, k int) {
	product := of(1)
	for x.hi < 32 {
		product = product.mul(x)
		x = x.add(of(1))
	}
	m, k := expParts(logGamma(x))
	return m.div(product), k
}

// reflected gives Γ(x) for x < 0: π / (sin(πx)·Γ(1-x)).
func reflected(x float64) float64 {
	q, t := halves(x)
	s, c := sinCos(ddPi.scale(t))
	if q&1 != 0 {
		s = c
	}
	if q&2 != 0 {
		s = s.neg()
	}
	g, k := gammaParts(of(1).sub(of(x)))
	return math.Ldexp(ddPi.div(s.mul(g)).float(), -k)
}

// Gamma32 is Gamma for float32: a product of a few factors is accurate enough there.
func Gamma32(x float64) float64 {
	switch {
	case x == 0:
		return math.Copysign(math.Inf(1), x)
	case x < 0 && x == math.Trunc(x):
		return math.NaN()
	}
	return math.Gamma(x)
}

// LogGamma gives log |Γ(x)|. Go's function is off by a hundred units of the last place where it goes over from one
// approximation to another, at 0.2 and 1.2: there it is log Γ(x+n) less the logarithm of x·(x+1)·…
func LogGamma(x float64) float64 {
	if !(0.15 < x && x < 0.35 || 1.15 < x && x < 1.35) {
		l, _ := math.Lgamma(x)
		return l
	}
	product, y := of(1), of(x)
	for y.hi < 32 {
		product = product.mul(y)
		y = y.add(of(1))
	}
	l := log(product.hi).add(of(product.lo).div(product))
	return logGamma(y).sub(l).float()
}
