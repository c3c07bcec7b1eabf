package layout

import "math/bits"

// Compose gives the layout of the elements' images: where l holds element e, it holds m(e). m reaches every string.
func (l Layout) Compose(m *Matrix) Layout {
	return Layout{m: m.After(&l.m), end: l.end}
}

// Permute gives the layout of a tile whose elements are renumbered: bit i of the new number is bit from[i] of the
// old one. A transposition is such a renumbering (TransposedBits).
func (l Layout) Permute(from []int) Layout {
	to := Matrix{in: l.m.out, out: uint8(len(from))}
	for i, f := range from {
		to.col[f] |= 1 << i
	}
	return l.Compose(&to)
}

// Project gives the layout of the elements' numbers with only the bits of mask left, moved together. So a slice of a
// tile along a dimension is laid out: what a reduction along it leaves where it is, and what an operand that is
// broadcast along it has to have for the broadcast to move nothing. Threads and registers that differ only by what is
// left out hold the same then; Distinct drops such registers.
func (l Layout) Project(mask uint64) Layout {
	p := Layout{end: l.end}
	p.m.in, p.m.out = l.m.in, uint8(bits.OnesCount64(mask&(1<<l.m.out-1)))
	for i, v := range l.m.col[:l.m.in] {
		p.m.col[i] = Extract(v, mask)
	}
	return p
}

// Spread gives the layout of a tile of 2^n elements, of whose element numbers l's are the bits of mask. The other bits
// are those of further registers, the highest. It is what a broadcast makes of its operand's layout without moving anything.
func (l Layout) Spread(n int, mask uint64) Layout {
	mask &= 1<<n - 1
	s := Layout{m: Matrix{out: uint8(n)}}
	for _, v := range l.bases(Register) {
		s.push(Deposit(v, mask))
	}
	for rest := mask ^ (1<<n - 1); rest != 0; rest &= rest - 1 {
		s.push(rest & -rest)
	}
	s.close(Register)
	for in := Lane; in < NumIns; in++ {
		for _, v := range l.bases(in) {
			s.push(Deposit(v, mask))
		}
		s.close(in)
	}
	return s
}

// Distinct gives l without the register bits that make no difference, that is those whose basis vectors are
// exclusive ors of earlier ones; all registers of a thread then hold different elements. kept has the bits of register
// numbers that are left, in their order: register r of the result is the one whose kept bits are r's and whose others are 0.
func (l Layout) Distinct() (d Layout, kept uint64) {
	d.m.out = l.m.out
	var s Span
	for i, v := range l.bases(Register) {
		if s.Add(v) {
			d.push(v)
			kept |= 1 << i
		}
	}
	d.close(Register)
	for in := Lane; in < NumIns; in++ {
		for _, v := range l.bases(in) {
			d.push(v)
		}
		d.close(in)
	}
	return d, kept
}

// Product gives the layout of a tile of tiles: each element of a tile that is laid out as outer is a tile laid out as
// l. Element numbers are l's bits below outer's; in each level, l's bits are below outer's.
func (l Layout) Product(outer Layout) Layout {
	p := Layout{m: Matrix{out: l.m.out + outer.m.out}}
	for in := Register; in < NumIns; in++ {
		for _, v := range l.bases(in) {
			p.push(v)
		}
		for _, v := range outer.bases(in) {
			p.push(v << l.m.out)
		}
		p.close(in)
	}
	return p
}

// Divide gives the layout q with inner.Product(q) = l, if l is made of tiles that are laid out as inner.
func (l Layout) Divide(inner Layout) (q Layout, ok bool) {
	if inner.m.out > l.m.out {
		return Layout{}, false
	}
	q.m.out = l.m.out - inner.m.out
	for in := Register; in < NumIns; in++ {
		have, want := l.bases(in), inner.bases(in)
		if len(want) > len(have) {
			return Layout{}, false
		}
		for i, v := range have {
			if i < len(want) {
				if v != want[i] {
					return Layout{}, false
				}
				continue
			}
			if v&(1<<inner.m.out-1) != 0 {
				return Layout{}, false
			}
			q.push(v >> inner.m.out)
		}
		q.close(in)
	}
	return q, true
}

// Extract moves the bits of v that are in mask together.
func Extract[T uint32 | uint64](v, mask T) T {
	var out T
	for i := 0; mask != 0; i++ {
		low := mask & -mask
		if v&low != 0 {
			out |= 1 << i
		}
		mask ^= low
	}
	return out
}

// Deposit moves the bits of v to those of mask, in their order.
func Deposit[T uint32 | uint64](v, mask T) T {
	var out T
	for ; mask != 0; v >>= 1 {
		low := mask & -mask
		if v&1 != 0 {
			out |= low
		}
		mask ^= low
	}
	return out
}
