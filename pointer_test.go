package tegula_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unsafe"

	"github.com/tegula-lang/tegula"
)

const pointerSource = `
import triton
import triton.language as tl
@triton.jit
def load_far(x, y, o, off):
    tl.store(o, tl.load(x + off))
@triton.jit
def store_far(x, y, off):
    tl.store(x + off, 99)
@triton.jit
def build(table, x):
    tl.store(table, (x + 5).to(tl.int64))
@triton.jit
def use(table, y, x, o):
    p = tl.load(table).to(tl.pointer_type(tl.int32))
    tl.store(o, tl.load(p))
@triton.jit
def compare(x, y, o):
    tl.store(o, (x.to(tl.int64) == y.to(tl.int64)).to(tl.int32))
    tl.store(o + 1, ((y.to(tl.int64) - x.to(tl.int64)) // 4).to(tl.int32))
`

func numbered(n int, from int32) []int32 {
	x := make([]int32, n)
	for i := range x {
		x[i] = from + int32(i)
	}
	return x
}

// TestFarPointers: however far a pointer is moved, it reaches no other array, and does not come round.
func TestFarPointers(t *testing.T) {
	t.Setenv("TEGULA_CPU", "checked")
	m, err := tegula.Load("far.py", pointerSource)
	if err != nil {
		t.Fatal(err)
	}
	x, y := numbered(64, 1000), numbered(64, 2000)
	for _, off := range []int64{64, -1, 1 << 31, 1 << 44, 1 << 45, 1 << 46, 1<<46 - 64, 1 << 47, 1 << 61, 1 << 62, -1 << 62, 1<<63 - 1, -1 << 63} {
		err := m.Kernel("load_far").Launch(context.Background(), tegula.CPU(), tegula.Grid{1}, x, y, make([]int32, 1), off)
		if !errors.Is(err, tegula.ErrCheck) {
			t.Errorf("a load at %d: %v", off, err)
		}
		if err := m.Kernel("store_far").Launch(context.Background(), tegula.CPU(), tegula.Grid{1}, x, y, off); !errors.Is(err, tegula.ErrCheck) {
			t.Errorf("a store at %d: %v", off, err)
		}
	}
	for i := range y {
		if x[i] != 1000+int32(i) || y[i] != 2000+int32(i) {
			t.Fatalf("element %d was changed: %d, %d", i, x[i], y[i])
		}
	}
}

// TestPointersAsIntegers: an integer made of a pointer is an address, in whatever launch.
func TestPointersAsIntegers(t *testing.T) {
	for _, executor := range []string{"checked", "native"} {
		t.Run(executor, func(t *testing.T) {
			t.Setenv("TEGULA_CPU", executor)
			testPointersAsIntegers(t)
		})
	}
}

func testPointersAsIntegers(t *testing.T) {
	m, err := tegula.Load("ints.py", pointerSource)
	if err != nil {
		t.Fatal(err)
	}
	launch := func(kernel string, args ...any) {
		t.Helper()
		if err := m.Kernel(kernel).Launch(context.Background(), tegula.CPU(), tegula.Grid{1}, args...); err != nil {
			t.Fatal(err)
		}
	}
	x, y, o, table := numbered(64, 1000), numbered(64, 2000), make([]int32, 2), make([]int64, 1)
	launch("build", table, x)
	launch("use", table, y, x, o)
	if o[0] != 1005 {
		t.Errorf("the table leads to %d, want 1005", o[0])
	}
	for _, c := range []struct {
		y    []int32
		want [2]int32
	}{{x, [2]int32{1, 0}}, {x[2:], [2]int32{0, 2}}} {
		launch("compare", x, c.y, o)
		if [2]int32(o) != c.want {
			t.Errorf("compared with an array of %d elements: %v, want %v", len(c.y), o, c.want)
		}
	}
}

