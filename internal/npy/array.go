package npy

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/dtype"
)

// MaxRank is the largest rank of an Array; it is NumPy's.
const MaxRank = 64

// An Array is a dense array in C order. Data holds the elements, little-endian, aligned to
// eight bytes if it was made by New.
type Array struct {
	DType dtype.DType
	Shape []int
	Data  []byte
}

// Len gives the number of elements.
func (a *Array) Len() int {
	if a == nil {
		return 0
	}
	return len(a.Data) / max(a.DType.Bytes(), 1)
}

// New makes an array of zeros. It fails where Size does, and if the machine has not the memory.
func New(d dtype.DType, shape ...int) (*Array, error) { return (*Arena)(nil).New(d, shape...) }

// Size gives the bytes that an array takes. It fails if a dimension is negative, the rank exceeds
// MaxRank or the size exceeds the address space (that of the dimensions above 0, so that the product
// of any of them is an int).
func Size(d dtype.DType, shape []int) (int, error) {
	if d.Bytes() == 0 {
		return 0, fmt.Errorf("%s is no element type", d)
	}
	if len(shape) > MaxRank {
		return 0, fmt.Errorf("an array of %d dimensions; at most %d are possible", len(shape), MaxRank)
	}
	for i, n := range shape {
		if n < 0 {
			return 0, fmt.Errorf("dimension %d is %d; it must not be negative", i, n)
		}
	}
	size, empty := d.Bytes(), false
	for _, n := range shape {
		if n == 0 {
			empty = true
			continue
		}
		if size > math.MaxInt/n {
			return 0, fmt.Errorf("an array of shape %v is too large to exist", shape)
		}
		size *= n
	}
	if empty {
		return 0, nil
	}
	return size, nil
}

// alloc gives n zero bytes, aligned to eight, or to a huge page if there are several.
func alloc(n int) []byte {
	switch {
	case n == 0:
		return []byte{}
	case n >= hugeFrom:
		all := make([]uint64, (n+hugePage)/8)
		first := unsafe.Pointer(&all[0])
		data := unsafe.Slice((*byte)(unsafe.Add(first, -uintptr(first)&(hugePage-1))), n)
		inHugePages(data)
		return data
	}
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), n)
}

// hugePage is the size of a huge page where it matters, hugeFrom that of the smallest array that asks for some, as NumPy's do: code that goes from row to row
// of a matrix then finds its pages at hand. A matrix product gains 3 to 5 %.
const (
	hugePage = 2 << 20
	hugeFrom = 2 * hugePage
)
