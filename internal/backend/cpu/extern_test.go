package cpu

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tegula-lang/tegula/internal/tile"
)

// callExtern calls a library function of scalars, given and returned as bits.
func callExtern(t *testing.T, name string, to tile.Elem, from []tile.Elem, args ...uint64) uint64 {
	t.Helper()
	types := make([]tile.Type, len(from))
	slices := make([]any, len(from), len(from)+1)
	for i, e := range from {
		types[i] = tile.Scalar(e)
		slices[i] = packed(e.Bits(), args[i:i+1])
	}
	out := packed(to.Bits(), make([]uint64, 1))
	m := kernelOf(t, types, func(b *tile.Builder, in []*tile.Value) []*tile.Value {
		return []*tile.Value{b.Extern(name, tile.Scalar(to), in...)}
	})
	run(t, m, arrays(append(slices, out)...)...)
	return unpacked(out)[0]
}

func TestFloatExterns(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		name string
		args []float64
		want float64
	}{
		{"abs", []float64{-2.5}, 2.5},
		{"acos", []float64{0.5}, 1.0471975511965979},
		{"acosh", []float64{2}, 1.3169578969248166},
		{"asin", []float64{0.5}, 0.5235987755982989},
		{"asinh", []float64{1}, 0.881373587019543},
		{"atan", []float64{1}, 0.7853981633974483},
		{"atan2", []float64{-1, -1}, -2.356194490192345},
		{"atanh", []float64{0.5}, 0.5493061443340548},
		{"cbrt", []float64{-27}, -3},
		{"ceil", []float64{-0.5}, 0},
		{"copysign", []float64{3, -0.5}, -3},
		{"cos", []float64{1}, 0.5403023058681398},
		{"cosh", []float64{1}, 1.5430806348152437},
		{"cospi", []float64{0.5}, 0},
		{"cospi", []float64{1e15 + 0.25}, 0.7071067811865476},
		{"cyl_bessel_i0", []float64{1}, 1.2660658777520084},
		{"cyl_bessel_i0", []float64{50}, 2.9325537838493363e20},
		{"cyl_bessel_i1", []float64{-1}, -0.565159103992485},
		{"erf", []float64{0.5}, 0.5204998778130465},
		{"erfc", []float64{2}, 0.004677734981047266},
		{"erfcinv", []float64{0.5}, 0.4769362762044699},
		{"erfcx", []float64{1}, 0.427583576155807},
		{"erfcx", []float64{30}, 0.018795888861416751},
		{"erfinv", []float64{0.5}, 0.4769362762044699},
		{"exp", []float64{1}, math.E},
		{"exp10", []float64{-3}, 1e-3},
		{"exp10", []float64{0.5}, 3.1622776601683795},
		{"exp2", []float64{-3}, 0.125},
		{"expm1", []float64{1e-5}, 1.0000050000166668e-05},
		{"fdim", []float64{5, 3}, 2},
		{"fdim", []float64{3, 5}, 0},
		{"floor", []float64{-0.5}, -1},
		{"fma", []float64{2, 3, 4}, 10},
		{"fmod", []float64{-7, 3}, -1},
		{"hypot", []float64{3, 4}, 5},
		{"j0", []float64{1}, 0.7651976865579665},
		{"j1", []float64{1}, 0.44005058574493355},
		{"lgamma", []float64{10}, 12.801827480081469},
		{"log", []float64{10}, math.Ln10},
		{"log10", []float64{1000}, 3},
		{"log1p", []float64{1e-5}, 9.999950000333332e-06},
		{"log2", []float64{8}, 3},
		{"logb", []float64{10}, 3},
		{"nearbyint", []float64{2.5}, 2},
		{"norm3d", []float64{2, 3, 6}, 7},
		{"norm4d", []float64{1, 1, 1, 1}, 2},
		{"normcdf", []float64{1}, 0.8413447460685429},
		{"normcdfinv", []float64{0.975}, 1.9599639845400545},
		{"pow", []float64{2, 10}, 1024},
		{"rcbrt", []float64{8}, 0.5},
		{"remainder", []float64{7, 4}, -1},
		{"rhypot", []float64{3, 4}, 0.2},
		{"rint", []float64{3.5}, 4},
		{"rnorm3d", []float64{2, 3, 6}, 1.0 / 7},
		{"rnorm4d", []float64{1, 1, 1, 1}, 0.5},
		{"round", []float64{2.5}, 3},
		{"rsqrt", []float64{4}, 0.5},
		{"rsqrt_rn", []float64{16}, 0.25},
		{"saturatef", []float64{1.5}, 1},
		{"saturatef", []float64{nan}, 0},
		{"sin", []float64{1}, 0.8414709848078965},
		{"sinh", []float64{1}, 1.1752011936438014},
		{"sinpi", []float64{1.5}, -1},
		{"sinpi", []float64{inf}, nan},
		{"sqrt", []float64{2}, math.Sqrt2},
		{"tan", []float64{1}, 1.557407724654902},
		{"tanh", []float64{0.5}, 0.46211715726000973},
		{"tgamma", []float64{5}, 24},
		{"trunc", []float64{-1.9}, -1},
		{"y0", []float64{1}, 0.08825696421567697},
		{"y1", []float64{1}, -0.7812128213002887},
		{"fast_cosf", []float64{1}, 0.5403023058681398},
		{"fast_dividef", []float64{1, 4}, 0.25},
		{"fast_exp10f", []float64{2}, 100},
		{"fast_expf", []float64{1}, math.E},
		{"fast_log10f", []float64{100}, 2},
		{"fast_log2f", []float64{4}, 2},
		{"fast_logf", []float64{1}, 0},
		{"fast_powf", []float64{3, 2}, 9},
		{"fast_sinf", []float64{1}, 0.8414709848078965},
		{"fast_tanf", []float64{1}, 1.557407724654902},
		{"fast_tanhf", []float64{0.5}, 0.46211715726000973},
	}
	for _, tt := range tests {
		for _, e := range []tile.Elem{tile.F32, tile.F64} {
			if !hasForm(tt.name, e) {
				continue
			}
			d := e.DType()
			from := make([]tile.Elem, len(tt.args))
			args := make([]uint64, len(tt.args))
			exact := true
			for i, a := range tt.args {
				from[i], args[i] = e, d.Encode(a)
				exact = exact && (a != a || d.Decode(args[i]) == a)
			}
			if !exact { // the case is about this very number
				continue
			}
			got := d.Decode(callExtern(t, tt.name, e, from, args...))
			want := d.Decode(d.Encode(tt.want))
			tolerance := map[tile.Elem]float64{tile.F32: 0x1p-23, tile.F64: 0x1p-49}[e]
			if math.Abs(got-want) > tolerance*math.Abs(want)+1e-300 || (got != got) != (want != want) {
				t.Errorf("%s%v in %s is %v, want %v", tt.name, tt.args, e, got, want)
			}
		}
	}
}

