package sim

import (
	"math"
	"testing"

	"github.com/tegula-lang/tegula/internal/lir"
)

// multiplied has warp groups multiply tiles of 64×32 and 32×8 that their threads write, with steps before it; wait gives the sums, which are stored.
// A warp_sync becomes a barrier.
func multiplied(t *testing.T, before []lir.Code, address func(k *kernel) *lir.Value, wait func(k *kernel, a lir.Mem, sums []*lir.Value) []*lir.Value) *lir.Func {
	t.Helper()
	k := newKernel(4)
	out := k.pointer("out")
	a := lir.Mem{Space: lir.Shared, Buffer: k.f.NewShared(64*64, 1024)}
	b := lir.Mem{Space: lir.Shared, Buffer: k.f.NewShared(8*64, 1024)}
	one := k.Const(lir.F16, 0x3c00)
	ones := []*lir.Value{one, one, one, one, one, one, one, one}
	for i := range 2 {
		m := a
		m.Offset = int64(i * 2048)
		k.Store(m, k.do(lir.OpMul, k.thread(), k.I32(16)), nil, ones...)
	}
	k.Store(b, k.do(lir.OpMul, k.thread(), k.I32(4)), nil, one, one)
	for _, code := range before {
		k.Emit(&lir.Op{Code: code})
	}
	g := lir.GroupMMA{
		Kind: lir.MMAF16, M: 64, N: 8, K: 32, RowStep: 64,
		A: lir.GroupTile{Rows: 64, Columns: 32, Swizzle: 64, AlongK: true}, B: lir.GroupTile{Rows: 8, Columns: 32, Swizzle: 64, AlongK: true},
	}
	for i, x := range wait(k, a, k.GroupMMA(g, b, address(k), &a, []*lir.Value{k.I32(0)}, nil)) {
		k.Store(lir.Mem{Offset: int64(4 * i)}, k.at(out, k.thread(), 16), nil, x)
	}
	f := k.finish(t, false)
	f.Body.Walk(func(op *lir.Op) {
		if op.Code == lir.OpWarpSync {
			op.Code = lir.OpBarrier
		}
	})
	return f
}

func TestGroups(t *testing.T) {
	const fence, barrier = lir.OpProxyFence, lir.OpWarpSync
	right := []lir.Code{fence, barrier}
	zero := func(k *kernel) *lir.Value { return k.I32(0) }
	wait := func(k *kernel, _ lir.Mem, sums []*lir.Value) []*lir.Value { return k.GroupWait(0, sums) }
	write := func(k *kernel, a lir.Mem) { k.Store(a, k.do(lir.OpMul, k.thread(), k.I32(4)), nil, k.I32(0)) }
	out := words(4 * 128)
	run(t, multiplied(t, right, zero, wait), Arg{Array: out})
	for i := range 4 * 128 {
		if get(out, i) != math.Float32bits(32) {
			t.Fatalf("sum %d is %#x, not 32", i, get(out, i))
		}
	}
	for _, c := range []struct {
		what, code string
		f          *lir.Func
	}{
		{"no fence", "unfenced", multiplied(t, []lir.Code{barrier}, zero, wait)},
		{"the barrier first", "unfenced", multiplied(t, []lir.Code{barrier, fence}, zero, wait)},
		{"no barrier", "unfenced", multiplied(t, []lir.Code{fence}, zero, wait)},
		{"each thread its own address", "divergent-address", multiplied(t, right, (*kernel).thread, wait)},
		{"an address between rows", "misaligned", multiplied(t, right, func(k *kernel) *lir.Value { return k.I32(64) }, wait)},
		{"beyond the buffer", "out-of-bounds", multiplied(t, right, func(k *kernel) *lir.Value { return k.I32(512) }, wait)},
		{"a wait for less", "not-waited", multiplied(t, right, zero, func(k *kernel, _ lir.Mem, sums []*lir.Value) []*lir.Value { return k.GroupWait(1, sums) })},
		{"a write before the wait", "race", multiplied(t, right, zero, func(k *kernel, a lir.Mem, sums []*lir.Value) []*lir.Value {
			k.Emit(&lir.Op{Code: barrier})
			write(k, a)
			return k.GroupWait(0, sums)
		})},
		{"a write without a barrier", "race", multiplied(t, right, zero, func(k *kernel, a lir.Mem, sums []*lir.Value) []*lir.Value {
			sums = k.GroupWait(0, sums)
			write(k, a)
			return sums
		})},
	} {
		t.Run(c.what, func(t *testing.T) { refused(t, c.f, c.code, Arg{Array: out}) })
	}
	run(t, multiplied(t, right, zero, func(k *kernel, a lir.Mem, sums []*lir.Value) []*lir.Value {
		sums = k.GroupWait(0, sums)
		k.Emit(&lir.Op{Code: barrier})
		write(k, a)
		return sums
	}), Arg{Array: out})
}
