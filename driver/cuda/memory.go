package cuda

import (
	"context"
	"unsafe"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
)

// A memory is memory of a device.
type memory struct {
	device  *device
	address uint64
	bytes   int64
	order   driver.Stream // the one in whose order it is given back; none: when the device is done
}

// Alloc gives memory, which may be used in any stream at once. It is aligned to 256 bytes, as all of CUDA's is.
func (d *device) Alloc(bytes int64) (driver.Memory, error) {
	p := cell[uintptr]()
	err := refuse(bytes)
	if err == nil {
		err = d.call("cuMemAlloc", d.api.memAlloc, address(p), uintptr(max(bytes, 1)))
	}
	if err != nil {
		return nil, err
	}
	return &memory{device: d, address: uint64(*p), bytes: bytes}, nil
}

// allocOn gives memory in the order of a stream.
func (d *device) allocOn(s driver.Stream, bytes int64) (driver.Memory, error) {
	p := cell[uintptr]()
	err := d.check(s)
	if err == nil {
		err = refuse(bytes)
	}
	if err == nil {
		err = d.call("cuMemAllocAsync", d.api.memAllocAsync, address(p), uintptr(max(bytes, 1)), s.Handle)
	}
	if err != nil {
		return nil, err
	}
	return &memory{device: d, address: uint64(*p), bytes: bytes, order: s}, nil
}

// refuse refuses sizes that are none.
func refuse(bytes int64) error {
	if bytes < 0 {
		return diag.New(diag.Driver, "out-of-memory", "there is no allocating %d bytes", bytes)
	}
	return nil
}

// Address gives where the memory is on the device.
func (m *memory) Address() uint64 { return m.address }

// Bytes gives the size.
func (m *memory) Bytes() int64 { return m.bytes }

// memoryHost is what the library says of memory of the host that is pinned: registered with it.
const (
	attrMemoryType = 2
	memoryHost     = 1
)

// CopyIn writes. The library has taken the bytes when it returns, unless they are pinned memory; then it is waited
// for, so that they may be changed.
func (m *memory) CopyIn(ctx context.Context, s driver.Stream, offset int64, from []byte) error {
	if err := m.check(s, offset, len(from)); err != nil || len(from) == 0 {
		return err
	}
	d := m.device
	err := d.call("cuMemcpyHtoDAsync", d.api.memcpyHtoDAsync,
		uintptr(m.address)+uintptr(offset), uintptr(unsafe.Pointer(unsafe.SliceData(from))), uintptr(len(from)), s.Handle)
	if err != nil || !d.pinned(from) {
		return err
	}
	return d.call("cuStreamSynchronize", d.api.streamSynchronize, s.Handle)
}

// pinned reports whether bytes of this process are pinned.
func (d *device) pinned(bytes []byte) bool {
	kind := cell[uint32]()
	r := d.api.call(d.context, d.api.pointerGetAttribute, address(kind), attrMemoryType, uintptr(unsafe.Pointer(unsafe.SliceData(bytes))))
	return r == success && *kind == memoryHost
}

// CopyOut reads. When it is stopped it has read nothing.
func (m *memory) CopyOut(ctx context.Context, s driver.Stream, offset int64, to []byte) error {
	if err := m.check(s, offset, len(to)); err != nil {
		return err
	}
	d := m.device
	if ctx.Done() != nil || len(to) == 0 {
		if err := d.Wait(ctx, s); err != nil || len(to) == 0 {
			return err
		}
	}
	err := d.call("cuMemcpyDtoHAsync", d.api.memcpyDtoHAsync,
		uintptr(unsafe.Pointer(unsafe.SliceData(to))), uintptr(m.address)+uintptr(offset), uintptr(len(to)), s.Handle)
	if err != nil {
		return err
	}
	return d.call("cuStreamSynchronize", d.api.streamSynchronize, s.Handle)
}

func (m *memory) check(s driver.Stream, offset int64, n int) error {
	if err := m.device.check(s); err != nil {
		return err
	}
	if offset < 0 || offset > m.bytes-int64(n) {
		return diag.New(diag.Driver, "out-of-bounds", "%d bytes at %d are outside of the %d of the memory", n, offset, m.bytes)
	}
	return m.device.capturing(s)
}

// Free gives the memory back: when the device is done with all that was submitted, or in its stream's order. That
// stream may have been closed: then it is done.
func (m *memory) Free() error {
	d := m.device
	if m.order == (driver.Stream{}) || d.check(m.order) != nil {
		return d.call("cuMemFree", d.api.memFree, uintptr(m.address))
	}
	return d.call("cuMemFreeAsync", d.api.memFreeAsync, uintptr(m.address), m.order.Handle)
}
