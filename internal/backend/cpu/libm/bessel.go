package libm

import (
	"math"
	"math/big"
)

// BesselI0 and BesselI1 are the modified Bessel functions of the first kind. All terms of their
// series have one sign.
func BesselI0(x float64) float64 { return besselI(0, x) }

// BesselI1 is of order 1.
func BesselI1(x float64) float64 { return besselI(1, x) }

func besselI(order int, x float64) float64 {
	switch {
	case x != x:
		return x
	case order == 1 && math.Abs(x) < 1e-300:
		return x / 2
	case math.Abs(x) > 720: // the result exceeds float64
		if order == 1 {
			return math.Copysign(math.Inf(1), x)
		}
		return math.Inf(1)
	}
	q := twoProd(x/2, x/2)
	term := of(1)
	if order == 1 {
		term = of(x / 2)
	}
	sum := term
	for k := 1.0; math.Abs(term.hi) > math.Abs(sum.hi)*0x1p-60; k++ {
		term = term.mul(q).div(of(k * (k + float64(order))))
		sum = sum.add(term)
	}
	return sum.float()
}

// BesselI32 is besselI for float32, in float64.
func BesselI32(order int, x float64) float64 {
	if math.Abs(x) > 90 {
		return besselI(order, x)
	}
	term := 1.0
	if order == 1 {
		term = x / 2
	}
	sum := term
	for k := 1.0; math.Abs(term) > math.Abs(sum)*0x1p-60; k++ {
		term *= x / 2 / k * (x / 2 / (k + float64(order)))
		sum += term
	}
	return sum
}

// Up to besselLimit the Bessel functions are computed from their series, with digits enough that
// they are right near their zeros, too; beyond it Go's, whose error is small against the
// functions' largest values there.
const (
	besselLimit  = 8.5
	besselDigits = 320
)

// J0, J1, Y0 and Y1 are the Bessel functions of the first and second kind.
func J0(x float64) float64 {
	if !(math.Abs(x) <= besselLimit) {
		return math.J0(x)
	}
	return rounded(besselJ(0, math.Abs(x)))
}

// J1 is of order 1.
func J1(x float64) float64 {
	switch {
	case !(math.Abs(x) <= besselLimit):
		return math.J1(x)
	case math.Abs(x) < 1e-20:
		return x / 2
	}
	return math.Copysign(1, x) * rounded(besselJ(1, math.Abs(x)))
}

// Y0 is of order 0.
func Y0(x float64) float64 {
	if !(x > 1e-20 && x <= besselLimit) {
		return math.Y0(x)
	}
	return rounded(besselY(0, x))
}

// Y1 is of order 1.
func Y1(x float64) float64 {
	if !(x > 1e-20 && x <= besselLimit) {
		return math.Y1(x)
	}
	return rounded(besselY(1, x))
}

func rounded(f *big.Float) float64 {
	r, _ := f.Float64()
	return r
}

func newBig() *big.Float { return new(big.Float).SetPrec(besselDigits) }

func bigOf(x float64) *big.Float { return newBig().SetFloat64(x) }

// besselJ sums (x/2)^n Σ (-x²/4)^k / (k!(n+k)!) (Abramowitz and Stegun 9.1.10).
func besselJ(n int64, x float64) *big.Float {
	term := bigOf(1)
	if n == 1 {
		term.Mul(term, bigOf(x/2))
	}
	q := bigOf(x / 2)
	q.Mul(q, q).Neg(q)
	sum := newBig().Set(term)
	for k := int64(1); !negligible(term, sum); k++ {
		term.Mul(term, q)
		term.Quo(term, newBig().SetInt64(k*(k+n)))
		sum.Add(sum, term)
	}
	return sum
}

// negligible reports whether a term does not count any more. Sums may be small by cancellation, so
// the bound is absolute.
func negligible(term, sum *big.Float) bool {
	return term.Sign() == 0 || term.MantExp(nil) < min(sum.MantExp(nil), 0)-besselDigits+32
}

// besselY gives Y_n for n 0 or 1 (Abramowitz and Stegun 9.1.11):
//
//	π·Y_n = 2·ln(x/2)·J_n - [n=1]·2/x - (x/2)^n Σ (ψ(k+1) + ψ(n+k+1)) (-x²/4)^k / (k!(n+k)!)
func besselY(n int64, x float64) *big.Float {
	half := bigOf(x / 2)
	q := newBig().Mul(half, half)
	q.Neg(q)
	weight := bigOf(1)
	if n == 1 {
		weight.Set(half)
	}
	psi := newBig().Mul(bigOf(-2), euler()) // ψ(1) + ψ(1)
	if n == 1 {
		psi.Add(psi, bigOf(1))
	}
	sum := newBig().Mul(weight, psi)
	for k := int64(1); !negligible(weight, sum); k++ {
		weight.Mul(weight, q)
		weight.Quo(weight, newBig().SetInt64(k*(k+n)))
		psi.Add(psi, inverse(k))
		psi.Add(psi, inverse(k+n))
		sum.Add(sum, newBig().Mul(weight, psi))
	}
	r := newBig().Mul(bigLog(half), besselJ(n, x))
	r.Mul(r, bigOf(2)).Sub(r, sum)
	if n == 1 {
		r.Sub(r, newBig().Quo(bigOf(1), half))
	}
	pi := newBig().Mul(bigHalfPi(), bigOf(2))
	return r.Quo(r, pi)
}

func inverse(k int64) *big.Float { return newBig().Quo(bigOf(1), newBig().SetInt64(k)) }
