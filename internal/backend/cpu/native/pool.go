package native

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A pool is goroutines that help with launches. They stay: one that has helped looks out for more to do for a while, and
// then sleeps. There are as many as ever helped at once.
type pool struct {
	mu   sync.Mutex
	idle []*helper // the one that helped last is at the end
	busy int
}

var helpers pool

// A helper waits for work in its mailbox.
type helper struct {
	mail   atomic.Pointer[runner]
	asleep atomic.Bool
	wake   chan struct{}
}

// call has n helpers join a launch, or fewer if bounded is set and there are as many busy ones as threads.
func (p *pool) call(r *runner, n int, bounded bool) {
	if p.ask(r, n, bounded) {
		go nothing()
	}
}

// ask does so, and reports whether it woke one.
func (p *pool) ask(r *runner, n int, bounded bool) (woken bool) {
	for range n {
		p.mu.Lock()
		if bounded && p.busy >= runtime.GOMAXPROCS(0) {
			p.mu.Unlock()
			return woken
		}
		p.busy++
		var h *helper
		if k := len(p.idle) - 1; k >= 0 {
			h, p.idle = p.idle[k], p.idle[:k]
		}
		p.mu.Unlock()
		if h == nil {
			h = &helper{wake: make(chan struct{}, 1)}
			h.mail.Store(r)
			go h.live(p)
			continue
		}
		h.mail.Store(r)
		if h.asleep.CompareAndSwap(true, false) {
			h.wake <- struct{}{}
			woken = true
		}
	}
	return woken
}

// nothing is what a goroutine does that only takes the place of the next to run on this thread, where a helper that was woken last stands. Go's scheduler
// lets another thread take that one only after a pause, as this thread may be about to run it; but this thread has programs to run.
func nothing() {}

// live is a helper's goroutine.
func (h *helper) live(p *pool) {
	for {
		h.next().help()
		p.mu.Lock()
		p.busy--
		p.idle = append(p.idle, h)
		p.mu.Unlock()
	}
}

// lookouts is how often who waits looks before it sleeps, some 20 µs; every yieldEvery times it lets others run.
const (
	lookouts   = 1 << 12
	yieldEvery = 1 << 7
)

// lookOut reports whether something comes true soon.
func lookOut(come func() bool) bool {
	for i := range lookouts {
		if come() {
			return true
		}
		if i%yieldEvery == yieldEvery-1 {
			runtime.Gosched()
		}
	}
	return false
}

// next waits for work.
func (h *helper) next() *runner {
	for {
		if lookOut(func() bool { return h.mail.Load() != nil }) {
			return h.mail.Swap(nil)
		}
		h.asleep.Store(true)
		if h.mail.Load() != nil && h.asleep.CompareAndSwap(true, false) {
			return h.mail.Swap(nil)
		}
		<-h.wake
	}
}

// A crew counts the helpers that work on a launch. The launch is over when it is closed and all have left; helpers that come
// later find it closed, so nobody waits for one to wake up.
type crew struct {
	state atomic.Int64 // how many, and the bit closed
	over  atomic.Pointer[chan struct{}]
}

const closed = 1 << 62

// join reports whether there is still something to do.
func (c *crew) join() bool {
	for {
		s := c.state.Load()
		if s&closed != 0 {
			return false
		}
		if c.state.CompareAndSwap(s, s+1) {
			return true
		}
	}
}

func (c *crew) leave() {
	if c.state.Add(-1) == closed {
		if over := c.over.Load(); over != nil {
			close(*over)
		}
	}
}

// wait closes the crew and waits until all have left.
func (c *crew) wait() {
	if c.state.Add(closed) == closed || lookOut(c.gone) {
		return
	}
	over := make(chan struct{})
	c.over.Store(&over)
	if !c.gone() {
		<-over
	}
}

func (c *crew) gone() bool { return c.state.Load() == closed }

// help works on a launch if it is not over.
func (r *runner) help() {
	if r.crew.join() {
		r.work()
		r.crew.leave()
	}
}
