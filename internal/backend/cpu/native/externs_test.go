package native

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/tile"
)

// A function of floats, and how far it may be from the checked executor's result, in ulps (which itself is within
// half of one; docs/language.md has the bounds).
var functions = []struct {
	call  string // "tl.exp" is the operation, other names are library functions
	types string
	arity int
	ulps  float64
}{
	{"exp", "f32 f64 f16 bf16", 1, 1}, {"exp2", "f32 f64", 1, 1}, {"log", "f32 f64", 1, 1}, {"log2", "f32 f64", 1, 1}, {"rsqrt", "f32", 1, 1.5}, {"rsqrt", "f64", 1, 0.5},
	{"sin", "f32 f16", 1, 0.6}, {"cos", "f32 bf16", 1, 0.6}, {"frem", "f32 f16 bf16", 2, 0},
	{"extern tan", "f32", 1, 0.6}, {"extern sinpi", "f32", 1, 0.6}, {"extern cospi", "f32", 1, 0.6}, {"extern atan", "f32", 1, 0.6},
	{"extern asin", "f32", 1, 0.6}, {"extern acos", "f32", 1, 0.6}, {"extern atan2", "f32", 2, 0.6}, {"extern exp10", "f32", 1, 0.6},
	{"extern log10", "f32", 1, 0.6}, {"extern log10", "f64", 1, 1}, {"extern log1p", "f32", 1, 0.6}, {"extern expm1", "f32", 1, 0.6}, {"extern sinh", "f32", 1, 0.6},
	{"extern cosh", "f32", 1, 0.6}, {"extern asinh", "f32", 1, 0.6}, {"extern acosh", "f32", 1, 0.6}, {"extern atanh", "f32", 1, 0.6},
	{"extern pow", "f32", 2, 0.6}, {"extern cbrt", "f32", 1, 0.6}, {"extern rcbrt", "f32", 1, 0.6}, {"extern hypot", "f32", 2, 0.6},
	{"extern norm3d", "f32", 3, 0.6}, {"extern norm4d", "f32", 4, 0.6}, {"extern rhypot", "f32", 2, 0.6}, {"extern rnorm3d", "f32", 3, 0.6},
	{"extern tanh", "f32", 1, 1.5}, {"extern fast_tanhf", "f32", 1, 1.5}, {"extern fast_sinf", "f32", 1, 0.6}, {"extern fast_powf", "f32", 2, 0.6},
	{"extern trunc", "f32 f64", 1, 0}, {"extern rint", "f32 f64", 1, 0}, {"extern nearbyint", "f32 f64", 1, 0}, {"extern round", "f32 f64", 1, 0},
	{"extern copysign", "f32 f64", 2, 0}, {"extern saturatef", "f32", 1, 0}, {"extern logb", "f32 f64", 1, 0},
	{"extern fdim", "f32 f64", 2, 0}, {"extern fma", "f32 f64", 3, 0}, {"extern sqrt", "f32 f64", 1, 0},
	{"extern fmod", "f32", 2, 0}, {"extern floor", "f32 f64", 1, 0}, {"extern abs", "f32 f64", 1, 0},
	{"extern add_rn", "f32 f64", 2, 0}, {"extern add_rd", "f32 f64", 2, 0}, {"extern add_ru", "f32 f64", 2, 0}, {"extern add_rz", "f32 f64", 2, 0},
	{"extern sub_rn", "f32 f64", 2, 0}, {"extern sub_rd", "f32 f64", 2, 0}, {"extern sub_ru", "f32 f64", 2, 0}, {"extern sub_rz", "f32 f64", 2, 0},
	{"extern mul_rn", "f32 f64", 2, 0}, {"extern mul_rd", "f32 f64", 2, 0}, {"extern mul_ru", "f32 f64", 2, 0}, {"extern mul_rz", "f32 f64", 2, 0},
	{"extern div_rn", "f32 f64", 2, 0}, {"extern div_rd", "f32 f64", 2, 0}, {"extern div_ru", "f32 f64", 2, 0}, {"extern div_rz", "f32 f64", 2, 0},
	{"extern fma_rn", "f32 f64", 3, 0}, {"extern fma_rd", "f32 f64", 3, 0}, {"extern fma_ru", "f32 f64", 3, 0}, {"extern fma_rz", "f32 f64", 3, 0},
	{"extern sqrt_rn", "f32 f64", 1, 0}, {"extern sqrt_rd", "f32 f64", 1, 0}, {"extern sqrt_ru", "f32 f64", 1, 0}, {"extern sqrt_rz", "f32 f64", 1, 0},
	{"extern rcp_rn", "f32 f64", 1, 0}, {"extern rcp_rd", "f32 f64", 1, 0}, {"extern rcp_ru", "f32 f64", 1, 0}, {"extern rcp_rz", "f32 f64", 1, 0},
	{"sin", "f64", 1, 1}, {"cos", "f64", 1, 1}, {"erf", "f64", 1, 1}, {"frem", "f64", 2, 0}, {"extern fmod", "f64", 2, 0},
	{"extern tan", "f64", 1, 1}, {"extern sinpi", "f64", 1, 1}, {"extern cospi", "f64", 1, 1}, {"extern atan", "f64", 1, 1},
	{"extern asin", "f64", 1, 1}, {"extern acos", "f64", 1, 1}, {"extern atan2", "f64", 2, 1}, {"extern exp10", "f64", 1, 0.5},
	{"extern log1p", "f64", 1, 0.5}, {"extern expm1", "f64", 1, 0.5}, {"extern sinh", "f64", 1, 1}, {"extern cosh", "f64", 1, 0.5}, {"extern tanh", "f64", 1, 0.5},
	{"extern asinh", "f64", 1, 1}, {"extern acosh", "f64", 1, 1}, {"extern atanh", "f64", 1, 1}, {"extern pow", "f64", 2, 1},
	{"extern cbrt", "f64", 1, 0.5}, {"extern rcbrt", "f64", 1, 0.5}, {"extern hypot", "f64", 2, 1}, {"extern norm3d", "f64", 3, 1}, {"extern norm4d", "f64", 4, 1},
	{"extern rhypot", "f64", 2, 0.5}, {"extern rnorm3d", "f64", 3, 0.5}, {"extern rnorm4d", "f32 f64", 4, 0.5},
	{"extern erfc", "f32", 1, 0.6}, {"extern erfc", "f64", 1, 4}, {"extern erfcx", "f32", 1, 0.6}, {"extern erfcx", "f64", 1, 3}, {"extern normcdf", "f32", 1, 0.6}, {"extern normcdf", "f64", 1, 4},
	// What the checked executor does, for comparison with itself.
	{"extern tgamma", "f32", 1, 0}, {"extern j0", "f64", 1, 0},
}

