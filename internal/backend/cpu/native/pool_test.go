package native

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"
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
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
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

// A launch of one program takes less than 2 µs, one of many on workers that are idle less than 10.
func TestLaunchIsCheap(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("times say nothing here")
	}
	p := compileText(t, "func @e(%p: ptr<f32>, %n: i32) -> () {\n  return\n}\n")
	for grid, bound := range map[int32]time.Duration{1: 2 * time.Microsecond, 1000: 10 * time.Microsecond} {
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
