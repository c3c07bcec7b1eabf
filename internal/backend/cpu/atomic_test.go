package cpu

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/tile"
)

// atomicKernel applies an atomic of each lane of a tile to one element; every lane keeps the
// old value.
func atomicKernel(t testing.TB, e tile.Elem, lanes int, k tile.Atomic) *tile.Module {
	t.Helper()
	m := &tile.Module{}
	f := &tile.Func{Name: "k", Params: []tile.Param{{Name: "at"}, {Name: "x"}, {Name: "old"}}}
	m.Funcs = []*tile.Func{f}
	b := tile.NewBuilder(m, f)
	p := tile.PtrTo(tile.Scalar(e))
	f.Body = b.NewBlock(p, p, p)
	b.SetBlock(f.Body)
	typ := tileOf(e, lanes)
	x := b.Load(pointers(b, f.Body.Args[1], typ), nil, nil, tile.LoadAttr{})
	old := b.AtomicRMW(b.Splat(f.Body.Args[0], typ), x, nil, tile.AtomicAttr{Kind: k})
	b.Store(pointers(b, f.Body.Args[2], typ), old, nil, tile.StoreAttr{})
	b.Op(tile.OpReturn, nil, nil)
	if err := tile.Verify(m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAtomicKinds(t *testing.T) {
	ints := map[tile.Atomic]tile.Code{
		tile.AtomicAdd: tile.OpAdd, tile.AtomicAnd: tile.OpAnd, tile.AtomicOr: tile.OpOr, tile.AtomicXor: tile.OpXor,
		tile.AtomicMaxS: tile.OpMaxS, tile.AtomicMaxU: tile.OpMaxU, tile.AtomicMinS: tile.OpMinS, tile.AtomicMinU: tile.OpMinU,
	}
	for kind, code := range ints {
		for _, width := range []int{8, 16, 32, 64} {
			x := integers(width, 64, 9)
			now := x[40]
			at, old := packed(width, []uint64{now}), packed(width, make([]uint64, 64))
			run(t, atomicKernel(t, elemOfWidth[width], 64, kind), arrays(at, packed(width, x), old)...)
			for i, v := range x {
				if got := unpacked(old)[i]; got != now {
					t.Fatalf("%s of i%d: old value %d is %#x, want %#x", code, width, i, got, now)
				}
				now = wrapped(integerOps[code](signedBig(now, width), signedBig(v, width), unsignedBig(now), unsignedBig(v), width), width)
			}
			if got := unpacked(at)[0]; got != now {
				t.Errorf("%s of i%d leaves %#x, want %#x", code, width, got, now)
			}
		}
	}
}

func TestAtomicFloats(t *testing.T) {
	ops := map[tile.Atomic]func(x, y float64) float64{
		tile.AtomicFAdd: func(x, y float64) float64 { return x + y },
		tile.AtomicFMax: skipNaN(math.Max),
		tile.AtomicFMin: skipNaN(math.Min),
	}
	for kind, f := range ops {
		for _, e := range []tile.Elem{tile.F8E5M2, tile.BF16, tile.F16, tile.F32, tile.F64} {
			d := e.DType()
			x := make([]uint64, 16)
			for i := range x {
				x[i] = d.Encode(math.Sin(float64(i*i)) * 3)
			}
			now := d.Encode(0.25)
			at, old := packed(e.Bits(), []uint64{now}), packed(e.Bits(), make([]uint64, 16))
			run(t, atomicKernel(t, e, 16, kind), arrays(at, packed(e.Bits(), x), old)...)
			for i := range x {
				if got := unpacked(old)[i]; got != now {
					t.Fatalf("atomic %d of %s: old value %d is %#x, want %#x", kind, e, i, got, now)
				}
				now = throughF32(e, f(d.Decode(now), d.Decode(x[i])))
			}
			if got := unpacked(at)[0]; got != now {
				t.Errorf("atomic %d of %s leaves %#x, want %#x", kind, e, got, now)
			}
		}
	}
}

// Many programs add to the elements of arrays that are not whole words: no addition is lost and
// no neighbour is touched.
func TestAtomicAddIsAtomic(t *testing.T) {
	const programs, lanes = 300, 16
	for _, size := range []int{1, 3, 7} {
		for first := range 3 {
			x := make([]uint16, size+8)
			inner := x[first : first+size : first+size]
			p := compile(t, parse(t, fmt.Sprintf(`
func @k(%%x: ptr<i16>) -> () {
  %%r = range {start = 0, end = %d} : %[1]dxi32
  %%n = const %d : %[1]dxi32
  %%i = remu %%r, %%n : %[1]dxi32
  %%p = splat %%x : %[1]dxptr<i16>
  %%q = addptr %%p, %%i : %[1]dxptr<i16>
  %%one = const 1 : %[1]dxi16
  %%old = atomic_rmw %%q, %%one {add} : %[1]dxi16
  return
}`, lanes, size)))
			if err := launchOn(p, programs, arrayOf("x", inner)); err != nil {
				t.Fatal(err)
			}
			for i, v := range x {
				want := 0
				if k := i - first; k >= 0 && k < size {
					want = programs * ((lanes + size - 1 - k) / size)
				}
				if int(v) != want {
					t.Errorf("size %d from %d: element %d is %d, want %d", size, first, i, v, want)
				}
			}
		}
	}
}

func TestAtomicMask(t *testing.T) {
	x, old := make([]int32, 4), []int32{-1, -1, -1, -1}
	m := parse(t, `
func @k(%x: ptr<i32>, %old: ptr<i32>) -> () {
  %r = range {start = 0, end = 4} : 4xi32
  %two = const 2 : 4xi32
  %m = cmpi %r, %two {lts} : 4xi1
  %far = const 1000 : 4xi32
  %i = select %m, %r, %far : 4xi32
  %p = splat %x : 4xptr<i32>
  %q = addptr %p, %i : 4xptr<i32>
  %v = atomic_rmw %q, %two, %m {add} : 4xi32
  %w = atomic_rmw %q, %two, %m {xchg} : 4xi32
  %op = splat %old : 4xptr<i32>
  %oq = addptr %op, %r : 4xptr<i32>
  %s = add %v, %w : 4xi32
  store %oq, %s
  return
}`)
	run(t, m, arrays(x, old)...)
	if !slices.Equal(x, []int32{2, 2, 0, 0}) || !slices.Equal(old, []int32{2, 2, 0, 0}) {
		t.Errorf("x is %v, old values %v", x, old)
	}
}

func TestAtomicCAS(t *testing.T) {
	x, old := []uint16{dtype.F32ToF16(1), 7}, make([]uint16, 2)
	m := kernelOf(t, []tile.Type{tileOf(tile.I16, 2)}, func(b *tile.Builder, in []*tile.Value) []*tile.Value {
		p := b.Func.Body.Args[0]
		return []*tile.Value{b.AtomicCAS(pointers(b, p, in[0].Type), b.Const(in[0].Type, 7), b.Const(in[0].Type, 9), tile.AtomicAttr{})}
	})
	run(t, m, arrays(x, old)...)
	if x[0] != dtype.F32ToF16(1) || x[1] != 9 || old[0] != x[0] || old[1] != 7 {
		t.Errorf("x is %v, old values %v", x, old)
	}
}

// A lock: each program enters alone.
func TestAtomicLock(t *testing.T) {
	const programs = 200
	m := parse(t, `
func @k(%lock: ptr<i32>, %x: ptr<i32>) -> () {
  %zero = const 0 : i32
  %one = const 1 : i32
  while {
    %old = atomic_cas %lock, %zero, %one : i32
    %taken = cmpi %old, %zero {ne} : i1
    condition %taken
  } do {
    yield
  }
  %v = load %x {volatile} : i32
  %w = add %v, %one : i32
  store %x, %w
  %o = atomic_rmw %lock, %zero {xchg} : i32
  return
}`)
	lock, x := make([]int32, 1), make([]int32, 1)
	if err := launchOn(compile(t, m), programs, arrays(lock, x)...); err != nil {
		t.Fatal(err)
	}
	if x[0] != programs {
		t.Errorf("counted %d, want %d", x[0], programs)
	}
}

// TestAtomicAliases adds to an element through two arguments of different extents, in two launches at a time.
func TestAtomicAliases(t *testing.T) {
	m := parse(t, `func @f(%whole: ptr<i16>, %part: ptr<i16>) -> () {
  %c0 = const 0 : i32
  %c1 = const 1 : i32
  %n = const 500 : i32
  %two = const 2 : i32
  %one = const 1 : i16
  %p = addptr %whole, %two : ptr<i16>
  %q = addptr %part, %two : ptr<i16>
  for %c0, %n, %c1 (%i: i32) {
    %a = atomic_rmw %p, %one {add} : i16
    %b = atomic_rmw %q, %one {add} : i16
    yield
  }
  return
}`)
	p := compile(t, m)
	at := make([]uint16, 4)
	args := []Arg{arrayOf("whole", at), arrayOf("part", at)}
	args[1].Array.Bytes = 6
	var wg sync.WaitGroup
	const programs, launches = 16, 2
	for range launches {
		wg.Go(func() {
			if err := p.Run(context.Background(), Launch{Grid: [3]int32{programs, 1, 1}, Args: args, Threads: 4}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if want := uint16(programs * launches * 1000); at[2] != want {
		t.Errorf("%d additions of 1 give %d", want, at[2])
	}
}

func TestAtomicBounds(t *testing.T) {
	m := parse(t, `
func @k(%x: ptr<i16>) -> () {
  %three = const 3 : i32
  %q = addptr %x, %three : ptr<i16>
  %one = const 1 : i16
  %old = atomic_rmw %q, %one {add} : i16
  return
}`)
	x := make([]uint16, 4)
	err := launchOn(compile(t, m), 1, arrayOf("x", x[:3]))
	wantCheck(t, err, "out-of-bounds")
	if x[3] != 0 {
		t.Error("written out of bounds")
	}
}
