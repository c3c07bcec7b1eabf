package difftest_test

import (
	"cmp"
	_ "embed"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/dtype"
)

//go:embed testdata/sorts.py
var sortKernels []byte

// TestLongSorts: what is too long for a network of its own text is sorted all the same.
func TestLongSorts(t *testing.T) {
	mod, err := tegula.Load("sorts.py", sortKernels)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	for _, c := range []struct {
		rows, n, k int
		descending bool
	}{{1, 16384, 16384, false}, {1, 4096, 4096, true}, {2, 2048, 2048, false}, {1, 8192, 8192, true}, {256, 16, 16, true}, {4, 4096, 4096, true}, {2, 8192, 8192, false}, {4, 4096, 8, true}, {2, 8192, 16, false}} {
		x, err := tegula.NewArray(dtype.Int32, c.rows*c.n)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(uint64(c.k), 1))
		want := make([]int32, 0, c.rows*c.k)
		for row := range c.rows {
			numbers := make([]int32, c.n)
			for i := range numbers {
				numbers[i] = int32(r.IntN(20000) - 10000)
				binary.LittleEndian.PutUint32(x.Data[4*(row*c.n+i):], uint32(numbers[i]))
			}
			slices.SortFunc(numbers, func(a, b int32) int {
				if c.descending {
					a, b = b, a
				}
				return cmp.Compare(a, b)
			})
			want = append(want, numbers[:c.k]...)
		}
		out, err := tegula.NewArray(dtype.Int32, c.rows*c.k)
		if err != nil {
			t.Fatal(err)
		}
		data := runArrays(t, mod.Kernel("leading"), tegula.CPU(), tegula.Grid{1}, x, out,
			tegula.Arg("R", c.rows), tegula.Arg("N", c.n), tegula.Arg("K", c.k), tegula.Arg("DESCENDING", c.descending))
		for i, w := range want {
			if got := int32(binary.LittleEndian.Uint32(data[4*i:])); got != w {
				t.Errorf("%d × %d, %d of them: element %d is %d, want %d", c.rows, c.n, c.k, i, got, w)
				break
			}
		}
	}
}
