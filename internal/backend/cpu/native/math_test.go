package native

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

const unaryKernel = `
func @f(%%x: ptr<f32>, %%y: ptr<f32>) -> () {
  %%i = range {start = 0, end = 65536} : 65536xi32
  %%p = splat %%x : 65536xptr<f32>
  %%a = addptr %%p, %%i : 65536xptr<f32>
  %%v = load %%a : 65536xf32
  %%r = %s : 65536xf32
  %%q = splat %%y : 65536xptr<f32>
  %%b = addptr %%q, %%i : 65536xptr<f32>
  store %%b, %%r
  return
}
`

// ulps gives how far a float32 is from a value, in units of the last place of the value.
func ulps(got float32, want float64) float64 {
	w := float32(want)
	switch {
	case math.IsNaN(want):
		if got != got {
			return 0
		}
		return math.Inf(1)
	case got == w:
		return 0
	case math.IsInf(float64(w), 0) || math.IsInf(float64(got), 0) || got != got:
		return math.Inf(1)
	}
	_, e := math.Frexp(want)
	return math.Abs(float64(got)-want) / math.Ldexp(1, max(e, -125)-24)
}

func TestMathWithinBounds(t *testing.T) {
	needNative(t)
	for _, f := range []struct {
		name  string
		of    func(float64) float64
		scale float64 // of the inputs
		bound float64 // ulp, as the CUDA guide gives them
	}{
		{"exp", math.Exp, 90, 2}, {"exp2", math.Exp2, 130, 2}, {"log", math.Log, 0, 1}, {"log2", math.Log2, 0, 1},
		{"rsqrt", func(x float64) float64 { return 1 / math.Sqrt(x) }, 0, 2}, {"sqrt.rn", math.Sqrt, 0, 0.5},
		{"erf", math.Erf, 4, 1.2}, {"tanh", math.Tanh, 9, 2},
	} {
		t.Run(f.name, func(t *testing.T) {
			const n = 65536
			x, y := input{data: make([]byte, 4*n)}, input{data: make([]byte, 4*n)}
			r := rand.New(rand.NewPCG(5, 6))
			in := make([]float32, n)
			special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 1e-40, 3e38, -3e38, 1e-20}
			for i := range in {
				switch {
				case i < len(special):
					in[i] = special[i]
				case f.scale == 0 || i%8 == 0:
					in[i] = math.Float32frombits(r.Uint32() >> 1)
				default:
					in[i] = float32((r.Float64()*2 - 1) * f.scale)
				}
				binary.LittleEndian.PutUint32(x.data[4*i:], math.Float32bits(in[i]))
			}
			call := f.name + " %v"
			if f.name == "tanh" {
				call = `extern %v {name = "tanh"}`
			}
			m := parse(t, fmt.Sprintf(unaryKernel, call))
			p, err := Compile(m, options())
			if err != nil {
				t.Fatal(err)
			}
			runNative(t, p, [3]int32{1, 1, 1}, []input{x, y})
			worst, at := 0.0, float32(0)
			for i := range in {
				if d := ulps(math.Float32frombits(binary.LittleEndian.Uint32(y.data[4*i:])), f.of(float64(in[i]))); d > worst {
					worst, at = d, in[i]
				}
			}
			if worst > f.bound {
				t.Errorf("%v ulp at %v, the bound is %v", worst, at, f.bound)
			}
			t.Logf("worst: %.2f ulp at %v", worst, at)
		})
	}
}
