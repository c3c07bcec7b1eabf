package difftest_test

import (
	"bytes"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/difftest/simt"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/lir/sim"
)

//go:embed testdata/masks.py
var maskKernels []byte

// cutMasks are the kernels whose accesses are as wide as the type allows although their masks end anywhere; in the others some are not.
var cutMasks = map[string]bool{"below": true, "at_most": true, "above": true, "not_below": true, "either": true, "rows": true, "in_loop": true, "counted": true}

// TestMasks compares masked accesses on the simulated GPU with the checked executor, bit by bit, also of what may not be written.
func TestMasks(t *testing.T) {
	mod, err := tegula.Load("masks.py", maskKernels)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	var narrow, wide atomic.Int32
	watched := simt.New(simt.Options{Arch: "90a", Sim: sim.Options{GlobalRaces: true}, Watch: func(f *lir.Func, _ *sim.Result) {
		if widest(f) < 16 {
			narrow.Add(1)
		} else {
			wide.Add(1)
		}
	}}).Stream()
	for _, name := range mod.EntryKernels() {
		for _, d := range []dtype.DType{dtype.Int8, dtype.Uint16, dtype.Int32, dtype.Int64, dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64} {
			for _, c := range []struct{ n, lo, block, warps int }{{1001, 17, 256, 1}, {2047, 1023, 1024, 4}, {3, 1, 64, 2}} {
				t.Run(fmt.Sprintf("%s/%s/%d", name, d, c.n), func(t *testing.T) {
					want := runMasked(t, mod.Kernel(name), tegula.CPU(), d, c.n, c.lo, c.block, c.warps)
					before := narrow.Load()
					got := runMasked(t, mod.Kernel(name), watched, d, c.n, c.lo, c.block, c.warps)
					if !bytes.Equal(got, want) {
						t.Errorf("the results differ: %v\nwant %v", got, want)
					}
					if c.block >= 32*c.warps*16/d.Bytes() && cutMasks[name] && narrow.Load() != before {
						t.Error("no access moves 16 bytes")
					}
				})
			}
		}
	}
	if wide.Load() == 0 {
		t.Error("no kernel has wide accesses")
	}
}

// widest gives how many bytes the widest load of global memory moves.
func widest(f *lir.Func) int {
	most := 0
	f.Body.Walk(func(op *lir.Op) {
		if op.Code == lir.OpLoad && op.Mem.Space == lir.Global {
			most = max(most, len(op.Results)*op.Results[0].Type.Bytes())
		}
	})
	return most
}

// runMasked launches a kernel on numbers of a type, and gives what it wrote.
func runMasked(t *testing.T, k *tegula.Kernel, s tegula.Stream, d dtype.DType, n, lo, block, warps int) []byte {
	t.Helper()
	const elems = 4096
	return runArrays(t, k, s, tegula.Grid{tegula.Cdiv(n, block)}, array(t, d, elems, 1), array(t, d, elems, 2),
		tegula.Arg("n", n), tegula.Arg("lo", lo), tegula.Arg("N", block), tegula.NumWarps(warps))
}

// array makes an array of small whole numbers.
func array(t *testing.T, d dtype.DType, n int, seed uint64) *tegula.Array {
	t.Helper()
	a, err := tegula.NewArray(d, n)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 0))
	var word [8]byte
	for i := range n {
		bits := d.Encode(float64(r.IntN(40)))
		for j := range word {
			word[j] = byte(bits >> (8 * j))
		}
		copy(a.Data[i*d.Bytes():], word[:d.Bytes()])
	}
	return a
}
