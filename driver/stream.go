package driver

import (
	"fmt"

	"github.com/tegula-lang/tegula/internal/diag"
)

// A Stream is an order of work on one device. It is a value: it says which backend and which
// device it belongs to, and holds the backend's own handle, which only its driver interprets.
// The zero Stream is no stream.
type Stream struct {
	Backend string
	Device  int
	Handle  uintptr
}

// String gives backend:device and the handle.
func (s Stream) String() string {
	if s == (Stream{}) {
		return "no stream"
	}
	return fmt.Sprintf("%s:%d stream %#x", s.Backend, s.Device, s.Handle)
}

// Check reports a StreamError unless s is a stream of the device. Drivers call it before they
// submit.
func (s Stream) Check(backend string, device int) error {
	switch {
	case s.Backend == "":
		return diag.New(diag.Stream, "no-stream", "the launch needs a stream of %s:%d and was given none", backend, device)
	case s.Backend != backend:
		return diag.New(diag.Stream, "wrong-backend", "the kernel runs on %s, but the stream is of %s", backend, s.Backend)
	case s.Device != device:
		return diag.New(diag.Stream, "wrong-device", "the kernel runs on %s:%d, but the stream is of %s:%d", backend, device, s.Backend, s.Device)
	case s.Handle == 0:
		return diag.New(diag.Stream, "null-handle", "the stream of %s:%d has a null handle", s.Backend, s.Device)
	}
	return nil
}
