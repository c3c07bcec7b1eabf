package libm

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

var (
	inf  = math.Inf(1)
	nan  = math.NaN()
	zero = math.Copysign(0, -1)
)

// Special cases are those of C's library and of CUDA's.
func TestSpecialCases(t *testing.T) {
	for _, tt := range []struct {
		name string
		f    func(float64) float64
		args []float64
		want []float64
	}{
		{"Sin", Sin, []float64{0, zero, inf, -inf, nan, 1e-310}, []float64{0, zero, nan, nan, nan, 1e-310}},
		{"Cos", Cos, []float64{0, inf, nan, 1e-310}, []float64{1, nan, nan, 1}},
		{"Tan", Tan, []float64{0, zero, inf, nan}, []float64{0, zero, nan, nan}},
		{"SinPi", SinPi, []float64{0, zero, 1, -2, 1e300, inf, nan, 0.5}, []float64{0, zero, 0, zero, 0, nan, nan, 1}},
		{"CosPi", CosPi, []float64{0, 1, 0.5, -1.5, 1e300, inf, nan}, []float64{1, -1, 0, 0, 1, nan, nan}},
		{"Asin", Asin, []float64{0, zero, 1, -1, 1.5, nan}, []float64{0, zero, math.Pi / 2, -math.Pi / 2, nan, nan}},
		{"Acos", Acos, []float64{1, -1, 0, 2, nan}, []float64{0, math.Pi, math.Pi / 2, nan, nan}},
		{"Sinh", Sinh, []float64{0, zero, inf, -inf, nan, 711, -711}, []float64{0, zero, inf, -inf, nan, inf, -inf}},
		{"Cosh", Cosh, []float64{0, inf, -inf, nan, -711}, []float64{1, inf, inf, nan, inf}},
		{"Tanh", Tanh, []float64{0, zero, inf, -inf, nan, 700}, []float64{0, zero, 1, -1, nan, 1}},
		{"Log2", Log2, []float64{0, -1, 1, 8, 0.25, inf, nan}, []float64{-inf, nan, 0, 3, -2, inf, nan}},
		{"Log10", Log10, []float64{0, -1, 1, 1000, 1e-5, inf, nan}, []float64{-inf, nan, 0, 3, -5, inf, nan}},
		{"Exp10", Exp10, []float64{0, 3, -2, 400, -400, 523, -523, inf, -inf, nan}, []float64{1, 1000, 0.01, inf, 0, inf, 0, inf, 0, nan}},
		{"Exp", Exp, []float64{0, zero, 710, -746, inf, -inf, nan}, []float64{1, 1, inf, 0, inf, 0, nan}},
		{"RSqrt", RSqrt, []float64{0, zero, 4, 0x1p-1074, -1, inf, nan}, []float64{inf, -inf, 0.5, 0x1p537, nan, 0, nan}},
		{"Acosh", Acosh, []float64{1, 0.5, inf, nan}, []float64{0, nan, inf, nan}},
		{"Atan2", func(x float64) float64 { return Atan2(x, -1e200) }, []float64{1e-200, -1e-200, 0, zero, nan}, []float64{math.Pi, -math.Pi, math.Pi, -math.Pi, nan}},
		{"RCbrt", RCbrt, []float64{0, zero, 8, -27, inf, nan}, []float64{inf, -inf, 0.5, -1.0 / 3, 0, nan}},
		{"Erfcx", Erfcx, []float64{0, inf, -inf, nan, -30}, []float64{1, 0, inf, nan, inf}},
		{"NormCDF", NormCDF, []float64{0, inf, -inf, nan, -40}, []float64{0.5, 1, 0, nan, 0}},
		{"Erfcinv", Erfcinv, []float64{1, 0, 2, -1, 3, nan}, []float64{0, inf, -inf, nan, nan, nan}},
		{"NormCDFInv", NormCDFInv, []float64{0.5, 0, 1, -1, nan}, []float64{0, -inf, inf, nan, nan}},
		{"Gamma", Gamma, []float64{1, 5, 0, zero, -1, inf, -inf, nan, 172, -200.5, -201.5, 1e-310}, []float64{1, 24, inf, -inf, nan, inf, nan, nan, inf, zero, 0, inf}},
		{"BesselI0", BesselI0, []float64{0, inf, -inf, nan}, []float64{1, inf, inf, nan}},
		{"BesselI1", BesselI1, []float64{0, zero, inf, -inf, nan}, []float64{0, zero, inf, -inf, nan}},
		{"J0", J0, []float64{0, inf, nan}, []float64{1, 0, nan}},
		{"J1", J1, []float64{0, inf, nan}, []float64{0, 0, nan}},
		{"Y0", Y0, []float64{0, -1, inf, nan}, []float64{-inf, nan, 0, nan}},
		{"Y1", Y1, []float64{0, -1, inf, nan}, []float64{-inf, nan, 0, nan}},
	} {
		for i, x := range tt.args {
			got := tt.f(x)
			if ulps(got, tt.want[i]) > 1 || got == 0 && math.Signbit(got) != math.Signbit(tt.want[i]) {
				t.Errorf("%s(%v) = %v, want %v", tt.name, x, got, tt.want[i])
			}
		}
	}
}

