package cpu

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// withFrames lets the process have room for n frames of p while a test runs.
func withFrames(t *testing.T, p *Program, n int) {
	all := frames
	frames = newBudget(n * p.frame)
	t.Cleanup(func() { frames = all })
}

func printer(t *testing.T) *Program {
	return compile(t, parse(t, `func @f() -> () {
  %x = range {start = 0, end = 1024} : 1024xi32
  %y = reduce %x {axis = 0} : i32 (%a: i32, %b: i32) {
    %c = add %a, %b : i32
    yield %c
  }
  print %y {prefix = "y"}
  return
}`))
}

// A meter is written to by running program instances, and notes how many do at a time.
type meter struct{ now, most, all atomic.Int32 }

func (m *meter) Write(b []byte) (int, error) {
	n := m.now.Add(1)
	for most := m.most.Load(); n > most && !m.most.CompareAndSwap(most, n); most = m.most.Load() {
	}
	time.Sleep(2 * time.Millisecond)
	m.now.Add(-1)
	m.all.Add(1)
	return len(b), nil
}

// TestFramesAreShared runs more launches at a time than there is memory for.
func TestFramesAreShared(t *testing.T) {
	p := printer(t)
	withFrames(t, p, 2)
	var m meter
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			if err := p.Run(context.Background(), Launch{Grid: [3]int32{3, 1, 1}, Stdout: &m, Threads: 2}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if m.most.Load() > 2 || m.all.Load() != 18 {
		t.Errorf("%d instances ran, up to %d at a time", m.all.Load(), m.most.Load())
	}
	if frames.left != 2*p.frame {
		t.Errorf("%d bytes are left of %d", frames.left, 2*p.frame)
	}
}

// TestWaitForFramesEnds cancels a launch that waits for memory.
func TestWaitForFramesEnds(t *testing.T) {
	p := printer(t)
	withFrames(t, p, 0)
	ctx, cancel := context.WithTimeoutCause(context.Background(), 5*time.Millisecond, errors.New("enough"))
	defer cancel()
	err := p.Run(ctx, Launch{Grid: [3]int32{1, 1, 1}})
	if err == nil || err.Error() != "enough" {
		t.Errorf("the error is %v", err)
	}
	if frames.left != 0 || len(frames.queue) != 0 {
		t.Errorf("%d bytes are left, %d wait", frames.left, len(frames.queue))
	}
}

// TestBudgetServesInTurn lets a large request wait in front of small ones.
func TestBudgetServesInTurn(t *testing.T) {
	b := newBudget(10)
	ctx := context.Background()
	if n := b.take(ctx, 3, 2); n != 2 {
		t.Fatalf("took %d of 2", n)
	}
	got := make(chan int, 2)
	wait := func(bytes, queued int) {
		go func() {
			b.take(ctx, bytes, 1)
			got <- bytes
		}()
		for {
			b.mu.Lock()
			n := len(b.queue)
			b.mu.Unlock()
			if n == queued {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}
	wait(8, 1)
	wait(1, 2) // there is room for it, but the other was first
	b.give(3, 2)
	if x := <-got + <-got; x != 9 || b.left != 1 {
		t.Errorf("%d bytes were taken, %d are left", x, b.left)
	}
}

// TestLargeFramesAreNotKept checks that a machine with much memory is left to the garbage collector.
func TestLargeFramesAreNotKept(t *testing.T) {
	p := &Program{frame: maxKept + 8}
	for range 10 { // the pool may drop some
		p.machine(&launch{}, [3]int32{1, 1, 1}).release()
	}
	if p.machines.Get() != nil {
		t.Error("a machine is kept")
	}
}
