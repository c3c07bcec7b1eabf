package libm

import "math"

// Norm gives the square root of the sum of the squares. Infinity wins over NaN, as in hypot.
func Norm(x ...float64) float64 {
	s, e, ok := sumOfSquares(x)
	if !ok {
		return s.hi
	}
	return math.Ldexp(s.sqrt().float(), e)
}

// RNorm gives the reciprocal of Norm.
func RNorm(x ...float64) float64 {
	s, e, ok := sumOfSquares(x)
	if !ok || s.hi == 0 {
		return 1 / s.hi
	}
	return math.Ldexp(of(1).div(s.sqrt()).float(), -e)
}

// sumOfSquares gives the sum of the squares as s·4^e, s near 1; ok is false if the norm is
// s.hi itself: infinite, NaN or 0.
func sumOfSquares(x []float64) (s dd, e int, ok bool) {
	largest, nan := 0.0, false
	for _, v := range x {
		a := math.Abs(v)
		nan = nan || a != a
		if a > largest {
			largest = a
		}
	}
	switch {
	case math.IsInf(largest, 1):
		return of(largest), 0, false
	case nan:
		return of(math.NaN()), 0, false
	case largest == 0:
		return dd{}, 0, false
	}
	_, e = math.Frexp(largest)
	for _, v := range x {
		v = math.Ldexp(v, -e)
		s = s.add(twoProd(v, v))
	}
	return s, e, true
}