// Special cases of powers are C's, as math.Pow has them.
func TestPowSpecialCases(t *testing.T) {
	special := []float64{0, zero, 1, -1, 2, -2, 0.5, -0.5, 3, -3, inf, -inf, nan, 1e30, -1e30, 5e-324}
	for name, f := range map[string]func(x, y float64) float64{"Pow": Pow, "Pow32": Pow32} {
		for _, x := range special {
			for _, y := range special {
				if got, want := f(x, y), math.Pow(x, y); ulps(got, want) > 4 && math.Abs(got-want) > 1e-11*math.Abs(want) || math.Signbit(got) != math.Signbit(want) && got == got {
					t.Errorf("%s(%v, %v) = %v, want %v", name, x, y, got, want)
				}
			}
		}
	}
}

func TestNormSpecialCases(t *testing.T) {
	for _, tt := range []struct {
		x    []float64
		want float64
	}{
		{[]float64{3, 4}, 5}, {[]float64{2, 3, 6}, 7}, {[]float64{0, zero}, 0}, {[]float64{inf, nan}, inf}, {[]float64{nan, -inf, 1}, inf}, {[]float64{nan, 1}, nan},
		{[]float64{3e200, 4e200}, 5e200}, {[]float64{3e-200, 4e-200, 0, 0}, 5e-200}, {[]float64{1.7e308, 1.7e308}, inf},
	} {
		if got := Norm(tt.x...); ulps(got, tt.want) > 1 {
			t.Errorf("Norm(%v) = %v, want %v", tt.x, got, tt.want)
		}
		if got := RNorm(tt.x...); ulps(got, 1/tt.want) > 1 && !math.IsInf(tt.want, 1) {
			t.Errorf("RNorm(%v) = %v, want %v", tt.x, got, 1/tt.want)
		}
	}
}

// The functions for float32 give what those for float64 do, as far as float32 can tell.
func TestFunctionsForFloat32(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := float64(rapid.Float32Range(0.001, 30).Draw(t, "x"))
		y := float64(rapid.Float32Range(-20, 20).Draw(t, "y"))
		for name, pair := range map[string][2]float64{
			"Pow32": {Pow32(x, y), Pow(x, y)}, "Gamma32": {Gamma32(x), Gamma(x)},
			"BesselI32(0)": {BesselI32(0, y), BesselI0(y)}, "BesselI32(1)": {BesselI32(1, y), BesselI1(y)},
		} {
			if e := math.Abs(pair[0]-pair[1]) / math.Abs(pair[1]); e > 0x1p-30 {
				t.Errorf("%s of %v, %v is %v, not %v", name, x, y, pair[0], pair[1])
			}
		}
	})
}

// Inverses undo each other, and identities hold, to the accuracy of the results.
func TestIdentities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-0.999, 0.999).Draw(t, "x")
		near := func(what string, got, want, within float64) {
			if math.Abs(got-want) > within {
				t.Errorf("%s: %v, not %v (x = %v)", what, got, want, x)
			}
		}
		near("sin asin", Sin(Asin(x)), x, 1e-15)
		near("cos acos", Cos(Acos(x)), x, 1e-15)
		near("sin² + cos²", math.Pow(Sin(50*x), 2)+math.Pow(Cos(50*x), 2), 1, 1e-15)
		near("cosh² - sinh²", math.Pow(Cosh(x), 2)-math.Pow(Sinh(x), 2), 1, 1e-14)
		near("tanh", Tanh(5*x)*Cosh(5*x), Sinh(5*x), 1e-13)
		near("erfc erfcinv", math.Erfc(Erfcinv(1+x)), 1+x, 1e-15)
		near("log10", Exp10(Log10(1.5+x)), 1.5+x, 1e-14)
		near("Γ(x+1) = xΓ(x)", Gamma(x+2), (x+1)*Gamma(x+1), 1e-14*math.Abs(Gamma(x+2)))
		near("Wronskian", (J1(5+x)*Y0(5+x)-J0(5+x)*Y1(5+x))*math.Pi*(5+x)/2, 1, 1e-13)
	})
}

// Large arguments are reduced with all the digits that they need.
func TestLargeReduction(t *testing.T) {
	for _, x := range []float64{1 << 25, 1<<25 + 1, -(1<<26 + 0.5)} {
		q, r := reduceLarge(x)
		n := math.RoundToEven(x * (2 / math.Pi))
		small := of(x)
		for _, piece := range halfPi {
			small = small.sub(twoProd(n, piece))
		}
		if d := r.sub(small).float(); math.Abs(d) > 1e-25 || q != int(n)&3 {
			t.Errorf("%v: %v and %v, quadrants %d and %d", x, r, small, q, int(n)&3)
		}
	}
	// From J.-M. Muller, "Elementary Functions": the double nearest to a multiple of π/2.
	x := math.Ldexp(6381956970095103, 797)
	if got := fmt.Sprintf("%.16g", Cos(x)); got != "-4.687165924254628e-19" {
		t.Errorf("cos(%v) = %s", x, got)
	}
}
