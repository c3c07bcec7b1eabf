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

//go:embed testdata/loops.py
var loopKernels []byte

// TestLoopsThatMeet compares loops whose iterations write what others read or write, on a simulated GPU that looks for races, with the checked
// executor. Threads wait for each other where iterations may meet, and only there.
func TestLoopsThatMeet(t *testing.T) {
	mod, err := tegula.Load("loops.py", loopKernels)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	var barriers int
	watched := simt.New(simt.Options{Arch: "80", Sim: sim.Options{GlobalRaces: true}, Watch: func(f *lir.Func, _ *sim.Result) {
		barriers = 0
		f.Body.Walk(func(op *lir.Op) {
			if op.Code == lir.OpBarrier {
				barriers++
			}
		})
	}}).Stream()
	for _, name := range mod.EntryKernels() {
		for _, c := range []loopsCase{{5, 16, 256}, {4, 100, 512}, {1, 1, 64}, {0, 1, 64}} {
			want := c.run(t, mod.Kernel(name), tegula.CPU())
			got := c.run(t, mod.Kernel(name), watched)
			if !bytes.Equal(got.Data, want.Data) {
				t.Errorf("%s, %v: %v\nwant %v", name, c, got.Float64s()[:8], want.Float64s()[:8])
			}
			if wanted := strings.HasPrefix(name, "meet"); c.n > 1 && barriers > 0 != wanted {
				t.Errorf("%s, %v: %d barriers", name, c, barriers)
			}
		}
	}
}

// A loopsCase is how often a loop runs, by how much its tile may move, and the tile's size.
type loopsCase struct{ n, S, B int }

func (c loopsCase) run(t *testing.T, k *tegula.Kernel, s tegula.Stream) *tegula.Array {
	t.Helper()
	x, y := small(t, dtype.Float32, 1<<12, 1), small(t, dtype.Float32, 1<<12, 2)
	launchMoved(t, k, s, tegula.Grid{1}, map[string]*tegula.Array{"x": x, "y": y}, tegula.Arg("n", c.n), tegula.Arg("S", c.S), tegula.Arg("B", c.B))
	return y
}
