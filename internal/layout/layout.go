package layout

import (
	"fmt"
	"math/bits"
)

// An In is a level of the machine: what an element's holder is told by.
type In uint8

// The levels, the innermost first.
const (
	Register In = iota // of a thread
	Lane               // thread of a warp
	Warp               // of a block
	Block              // of a cluster
	NumIns   = 4
)

func (in In) String() string { return [...]string{"register", "lane", "warp", "block"}[in] }

// A Layout says which element of a tile each register of each thread holds: a linear map over F2 from the bits of
// (register, lane, warp, block) to the bits of the element's row-major number. The image of one bit is a basis
// vector. A zero vector means that the bit makes no difference: the element is replicated.
//
// Every element is held by someone. A Layout is an immutable value; equal ones are ==.
type Layout struct {
	m   Matrix
	end [NumIns]uint8 // columns end[in-1] to end[in]-1 of m are those of level in
}

// New gives the layout of a tile of 2^n elements with the given basis vectors of each level.
func New(n int, bases [NumIns][]uint64) (Layout, error) {
	l := Layout{m: Matrix{out: uint8(n)}}
	if n < 0 || n > MaxBits {
		return Layout{}, fmt.Errorf("layout: element numbers of %d bits: between 0 and %d are possible", n, MaxBits)
	}
	for in, vectors := range bases {
		if int(l.m.in)+len(vectors) > MaxBits {
			return Layout{}, fmt.Errorf("layout: more than %d basis vectors", MaxBits)
		}
		for i, v := range vectors {
			if v>>n != 0 {
				return Layout{}, fmt.Errorf("layout: %v basis vector %d is %d: a tile of %d elements has numbers below that", In(in), i, v, 1<<n)
			}
			l.push(v)
		}
		l.close(In(in))
	}
	if rank := l.m.Rank(); rank != n {
		return Layout{}, fmt.Errorf("layout: only 2^%d of 2^%d elements are held: every element needs a holder", rank, n)
	}
	return l, nil
}

// push adds a basis vector to the level that is not closed yet.
func (l *Layout) push(v uint64) {
	l.m.col[l.m.in] = v
	l.m.in++
}

// close ends the basis vectors of a level. All levels are closed, in their order.
func (l *Layout) close(in In) { l.end[in] = l.m.in }

func (l *Layout) start(in In) uint8 {
	if in == Register {
		return 0
	}
	return l.end[in-1]
}

// Bits gives the number of bits of an element number: the tile has 2^Bits elements.
func (l Layout) Bits() int { return int(l.m.out) }

// InBits gives the number of bits of a level: it has 2^InBits members.
func (l Layout) InBits(in In) int { return int(l.end[in] - l.start(in)) }

// Size gives the number of members of a level: registers a thread, lanes a warp, ….
func (l Layout) Size(in In) int { return 1 << l.InBits(in) }

// Basis gives the basis vector of bit i of a level.
func (l Layout) Basis(in In, i int) uint64 { return l.m.col[int(l.start(in))+i] }

// Bases gives the basis vectors of a level.
func (l Layout) Bases(in In) []uint64 { return append([]uint64(nil), l.bases(in)...) }

func (l *Layout) bases(in In) []uint64 { return l.m.col[l.start(in):l.end[in]] }

// Span gives the differences of elements that some levels hold: all exclusive ors of their basis vectors.
func (l Layout) Span(ins ...In) Span {
	var s Span
	for _, in := range ins {
		s.AddAll(l.bases(in))
	}
	return s
}

// Apply gives the number of the element that a register of a thread holds.
func (l *Layout) Apply(register, lane, warp, block int) int {
	return int(l.m.Apply(l.Point(register, lane, warp, block)))
}

// A place in the machine, as one string of bits, is a point: those of the register lowest, then lane, warp, block.

// Point gives the point of a register of a thread.
func (l *Layout) Point(register, lane, warp, block int) uint64 {
	return uint64(register) | uint64(lane)<<l.end[Register] | uint64(warp)<<l.end[Lane] | uint64(block)<<l.end[Warp]
}

// Of gives a level's part of a point.
func (l *Layout) Of(in In, point uint64) int {
	return int(point >> l.start(in) & (1<<l.InBits(in) - 1))
}

// Matrix gives the layout as a map from points to element numbers.
func (l Layout) Matrix() Matrix { return l.m }

// Inverse gives a map from element numbers to points that hold them. Where several hold an element, it is the one
// of the innermost level, with bits that make no difference zero.
func (l Layout) Inverse() Matrix {
	r, ok := l.m.RightInverse()
	if !ok {
		panic("layout: an element without a holder")
	}
	return r
}

// FreeBits gives the bits of a level that make no difference to the element: those of zero basis vectors. Threads
// that differ only in free bits hold the same elements in the same registers.
func (l Layout) FreeBits(in In) uint64 {
	var free uint64
	for i, v := range l.bases(in) {
		if v == 0 {
			free |= 1 << i
		}
	}
	return free
}

// Injective reports whether no element is held twice.
func (l Layout) Injective() bool { return l.m.in == l.m.out }

// highestBit gives the index of the highest set bit, or -1.
func highestBit(v uint64) int { return bits.Len64(v) - 1 }
