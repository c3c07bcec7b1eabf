package difftest_test

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver/cuda"
	"github.com/tegula-lang/tegula/internal/difftest"
	"github.com/tegula-lang/tegula/internal/difftest/simt"
	"github.com/tegula-lang/tegula/internal/dtype"
)

//go:embed testdata/large.py
var largeKernels []byte

// room is how many elements the arrays of large kernels have.
const room = 1<<16 + 64

// floats makes an array of small numbers.
func floats(seed uint64) *tegula.Array {
	a, err := tegula.NewArray(dtype.Float32, room)
	if err != nil {
		panic(err)
	}
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range room {
		x := float32(math.Round(r.Float64()*800-400)) / 16
		binary.LittleEndian.PutUint32(a.Data[4*i:], math.Float32bits(x))
	}
	return a
}

// TestLargeTilesInRounds turns a tile that is larger than a small GPU's shared memory, out of registers and out of local memory.
func TestLargeTilesInRounds(t *testing.T) {
	turnInRounds(t, simt.New(simt.Options{Arch: "86"}).Stream(), 1<<15, 4, 16)
}

// TestCUDALargeTilesInRounds turns one that is larger than that of all NVIDIA GPUs.
func TestCUDALargeTilesInRounds(t *testing.T) {
	d, err := cuda.Open(0)
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	turnInRounds(t, d.Stream(), 1<<16, 4, 8, 32)
}

func turnInRounds(t *testing.T, s tegula.Stream, n int, warps ...int) {
	mod, err := tegula.Load("large.py", largeKernels)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	k := mod.Kernel("turned_sums")
	want, err := runLarge(k, tegula.CPU(), n, 4)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	for _, w := range warps {
		got, err := runLarge(k, s, n, w)
		if err != nil {
			t.Fatal(tegula.Detail(err))
		}
		for i := range want {
			if diff := difftest.Compare(dtype.Float32, got[i].Data, want[i].Data, difftest.Tolerance{Rel: 1e-5, Abs: 1e-1}); diff != "" {
				t.Errorf("%d warps: array %d: %s", w, i, diff)
			}
		}
	}
}

// TestLargeTiles compares tiles of all sizes on the simulated GPU with the checked executor.
func TestLargeTiles(t *testing.T) {
	mod, err := tegula.Load("large.py", largeKernels)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	for _, name := range mod.EntryKernels() {
		for _, size := range []struct{ n, warps int }{{1 << 11, 1}, {1 << 12, 4}, {1 << 13, 2}, {1 << 14, 4}, {1 << 15, 8}} {
			if name == "sorted" && (size.n == 1<<13 || size.n > 1<<14) {
				continue // a hundred steps take long
			}
			t.Run(fmt.Sprintf("%s/%d/%d", name, size.n, size.warps), func(t *testing.T) {
				t.Parallel()
				want, err := runLarge(mod.Kernel(name), tegula.CPU(), size.n, size.warps)
				if err != nil {
					t.Fatal(tegula.Detail(err))
				}
				got, err := runLarge(mod.Kernel(name), simulator.Stream(), size.n, size.warps)
				if errors.Is(err, tegula.ErrOutOfResources) {
					t.Skip(err)
				}
				if err != nil {
					t.Fatal(tegula.Detail(err))
				}
				for i := range want {
					if diff := difftest.Compare(dtype.Float32, got[i].Data, want[i].Data, difftest.Tolerance{Rel: 1e-5, Abs: 1e-4}); diff != "" {
						t.Errorf("array %d: %s", i, diff)
					}
				}
			})
		}
	}
}

// runLarge launches a kernel on arrays of its own, and gives them back.
func runLarge(k *tegula.Kernel, s tegula.Stream, n, warps int) ([]*tegula.Array, error) {
	arrays := []*tegula.Array{floats(1), floats(2), floats(3)}
	args := []any{tegula.Arg("N", n), tegula.NumWarps(warps)}
	var moved *simt.Moved
	if s.Backend != "cpu" {
		moved = simt.MoveTo(s)
		defer moved.Free()
	}
	for i, name := range []string{"x", "y", "out"} {
		var v any = arrays[i]
		if moved != nil {
			b, err := moved.Array(arrays[i])
			if err != nil {
				return nil, err
			}
			v = b
		}
		args = append(args, tegula.Arg(name, v))
	}
	if err := k.Launch(context.Background(), s, tegula.Grid{1}, args...); err != nil {
		return nil, err
	}
	if moved != nil {
		return arrays, moved.Back()
	}
	return arrays, nil
}
