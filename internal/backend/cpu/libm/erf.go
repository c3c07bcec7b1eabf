package libm

import "math"

// Erfcx gives e^(x²)·erfc(x).
func Erfcx(x float64) float64 {
	switch {
	case x != x:
		return x
	case x < -27:
		return math.Inf(1)
	case x < 0:
		return 2*expFloat(twoProd(x, x)) - Erfcx(-x)
	case x > 26:
		return erfcxTail(x)
	}
	return twoProd(x, x).exp().scale(math.Erfc(x)).float()
}

// erfcxTail sums the asymptotic series (Abramowitz and Stegun 7.1.23).
func erfcxTail(x float64) float64 {
	u := 1 / (2 * x * x)
	sum := 1.0
	for k := 15.0; k >= 1; k -= 2 {
		sum = 1 - k*u*sum
	}
	return 1 / (x * math.Sqrt(math.Pi)) * sum
}

// NormCDF is the distribution function of the normal distribution, erfc(-x/√2)/2. The argument of
// erfc, rounded, is off by lo, which matters where erfc falls steeply.
func NormCDF(x float64) float64 {
	if x < -39 || x > 9 || x != x {
		return math.Erfc(-x) / 2 // 0, 1 or NaN
	}
	z := ddSqrtHlf.scale(-x)
	slope := -2 / math.Sqrt(math.Pi) * expFloat(twoProd(z.hi, z.hi).neg())
	return (math.Erfc(z.hi) + slope*z.lo) / 2
}

// Erfcinv is the inverse of erfc.
func Erfcinv(x float64) float64 {
	switch {
	case !(x >= 0 && x <= 2):
		return math.NaN()
	case x == 0:
		return math.Inf(1)
	case x == 2:
		return math.Inf(-1)
	case x >= 0.25:
		return math.Erfinv(1 - x) // 1-x is exact from 1/2 on, and good enough here
	}
	return erfcinvTail(of(x))
}

// NormCDFInv is the inverse of NormCDF.
func NormCDFInv(p float64) float64 {
	switch {
	case !(p >= 0 && p <= 1):
		return math.NaN()
	case p == 0:
		return math.Inf(-1)
	case p == 1:
		return math.Inf(1)
	}
	return 0 - math.Sqrt2*Erfcinv(2*p)
}

// erfcinvTail solves log erfc(y) = log x by Newton's method; with erfc(y) = erfcx(y)·e^(-y²) the
// logarithm does not underflow.
func erfcinvTail(x dd) float64 {
	target := log(x.hi)
	y := math.Sqrt(-target.hi)
	if y > 1 {
		y -= math.Log(y*math.Sqrt(math.Pi)) / (2 * y)
	}
	for range 8 {
		c := Erfcx(y)
		off := log(c).sub(twoProd(y, y)).sub(target).float()
		step := off * (math.Sqrt(math.Pi) / 2) * c
		y += step
		if math.Abs(step) < 1e-17*y {
			break
		}
	}
	return y
}
