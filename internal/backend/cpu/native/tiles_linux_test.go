package native

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tegula-lang/tegula/internal/tile"
)

// Signals that come while a thread has tiles in use, and threads that start with them, change nothing: the kernel saves tiles on the stack for
// signals.
func TestTilesUnderSignals(t *testing.T) {
	needNative(t)
	if s, _ := isaOf(options().Features); !s.tiles {
		t.Skip("no tiles")
	}
	p := product{in: tile.BF16, acc: tile.F32, m: 7, n: 7, k: 7, batch: -1, steps: 8}
	r := rand.New(rand.NewPCG(1, 1))
	want := p.inputs(func(e tile.Elem, n int) []byte { return small(e, n, r, 3) })
	fresh := clone(want)
	m := p.module()
	code, err := Compile(m, options())
	if err != nil {
		t.Fatal(err)
	}
	runChecked(t, m, [3]int32{1, 1, 1}, want)
	stop := make(chan struct{})
	var signals, work sync.WaitGroup
	signals.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Microsecond):
				_ = syscall.Kill(os.Getpid(), syscall.SIGURG) // what the runtime preempts with
			}
		}
	})
	for range 4 {
		work.Go(func() {
			for range 50 {
				got := clone(fresh)
				if err := code.Run(context.Background(), Launch{Grid: [3]int32{1, 1, 1}, Args: nativeArgs(got), Threads: 2}); err != nil {
					t.Error(err)
				}
				if !bytes.Equal(got[2].data, want[2].data) {
					t.Error("a product differs")
				}
				runtime.GC()
			}
		})
	}
	work.Wait()
	close(stop)
	signals.Wait()
}
