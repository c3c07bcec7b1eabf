package pass

import (
	"math/bits"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/tile"
)

// AxisInfo says what is known of a value's elements along each of its dimensions: what a
// back end needs to use wide memory accesses, to choose which dimension is the fastest, and
// to test a mask once for several elements. The idea is Triton's AxisInfo.
//
// A dimension is cut into groups of 2^k neighbours that start at multiples of 2^k. Along
// dimension d:
//
//   - Contiguity 2^k: in each group the elements go up by one from neighbour to neighbour
//     (for pointers: by the size of what they point to).
//   - Divisibility 2^k: the first element of each group of the contiguity's size is a
//     multiple of 2^k (for pointers: in bytes). Where the contiguity is 1, that is each element.
//   - Constancy 2^k: in each group the elements are equal.
//
// A scalar has one dimension of size 1. 1 is always true; the larger, the more is known, so
// a meet takes the minimum, with the divisibility weakened to what it says of the first
// elements of the smaller groups.
//
// Integers wrap, so "up by one" is modulo 2^width. Widening an integer keeps the claim, as
// does its use as an offset, although a group may have crossed the end of the narrow type.
// Therefore Contiguity is good for choosing an order, and what correctness depends on asks
// for AlignedRun: the groups of at most the divisibility's size start at a multiple of
// their size, so they lie on one side of every power of two and cannot wrap.
//
// NonNegative is known under one assumption: that sums and products of values that are not
// negative do not overflow, nor does |x|. It decides what signed division and remainder by a
// group do.
//
// What the author says (hints, assumptions, the alignment of arguments) is believed.
type AxisInfo struct {
	axes   [tile.MaxRank]axis
	rank   uint8
	unit   uint8 // log2 of the step of contiguity: 0, or of what pointers point to
	known  bool
	nonNeg bool
	value  int64 // if known
}

// An axis is what is known along one dimension, as logarithms.
type axis struct{ contig, div, constant uint8 }

// Contiguity gives the size of contiguous groups along dimension d.
func (x *AxisInfo) Contiguity(d int) int { return 1 << x.axes[d].contig }

// Divisibility gives a divisor of the first element of each contiguous group along
// dimension d, at most 2^62.
func (x *AxisInfo) Divisibility(d int) int64 { return 1 << min(x.axes[d].div, 62) }

// Constancy gives the size of groups of equal elements along dimension d.
func (x *AxisInfo) Constancy(d int) int { return 1 << x.axes[d].constant }

// AlignedRun gives the size of groups along dimension d whose elements are certainly
// consecutive, the first a multiple of the group's size (for pointers: in bytes). 1 says nothing.
func (x *AxisInfo) AlignedRun(d int) int { return 1 << x.run(d) }

// Const gives the value of all elements, if it is known, sign-extended.
func (x *AxisInfo) Const() (int64, bool) { return x.value, x.known }

// NonNegative reports whether no element, as a signed number, is negative.
func (x *AxisInfo) NonNegative() bool { return x.nonNeg }

// String gives the facts that say something, dimension by dimension: contig 1x64, div 16x4,
// const 32x1, >= 0, = 7.
func (x *AxisInfo) String() string {
	var facts []string
	for _, f := range []struct {
		name string
		of   func(d int) int64
	}{
		{"contig", func(d int) int64 { return int64(x.Contiguity(d)) }},
		{"div", x.Divisibility},
		{"const", func(d int) int64 { return int64(x.Constancy(d)) }},
	} {
		sizes, says := make([]string, x.rank), false
		for d := range sizes {
			n := f.of(d)
			says = says || n > 1
			sizes[d] = strconv.FormatInt(n, 10)
		}
		if says {
			facts = append(facts, f.name+" "+strings.Join(sizes, "x"))
		}
	}
	if x.known {
		facts = append(facts, "= "+strconv.FormatInt(x.value, 10))
	} else if x.nonNeg {
		facts = append(facts, ">= 0")
	}
	return strings.Join(facts, ", ")
}

// run is AlignedRun's logarithm.
func (x *AxisInfo) run(d int) uint8 {
	a := x.axes[d]
	return min(a.contig, sub8(a.div, x.unit))
}

// at gives the divisibility, as a logarithm, of the elements at multiples of 2^group along
// dimension d.
func (x *AxisInfo) at(d int, group uint8) uint8 {
	a := x.axes[d]
	if group >= a.contig {
		return a.div
	}
	return min(a.div, group+x.unit)
}

// all gives the divisibility of every element.
func (x *AxisInfo) all() uint8 {
	div := uint8(0)
	for d := range int(x.rank) {
		div = max(div, x.at(d, 0))
	}
	return div
}

// meet gives what holds of both x and y, two values of one type.
func meet(x, y *AxisInfo) AxisInfo {
	m := *x
	m.known = x.known && y.known && x.value == y.value
	if !m.known {
		m.value = 0
	}
	m.nonNeg = x.nonNeg && y.nonNeg
	for d := range int(x.rank) {
		contig := min(x.axes[d].contig, y.axes[d].contig)
		m.axes[d] = axis{contig, min(x.at(d, contig), y.at(d, contig)), min(x.axes[d].constant, y.axes[d].constant)}
	}
	return m
}

// nothingKnown gives the least that holds of a value of type t.
func nothingKnown(t tile.Type) AxisInfo {
	x := AxisInfo{rank: uint8(max(t.Rank(), 1))}
	if t.IsPtr() {
		x.unit = log2(t.Pointee().ElemBytes())
	}
	return x
}

// uniformInfo gives what holds of a tile that repeats a scalar.
func uniformInfo(t tile.Type, scalar *AxisInfo) AxisInfo {
	x := nothingKnown(t)
	x.known, x.value, x.nonNeg = scalar.known, scalar.value, scalar.nonNeg
	for d := range t.Rank() {
		x.axes[d] = axis{0, scalar.axes[0].div, uint8(t.LogDim(d))}
	}
	if t.IsScalar() {
		x.axes[0] = scalar.axes[0]
	}
	return x
}

// constInfo gives what holds of a constant. Of a float it is only that it is the same everywhere.
func constInfo(t tile.Type, bits uint64) AxisInfo {
	if t.IsFloat() {
		scalar := nothingKnown(t.Scalar())
		return uniformInfo(t, &scalar)
	}
	return knownInfo(t, signExtend(bits, t.ElemBits()))
}

// knownInfo gives what holds of a value whose elements, sign-extended, are v.
func knownInfo(t tile.Type, v int64) AxisInfo {
	scalar := nothingKnown(t.Scalar())
	scalar.known, scalar.value, scalar.nonNeg = true, v, v >= 0
	scalar.axes[0].div = trailingZeros(v, t.ElemBits())
	return uniformInfo(t, &scalar)
}

// trailingZeros gives the logarithm of the largest power of two that divides v, a number of
// w bits: w for 0.
func trailingZeros(v int64, w int) uint8 { return uint8(min(bits.TrailingZeros64(uint64(v)), w)) }

func log2(n int) uint8 { return uint8(bits.Len(uint(n)) - 1) }

// sub8 is x - y, not below 0.
func sub8(x, y uint8) uint8 { return x - min(x, y) }
