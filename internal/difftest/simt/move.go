package simt

import (
	"context"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver"
)

// Moved are arrays that were copied to a device, any device. One that is copied twice is there once.
type Moved struct {
	stream  tegula.Stream
	buffers map[*byte]*tegula.Buffer
	arrays  []*tegula.Array
}

// MoveTo begins to copy arrays to the device of a stream.
func MoveTo(s tegula.Stream) *Moved { return &Moved{stream: s, buffers: map[*byte]*tegula.Buffer{}} }

// Array copies an array.
func (m *Moved) Array(a *tegula.Array) (*tegula.Buffer, error) {
	var key *byte
	if len(a.Data) > 0 {
		key = &a.Data[0]
	}
	if b := m.buffers[key]; key != nil && b != nil {
		return b, nil
	}
	b, err := tegula.NewBuffer(m.stream, a.DType, a.Shape...)
	if err != nil {
		return nil, err
	}
	m.buffers[key] = b
	m.arrays = append(m.arrays, a)
	return b, b.CopyFrom(context.Background(), m.stream, a.Data)
}

// Back waits for the device, and copies the arrays back.
func (m *Moved) Back() error {
	d, err := driver.OpenDevice(m.stream.Backend, m.stream.Device)
	if err != nil {
		return err
	}
	if err := d.Wait(context.Background(), m.stream); err != nil {
		return err
	}
	for _, a := range m.arrays {
		if len(a.Data) == 0 {
			continue
		}
		if err := m.buffers[&a.Data[0]].CopyTo(context.Background(), m.stream, a.Data); err != nil {
			return err
		}
	}
	return nil
}

// Free gives the memory back. A device that has failed may refuse; nothing is to be had from it any more.
func (m *Moved) Free() {
	for _, b := range m.buffers {
		_ = b.Free()
	}
}
