package cpu

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// fence lies on both sides of an array: what is written there was written out of bounds.
const fence = 8

// fenced gives an array of n elements of which the neighbours can be checked.
func fenced(n int) (whole, inner []int32) {
	whole = make([]int32, n+2*fence)
	for i := range whole {
		whole[i] = int32(-1 - i)
	}
	return whole, whole[fence : fence+n : fence+n]
}

func fenceIntact(whole []int32) bool {
	for i, v := range whole {
		if (i < fence || i >= len(whole)-fence) && v != int32(-1-i) {
			return false
		}
	}
	return true
}

// accessKernel loads through x + index and stores through y + index where mask says so.
func accessKernel(t testing.TB, n int) *tile.Module {
	return parse(t, strings.NewReplacer("N", fmt.Sprint(n)).Replace(`
func @access(%x: ptr<i32>, %y: ptr<i32>, %index: ptr<i64>, %mask: ptr<i8>, %other: i32) -> () {
  %r = range {start = 0, end = N} : Nxi32
  %ip = splat %index : Nxptr<i64>
  %iq = addptr %ip, %r : Nxptr<i64>
  %i = load %iq : Nxi64
  %mp = splat %mask : Nxptr<i8>
  %mq = addptr %mp, %r : Nxptr<i8>
  %mb = load %mq : Nxi8
  %m = trunc %mb : Nxi1
  %o = splat %other : Nxi32
  %xp = splat %x : Nxptr<i32>
  %xq = addptr %xp, %i : Nxptr<i32> loc #2
  %v = load %xq, %m, %o : Nxi32 loc #2
  %yp = splat %y : Nxptr<i32>
  %yq = addptr %yp, %i : Nxptr<i32>
  store %yq, %v, %m loc #3
  return
}
loc #1 = "k.py":40:3-8
loc #2 = "k.py":10:9-15 <- #1
loc #3 = "k.py":11:5-10 <- #1
`))
}

// Random masks and indices, in runs and scattered: what is in bounds arrives, what is not is an
// error and nothing outside is written.
// TestStoreUpToTheEnd stores past an array's end: nothing of the run of addresses that crosses it.
func TestStoreUpToTheEnd(t *testing.T) {
	m := parse(t, `func @k(%x: ptr<i32>) -> () {
  %r = range {start = 0, end = 4} : 4xi32
  %one = const 1 : 4xi32
  %ps = splat %x : 4xptr<i32>
  %ptrs = addptr %ps, %r : 4xptr<i32>
  store %ptrs, %one
  return
}`)
	x := make([]int32, 4)
	wantCheck(t, launchOn(compile(t, m), 1, arrayOf("x", x[:3])), "out-of-bounds")
	if x[0] != 0 || x[3] != 0 {
		t.Errorf("x is %v", x)
	}
}

func TestMaskedAccess(t *testing.T) {
	const n, size = 32, 40
	p, err := Compile(accessKernel(t, n), Options{})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		_, x := fenced(size)
		whole, y := fenced(size)
		before := slices.Clone(y)
		index, mask := make([]int64, n), make([]uint8, n)
		next := int64(0)
		for i := range index {
			if rapid.IntRange(0, 3).Draw(rt, "jump") == 0 {
				next = rapid.Int64Range(0, size-1).Draw(rt, "to")
			}
			index[i] = next % size
			mask[i] = rapid.SampledFrom([]uint8{0, 1, 1, 1}).Draw(rt, "mask")
			if mask[i] == 0 && rapid.Bool().Draw(rt, "far") {
				index[i] = 1 << 40 // masked off: nobody looks there
			}
			next++
		}
		bad := -1
		if rapid.IntRange(0, 3).Draw(rt, "bad") == 0 {
			bad = rapid.IntRange(0, n-1).Draw(rt, "where")
			mask[bad] = 1
			index[bad] = rapid.SampledFrom([]int64{-1, size, size + 1, -1 << 40, 1 << 40}).Draw(rt, "index")
		}
		err := launchOn(p, 1, arrayOf("x", x), arrayOf("y", y), arrayOf("index", index), arrayOf("mask", mask), Arg{Bits: 77})
		if !fenceIntact(whole) {
			rt.Fatal("something was written outside of the array")
		}
		if bad >= 0 {
			d := wantCheck(t, err, "out-of-bounds")
			if where := fmt.Sprintf("element %d of x, which has 40 elements, at element (%d) of the tile", index[bad], bad); !strings.Contains(d.Msg, where) {
				rt.Fatalf("the message is %q, without %q", d.Msg, where)
			}
			if !slices.Equal(y, before) {
				rt.Fatal("the store was made although the load failed")
			}
			return
		}
		if err != nil {
			rt.Fatal(err)
		}
		want := before
		for i := range index {
			if mask[i] != 0 {
				want[index[i]] = x[index[i]]
			}
		}
		if !slices.Equal(y, want) {
			rt.Fatalf("stored %v, want %v", y, want)
		}
	})
}

