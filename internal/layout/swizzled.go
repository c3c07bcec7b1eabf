package layout

// Swizzled gives the order of a tile of rows×columns elements in shared memory that tensor maps write and that wgmma reads (PTX ISA, "Matrix
// Descriptor", "Swizzling Modes"): element numbers to places, in elements. Rows of swizzle bytes, 32, 64 or 128, follow each other; wider tiles are
// several of that width, one after another. Units of 16 bytes of a row are exclusive-or'ed with its number's bits, as many as there are
// units, so that eight rows' units in one column lie in different banks. 0 is for rows that are left in order.
func Swizzled(rows, columns, elemBits, swizzle int) Matrix {
	width := columns
	if swizzle > 0 {
		width = min(columns, swizzle*8/elemBits)
	}
	n, inRow := log2(rows)+log2(columns), log2(width)
	m := Matrix{in: uint8(n), out: uint8(n)}
	at := 0
	for i := range inRow { // columns of the row
		m.col[i] = 1 << at
		at++
	}
	for i := range log2(rows) {
		m.col[log2(columns)+i] = 1 << at
		at++
	}
	for i := inRow; i < log2(columns); i++ {
		m.col[i] = 1 << at
		at++
	}
	unit, from := log2(16*8)-log2(elemBits), log2(rowBytes*8)-log2(elemBits)
	for i := range log2(max(1, swizzle/16)) {
		for j := range m.col[:n] {
			m.col[j] ^= m.col[j] >> (from + i) & 1 << (unit + i)
		}
	}
	return m
}
