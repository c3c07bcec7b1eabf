package gen_test

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/backend/cpu/native"
	"github.com/tegula-lang/tegula/internal/difftest/gen"
)

var show = flag.String("show", "", "print the kernels whose names contain this")

// modules holds the modules of the cases' texts, of which several share one.
var modules sync.Map

// onCPU launches on the CPU, checked.
func onCPU(c *gen.Case) error {
	if c.Open {
		return launch(c)
	}
	return launch(c, tegula.Check())
}

// launch launches on the CPU.
func launch(c *gen.Case, args ...any) error {
	m, err := module(c)
	if err != nil {
		return fmt.Errorf("%s", tegula.Detail(err))
	}
	for i := range c.Args {
		args = append(args, tegula.Arg(c.Args[i].Name, argument(&c.Args[i])))
	}
	err = m.Kernel("kernel").Launch(context.Background(), tegula.CPU(), tegula.Grid(c.Grid), args...)
	if err != nil {
		return fmt.Errorf("%s", tegula.Detail(err))
	}
	return nil
}

func argument(a *gen.Arg) any {
	if a.Data == nil {
		return a.Int
	}
	array := &tegula.Array{DType: a.DType, Shape: a.Dims, Data: a.Data}
	if a.Block == nil {
		return array
	}
	array.Shape = []int{len(a.Data) / a.DType.Bytes()}
	return tegula.Descriptor{Array: array, Shape: a.Dims, Strides: a.Strides, Block: a.Block, PadNaN: a.PadNaN}
}

// TestCheckedExecutor runs all cases on the CPU.
func TestCheckedExecutor(t *testing.T) {
	want, err := gen.Expected()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range gen.Cases() {
		if *show != "" && strings.Contains(c.Name, *show) {
			fmt.Printf("# %s\n%s\n", c.Name, c.Source)
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			if err := gen.Check(c, want, onCPU); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestNative runs all cases as machine code, of each set of instructions that the processor has.
func TestNative(t *testing.T) {
	if why := native.Supported(); why != "" {
		t.Skip(why)
	}
	t.Setenv("TEGULA_CPU", "native-only")
	want, err := gen.Expected()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range native.Available() {
		t.Run(string(f), func(t *testing.T) {
			t.Setenv("TEGULA_CPU_FEATURES", string(f))
			modules.Clear() // their kernels know what the variables were
			for _, c := range gen.Cases() {
				t.Run(c.Name, func(t *testing.T) {
					t.Parallel()
					if err := gen.Check(c, want, func(c *gen.Case) error { return launch(c) }); err != nil {
						t.Error(err)
					}
				})
			}
		})
	}
}
