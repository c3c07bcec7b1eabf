package native

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tegula-lang/tegula/internal/diag"
)

// spin adds 1 to a scalar n times.
const spin = `
func @spin(%out: ptr<i64>, %n: i64) -> () {
  %zero = const 0 : i64
  %one = const 1 : i64
  %sum = for %zero, %n, %one, %zero : i64 (%i: i64, %s: i64) {
    %t = add %s, %i : i64
    %u = xor %t, %one : i64
    yield %u
  }
  store %out, %sum
  return
}
`

func compileText(t *testing.T, text string) *Program {
	t.Helper()
	needNative(t)
	p, err := Compile(parse(t, text), options())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func spinFor(n int64) Launch {
	out := make([]byte, 8)
	return Launch{Grid: [3]int32{1, 1, 1}, Args: []Arg{{Base: pointerTo(out), Bytes: 8}, {Bits: uint64(n)}}}
}

// A program that would run for years ends when its launch is cancelled.
func TestCancelWithinAProgram(t *testing.T) {
	p := compileText(t, spin)
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	time.AfterFunc(5*time.Millisecond, func() { cancel(why) })
	if err := p.Run(ctx, spinFor(math.MaxInt64)); !errors.Is(err, why) {
		t.Errorf("%v", err)
	}
}

// Garbage collections end while a program runs on for years. How long they take is between Go's scheduler and the machine: on one processor they are
// hundreds of times slower than alone, as beside any loop of Go's.
func TestCollectionWithinAProgram(t *testing.T) {
	p := compileText(t, spin)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var over atomic.Bool
	go func() {
		_ = p.Run(ctx, spinFor(math.MaxInt64))
		over.Store(true)
	}()
	for range 2 {
		runtime.GC()
	}
	if over.Load() {
		t.Error("the program ended on its own")
	}
}

// What a paused program has computed so far is kept.
func TestPausesKeepValues(t *testing.T) {
	in := []input{{data: make([]byte, 8)}, {bits: 3_000_000}}
	runNative(t, compileText(t, spin), [3]int32{1, 1, 1}, in)
	want := uint64(0)
	for i := range uint64(3_000_000) {
		want = (want + i) ^ 1
	}
	if got := binary.LittleEndian.Uint64(in[0].data); got != want {
		t.Errorf("%d, want %d", got, want)
	}
}

func TestFaultIsAnError(t *testing.T) {
	p := compileText(t, vectorAdd)
	data := make([]byte, 4096)
	args := []Arg{{Base: pointerTo(data), Bytes: 4096}, {Bits: 0}, {Base: pointerTo(data), Bytes: 4096}, {Bits: 1024}}
	for _, addr := range []uint64{0, 64, 1 << 45, 1 << 60} {
		args[1].Bits = addr
		err := p.Run(context.Background(), Launch{Grid: [3]int32{9, 2, 1}, Args: args})
		if !errors.Is(err, diag.Driver) || !strings.Contains(err.Error(), "vector_add") {
			t.Errorf("%#x: %v", addr, err)
		}
	}
	args[1] = args[0]
	if err := p.Run(context.Background(), Launch{Grid: [3]int32{1, 1, 1}, Args: args}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func BenchmarkSpin(b *testing.B) {
	needNative(b)
	p, err := Compile(parse(b, spin), options())
	if err != nil {
		b.Fatal(err)
	}
	l := spinFor(int64(b.N))
	if err := p.Run(b.Context(), l); err != nil {
		b.Fatal(err)
	}
}

// What a launch costs: of one program that does nothing, of many, and of many that are some work.
func BenchmarkLaunch(b *testing.B) {
	needNative(b)
	empty, err := Compile(parse(b, "func @k(%p: ptr<f32>, %n: i32) -> () {\n  return\n}\n"), options())
	if err != nil {
		b.Fatal(err)
	}
	add, err := Compile(parse(b, vectorAdd), options())
	if err != nil {
		b.Fatal(err)
	}
	const n = 64 * 1024
	in := []input{floats(n, 1), floats(n, 2), floats(n, 3), {bits: n}}
	for _, c := range []struct {
		name string
		p    *Program
		grid int32
		in   []input
	}{
		{"one", empty, 1, []input{in[0], in[3]}}, {"many", empty, 1000, []input{in[0], in[3]}}, {"add one", add, 1, in}, {"add many", add, 64, in},
	} {
		b.Run(c.name, func(b *testing.B) {
			l := Launch{Grid: [3]int32{c.grid, 1, 1}, Args: nativeArgs(c.in)}
			for b.Loop() {
				if err := c.p.Run(context.Background(), l); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Each program says that it is there and waits until the other is.
const meet = `
func @meet(%flags: ptr<i32>) -> () {
  %pid = program_id {axis = 0} : i32
  %one = const 1 : i32
  %other = sub %one, %pid : i32
  %mine = addptr %flags, %pid : ptr<i32>
  %theirs = addptr %flags, %other : ptr<i32>
  %zero = const 0 : i32
  %was = atomic_rmw %mine, %one {xchg} : i32
  while {
    %there = atomic_rmw %theirs, %zero {or} : i32
    %missing = cmpi %there, %zero {eq} : i1
    condition %missing
  } do {
    yield
  }
  return
}
`

func TestProgramsThatWaitForEachOther(t *testing.T) {
	p := compileText(t, meet)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			flags := make([]byte, 8)
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			l := Launch{Grid: [3]int32{2, 1, 1}, Args: []Arg{{Base: pointerTo(flags), Bytes: 8}}, Threads: 2}
			if err := p.Run(ctx, l); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// Launches from many goroutines at once, each with as many threads as it likes, share the helpers.
func TestManyLaunches(t *testing.T) {
	p := compileText(t, vectorAdd)
	const most = 20 * 1024
	x, y, want := floats(most, 1), floats(most, 2), make([]byte, 4*most)
	runNative(t, p, [3]int32{20, 1, 1}, []input{x, y, {data: want}, {bits: most}})
	for e := range most {
		if got := f32At(want, 4*e); got != f32At(x.data, 4*e)+f32At(y.data, 4*e) {
			t.Fatalf("element %d is %v", e, got)
		}
	}
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			got := make([]byte, 4*most)
			for k := range 10 {
				n := 2048*(k+1) - i
				clear(got)
				l := Launch{Grid: [3]int32{int32(2*k + 2), 1, 1}, Args: nativeArgs([]input{x, y, {data: got}, {bits: uint64(n)}}), Threads: 1 + i%64}
				if err := p.Run(context.Background(), l); err != nil {
					t.Error(err)
				}
				if !bytes.Equal(got[:4*n], want[:4*n]) || bytes.ContainsFunc(got[4*n:], func(r rune) bool { return r != 0 }) {
					t.Errorf("%d elements on %d threads are not the sums, or there are more", n, l.Threads)
				}
			}
		})
	}
	wg.Wait()
}

// The error is that of the first program that fails, and those before it have run.
func TestFirstFailure(t *testing.T) {
	p := compileText(t, `
func @k(%out: ptr<i32>, %bad: i32) -> () {
  %pid = program_id {axis = 0} : i32
  %fine = cmpi %pid, %bad {lts} : i1
  assert %fine {msg = "too far"}
  %at = addptr %out, %pid : ptr<i32>
  store %at, %pid
  return
}
`)
	out := make([]byte, 4*1000)
	for i := range 1000 {
		binary.LittleEndian.PutUint32(out[4*i:], 1<<31)
	}
	err := p.Run(context.Background(), Launch{Grid: [3]int32{1000, 1, 1}, Args: []Arg{{Base: pointerTo(out), Bytes: 4000}, {Bits: 700}}, Threads: 3})
	if !errors.Is(err, diag.Check) || !strings.Contains(err.Error(), "too far") || !strings.Contains(err.Error(), "program (700, 0, 0)") {
		t.Error(err)
	}
	for i := range 700 {
		if got := binary.LittleEndian.Uint32(out[4*i:]); got != uint32(i) {
			t.Fatalf("program %d stored %d", i, got)
		}
	}
}

func TestWaits(t *testing.T) {
	for text, want := range map[string]bool{
		meet: true, spin: false, vectorAdd: false,
		`func @poll(%p: ptr<i32>) -> () {
  %one = const 1 : i32
  %met = atomic_poll %p, %one {sem = acquire} : i1
  return
}`: true,
		`func @add(%p: ptr<i32>, %n: i32) -> () {
  %zero = const 0 : i32
  %one = const 1 : i32
  for %zero, %n, %one (%i: i32) {
    %was = atomic_rmw %p, %one {add} : i32
    yield
  }
  return
}`: false,
	} {
		if got := waits(parse(t, text).Funcs[0]); got != want {
			t.Errorf("%t for\n%s", got, text)
		}
	}
}

// Lines that are stored to are asked for: by the reduction before, and by the loop before over the same range.
func TestStoresAreAskedFor(t *testing.T) {
	needNative(t)
	for name, text := range map[string]string{"a reduction": `
func @k(%x: ptr<f32>, %y: ptr<f32>) -> () {
  %i = range {start = 0, end = 256} : 256xi32
  %b = splat %x : 256xptr<f32>
  %p = addptr %b, %i : 256xptr<f32>
  %v = load %p : 256xf32
  %e = exp %v : 256xf32
  %s = reduce %e {axis = 0} : f32 (%a: f32, %c: f32) {
    %t = fadd %a, %c : f32
    yield %t
  }
  %ss = splat %s : 256xf32
  %q = fdiv %e, %ss : 256xf32
  %d = splat %y : 256xptr<f32>
  %o = addptr %d, %i : 256xptr<f32>
  store %o, %q
  return
}
`, "a loop": `
func @k(%x: ptr<f32>, %y: ptr<f32>, %n: i32) -> () {
  %zero = const 0 : i32
  %size = const 256 : i32
  %i = range {start = 0, end = 256} : 256xi32
  %none = const 0 : 256xf32
  %b = splat %x : 256xptr<f32>
  %d = splat %y : 256xptr<f32>
  %sum = for %zero, %n, %size, %none : 256xf32 (%at: i32, %acc: 256xf32) {
    %as = splat %at : 256xi32
    %c = add %as, %i : 256xi32
    %p = addptr %b, %c : 256xptr<f32>
    %v = load %p : 256xf32
    %t = fadd %acc, %v : 256xf32
    yield %t
  }
  for %zero, %n, %size (%at2: i32) {
    %as2 = splat %at2 : 256xi32
    %c2 = add %as2, %i : 256xi32
    %o = addptr %d, %c2 : 256xptr<f32>
    store %o, %sum
    yield
  }
  return
}
`} {
		opts := options()
		opts.Listing = true
		p, err := Compile(parse(t, text), opts)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(p.Listing(), "prefetchw"); n < 1 || n > 4 { // one for each strip of an iteration
			t.Errorf("%s: %d instructions ask for lines", name, n)
		}
	}
}
