package layout

import "math/bits"

// MaxBits bounds the bits that a Matrix maps from and to. A tile has at most 2^20 elements; a layout that
// replicates one over 2^5 lanes, 2^5 warps and 2^4 blocks maps from 34 bits.
const MaxBits = 40

// A Matrix is a linear map over F2, from strings of In bits to strings of Out bits. The image of a string is the
// exclusive or of the columns of its set bits. The zero Matrix maps nothing to nothing. Equal maps are ==.
type Matrix struct {
	in, out uint8
	col     [MaxBits]uint64 // those from in on are zero
}

// NewMatrix gives the map with the given columns, each below 2^out. It panics where that is not so: the columns
// are the caller's constants.
func NewMatrix(out int, columns ...uint64) Matrix {
	m := Matrix{in: uint8(len(columns)), out: uint8(out)}
	if len(columns) > MaxBits || out > MaxBits {
		panic("layout: a matrix of too many bits")
	}
	for i, c := range columns {
		if c>>out != 0 {
			panic("layout: a column has more bits than the matrix maps to")
		}
		m.col[i] = c
	}
	return m
}

// Identity maps n bits to themselves.
func Identity(n int) Matrix {
	m := Matrix{in: uint8(n), out: uint8(n)}
	for i := range n {
		m.col[i] = 1 << i
	}
	return m
}

// In gives the number of bits that m maps from.
func (m *Matrix) In() int { return int(m.in) }

// Out gives the number of bits that m maps to.
func (m *Matrix) Out() int { return int(m.out) }

// Column gives the image of bit i.
func (m *Matrix) Column(i int) uint64 { return m.col[i] }

// Apply gives the image of v. Bits of v from In on count for nothing.
func (m *Matrix) Apply(v uint64) uint64 {
	v &= 1<<m.in - 1
	var image uint64
	for v != 0 {
		image ^= m.col[bits.TrailingZeros64(v)]
		v &= v - 1
	}
	return image
}

// After gives the map m∘n: first n, then m. n maps to as many bits as m maps from.
func (m *Matrix) After(n *Matrix) Matrix {
	both := Matrix{in: n.in, out: m.out}
	for i := range n.col[:n.in] {
		both.col[i] = m.Apply(n.col[i])
	}
	return both
}

// Transpose gives the matrix whose rows are m's columns.
func (m *Matrix) Transpose() Matrix {
	t := Matrix{in: m.out, out: m.in}
	for i, c := range m.col[:m.in] {
		for ; c != 0; c &= c - 1 {
			t.col[bits.TrailingZeros64(c)] |= 1 << i
		}
	}
	return t
}

// Rank gives the dimension of the image.
func (m *Matrix) Rank() int {
	var s Span
	s.AddAll(m.col[:m.in])
	return s.Dim()
}

// RightInverse gives a map r with m∘r = 1, if m reaches every string. Where several strings have one image, r gives
// one that is made of m's first columns: of later columns it uses only those that earlier ones cannot express.
func (m *Matrix) RightInverse() (Matrix, bool) {
	var s solver
	s.prepare(m)
	r := Matrix{in: m.out, out: m.in}
	for i := range int(m.out) {
		v, ok := s.solve(1 << i)
		if !ok {
			return Matrix{}, false
		}
		r.col[i] = v
	}
	return r, true
}

// LeftInverse gives a map l with l∘m = 1, if m gives different strings different images.
func (m *Matrix) LeftInverse() (Matrix, bool) {
	t := m.Transpose()
	r, ok := t.RightInverse()
	if !ok {
		return Matrix{}, false
	}
	return r.Transpose(), true
}

// Kernel gives a basis of the strings that m maps to zero.
func (m *Matrix) Kernel() []uint64 {
	var s solver
	var kernel []uint64
	for i := range m.col[:m.in] {
		if made := s.add(m, i); made != 0 {
			kernel = append(kernel, made)
		}
	}
	return kernel
}

// A solver answers which string a matrix maps to a given one.
type solver struct {
	echelon [MaxBits]uint64 // by the index of the highest set bit: an image, or 0
	made    [MaxBits]uint64 // a string of that image
}

func (s *solver) prepare(m *Matrix) {
	for i := range m.col[:m.in] {
		s.add(m, i)
	}
}

// add adds column i; where the image is one of those before, it gives a string that m maps to zero, else 0.
func (s *solver) add(m *Matrix, i int) uint64 {
	rest, made := s.reduce(m.col[i])
	made ^= 1 << i
	if rest == 0 {
		return made
	}
	top := bits.Len64(rest) - 1
	s.echelon[top], s.made[top] = rest, made
	return 0
}

// reduce subtracts from v what the matrix reaches, and gives the string whose image was subtracted.
func (s *solver) reduce(v uint64) (rest, made uint64) {
	for at := v; at != 0; {
		top := bits.Len64(at) - 1
		if s.echelon[top] != 0 {
			v ^= s.echelon[top]
			made ^= s.made[top]
		}
		at = v & (1<<top - 1)
	}
	return v, made
}

func (s *solver) solve(v uint64) (uint64, bool) {
	rest, made := s.reduce(v)
	return made, rest == 0
}

// uses reports whether the sum of the echelon's strings that gives v has the one with the given highest bit.
func (s *solver) uses(v uint64, top int) bool {
	for at := v; at != 0; {
		t := bits.Len64(at) - 1
		used := s.echelon[t] != 0
		if used {
			v ^= s.echelon[t]
		}
		if t <= top {
			return t == top && used
		}
		at = v & (1<<t - 1)
	}
	return false
}
