package cpu

import (
	"math"

	"github.com/tegula-lang/tegula/internal/tile"
)

// floatExterns are functions of floats. Fast variants are no less accurate than others here.
func floatExterns() map[string]extern {
	return map[string]extern{
		"abs":          {1, absolute},
		"acos":         extern1(math.Acos),
		"acosh":        extern1(math.Acosh),
		"asin":         extern1(math.Asin),
		"asinh":        extern1(math.Asinh),
		"atan":         extern1(math.Atan),
		"atan2":        extern2(math.Atan2),
		"atanh":        extern1(math.Atanh),
		"cbrt":         extern1(math.Cbrt),
		"ceil":         extern1(math.Ceil),
		"copysign":     extern2(math.Copysign),
		"cos":          extern1(math.Cos),
		"cosh":         extern1(math.Cosh),
		"cospi":        extern1(cosPi),
		"erf":          extern1(math.Erf),
		"erfc":         extern1(math.Erfc),
		"erfcinv":      extern1(math.Erfcinv),
		"erfcx":        extern1(erfcx),
		"erfinv":       extern1(math.Erfinv),
		"exp":          extern1(math.Exp),
		"exp10":        extern1(exp10),
		"exp2":         extern1(math.Exp2),
		"expm1":        extern1(math.Expm1),
		"fdim":         extern2(fdim),
		"floor":        extern1(math.Floor),
		"fmod":         extern2(math.Mod),
		"hypot":        extern2(math.Hypot),
		"j0":           extern1(math.J0),
		"j1":           extern1(math.J1),
		"lgamma":       extern1(lgamma),
		"log":          extern1(math.Log),
		"log10":        extern1(math.Log10),
		"log1p":        extern1(math.Log1p),
		"log2":         extern1(math.Log2),
		"logb":         extern1(math.Logb),
		"nearbyint":    extern1(math.RoundToEven),
		"norm3d":       extern3(func(x, y, z float64) float64 { return norm(x, y, z, 0) }),
		"norm4d":       extern4(norm),
		"normcdf":      extern1(func(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }),
		"normcdfinv":   extern1(func(p float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*p) }),
		"pow":          {2, power},
		"rcbrt":        extern1(func(x float64) float64 { return 1 / math.Cbrt(x) }),
		"remainder":    extern2(math.Remainder),
		"rhypot":       extern2(func(x, y float64) float64 { return 1 / math.Hypot(x, y) }),
		"rint":         extern1(math.RoundToEven),
		"rnorm3d":      extern3(func(x, y, z float64) float64 { return 1 / norm(x, y, z, 0) }),
		"rnorm4d":      extern4(func(x, y, z, w float64) float64 { return 1 / norm(x, y, z, w) }),
		"round":        extern1(math.Round),
		"rsqrt":        extern1(func(x float64) float64 { return 1 / math.Sqrt(x) }),
		"saturatef":    extern1(func(x float64) float64 { return minNum(maxNum(x, 0), 1) }),
		"sin":          extern1(math.Sin),
		"sinh":         extern1(math.Sinh),
		"sinpi":        extern1(sinPi),
		"sqrt":         extern1(math.Sqrt),
		"tan":          extern1(math.Tan),
		"tanh":         extern1(math.Tanh),
		"tgamma":       extern1(math.Gamma),
		"trunc":        extern1(math.Trunc),
		"y0":           extern1(math.Y0),
		"y1":           extern1(math.Y1),
		"fma":          {3, fusedMultiplyAdd},
		"nextafter":    {2, nextAfter},
		"rcp64h":       extern1(rcp64h),
		"fast_cosf":    extern1(math.Cos),
		"fast_expf":    extern1(math.Exp),
		"fast_exp10f":  extern1(exp10),
		"fast_log10f":  extern1(math.Log10),
		"fast_log2f":   extern1(math.Log2),
		"fast_logf":    extern1(math.Log),
		"fast_powf":    extern2(math.Pow),
		"fast_sinf":    extern1(math.Sin),
		"fast_tanf":    extern1(math.Tan),
		"fast_tanhf":   extern1(math.Tanh),
		"fast_dividef": extern2(func(x, y float64) float64 { return x / y }),

		"cyl_bessel_i0": extern1(func(x float64) float64 { return besselI(0, x) }),
		"cyl_bessel_i1": extern1(func(x float64) float64 { return besselI(1, x) }),
		"jn":            withOrder(math.Jn),
		"yn":            withOrder(math.Yn),
		"ldexp":         withExponent(math.Ldexp),
		"scalbn":        withExponent(math.Ldexp),

		"isnan":     predicate(func(x float64) bool { return x != x }),
		"isinf":     predicate(func(x float64) bool { return math.IsInf(x, 0) }),
		"finitef":   predicate(func(x float64) bool { return x-x == 0 }),
		"isfinited": predicate(func(x float64) bool { return x-x == 0 }),
		"signbit":   predicate(math.Signbit),
	}
}

// absolute is of floats and of signed integers.
func absolute(op *tile.Op) elementFunc {
	t := op.Result().Type
	if op.Args[0].Type != t || t.IsPtr() {
		return nil
	}
	unused := 64 - uint(t.ElemBits())
	if t.IsFloat() {
		return func(a *[4]uint64) uint64 { return a[0] << (unused + 1) >> (unused + 1) }
	}
	return func(a *[4]uint64) uint64 {
		x := int64(a[0]<<unused) >> unused
		return uint64(max(x, -x)) << unused >> unused
	}
}

