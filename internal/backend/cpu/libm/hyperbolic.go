package libm

import "math"

// seriesLimit is the size below which the series of hyperbolic functions are summed.
const seriesLimit = 0.3

// Sinh is the hyperbolic sine.
func Sinh(x float64) float64 {
	switch a := math.Abs(x); {
	case x != x || math.IsInf(x, 0) || a < 1e-300:
		return x
	case a < seriesLimit:
		return sinhSeries(x).float()
	default:
		up, down := halfExp(a)
		return math.Copysign(sum(up, down.neg()), x)
	}
}

// Cosh is the hyperbolic cosine.
func Cosh(x float64) float64 {
	if x != x || math.IsInf(x, 0) {
		return math.Abs(x)
	}
	return sum(halfExp(math.Abs(x)))
}

// Tanh is the hyperbolic tangent.
func Tanh(x float64) float64 {
	switch a := math.Abs(x); {
	case x != x || a < 1e-300:
		return x
	case a > 20:
		return math.Copysign(1, x)
	case a < seriesLimit:
		s := sinhSeries(x)
		return s.div(s.mul(s).add(of(1)).sqrt()).float()
	default:
		up, down := halfExp(a)
		return math.Copysign(up.sub(down).div(up.add(down)).float(), x)
	}
}

// halfExp gives e^a/2 and e^-a/2; the first may be infinite.
func halfExp(a float64) (up, down dd) {
	if a > 711 {
		return of(math.Inf(1)), dd{}
	}
	return of(a).sub(ddLn2).exp(), of(-a).sub(ddLn2).exp()
}

// sum gives x + y, where x may be infinite.
func sum(x, y dd) float64 {
	if math.IsInf(x.hi, 1) {
		return x.hi
	}
	return x.add(y).float()
}

// sinhSeries sums x + x³/3! + …
func sinhSeries(x float64) dd {
	x2 := twoProd(x, x)
	const terms = 11
	sum := inverseFactorials[2*terms+1]
	for i := terms - 1; i >= 0; i-- {
		sum = sum.mul(x2).add(inverseFactorials[2*i+1])
	}
	return sum.scale(x)
}

// Acosh is the inverse hyperbolic cosine.
func Acosh(x float64) float64 {
	switch {
	case !(x >= 1):
		return math.NaN()
	case x > 1<<30: // the root is as good as x
		return Log(x) + math.Ln2
	}
	u := twoProd(x, x).sub(of(1)).sqrt().add(of(x))
	return log(u.hi).add(of(u.lo / u.hi)).float()
}
