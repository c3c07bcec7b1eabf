package cpu

import (
	"math"

	"github.com/tegula-lang/tegula/internal/backend/cpu/libm"
	"github.com/tegula-lang/tegula/internal/tile"
)

// floatExterns are functions of floats, as accurate as CUDA documents them. Fast variants are no less
// accurate than others here.
func floatExterns() map[string]extern {
	return map[string]extern{
		"abs":          absolute,
		"acos":         extern1by(math.Acos, libm.Acos),
		"acosh":        extern1(libm.Acosh),
		"asin":         extern1by(math.Asin, libm.Asin),
		"asinh":        extern1(math.Asinh),
		"atan":         extern1(math.Atan),
		"atan2":        extern2(libm.Atan2),
		"atanh":        extern1(math.Atanh),
		"cbrt":         extern1(math.Cbrt),
		"ceil":         extern1(math.Ceil),
		"copysign":     extern2(math.Copysign),
		"cos":          extern1by(math.Cos, libm.Cos),
		"cosh":         extern1by(math.Cosh, libm.Cosh),
		"cospi":        extern1(libm.CosPi),
		"erf":          extern1(math.Erf),
		"erfc":         extern1(math.Erfc),
		"erfcinv":      extern1(libm.Erfcinv),
		"erfcx":        extern1(libm.Erfcx),
		"erfinv":       extern1(math.Erfinv),
		"exp":          extern1by(math.Exp, libm.Exp),
		"exp10":        extern1(libm.Exp10),
		"exp2":         extern1(math.Exp2),
		"expm1":        extern1(math.Expm1),
		"fdim":         extern2(fdim),
		"floor":        extern1(math.Floor),
		"fmod":         extern2(math.Mod),
		"hypot":        extern2by(math.Hypot, func(x, y float64) float64 { return libm.Norm(x, y) }),
		"j0":           extern1by(math.J0, libm.J0),
		"j1":           extern1by(math.J1, libm.J1),
		"lgamma":       extern1(lgamma),
		"log":          extern1(libm.Log),
		"log10":        extern1by(math.Log10, libm.Log10),
		"log1p":        extern1(math.Log1p),
		"log2":         extern1by(math.Log2, libm.Log2),
		"logb":         extern1(math.Logb),
		"nearbyint":    extern1(math.RoundToEven),
		"norm3d":       extern3(func(x, y, z float64) float64 { return libm.Norm(x, y, z) }),
		"norm4d":       extern4(func(x, y, z, w float64) float64 { return libm.Norm(x, y, z, w) }),
		"normcdf":      extern1(libm.NormCDF),
		"normcdfinv":   extern1(libm.NormCDFInv),
		"pow":          power,
		"rcbrt":        extern1(libm.RCbrt),
		"remainder":    extern2(math.Remainder),
		"rhypot":       extern2(func(x, y float64) float64 { return libm.RNorm(x, y) }),
		"rint":         extern1(math.RoundToEven),
		"rnorm3d":      extern3(func(x, y, z float64) float64 { return libm.RNorm(x, y, z) }),
		"rnorm4d":      extern4(func(x, y, z, w float64) float64 { return libm.RNorm(x, y, z, w) }),
		"round":        extern1(math.Round),
		"rsqrt":        extern1by(func(x float64) float64 { return 1 / math.Sqrt(x) }, libm.RSqrt),
		"saturatef":    extern1(func(x float64) float64 { return minNum(maxNum(x, 0), 1) }),
		"sin":          extern1by(math.Sin, libm.Sin),
		"sinh":         extern1by(math.Sinh, libm.Sinh),
		"sinpi":        extern1(libm.SinPi),
		"sqrt":         extern1(math.Sqrt),
		"tan":          extern1by(math.Tan, libm.Tan),
		"tanh":         extern1by(math.Tanh, libm.Tanh),
		"tgamma":       extern1by(libm.Gamma32, libm.Gamma),
		"trunc":        extern1(math.Trunc),
		"y0":           extern1by(math.Y0, libm.Y0),
		"y1":           extern1by(math.Y1, libm.Y1),
		"fma":          fusedMultiplyAdd,
		"nextafter":    nextAfter,
		"rcp64h":       extern1(rcp64h),
		"fast_cosf":    extern1(math.Cos),
		"fast_expf":    extern1(math.Exp),
		"fast_exp10f":  extern1(libm.Exp10),
		"fast_log10f":  extern1(math.Log10),
		"fast_log2f":   extern1(math.Log2),
		"fast_logf":    extern1(libm.Log),
		"fast_powf":    extern2(libm.Pow32),
		"fast_sinf":    extern1(math.Sin),
		"fast_tanf":    extern1(math.Tan),
		"fast_tanhf":   extern1(math.Tanh),
		"fast_dividef": extern2(func(x, y float64) float64 { return x / y }),

		"cyl_bessel_i0": extern1by(func(x float64) float64 { return libm.BesselI32(0, x) }, libm.BesselI0),
		"cyl_bessel_i1": extern1by(func(x float64) float64 { return libm.BesselI32(1, x) }, libm.BesselI1),
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
		return withExponent(func(x float64, n int) float64 { return libm.Pow(x, float64(n)) })(op)
	}
	return extern2by(libm.Pow32, libm.Pow)(op)
}

// fusedMultiplyAdd rounds once.
func fusedMultiplyAdd(op *tile.Op) elementFunc {
	if op.Result().Type.Elem() == tile.F64 {
		return extern3(math.FMA)(op)
	}
	return extern3(func(x, y, z float64) float64 { return float64(fma32(float32(x), float32(y), float32(z))) })(op)
}

func nextAfter(op *tile.Op) elementFunc {
	switch op.Result().Type.Elem() {
	case tile.F64:
		return extern2(math.Nextafter)(op)
	case tile.F32:
		return extern2(func(x, y float64) float64 { return float64(math.Nextafter32(float32(x), float32(y))) })(op)
	}
	return nil
}

// withOrder is of Bessel functions: of an order, of which negative ones give NaN, and a float.
func withOrder(f func(n int, x float64) float64) extern {
	return func(op *tile.Op) elementFunc {
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
	}
}

const maxOrder = 1 << 16

// withExponent is of functions of a float and an integer.
func withExponent(f func(x float64, n int) float64) extern {
	return func(op *tile.Op) elementFunc {
		t := op.Result().Type
		if !t.IsFloat() || op.Args[0].Type != t || op.Args[1].Type.Scalar() != tile.Scalar(tile.I32) {
			return nil
		}
		d, round := t.Elem().DType(), rounding(t.Elem())
		return func(a *[4]uint64) uint64 { return round(f(d.Decode(a[0]), int(int32(a[1])))) }
	}
}

// lgamma is positive at both infinities.
func lgamma(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.Inf(1)
	}
	return libm.LogGamma(x)
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

// rcp64h has only the upper half of the result's bits.
func rcp64h(x float64) float64 {
	return math.Float64frombits(math.Float64bits(1/x) &^ (1<<32 - 1))
}
