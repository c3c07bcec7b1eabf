package xpu

import (
	"context"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
)

// memory is unified shared memory of a device.
type memory struct {
	device *device
	at     atomic.Uintptr
	bytes  int64
}

// Alloc gives memory of the device, aligned to 64 bytes.
func (d *device) Alloc(bytes int64) (driver.Memory, error) {
	if bytes < 0 || uint64(bytes) > d.is.memory {
		return nil, diag.New(diag.Driver, "out-of-memory", "%s has %d bytes of memory; there is no allocating %d", d.Info().Name, d.is.memory, bytes)
	}
	m := &memory{device: d, bytes: bytes}
	var at uintptr
	if err := call(d.shim.alloc, uintptr(d.index), uintptr(max(bytes, 1)), uintptr(unsafe.Pointer(&at))); err != nil {
		return nil, err
	}
	m.at.Store(at)
	return m, nil
}

// Address gives where the memory is, 0 once it was given back.
func (m *memory) Address() uint64 { return uint64(m.at.Load()) }

// Bytes gives the size.
func (m *memory) Bytes() int64 { return m.bytes }

// CopyIn writes. The bytes are the caller's again when it returns, so it waits for the copy.
func (m *memory) CopyIn(ctx context.Context, s driver.Stream, offset int64, from []byte) error {
	at, err := m.part(ctx, s, offset, len(from))
	if err != nil || len(from) == 0 {
		return err
	}
	return m.copy(s, at, address(from), from)
}

// CopyOut reads, after all that was submitted to the queue before.
func (m *memory) CopyOut(ctx context.Context, s driver.Stream, offset int64, to []byte) error {
	at, err := m.part(ctx, s, offset, len(to))
	if err != nil || len(to) == 0 {
		return err
	}
	return m.copy(s, address(to), at, to)
}

func (m *memory) copy(s driver.Stream, to, from uintptr, host []byte) error {
	err := call(m.device.shim.copy, s.Handle, to, from, uintptr(len(host)), 1)
	runtime.KeepAlive(host)
	return err
}

// part gives the address of n bytes at an offset.
func (m *memory) part(ctx context.Context, s driver.Stream, offset int64, n int) (uintptr, error) {
	if err := s.Check(Backend, m.device.index); err != nil {
		return 0, err
	}
	if err := context.Cause(ctx); err != nil {
		return 0, err
	}
	at := m.at.Load()
	if at == 0 {
		return 0, diag.New(diag.Driver, "freed", "the memory was given back")
	}
	if offset < 0 || offset > m.bytes-int64(n) {
		return 0, diag.New(diag.Driver, "out-of-bounds", "%d bytes at %d are outside of the %d of the memory", n, offset, m.bytes)
	}
	return at + uintptr(offset), nil
}

// Free gives the memory back. The runtime waits for kernels that use it.
func (m *memory) Free() error {
	at := m.at.Swap(0)
	if at == 0 {
		return nil
	}
	return call(m.device.shim.free, uintptr(m.device.index), at)
}