// A typed is a number of an element type.
type typed struct {
	e tile.Elem
	b uint64
}

func f32(f float32) typed { return typed{tile.F32, uint64(math.Float32bits(f))} }
func f64(f float64) typed { return typed{tile.F64, math.Float64bits(f)} }
func i32(i int32) typed   { return typed{tile.I32, uint64(uint32(i))} }
func i64(i int64) typed   { return typed{tile.I64, uint64(i)} }

func TestOtherExterns(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	tests := []struct {
		name string
		args []typed
		want typed
	}{
		{"abs", []typed{i32(-7)}, i32(7)},
		{"abs", []typed{i64(math.MinInt64)}, i64(math.MinInt64)},
		{"abs", []typed{f32(float32(math.Copysign(0, -1)))}, f32(0)},
		{"brev", []typed{i32(1)}, i32(math.MinInt32)},
		{"brev", []typed{i64(6)}, i64(0x6 << 60)},
		{"byte_perm", []typed{i32(0x33221100), i32(0x77665544), i32(0x7531)}, i32(0x77553311)},
		{"clz", []typed{i32(0)}, i32(32)},
		{"clz", []typed{i64(1)}, i32(63)},
		{"double2hiint", []typed{f64(1)}, i32(0x3ff00000)},
		{"double2loint", []typed{f64(math.Float64frombits(5))}, i32(5)},
		{"double_as_longlong", []typed{f64(1)}, i64(0x3ff << 52)},
		{"ffs", []typed{i32(0)}, i32(0)},
		{"ffs", []typed{i64(1 << 40)}, i32(41)},
		{"finitef", []typed{f32(inf)}, i32(0)},
		{"float_as_int", []typed{f32(1)}, i32(0x3f800000)},
		{"float_as_uint", []typed{f32(-1)}, typed{tile.I32, 0xbf800000}},
		{"hadd", []typed{i32(math.MaxInt32), i32(math.MaxInt32 - 1)}, i32(math.MaxInt32 - 1)},
		{"hadd", []typed{i32(-1), i32(-2)}, i32(-2)},
		{"uhadd", []typed{i32(-1), i32(-3)}, i32(-2)},
		{"rhadd", []typed{i32(-1), i32(-2)}, i32(-1)},
		{"urhadd", []typed{i32(-1), i32(-2)}, i32(-1)},
		{"hiloint2double", []typed{i32(0x3ff00000), i32(0)}, f64(1)},
		{"ilogb", []typed{f32(10)}, i32(3)},
		{"ilogb", []typed{f32(0)}, i32(math.MinInt32)},
		{"int_as_float", []typed{i32(0x3f800000)}, f32(1)},
		{"isfinited", []typed{f64(1)}, i32(1)},
		{"isinf", []typed{f32(-inf)}, i32(1)},
		{"isinf", []typed{f32(3)}, i32(0)},
		{"isnan", []typed{f32(nan)}, i32(1)},
		{"jn", []typed{i32(2), f64(1)}, f64(math.Jn(2, 1))},
		{"yn", []typed{i32(2), f64(1)}, f64(math.Yn(2, 1))},
		{"jn", []typed{i32(-2), f64(1)}, f64(math.NaN())},
		{"jn", []typed{i32(math.MaxInt32), f64(1)}, f64(0)},
		{"lgamma", []typed{f32(-inf)}, f32(inf)},
		{"float2int_rn", []typed{f32(nan)}, i32(0)},
		{"float2ll_rn", []typed{f32(nan)}, i64(math.MinInt64)},
		{"double2int_rz", []typed{f64(math.NaN())}, i32(math.MinInt32)},
		{"ldexp", []typed{f32(1.5), i32(-3)}, f32(0.1875)},
		{"llrint", []typed{f64(-2.5)}, i64(-2)},
		{"llround", []typed{f64(-2.5)}, i64(-3)},
		{"longlong_as_double", []typed{i64(0x3ff << 52)}, f64(1)},
		{"mul24", []typed{i32(0xffffff), i32(5)}, i32(-5)},
		{"umul24", []typed{i32(0xffffff), i32(5)}, i32(0x4fffffb)},
		{"mulhi", []typed{i32(-1), i32(5)}, i32(-1)},
		{"mulhi", []typed{i64(-1 << 62), i64(12)}, i64(-3)},
		{"umulhi", []typed{i32(-1), i32(5)}, i32(4)},
		{"umulhi", []typed{i64(-1), i64(-1)}, i64(-2)},
		{"nextafter", []typed{f32(1), f32(2)}, f32(1 + 0x1p-23)},
		{"nextafter", []typed{f64(1), f64(0)}, f64(1 - 0x1p-53)},
		{"popc", []typed{i32(-1)}, i32(32)},
		{"popc", []typed{i64(-1)}, i32(64)},
		{"pow", []typed{f32(2), i32(-2)}, f32(0.25)},
		{"rcp64h", []typed{f64(3)}, typed{tile.F64, 0x3fd5555500000000}},
		{"sad", []typed{i32(-3), i32(4), i32(10)}, i32(17)},
		{"usad", []typed{i32(-3), i32(4), i32(10)}, i32(3)},
		{"scalbn", []typed{f64(1), i32(4)}, f64(16)},
		{"signbit", []typed{f32(-2)}, i32(1)},
		{"uint_as_float", []typed{i32(0)}, f32(0)},

		{"float2int_rn", []typed{f32(2.5)}, i32(2)},
		{"float2int_rz", []typed{f32(-2.5)}, i32(-2)},
		{"float2int_rd", []typed{f32(-2.5)}, i32(-3)},
		{"float2int_ru", []typed{f32(-2.5)}, i32(-2)},
		{"float2uint_rn", []typed{f32(-1)}, i32(0)},
		{"float2uint_rz", []typed{f32(4e9)}, typed{tile.I32, 4e9}},
		{"float2ll_ru", []typed{f32(0.5)}, i64(1)},
		{"float2ull_rd", []typed{f32(1 << 63)}, i64(math.MinInt64)},
		{"double2int_rd", []typed{f64(1e10)}, i32(math.MaxInt32)},
		{"double2ll_rn", []typed{f64(3.5)}, i64(4)},
		{"double2float_rz", []typed{f64(1 - 0x1p-50)}, f32(1 - 0x1p-24)},
		{"double2float_ru", []typed{f64(1 + 0x1p-50)}, f32(1 + 0x1p-23)},
		{"double2float_rd", []typed{f64(1e300)}, f32(math.MaxFloat32)},
		{"double2float_rn", []typed{f64(1e300)}, f32(inf)},
		{"int2float_rn", []typed{i32(1<<24 + 1)}, f32(1 << 24)},
		{"int2float_ru", []typed{i32(1<<24 + 1)}, f32(1<<24 + 2)},
		{"int2float_rd", []typed{i32(-1<<24 - 1)}, f32(-1<<24 - 2)},
		{"uint2float_rz", []typed{i32(-1)}, f32(4294967040)},
		{"ll2float_rz", []typed{i64(-1<<40 - 1)}, f32(-1 << 40)},
		{"ull2double_ru", []typed{i64(-1)}, f64(1 << 64)},
		{"ll2double_rn", []typed{i64(0)}, f64(0)},
		{"uint2double_rn", []typed{i32(-1)}, f64(1<<32 - 1)},
	}
	for _, tt := range tests {
		from := make([]tile.Elem, len(tt.args))
		args := make([]uint64, len(tt.args))
		for i, a := range tt.args {
			from[i], args[i] = a.e, a.b
		}
		if got := callExtern(t, tt.name, tt.want.e, from, args...); got != tt.want.b && !(tt.want.e.IsFloat() && sameFloat(tt.want.e, got, tt.want.b)) {
			t.Errorf("%s%v is %#x, want %#x", tt.name, tt.args, got, tt.want.b)
		}
	}
}