// TestReach: a kernel reaches what it finds the address of only if the launch names it.
func TestReach(t *testing.T) {
	t.Setenv("TEGULA_CPU", "checked")
	m, err := tegula.Load("reach.py", `
import triton
import triton.language as tl
@triton.jit
def gather(table, o):
    i = tl.program_id(0)
    p = tl.load(table + i).to(tl.pointer_type(tl.int32))
    tl.store(o + i, tl.load(p + 3))
`)
	if err != nil {
		t.Fatal(err)
	}
	x, y, o := numbered(4, 100), numbered(8, 200), make([]int32, 2)
	table := []int64{int64(uintptr(unsafe.Pointer(&y[0]))), int64(uintptr(unsafe.Pointer(&x[0])))}
	ctx, cpu, grid := context.Background(), tegula.CPU(), tegula.Grid{2}
	k := m.Kernel("gather")
	if err := k.Launch(ctx, cpu, grid, table, o); !errors.Is(err, tegula.ErrCheck) || !strings.Contains(err.Error(), "that the launch names as reachable") {
		t.Errorf("without the arrays: %v", err)
	}
	p, err := k.Prepare(cpu, grid, table, o, tegula.Reach(x, y))
	if err != nil {
		t.Fatal(err)
	}
	for _, launch := range []func() error{
		func() error { return k.Launch(ctx, cpu, grid, table, o, tegula.Reach(x, y)) },
		func() error { return k.Launch(ctx, cpu, grid, table, o, tegula.Reach(x, y), tegula.Check()) },
		func() error { return p.Launch(ctx) },
	} {
		clear(o)
		if err := launch(); err != nil || o[0] != 203 || o[1] != 103 {
			t.Errorf("%v, %v", o, err)
		}
	}
	if err := k.Launch(ctx, cpu, grid, table, o, tegula.Reach(x[:3], y)); !errors.Is(err, tegula.ErrCheck) {
		t.Errorf("beyond a reachable array: %v", err)
	}
	if err := k.Launch(ctx, cpu, grid, table, o, tegula.Reach(3)); !errors.Is(err, tegula.ErrArgument) {
		t.Errorf("a number to reach: %v", err)
	}
	if err := k.Launch(ctx, cpu, grid, table, o); !errors.Is(err, tegula.ErrCheck) {
		t.Errorf("what one launch names another reaches: %v", err)
	}
}

// TestRunTimeSteps: the executor that checks refuses a step that goes down, whatever the bounds are.
func TestRunTimeSteps(t *testing.T) {
	t.Setenv("TEGULA_CPU", "checked")
	m, err := tegula.Load("step.py", `
import triton
import triton.language as tl
@triton.jit
def k(o, a, b, c):
    n = 0
    for i in range(a, b, c):
        n += i
    tl.store(o, n)
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		a, b, step int
		want       int32 // or -1 for an error
	}{{0, 10, 3, 18}, {10, 0, 3, 0}, {10, 0, -3, -1}, {0, 10, -2, -1}, {5, 5, -4, -1}, {0, 10, 0, -1}, {10, 0, 0, -1}} {
		o := []int32{-7}
		err := m.Kernel("k").Launch(context.Background(), tegula.CPU(), tegula.Grid{1}, o, c.a, c.b, c.step)
		if c.want < 0 && !errors.Is(err, tegula.ErrCheck) || c.want >= 0 && (err != nil || o[0] != c.want) {
			t.Errorf("range(%d, %d, %d): %d, %v", c.a, c.b, c.step, o[0], err)
		}
	}
}

// TestStringMethods: a constant string has Python's methods.
func TestStringMethods(t *testing.T) {
	m, err := tegula.Load("strings.py", `
import triton
import triton.language as tl
@triton.jit
def k(o, MODE: tl.constexpr):
    tl.static_assert(MODE.startswith("a") and MODE.upper().lower() == MODE)
    n: tl.constexpr = len(MODE.split("_"))
    tl.store(o, n if MODE.endswith(("x", "c")) else 0)
`)
	if err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[string]int32{"a_b_c": 3, "ax": 1, "a_d": 0} {
		o := []int32{-1}
		if err := m.Kernel("k").Launch(context.Background(), tegula.CPU(), tegula.Grid{1}, o, mode); err != nil || o[0] != want {
			t.Errorf("%s: %d, %v", mode, o[0], err)
		}
	}
	if err := m.Kernel("k").Launch(context.Background(), tegula.CPU(), tegula.Grid{1}, make([]int32, 1), 3); err == nil || !strings.Contains(err.Error(), "has no attribute 'startswith'") {
		t.Errorf("of a number: %v", err)
	}
}