func TestOutOfBoundsMessage(t *testing.T) {
	m := accessKernel(t, 4)
	p, err := Compile(m, Options{LineText: func(file string, line int) string {
		return fmt.Sprintf("    v = tl.load(x)  # %s %d", file, line)
	}})
	if err != nil {
		t.Fatal(err)
	}
	x, y := make([]int32, 5), make([]int32, 5)
	err = p.Run(context.Background(), Launch{Grid: [3]int32{1, 1, 1}, Args: []Arg{
		arrayOf("x", x), arrayOf("y", y), arrayOf("index", []int64{2, 3, 4, 5}), arrayOf("mask", []uint8{1, 1, 1, 1}), {}}})
	got := diag.Detail(wantCheck(t, err, "out-of-bounds"))
	want := `k.py:10:9: CheckError: load out of bounds: element 5 of x, which has 5 elements, at element (3) of the tile in program (0, 0, 0)
        v = tl.load(x)  # k.py 10
            ^~~~~~
k.py:40:3: note: called from here
        v = tl.load(x)  # k.py 40
      ^~~~~
`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestLoadOther(t *testing.T) {
	got := make([]int32, 4)
	x := []int32{1, 2, 3, 4}
	out := make([]int32, 4)
	m := parse(t, `
func @k(%x: ptr<i32>, %y: ptr<i32>, %z: ptr<i32>) -> () {
  %r = range {start = 0, end = 4} : 4xi32
  %c = const 2 : 4xi32
  %m = cmpi %r, %c {lts} : 4xi1
  %o = const 9 : 4xi32
  %xp = splat %x : 4xptr<i32>
  %xq = addptr %xp, %r : 4xptr<i32>
  %v = load %xq, %m, %o : 4xi32
  %w = load %xq, %m : 4xi32
  %yp = splat %y : 4xptr<i32>
  %yq = addptr %yp, %r : 4xptr<i32>
  store %yq, %v
  %zp = splat %z : 4xptr<i32>
  %zq = addptr %zp, %r : 4xptr<i32>
  store %zq, %w
  return
}`)
	run(t, m, arrays(x, got, out)...)
	if !slices.Equal(got, []int32{1, 2, 9, 9}) || !slices.Equal(out, []int32{1, 2, 0, 0}) {
		t.Errorf("with other %v, without %v", got, out)
	}
}

func TestMisaligned(t *testing.T) {
	m := parse(t, `
func @k(%x: ptr<i8>) -> () {
  %one = const 1 : i32
  %p = addptr %x, %one : ptr<i8>
  %q = bitcast %p : ptr<i32>
  %v = load %q : i32
  return
}`)
	err := launchOn(compile(t, m), 1, arrayOf("x", make([]int32, 4)))
	if d := wantCheck(t, err, "misaligned"); !strings.Contains(d.Msg, "misaligned load: byte 1 of x") {
		t.Errorf("the message is %q", d.Msg)
	}
}

func TestForeignPointers(t *testing.T) {
	m := parse(t, `
func @k(%x: i64, %y: ptr<i32>) -> () {
  %p = inttoptr %x : ptr<i32>
  %v = load %p : i32
  store %y, %v
  return
}`)
	p := compile(t, m)
	in, out, other := []int32{5}, make([]int32, 1), []int32{6}
	// An address that lies in an argument is accepted, any other is not.
	addr := func(s []int32) uint64 { return uint64(uintptr(unsafe.Pointer(&s[0]))) }
	if err := launchOn(p, 1, Arg{Bits: addr(out)}, arrayOf("y", out)); err != nil {
		t.Fatal(err)
	}
	for _, a := range []uint64{0, addr(other), addr(in), 1<<63 | addr(out), 7 << 48} {
		err := launchOn(p, 1, Arg{Bits: a}, arrayOf("y", out))
		if d := wantCheck(t, err, "out-of-bounds"); !strings.Contains(d.Msg, "pointer that is not into any array argument") {
			t.Errorf("the message is %q", d.Msg)
		}
	}
}

// A table of addresses, as a grouped kernel takes it, and pointers stored to memory.
func TestPointerTables(t *testing.T) {
	m := parse(t, `
func @k(%table: ptr<i64>, %x: ptr<f32>, %y: ptr<f32>, %slots: ptr<ptr<f32>>, %out: ptr<f32>) -> () {
  %zero = const 0 : i32
  %one = const 1 : i32
  %e0 = load %table : i64
  %p0 = inttoptr %e0 : ptr<f32>
  %p1 = addptr %p0, %one : ptr<f32>
  %v = load %p1 : f32
  store %out, %v
  %same = ptrtoint %p0 : i64
  %xi = ptrtoint %x : i64
  %eq = cmpi %same, %xi {eq} : i1
  assert %eq {msg = "an address from a table is the argument's"}
  store %slots, %y
  %back = load %slots : ptr<f32>
  %b1 = addptr %back, %one : ptr<f32>
  %w = load %b1 : f32
  %o1 = addptr %out, %one : ptr<f32>
  store %o1, %w
  return
}`)
	x, y, out := []float32{1, 2}, []float32{3, 4}, make([]float32, 2)
	table, slots := []uint64{uint64(uintptr(unsafe.Pointer(&x[0])))}, make([]uint64, 1)
	run(t, m, arrays(table, x, y, slots, out)...)
	if out[0] != 2 || out[1] != 4 {
		t.Errorf("loaded %v", out)
	}
	if want := uint64(uintptr(unsafe.Pointer(&y[0]))); slots[0] != want {
		t.Errorf("the pointer was stored as %#x, its address is %#x", slots[0], want)
	}
}

func TestEmptyArray(t *testing.T) {
	m := parse(t, `
func @k(%x: ptr<i32>) -> () {
  %v = load %x : i32
  return
}`)
	err := launchOn(compile(t, m), 1, Arg{Array: &Array{Name: "x", ElemBytes: 4}})
	if d := wantCheck(t, err, "out-of-bounds"); !strings.Contains(d.Msg, "element 0 of x, which has 0 elements") {
		t.Errorf("the message is %q", d.Msg)
	}
}

// Arithmetic may lead a pointer out of its array and back.
func TestPointerReturns(t *testing.T) {
	m := parse(t, `
func @k(%x: ptr<i32>, %y: ptr<i32>) -> () {
  %far = const -1000000 : i64
  %near = const 1000001 : i32
  %p = addptr %x, %far : ptr<i32>
  %q = addptr %p, %near : ptr<i32>
  %v = load %q : i32
  store %y, %v
  return
}`)
	y := make([]int32, 1)
	run(t, m, arrays([]int32{1, 2}, y)...)
	if y[0] != 2 {
		t.Errorf("loaded %d, want 2", y[0])
	}
}

// Offsets of every width are signed; one offset may be the same for all pointers.
func TestAddPtr(t *testing.T) {
	const n = 8
	for _, width := range []int{8, 16, 32, 64} {
		e := elemOfWidth[width]
		x, index, got := make([]int32, n), make([]uint64, n), make([]int32, n)
		for i := range x {
			x[i], index[i] = int32(i), uint64(-i)&(1<<(width-1)*2-1)
		}
		m := kernelOf(t, []tile.Type{tileOf(e, n), tileOf(tile.I32, n)}, func(b *tile.Builder, in []*tile.Value) []*tile.Value {
			base := b.Splat(b.Func.Body.Args[1], in[1].Type)
			last := b.AddPtr(base, b.Const(tileOf(e, n), n-1))         // one pointer, one offset
			back := b.AddPtr(last, in[0])                              // one pointer, many offsets
			again := b.AddPtr(back, b.Const(tileOf(e, n), 1<<width-1)) // many pointers, one offset of -1
			again = b.AddPtr(again, b.Const(tileOf(e, n), 1))
			return []*tile.Value{b.Load(again, nil, nil, tile.LoadAttr{})}
		})
		run(t, m, arrays(packed(width, index), x, got)...)
		for i, v := range got {
			if v != int32(n-1-i) {
				t.Fatalf("i%d: element %d is %d, want %d", width, i, v, n-1-i)
			}
		}
	}
}

// An array of other elements than the access's is measured in bytes.
func TestOutOfBoundsInBytes(t *testing.T) {
	m := parse(t, `
func @k(%x: ptr<i32>) -> () {
  %two = const 2 : i32
  %p = addptr %x, %two : ptr<i32>
  %v = load %p : i32
  return
}`)
	err := launchOn(compile(t, m), 1, arrayOf("x", make([]uint16, 5)))
	if d := wantCheck(t, err, "out-of-bounds"); !strings.Contains(d.Msg, "element 2 of x, which has 10 bytes") {
		t.Errorf("the message is %q", d.Msg)
	}
}