// Directed rounding: the exact result lies between the neighbours that rounding down and up give.
func TestDirectedRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	ops := map[string]func(z, x, y *big.Float) *big.Float{
		"add": (*big.Float).Add, "sub": (*big.Float).Sub, "mul": (*big.Float).Mul, "div": (*big.Float).Quo,
	}
	for name, f := range ops {
		for range 200 {
			x, y := float32(r.NormFloat64()), float32(math.Ldexp(r.NormFloat64(), r.IntN(80)-40))
			exact := f(new(big.Float).SetPrec(500), big.NewFloat(float64(x)), big.NewFloat(float64(y)))
			get := func(mode string) float32 {
				return math.Float32frombits(uint32(callExtern(t, name+mode, tile.F32, []tile.Elem{tile.F32, tile.F32}, f32(x).b, f32(y).b)))
			}
			down, up, zero, near := get("_rd"), get("_ru"), get("_rz"), get("_rn")
			if big.NewFloat(float64(down)).Cmp(exact) > 0 || big.NewFloat(float64(up)).Cmp(exact) < 0 {
				t.Fatalf("%s(%v, %v): %v lies not between %v and %v", name, x, y, exact, down, up)
			}
			if down != up && math.Nextafter32(down, up) != up {
				t.Fatalf("%s(%v, %v): %v and %v are no neighbours", name, x, y, down, up)
			}
			towards := down
			if exact.Sign() < 0 {
				towards = up
			}
			if n, _ := exact.Float32(); zero != towards || near != n {
				t.Fatalf("%s(%v, %v): towards zero %v, nearest %v", name, x, y, zero, near)
			}
		}
	}
}

