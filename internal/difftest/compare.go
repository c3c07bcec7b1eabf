package difftest

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/tegula-lang/tegula/internal/dtype"
)

// shown is how many differing elements Compare lists.
const shown = 4

// Compare says how got differs from want beyond the tolerance; "" if it does not.
func Compare(d dtype.DType, got, want []byte, tol Tolerance) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d bytes, want %d", len(got), len(want))
	}
	size := d.Bytes()
	n := len(want) / size
	var list []string
	bad := 0
	for i := range n {
		g, w := bitsAt(got, i, size), bitsAt(want, i, size)
		if g == w || d.IsFloat() && tol.accepts(d, g, w) {
			continue
		}
		bad++
		if bad <= shown {
			list = append(list, fmt.Sprintf("[%d] = %s, want %s", i, format(d, g), format(d, w)))
		}
	}
	if bad == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d elements differ: %s", bad, n, strings.Join(list, "; "))
}

func (t Tolerance) accepts(d dtype.DType, g, w uint64) bool {
	x, y := d.Decode(g), d.Decode(w)
	switch {
	case math.IsNaN(x) || math.IsNaN(y):
		return math.IsNaN(x) && math.IsNaN(y)
	case x == y:
		return t != Tolerance{} // so that 0 and -0 differ where bits must be equal
	case math.IsInf(x, 0) || math.IsInf(y, 0):
		return false
	}
	return ulps(d, g, w) <= int64(t.ULP) || math.Abs(x-y) <= t.Abs+t.Rel*math.Abs(y)
}

// ulps counts the floats from one to the other.
func ulps(d dtype.DType, g, w uint64) int64 {
	a, b := ordinal(d, g), ordinal(d, w)
	if a < b {
		a, b = b, a
	}
	return a - b
}

// ordinal numbers the floats of a type in their order.
func ordinal(d dtype.DType, bits uint64) int64 {
	sign := uint64(1) << (d.Bits() - 1)
	if bits&sign != 0 {
		return -int64(bits &^ sign)
	}
	return int64(bits)
}

func bitsAt(b []byte, i, size int) uint64 {
	var w [8]byte
	copy(w[:], b[i*size:(i+1)*size])
	return binary.LittleEndian.Uint64(w[:])
}

func format(d dtype.DType, bits uint64) string {
	switch {
	case d.IsFloat():
		return fmt.Sprintf("%v (%#x)", d.Decode(bits), bits)
	case d.IsSigned():
		return fmt.Sprint(int64(bits<<(64-d.Bytes()*8)) >> (64 - d.Bytes()*8))
	}
	return fmt.Sprint(bits)
}
