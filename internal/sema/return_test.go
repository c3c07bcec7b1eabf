package sema

import (
	"os"
	"slices"
	"testing"

	"github.com/tegula-lang/tegula/internal/backend/cpu"
)

// returning compiles a kernel of p=*i32 n=i32 and gives what it makes of sixteen numbers for an n.
func returning(t *testing.T, f *testFile, kernel string) func(n int) []int32 {
	t.Helper()
	res, err := Compile(f.spec(t, kernel, "p=*i32 n=i32"))
	if err != nil {
		t.Fatal(err)
	}
	program, err := cpu.Compile(res.Module, cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return func(n int) []int32 {
		p := make([]int32, 16)
		for i := range p {
			p[i] = int32(i % 3)
		}
		run(t, program, arrayArg("p", p), cpu.Arg{Bits: uint64(uint32(int32(n)))})
		return p
	}
}

// TestReturnsInARow: whether what follows a return is nested in it or comes after it makes no difference.
func TestReturnsInARow(t *testing.T) {
	src, err := os.ReadFile("testdata/core/return.py")
	if err != nil {
		t.Fatal(err)
	}
	src = append(src, `

@triton.jit
def search(p, n):
    x = 0
    for i in tl.static_range(16):
        x += tl.load(p + i)
        y = x * 2
        if x > n:
            return x, i
        elif y == n:
            tl.store(p + 15, y)
    return -1, y


# compile: p=*i32 n=i32
@triton.jit
def searches(p, n):
    x, i = search(p, n)
    if x < 0:
        tl.store(p, i)
        return
    y, j = search(p, n + x)
    if y < 0:
        return
    tl.store(p, y)
    tl.store(p + 1, i + j)
`...)
	f := loadSource(t, "return.py", src)
	usual := defaultLimits.nesting
	defer func() { defaultLimits.nesting = usual }()
	for _, m := range compileLine.FindAllSubmatch(src, -1) {
		kernel := string(m[2])
		nested := returning(t, f, kernel)
		for nesting := range 4 {
			defaultLimits.nesting = nesting
			flat := returning(t, f, kernel)
			for n := -2; n < 18; n++ {
				if got, want := flat(n), nested(n); !slices.Equal(got, want) {
					t.Errorf("%s(%d) with %d returns nested gives %v, want %v", kernel, n, nesting, got, want)
				}
			}
		}
		defaultLimits.nesting = usual
	}
}

// TestManyReturns: returns that come one after the other may be as many as there are operations.
func TestManyReturns(t *testing.T) {
	f := loadSource(t, "many.py", []byte(`
import triton
import triton.language as tl

@triton.jit
def find(p, n):
    last = n * 0
    for i in tl.static_range(1000):
        if n == i:
            tl.store(p, i + last)
            return
        last = last + 1
    tl.store(p, -1)
`))
	find := returning(t, f, "find")
	for n, want := range map[int]int32{0: 0, 1: 2, 31: 62, 32: 64, 33: 66, 34: 68, 999: 1998, 1000: -1} {
		if got := find(n)[0]; got != want {
			t.Errorf("find(%d) gives %d, want %d", n, got, want)
		}
	}
}