// functionKernel makes a kernel that applies a function to n elements.
func functionKernel(call, elem string, arity, n int) string {
	var b strings.Builder
	b.WriteString("func @f(%y: ptr<ELEM>")
	for i := range arity {
		fmt.Fprintf(&b, ", %%x%d: ptr<ELEM>", i)
	}
	b.WriteString(") -> () {\n  %i = range {start = 0, end = N} : Nxi32\n")
	var in []string
	for i := range arity {
		fmt.Fprintf(&b, "  %%p%d = splat %%x%d : Nxptr<ELEM>\n  %%a%d = addptr %%p%d, %%i : Nxptr<ELEM>\n  %%v%d = load %%a%d : NxELEM\n", i, i, i, i, i, i)
		in = append(in, fmt.Sprintf("%%v%d", i))
	}
	op := call + " " + strings.Join(in, ", ")
	if name, ok := strings.CutPrefix(call, "extern "); ok {
		op = "extern " + strings.Join(in, ", ") + fmt.Sprintf(" {name = %q}", name)
	}
	fmt.Fprintf(&b, "  %%r = %s : NxELEM\n  %%q = splat %%y : Nxptr<ELEM>\n  %%b = addptr %%q, %%i : Nxptr<ELEM>\n  store %%b, %%r\n  return\n}\n", op)
	return strings.NewReplacer("ELEM", elem, "N", fmt.Sprint(n)).Replace(b.String())
}

