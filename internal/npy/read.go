package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
)

// MaxHeader bounds a header's length in bytes. NumPy's own bound is 10,000.
const MaxHeader = 64 << 10

const magic = "\x93NUMPY"

// ReadFile reads a file. as is the element type to take the bytes for; Invalid takes the
// file's own.
func ReadFile(path string, as dtype.DType) (*Array, error) { return (*Arena)(nil).ReadFile(path, as) }

// ReadFile is the function ReadFile, with the arena's memory.
func (a *Arena) ReadFile(path string, as dtype.DType) (*Array, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fileError(path, "npy-file", err)
	}
	defer f.Close()
	size := int64(-1)
	info, err := f.Stat()
	if err != nil {
		return nil, fileError(path, "npy-file", err)
	}
	if info.IsDir() {
		return nil, fileError(path, "npy-file", errors.New("it is a directory"))
	}
	if info.Mode().IsRegular() {
		size = info.Size()
	}
	array, err := a.read(f, size, as)
	var e *diag.Error
	if errors.As(err, &e) {
		e.Place.File = path
	}
	return array, err
}

// Read reads from r. size is how many bytes r holds, or negative if that is unknown; as is as
// for ReadFile.
func Read(r io.Reader, size int64, as dtype.DType) (*Array, error) {
	return (*Arena)(nil).read(r, size, as)
}

func (a *Arena) read(r io.Reader, size int64, as dtype.DType) (*Array, error) {
	h, length, err := readHeader(r)
	if err != nil {
		return nil, malformed("npy-header", err)
	}
	e, err := h.element()
	if err != nil {
		return nil, malformed("npy-dtype", err)
	}
	if e, err = e.as(as, h.descr); err != nil {
		return nil, malformed("npy-dtype", err)
	}
	want, err := Size(e.dtype, h.shape)
	if err != nil {
		return nil, malformed("npy-shape", err)
	}
	first := a
	if h.fortran {
		first = nil // what is rearranged is not kept
	}
	data, err := first.readData(r, want, size, int64(length))
	if err != nil {
		return nil, malformed("npy-length", fmt.Errorf("its header says %v elements of %s: %w", h.shape, e.dtype, err))
	}
	if e.big {
		swap(data, e.bytes)
	}
	if e.dtype.IsBool() {
		normalise(data)
	}
	if h.fortran {
		if data, err = a.toC(data, h.shape, e.bytes); err != nil {
			return nil, malformed("npy-length", err)
		}
	}
	return &Array{DType: e.dtype, Shape: h.shape, Data: data}, nil
}

// as takes e for another type of the same size.
func (e element) as(d dtype.DType, descr string) (element, error) {
	if d == dtype.Invalid {
		if e.dtype == dtype.Invalid {
			return e, fmt.Errorf("elements of type %q may be any float8; say which, such as fp8e4nv", descr)
		}
		return e, nil
	}
	if d.Bytes() != e.bytes {
		return e, fmt.Errorf("elements of type %q have %d bytes and cannot be taken for %s", descr, e.bytes, d)
	}
	e.dtype = d
	return e, nil
}

// readHeader reads up to the data and gives how many bytes that was.
func readHeader(r io.Reader) (*header, int, error) {
	var head [12]byte
	if _, err := io.ReadFull(r, head[:8]); err != nil || string(head[:6]) != magic {
		return nil, 0, errors.New("it does not begin like a .npy file")
	}
	major, lenBytes := head[6], 2
	if major < 1 || major > 3 {
		return nil, 0, fmt.Errorf("format version %d.%d is unknown", major, head[7])
	}
	if major > 1 {
		lenBytes = 4
	}
	if _, err := io.ReadFull(r, head[8:8+lenBytes]); err != nil {
		return nil, 0, errors.New("it ends within its header")
	}
	n := binary.LittleEndian.Uint32(head[8:12]) // the two bytes after a short length are still zero
	if n > MaxHeader {
		return nil, 0, fmt.Errorf("its header claims %d bytes; at most %d are accepted", n, MaxHeader)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, 0, errors.New("it ends within its header")
	}
	h, err := parseHeader(string(text))
	return h, 8 + lenBytes + int(n), err
}

// readData reads want bytes, all that r has left. It takes no more memory than r has data.
func (a *Arena) readData(r io.Reader, want int, size, read int64) ([]byte, error) {
	if size >= 0 {
		if size-read != int64(want) {
			return nil, fmt.Errorf("%d bytes should follow, but %d do", want, size-read)
		}
		data, err := a.alloc(want)
		if err != nil {
			return nil, err
		}
		_, err = io.ReadFull(r, data)
		return data, err
	}
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(r, int64(want)))
	if err != nil {
		return nil, err
	}
	if n != int64(want) {
		return nil, fmt.Errorf("%d bytes should follow, but %d do", want, n)
	}
	data, err := a.alloc(want)
	copy(data, b.Bytes())
	return data, err
}

// swap reverses the bytes of each element.
func swap(data []byte, size int) {
	for e := range slices.Chunk(data, size) {
		slices.Reverse(e)
	}
}

// normalise makes every byte of a bool array 0 or 1.
func normalise(data []byte) {
	for i, b := range data {
		if b > 1 {
			data[i] = 1
		}
	}
}

// toC copies elements from Fortran order, in which the first index runs fastest, to C order.
func (a *Arena) toC(data []byte, shape []int, size int) ([]byte, error) {
	out, err := a.alloc(len(data))
	if err != nil {
		return nil, err
	}
	index := make([]int, len(shape))
	for to := 0; to < len(data); to += size {
		from, stride := 0, size
		for axis, i := range index {
			from += i * stride
			stride *= shape[axis]
		}
		copy(out[to:to+size], data[from:from+size])
		for axis := len(shape) - 1; axis >= 0; axis-- {
			if index[axis]++; index[axis] < shape[axis] {
				break
			}
			index[axis] = 0
		}
	}
	return out, nil
}

// malformed is the error of a file that is not what it should be.
func malformed(code string, err error) error {
	e := diag.New(diag.Argument, code, "not a usable .npy file: %s", err)
	e.Cause = err
	return e
}

// fileError is the error of a file that the system does not give or take.
func fileError(path, code string, err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	e := diag.New(diag.Argument, code, "the file cannot be read: %s", err)
	e.Place.File = path
	e.Cause = err
	return e
}
