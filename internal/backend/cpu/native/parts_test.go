package native_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/tegula-lang/tegula"
)

// alternating adds and subtracts products of blocks in turns, which no loop puts off.
const alternating = `
import triton
import triton.language as tl

@triton.jit
def alternating(a_ptr, b_ptr, c_ptr, M, N, K, step_k, step_n, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    down = tl.cdiv(M, BM)
    rows = pid % down * BM + tl.arange(0, BM)
    cols = pid // down * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=c_ptr.dtype.element_ty)
    for k in range(0, K, BK):
        x = tl.load(a_ptr + rows[:, None] * K + (k + inner)[None, :], mask=(rows[:, None] < M) & (k + inner[None, :] < K), other=0)
        y = tl.load(b_ptr + (k + inner)[:, None] * step_k + cols[None, :] * step_n, mask=(k + inner[:, None] < K) & (cols[None, :] < N), other=0)
        acc = tl.dot(x, y, acc * -1)
    tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc, mask=(rows[:, None] < M) & (cols[None, :] < N))
`

// fill gives an array small numbers, which all types have.
func fill(a *tegula.Array, r *rand.Rand) []int {
	size, numbers := a.DType.Bytes(), make([]int, 0, len(a.Data))
	for i := 0; i < len(a.Data); i += size {
		n := r.IntN(5) - 2
		bits := uint64(n)
		if a.DType.IsFloat() {
			bits = a.DType.Encode(float64(n))
		}
		for b := range size {
			a.Data[i+b] = byte(bits >> (8 * b))
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// Right operands of products that are not put off stay for the next program of a launch, and for no other launch.
func TestPartsOfLoopsStay(t *testing.T) {
	loadProducts(t)
	mod, err := tegula.Load("alternating.py", []byte(alternating))
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	for _, c := range []struct {
		in, out             tegula.DType
		m, n, k, bm, bn, bk int
	}{
		{tegula.FP32, tegula.FP32, 192, 128, 256, 32, 64, 64},
		{tegula.FP32, tegula.FP32, 130, 100, 200, 16, 32, 16}, // edges
		{tegula.FP32, tegula.FP32, 64, 64, 2400, 16, 64, 32},  // more parts than panels
		{tegula.BF16, tegula.FP32, 192, 128, 320, 32, 64, 64},
		{tegula.BF16, tegula.FP32, 100, 70, 300, 32, 32, 32},
		{tegula.I8, tegula.I32, 192, 128, 320, 32, 64, 64},
		{tegula.FP64, tegula.FP64, 96, 128, 96, 16, 64, 32},
		{tegula.FP16, tegula.FP32, 96, 128, 96, 16, 64, 32},
	} {
		r := rand.New(rand.NewPCG(3, uint64(c.k)))
		arrays := [3]*tegula.Array{}
		for i, shape := range [][]int{{c.m, c.k}, {c.k, c.n}, {c.m, c.n}} {
			if arrays[i], err = tegula.NewArray([]tegula.DType{c.in, c.in, c.out}[i], shape...); err != nil {
				t.Fatal(err)
			}
		}
		grid := tegula.Grid{(c.m + c.bm - 1) / c.bm * ((c.n + c.bn - 1) / c.bn)}
		var a, b []int
		for launch := range 4 {
			if launch != 1 {
				a = fill(arrays[0], r)
			}
			if launch != 2 {
				b = fill(arrays[1], r)
			}
			stepK, stepN := c.n, 1
			if launch%2 == 1 {
				stepK, stepN = 1, c.k
			}
			err := mod.Kernel("alternating").Launch(context.Background(), tegula.CPU(), grid, arrays[0], arrays[1], arrays[2], c.m, c.n, c.k, stepK, stepN,
				tegula.Arg("BM", c.bm), tegula.Arg("BN", c.bn), tegula.Arg("BK", c.bk))
			if err != nil {
				t.Fatal(tegula.Detail(err))
			}
			size := c.out.Bytes()
			for range 300 {
				i, j, want := r.IntN(c.m), r.IntN(c.n), 0
				for k := 0; k < c.k; k += c.bk {
					want = -want
					for x := k; x < min(k+c.bk, c.k); x++ {
						want += a[i*c.k+x] * b[x*stepK+j*stepN]
					}
				}
				bits := uint64(0)
				for n, d := range arrays[2].Data[size*(i*c.n+j):][:size] {
					bits |= uint64(d) << (8 * n)
				}
				if got := numberOf(c.out, bits); got != want {
					t.Fatalf("%+v, launch %d: element %d, %d is %d, not %d", c, launch, i, j, got, want)
				}
			}
		}
	}
}

func numberOf(t tegula.DType, bits uint64) int {
	if t.IsFloat() {
		return int(t.Decode(bits))
	}
	return int(int32(bits))
}
