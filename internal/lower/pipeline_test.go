package lower

import (
	"context"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/lir/sim"
	"github.com/tegula-lang/tegula/internal/tile"
)

// matmul lowers the kernel of examples/matmul.py, of blocks of 32×32×16. aligned says that the sizes are multiples of 16.
func matmul(t *testing.T, aligned bool, stages int) *lir.Func {
	t.Helper()
	text, err := os.ReadFile("testdata/matmul.tile")
	if err != nil {
		t.Fatal(err)
	}
	s := string(text)
	if aligned {
		s = strings.NewReplacer("%N: i32,", "%N: i32 {div = 16},", "%K: i32,", "%K: i32 {div = 16},").Replace(s)
	}
	return lowered(t, s, Options{Warps: 4, WarpSize: 32, Stages: stages, Can: matrixTarget})
}

func lowered(t *testing.T, text string, o Options) *lir.Func {
	t.Helper()
	m, err := tile.Parse("kernel.tile", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	f, err := Kernel(m, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// runMatmul multiplies an m×k matrix by a k×n matrix and compares.
func runMatmul(t *testing.T, f *lir.Func, m, n, k int) *sim.Result {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	stride := func(x int) int { return (x + 15) / 16 * 16 } // the kernel is told so
	aBytes, a := anyArray(r, tile.F16, m*stride(k))
	bBytes, b := anyArray(r, tile.F16, k*stride(n))
	cBytes, _ := anyArray(r, tile.F16, m*stride(n))
	scalar := func(x int) sim.Arg { return sim.Arg{Bits: uint64(x)} }
	res, err := sim.Run(context.Background(), f, sim.Launch{
		Grid: [3]uint32{uint32((m + 31) / 32 * ((n + 31) / 32)), 1, 1},
		Args: []sim.Arg{{Array: aBytes}, {Array: bBytes}, {Array: cBytes}, scalar(m), scalar(n), scalar(k),
			scalar(stride(k)), scalar(stride(n)), scalar(stride(n))},
		Options: sim.Options{Profile: true, GlobalRaces: true},
	})
	if err != nil {
		t.Fatalf("%d×%d×%d: %v\n%v", m, n, k, err, f)
	}
	noConflicts(t, "matmul", res)
	for i := range m {
		for j := range n {
			want := 0.0
			for l := range k {
				want += a[i*stride(k)+l] * b[l*stride(n)+j]
			}
			if got := get(cBytes[2*(i*stride(n)+j):], tile.F16); got != want {
				t.Fatalf("%d×%d×%d: element (%d,%d) is %v, not %v", m, n, k, i, j, got, want)
			}
		}
	}
	return res
}

func TestPipelines(t *testing.T) {
	for stages := 1; stages <= 4; stages++ {
		f := matmul(t, true, stages)
		if got := uses(f, lir.OpCopyAsync) > 0; got != (stages > 1) {
			t.Errorf("%d stages: asynchronous copies: %v", stages, got)
		}
		for _, k := range []int{0, 16, 32, 80} {
			runMatmul(t, f, 40, 48, k)
		}
	}
	// Sizes of which nothing is known: elements of 2 bytes cannot be copied alone.
	f := matmul(t, false, 3)
	if uses(f, lir.OpCopyAsync) > 0 {
		t.Error("asynchronous copies of less than 4 bytes")
	}
	runMatmul(t, f, 37, 43, 21)
}

// TestPipelinesOfLongCounters: a counter of 64 bits is copied ahead of where nothing can overflow, and never past the end.
func TestPipelinesOfLongCounters(t *testing.T) {
	text, err := os.ReadFile("testdata/matmul.tile")
	if err != nil {
		t.Fatal(err)
	}
	long := func(lo, hi, step string) *lir.Func {
		s := strings.NewReplacer(
			"%N: i32,", "%N: i32 {div = 16},", "%K: i32,", "%K: i32 {div = 16},",
			"  %acc.1, %a_ptrs.1, %b_ptrs.1 = for %35, %34, %20,",
			"  %lo = "+lo+" : i64\n  %hi = "+hi+" : i64\n  %step = "+step+" : i64\n  %acc.1, %a_ptrs.1, %b_ptrs.1 = for %lo, %hi, %step,",
			"(%k: i32,", "(%k: i64,",
			"%47 = mul %k, %33 : i32", "%short = trunc %k : i32\n    %47 = mul %short, %33 : i32",
		).Replace(string(text))
		return lowered(t, s, Options{Warps: 4, WarpSize: 32, Stages: 3, Can: matrixTarget})
	}
	const great, least = "const 9223372036854775806", "const -9223372036854775807"
	for _, c := range []struct {
		lo, hi, step string
		ahead        bool
		ks           []int
	}{
		{"const 0", "exts %34", "const 1", true, []int{0, 16, 32, 80}},
		{great, least, "const 1", true, []int{0}}, // no iteration, though what is left overflows to a positive number
		{"const 0", "exts %34", "const 4611686018427387904", false, []int{0, 16}},
		{"const 0", "exts %34", "extu %33", false, nil},
	} {
		f := long(c.lo, c.hi, c.step)
		if got := uses(f, lir.OpCopyAsync) > 0; got != c.ahead {
			t.Errorf("%s, %s, %s: asynchronous copies: %v", c.lo, c.hi, c.step, got)
		}
		for _, k := range c.ks {
			runMatmul(t, f, 40, 48, k)
		}
	}
}

// TestPipelineHasOneBarrier looks into the loop.
func TestPipelineHasOneBarrier(t *testing.T) {
	f := matmul(t, true, 3)
	f.Body.Walk(func(op *lir.Op) {
		if op.Code != lir.OpFor {
			return
		}
		barriers, copies := 0, 0
		op.Regions[0].Walk(func(o *lir.Op) {
			switch o.Code {
			case lir.OpBarrier:
				barriers++
			case lir.OpCopyAsync:
				copies++
			}
		})
		if copies > 0 && barriers != 1 {
			t.Errorf("%d barriers in the loop\n%v", barriers, f)
		}
	})
}
