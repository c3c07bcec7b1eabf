package cuda

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
)

// An Event is a place in a stream that can be waited for. It is safe for concurrent use.
type Event struct {
	device *device
	handle uintptr
	closed atomic.Bool
}

func (d *device) newEvent() (*Event, error) {
	handle := cell[uintptr]()
	if err := d.call("cuEventCreate", d.api.eventCreate, address(handle), 0); err != nil {
		return nil, err
	}
	return &Event{device: d, handle: *handle}, nil
}

// Record moves the event to the end of what was submitted to a stream.
func (e *Event) Record(s driver.Stream) error {
	if err := e.check(s); err != nil {
		return err
	}
	return e.device.call("cuEventRecord", e.device.api.eventRecord, e.handle, s.Handle)
}

// Before has what is submitted to a stream from now on wait for the event. It does not wait itself.
func (e *Event) Before(s driver.Stream) error {
	if err := e.check(s); err != nil {
		return err
	}
	return e.device.call("cuStreamWaitEvent", e.device.api.streamWaitEvent, s.Handle, e.handle, 0)
}

func (e *Event) check(s driver.Stream) error {
	if err := e.open(); err != nil {
		return err
	}
	return e.device.check(s)
}

func (e *Event) open() error {
	if e.closed.Load() {
		return diag.New(diag.Argument, "closed-event", "the event was closed")
	}
	return nil
}

// Wait returns when the stream has come to the event. One that was not recorded is not waited for.
func (e *Event) Wait(ctx context.Context) error {
	if err := e.open(); err != nil {
		return err
	}
	d := e.device
	return wait(ctx,
		func() (bool, error) { return d.ready("cuEventQuery", d.api.eventQuery, e.handle) },
		func() error { return d.call("cuEventSynchronize", d.api.eventSynchronize, e.handle) })
}

// Done reports whether the stream has come to the event.
func (e *Event) Done() (bool, error) {
	if err := e.open(); err != nil {
		return false, err
	}
	return e.device.ready("cuEventQuery", e.device.api.eventQuery, e.handle)
}

// Since gives the time on the device from another event to this one. Both must be done. It is exact to about
// half a microsecond.
func (e *Event) Since(start *Event) (time.Duration, error) {
	if err := e.open(); err != nil {
		return 0, err
	}
	if err := start.open(); err != nil {
		return 0, err
	}
	bits := cell[uint32]()
	if err := e.device.call("cuEventElapsedTime", e.device.api.eventElapsedTime, address(bits), start.handle, e.handle); err != nil {
		return 0, err
	}
	milliseconds := math.Float32frombits(*bits)
	return time.Duration(float64(milliseconds) * float64(time.Millisecond)), nil
}

// Close gives the event back.
func (e *Event) Close() error {
	if e.closed.Swap(true) {
		return nil
	}
	return e.device.call("cuEventDestroy", e.device.api.eventDestroy, e.handle)
}
