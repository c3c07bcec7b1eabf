package fake

import (
	"context"
	"slices"
	"unsafe"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
)

// alignment is that of all memory.
const alignment = 256

// A memory is memory of a device. Its address means nothing to anybody but the device.
type memory struct {
	device  *device
	address uint64
	data    []byte // aligned
}

// Alloc gives memory.
func (d *device) Alloc(size int64) (driver.Memory, error) {
	if size < 0 || size > 1<<32 {
		return nil, diag.New(diag.Driver, "out-of-memory", "there is no allocating %d bytes", size)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	buf := make([]byte, size+alignment)
	skip := int64(-uintptr(unsafe.Pointer(unsafe.SliceData(buf))) % alignment)
	m := &memory{device: d, address: d.end, data: buf[skip : skip+size : skip+size]}
	d.end += (uint64(size)/alignment + 2) * alignment
	d.memories = append(d.memories, m)
	return m, nil
}

// find gives the memory from an address on; nil if there is none.
func (d *device) find(address uint64) []byte {
	for _, m := range d.memories {
		if offset := address - m.address; address >= m.address && offset <= uint64(len(m.data)) {
			return m.data[offset:]
		}
	}
	return nil
}

// Address gives the address.
func (m *memory) Address() uint64 { return m.address }

// Bytes gives the size.
func (m *memory) Bytes() int64 { return int64(len(m.data)) }

// CopyIn writes when it is the stream's turn.
func (m *memory) CopyIn(_ context.Context, s driver.Stream, offset int64, from []byte) error {
	if err := m.check(offset, len(from)); err != nil {
		return err
	}
	from = slices.Clone(from)
	return m.device.submit(s, func() error {
		copy(m.data[offset:], from)
		return nil
	})
}

// CopyOut runs what is in the stream, and reads.
func (m *memory) CopyOut(ctx context.Context, s driver.Stream, offset int64, to []byte) error {
	if err := m.check(offset, len(to)); err != nil {
		return err
	}
	if err := m.device.Wait(ctx, s); err != nil {
		return err
	}
	copy(to, m.data[offset:])
	return nil
}

func (m *memory) check(offset int64, n int) error {
	if offset < 0 || offset > m.Bytes()-int64(n) {
		return diag.New(diag.Driver, "out-of-bounds", "%d bytes at %d are outside of the %d of the memory", n, offset, m.Bytes())
	}
	return nil
}

// Free forgets the memory.
func (m *memory) Free() error {
	m.device.mu.Lock()
	defer m.device.mu.Unlock()
	m.device.memories = slices.DeleteFunc(m.device.memories, func(o *memory) bool { return o == m })
	return nil
}
