package difftest_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver/cuda"
)

// TestSimulatedManyArguments passes more than four kilobytes of arguments.
func TestSimulatedManyArguments(t *testing.T) { manyArguments(t, simulator.Stream()) }

// TestCUDAManyArguments does so on an NVIDIA GPU.
func TestCUDAManyArguments(t *testing.T) {
	d, err := cuda.Open(0)
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	manyArguments(t, d.Stream())
}

func manyArguments(t *testing.T, s tegula.Stream) {
	const n = 600
	names, args, want := make([]string, n), make([]any, 1, n+1), int64(0)
	for i := range names {
		names[i] = fmt.Sprint("a", i)
		v := int64(i)<<33 + 7
		args, want = append(args, v), want+v
	}
	text := "import triton\nimport triton.language as tl\n@triton.jit\ndef total(out, " + strings.Join(names, ", ") + "):\n    tl.store(out, " + strings.Join(names, " + ") + ")\n"
	mod, err := tegula.Load("total.py", text)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	out, err := tegula.NewBuffer(s, tegula.I64, 1)
	if err != nil {
		t.Fatal(err)
	}
	args[0] = out
	if err := mod.Kernel("total").Launch(context.Background(), s, tegula.Grid{1}, args...); err != nil {
		t.Fatal(tegula.Detail(err))
	}
	got := make([]byte, 8)
	if err := out.CopyTo(t.Context(), s, got); err != nil {
		t.Fatal(err)
	}
	if sum := int64(binary.LittleEndian.Uint64(got)); sum != want {
		t.Errorf("the sum is %d, want %d", sum, want)
	}
	if err := out.Free(); err != nil {
		t.Error(err)
	}
}