// TestRoundingTwoWays compares what the sign of the rest decides with what many digits give.
func TestRoundingTwoWays(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for name, f := range exactArithmetic {
		if f.rest == nil {
			continue
		}
		for _, e := range []tile.Elem{tile.F32, tile.F64} {
			random := func() float64 {
				x := math.Ldexp(r.NormFloat64(), r.IntN(60)-30)
				if r.IntN(3) == 0 {
					x = float64(r.IntN(64) + 1) // exact results, and halfway ones
				}
				if e == tile.F32 {
					x = float64(float32(x))
				}
				return x
			}
			for range 3000 {
				x, y := random(), random()
				if f.arity == 1 && name == "sqrt" {
					x = math.Abs(x)
				}
				n := f.native(x, y, 1)
				if !within(n, x, y) {
					continue
				}
				for _, mode := range suffixes {
					many := new(big.Float).SetPrec(exactBits).SetMode(mode)
					f.big(many, big.NewFloat(x), big.NewFloat(y), big.NewFloat(1))
					if got, want := roundRest(n, f.rest(n, x, y, 1), e, mode), roundBig(many, e, mode); got != want {
						t.Fatalf("%s(%v, %v) in %s, %v: %v, with many digits %v", name, x, y, e, mode, got, want)
					}
				}
			}
		}
	}
}

