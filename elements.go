package tegula

import (
	"encoding/binary"
	"io"

	"github.com/tegula-lang/tegula/internal/npy"
)

// DecodeNPY is ReadNPY from a reader, which must end where the array does.
func DecodeNPY(r io.Reader, as DType) (*Array, error) {
	a, err := npy.Read(r, -1, as)
	return (*Array)(a), err
}

// Float64s gives the elements as float64s, in C order. Integers beyond 2^53 are rounded.
func (a *Array) Float64s() []float64 {
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
