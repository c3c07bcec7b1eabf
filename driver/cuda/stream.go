package cuda

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
)

// streams are the streams that this package made on a device. Handles that are not among them are somebody else's.
type streams struct {
	mu   sync.Mutex
	open atomic.Pointer[map[uintptr]bool] // whether each is open; never changed, only replaced
}

// state tells whether this package made a stream, and whether it is open.
func (s *streams) state(handle uintptr) (open, ours bool) {
	m := s.open.Load()
	if m == nil {
		return false, false
	}
	open, ours = (*m)[handle]
	return open, ours
}

// set notes a stream that was made or closed. The library gives the handles of closed ones to new ones.
func (s *streams) set(handle uintptr, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := map[uintptr]bool{}
	if m := s.open.Load(); m != nil {
		maps.Copy(next, *m)
	}
	next[handle] = open
	s.open.Store(&next)
}

// check reports a StreamError unless s is a stream of the device.
func (d *device) check(s driver.Stream) error {
	if err := s.Check(Backend, d.facts.info.Index); err != nil {
		return err
	}
	if open, ours := d.streams.state(s.Handle); ours && !open {
		return diag.New(diag.Stream, "closed", "%s was closed", s)
	}
	return nil
}

// nonBlocking makes streams that do not wait for the legacy default stream.
const nonBlocking = 1

// NewStream makes a stream.
func (d *device) NewStream() (driver.Stream, error) {
	handle := cell[uintptr]()
	if err := d.call("cuStreamCreate", d.api.streamCreate, address(handle), nonBlocking); err != nil {
		return driver.Stream{}, err
	}
	d.streams.set(*handle, true)
	return driver.Stream{Backend: Backend, Device: d.facts.info.Index, Handle: *handle}, nil
}

// CloseStream waits for a stream that NewStream made, and ends it.
func (d *device) CloseStream(s driver.Stream) error {
	if err := d.check(s); err != nil {
		return err
	}
	if _, ours := d.streams.state(s.Handle); !ours {
		return diag.New(diag.Stream, "not-ours", "%s was made by somebody else, who has to close it", s)
	}
	if s == d.main {
		return diag.New(diag.Stream, "not-ours", "%s is the device's own, which stays", s)
	}
	err := d.Wait(context.Background(), s)
	d.streams.set(s.Handle, false)
	if e := d.call("cuStreamDestroy", d.api.streamDestroy, s.Handle); err == nil {
		err = e
	}
	return err
}

// capturing reports a StreamError if a stream is being captured into a graph: what is copied then would be copied
// when the graph runs, from and to memory that may be in other use by then.
func (d *device) capturing(s driver.Stream) error {
	status := cell[int32]()
	if err := d.call("cuStreamIsCapturing", d.api.streamIsCapturing, s.Handle, address(status)); err != nil {
		return err
	}
	if *status != 0 {
		return diag.New(diag.Stream, "capturing", "%s is being captured into a graph; copies between the device and this process cannot be part of one", s)
	}
	return nil
}

// How waiting polls, where it can be stopped.
const (
	pollSpins = 100
	pollLeast = 20 * time.Microsecond
	pollMost  = time.Millisecond
)

// wait waits until something is ready. Where nothing can stop it, the library waits; otherwise it is polled.
func wait(ctx context.Context, ready func() (bool, error), block func() error) error {
	if ctx.Done() == nil {
		return block()
	}
	pause := pollLeast
	for n := 0; ; n++ {
		if done, err := ready(); done || err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if n < pollSpins {
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
			pause = min(2*pause, pollMost)
		}
	}
}
