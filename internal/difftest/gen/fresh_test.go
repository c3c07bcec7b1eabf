package gen_test

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver/cuda"
	"github.com/tegula-lang/tegula/internal/difftest"
	"github.com/tegula-lang/tegula/internal/difftest/gen"
)

var (
	fresh     = flag.Int("fresh", 25, "how many fresh random kernels to run on a device")
	freshFrom = flag.Int("fresh-from", 2_000_000, "the first of their seeds")
)

// wrongOnce are seeds of kernels that a device once did wrong: 4000905 has a complement of what a branch knows, which ptxas folds wrongly.
var wrongOnce = []int{4000905}

// TestSimulatedFresh runs random kernels of other seeds than those that are kept.
func TestSimulatedFresh(t *testing.T) { freshKernels(t, simulators()["90a"].Stream()) }

// TestCUDAFresh runs them on an NVIDIA GPU.
func TestCUDAFresh(t *testing.T) {
	d, err := cuda.Open(0)
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	freshKernels(t, d.Stream())
}

// freshKernels compares random kernels on a device, with one to eight warps, with the checked executor, bit for bit.
func freshKernels(t *testing.T, s tegula.Stream) {
	seeds := slices.Clone(wrongOnce)
	for i := range *fresh {
		seeds = append(seeds, *freshFrom+i)
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			c := gen.Random(seed)
			want, got := c.Clone(), c.Clone()
			if err := onCPU(want); err != nil {
				t.Fatal(tegula.Detail(err))
			}
			if err := onDevice(s, got, optionsOf(c, []any{tegula.NumWarps(1 << (seed % 4))})...); err != nil {
				t.Fatal(tegula.Detail(err))
			}
			for i := range want.Args {
				if a := &want.Args[i]; a.Out {
					if diff := difftest.Compare(a.DType, got.Args[i].Data, a.Data, difftest.Tolerance{}); diff != "" {
						t.Errorf("%s: %s\n%s", a.Name, diff, c.Source)
					}
				}
			}
		})
	}
}
