package fake

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/backend/cpu"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// The numbers that handles, functions and addresses begin at. No process has memory there.
const (
	firstStream   = 0xbad0_0000_0000_0001
	firstFunction = 0xbad1_0000_0000_0001
	firstAddress  = 0x0000_7000_0000_0000
)

// A device runs kernels when somebody waits for them.
type device struct {
	driver *Driver
	index  int

	mu       sync.Mutex
	streams  map[uintptr]*queue
	made     uintptr   // streams so far
	memories []*memory // by address
	end      uint64    // of the last memory
}

// A queue is what was submitted to a stream and has not run.
type queue struct {
	work []func() error
	err  error // the first since the last Wait
}

func newDevice(d *Driver, index int) *device {
	dev := &device{driver: d, index: index, streams: map[uintptr]*queue{}, end: firstAddress + uint64(index)<<40}
	if _, err := dev.NewStream(); err != nil {
		panic(err) // it never fails
	}
	return dev
}

// Info describes the device.
func (d *device) Info() driver.Info {
	return driver.Info{Backend: d.driver.name, Index: d.index, Name: "Fake", Arch: "7", Version: d.driver.options.Driver}
}

// Limits gives the limits that the options say.
func (d *device) Limits() driver.Limits { return d.driver.options.Limits }

// Stream gives the first stream.
func (d *device) Stream() driver.Stream { return d.stream(0) }

func (d *device) stream(n uintptr) driver.Stream {
	return driver.Stream{Backend: d.driver.name, Device: d.index, Handle: firstStream + uintptr(d.index)<<16 + n}
}

// NewStream makes a stream.
func (d *device) NewStream() (driver.Stream, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.stream(d.made)
	d.made++
	d.streams[s.Handle] = &queue{}
	return s, nil
}

// CloseStream runs what is left and forgets the stream.
func (d *device) CloseStream(s driver.Stream) error {
	err := d.Wait(context.Background(), s)
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.streams, s.Handle)
	return err
}

// Wait runs what was submitted to a stream.
func (d *device) Wait(ctx context.Context, s driver.Stream) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	q, err := d.queue(s)
	if err != nil {
		return err
	}
	for len(q.work) > 0 && q.err == nil && ctx.Err() == nil {
		q.err = q.work[0]()
		q.work = q.work[1:]
	}
	err, q.err = q.err, nil
	if err == nil {
		err = context.Cause(ctx)
	}
	return err
}

// queue finds the queue of a stream.
func (d *device) queue(s driver.Stream) (*queue, error) {
	if err := s.Check(d.driver.name, d.index); err != nil {
		return nil, err
	}
	q := d.streams[s.Handle]
	if q == nil {
		return nil, diag.New(diag.Stream, "closed", "%s is none, or was closed", s)
	}
	return q, nil
}

// submit puts work into a stream.
func (d *device) submit(s driver.Stream, work func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	q, err := d.queue(s)
	if err != nil {
		return err
	}
	q.work = append(q.work, work)
	return nil
}

// Load reads an image.
func (d *device) Load(b *driver.Binary) (driver.Kernel, error) {
	f := d.driver
	f.mu.Lock()
	f.loads++
	function, failure := firstFunction+uintptr(f.loads), f.failure
	f.failure = nil
	f.mu.Unlock()
	if failure != nil {
		return nil, failure
	}
	text, ok := bytes.CutPrefix(b.Image, []byte(magic))
	if f.options.Finishes {
		text, ok = bytes.CutPrefix(b.Image, []byte(finished))
	}
	if !ok {
		return nil, diag.New(diag.Driver, "bad-image", "kernel %s is no image for %s", b.Metadata.Name, f.name)
	}
	m, err := tile.Parse(b.Metadata.Name, text)
	if err != nil {
		return nil, err
	}
	p, err := cpu.Compile(m, cpu.Options{})
	if err != nil {
		return nil, err
	}
	return &kernel{device: d, program: p, meta: b.Metadata, function: function}, nil
}

// A finisher is a device whose driver makes the last step of the code.
type finisher struct{ *device }

// Finish makes the last step.
func (d finisher) Finish(b *driver.Binary) (*driver.Binary, error) {
	d.driver.count(&d.driver.finishes)
	text, ok := bytes.CutPrefix(b.Image, []byte(magic))
	if !ok {
		return nil, diag.New(diag.Driver, "bad-image", "kernel %s is no code that can be finished", b.Metadata.Name)
	}
	return &driver.Binary{Metadata: b.Metadata, Image: slices.Concat([]byte(finished), text)}, nil
}
