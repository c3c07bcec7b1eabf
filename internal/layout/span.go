package layout

import "math/bits"

// A Span is a subspace of strings of bits: all exclusive ors of some of the strings that were added. The zero Span
// is the subspace of zero alone.
type Span struct {
	echelon [MaxBits]uint64 // by the index of the highest set bit; 0 where there is none
	dim     int
}

// SpanOf gives the smallest subspace that holds all of v.
func SpanOf(v ...uint64) Span {
	var s Span
	s.AddAll(v)
	return s
}

// Dim gives the dimension: the subspace has 2^Dim strings.
func (s *Span) Dim() int { return s.dim }

// Reduce gives the representative of v modulo the subspace: 0 exactly for its members, and the same for strings
// that differ by a member.
func (s *Span) Reduce(v uint64) uint64 {
	for at := v; at != 0; {
		top := bits.Len64(at) - 1
		if s.echelon[top] != 0 {
			v ^= s.echelon[top]
		}
		at = v & (1<<top - 1)
	}
	return v
}

// Has reports whether v is in the subspace.
func (s *Span) Has(v uint64) bool { return s.Reduce(v) == 0 }

// Add enlarges the subspace by v, and reports whether v was not yet in it.
func (s *Span) Add(v uint64) bool {
	v = s.Reduce(v)
	if v == 0 {
		return false
	}
	s.echelon[bits.Len64(v)-1] = v
	s.dim++
	return true
}

// AddAll adds each of v.
func (s *Span) AddAll(v []uint64) {
	for _, x := range v {
		s.Add(x)
	}
}

// Basis gives independent strings that span the subspace, the lowest first.
func (s *Span) Basis() []uint64 {
	b := make([]uint64, 0, s.dim)
	for _, v := range s.echelon {
		if v != 0 {
			b = append(b, v)
		}
	}
	return b
}

// Meet gives the strings that are in both s and t (Zassenhaus' algorithm).
func (s *Span) Meet(t *Span) Span {
	// upper holds sums of a member of s and one of t by their sum, lower what of it is of s.
	var upper, lower [MaxBits]uint64
	for top, v := range s.echelon {
		upper[top], lower[top] = v, v
	}
	var meet Span
	for _, v := range t.echelon {
		sum, ofS := v, uint64(0)
		for sum != 0 {
			top := bits.Len64(sum) - 1
			if upper[top] == 0 {
				upper[top], lower[top] = sum, ofS
				break
			}
			sum ^= upper[top]
			ofS ^= lower[top]
		}
		if sum == 0 {
			meet.Add(ofS)
		}
	}
	return meet
}
