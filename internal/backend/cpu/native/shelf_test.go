package native_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/backend/cpu/native"
)

// products multiplies bytes, whose sums are exact: grid programs go down the blocks of a column, then along them.
const products = `
import triton
import triton.language as tl

@triton.jit
def products(a_ptr, b_ptr, c_ptr, M, N, K, step_k, step_n, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    down = tl.cdiv(M, BM)
    rows = pid % down * BM + tl.arange(0, BM)
    cols = pid // down * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    a = a_ptr + rows[:, None] * K + inner[None, :]
    b = b_ptr + inner[:, None] * step_k + cols[None, :] * step_n
    acc = tl.zeros((BM, BN), dtype=tl.int32)
    for k in range(0, tl.cdiv(K, BK)):
        left = K - k * BK
        x = tl.load(a, mask=(rows[:, None] < M) & (inner[None, :] < left), other=0)
        y = tl.load(b, mask=(inner[:, None] < left) & (cols[None, :] < N), other=0)
        acc = tl.dot(x, y, acc)
        a += BK
        b += BK * step_k
    tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc, mask=(rows[:, None] < M) & (cols[None, :] < N))

@triton.jit
def powers(a_ptr, b_ptr, c_ptr, steps, N: tl.constexpr, BK: tl.constexpr, INTO: tl.constexpr):
    rows = tl.arange(0, N)
    inner = tl.arange(0, BK)
    for step in range(steps):
        a = a_ptr + rows[:, None] * N + inner[None, :]
        b = b_ptr + inner[:, None] * N + rows[None, :]
        acc = tl.zeros((N, N), dtype=tl.int32)
        for k in range(0, N // BK):
            acc = tl.dot(tl.load(a), tl.load(b), acc)
            a += BK
            b += BK * N
        tl.debug_barrier()
        to = a_ptr if INTO == 0 else b_ptr if INTO == 1 else c_ptr
        tl.store(to + rows[:, None] * N + rows[None, :], acc.to(tl.int8))
`

func loadProducts(t *testing.T) *tegula.Module {
	t.Helper()
	if why := native.Supported(); why != "" {
		t.Skip(why)
	}
	t.Setenv("TEGULA_CPU", "native-only")
	t.Setenv("TEGULA_CPU_FEATURES", flag.Lookup("features").Value.String())
	mod, err := tegula.Load("products.py", []byte(products))
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	return mod
}

func newBytes(t *testing.T, r *rand.Rand, rows, cols int) *tegula.Array {
	t.Helper()
	a, err := tegula.NewArray(tegula.I8, rows, cols)
	if err != nil {
		t.Fatal(err)
	}
	scramble(a, r)
	return a
}

func scramble(a *tegula.Array, r *rand.Rand) {
	for i := range a.Data {
		a.Data[i] = byte(r.IntN(256))
	}
}

// product gives element (i, j) of a·b, whose rows and columns are stepK and stepN apart.
func product(a, b []byte, k, stepK, stepN, i, j int) int32 {
	sum := int32(0)
	for x := range k {
		sum += int32(int8(a[i*k+x])) * int32(int8(b[x*stepK+j*stepN]))
	}
	return sum
}

// What programs have in common is brought to panels once. It is theirs only: whatever changes between launches is seen, and other blocks,
// more k than there is room for, edges and few programs give what they should.
func TestShelves(t *testing.T) {
	mod := loadProducts(t)
	for _, c := range []struct{ m, n, k, bm, bn, bk int }{
		{192, 128, 256, 32, 32, 64}, // more columns of blocks than one
		{192, 128, 4096, 32, 32, 64},
		{128, 128, 9000, 64, 64, 64}, // more parts than panels; the last is masked
		{130, 70, 1000, 64, 64, 128}, // edges
		{32, 640, 512, 32, 64, 64},   // the left operand is what they have in common
		{100, 100, 64, 16, 16, 64},
		{64, 768, 512, 64, 256, 64}, // the left operand is copied, too, and is in common
	} {
		r := rand.New(rand.NewPCG(1, uint64(c.k)))
		a, b := newBytes(t, r, c.m, c.k), newBytes(t, r, c.k, c.n)
		out, err := tegula.NewArray(tegula.I32, c.m, c.n)
		if err != nil {
			t.Fatal(err)
		}
		grid := tegula.Grid{(c.m + c.bm - 1) / c.bm * ((c.n + c.bn - 1) / c.bn)}
		for launch := range 4 {
			stepK, stepN := c.n, 1
			switch launch {
			case 1:
				scramble(a, r)
			case 2:
				scramble(b, r)
			case 3:
				stepK, stepN = 1, c.k
			}
			err := mod.Kernel("products").Launch(context.Background(), tegula.CPU(), grid, a, b, out, c.m, c.n, c.k, stepK, stepN,
				tegula.Arg("BM", c.bm), tegula.Arg("BN", c.bn), tegula.Arg("BK", c.bk))
			if err != nil {
				t.Fatal(tegula.Detail(err))
			}
			for range 300 {
				i, j := r.IntN(c.m), r.IntN(c.n)
				if got, want := out.Data[4*(i*c.n+j):], product(a.Data, b.Data, c.k, stepK, stepN, i, j); int32(got[0])|int32(got[1])<<8|int32(got[2])<<16|int32(got[3])<<24 != want {
					t.Fatalf("%+v, launch %d: element %d, %d is not %d", c, launch, i, j, want)
				}
			}
		}
	}
}

// A program that writes what it reads again sees what it has written, whatever the arrays are called.
func TestShelvesOfWhatIsWritten(t *testing.T) {
	mod := loadProducts(t)
	const n, steps = 128, 3
	r := rand.New(rand.NewPCG(2, 2))
	for into := range 4 { // a, b; c, which is the one or the other
		side := into % 2
		a, b := newBytes(t, r, n, n), newBytes(t, r, n, n)
		want := [2][]byte{append([]byte(nil), a.Data...), append([]byte(nil), b.Data...)}
		for range steps {
			next := make([]byte, n*n)
			for i := range n {
				for j := range n {
					next[i*n+j] = byte(product(want[0], want[1], n, n, 1, i, j))
				}
			}
			want[side] = next
		}
		c := [2]*tegula.Array{a, b}[side]
		err := mod.Kernel("powers").Launch(context.Background(), tegula.CPU(), tegula.Grid{1}, a, b, c, steps, tegula.Arg("N", n), tegula.Arg("BK", 64), tegula.Arg("INTO", into))
		if err != nil {
			t.Fatal(tegula.Detail(err))
		}
		for i, got := range c.Data {
			if got != want[side][i] {
				t.Fatalf("into %d: element %d is %d, not %d", into, i, int8(got), int8(want[side][i]))
			}
		}
	}
}
