package lower

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/lir/sim"
)

// TestExp: e^x in f32 is at most 2 ulp off, also where it is subnormal, 0 or infinite.
func TestExp(t *testing.T) {
	const n = 1024
	f := lir.NewFunc("k", n/32, 32)
	f.Params = []lir.Param{{Name: "x", Type: lir.I64, Pointer: true, Align: 16}, {Name: "out", Type: lir.I64, Pointer: true, Align: 16}}
	l := &lowerer{b: lir.NewBuilder(f), o: Options{Warps: n / 32, WarpSize: 32}}
	b := l.b
	at := func(param int64, bytes int) *lir.Value {
		offset := b.Pure(lir.OpExtU, 0, lir.I64, 0, l.shl(l.thread(), log2(bytes)))
		return b.Pure(lir.OpAdd, 0, lir.I64, 0, b.Pure(lir.OpParam, 0, lir.I64, param), offset)
	}
	x := b.Load(lir.Mem{Space: lir.Global}, lir.F32, 1, at(0, 4), nil, nil)[0]
	b.Store(lir.Mem{Space: lir.Global}, at(1, 8), nil, l.real(x).exp().v, l.real(x).expBase(math.Log2(10)).v)
	b.Return()
	lir.Finish(f)

	special := []float32{
		0, float32(math.Copysign(0, -1)), 1, -1, 88.72283, 88.72284, 88, 89, 128, 1e4, math.MaxFloat32, -87.3, -87.4, -100, -103.97, -103.98, -104.1, -150, -1e4,
		-math.MaxFloat32, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 1e-45, -1e-45, 38.5, 38.6, -37.9, -45.1, -45.2, 86.9, 87.9,
	}
	r := rand.New(rand.NewPCG(3, 4))
	in, out := make([]byte, 4*n+16), make([]byte, 8*n+16)
	xs := make([]float32, n)
	for i := range xs {
		xs[i] = float32(r.NormFloat64() * 40)
		if i < len(special) {
			xs[i] = special[i]
		}
		binary.LittleEndian.PutUint32(in[4*i:], math.Float32bits(xs[i]))
	}
	_, err := sim.Run(context.Background(), f, sim.Launch{Grid: [3]uint32{1, 1, 1}, Args: []sim.Arg{{Array: in}, {Array: out}}})
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range xs {
		for j, want := range []float64{math.Exp(float64(x)), math.Pow(10, float64(x))} {
			got := math.Float32frombits(binary.LittleEndian.Uint32(out[8*i+4*j:]))
			if !near2(got, want) {
				t.Errorf("%d: of %g got %g, want %g", j, x, got, want)
			}
		}
	}
}

// near2 reports whether a number is at most 2 ulp off.
func near2(got float32, want float64) bool {
	switch {
	case want != want:
		return got != got
	case want > math.MaxFloat32:
		return got >= math.Nextafter32(math.MaxFloat32, 0)
	}
	size := float32(math.Abs(want))
	ulp := float64(math.Nextafter32(size, math.MaxFloat32) - size)
	return math.Abs(float64(got)-want) <= 2*ulp
}
