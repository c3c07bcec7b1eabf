package gen

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/dtype"
)

// aligned gives n bytes at an address that is a multiple of 16, as descriptors want it.
func aligned(n int) []byte {
	words := make([][2]uint64, (n+15)/16)
	if n == 0 {
		return []byte{}
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

// A source is a stream of pseudo-random words: SplitMix64.
type source struct{ state uint64 }

// newSource makes the stream of a name.
func newSource(name string) *source {
	h := fnv.New64a()
	h.Write([]byte(name))
	return &source{h.Sum64()}
}

func (s *source) next() uint64 {
	s.state += 0x9E3779B97F4A7C15
	z := s.state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// below gives a number from 0 to n-1.
func (s *source) below(n int) int { return int(s.next() % uint64(n)) }

// unit gives a number in [0, 1) with 24 bits.
func (s *source) unit() float64 { return float64(s.next()>>40) / (1 << 24) }

// A domain is a kind of numbers that inputs are drawn from.
type domain string

const (
	anyNumber domain = "any"    // everything that the type has: limits, zeros of both signs, infinities, NaN, subnormals
	finite    domain = "finite" // numbers of moderate size; integers of the whole range
	small     domain = "small"  // whole numbers from -8 to 8 (unsigned: 0 to 16): sums and products of many are exact
	positive  domain = "pos"    // from 1/16 to 16; integers from 1 to 100
	unit      domain = "unit"   // in [0, 1)
	nonzero   domain = "nonzero"
	tiny      domain = "tiny"  // whole numbers from 0 to 3
	index     domain = "index" // 0 to 15
	shift     domain = "shift" // 0 to the width of the type, exclusive
	inner     domain = "inner" // in (-1, 1)
	angle     domain = "angle" // within a few turns
	growth    domain = "exp"   // what exp neither overflows nor loses: -80 to 80
	ordered   domain = "ordered"
	scales    domain = "scales" // exponents of scaled dots, around 1
)

// special are the floats that break things: zeros, infinities, NaN, limits, subnormals.
var special = [...]float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 0.5, 0x1p-14, 0x1p-24,
	65504, -65504, 3, 1 + 0x1p-10, -2.5, 1e-3}

// numbers makes n elements.
func numbers(s *source, d dtype.DType, dom domain, n int) []byte {
	out := aligned(n * d.Bytes())[:0]
	for i := range n {
		out = appendBits(out, d, element(s, d, dom, i))
	}
	return out
}

func appendBits(out []byte, d dtype.DType, bits uint64) []byte {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bits)
	return append(out, b[:d.Bytes()]...)
}

// element gives the bits of element i.
func element(s *source, d dtype.DType, dom domain, i int) uint64 {
	switch {
	case d.IsBool():
		return s.next() >> 17 & 1
	case d.IsFloat():
		return floatElement(s, d, dom, i)
	}
	return intElement(s, d, dom, i)
}

func floatElement(s *source, d dtype.DType, dom domain, i int) uint64 {
	switch dom {
	case anyNumber:
		switch {
		case i < len(special):
			return d.Encode(special[i])
		case i%3 == 0:
			return s.next() >> (64 - d.Bits())
		}
	case small:
		return d.Encode(float64(s.below(17) - 8))
	case tiny:
		return d.Encode(float64(s.below(4)))
	case index:
		return d.Encode(float64(s.below(16)))
	case positive:
		return d.Encode(math.Exp2(8*s.unit() - 4))
	case unit:
		return d.Encode(s.unit())
	case inner:
		return d.Encode((2*s.unit() - 1) * 0.96875)
	case angle:
		return d.Encode(40 * (s.unit() - 0.5))
	case growth:
		return d.Encode(160 * (s.unit() - 0.5))
	case ordered:
		return d.Encode(float64(i) / 4)
	case nonzero:
		x := 16 * (s.unit() - 0.5)
		if x == 0 {
			x = 1
		}
		return d.Encode(x)
	}
	return d.Encode(200 * (s.unit() - 0.5))
}

func intElement(s *source, d dtype.DType, dom domain, i int) uint64 {
	mask := uint64(1)<<d.Bits() - 1
	if d.Bits() == 64 {
		mask = math.MaxUint64
	}
	top := uint64(1) << (d.Bits() - 1)
	limits := [...]uint64{0, 1, mask, top, top - 1, 2, mask - 1, 100}
	switch dom {
	case small:
		if d.IsSigned() {
			return uint64(s.below(17)-8) & mask
		}
		return uint64(s.below(17))
	case tiny:
		return uint64(s.below(4))
	case index:
		return uint64(s.below(16))
	case shift:
		return uint64(s.below(d.Bits()))
	case positive:
		return uint64(1 + s.below(100))
	case ordered:
		return uint64(i)
	case scales:
		return uint64(124 + s.below(7))
	}
	w := s.next()
	x := w >> (64 - d.Bits())
	switch {
	case i < len(limits):
		x = limits[i]
	case i%2 == 0: // small ones, too
		x = (w>>8%256 - 128) & mask
	}
	if dom == nonzero && (x == 0 || d.IsSigned() && x == mask) { // nor -1, by which the smallest number cannot be divided
		x = 3
	}
	return x
}
