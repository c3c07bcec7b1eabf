package main

import (
	"context"
	"errors"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver"
)

// buffers are the arrays of a launch in a device's memory. An array that is an argument twice is there once.
type buffers struct {
	stream  tegula.Stream
	device  driver.Device
	arrays  []*tegula.Array
	buffers map[*tegula.Array]*tegula.Buffer
}

// onDevice copies the arguments' arrays to the device of a stream, and puts buffers into the arguments in their
// place. On the CPU there is nothing to do, and nil is given. The buffers have to be freed.
func onDevice(ctx context.Context, s tegula.Stream, args *arguments) (*buffers, error) {
	if s == tegula.CPU() {
		return nil, nil
	}
	d, err := driver.OpenDevice(s.Backend, s.Device)
	if err != nil {
		return nil, err
	}
	b := &buffers{stream: s, device: d, buffers: map[*tegula.Array]*tegula.Buffer{}}
	_, b.arrays = args.arrays()
	for _, a := range b.arrays {
		if b.buffers[a] != nil {
			continue
		}
		buffer, err := tegula.NewBuffer(s, a.DType, a.Shape...)
		if err != nil {
			return nil, errors.Join(err, b.free())
		}
		b.buffers[a] = buffer
		if err := buffer.CopyFrom(ctx, s, a.Data); err != nil {
			return nil, errors.Join(err, b.free())
		}
	}
	return b, nil
}

// argument gives what an argument is in a launch.
func (b *buffers) argument(v any) any {
	if a, ok := v.(*tegula.Array); ok && b != nil {
		return b.buffers[a]
	}
	return v
}

// wait waits until what was launched is done.
func (b *buffers) wait(ctx context.Context) error {
	if b == nil {
		return nil
	}
	return b.device.Wait(ctx, b.stream)
}

// fetch copies the buffers back to the arrays.
func (b *buffers) fetch(ctx context.Context) error {
	if b == nil {
		return nil
	}
	for a, buffer := range b.buffers {
		if err := buffer.CopyTo(ctx, b.stream, a.Data); err != nil {
			return err
		}
	}
	return nil
}

// free gives the memory back.
func (b *buffers) free() error {
	if b == nil {
		return nil
	}
	var errs []error
	for _, buffer := range b.buffers {
		errs = append(errs, buffer.Free())
	}
	return errors.Join(errs...)
}
