package libm

import (
	"math"
	"math/big"
	"sync"
)

// Sin is the sine.
func Sin(x float64) float64 {
	if x == 0 || x-x != 0 {
		return notFinite(x)
	}
	q, r := reduce(x)
	return quadrant(q, r)
}

// Cos is the cosine.
func Cos(x float64) float64 {
	if x-x != 0 {
		return math.NaN()
	}
	q, r := reduce(x)
	return quadrant(q+1, r)
}

// Tan is the tangent.
func Tan(x float64) float64 {
	if x == 0 || x-x != 0 {
		return notFinite(x)
	}
	q, r := reduce(x)
	s, c := sinCos(r)
	if q&1 != 0 {
		return c.neg().div(s).float()
	}
	return s.div(c).float()
}

// notFinite gives ±0 as it is, and NaN for infinities and NaN.
func notFinite(x float64) float64 {
	if x == 0 {
		return x
	}
	return math.NaN()
}

// quadrant gives sin(qπ/2 + r).
func quadrant(q int, r dd) float64 {
	s, c := sinCos(r)
	if q&1 != 0 {
		s = c
	}
	if q&2 != 0 {
		s = s.neg()
	}
	return s.float()
}

// sinCos sums the series for |r| ≤ π/4 (and a little more).
func sinCos(r dd) (sin, cos dd) {
	if math.Abs(r.hi) < 1e-300 {
		return r, of(1)
	}
	r2 := r.mul(r)
	const terms = 14
	sin, cos = inverseFactorials[2*terms-1], inverseFactorials[2*terms-2]
	for i := terms - 2; i >= 0; i-- {
		sin = inverseFactorials[2*i+1].sub(sin.mul(r2))
		cos = inverseFactorials[2*i].sub(cos.mul(r2))
	}
	return sin.mul(r), cos
}

// halfPi is π/2 in pieces.
var halfPi = [...]float64{1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33, 5.562271104311117e-50}

// reduce gives x as qπ/2 + r with |r| ≤ π/4. Products of q with the pieces of π/2 are exact, so
// little is lost where x is near a multiple (W. Cody, W. Waite, "Software Manual for the
// Elementary Functions", 1980).
func reduce(x float64) (q int, r dd) {
	const large = 1 << 25
	if math.Abs(x) > large {
		return reduceLarge(x)
	}
	n := math.RoundToEven(x * (2 / math.Pi))
	r = of(x)
	for _, piece := range halfPi {
		r = r.sub(twoProd(n, piece))
	}
	return int(n) & 3, r
}

// piDigits are enough for the largest float64 (1,024 bits), its reduction to the smallest rest
// (about 60) and twice float64's digits of that.
const piDigits = 1300

// bigHalfPi gives π/2 by Machin's formula.
var bigHalfPi = sync.OnceValue(func() *big.Float {
	one := new(big.Int).Lsh(big.NewInt(1), piDigits+32)
	arctan := func(n int64) *big.Int { // of 1/n
		sum, power, n2 := new(big.Int), new(big.Int).Div(one, big.NewInt(n)), big.NewInt(n*n)
		for k := int64(1); power.Sign() != 0; k += 2 {
			t := new(big.Int).Div(power, big.NewInt(k))
			if k&2 != 0 {
				t.Neg(t)
			}
			sum.Add(sum, t)
			power.Div(power, n2)
		}
		return sum
	}
	pi := new(big.Int).Mul(big.NewInt(16), arctan(5))
	pi.Sub(pi, new(big.Int).Mul(big.NewInt(4), arctan(239)))
	f := new(big.Float).SetPrec(piDigits).SetInt(pi)
	return f.SetMantExp(f, -(piDigits+32)-1)
})

// reduceLarge is reduce with as many digits as it takes.
func reduceLarge(x float64) (q int, r dd) {
	bx := new(big.Float).SetPrec(piDigits).SetFloat64(x)
	ratio := new(big.Float).SetPrec(piDigits).Quo(bx, bigHalfPi())
	half := big.NewFloat(0.5)
	if x < 0 {
		half.Neg(half)
	}
	n, _ := ratio.Add(ratio, half).Int(nil)
	bn := new(big.Float).SetPrec(piDigits).SetInt(n)
	rest := bx.Sub(bx, bn.Mul(bn, bigHalfPi()))
	quarter := new(big.Int).And(n, big.NewInt(3)) // of a negative number, too, as in two's complement
	return int(quarter.Int64()), ddOf(rest)
}

// ddOf rounds a big number.
func ddOf(f *big.Float) dd {
	hi, _ := f.Float64()
	rest := new(big.Float).Sub(f, big.NewFloat(hi))
	lo, _ := rest.Float64()
	return dd{hi, lo}
}

// SinPi gives sin(πx).
func SinPi(x float64) float64 {
	switch {
	case x-x != 0:
		return math.NaN()
	case x == math.Trunc(x):
		return math.Copysign(0, x)
	}
	q, t := halves(x)
	return quadrant(q, ddPi.scale(t))
}

// CosPi gives cos(πx).
func CosPi(x float64) float64 {
	if x-x != 0 {
		return math.NaN()
	}
	q, t := halves(x)
	if t == 0 && q&1 != 0 {
		return 0
	}
	return quadrant(q+1, ddPi.scale(t))
}

// halves gives x modulo 2 as q/2 + t, exactly.
func halves(x float64) (q int, t float64) {
	r := math.Remainder(x, 2)
	h := math.RoundToEven(2 * r)
	return int(h), r - h/2
}

// Asin is the inverse sine.
func Asin(x float64) float64 {
	switch a := math.Abs(x); {
	case !(a <= 1):
		return math.NaN()
	case a < 1e-9:
		return x
	case a <= 0.5:
		return math.Copysign(asin(of(a)).float(), x)
	default:
		return math.Copysign(ddHalfPi.sub(asinOfRoot(a).ldexp(1)).float(), x)
	}
}

// Acos is the inverse cosine.
func Acos(x float64) float64 {
	switch a := math.Abs(x); {
	case !(a <= 1):
		return math.NaN()
	case a <= 0.5:
		return ddHalfPi.sub(asin(of(x))).float()
	case x > 0:
		return asinOfRoot(a).ldexp(1).float()
	default:
		return ddPi.sub(asinOfRoot(a).ldexp(1)).float()
	}
}

// asinOfRoot gives asin(√((1-a)/2)), which is half of acos(a).
func asinOfRoot(a float64) dd { return asin(of((1 - a) / 2).sqrt()) }

// asin gives the inverse sine for |x| ≤ 1/√2 by a Newton step.
func asin(x dd) dd {
	if x.hi == 0 {
		return x
	}
	y := math.Asin(x.hi)
	s, c := sinCos(of(y))
	return of(y).add(x.sub(s).div(c))
}

// TwoOverPi gives 2/π with more digits than any float64 needs to be reduced.
func TwoOverPi() *big.Float {
	return new(big.Float).SetPrec(piDigits).Quo(big.NewFloat(1), bigHalfPi())
}

// Atan2 is the angle of (x, y), y first. Go's function takes a quotient of negative numbers that is too small for a float64 for one of positive ones.
func Atan2(y, x float64) float64 { return math.Copysign(math.Atan2(math.Abs(y), x), y) }
