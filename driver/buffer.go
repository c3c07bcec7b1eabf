package driver

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
)

// A DType is an element type.
type DType = dtype.DType

// A Place is where memory is: this process, or a device. Places are compared with ==; the zero
// Place is this process.
type Place struct{ number uint16 }

// places gives each device that memory was asked about its number.
var places struct {
	sync.Mutex
	numbers map[deviceID]uint16
	names   atomic.Pointer[[]deviceID] // by number
}

// PlaceOf gives the place of a device's memory. The CPU's is this process.
func PlaceOf(backend string, index int) Place {
	if backend == "cpu" {
		return Place{}
	}
	places.Lock()
	defer places.Unlock()
	if places.numbers == nil {
		places.numbers = map[deviceID]uint16{}
		places.names.Store(&[]deviceID{{"cpu", 0}})
	}
	id := deviceID{backend, index}
	n, ok := places.numbers[id]
	if !ok {
		names := *places.names.Load()
		n = uint16(len(names))
		names = append(names[:n:n], id)
		places.numbers[id] = n
		places.names.Store(&names)
	}
	return Place{n}
}

// id gives the device.
func (p Place) id() deviceID {
	if p.number == 0 {
		return deviceID{"cpu", 0}
	}
	return (*places.names.Load())[p.number]
}

// Backend gives the backend of the device.
func (p Place) Backend() string { return p.id().backend }

// String gives the device's name: cpu, cuda:1.
func (p Place) String() string { return p.id().String() }

// A Buffer is memory of a device together with the type of what is in it: an array argument. A
// Buffer does not change; what is in the memory does.
type Buffer struct {
	DType   DType
	Shape   []int
	Place   Place
	Address uint64
	Host    []byte // the bytes, if they are this process's

	memory *owned
	offset int64
}

// owned is memory that several buffers may be views of.
type owned struct {
	Memory
	freed atomic.Bool
}

// NewBuffer allocates an array on a device.
func NewBuffer(d Device, t DType, shape ...int) (*Buffer, error) {
	bytes, err := arrayBytes(t, shape)
	if err != nil {
		return nil, err
	}
	m, err := d.Alloc(bytes)
	if err != nil {
		return nil, err
	}
	info := d.Info()
	b := &Buffer{
		DType: t, Shape: append([]int(nil), shape...), Place: PlaceOf(info.Backend, info.Index),
		Address: m.Address(), memory: &owned{Memory: m},
	}
	if h, ok := m.(HostMemory); ok {
		b.Host = h.Host()
	}
	return b, nil
}

// arrayBytes gives the size of an array.
func arrayBytes(t DType, shape []int) (int64, error) {
	n := int64(t.Bytes())
	if n == 0 {
		return 0, diag.New(diag.Argument, "dtype", "a buffer's elements cannot be of type %s", t)
	}
	for axis, d := range shape {
		if d < 0 {
			return 0, diag.New(diag.Argument, "array", "the size of dimension %d is %d", axis, d)
		}
		if d > 0 && n > math.MaxInt64/int64(d) {
			return 0, diag.New(diag.Argument, "array", "an array of %v elements of %s is too large to exist", shape, t)
		}
		n *= int64(d)
	}
	return n, nil
}

// Len gives the number of elements.
func (b *Buffer) Len() int {
	n := 1
	for _, d := range b.Shape {
		n *= d
	}
	return n
}

// Bytes gives the size.
func (b *Buffer) Bytes() int64 { return int64(b.Len()) * int64(b.DType.Bytes()) }

// Freed reports whether the memory was given back.
func (b *Buffer) Freed() bool { return b.memory.freed.Load() }

// Slice gives the elements from one up to another as an array of one dimension, in the same
// memory.
func (b *Buffer) Slice(from, to int) (*Buffer, error) {
	if from < 0 || to < from || to > b.Len() {
		return nil, diag.New(diag.Argument, "array", "a buffer of %d elements has no elements %d to %d", b.Len(), from, to)
	}
	skip := int64(from) * int64(b.DType.Bytes())
	s := *b
	s.Shape, s.Address, s.offset = []int{to - from}, b.Address+uint64(skip), b.offset+skip
	if b.Host != nil {
		s.Host = b.Host[skip : skip+s.Bytes()]
	}
	return &s, nil
}

// CopyFrom writes all of the array, in the stream's order.
func (b *Buffer) CopyFrom(ctx context.Context, s Stream, from []byte) error {
	if err := b.check(len(from)); err != nil {
		return err
	}
	return b.memory.CopyIn(ctx, s, b.offset, from)
}

// CopyTo reads all of the array, in the stream's order. The bytes are there when it returns.
func (b *Buffer) CopyTo(ctx context.Context, s Stream, to []byte) error {
	if err := b.check(len(to)); err != nil {
		return err
	}
	return b.memory.CopyOut(ctx, s, b.offset, to)
}

// Free gives the memory back. No view of it may be used afterwards; launches refuse them.
func (b *Buffer) Free() error {
	if b.memory.freed.Swap(true) {
		return freedError()
	}
	return b.memory.Free()
}

func (b *Buffer) check(bytes int) error {
	if b.Freed() {
		return freedError()
	}
	if int64(bytes) != b.Bytes() {
		return diag.New(diag.Argument, "array", "a buffer of %d bytes cannot be copied from or to %d", b.Bytes(), bytes)
	}
	return nil
}

func freedError() error {
	return diag.New(diag.Argument, "freed-buffer", "the buffer's memory was given back already")
}