var elemNames = map[string]tile.Elem{"f16": tile.F16, "bf16": tile.BF16, "f32": tile.F32, "f64": tile.F64}

// wideFloats are numbers of all magnitudes, more of them around 1, and the special ones in all combinations.
func wideFloats(e tile.Elem, n int, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 9))
	special := []float64{0, math.Copysign(0, -1), 1, -1, 2, -3, 0.5, -0.5, math.Inf(1), math.Inf(-1), math.NaN(), 1e-40, 3e38, 1e-20, 16777216, 0.785398163, 1.5, -2.5}
	var out []byte
	for i := range n {
		var f float64
		switch k := len(special); {
		case i < k*k:
			f = special[i%k]
			if seed&1 != 0 {
				f = special[i/k]
			}
		case i%3 == 0:
			f = math.Ldexp(r.Float64()*2-1, r.IntN(280)-150)
			if e == tile.F64 {
				f = math.Ldexp(r.Float64()*2-1, r.IntN(2100)-1075)
			}
		default:
			f = r.NormFloat64() * math.Exp2(float64(r.IntN(12)-4))
		}
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], e.DType().Encode(f))
		out = append(out, b[:e.Bytes()]...)
	}
	return out
}

func TestFunctionsAgainstTheExecutor(t *testing.T) {
	needOwnCode(t)
	n := 8192
	if RaceDetector { // nothing runs beside this
		n = 512
	}
	for _, f := range functions {
		for _, elem := range strings.Fields(f.types) {
			t.Run(f.call+"/"+elem, func(t *testing.T) {
				e := elemNames[elem]
				in := []input{{data: make([]byte, n*e.Bytes())}}
				for i := range f.arity {
					in = append(in, input{data: wideFloats(e, n, uint64(i))})
				}
				got, want := bothRun(t, parse(t, functionKernel(f.call, elem, f.arity, n)), [3]int32{1, 1, 1}, in)
				worst, at := 0.0, 0
				for i := range n {
					g, w := e.DType().Decode(elementAt(got[0].data, e, i)), e.DType().Decode(elementAt(want[0].data, e, i))
					if d := distance(e, g, w); d > worst {
						worst, at = d, i
					}
				}
				if worst > 0.5+f.ulps {
					var args []float64
					for _, a := range in[1:] {
						args = append(args, e.DType().Decode(elementAt(a.data, e, at)))
					}
					t.Errorf("%v of %v: native %v, checked %v", f.call, args, e.DType().Decode(elementAt(got[0].data, e, at)), e.DType().Decode(elementAt(want[0].data, e, at)))
				}
			})
		}
	}
}

// distance gives how far a result is from another in units of its last place; zeros of different signs are as far apart as
// numbers can be.
func distance(e tile.Elem, got, want float64) float64 {
	switch {
	case math.IsNaN(want) || math.IsNaN(got):
		if math.IsNaN(want) && math.IsNaN(got) {
			return 0
		}
		return math.Inf(1)
	case got == want && math.Signbit(got) == math.Signbit(want):
		return 0
	case got == want, math.IsInf(got, 0) != math.IsInf(want, 0):
		return math.Inf(1)
	}
	_, exp := math.Frexp(want)
	least := map[tile.Elem]int{tile.F16: -13, tile.BF16: -125, tile.F32: -125, tile.F64: -1021}[e]
	return math.Abs(got-want) / math.Ldexp(1, max(exp, least)-1-e.DType().MantissaBits())
}
