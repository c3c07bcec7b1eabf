package layout

// Blocked gives the layout in which each thread holds a box of perThread elements, the lanes of a warp a box of lanes
// such boxes, and the warps a box of warps of those, along each dimension. Bits are handed out along order, the fastest
// dimension first. A box that covers more than the tile wraps around: its surplus lanes and warps replicate, and of its
// surplus registers there are none. A tile of more than the box repeats it, in further registers, along order too.
// All sizes are powers of two.
func Blocked(shape, order, perThread, lanes, warps []int) Layout {
	b := newBoxes(shape)
	for _, d := range order {
		b.take(d, min(log2(perThread[d]), b.left[d]))
	}
	var registers [MaxBits]uint64
	inner := copy(registers[:], b.taken())
	b.reset()
	for _, d := range order {
		b.take(d, log2(lanes[d]))
	}
	b.l.close(Lane)
	for _, d := range order {
		b.take(d, log2(warps[d]))
	}
	b.l.close(Warp)
	return b.finish(registers[:inner], order)
}

// boxes hands out the bits of a tile's element numbers, along each dimension the lowest first.
type boxes struct {
	l    Layout // its basis vectors so far
	low  []int  // by dimension: the index of the lowest bit that is left
	left []int  // how many bits are left
}

func newBoxes(shape []int) *boxes {
	both := make([]int, 2*len(shape))
	b := &boxes{low: both[:len(shape)], left: both[len(shape):]}
	n := 0
	for d := len(shape) - 1; d >= 0; d-- {
		b.low[d], b.left[d] = n, log2(shape[d])
		n += b.left[d]
	}
	b.l.m.out = uint8(n)
	return b
}

// take gives the next n bits of dimension d away; where there are none left, zero vectors.
func (b *boxes) take(d, n int) {
	for range n {
		if b.left[d] == 0 {
			b.l.push(0)
			continue
		}
		b.l.push(1 << b.low[d])
		b.low[d]++
		b.left[d]--
	}
}

// taken gives the basis vectors so far.
func (b *boxes) taken() []uint64 { return b.l.m.col[:b.l.m.in] }

// reset forgets the basis vectors, not what was given away.
func (b *boxes) reset() { b.l = Layout{m: Matrix{out: b.l.m.out}} }

// finish gives the layout whose registers are the given ones and then all that is left along order, and whose lanes
// and warps are those taken.
func (b *boxes) finish(registers []uint64, order []int) Layout {
	threads := b.l
	b.reset()
	for _, v := range registers {
		b.l.push(v)
	}
	for _, d := range order {
		b.take(d, b.left[d])
	}
	b.l.close(Register)
	for _, v := range threads.m.col[:threads.end[Lane]] {
		b.l.push(v)
	}
	b.l.close(Lane)
	for _, v := range threads.m.col[threads.end[Lane]:threads.end[Warp]] {
		b.l.push(v)
	}
	b.l.close(Warp)
	b.l.close(Block)
	return b.l
}

// Vector gives the number of neighbours along dimension d that each thread holds in its first registers, in their
// order: the size of the vectors that an access along d can have.
func (l Layout) Vector(d int, shape []int) int {
	unit := uint64(1) << LogSize(shape[d+1:])
	n := 0
	for n < min(l.InBits(Register), log2(shape[d])) && l.Basis(Register, n) == unit<<n {
		n++
	}
	return 1 << n
}
