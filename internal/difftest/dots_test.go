package difftest_test

import (
	"bytes"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/difftest/nvcc"
	"github.com/tegula-lang/tegula/internal/difftest/simt"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/lir/sim"
	"github.com/tegula-lang/tegula/internal/lower"
)

//go:embed testdata/dots.py
var dotKernels []byte

// TestDots compares products on simulated GPUs, with and without warp groups, with the checked executor, bit by bit: all sums are exact. On one GPU a
// multiprocessor has room for one program only: there products are done later where they can be, and stages are handed over by signals.
func TestDots(t *testing.T) {
	mod, err := tegula.Load("dots.py", dotKernels)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	alone := func(c lower.Capabilities) lower.Capabilities {
		c.SMShared = 1
		return c
	}
	type run struct {
		kernel string
		c      dotsCase
	}
	wanted := map[run]*tegula.Array{}
	for _, gpu := range []struct {
		name, arch string
		limit      func(lower.Capabilities) lower.Capabilities
	}{{"80", "80", nil}, {"90a", "90a", nil}, {"alone", "90a", alone}} {
		arch := gpu.arch
		var groups, signals atomic.Int32
		watched := simt.New(simt.Options{Arch: arch, Limit: gpu.limit, Sim: sim.Options{GlobalRaces: true}, Watch: func(f *lir.Func, _ *sim.Result) {
			f.Body.Walk(func(op *lir.Op) {
				switch op.Code {
				case lir.OpGroupMMA:
					groups.Add(1)
				case lir.OpSignalWait:
					signals.Add(1)
				}
			})
		}}).Stream()
		for _, name := range mod.EntryKernels() {
			for i, c := range dotsCases {
				if arch == "80" && (c.of == dtype.Float8E5M2 || i%3 > 0) || c.weights != 0 && !slices.Contains(weighted, name) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%v", gpu.name, name, c), func(t *testing.T) {
					want := wanted[run{name, c}]
					if want == nil {
						want = c.run(t, mod.Kernel(name), tegula.CPU())
						wanted[run{name, c}] = want
					}
					groups.Store(0)
					got := c.run(t, mod.Kernel(name), watched)
					if !bytes.Equal(got.Data, want.Data) {
						t.Errorf("the results differ: %v\nwant %v", got.Float64s()[:8], want.Float64s()[:8])
					}
					if (groups.Load() > 0) != (arch == "90a") {
						t.Errorf("%d products by warp groups", groups.Load())
					}
				})
			}
		}
		if n := signals.Load(); n == 0 && gpu.limit != nil || n > 0 && arch == "80" {
			t.Errorf("%s: %d waits for signals", gpu.name, n)
		}
	}
}

// TestCUDACPPDots does so with CUDA C++ on an NVIDIA GPU: the same bits, whatever products it is made of.
func TestCUDACPPDots(t *testing.T) {
	s, err := nvcc.Open()
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	mod, err := tegula.Load("dots.py", dotKernels)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	for _, name := range mod.EntryKernels() {
		for _, c := range dotsCases {
			if c.weights != 0 && !slices.Contains(weighted, name) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%v", name, c), func(t *testing.T) {
				t.Parallel()
				want := c.run(t, mod.Kernel(name), tegula.CPU())
				got := c.run(t, mod.Kernel(name), s)
				if !bytes.Equal(got.Data, want.Data) {
					t.Errorf("the results differ: %v\nwant %v", got.Float64s()[:8], want.Float64s()[:8])
				}
			})
		}
	}
}

// A dotsCase is a type of operands, how often a loop runs, the sizes of tiles, the warps and the stages; and the type of weights and of what they
// weigh, if that is another.
type dotsCase struct {
	of                        dtype.DType
	n, M, N, K, warps, stages int
	weights                   dtype.DType
}

// weighted are the kernels whose weights can have another type.
var weighted = []string{"chained", "rescaled", "masked", "chained_across", "chained_twice"}

var dotsCases = []dotsCase{
	{of: dtype.Float16, n: 4, M: 64, N: 32, K: 32, warps: 4, stages: 3}, {of: dtype.Float16, n: 3, M: 128, N: 64, K: 16, warps: 8, stages: 2},
	{of: dtype.Float16, n: 1, M: 128, N: 32, K: 64, warps: 8, stages: 3}, {of: dtype.Float16, n: 0, M: 64, N: 64, K: 32, warps: 4, stages: 4},
	{of: dtype.Float16, n: 5, M: 64, N: 64, K: 32, warps: 4, stages: 4}, {of: dtype.Float16, n: 2, M: 128, N: 32, K: 32, warps: 4, stages: 1},
	{of: dtype.Float32, n: 3, M: 64, N: 64, K: 32, warps: 4, stages: 3}, {of: dtype.Float32, n: 2, M: 64, N: 32, K: 16, warps: 4, stages: 2},
	{of: dtype.Float8E5M2, n: 3, M: 64, N: 64, K: 32, warps: 4, stages: 3}, {of: dtype.Float8E5M2, n: 2, M: 128, N: 32, K: 64, warps: 8, stages: 1},
	{of: dtype.Float32, n: 4, M: 64, N: 64, K: 32, warps: 4, stages: 2, weights: dtype.Float16},
	{of: dtype.Float32, n: 4, M: 128, N: 64, K: 32, warps: 8, stages: 3, weights: dtype.Float16},
	{of: dtype.Float8E5M2, n: 4, M: 64, N: 64, K: 64, warps: 4, stages: 2, weights: dtype.Float16},
	{of: dtype.Float8E5M2, n: 4, M: 64, N: 64, K: 32, warps: 4, stages: 3, weights: dtype.Float16},
}

func (c dotsCase) run(t *testing.T, k *tegula.Kernel, s tegula.Stream) *tegula.Array {
	t.Helper()
	out := small(t, dtype.Float32, c.M*c.N, 1)
	size := (c.n + 2) * max(c.M*c.M, c.K*c.N, c.N*c.N, c.M*c.N, c.M*c.K)
	arrays := map[string]*tegula.Array{"out": out}
	for i, name := range []string{"x", "y", "z"} {
		of := c.of
		if name == "z" && c.weights != 0 {
			of = c.weights
		}
		arrays[name] = small(t, of, size, uint64(2+i))
	}
	launchMoved(t, k, s, tegula.Grid{1}, arrays,
		tegula.Arg("n", c.n), tegula.Arg("M", c.M), tegula.Arg("N", c.N), tegula.Arg("K", c.K), tegula.NumWarps(c.warps), tegula.NumStages(c.stages))
	return out
}

// small makes an array of -1, 0 and 1, most of them 0.
func small(t *testing.T, d dtype.DType, n int, seed uint64) *tegula.Array {
	t.Helper()
	a, err := tegula.NewArray(d, n)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range n {
		x := r.IntN(16) - 8
		bits := d.Encode(float64(x / 6))
		for j := range d.Bytes() {
			a.Data[i*d.Bytes()+j] = byte(bits >> (8 * j))
		}
	}
	return a
}
