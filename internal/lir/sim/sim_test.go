package sim

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A kernel is a function that is being built, with what tests use most.
type kernel struct {
	*lir.Builder
	f *lir.Func
}

func newKernel(warps int) *kernel {
	f := lir.NewFunc("k", warps, 32)
	return &kernel{lir.NewBuilder(f), f}
}

func (k *kernel) pointer(name string) *lir.Value {
	k.f.Params = append(k.f.Params, lir.Param{Name: name, Type: lir.I64, Pointer: true, Align: 16})
	return k.Pure(lir.OpParam, 0, lir.I64, int64(len(k.f.Params)-1))
}

func (k *kernel) scalar(name string, t lir.Type) *lir.Value {
	k.f.Params = append(k.f.Params, lir.Param{Name: name, Type: t})
	return k.Pure(lir.OpParam, 0, t, int64(len(k.f.Params)-1))
}

func (k *kernel) thread() *lir.Value { return k.Pure(lir.OpThreadID, 0, lir.I32, 0) }

func (k *kernel) do(code lir.Code, x, y *lir.Value) *lir.Value {
	return k.Pure(code, 0, x.Type, 0, x, y)
}

func (k *kernel) less(x, y *lir.Value) *lir.Value {
	return k.Pure(lir.OpCmp, uint8(tile.LTS), lir.I1, 0, x, y)
}

// at gives the address of element i of an array of elements of some bytes.
func (k *kernel) at(p, i *lir.Value, bytes int) *lir.Value {
	wide := k.Pure(lir.OpExtS, 0, lir.I64, 0, k.do(lir.OpMul, i, k.I32(bytes)))
	return k.do(lir.OpAdd, p, wide)
}

// finish ends the function. Without barriers those that Finish puts in are taken out.
func (k *kernel) finish(t *testing.T, barriers bool) *lir.Func {
	t.Helper()
	k.Return()
	lir.Finish(k.f)
	if !barriers {
		withoutBarriers(k.f.Body)
	}
	if err := lir.Verify(k.f); err != nil {
		t.Fatal(err)
	}
	return k.f
}

func withoutBarriers(b *lir.Block) {
	kept := b.Ops[:0]
	for _, op := range b.Ops {
		if op.Code != lir.OpBarrier {
			kept = append(kept, op)
		}
		for _, r := range op.Regions {
			withoutBarriers(r)
		}
	}
	b.Ops = kept
}

// words are an array of 32-bit numbers, aligned to 16 bytes.
func words(n int) []byte {
	buf := make([]byte, 4*n+16)
	skip := int(-addressOf(buf) & 15)
	return buf[skip:][: 4*n : 4*n]
}

func get(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }

// refused runs and wants an error of a code.
func refused(t *testing.T, f *lir.Func, code string, args ...Arg) {
	t.Helper()
	_, err := Run(t.Context(), f, Launch{Grid: [3]uint32{1, 1, 1}, Args: args, Options: Options{GlobalRaces: true, Work: 1 << 20}})
	var e *diag.Error
	if !errors.As(err, &e) || e.Code != code || !errors.Is(err, diag.Check) {
		t.Errorf("%v, want %s", err, code)
	}
}

func run(t *testing.T, f *lir.Func, args ...Arg) *Result {
	t.Helper()
	r, err := Run(t.Context(), f, Launch{Grid: [3]uint32{1, 1, 1}, Args: args, Options: Options{GlobalRaces: true, Profile: true}})
	if err != nil {
		t.Fatalf("%s\n%s", diag.Detail(err), f)
	}
	return r
}

