package native_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/backend/cpu/native"
)

// networks are kernels that take tiles apart by bits of their elements' numbers, and put them together again.
const networks = `
import triton
import triton.language as tl

@triton.jit
def at(p, N: tl.constexpr):
    return p + tl.program_id(0) * N + tl.arange(0, N)

@triton.jit
def up(x, y, N: tl.constexpr):
    tl.store(at(y, N), tl.sort(tl.load(at(x, N))))

@triton.jit
def down(x, y, N: tl.constexpr):
    tl.store(at(y, N), tl.sort(tl.load(at(x, N)), descending=True))

@triton.jit
def rows(x, y, N: tl.constexpr):
    K: tl.constexpr = 8 if N > 8 else N
    v = tl.reshape(tl.load(at(x, N)), (N // K, K))
    tl.store(at(y, N), tl.reshape(tl.sort(v, descending=True), (N, )))

@triton.jit
def top(x, y, N: tl.constexpr):
    K: tl.constexpr = N // 4 if N > 4 else N
    tl.store(y + tl.program_id(0) * N + tl.arange(0, K), tl.topk(tl.load(at(x, N)), K))

@triton.jit
def merge(x, y, N: tl.constexpr):
    v = tl.load(at(x, N))
    w = tl.where(tl.arange(0, N) < N // 2, v, tl.flip(v))
    tl.store(at(y, N), tl.bitonic_merge(w))

@triton.jit
def largest(x, y, N: tl.constexpr):
    v = tl.sort(tl.load(at(x, N)))
    tl.store(at(y, N), v)
    tl.store(y + tl.program_id(0) * N, tl.min(v, 0).to(y.dtype.element_ty))

@triton.jit
def pair(x, bit: tl.constexpr):
    n: tl.constexpr = 2**bit
    return tl.split(tl.trans(tl.reshape(x, (x.numel // (2 * n), 2, n)), 0, 2, 1))

@triton.jit
def unpair(a, b, N: tl.constexpr):
    return tl.reshape(tl.trans(tl.join(a, b), 0, 2, 1), (N, ))

@triton.jit
def butterflies(x, y, N: tl.constexpr, LOG: tl.constexpr):
    v = tl.load(at(x, N)).to(tl.int32)
    for bit in tl.static_range(LOG):
        a, b = pair(v, bit)
        v = unpair(a + b, a * 3 - b, N)
    tl.store(at(y, N), v.to(y.dtype.element_ty))

@triton.jit
def together(x, y, N: tl.constexpr, LOG: tl.constexpr):
    keys, vals = tl.load(at(x, N)), tl.arange(0, N)
    for s in tl.static_range(1, LOG + 1):
        for i in tl.static_range(s):
            a, b = pair(keys, s - 1 - i)
            c, d = pair(vals, s - 1 - i)
            down = (pair(tl.arange(0, N), s - 1 - i)[0] >> s & 1) == 1
            swap = ((a > b) | ((a == b) & (c > d))) ^ down
            keys = unpair(tl.where(swap, b, a), tl.where(swap, a, b), N)
            vals = unpair(tl.where(swap, d, c), tl.where(swap, c, d), N)
    tl.store(at(y, N), vals.to(y.dtype.element_ty))

@triton.jit
def shuffle(x, y, N: tl.constexpr, LOG: tl.constexpr):
    v = tl.load(at(x, N))
    for s in tl.static_range(LOG):
        a, b = tl.split(tl.trans(tl.reshape(v, (2, N // 2)), 1, 0))
        v = tl.reshape(tl.join(tl.where(a < b, a, b), tl.where(a >= b, a, b)), (N, ))
    tl.store(at(y, N), v)

@triton.jit
def loop(x, y, N: tl.constexpr, LOG: tl.constexpr):
    v = tl.load(at(x, N))
    for s in range(3):
        for bit in tl.static_range(LOG):
            a, b = pair(v, LOG - 1 - bit)
            v = unpair(tl.where(a <= b, b, a), tl.where(a <= b, a, b), N)
        a, b = pair(v, 0)
        v = unpair(b, a, N)
    tl.store(at(y, N), v)

@triton.jit
def scattered(x, y, N: tl.constexpr, LOG: tl.constexpr):
    v = tl.load(at(x, N))
    a, b = pair(v, LOG - 1)
    v = unpair(b, a, N)
    tl.store(y + tl.program_id(0) * N + tl.arange(0, N) % (N // 2), v)
`

