package cuda

import (
	"context"

	"github.com/tegula-lang/tegula/driver"
)

// A Device is a GPU. It is safe for concurrent use.
type Device struct{ device *device }

// Open makes a GPU ready for use. It is opened once; later calls give the same.
func Open(index int) (*Device, error) {
	d, err := driver.OpenDevice(Backend, index)
	if err != nil {
		return nil, err
	}
	return &Device{d.(*device)}, nil
}

// Count gives how many GPUs there are. A machine without the driver has none, and says so in the error.
func Count() (int, error) {
	list, err := system.Devices()
	return len(list), err
}

// Info describes the device.
func (d *Device) Info() driver.Info { return d.device.Info() }

// Limits gives what the device can take.
func (d *Device) Limits() driver.Limits { return d.device.Limits() }

// Driver gives the device as the launcher has it.
func (d *Device) Driver() driver.Device { return d.device }

// Alloc gives an array on the device. Its contents are not defined. It may be used in any stream at once, and its
// Free waits until the device has done all that was submitted.
func (d *Device) Alloc(t driver.DType, shape ...int) (*driver.Buffer, error) {
	return driver.NewBuffer(d.device, t, shape...)
}

// AllocOn gives an array in a stream's order, as fast as a launch: it may be used there, and elsewhere after an Event of
// that stream. So does its Free give it back: what uses it elsewhere has to be before an Event that the stream waits for.
func (d *Device) AllocOn(s driver.Stream, t driver.DType, shape ...int) (*driver.Buffer, error) {
	return driver.NewBuffer(ordered{d.device, s}, t, shape...)
}

// ordered is a device that allocates in a stream's order.
type ordered struct {
	*device
	stream driver.Stream
}

func (o ordered) Alloc(bytes int64) (driver.Memory, error) { return o.allocOn(o.stream, bytes) }

// Memory gives how much of the device's memory is free, and how much there is, in bytes.
func (d *Device) Memory() (free, total uint64, err error) {
	f, t := cell[uintptr](), cell[uintptr]()
	err = d.device.call("cuMemGetInfo", d.device.api.memGetInfo, address(f), address(t))
	return uint64(*f), uint64(*t), err
}

// Stream gives the stream that is always there. It does not wait for CUDA's default streams, nor they for it.
func (d *Device) Stream() driver.Stream { return d.device.Stream() }

// NewStream makes a further stream. CloseStream ends it.
func (d *Device) NewStream() (driver.Stream, error) { return d.device.NewStream() }

// CloseStream waits until what was submitted to a stream is done, and ends it.
func (d *Device) CloseStream(s driver.Stream) error { return d.device.CloseStream(s) }

// Wait returns when all that was submitted to a stream is done, or ctx is.
func (d *Device) Wait(ctx context.Context, s driver.Stream) error { return d.device.Wait(ctx, s) }

// NewEvent makes an event. Close gives it back.
func (d *Device) NewEvent() (*Event, error) { return d.device.newEvent() }

// Capture makes a graph of what a function submits to a stream, and to others that it makes wait for it by way of
// Events. Nothing of that runs until the graph is launched. Copies between the device and this process cannot be part of
// it. What other goroutines submit to the stream meanwhile becomes part of it.
func (d *Device) Capture(s driver.Stream, work func() error) (*Graph, error) {
	return d.device.capture(s, work)
}
