package gen_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/driver/cuda"
	_ "github.com/tegula-lang/tegula/driver/cudamlir"
	_ "github.com/tegula-lang/tegula/driver/xpu"
	"github.com/tegula-lang/tegula/internal/backend/cudamlir"
	"github.com/tegula-lang/tegula/internal/difftest/gen"
	"github.com/tegula-lang/tegula/internal/difftest/nvcc"
	"github.com/tegula-lang/tegula/internal/difftest/simt"
	"github.com/tegula-lang/tegula/internal/lir/sim"
)

var (
	only  = flag.String("only", "", "run only the cases whose names contain this, on devices")
	warps = flag.Int("warps", 4, "of a program instance on devices")
	ctas  = flag.Int("ctas", 2, "of a program instance on GPUs, where it is to have several")
	lanes = flag.Int("lanes", 32, "of a sub-group on SYCL devices: 16 or 32")
	oneIn = flag.Int("one-in", 1, "run one case in so many on GPUs")
	every = flag.Int("every", 4, "simulate one case in so many")
)

// module loads a case's text, of which several share one.
func module(c *gen.Case) (*tegula.Module, error) {
	m, ok := modules.Load(c.Source)
	if !ok {
		mod, err := tegula.Load("case.py", []byte(c.Source))
		if err != nil {
			return nil, err
		}
		m, _ = modules.LoadOrStore(c.Source, mod)
	}
	return m.(*tegula.Module), nil
}

// onDevice launches a case on a device that has memory of its own: arrays are copied there and back.
func onDevice(s tegula.Stream, c *gen.Case, options ...any) error {
	mod, err := module(c)
	if err != nil {
		return err
	}
	moved := simt.MoveTo(s)
	defer moved.Free()
	args := slices.Clone(options)
	for i := range c.Args {
		v := argument(&c.Args[i])
		switch a := v.(type) {
		case *tegula.Array:
			v, err = moved.Array(a)
		case tegula.Descriptor:
			a.Array, err = moved.Array(a.Array.(*tegula.Array))
			v = a
		}
		if err != nil {
			return err
		}
		args = append(args, tegula.Arg(c.Args[i].Name, v))
	}
	if err := mod.Kernel("kernel").Launch(context.Background(), s, tegula.Grid(c.Grid), args...); err != nil {
		return err
	}
	return moved.Back()
}

// simulators are GPUs of which each has what the one before lacks.
var simulators = sync.OnceValue(func() map[string]*simt.Driver {
	list := map[string]*simt.Driver{}
	for _, arch := range []string{"75", "80", "90a"} {
		list[arch] = simt.Register("simt"+arch, simt.Options{Arch: arch, Sim: sim.Options{GlobalRaces: true}})
	}
	return list
})

// TestSimulated runs cases as a GPU would, without one.
func TestSimulated(t *testing.T) { onDevices(t, simulators()["90a"].Stream(), *warps, *every, nil) }

// TestSimulatedClusters runs cases as programs of several CTAs.
func TestSimulatedClusters(t *testing.T) {
	for _, ctas := range []int{2, 8} {
		t.Run(fmt.Sprint(ctas), func(t *testing.T) {
			onDevices(t, simulators()["90a"].Stream(), 1, 4**every, nil, tegula.NumCTAs(ctas))
		})
	}
}

// TestCUDAClusters runs cases as programs of several CTAs on an NVIDIA GPU that has clusters.
func TestCUDAClusters(t *testing.T) {
	d, err := cuda.Open(0)
	if err != nil || d.Limits().Cluster < 2 {
		t.Skipf("skipped: no GPU with clusters (%v)", err)
	}
	onDevices(t, d.Stream(), *warps, 3**oneIn, looseMath, tegula.NumCTAs(*ctas))
}

// TestCUDA runs all cases on an NVIDIA GPU.
func TestCUDA(t *testing.T) {
	d, err := cuda.Open(0)
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	onDevices(t, d.Stream(), *warps, *oneIn, looseMath)
}