func TestDirectedRoundingAtTheEdges(t *testing.T) {
	inf := math.Inf(1)
	tests := []struct {
		name string
		args []float64
		want float64
	}{
		{"add_rd", []float64{1, -1}, math.Copysign(0, -1)},
		{"add_rn", []float64{1, -1}, 0},
		{"mul_rz", []float64{math.MaxFloat64, 2}, math.MaxFloat64},
		{"mul_ru", []float64{-math.MaxFloat64, 2}, -math.MaxFloat64},
		{"mul_rn", []float64{math.MaxFloat64, 2}, inf},
		{"mul_ru", []float64{5e-324, 0.5}, 5e-324},
		{"div_rn", []float64{1, 0}, inf},
		{"div_rz", []float64{1, 0}, inf},
		{"rcp_ru", []float64{math.Copysign(0, -1)}, -inf},
		{"rcp_rd", []float64{3}, 0.3333333333333333},
		{"rcp_ru", []float64{3}, 0.33333333333333337},
		{"sqrt_rd", []float64{2}, 1.414213562373095},
		{"sqrt_ru", []float64{2}, 1.4142135623730951},
		{"sqrt_rz", []float64{math.Copysign(0, -1)}, math.Copysign(0, -1)},
		{"fma_ru", []float64{1, 1, 5e-324}, 1.0000000000000002},
		{"fma_rd", []float64{1, 1, -5e-324}, 0.9999999999999999},
		{"sub_rz", []float64{inf, 1}, inf},
	}
	for _, tt := range tests {
		from, args := make([]tile.Elem, len(tt.args)), make([]uint64, len(tt.args))
		for i, a := range tt.args {
			from[i], args[i] = tile.F64, math.Float64bits(a)
		}
		if got := callExtern(t, tt.name, tile.F64, from, args...); got != math.Float64bits(tt.want) {
			t.Errorf("%s%v is %v, want %v", tt.name, tt.args, math.Float64frombits(got), tt.want)
		}
	}
}

// hasForm reports whether a library function gives an e.
func hasForm(symbol string, e tile.Elem) bool {
	for _, fn := range tile.ExternFuncs() {
		for _, form := range fn.Forms {
			if _, result := form.Elems(); form.Symbol == symbol && result == e {
				return true
			}
		}
	}
	return false
}

// TestExternsAreComplete looks for each form of each library function, and for functions that there are not.
func TestExternsAreComplete(t *testing.T) {
	known := make(map[string]bool)
	for _, fn := range tile.ExternFuncs() {
		for _, form := range fn.Forms {
			known[form.Symbol] = true
			params, result := form.Elems()
			op := &tile.Op{Code: tile.OpExtern, Attr: tile.ExternAttr{Name: form.Symbol}, Results: []*tile.Value{{Type: tile.Scalar(result)}}}
			for _, e := range params {
				op.Args = append(op.Args, &tile.Value{Type: tile.Scalar(e)})
			}
			if of := externs()[form.Symbol]; of == nil || of(op) == nil {
				t.Errorf("no function %s from %s", form.Symbol, form)
			}
		}
	}
	for name := range externs() {
		if !known[name] {
			t.Errorf("%s is no library function", name)
		}
	}
}
