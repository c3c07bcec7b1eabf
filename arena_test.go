package tegula_test

import (
	"slices"
	"testing"

	"github.com/tegula-lang/tegula"
)

// A kernel that runs past an array of an arena is an error; the arrays, and what they are read from, are as elsewhere.
func TestArena(t *testing.T) {
	mod := load(t, `
@triton.jit
def fill(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, i, mask=i < n)
`)
	var arena tegula.Arena
	x, err := arena.NewArray(tegula.I32, 3, 7)
	if err != nil {
		t.Fatal(err)
	}
	fill := func(n int) error {
		return mod.Kernel("fill").Launch(t.Context(), tegula.CPU(), tegula.Grid{tegula.Cdiv(n, 64)}, x, n, tegula.Const("BLOCK", 64))
	}
	if err := fill(21); err != nil {
		t.Fatal(err)
	}
	if err := fill(1 << 20); err == nil {
		t.Error("no error")
	}
	got, err := tegula.Elements[int32](x)
	if err != nil || len(got) != 21 || got[20] != 20 {
		t.Errorf("%v, %v", got, err)
	}
	path := t.TempDir() + "/x.npy"
	if err := x.WriteNPY(path); err != nil {
		t.Fatal(err)
	}
	y, err := arena.ReadNPY(path, 0)
	if err != nil || !slices.Equal(y.Data, x.Data) {
		t.Errorf("%v", err)
	}
	if _, err := arena.NewArray(tegula.FP32, -1); err == nil {
		t.Error("a negative size is taken")
	}
	if _, err := arena.NewArray(tegula.FP32, 1<<50); err == nil {
		t.Error("more memory than there is is taken")
	}
	if err := arena.Free(); err != nil {
		t.Error(err)
	}
}

func TestElements(t *testing.T) {
	x := []float32{1, 2, 3}
	a, err := tegula.View(x)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := tegula.Elements[float32](a); err != nil || &got[0] != &x[0] || len(got) != 3 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := tegula.Elements[int32](a); err == nil {
		t.Error("another type is taken")
	}
	if _, err := tegula.Elements[float32](nil); err == nil {
		t.Error("nil is taken")
	}
}
