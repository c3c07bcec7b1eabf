package main

import (
	"encoding/binary"
	"hash/maphash"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula"
)

// shownElements is how many elements of an array a summary shows.
const shownElements = 8

// summary describes an array in a line: its type, shape and first elements.
func summary(a *tegula.Array) string {
	n := a.Len()
	shown := min(n, shownElements)
	parts := make([]string, 0, shown+1)
	for i := range shown {
		parts = append(parts, element(a, i))
	}
	if n > shown {
		parts = append(parts, "…")
	}
	return typeAndShape(a) + "  " + strings.Join(parts, " ")
}

// typeAndShape gives fp32[4, 200].
func typeAndShape(a *tegula.Array) string {
	dims := make([]string, len(a.Shape))
	for i, d := range a.Shape {
		dims[i] = strconv.Itoa(d)
	}
	return a.DType.String() + "[" + strings.Join(dims, ", ") + "]"
}

// element gives an element in decimal.
func element(a *tegula.Array, i int) string {
	bits := elementBits(a, i)
	d := a.DType
	switch {
	case d.IsBool():
		if bits != 0 {
			return "True"
		}
		return "False"
	case d == tegula.FP64:
		return strconv.FormatFloat(d.Decode(bits), 'g', -1, 64)
	case d == tegula.FP32:
		return strconv.FormatFloat(d.Decode(bits), 'g', -1, 32)
	case d.IsFloat(): // five digits tell all numbers of 16 bits apart
		return strconv.FormatFloat(d.Decode(bits), 'g', 5, 64)
	case d.IsSigned():
		shift := 64 - d.Bits()
		return strconv.FormatInt(int64(bits<<shift)>>shift, 10)
	}
	return strconv.FormatUint(bits, 10)
}

func elementBits(a *tegula.Array, i int) uint64 {
	switch a.DType.Bytes() {
	case 1:
		return uint64(a.Data[i])
	case 2:
		return uint64(binary.LittleEndian.Uint16(a.Data[2*i:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32(a.Data[4*i:]))
	}
	return binary.LittleEndian.Uint64(a.Data[8*i:])
}

// A snapshot tells which arrays a kernel has changed.
type snapshot struct {
	seed maphash.Seed
	sums []uint64
}

func snap(arrays []*tegula.Array) snapshot {
	s := snapshot{seed: maphash.MakeSeed(), sums: make([]uint64, len(arrays))}
	for i, a := range arrays {
		s.sums[i] = maphash.Bytes(s.seed, a.Data)
	}
	return s
}

// changed reports whether array i, now a, differs from what it was.
func (s snapshot) changed(i int, a *tegula.Array) bool {
	return maphash.Bytes(s.seed, a.Data) != s.sums[i]
}