// add is x + y in pieces of four elements a thread, of which the last are masked off.
func TestVectorAdd(t *testing.T) {
	k := newKernel(2)
	x, y, out, n := k.pointer("x"), k.pointer("y"), k.pointer("out"), k.scalar("n", lir.I32)
	pid := k.Pure(lir.OpProgramID, 0, lir.I32, 0)
	i := k.do(lir.OpMul, k.do(lir.OpAdd, k.do(lir.OpMul, pid, k.I32(64)), k.thread()), k.I32(4))
	in := k.less(i, n)
	a := k.Load(lir.Mem{}, lir.F32, 4, k.at(x, i, 4), in, nil)
	b := k.Load(lir.Mem{}, lir.F32, 4, k.at(y, i, 4), in, nil)
	var sums []*lir.Value
	for j := range a {
		sums = append(sums, k.do(lir.OpFAdd, a[j], b[j]))
	}
	k.Store(lir.Mem{}, k.at(out, i, 4), in, sums...)
	f := k.finish(t, true)
	const elems = 600
	xs, ys, outs := words(elems), words(elems), words(elems)
	for j := range elems {
		binary.LittleEndian.PutUint32(xs[4*j:], math.Float32bits(float32(j)))
		binary.LittleEndian.PutUint32(ys[4*j:], math.Float32bits(0.5))
	}
	r, err := Run(t.Context(), f, Launch{
		Grid: [3]uint32{3, 1, 1}, Args: []Arg{{Array: xs}, {Array: ys}, {Array: outs}, {Bits: elems}}, Options: Options{Profile: true, GlobalRaces: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	for j := range elems {
		if got := math.Float32frombits(get(outs, j)); got != float32(j)+0.5 {
			t.Fatalf("out[%d] is %g", j, got)
		}
	}
	if len(r.Accesses) != 3 || r.Work == 0 {
		t.Fatalf("%+v", r)
	}
	for _, a := range r.Accesses {
		if a.Requests != 5 || a.Excess() > 1.1 {
			t.Error(a.String())
		}
	}
	refused(t, f, "out-of-bounds", Arg{Array: xs[:4*elems-16]}, Arg{Array: ys[:64]}, Arg{Array: outs}, Arg{Bits: elems})
	refused(t, f, "misaligned", Arg{Array: xs[4:]}, Arg{Array: ys}, Arg{Array: outs}, Arg{Bits: 64})
}

// reversed has each thread write a number to shared memory and read another's.
func reversed(t *testing.T, warps int, barriers bool, code lir.Code) *lir.Func {
	k := newKernel(warps)
	out := k.pointer("out")
	threads := 32 * warps
	s := k.f.NewShared(4*threads, 4)
	at := k.do(lir.OpMul, k.thread(), k.I32(4))
	k.Store(lir.Mem{Space: lir.Shared, Buffer: s}, at, nil, k.do(lir.OpMul, k.thread(), k.I32(10)))
	if code != lir.BadOp {
		k.Emit(&lir.Op{Code: code})
	}
	other := k.do(lir.OpMul, k.do(lir.OpSub, k.I32(threads-1), k.thread()), k.I32(4))
	v := k.Load(lir.Mem{Space: lir.Shared, Buffer: s}, lir.I32, 1, other, nil, nil)
	k.Store(lir.Mem{}, k.at(out, k.thread(), 4), nil, v...)
	return k.finish(t, barriers)
}

func TestRaces(t *testing.T) {
	out := words(64)
	if r := run(t, reversed(t, 2, true, lir.BadOp), Arg{Array: out}); get(out, 3) != 600 || r.Barriers != 1 {
		t.Errorf("out[3] is %d, %d barriers", get(out, 3), r.Barriers)
	}
	refused(t, reversed(t, 2, false, lir.BadOp), "race", Arg{Array: out})
	refused(t, reversed(t, 1, false, lir.BadOp), "race", Arg{Array: out})
	refused(t, reversed(t, 2, false, lir.OpWarpSync), "race", Arg{Array: out})
	run(t, reversed(t, 1, false, lir.OpWarpSync), Arg{Array: out})
}

// A read that a write comes after, and a second round.
func TestRaceOfLaterWrite(t *testing.T) {
	build := func(barriers bool) *lir.Func {
		k := newKernel(2)
		out := k.pointer("out")
		s := k.f.NewShared(4*64, 4)
		m := lir.Mem{Space: lir.Shared, Buffer: s}
		at := k.do(lir.OpMul, k.thread(), k.I32(4))
		other := k.do(lir.OpXor, at, k.I32(128))
		k.For(false, k.I32(0), k.I32(3), k.I32(1), nil, func(i *lir.Value, _ []*lir.Value) []*lir.Value {
			k.Store(m, at, nil, k.do(lir.OpAdd, k.thread(), i))
			k.Emit(&lir.Op{Code: lir.OpPrint, Text: &lir.Text{Format: "x"}}) // where the barrier between goes
			v := k.Load(m, lir.I32, 1, other, nil, nil)
			k.Store(lir.Mem{}, k.at(out, k.thread(), 4), nil, v...)
			return nil
		})
		f := k.finish(t, barriers)
		if !barriers { // only that one
			body := f.Body
			for _, op := range f.Body.Ops {
				if len(op.Regions) > 0 {
					body = op.Regions[0]
				}
			}
			for i, op := range body.Ops {
				if op.Code == lir.OpPrint {
					body.Ops[i] = &lir.Op{Code: lir.OpBarrier}
				}
			}
		}
		return f
	}
	out := words(64)
	if run(t, build(true), Arg{Array: out}); get(out, 5) != 5+32+2 {
		t.Errorf("out[5] is %d", get(out, 5))
	}
	refused(t, build(false), "race", Arg{Array: out})
}

// Threads that write the same to one place do not race, those that write something else do; in global memory one store may.
func TestSeveralWriters(t *testing.T) {
	build := func(space lir.Space, same bool) *lir.Func {
		k := newKernel(1)
		out := k.pointer("out")
		v := k.I32(7)
		if !same {
			v = k.thread()
		}
		if space == lir.Shared {
			s := k.f.NewShared(4, 4)
			k.Store(lir.Mem{Space: lir.Shared, Buffer: s}, k.I32(0), nil, v)
			v = k.Load(lir.Mem{Space: lir.Shared, Buffer: s}, lir.I32, 1, k.I32(0), nil, nil)[0]
		}
		k.Store(lir.Mem{}, out, nil, v)
		return k.finish(t, true)
	}
	out := words(1)
	run(t, build(lir.Shared, true), Arg{Array: out})
	run(t, build(lir.Global, true), Arg{Array: out})
	run(t, build(lir.Global, false), Arg{Array: out})
	refused(t, build(lir.Shared, false), "race", Arg{Array: out})
}

// What one operation on a tile stores a later one loads; that needs a barrier where threads differ.
func TestGlobalRaces(t *testing.T) {
	build := func(barriers bool) *lir.Func {
		k := newKernel(2)
		p := k.pointer("p")
		k.Store(lir.Mem{Origin: 1}, k.at(p, k.thread(), 4), nil, k.thread())
		v := k.Load(lir.Mem{Origin: 1}, lir.I32, 1, k.at(p, k.do(lir.OpXor, k.thread(), k.I32(33)), 4), nil, nil)
		k.Store(lir.Mem{Origin: 1}, k.at(p, k.do(lir.OpAdd, k.thread(), k.I32(64)), 4), nil, v...)
		return k.finish(t, barriers)
	}
	p := words(128)
	if run(t, build(true), Arg{Array: p}); get(p, 64+2) != 2^33 {
		t.Errorf("%d", get(p, 66))
	}
	refused(t, build(false), "race", Arg{Array: p})
	if _, err := Run(t.Context(), build(false), Launch{Grid: [3]uint32{1, 1, 1}, Args: []Arg{{Array: p}}}); err != nil {
		t.Errorf("races in global memory were not asked for: %v", err)
	}
}

func TestDivergence(t *testing.T) {
	build := func(limit int, op *lir.Op) *lir.Func {
		k := newKernel(2)
		k.IfEach(k.less(k.thread(), k.I32(limit)), func() []*lir.Value {
			k.Emit(op)
			return nil
		}, nil)
		return k.finish(t, true)
	}
	refused(t, build(32, &lir.Op{Code: lir.OpBarrier}), "divergent-barrier")
	run(t, build(64, &lir.Op{Code: lir.OpBarrier}))
	refused(t, build(40, &lir.Op{Code: lir.OpWarpSync}), "divergent-warp")
	run(t, build(32, &lir.Op{Code: lir.OpWarpSync}))
}

func TestSharedMemory(t *testing.T) {
	build := func(store bool, offset int, n int) *lir.Func {
		k := newKernel(1)
		out := k.pointer("out")
		s := k.f.NewShared(256, 16)
		m := lir.Mem{Space: lir.Shared, Buffer: s}
		at := k.do(lir.OpMul, k.thread(), k.I32(4))
		if store {
			k.Store(m, at, nil, k.thread())
		}
		m.Offset = int64(offset)
		v := k.Load(m, lir.I32, n, at, nil, nil)
		k.Store(lir.Mem{}, k.at(out, k.thread(), 4), nil, v[n-1])
		return k.finish(t, true)
	}
	out := words(64)
	run(t, build(true, 0, 1), Arg{Array: out})
	refused(t, build(false, 0, 1), "uninitialised", Arg{Array: out})
	refused(t, build(true, 4, 1), "uninitialised", Arg{Array: out})
	refused(t, build(true, -4, 1), "out-of-bounds", Arg{Array: out})
	refused(t, build(true, 256, 1), "out-of-bounds", Arg{Array: out})
	refused(t, build(true, 0, 2), "misaligned", Arg{Array: out})
}

// A buffer that lies where another is still needed.
func TestOverlappingBuffers(t *testing.T) {
	k := newKernel(1)
	out := k.pointer("out")
	a, b := k.f.NewShared(128, 4), k.f.NewShared(128, 4)
	at := k.do(lir.OpMul, k.thread(), k.I32(4))
	k.Store(lir.Mem{Space: lir.Shared, Buffer: a}, at, nil, k.thread())
	k.Store(lir.Mem{Space: lir.Shared, Buffer: b}, at, nil, k.I32(5))
	v := k.Load(lir.Mem{Space: lir.Shared, Buffer: a}, lir.I32, 1, at, nil, nil)
	w := k.Load(lir.Mem{Space: lir.Shared, Buffer: b}, lir.I32, 1, at, nil, nil)
	k.Store(lir.Mem{}, k.at(out, k.thread(), 4), nil, k.do(lir.OpAdd, v[0], w[0]))
	f := k.finish(t, true)
	dst := words(32)
	if run(t, f, Arg{Array: dst}); get(dst, 3) != 8 {
		t.Errorf("%d", get(dst, 3))
	}
	f.Shared[1].Offset = f.Shared[0].Offset
	refused(t, f, "overwritten", Arg{Array: dst})
}

// Each thread has its own bounds; what is carried changes places.
func TestLoops(t *testing.T) {
	k := newKernel(1)
	out := k.pointer("out")
	fib := k.For(false, k.I32(0), k.thread(), k.I32(1), []*lir.Value{k.I32(0), k.I32(1)}, func(_ *lir.Value, c []*lir.Value) []*lir.Value {
		return []*lir.Value{c[1], k.do(lir.OpAdd, c[0], c[1])}
	})
	// The number of halvings until 0, and what was left before the last.
	steps := k.While([]*lir.Value{k.thread(), k.I32(0)}, func(c []*lir.Value) (*lir.Value, []*lir.Value) {
		return k.less(k.I32(0), c[0]), c
	}, func(c []*lir.Value) []*lir.Value {
		return []*lir.Value{k.Pure(lir.OpShrU, 0, lir.I32, 0, c[0], k.I32(1)), k.do(lir.OpAdd, c[1], k.I32(1))}
	})
	odd := k.IfEach(k.Pure(lir.OpTrunc, 0, lir.I1, 0, k.thread()), func() []*lir.Value { return []*lir.Value{fib[0]} },
		func() []*lir.Value { return []*lir.Value{k.do(lir.OpAdd, steps[1], k.I32(1000))} })
	k.Store(lir.Mem{}, k.at(out, k.thread(), 4), nil, odd...)
	dst := words(32)
	run(t, k.finish(t, true), Arg{Array: dst})
	for i, want := range map[int]uint32{1: 1, 7: 13, 9: 34, 31: 1346269, 0: 1000, 2: 1002, 8: 1004, 30: 1005} {
		if got := get(dst, i); got != want {
			t.Errorf("thread %d has %d, want %d", i, got, want)
		}
	}
}

// A barrier in a loop is come to as often as the loop goes, and not once more.
func TestBarrierInWhile(t *testing.T) {
	k := newKernel(2)
	k.While([]*lir.Value{k.I32(0)}, func(c []*lir.Value) (*lir.Value, []*lir.Value) {
		return k.less(c[0], k.I32(3)), c
	}, func(c []*lir.Value) []*lir.Value {
		k.Emit(&lir.Op{Code: lir.OpBarrier})
		return []*lir.Value{k.do(lir.OpAdd, c[0], k.I32(1))}
	})
	if r := run(t, k.finish(t, true)); r.Barriers != 3 {
		t.Errorf("%d barriers", r.Barriers)
	}
}

func TestEndless(t *testing.T) {
	k := newKernel(1)
	k.While(nil, func([]*lir.Value) (*lir.Value, []*lir.Value) { return k.Bool(true), nil }, func([]*lir.Value) []*lir.Value { return nil })
	f := k.finish(t, true)
	refused(t, f, "work")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, f, Launch{Grid: [3]uint32{1, 1, 1}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestWarps(t *testing.T) {
	k := newKernel(2)
	out := k.pointer("out")
	x := k.do(lir.OpMul, k.thread(), k.thread())
	shuffle := func(mode lir.ShuffleMode, by *lir.Value) *lir.Value {
		return k.Emit(&lir.Op{Code: lir.OpShuffle, Mod: uint8(mode), Args: []*lir.Value{x, by}}, lir.I32)[0]
	}
	vals := []*lir.Value{
		shuffle(lir.ShuffleXor, k.I32(5)), shuffle(lir.ShuffleUp, k.I32(3)), shuffle(lir.ShuffleDown, k.I32(3)), shuffle(lir.ShuffleIdx, k.I32(34)),
		k.Emit(&lir.Op{Code: lir.OpBallot, Args: []*lir.Value{k.Pure(lir.OpTrunc, 0, lir.I1, 0, k.thread())}}, lir.I32)[0],
		k.Emit(&lir.Op{Code: lir.OpRedux, Mod: uint8(tile.AtomicMaxS), Args: []*lir.Value{x}}, lir.I32)[0],
	}
	for i, v := range vals {
		k.Store(lir.Mem{Offset: int64(256 * i)}, k.at(out, k.thread(), 4), nil, v)
	}
	dst := words(64 * len(vals))
	run(t, k.finish(t, true), Arg{Array: dst})
	for i := range vals {
		for _, th := range []int{0, 2, 31, 32, 33, 63} {
			lane, base := th%32, th/32*32
			from := map[int]int{0: lane ^ 5, 1: lane - 3, 2: lane + 3, 3: 2, 5: 31}[i] + base
			if from < base || from >= base+32 {
				from = th
			}
			want := uint32(from * from)
			if i == 4 {
				want = 0xaaaaaaaa
			}
			if got := get(dst, 64*i+th); got != want {
				t.Errorf("operation %d: thread %d has %d, want %d", i, th, got, want)
			}
		}
	}
}

func TestAtomics(t *testing.T) {
	k := newKernel(2)
	out, old := k.pointer("out"), k.pointer("old")
	one := k.Const(lir.F32, uint64(math.Float32bits(1)))
	k.Emit(&lir.Op{Code: lir.OpAtomicRMW, Args: []*lir.Value{out, one}, Mem: &lir.Mem{Kind: tile.AtomicFAdd}})
	prev := k.Emit(&lir.Op{Code: lir.OpAtomicRMW, Args: []*lir.Value{out, k.Pure(lir.OpTrunc, 0, lir.I1, 0, k.thread()), k.I32(1)},
		Mem: &lir.Mem{Kind: tile.AtomicAdd, Offset: 4, Pred: true}}, lir.I32)
	k.Store(lir.Mem{}, k.at(old, k.thread(), 4), nil, prev...)
	k.Emit(&lir.Op{Code: lir.OpAtomicCAS, Args: []*lir.Value{out, k.I32(0), k.do(lir.OpAdd, k.thread(), k.I32(1))}, Mem: &lir.Mem{Offset: 8}}, lir.I32)
	dst, before := words(4), words(64)
	run(t, k.finish(t, true), Arg{Array: dst}, Arg{Array: before})
	if math.Float32frombits(get(dst, 0)) != 64 || get(dst, 1) != 32 || get(dst, 2) != 1 {
		t.Errorf("%d %d %d", get(dst, 0), get(dst, 1), get(dst, 2))
	}
	if get(before, 2) != 0 || get(before, 3) != 1 || get(before, 63) != 31 {
		t.Errorf("%d %d %d", get(before, 2), get(before, 3), get(before, 63))
	}
}

// Columns of a matrix of 32 words a row are all in one bank; with a word between the rows they are not.
func TestBankConflicts(t *testing.T) {
	for pitch, worst := range map[int]float64{32: 32, 33: 1} {
		k := newKernel(1)
		out := k.pointer("out")
		s := k.f.NewShared(4*32*pitch, 4)
		m := lir.Mem{Space: lir.Shared, Buffer: s}
		at := k.do(lir.OpMul, k.thread(), k.I32(4*pitch))
		k.Store(m, at, nil, k.thread())
		v := k.Load(m, lir.I32, 1, at, nil, nil)
		k.Store(lir.Mem{}, k.at(out, k.do(lir.OpMul, k.thread(), k.I32(8)), 4), nil, v...)
		for _, a := range run(t, k.finish(t, true), Arg{Array: words(256)}).Accesses {
			want := worst
			if a.Space == lir.Global {
				want = 8 // each word is alone in its sector
			}
			if a.Excess() != want || a.Requests != 1 || !strings.Contains(a.String(), "1 requests") {
				t.Errorf("pitch %d: %s", pitch, a.String())
			}
		}
	}
}

func TestPrintAndAssert(t *testing.T) {
	k := newKernel(1)
	n := k.scalar("n", lir.I32)
	k.Emit(&lir.Op{Code: lir.OpPrint, Args: []*lir.Value{k.thread(), n, k.Const(lir.F64, math.Float64bits(0.5))}, Text: &lir.Text{Format: "%u: %5d %llx %g%%\n"}})
	k.Emit(&lir.Op{Code: lir.OpAssert, Args: []*lir.Value{k.less(k.thread(), n)}, Text: &lir.Text{Format: "too large"}})
	f := k.finish(t, true)
	var out strings.Builder
	_, err := Run(t.Context(), f, Launch{Grid: [3]uint32{1, 1, 1}, Args: []Arg{{Bits: 31}}, Stdout: &out})
	if !errors.Is(err, diag.Check) || !strings.Contains(err.Error(), "too large (thread 31), in program (0, 0, 0)") {
		t.Error(err)
	}
	if lines := strings.Split(out.String(), "\n"); len(lines) != 33 || lines[3] != "3:    31 3fe0000000000000 %!g%" {
		t.Errorf("%q", lines[3])
	}
	if _, err := Run(t.Context(), f, Launch{Grid: [3]uint32{1, 1, 1}}); !errors.Is(err, diag.Argument) {
		t.Error(err)
	}
}
