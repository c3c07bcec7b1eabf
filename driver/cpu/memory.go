package cpu

import (
	"context"
	"unsafe"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
)

// maxAlloc bounds what Alloc takes; larger arrays are not in this machine.
const maxAlloc = 1 << 46

// memory is an array of this process.
type memory struct{ host []byte }

// Alloc gives memory of this process, aligned to 64 bytes.
func (device) Alloc(bytes int64) (driver.Memory, error) {
	const align = 64
	if bytes < 0 || bytes > maxAlloc {
		return nil, diag.New(diag.Driver, "out-of-memory", "there is no allocating %d bytes", bytes)
	}
	buf := make([]byte, bytes+align)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(buf))) % align)
	return &memory{buf[skip : skip+int(bytes) : skip+int(bytes)]}, nil
}

// Address gives where the memory is.
func (m *memory) Address() uint64 {
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(m.host))))
}

// Bytes gives the size.
func (m *memory) Bytes() int64 { return int64(len(m.host)) }

// Host gives the memory itself.
func (m *memory) Host() []byte { return m.host }

// CopyIn writes.
func (m *memory) CopyIn(_ context.Context, s driver.Stream, offset int64, from []byte) error {
	return m.copy(s, offset, len(from), func(at []byte) { copy(at, from) })
}

// CopyOut reads.
func (m *memory) CopyOut(_ context.Context, s driver.Stream, offset int64, to []byte) error {
	return m.copy(s, offset, len(to), func(at []byte) { copy(to, at) })
}

func (m *memory) copy(s driver.Stream, offset int64, n int, do func(at []byte)) error {
	if err := s.Check(Backend, 0); err != nil {
		return err
	}
	if offset < 0 || offset > m.Bytes()-int64(n) {
		return diag.New(diag.Driver, "out-of-bounds", "%d bytes at %d are outside of the %d of the memory", n, offset, m.Bytes())
	}
	do(m.host[offset : offset+int64(n)])
	return nil
}

// Free leaves the memory to the garbage collector.
func (m *memory) Free() error {
	m.host = nil
	return nil
}
