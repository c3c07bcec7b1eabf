package native

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tegula-lang/tegula/internal/tile"
)

const printing = `
func @k(%n: i32) -> () {
  %pid = program_id {axis = 0} : i32
  print %pid {prefix = "p", signed = 0x1}
  return
}
`

// A writer launches when it is written to.
type launching struct {
	t     *testing.T
	p     *Program
	count int
}

func (w *launching) Write(b []byte) (int, error) {
	w.count++
	if err := w.p.Run(context.Background(), Launch{Grid: [3]int32{100, 1, 1}, Args: []Arg{{}, {}}, Threads: 4}); err != nil {
		w.t.Error(err)
	}
	return len(b), nil
}

// A launch may be made from within another one.
func TestLaunchWithinALaunch(t *testing.T) {
	w := &launching{t: t, p: compileText(t, "func @e(%p: ptr<f32>, %n: i32) -> () {\n  return\n}\n")}
	p := compileText(t, printing)
	if err := p.Run(context.Background(), Launch{Grid: [3]int32{20, 1, 1}, Args: []Arg{{Bits: 1}}, Threads: 4, Stdout: w}); err != nil {
		t.Fatal(err)
	}
	if w.count < 20 {
		t.Errorf("%d writes", w.count)
	}
}

// However many threads are asked for by however many launches, as many helpers work as there are processors for; and they all are free
// again in the end.
func TestMoreThreadsThanProcessors(t *testing.T) {
	p := vectorAddProgram(t)
	const n = 32 * 1024
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			in := nativeArgs([]input{floats(n, 1), floats(n, 2), floats(n, 3), {bits: n}})
			for range 20 {
				if err := p.Run(context.Background(), Launch{Grid: [3]int32{32, 1, 1}, Args: in, Threads: 64}); err != nil {
					t.Error(err)
				}
				helpers.mu.Lock()
				if busy := helpers.busy; busy > runtime.GOMAXPROCS(0) {
					t.Errorf("%d helpers are busy", busy)
				}
				helpers.mu.Unlock()
			}
		})
	}
	all.Wait()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		helpers.mu.Lock()
		busy := helpers.busy
		helpers.mu.Unlock()
		if busy == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d helpers are busy with nothing", busy)
		}
	}
}

// least gives what one of n calls takes, where that was least.
func least(n int, f func()) time.Duration {
	best := time.Hour
	for range 200 {
		start := time.Now()
		for range n {
			f()
		}
		best = min(best, time.Since(start)/time.Duration(n))
	}
	return best
}

// No launch waits for a clock or for the system. What one takes, 0.2 µs for one program and 1 µs for many on workers that are idle, is logged; bench/results/cpu.md has
// it beside the targets.
func TestLaunchIsCheap(t *testing.T) {
	if testing.Short() || RaceDetector {
		t.Skip("times say nothing here")
	}
	p := compileText(t, "func @e(%p: ptr<f32>, %n: i32) -> () {\n  return\n}\n")
	for grid, bound := range map[int32]time.Duration{1: 50 * time.Microsecond, 1000: 500 * time.Microsecond} {
		took := least(20, func() {
			if err := p.Run(context.Background(), Launch{Grid: [3]int32{grid, 1, 1}, Args: []Arg{{}, {}}}); err != nil {
				t.Fatal(err)
			}
		})
		t.Logf("%d programs: %v", grid, took)
		if took > bound {
			t.Errorf("a launch of %d programs takes %v, more than %v", grid, took, bound)
		}
	}
}

// Atomics of programs that run at once lose nothing, whatever the size of an element, and leave its neighbours alone.
func TestAtomicsOfAllSizes(t *testing.T) {
	for elem, one := range map[string]string{"i8": "1", "i16": "1", "i32": "1", "i64": "1", "f16": "1.0", "bf16": "1.0", "f32": "1.0", "f64": "1.0"} {
		kind := "add"
		if strings.HasPrefix(elem, "f") || elem == "bf16" {
			kind = "fadd"
		}
		p := compileText(t, strings.NewReplacer("ELEM", elem, "ONE", one, "KIND", kind).Replace(`
func @k(%x: ptr<ELEM>) -> () {
  %i = range {start = 0, end = 16} : 16xi32
  %eight = const 3 : 16xi32
  %j = and %i, %eight : 16xi32
  %b = splat %x : 16xptr<ELEM>
  %p = addptr %b, %j : 16xptr<ELEM>
  %one = const ONE : 16xELEM
  %old = atomic_rmw %p, %one {KIND} : 16xELEM
  return
}
`))
		e := map[string]tile.Elem{"i8": tile.I8, "i16": tile.I16, "i32": tile.I32, "i64": tile.I64, "f16": tile.F16, "bf16": tile.BF16, "f32": tile.F32, "f64": tile.F64}[elem]
		data := make([]byte, 8*e.Bytes())
		const programs = 31 // 124 is a number of every type
		if err := p.Run(context.Background(), Launch{Grid: [3]int32{programs, 1, 1}, Args: []Arg{{Base: pointerTo(data), Bytes: int64(len(data))}}, Threads: 4}); err != nil {
			t.Fatal(err)
		}
		for i := range 8 {
			want := uint64(0)
			if i < 4 && e.IsFloat() {
				want = e.DType().Encode(4 * programs)
			} else if i < 4 {
				want = 4 * programs
			}
			if got := elementAt(data, e, i); got != want {
				t.Errorf("%s: element %d is %#x, want %#x", elem, i, got, want)
			}
		}
	}
}
