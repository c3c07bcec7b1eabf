package difftest_test

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/difftest/simt"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/lir/sim"
)

//go:embed testdata/transposes.py
var transposeKernels []byte

// TestTransposes: tiles that a thread holds, and those that it goes over in parts, are transposed right and move no more bytes than they have.
func TestTransposes(t *testing.T) {
	mod, err := tegula.Load("transposes.py", transposeKernels)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	var accesses []sim.Access
	watched := simt.New(simt.Options{Arch: "90a", Sim: sim.Options{GlobalRaces: true, Profile: true}, Watch: func(_ *lir.Func, r *sim.Result) {
		accesses = r.Accesses
	}}).Stream()
	for _, name := range mod.EntryKernels() {
		for _, d := range []dtype.DType{dtype.Int8, dtype.Float16, dtype.Float32, dtype.Float64} {
			for _, c := range []struct{ m, n, bm, bn, warps int }{
				{128, 128, 64, 64, 4}, {128, 128, 128, 128, 4}, {256, 64, 256, 64, 4}, {144, 80, 128, 128, 4}, {50, 77, 64, 64, 2},
			} {
				t.Run(fmt.Sprintf("%s/%s/%dx%d/%d", name, d, c.bm, c.bn, c.warps), func(t *testing.T) {
					run := func(s tegula.Stream) []byte {
						return runArrays(t, mod.Kernel(name), s, tegula.Grid{tegula.Cdiv(c.m, c.bm), tegula.Cdiv(c.n, c.bn)},
							array(t, d, c.m*c.n, 1), array(t, d, c.m*c.n, 2),
							tegula.Arg("m", c.m), tegula.Arg("n", c.n), tegula.Arg("BM", c.bm), tegula.Arg("BN", c.bn), tegula.NumWarps(c.warps))
					}
					want, got := run(tegula.CPU()), run(watched)
					if !bytes.Equal(got, want) {
						t.Error("the results differ")
					}
					for _, a := range accesses {
						if c.m%16 == 0 && a.Excess() > 2 {
							t.Errorf("%.1f times the bytes: %s", a.Excess(), a.String())
						}
					}
				})
			}
		}
	}
}

// runArrays launches a kernel of arrays x and out, and gives what it wrote.
func runArrays(t *testing.T, k *tegula.Kernel, s tegula.Stream, grid tegula.Grid, x, out *tegula.Array, args ...any) []byte {
	t.Helper()
	launchMoved(t, k, s, grid, map[string]*tegula.Array{"x": x, "out": out}, args...)
	return out.Data
}

// launchMoved launches a kernel of arrays by their names, which are moved to a device's memory and back if it is not the CPU.
func launchMoved(t *testing.T, k *tegula.Kernel, s tegula.Stream, grid tegula.Grid, arrays map[string]*tegula.Array, args ...any) {
	t.Helper()
	var moved *simt.Moved
	if s.Backend != "cpu" {
		moved = simt.MoveTo(s)
		defer moved.Free()
	}
	for name, a := range arrays {
		var v any = a
		if moved != nil {
			b, err := moved.Array(a)
			if err != nil {
				t.Fatal(err)
			}
			v = b
		}
		args = append(args, tegula.Arg(name, v))
	}
	if err := k.Launch(context.Background(), s, grid, args...); err != nil {
		t.Fatal(tegula.Detail(err))
	}
	if moved != nil {
		if err := moved.Back(); err != nil {
			t.Fatal(err)
		}
	}
}
