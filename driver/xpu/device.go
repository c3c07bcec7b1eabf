package xpu

import (
	"context"
	"math"
	"runtime"
	"sync"
	"unsafe"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
)

// A device is one of the runtime's.
type device struct {
	shim   *shim
	index  int
	is     *shimDevice
	stream driver.Stream // a queue of the device's default context

	mu   sync.Mutex
	made map[uintptr]bool // the queues that NewStream made
}

// Info describes the device.
func (d *device) Info() driver.Info { return d.is.info(d.index) }

// Limits gives the device's. A grid's axis may have at most 2³¹−1 programs: their numbers are int32.
func (d *device) Limits() driver.Limits {
	l := driver.Limits{Threads: int(min(d.is.maxWorkGroup, math.MaxInt32)), Shared: int(min(d.is.localMemory, math.MaxInt32)), Cluster: 1}
	for i, n := range d.is.maxGroups {
		l.Grid[i] = uint32(min(n, math.MaxInt32))
	}
	return l
}

// Stream gives the device's own queue.
func (d *device) Stream() driver.Stream { return d.stream }

// NewStream makes a queue whose work runs in order.
func (d *device) NewStream() (driver.Stream, error) {
	var queue uintptr
	if err := call(d.shim.queueNew, uintptr(d.index), uintptr(unsafe.Pointer(&queue))); err != nil {
		return driver.Stream{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.made == nil {
		d.made = map[uintptr]bool{}
	}
	d.made[queue] = true
	return driver.Stream{Backend: Backend, Device: d.index, Handle: queue}, nil
}

// CloseStream waits for the queue's work and ends it. Queues of others are theirs to end.
func (d *device) CloseStream(s driver.Stream) error {
	if err := s.Check(Backend, d.index); err != nil {
		return err
	}
	if s == d.stream {
		return diag.New(diag.Stream, "own-stream", "%s is the device's own and stays open", s)
	}
	d.mu.Lock()
	own := d.made[s.Handle]
	delete(d.made, s.Handle)
	d.mu.Unlock()
	if !own {
		return diag.New(diag.Stream, "closed", "%s is none of NewStream's, or was closed", s)
	}
	return call(d.shim.queueFree, s.Handle)
}

// Wait returns when the queue's work is done. The runtime cannot be interrupted: when ctx is done before,
// Wait returns its cause and the work goes on.
func (d *device) Wait(ctx context.Context, s driver.Stream) error {
	if err := s.Check(Backend, d.index); err != nil {
		return err
	}
	if ctx.Done() == nil {
		return call(d.shim.queueWait, s.Handle)
	}
	done := make(chan error, 1)
	go func() { done <- call(d.shim.queueWait, s.Handle) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Finish makes the device's own code, where the runtime gives it. The metadata then say for which device it is.
func (d *device) Finish(b *driver.Binary) (*driver.Binary, error) {
	handle, err := d.build(b)
	if err != nil {
		return nil, err
	}
	defer call(d.shim.kernelFree, handle)
	m, section := *b.Metadata, *b.Metadata.Backends.XPU
	section.Device = d.is.metadata()
	m.Backends.XPU = &section
	image, err := d.binary(handle)
	if err != nil || len(image) == 0 {
		image = b.Image // the module is as good, only slower to load
	}
	return &driver.Binary{Metadata: &m, Image: image}, nil
}

// binary gives the device's own code of a kernel.
func (d *device) binary(handle uintptr) ([]byte, error) {
	var size uintptr
	if err := call(d.shim.kernelBinary, handle, 0, uintptr(unsafe.Pointer(&size))); err != nil || size == 0 {
		return nil, err
	}
	image := make([]byte, size)
	err := call(d.shim.kernelBinary, handle, address(image), uintptr(unsafe.Pointer(&size)))
	runtime.KeepAlive(image)
	return image, err
}

// build makes a kernel of a binary and gives its handle.
func (d *device) build(b *driver.Binary) (uintptr, error) {
	m := b.Metadata
	if m.Backends.XPU == nil || len(b.Image) == 0 {
		return 0, diag.New(diag.Driver, "not-a-module", "kernel %s was compiled for %s and cannot be loaded on %s", m.Name, m.Target, d.Info().Name)
	}
	if err := d.check(m); err != nil {
		return 0, err
	}
	native := uintptr(1)
	if isSPIRV(b.Image) {
		if err := checkSPIRV(b.Image); err != nil {
			return 0, err
		}
		native = 0
	}
	entry := append([]byte(m.Backends.XPU.Entry), 0)
	var handle uintptr
	err := call(d.shim.kernelNew, uintptr(d.index), address(b.Image), uintptr(len(b.Image)), native, address(entry), uintptr(unsafe.Pointer(&handle)))
	runtime.KeepAlive(b.Image)
	runtime.KeepAlive(entry)
	return handle, err
}

// Load makes a kernel.
func (d *device) Load(b *driver.Binary) (driver.Kernel, error) {
	handle, err := d.build(b)
	if err != nil {
		return nil, err
	}
	k := newKernel(d, handle, b.Metadata)
	if err := k.checkBuilt(); err != nil {
		k.Close()
		return nil, err
	}
	return k, nil
}
