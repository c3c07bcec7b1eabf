package tegula

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/npy"
)

// An Array is a dense array argument whose element type and shape are said, not inferred. Data
// holds the elements in C order, as they lie in memory; it must be aligned to the size of an
// element.
type Array struct {
	DType DType
	Shape []int
	Data  []byte
}

// NewArray makes an array of zeros.
func NewArray(d DType, shape ...int) (*Array, error) {
	a, err := npy.New(d, shape...)
	if err != nil {
		return nil, arrayError(err)
	}
	return (*Array)(a), nil
}

// A Number is what the elements of a slice argument may be.
type Number interface {
	~bool | ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// View makes an array of a slice without copying, in a given shape; none means that of the slice. Its
// product must be the slice's length.
func View[T Number](s []T, shape ...int) (*Array, error) {
	d, ok := dtypeOf(s)
	if !ok {
		return nil, arrayError(fmt.Errorf("%T is no slice of numbers", s))
	}
	if len(shape) == 0 {
		shape = []int{len(s)}
	}
	a := &Array{DType: d, Shape: shape, Data: bytesOf(s)}
	return a, a.check()
}

// Elements gives an array's elements as a slice, without copying. T must be the array's element type, or one defined from it.
func Elements[T Number](a *Array) ([]T, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	var none []T
	if d, ok := dtypeOf(none); !ok || d != a.DType {
		return nil, arrayError(fmt.Errorf("the elements are %s, not %T", a.DType, *new(T)))
	}
	if len(a.Data) == 0 {
		return none, nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(a.Data))), a.Len()), nil
}

// ReadNPY reads NumPy's .npy format. The file says the element type; a valid as takes the bytes
// for another type of the same size, which files of float8 numbers need.
func ReadNPY(path string, as DType) (*Array, error) {
	a, err := npy.ReadFile(path, as)
	return (*Array)(a), err
}

// WriteNPY writes NumPy's .npy format.
func (a *Array) WriteNPY(path string) error {
	if err := a.check(); err != nil {
		return err
	}
	return npy.WriteFile(path, (*npy.Array)(a))
}

// Len gives the number of elements.
func (a *Array) Len() int { return (*npy.Array)(a).Len() }

// check reports whether the parts fit each other.
func (a *Array) check() error {
	if a == nil {
		return arrayError(errors.New("the array is nil"))
	}
	size, err := npy.Size(a.DType, a.Shape)
	if err != nil {
		return arrayError(err)
	}
	if size != len(a.Data) {
		return arrayError(fmt.Errorf("an array of shape %v of %s has %d bytes, not %d", a.Shape, a.DType, size, len(a.Data)))
	}
	if at := uintptr(unsafe.Pointer(unsafe.SliceData(a.Data))); size > 0 && at%uintptr(a.DType.Bytes()) != 0 {
		return arrayError(fmt.Errorf("the data of an array of %s lies at an address that is no multiple of %d", a.DType, a.DType.Bytes()))
	}
	return nil
}

func arrayError(err error) error {
	e := diag.New(diag.Argument, "array", "%s", err)
	e.Cause = err
	return e
}