// sortable are the types of elements, with their sizes in bytes.
var sortable = []struct {
	name string
	size int
}{
	{"fp32", 4}, {"fp64", 8}, {"fp16", 2}, {"bf16", 2}, {"int8", 1}, {"uint8", 1}, {"int16", 2}, {"uint16", 2}, {"int32", 4}, {"uint32", 4}, {"int64", 8}, {"uint64", 8},
}

// executors are what runs kernels, by the value of TEGULA_CPU: a module keeps to the first one that it runs a kernel on.
var executors = []string{"checked", "native-only"}

// Networks give the checked executor's results, in every bit: of all types and sizes, NaNs and zeros of both signs among the elements.
func TestNetworks(t *testing.T) {
	if why := native.Supported(); why != "" {
		t.Skip(why)
	}
	t.Setenv("TEGULA_CPU_FEATURES", flag.Lookup("features").Value.String())
	mods := map[string]*tegula.Module{}
	for _, where := range executors {
		mod, err := tegula.Load("networks.py", []byte(networks))
		if err != nil {
			t.Fatal(tegula.Detail(err))
		}
		mods[where] = mod
	}
	for i, kernel := range []string{"up", "down", "rows", "top", "merge", "largest", "butterflies", "together", "shuffle", "loop", "scattered"} {
		for k, e := range sortable {
			if i > 0 && (i+k)%3 != 0 {
				continue
			}
			for log := 1 + (i+k)%2; log <= 12; log += 1 + k%3 {
				if log > 9 && (testing.Short() || native.RaceDetector || k > 1 || i > 0) {
					continue
				}
				t.Run(fmt.Sprint(kernel, "/", e.name, "/", 1<<log), func(t *testing.T) { compareNetwork(t, mods, kernel, e.name, e.size, log) })
			}
		}
	}
}

func compareNetwork(t *testing.T, mods map[string]*tegula.Module, kernel, elem string, size, log int) {
	const programs = 2
	n := 1 << log
	data := sortData(elem, size, programs*n)
	run := func(where string) []byte {
		t.Setenv("TEGULA_CPU", where)
		out := make([]byte, len(data))
		array := func(b []byte) *tegula.Array {
			d, ok := tegula.ParseDType(elem)
			if !ok {
				t.Fatal(elem)
			}
			return &tegula.Array{DType: d, Shape: []int{programs * n}, Data: b}
		}
		args := []any{tegula.Arg("x", array(bytes.Clone(data))), tegula.Arg("y", array(out)), tegula.Arg("N", n)}
		switch kernel {
		case "butterflies", "together", "shuffle", "loop", "scattered":
			args = append(args, tegula.Arg("LOG", log))
		}
		if err := mods[where].Kernel(kernel).Launch(context.Background(), tegula.CPU(), tegula.Grid{programs}, args...); err != nil {
			t.Fatal(tegula.Detail(err))
		}
		return out
	}
	want, got := run(executors[0]), run(executors[1])
	for i := 0; i < len(want); i += size {
		if !bytes.Equal(want[i:i+size], got[i:i+size]) {
			t.Fatalf("element %d is %x, not %x", i/size, got[i:i+size], want[i:i+size])
		}
	}
}

// sortData gives random elements, some of them equal; of floats every eighth is a NaN, a zero of either sign or infinite.
func sortData(elem string, size, n int) []byte {
	r := rand.New(rand.NewPCG(uint64(n), uint64(size)))
	var out []byte
	for range n {
		bits := r.Uint64()
		if r.IntN(4) == 0 {
			bits = r.Uint64N(5)
		}
		f := float64(int64(bits)>>52) / 8
		if r.IntN(8) == 0 {
			f = []float64{math.NaN(), math.Copysign(0, -1), 0, math.Inf(1), math.Inf(-1)}[r.IntN(5)]
		}
		switch elem {
		case "fp64":
			bits = math.Float64bits(f)
		case "fp32":
			bits = uint64(math.Float32bits(float32(f)))
		case "bf16":
			bits = uint64(math.Float32bits(float32(f)) >> 16)
		case "fp16":
			bits = bits&0x83ff | bits>>20&0x1f<<10
			if bits&0x7c00 == 0x7c00 {
				bits |= 0x0200 // a quiet NaN: to make a signaling one a quiet one is left open
			}
		}
		out = append(out, binary.LittleEndian.AppendUint64(nil, bits)[:size]...)
	}
	return out
}
