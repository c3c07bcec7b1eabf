package gen_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/driver/cuda"
	"github.com/tegula-lang/tegula/internal/difftest"
	"github.com/tegula-lang/tegula/internal/difftest/gen"
	"github.com/tegula-lang/tegula/internal/difftest/nvcc"
)

var (
	fresh     = flag.Int("fresh", 25, "how many fresh random kernels to run on a device")
	freshFrom = flag.Int("fresh-from", 2_000_000, "the first of their seeds")
)

// wrongOnce are seeds of kernels that a device once did wrong: 4000905 has a complement of what a branch knows, which ptxas folds wrongly,
// 5000198 a number that is extended with its sign and then without, which machine code did in one.
var wrongOnce = []int{4000905, 5000198}

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

// TestXPUFresh runs them on a SYCL device, whose compiler takes long: -fresh says how many.
func TestXPUFresh(t *testing.T) {
	d, err := driver.Open("xpu")
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	freshKernels(t, d.Stream(), tegula.ThreadsPerWarp(*lanes))
}

// TestCUDACPPFresh runs them on an NVIDIA GPU by way of CUDA C++.
func TestCUDACPPFresh(t *testing.T) {
	s, err := nvcc.Open()
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	freshKernels(t, s)
}

// freshSeeds gives the seeds of the kernels to run.
func freshSeeds() []int {
	seeds := slices.Clone(wrongOnce)
	for i := range *fresh {
		seeds = append(seeds, *freshFrom+i)
	}
	return seeds
}

// freshKernels compares random kernels on a device, with one to eight warps, with the checked executor, bit for bit.
func freshKernels(t *testing.T, s tegula.Stream, options ...any) {
	for _, seed := range freshSeeds() {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			c := gen.Random(seed)
			want, got := c.Clone(), c.Clone()
			if err := onCPU(want); err != nil {
				t.Fatal(tegula.Detail(err))
			}
			if err := onDevice(s, got, optionsOf(c, append(slices.Clone(options), tegula.NumWarps(1<<(seed%4))))...); err != nil {
				t.Fatal(tegula.Detail(err))
			}
			if diff := differences(got, want); diff != "" {
				t.Errorf("%s\n%s", diff, c.Source)
			}
		})
	}
}

// differences says in which outputs two runs of a case differ by a bit, "" if in none.
func differences(got, want *gen.Case) string {
	var found []string
	for i := range want.Args {
		if a := &want.Args[i]; a.Out {
			if diff := difftest.Compare(a.DType, got.Args[i].Data, a.Data, difftest.Tolerance{}); diff != "" {
				found = append(found, a.Name+": "+diff)
			}
		}
	}
	return strings.Join(found, "\n")
}
