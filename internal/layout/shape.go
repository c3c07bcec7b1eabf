package layout

import "math/bits"

// A tile's dimensions are powers of two, so the row-major number of an element is a string of bits: those of its
// last coordinate lowest, those of its first highest.

// LogSize gives the number of bits of the element numbers of a tile of the given shape.
func LogSize(shape []int) int {
	n := 0
	for _, size := range shape {
		n += log2(size)
	}
	return n
}

// DimBits gives the mask of the bits of an element number that are the coordinate along dimension d.
func DimBits(shape []int, d int) uint64 {
	return (1<<log2(shape[d]) - 1) << LogSize(shape[d+1:])
}

// Coords gives the coordinates of an element, appended to at.
func Coords(at []int, shape []int, element uint64) []int {
	shift := LogSize(shape)
	for _, size := range shape {
		shift -= log2(size)
		at = append(at, int(element>>shift)&(size-1))
	}
	return at
}

// TransposedBits says what a transposition does to element numbers. Dimension i of the result is dimension order[i]
// of the operand, which has the given shape; bit i of the result's element number is bit number [i] of the operand's.
func TransposedBits(shape, order []int) []int {
	var from []int
	for i := len(order) - 1; i >= 0; i-- {
		d := order[i]
		low := LogSize(shape[d+1:])
		for b := range log2(shape[d]) {
			from = append(from, low+b)
		}
	}
	return from
}

func log2(n int) int { return bits.Len(uint(n)) - 1 }