// power takes an exponent of the base's type or an integer.
func power(op *tile.Op) elementFunc {
	if exp := op.Args[1].Type; exp.IsInt() {
		return withExponent(func(x float64, n int) float64 { return math.Pow(x, float64(n)) }).of(op)
	}
	return extern2(math.Pow).of(op)
}

// fusedMultiplyAdd rounds once.
func fusedMultiplyAdd(op *tile.Op) elementFunc {
	if op.Result().Type.Elem() == tile.F64 {
		return extern3(math.FMA).of(op)
	}
	return extern3(func(x, y, z float64) float64 { return float64(fma32(float32(x), float32(y), float32(z))) }).of(op)
}

func nextAfter(op *tile.Op) elementFunc {
	switch op.Result().Type.Elem() {
	case tile.F64:
		return extern2(math.Nextafter).of(op)
	case tile.F32:
		return extern2(func(x, y float64) float64 { return float64(math.Nextafter32(float32(x), float32(y))) }).of(op)
	}
	return nil
}

// withOrder is of Bessel functions: of an order, of which negative ones give NaN, and a float.
func withOrder(f func(n int, x float64) float64) extern {
	return extern{2, func(op *tile.Op) elementFunc {
		t := op.Result().Type
		if !t.IsFloat() || op.Args[1].Type != t || op.Args[0].Type.Scalar() != tile.Scalar(tile.I32) {
			return nil
		}
		d, round := t.Elem().DType(), rounding(t.Elem())
		return func(a *[4]uint64) uint64 {
			n := int(int32(a[0]))
			if n < 0 {
				return round(math.NaN())
			}
			// Recurrences take as many steps as the order says; far beyond the argument they give 0 or -Inf anyway.
			return round(f(min(n, maxOrder), d.Decode(a[1])))
		}
	}}
}

const maxOrder = 1 << 16

// withExponent is of functions of a float and an integer.
func withExponent(f func(x float64, n int) float64) extern {
	return extern{2, func(op *tile.Op) elementFunc {
		t := op.Result().Type
		if !t.IsFloat() || op.Args[0].Type != t || op.Args[1].Type.Scalar() != tile.Scalar(tile.I32) {
			return nil
		}
		d, round := t.Elem().DType(), rounding(t.Elem())
		return func(a *[4]uint64) uint64 { return round(f(d.Decode(a[0]), int(int32(a[1])))) }
	}}
}

// lgamma is positive at both infinities.
func lgamma(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.Inf(1)
	}
	l, _ := math.Lgamma(x)
	return l
}

func exp10(x float64) float64 {
	if n := math.Trunc(x); n == x && math.Abs(x) < 400 {
		return math.Pow10(int(x)) // exact where a float64 can be
	}
	return math.Pow(10, x)
}

func fdim(x, y float64) float64 {
	switch {
	case x != x || y != y:
		return math.NaN()
	case x <= y:
		return 0
	}
	return x - y
}

func norm(x, y, z, w float64) float64 { return math.Hypot(math.Hypot(x, y), math.Hypot(z, w)) }

// rcp64h has only the upper half of the result's bits.
func rcp64h(x float64) float64 {
	return math.Float64frombits(math.Float64bits(1/x) &^ (1<<32 - 1))
}

// sinPi and cosPi give sin(πx) and cos(πx). x is reduced exactly to t, at most a quarter away
// from a multiple of one half.
func sinPi(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	if x == math.Trunc(x) {
		return math.Copysign(0, x)
	}
	q, t := halves(x)
	return quadrant(q, t)
}

func cosPi(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	q, t := halves(x)
	return quadrant(q+1, t)
}

// halves gives x modulo 2 as q/2 + t.
func halves(x float64) (q int, t float64) {
	r := math.Remainder(x, 2)
	h := math.RoundToEven(2 * r)
	return int(h), r - h/2
}

// quadrant gives sin(π(q/2 + t)).
func quadrant(q int, t float64) float64 {
	switch q & 3 {
	case 0:
		return math.Sin(math.Pi * t)
	case 1:
		return math.Cos(math.Pi * t)
	case 2:
		return -math.Sin(math.Pi * t)
	}
	return -math.Cos(math.Pi * t)
}

// erfcx gives exp(x²)·erfc(x): by the asymptotic series where erfc is very small.
func erfcx(x float64) float64 {
	if x < 25 {
		return math.Exp(x*x) * math.Erfc(x)
	}
	u := 1 / (2 * x * x)
	return 1 / (x * math.Sqrt(math.Pi)) * (1 - u*(1-3*u*(1-5*u*(1-7*u*(1-9*u)))))
}

// besselI gives the modified Bessel function of order 0 or 1 by its power series, all terms of
// which have one sign.
func besselI(order int, x float64) float64 {
	if math.Abs(x) > 720 { // the result exceeds float64
		return math.Inf(1 - 2*order*int(bit(x < 0)))
	}
	h := x / 2
	term := 1.0
	if order == 1 {
		term = h
	}
	sum := term
	for k := 1.0; math.Abs(term) > math.Abs(sum)*0x1p-60; k++ {
		term *= h / k * (h / (k + float64(order)))
		sum += term
	}
	return sum
}
