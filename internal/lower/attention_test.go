package lower

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/lir/sim"
	"github.com/tegula-lang/tegula/internal/tile"
)

// TestAttention runs the kernel of examples/attention.py, of blocks of 32 queries and 16 keys of 16 numbers, causal, and compares with the definition.
func TestAttention(t *testing.T) {
	text, err := os.ReadFile("testdata/attention.tile")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ warps, stages int }{{1, 1}, {2, 3}, {4, 2}} {
		m, err := tile.Parse("attention.tile", text)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Kernel(m, Options{Warps: c.warps, WarpSize: 32, Stages: c.stages, Can: matrixTarget})
		if err != nil {
			t.Fatal(err)
		}
		if got := uses(f, lir.OpCopyAsync) > 0; got != (c.stages > 1) {
			t.Errorf("%d stages: asynchronous copies: %v", c.stages, got)
		}
		runAttention(t, f, 32, 2, 56, 16)
	}
}

// TestAttentionInGroups: the same of blocks of 64 and 128 queries and 32 keys of 64 numbers, by warp groups: the weights stay in registers. Where that
// costs no program of a multiprocessor they are multiplied an iteration after they are due, signals hand stages over, and the queries stay in registers if
// there is room.
func TestAttentionInGroups(t *testing.T) {
	for _, c := range []struct {
		rows, warps, stages int
		registers           int // of a multiprocessor
		later, signals      bool
		fromShared          int // left operands that are read from shared memory
	}{
		{64, 4, 1, 64 << 10, false, false, 2}, {64, 4, 3, 64 << 10, true, false, 2}, {128, 8, 2, 64 << 10, true, true, 0},
		{64, 4, 2, 14 << 10, true, false, 2}, {64, 4, 3, 16 << 10, true, false, 0}, {128, 8, 3, 28 << 10, true, true, 2},
	} {
		name := fmt.Sprintf("attention%d.tile", c.rows)
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := tile.Parse(name, text)
		if err != nil {
			t.Fatal(err)
		}
		can := groupTarget
		can.SMRegisters = c.registers
		f, err := Kernel(m, Options{Warps: c.warps, WarpSize: 32, Stages: c.stages, Can: can})
		if err != nil {
			t.Fatal(err)
		}
		if products, want := uses(f, lir.OpGroupMMA), map[bool]int{false: 2 * 2, true: 2 * 3}[c.later]; products != want { // two loops
			t.Errorf("%v: %d products, not %d", c, products, want)
		}
		if got := uses(f, lir.OpSignalWait) > 0; got != c.signals {
			t.Errorf("%v: signals %v", c, got)
		}
		fromShared := 0
		f.Body.Walk(func(op *lir.Op) {
			if op.Code == lir.OpGroupMMA && op.From != nil {
				fromShared++
			}
		})
		if uses(f, lir.OpMMA) > 0 || fromShared != c.fromShared {
			t.Errorf("%v: no warp groups, or %d left operands not in registers\n%v", c, fromShared, f)
		}
		runAttention(t, f, c.rows, 1, 88, 64)
	}
}

// TestAddressesAhead: of the address of a copy in a loop little is computed there.
func TestAddressesAhead(t *testing.T) {
	text, err := os.ReadFile("testdata/attention128.tile")
	if err != nil {
		t.Fatal(err)
	}
	f := lowered(t, string(text), Options{Warps: 8, WarpSize: 32, Stages: 3, Can: groupTarget})
	copies, wide := 0, 0
	f.Body.Walk(func(op *lir.Op) {
		if op.Code != lir.OpFor {
			return
		}
		op.Regions[0].Walk(func(o *lir.Op) {
			switch {
			case o.Code == lir.OpCopyAsync:
				copies++
			case len(o.Results) == 1 && o.Results[0].Type == lir.I64:
				wide++
			}
		})
	})
	const each, shared = 1, 2 // sums; in each of two loops, what the counter adds to addresses
	if copies == 0 || wide > each*copies+shared*2 {
		t.Errorf("%d operations of 64 bits for %d copies\n%v", wide, copies, f)
	}
}

func runAttention(t *testing.T, f *lir.Func, rows, heads, n, d int) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	normal := func() (data []byte, vals []float64) {
		data, vals = make([]byte, 2*heads*n*d), make([]float64, heads*n*d)
		for i := range vals {
			put(data[2*i:], tile.F16, r.NormFloat64())
			vals[i] = get(data[2*i:], tile.F16)
		}
		return data, vals
	}
	qBytes, q := normal()
	kBytes, k := normal()
	vBytes, v := normal()
	out, lse := make([]byte, 2*heads*n*d), make([]byte, 4*heads*n)
	scale := 1 / math.Sqrt(float64(d))
	_, err := sim.Run(context.Background(), f, sim.Launch{
		Grid: [3]uint32{uint32((n + rows - 1) / rows), uint32(heads), 1},
		Args: []sim.Arg{{Array: qBytes}, {Array: kBytes}, {Array: vBytes}, {Array: out}, {Array: lse},
			{Bits: uint64(math.Float32bits(float32(scale)))}, {Bits: uint64(n)}},
		Options: sim.Options{GlobalRaces: true},
	})
	if err != nil {
		t.Fatalf("%v\n%v", err, f)
	}
	for h := range heads {
		for i := range n {
			want, total := make([]float64, d), 0.0
			for j := range i + 1 {
				score := 0.0
				for x := range d {
					score += q[(h*n+i)*d+x] * k[(h*n+j)*d+x]
				}
				w := math.Exp(score * scale)
				total += w
				for x := range d {
					want[x] += w * v[(h*n+j)*d+x]
				}
			}
			for x := range d {
				if got := get(out[2*((h*n+i)*d+x):], tile.F16); math.Abs(got-want[x]/total) > 0.01 {
					t.Fatalf("head %d, query %d, number %d: %v, not %v", h, i, x, got, want[x]/total)
				}
			}
			if got, want := get(lse[4*(h*n+i):], tile.F32), math.Log2(total); math.Abs(got-want) > 0.01 {
				t.Fatalf("head %d, query %d: the logarithm of the sum is %v, not %v", h, i, got, want)
			}
		}
	}
}
