package difftest_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/driver/cuda"
	_ "github.com/tegula-lang/tegula/driver/cudamlir"
	_ "github.com/tegula-lang/tegula/driver/xpu"
	"github.com/tegula-lang/tegula/internal/backend/cudamlir"
	"github.com/tegula-lang/tegula/internal/difftest"
	"github.com/tegula-lang/tegula/internal/difftest/nvcc"
	"github.com/tegula-lang/tegula/internal/difftest/simt"
	"github.com/tegula-lang/tegula/internal/lir/sim"
)

var simulator = simt.Register("simt", simt.Options{Arch: "90a", Sim: sim.Options{GlobalRaces: true}})

// TestSimulated runs the corpus as a GPU would, without one.
func TestSimulated(t *testing.T) { onDevice(t, simulator.Stream(), difftest.Tolerance{}) }

// TestCUDA runs the corpus on an NVIDIA GPU.
func TestCUDA(t *testing.T) {
	d, err := cuda.Open(0)
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	// Products and the sums that they are used in may be rounded once.
	onDevice(t, d.Stream(), difftest.Tolerance{Rel: 4e-6, Abs: 1e-6})
}

// TestCUDAMLIR runs the corpus on an NVIDIA GPU as code of Triton's compiler, where there is one.
func TestCUDAMLIR(t *testing.T) {
	d, err := driver.Open("cuda-mlir")
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	if cudamlir.Version() == "none" {
		t.Skip("skipped: no Triton; TEGULA_TRITON_PYTHON names a Python that has it")
	}
	onDevice(t, d.Stream(), difftest.Tolerance{Rel: 4e-6, Abs: 1e-6}, tegula.Unfused())
}

// TestCUDACPP runs the corpus on an NVIDIA GPU by way of CUDA C++, and compares with what its PTX gives.
func TestCUDACPP(t *testing.T) {
	s, err := nvcc.Open()
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	d, err := cuda.Open(0)
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	cases, err := difftest.Load()
	if err != nil {
		t.Fatal(err)
	}
	var same, near atomic.Int32
	t.Cleanup(func() {
		t.Logf("%d cases give the same bits as their PTX, %d differ within the tolerance", same.Load(), near.Load())
	})
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			ptx := c.Copy()
			if err := launchThere(d.Stream(), &ptx); err != nil {
				t.Skip(err)
			}
			if err := launchThere(s, &c); err != nil {
				t.Fatal(tegula.Detail(err))
			}
			equal := true
			for i, a := range c.Args {
				if a.Want == nil {
					continue
				}
				equal = equal && difftest.Compare(a.DType, a.Data, ptx.Args[i].Data, difftest.Tolerance{}) == ""
				if diff := difftest.Compare(a.DType, a.Data, ptx.Args[i].Data, difftest.Tolerance{ULP: c.Tol.ULP, Rel: max(c.Tol.Rel, 4e-6), Abs: max(c.Tol.Abs, 1e-6)}); diff != "" {
					t.Errorf("%s: %s", a.Name, diff)
				}
			}
			if equal {
				same.Add(1)
			} else {
				near.Add(1)
				t.Log("not the same bits")
			}
		})
	}
}

// TestXPU runs the corpus on a SYCL device.
func TestXPU(t *testing.T) {
	d, err := driver.Open("xpu")
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	onDevice(t, d.Stream(), difftest.Tolerance{})
}

// onDevice runs the corpus on a device that has memory of its own. Floats may be off by more than the cases say.
func onDevice(t *testing.T, s tegula.Stream, more difftest.Tolerance, options ...any) {
	cases, err := difftest.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			err := launchThere(s, &c, options...)
			if errors.Is(err, tegula.ErrUnsupported) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(tegula.Detail(err))
			}
			for _, a := range c.Args {
				if a.Want == nil {
					continue
				}
				tol := c.Tol
				tol.Rel, tol.Abs = max(tol.Rel, more.Rel), max(tol.Abs, more.Abs)
				if diff := difftest.Compare(a.DType, a.Data, a.Want, tol); diff != "" {
					t.Errorf("%s: %s", a.Name, diff)
				}
			}
		})
	}
}

func launchThere(s tegula.Stream, c *difftest.Case, options ...any) error {
	mod, err := tegula.Load(c.File, c.Source)
	if err != nil {
		return err
	}
	moved := simt.MoveTo(s)
	defer moved.Free()
	args := slices.Clone(options)
	for i := range c.Args {
		a := &c.Args[i]
		v, err := argument(mod, a)
		if a.Data != nil {
			var b *tegula.Buffer
			b, err = moved.Array(&tegula.Array{DType: a.DType, Shape: a.Dims, Data: a.Data})
			v = tegula.Arg(a.Name, b)
		}
		if err != nil {
			return err
		}
		args = append(args, v)
	}
	if err := mod.Kernel(c.Kernel).Launch(context.Background(), s, tegula.Grid(c.Grid), args...); err != nil {
		return err
	}
	return moved.Back()
}
