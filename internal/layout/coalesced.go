package layout

import "slices"

// An access is made of wavefronts; what the memory system moves at a time is a line, and what a thread can move at
// a time is a vector.
const (
	vectorBits = 128
	lineBits   = 128 * 8
)

// Coalesced gives the layout in which a tile of the given shape is best read or written, when along dimension d
// contiguity[d] neighbours follow each other in memory, of which aligned[d] are certain to be on an address that is a
// multiple of their size (a pass.AxisInfo's Contiguity and AlignedRun of the pointer; of the mask, its Constancy
// bounds aligned). elemBits is the size of an element, lanes and warps how many there are; all are powers of two.
//
// The dimension of the longest contiguity is the fastest (of equal ones the last). Along it each thread holds a vector of up to
// 128 bits, but not so long that threads would be idle; as many lanes follow each other as make a line of 128 bytes; the other lanes,
// then the warps, go over the other dimensions, and over the rest of the fastest where those are covered. So few lanes share a
// row, which makes its reduction short.
func Coalesced(shape, contiguity, aligned []int, elemBits, lanes, warps int) Layout {
	if len(shape) == 0 {
		return Replicated(0, lanes, warps)
	}
	order := FastestFirst(contiguity)
	b := newBoxes(shape)
	fast := order[0]
	vector := max(0, min(log2(min(aligned[fast], contiguity[fast])), log2(vectorBits)-log2(elemBits), int(b.l.m.out)-log2(lanes*warps), b.left[fast]))
	b.take(fast, vector)
	var registers [MaxBits]uint64
	copy(registers[:], b.taken())
	b.reset()

	laneBits := log2(lanes)
	line := max(0, min(log2(lineBits)-log2(elemBits)-vector, laneBits, b.left[fast]))
	b.take(fast, line)
	b.takeAny(laneBits-line, order)
	b.l.close(Lane)
	b.takeAny(log2(warps), order)
	b.l.close(Warp)
	return b.finish(registers[:vector], order)
}

// takeAny gives n bits away: of the dimensions after the fastest, then of the fastest, then zero vectors.
func (b *boxes) takeAny(n int, order []int) {
	for i := range order {
		d := order[(i+1)%len(order)]
		k := min(n, b.left[d])
		b.take(d, k)
		n -= k
	}
	for range n {
		b.l.push(0)
	}
}

// FastestFirst gives the dimensions in the order of their contiguity, the longest first, of equal ones the last first.
func FastestFirst(contiguity []int) []int {
	order := make([]int, len(contiguity))
	for i := range order {
		order[i] = len(order) - 1 - i
	}
	slices.SortStableFunc(order, func(a, b int) int { return contiguity[b] - contiguity[a] })
	return order
}

// Replicated gives the layout in which every thread holds all of a tile of 2^n elements.
func Replicated(n, lanes, warps int) Layout {
	l := Layout{m: Matrix{out: uint8(n)}}
	for i := range n {
		l.push(1 << i)
	}
	l.close(Register)
	for range log2(lanes) {
		l.push(0)
	}
	l.close(Lane)
	for range log2(warps) {
		l.push(0)
	}
	l.close(Warp)
	l.close(Block)
	return l
}
