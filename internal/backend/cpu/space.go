package cpu

import (
	"unsafe"

	"github.com/tegula-lang/tegula/internal/diag"
)

// An Array is the memory of an array argument.
type Array struct {
	Name      string         // for messages
	Base      unsafe.Pointer // its first byte; kernels need elements to be naturally aligned
	Bytes     int64
	Front     int64 // how many of the bytes lie in front of the address that the kernel gets
	ElemBytes int   // of its own element type, for messages
	Keep      any   // what keeps the memory alive
}

// Kernels see virtual addresses. The upper 16 bits are the array's number, counted from 1, so
// that a pointer keeps saying which array it came from when something is added to it; the
// array starts in the middle of what the lower bits can say, at a place in the page that has the real
// address's alignment. An address without a number, such as one that a kernel finds in a table
// of pointers, is a real one: it belongs to the array that it lies in. Where a kernel asks for a pointer
// as an integer it gets the real address, so what it stores means the same in every launch. A pointer that is moved
// out of what the lower bits can say belongs to no array any more, wherever it is moved afterwards.
const (
	tagShift  = 48
	farTag    = 1<<(64-tagShift) - 1
	maxArrays = farTag - 1
	middle    = 1 << (tagShift - 1)
	page      = 1 << 12

	farAway  = farTag<<tagShift | middle
	farthest = 1 << (tagShift - 2) // elements; no array has as many
)

// moved gives a pointer some elements further.
func moved(addr uint64, by int64, size uint64) uint64 {
	to := addr + uint64(by)*size
	if (to^addr)>>tagShift != 0 || uint64(by+farthest) >= 2*farthest {
		return farAway
	}
	return to
}

// A space is the memory that a launch may touch.
type space struct{ arrays []array }

type array struct {
	Array
	real    uint64 // the address of Base
	virtual uint64 // what kernels see as its address
	size    uint64
}

func newSpace(args []Arg, reach []Array) (space, error) {
	var s space
	for _, a := range args {
		if a.Array == nil {
			continue
		}
		if err := s.add(a.Array); err != nil {
			return space{}, err
		}
	}
	for i := range reach {
		if err := s.add(&reach[i]); err != nil {
			return space{}, err
		}
	}
	if len(s.arrays) > maxArrays {
		return space{}, diag.New(diag.Argument, "array-count", "%d arrays; at most %d", len(s.arrays), maxArrays)
	}
	return s, nil
}

// add makes an array reachable.
func (s *space) add(a *Array) error {
	real := uint64(uintptr(a.Base))
	if a.Bytes < 0 || a.Front < 0 || a.Front > a.Bytes || real == 0 && a.Bytes > 0 || real>>tagShift != 0 {
		return diag.New(diag.Argument, "array-memory", "array %s has no valid memory: %d bytes at %#x", a.Name, a.Bytes, real)
	}
	s.arrays = append(s.arrays, array{
		Array:   *a,
		real:    real,
		virtual: uint64(len(s.arrays)+1)<<tagShift | middle | real%page,
		size:    uint64(a.Bytes),
	})
	return nil
}

// owner gives the array that an address belongs to, nil if none.
func (s *space) owner(addr uint64) *array {
	tag := addr >> tagShift
	if tag == 0 {
		return s.at(addr)
	}
	if tag > uint64(len(s.arrays)) {
		return nil
	}
	return &s.arrays[tag-1]
}

// at gives the array that a real address lies in.
func (s *space) at(addr uint64) *array {
	for i := range s.arrays {
		a := &s.arrays[i]
		if addr-a.real < a.size {
			return a
		}
	}
	return nil
}

// tag gives the virtual address of a real one that lies in an array, else the address itself.
func (s *space) tag(addr uint64) uint64 {
	if addr>>tagShift != 0 {
		return addr
	}
	a := s.at(addr)
	if a == nil {
		return addr
	}
	return a.virtual + (addr - a.real)
}

// untag gives the address that is stored to memory for a pointer into an array.
func (s *space) untag(addr uint64) uint64 {
	if addr>>tagShift == 0 {
		return addr
	}
	if a := s.owner(addr); a != nil {
		return a.real + (addr - a.virtual)
	}
	return addr
}

// offset gives how many bytes an address lies after the array's start; it wraps around if
// it lies before.
func (a *array) offset(addr uint64) uint64 {
	if addr>>tagShift == 0 {
		return addr - a.real
	}
	return addr - a.virtual
}

// argument gives what the kernel sees as the address of the array.
func (a *array) argument() uint64 { return a.virtual + uint64(a.Front) }

// holds reports whether n bytes from an offset on lie in the array.
func (a *array) holds(offset, n uint64) bool { return offset <= a.size && a.size-offset >= n }

func (a *array) pointer(offset uint64) unsafe.Pointer { return unsafe.Add(a.Base, offset) }
