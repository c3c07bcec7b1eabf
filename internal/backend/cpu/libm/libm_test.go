package libm

import (
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

//go:embed testdata/values.tsv
var values string

func one(f func(float64) float64) func([]float64) float64 {
	return func(x []float64) float64 { return f(x[0]) }
}

func two(f func(x, y float64) float64) func([]float64) float64 {
	return func(x []float64) float64 { return f(x[0], x[1]) }
}

// functions holds each function with the largest error, in units of the last place of float64, that
// CUDA documents for it. Those of Go's package are here because callers use them as they are.
var functions = map[string]struct {
	f   func([]float64) float64
	ulp float64
}{
	"sin": {one(Sin), 2}, "cos": {one(Cos), 2}, "tan": {one(Tan), 2}, "sinpi": {one(SinPi), 2}, "cospi": {one(CosPi), 2},
	"asin": {one(Asin), 2}, "acos": {one(Acos), 2}, "atan": {one(math.Atan), 2}, "atan2": {two(Atan2), 2},
	"sinh": {one(Sinh), 2}, "cosh": {one(Cosh), 1}, "tanh": {one(Tanh), 1},
	"asinh": {one(math.Asinh), 3}, "acosh": {one(Acosh), 3}, "atanh": {one(math.Atanh), 2},
	"exp": {one(Exp), 1}, "exp2": {one(math.Exp2), 1}, "exp10": {one(Exp10), 1}, "expm1": {one(math.Expm1), 1},
	"log": {one(math.Log), 1}, "log2": {one(Log2), 1}, "log10": {one(Log10), 1}, "log1p": {one(math.Log1p), 1},
	"cbrt": {one(math.Cbrt), 1}, "rcbrt": {one(RCbrt), 1}, "rsqrt": {one(RSqrt), 1},
	"erf": {one(math.Erf), 2}, "erfc": {one(math.Erfc), 5}, "erfcx": {one(Erfcx), 4}, "erfinv": {one(math.Erfinv), 5}, "erfcinv": {one(Erfcinv), 6},
	"normcdf": {one(NormCDF), 5}, "normcdfinv": {one(NormCDFInv), 8},
	"tgamma": {one(Gamma), 10}, "lgamma": {one(LogGamma), 4},
	"j0": {one(J0), 7}, "j1": {one(J1), 7}, "y0": {one(Y0), 7}, "y1": {one(Y1), 7}, "i0": {one(BesselI0), 6}, "i1": {one(BesselI1), 6},
	"hypot": {func(x []float64) float64 { return Norm(x...) }, 2}, "rhypot": {func(x []float64) float64 { return RNorm(x...) }, 1},
	"norm3": {func(x []float64) float64 { return Norm(x...) }, 2}, "rnorm3": {func(x []float64) float64 { return RNorm(x...) }, 1},
	"norm4": {func(x []float64) float64 { return Norm(x...) }, 2}, "rnorm4": {func(x []float64) float64 { return RNorm(x...) }, 1},
	"pow": {two(Pow), 2},
}

// absolute holds the absolute errors that CUDA documents where it documents no relative ones: those
// of Bessel functions beyond 8.
const absolute = 5e-12

// TestValues compares with values of high precision.
func TestValues(t *testing.T) {
	worst := make(map[string]float64)
	where := make(map[string]string)
	for line := range strings.Lines(values) {
		words := strings.Split(strings.TrimSpace(line), "\t")
		var x []float64
		for _, w := range words[1:] {
			f, err := strconv.ParseFloat(w, 64)
			if err != nil {
				t.Fatal(err)
			}
			x = append(x, f)
		}
		args, want := x[:len(x)-1], x[len(x)-1]
		row, ok := functions[words[0]]
		if !ok {
			t.Fatalf("nobody tests %s", words[0])
		}
		got := row.f(args)
		if math.Abs(args[0]) > 8 && strings.Contains("j0 j1 y0 y1", words[0]) && math.Abs(got-want) <= absolute {
			continue
		}
		if e := ulps(got, want); e > worst[words[0]] || where[words[0]] == "" {
			worst[words[0]], where[words[0]] = e, fmt.Sprintf("of %v it is %v, not %v", args, got, want)
		}
	}
	for name, row := range functions {
		if where[name] == "" {
			t.Errorf("there are no values of %s", name)
		}
		t.Logf("%s: %g of %g ulp, %s", name, worst[name], row.ulp, where[name])
		if worst[name] > row.ulp {
			t.Errorf("%s is off by %g ulp; %g are documented: %s", name, worst[name], row.ulp, where[name])
		}
	}
}

// ulps gives the distance in floats.
func ulps(a, b float64) float64 {
	switch {
	case a == b || a != a && b != b:
		return 0
	case a != a || b != b || math.IsInf(a, 0) || math.IsInf(b, 0):
		return math.Inf(1)
	}
	return math.Abs(float64(ordinal(a) - ordinal(b)))
}

func ordinal(x float64) int64 {
	b := int64(math.Float64bits(x))
	if b < 0 {
		return math.MinInt64 - b
	}
	return b
}
