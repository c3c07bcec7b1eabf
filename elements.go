package tegula

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/tegula-lang/tegula/internal/npy"
)

// DecodeNPY is ReadNPY from a reader, which must end where the array does.
func DecodeNPY(r io.Reader, as DType) (*Array, error) {
	if r == nil {
		return nil, arrayError(errors.New("the reader is nil"))
	}
	a, err := npy.Read(steady{r}, -1, as)
	return (*Array)(a), err
}

// A steady reader fails where another gives nothing again and again.
type steady struct{ r io.Reader }

// Read reads.
func (s steady) Read(p []byte) (int, error) {
	const most = 100
	for range most {
		n, err := s.r.Read(p)
		if n < 0 || n > len(p) {
			return 0, fmt.Errorf("the reader gives %d of %d bytes", n, len(p))
		}
		if n > 0 || err != nil || len(p) == 0 {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// Float64s gives the elements as float64s, in C order. Integers beyond 2^53 are rounded.
func (a *Array) Float64s() []float64 {
	if a == nil {
		return nil
	}
	size := a.DType.Bytes()
	out := make([]float64, a.Len())
	var word [8]byte
	for i := range out {
		clear(word[:])
		copy(word[:], a.Data[i*size:(i+1)*size])
		bits := binary.LittleEndian.Uint64(word[:])
		switch {
		case a.DType.IsFloat():
			out[i] = a.DType.Decode(bits)
		case a.DType.IsSigned():
			shift := 64 - 8*size
			out[i] = float64(int64(bits<<shift) >> shift)
		default:
			out[i] = float64(bits)
		}
	}
	return out
}
