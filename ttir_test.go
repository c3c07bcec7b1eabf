package tegula_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula"
)

// scaleTTIR is scale, below, as Triton prints it.
const scaleTTIR = `
#loc = loc("scale.py":6:0)
module {
  tt.func public @scale(%x_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("x_ptr"(#loc)), %factor: f32 loc("factor"(#loc)), %n: i32 loc("n"(#loc))) attributes {noinline = false} {
    %c64_i32 = arith.constant 64 : i32 loc(#loc1)
    %pid = tt.get_program_id x : i32 loc(#loc1)
    %0 = arith.muli %pid, %c64_i32 : i32 loc(#loc1)
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32> loc(#loc1)
    %1 = tt.splat %0 : i32 -> tensor<64xi32> loc(#loc1)
    %2 = arith.addi %1, %i : tensor<64xi32> loc(#loc1)
    %3 = tt.splat %n : i32 -> tensor<64xi32> loc(#loc1)
    %4 = arith.cmpi slt, %2, %3 : tensor<64xi32> loc(#loc1)
    %5 = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>> loc(#loc2)
    %6 = tt.addptr %5, %2 : tensor<64x!tt.ptr<f32>>, tensor<64xi32> loc(#loc2)
    %7 = tt.load %6, %4 : tensor<64x!tt.ptr<f32>> loc(#loc2)
    %8 = tt.splat %factor : f32 -> tensor<64xf32> loc(#loc2)
    %9 = arith.mulf %7, %8 : tensor<64xf32> loc(#loc2)
    tt.store %6, %9, %4 : tensor<64x!tt.ptr<f32>> loc(#loc2)
    tt.return loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc1 = loc("scale.py":7:8)
#loc2 = loc("scale.py":8:13)
`

func TestTTIR(t *testing.T) {
	mod, err := tegula.Load("scale.ttir", scaleTTIR)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	if names := mod.Kernels(); len(names) != 1 || names[0] != "scale" {
		t.Errorf("kernels %v", names)
	}
	scale := mod.Kernel("scale")
	x := make([]float32, 100)
	for i := range x {
		x[i] = float32(i)
	}
	if err := scale.Launch(t.Context(), tegula.CPU(), tegula.Grid{2}, x, float32(3), tegula.Arg("n", 100)); err != nil {
		t.Fatal(tegula.Detail(err))
	}
	for i := range x {
		if x[i] != float32(3*i) {
			t.Fatalf("element %d is %v", i, x[i])
		}
	}
	for name, c := range map[string]struct {
		args     []any
		category error
		says     string
	}{
		"another type":       {[]any{make([]float64, 100), float32(3), 100}, tegula.ErrArgument, "'x_ptr'"},
		"a number":           {[]any{7, float32(3), 100}, tegula.ErrArgument, "'x_ptr'"},
		"None":               {[]any{nil, float32(3), 100}, tegula.ErrArgument, "'x_ptr'"},
		"too few":            {[]any{x, float32(3)}, tegula.ErrArgument, "'n'"},
		"too large":          {[]any{x, float32(3), 1 << 40}, tegula.ErrArgument, "'n'"},
		"beyond the array":   {[]any{tegula.Check(), x, float32(3), 101}, tegula.ErrCheck, "scale.py:8:13"},
		"a name that is not": {[]any{x, float32(3), 100, tegula.Arg("m", 1)}, tegula.ErrArgument, "'m'"},
	} {
		err := scale.Launch(t.Context(), tegula.CPU(), tegula.Grid{2}, c.args...)
		if !errors.Is(err, c.category) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	one := []float32{5, 7}
	if err := scale.Launch(t.Context(), tegula.CPU(), tegula.Grid{1}, one, float32(2), 1); err != nil || one[0] != 10 || one[1] != 7 {
		t.Errorf("n is 1: %v, %v", err, one)
	}
}

func TestTTIRRefused(t *testing.T) {
	if _, err := tegula.Load("k.ttir", strings.Replace(scaleTTIR, "arith.mulf %7, %8", "arith.mulf %7, %3", 1)); !errors.Is(err, tegula.ErrSyntax) {
		t.Errorf("%v", err)
	}
	if _, err := tegula.Load("k.ttir", strings.Replace(scaleTTIR, "arith.mulf", "linalg.matmul", 1)); !errors.Is(err, tegula.ErrUnsupported) ||
		!strings.Contains(err.Error(), "k.ttir:17:10") {
		t.Errorf("%v", err)
	}
	if _, err := tegula.LoadFile("no/such/file.ttir"); !errors.Is(err, tegula.ErrArgument) {
		t.Errorf("%v", err)
	}
}
