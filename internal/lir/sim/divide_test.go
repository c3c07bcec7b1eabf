package sim

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tegula-lang/tegula/internal/lir"
)

// extremes are f32 numbers where divisions go wrong first.
var extremes = []float32{
	0, float32(math.Copysign(0, -1)), 1, -1, 3, 0x1p-149, -0x1p-130, 0x1p-126, 0x1.8p-127, 0x1p126, 0x1.000002p126, 0x1p127, -0x1.fffffep127,
	float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 1e-20, 7e19,
}

// TestSharedDivisors: divisions by one divisor become products with its reciprocal, at most 2 ulp off whatever the numbers.
func TestSharedDivisors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, d := range extremes {
		xs := append([]float32(nil), extremes...)
		for len(xs) < 64 {
			xs = append(xs, math.Float32frombits(r.Uint32()))
		}
		quotients(t, xs, d, func(k *kernel, x, by *lir.Value) []*lir.Value {
			return []*lir.Value{k.Pure(lir.OpFDiv, 0, lir.F32, 0, x, by), k.Pure(lir.OpFDiv, 0, lir.F32, 0, k.Pure(lir.OpFNeg, 0, lir.F32, 0, x), by)}
		})
		quotients(t, xs, d, func(k *kernel, x, _ *lir.Value) []*lir.Value {
			c := k.Const(lir.F32, f32(d))
			return []*lir.Value{k.Pure(lir.OpFDiv, 0, lir.F32, 0, x, c), k.Pure(lir.OpFDiv, 0, lir.F32, 0, k.Pure(lir.OpFNeg, 0, lir.F32, 0, x), c)}
		})
	}
}

// quotients runs a kernel in which thread i makes xs[i]/d and -xs[i]/d.
func quotients(t *testing.T, xs []float32, d float32, divide func(k *kernel, x, by *lir.Value) []*lir.Value) {
	t.Helper()
	k := newKernel(2)
	px, pd, out := k.pointer("x"), k.pointer("d"), k.pointer("out")
	by := k.Load(lir.Mem{Space: lir.Global}, lir.F32, 1, pd, nil, nil)[0]
	x := k.Load(lir.Mem{Space: lir.Global}, lir.F32, 1, k.at(px, k.thread(), 4), nil, nil)[0]
	k.Store(lir.Mem{Space: lir.Global}, k.at(out, k.thread(), 8), nil, divide(k, x, by)...)
	f := k.finish(t, true)
	f.Body.Walk(func(op *lir.Op) {
		if op.Code == lir.OpFDiv && !op.Args[1].IsConst() {
			t.Errorf("a division is left\n%s", f)
		}
	})
	got := runFloats(t, f, xs, d)
	for i, x := range xs {
		for j, want := range []float64{float64(x) / float64(d), -float64(x) / float64(d)} {
			if !within2(got[2*i+j], want) {
				t.Errorf("%g/%g is %g, want %g", x, d, got[2*i+j], want)
			}
		}
	}
}

// within2 reports whether a number is at most 2 ulp off; the sign of a zero is not looked at.
func within2(got float32, want float64) bool {
	switch {
	case want != want:
		return got != got
	case math.Abs(want) >= 0x1.ffffffp127:
		return math.IsInf(float64(got), int(math.Copysign(1, want))) || math.Abs(float64(got)) >= 0x1.fffffap127 && !math.IsInf(want, 0)
	}
	near := float32(math.Abs(want))
	ulp := float64(math.Nextafter32(near, float32(math.Inf(1))) - near)
	return math.Abs(float64(got)-want) <= 2*ulp
}

// runFloats runs a kernel of 64 threads on 64 numbers and one more, and gives 128.
func runFloats(t *testing.T, f *lir.Func, xs []float32, d float32) []float32 {
	t.Helper()
	in, by, out := words(64), words(1), words(128)
	for i, x := range xs {
		binary.LittleEndian.PutUint32(in[4*i:], math.Float32bits(x))
	}
	binary.LittleEndian.PutUint32(by, math.Float32bits(d))
	run(t, f, Arg{Array: in}, Arg{Array: by}, Arg{Array: out})
	got := make([]float32, 128)
	for i := range got {
		got[i] = math.Float32frombits(get(out, i))
	}
	return got
}

// TestReciprocals: quotients of a constant are products with reciprocals where that is as good.
func TestReciprocals(t *testing.T) {
	xs := append([]float32(nil), extremes...)
	r := rand.New(rand.NewPCG(5, 6))
	for len(xs) < 64 {
		xs = append(xs, math.Float32frombits(r.Uint32()))
	}
	for _, c := range []float32{1, 2, -1.5} {
		k := newKernel(2)
		px, _, out := k.pointer("x"), k.pointer("d"), k.pointer("out")
		x := k.Load(lir.Mem{Space: lir.Global}, lir.F32, 1, k.at(px, k.thread(), 4), nil, nil)[0]
		q := k.Pure(lir.OpFDiv, 0, lir.F32, 0, k.Const(lir.F32, f32(c)), x)
		k.Store(lir.Mem{Space: lir.Global}, k.at(out, k.thread(), 8), nil, q, q)
		f := k.finish(t, true)
		got := runFloats(t, f, xs, 0)
		for i, x := range xs {
			if want := float64(c) / float64(x); !within2(got[2*i], want) {
				t.Errorf("%g/%g is %g, want %g", c, x, got[2*i], want)
			}
		}
	}
}
