package difftest_test

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/tegula-lang/tegula"
)

// The kernels of docs/triton-differences.md that no judge can run.
const differences = `
import triton
import triton.language as tl

@triton.jit
def sort_all(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.sort(tl.load(x + i)))
    tl.store(out + 16 + i, tl.sort(tl.load(x + i), descending=True))

@triton.jit
def count_down(out, n):
    n = (n & 127).to(tl.int32)
    while n > -3:
        n -= 1
    tl.store(out, n)
`

func launchDifference(t *testing.T, kernel string, args ...any) {
	t.Helper()
	mod, err := tegula.Load("differences.py", differences)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	if err := mod.Kernel(kernel).Launch(t.Context(), tegula.CPU(), tegula.Grid{1}, args...); err != nil {
		t.Fatal(tegula.Detail(err))
	}
}

func floatArray(t *testing.T, values ...float32) *tegula.Array {
	t.Helper()
	a, err := tegula.NewArray(tegula.FP32, len(values))
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range values {
		binary.LittleEndian.PutUint32(a.Data[4*i:], math.Float32bits(v))
	}
	return a
}

func words(data []byte) []uint32 {
	var list []uint32
	for ; len(data) > 0; data = data[4:] {
		list = append(list, binary.LittleEndian.Uint32(data))
	}
	slices.Sort(list)
	return list
}

// TestSortKeepsEveryElement: NaNs are somewhere, but no number is lost and none is there twice.
func TestSortKeepsEveryElement(t *testing.T) {
	nan := float32(math.NaN())
	x := floatArray(t, 3, nan, 1, 7, nan, 2, 9, 8, -1, nan, 5, 4, 0, 6, nan, -2)
	out := floatArray(t, make([]float32, 32)...)
	launchDifference(t, "sort_all", tegula.Arg("x", x), tegula.Arg("out", out))
	for _, part := range [][]byte{out.Data[:64], out.Data[64:]} {
		if got, want := words(part), words(x.Data); !slices.Equal(got, want) {
			t.Errorf("the elements are %x, of %x", got, want)
		}
	}
}

// TestSpecialisedArgumentsVary: the launch makes a constant of 1, and the loop assigns it.
func TestSpecialisedArgumentsVary(t *testing.T) {
	for _, n := range []int{1, 2, 16} {
		out, err := tegula.NewArray(tegula.I32, 1)
		if err != nil {
			t.Fatal(err)
		}
		launchDifference(t, "count_down", tegula.Arg("out", out), tegula.Arg("n", n))
		if got := int32(binary.LittleEndian.Uint32(out.Data)); got != -3 {
			t.Errorf("of %d it counts down to %d", n, got)
		}
	}
}
