package difftest_test

import (
	"bytes"
	_ "embed"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/difftest/simt"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/lir/sim"
)

//go:embed testdata/parts.py
var partKernels []byte

// TestParts compares loops that combine reductions, on a simulated GPU, with the checked executor. All results are exact. Where it can be so threads do not
// exchange anything in the loop.
func TestParts(t *testing.T) {
	mod, err := tegula.Load("parts.py", partKernels)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	exchanges := 0
	watched := simt.New(simt.Options{Arch: "80", Sim: sim.Options{GlobalRaces: true}, Watch: func(f *lir.Func, _ *sim.Result) {
		exchanges = 0
		f.Body.Walk(func(op *lir.Op) {
			if op.Code == lir.OpFor {
				exchanges += exchangesIn(op.Regions[0])
			}
		})
	}}).Stream()
	for _, name := range mod.EntryKernels() {
		for _, c := range []partsCase{{5, 16, 64, 4}, {3, 4, 256, 4}, {2, 64, 32, 1}, {1, 8, 128, 8}, {0, 16, 64, 4}} {
			want := c.run(t, mod.Kernel(name), tegula.CPU())
			got := c.run(t, mod.Kernel(name), watched)
			if !bytes.Equal(got.Data, want.Data) {
				t.Errorf("%s, %v: %v\nwant %v", name, c, got.Float64s()[:8], want.Float64s()[:8])
			}
			if whole := strings.HasPrefix(name, "whole"); c.n > 1 && whole != (exchanges > 0) {
				t.Errorf("%s, %v: %d exchanges in the loop", name, c, exchanges)
			}
		}
	}
}

// exchangesIn counts what threads give each other in a block.
func exchangesIn(b *lir.Block) int {
	n := 0
	b.Walk(func(op *lir.Op) {
		switch op.Code {
		case lir.OpShuffle, lir.OpRedux, lir.OpBarrier:
			n++
		}
	})
	return n
}

// A partsCase is how often a loop runs, the rows and columns of its tile, and the warps.
type partsCase struct{ n, R, C, warps int }

func (c partsCase) run(t *testing.T, k *tegula.Kernel, s tegula.Stream) *tegula.Array {
	t.Helper()
	x, out := small(t, dtype.Float32, 1<<14, 1), small(t, dtype.Float32, 1<<10, 2)
	launchMoved(t, k, s, tegula.Grid{1}, map[string]*tegula.Array{"x": x, "out": out},
		tegula.Arg("n", c.n), tegula.Arg("R", c.R), tegula.Arg("C", c.C), tegula.NumWarps(c.warps))
	return out
}