// TestCUDAMLIR runs cases on an NVIDIA GPU as code of Triton's compiler, where there is one. Each starts a process: -one-in 50 has enough.
func TestCUDAMLIR(t *testing.T) {
	d, err := driver.Open(cudamlir.Backend)
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	if cudamlir.Version() == "none" {
		t.Skip("skipped: no Triton; TEGULA_TRITON_PYTHON names a Python that has it")
	}
	onDevices(t, d.Stream(), *warps, *oneIn, func(c *gen.Case) {
		looseMath(c)
		if strings.HasPrefix(c.Name, "libdevice.") { // Triton has subnormal numbers be zero there, and roots that are nearly right
			c.Tol.Rel, c.Tol.Abs = max(c.Tol.Rel, 1e-6), max(c.Tol.Abs, 1e-6)
		}
	}, tegula.Unfused())
}

// notTritons are cases that Triton's compiler makes other code of, whatever the text.
var notTritons = map[string]string{
	"x % y/fp":           "its remainder of floats is x - trunc(x / y) * y",
	"tl.cast/fp8e5,bf16": "its conversion knows no NaN",
	"desc.atomic_":       "the hardware's reductions reach 16 bytes beyond the end of an array",
}

// notTriton gives the reason why a case is none for Triton's compiler, "" if it is one.
func notTriton(name string) string {
	for prefix, why := range notTritons {
		if strings.HasPrefix(name, prefix) {
			return why
		}
	}
	return ""
}

// looseMath has functions that are approximate in hardware, which are not as near as the executor's.
func looseMath(c *gen.Case) {
	if strings.HasPrefix(c.Name, "libdevice.fast_") {
		c.Tol.Rel, c.Tol.Abs = 1e-3, 1e-4
	}
}

// TestCUDACPP runs a sample of the cases on an NVIDIA GPU by way of CUDA C++, whose compiler takes long.
func TestCUDACPP(t *testing.T) {
	s, err := nvcc.Open()
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	onDevices(t, s, *warps, 4**every, looseMath)
	t.Run("clusters", func(t *testing.T) { onDevices(t, s, *warps, 16**every, looseMath, tegula.NumCTAs(*ctas)) })
}

// TestXPU runs cases on a SYCL device, whose compiler takes long.
func TestXPU(t *testing.T) {
	d, err := driver.Open("xpu")
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	onDevices(t, d.Stream(), *warps, 2**every, nil, tegula.ThreadsPerWarp(*lanes))
}

// onDevices runs cases on a device, one in so many. loosen, if it is not nil, may give a case a larger tolerance.
func onDevices(t *testing.T, s tegula.Stream, warps, oneIn int, loosen func(*gen.Case), options ...any) {
	want, err := gen.Expected()
	if err != nil {
		t.Fatal(err)
	}
	options = append(options, tegula.NumWarps(warps))
	tally := &tally{refused: map[string]int{}}
	t.Cleanup(func() { tally.log(t) })
	for _, c := range gen.Cases() {
		if !strings.Contains(c.Name, *only) || !sampled(c.Name, oneIn) {
			continue
		}
		if loosen != nil {
			loosen(c)
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			if why := notTriton(c.Name); why != "" && s.Backend == cudamlir.Backend {
				t.Skip(why)
			}
			tally.judge(t, c, gen.Check(c, want, func(c *gen.Case) error { return onDevice(s, c, optionsOf(c, options)...) }))
		})
	}
}

// optionsOf gives the options of a case's launch. Random kernels give the same bits everywhere, as long as products are rounded for themselves:
// they compare, truncate and store bits, where a rounding more or less shows.
func optionsOf(c *gen.Case, options []any) []any {
	if !strings.HasPrefix(c.Name, "random/") {
		return options
	}
	return append(slices.Clone(options), tegula.Unfused())
}

// sampled reports whether a case is among one in n.
func sampled(name string, n int) bool {
	h := fnv.New32a()
	h.Write([]byte(name))
	return h.Sum32()%uint32(max(n, 1)) == 0
}

// A tally counts what was not right.
type tally struct {
	mu      sync.Mutex
	right   int
	refused map[string]int // by reason
}

// judge counts how a case went.
func (y *tally) judge(t *testing.T, c *gen.Case, err error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if err == nil {
		y.right++
		return
	}
	if errors.Is(err, tegula.ErrUnsupported) {
		_, why, _ := strings.Cut(err.Error(), "Unsupported: ")
		y.refused[why]++
		t.Skip(err)
	}
	t.Error(tegula.Detail(err))
}

func (y *tally) log(t *testing.T) {
	t.Logf("%d cases are right", y.right)
	for _, why := range slices.Sorted(maps.Keys(y.refused)) {
		t.Logf("%4d are refused: %s", y.refused[why], why)
	}
}
