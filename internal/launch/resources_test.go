package launch

import (
	"errors"
	"math"
	"testing"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/cache"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/fake"
)

// What a kernel needs is compared with the device's limits before it is launched; the error says
// what is too little, how much is required, the limit and what may help.
func TestContractOutOfResources(t *testing.T) {
	useCache(t, cache.Options{Off: true})
	grid := driver.Grid{100, 100, 100}
	for name, test := range map[string]struct {
		fake    fake.Options
		options Options
		grid    []int
		code    string
		want    driver.OutOfResources // the Hint is part of the message
		hint    string
	}{
		"shared memory": {fake.Options{Shared: 1000, Limits: driver.Limits{Grid: grid, Shared: 999}}, Options{}, nil, "shared-memory",
			driver.OutOfResources{Resource: "shared memory", Required: 1000, Limit: 999, Unit: "bytes"}, "smaller blocks or fewer num_stages"},
		"threads": {fake.Options{Limits: driver.Limits{Grid: grid, Threads: 1024}}, Options{NumWarps: 64}, nil, "threads",
			driver.OutOfResources{Resource: "threads", Required: 2048, Limit: 1024}, "num_warps is 64, and a warp has 32 threads"},
		"cluster": {fake.Options{Limits: driver.Limits{Grid: grid, Cluster: 8}}, Options{NumCTAs: 16}, nil, "cluster-size",
			driver.OutOfResources{Resource: "cluster size", Required: 16, Limit: 8, Unit: "CTAs"}, "a smaller num_ctas"},
		"grid": {fake.Options{Limits: driver.Limits{Grid: grid}}, Options{NumCTAs: 2}, []int{51}, "grid",
			driver.OutOfResources{Resource: "grid x", Required: 102, Limit: 100, Unit: "CTAs"}, "each of the 51 programs along x is 2 CTAs"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t, test.fake)
			k := kernelFrom(t, stores, "store")
			r := storeOn(t, f.Stream(0), Int(5))
			r.options, r.grid = test.options, test.grid
			for range 2 { // also when it is known already
				err := r.launch(t.Context(), k)
				checkError(t, err, diag.OutOfResources, test.code, "store needs more than the device has: "+test.want.Resource, test.hint)
				var got *driver.OutOfResources
				if !errors.As(err, &got) {
					t.Fatalf("%v has no OutOfResources", err)
				}
				want := test.want
				if want.Hint = got.Hint; *got != want {
					t.Errorf("%+v, want %+v", *got, want)
				}
			}
			if n := len(f.Launches()); n != 0 {
				t.Errorf("%d launches", n)
			}
			r.options, r.grid = Options{}, []int{50}
			if test.code != "shared-memory" {
				if err := r.launch(t.Context(), k); err != nil {
					t.Errorf("with less: %v", err)
				}
			}
		})
	}
}

// Registers count once the driver has chosen them.
func TestContractOutOfRegisters(t *testing.T) {
	registers := 255
	m := &driver.KernelMetadata{
		Name: "k", NumWarps: 16, NumCTAs: 1, ThreadsPerWarp: 32,
		Backends: driver.MetadataBackends{CUDA: &driver.CUDAMetadata{Registers: &registers}},
	}
	limits := driver.Limits{Registers: 65536}
	err := checkResources(m, limits)
	checkError(t, err, diag.OutOfResources, "registers", "registers: 130560 required, the limit is 65536; each of 512 threads needs 255")
	registers = 128
	if err := checkResources(m, limits); err != nil {
		t.Error(err)
	}
	m.Backends.CUDA.Registers = nil
	if err := checkResources(m, limits); err != nil {
		t.Error(err)
	}
}

// A limit of 0 is none.
func TestNoLimits(t *testing.T) {
	m := &driver.KernelMetadata{NumWarps: 64, NumCTAs: 16, ThreadsPerWarp: 64, Shared: math.MaxInt32}
	if err := checkResources(m, driver.Limits{}); err != nil {
		t.Error(err)
	}
}
