package layout

import "math/bits"

// A swizzle is the order of elements in shared memory that both sides can access in wide vectors without conflicts
// between banks. It is a basis of the strings of element numbers: first the elements of a vector, then those of the rest
// of a row of 32 banks, then the rows. Two lanes of a wavefront conflict where their elements differ by rows alone.
//
// So the rows have to be a complement both of what a wavefront of the one side accesses and of what one of the other does.
// Both are subspaces of at most a row's size, and two subspaces of one size have a common complement, over F2 too. This is section 5.4
// of "Linear Layouts", but that the sides may have vectors of different sizes here.
type swizzle struct {
	elem                int
	wide, narrow        *Layout
	common, further     []uint64 // what both sides move at once; what the wide side moves besides
	storeBits, loadBits int      // logarithms of the vectors
	offset              Matrix

	place place
	away  []uint64 // a basis of the strings that are in no vector
}

func newSwizzle(s *staging) *swizzle {
	most := log2(max(1, vectorBytes/s.elem))
	threads := threadSpan(&s.from, &s.to)
	var common []uint64
	for _, v := range inBoth(s.roundRegisters(&s.from), s.roundRegisters(&s.to)) {
		// The place in a vector must not depend on the thread.
		if len(common) < most && threads.Add(v) {
			common = append(common, v)
		}
	}
	var best *swizzle
	for _, load := range []bool{false, true} {
		wide, narrow := s.roundRegisters(&s.from), s.roundRegisters(&s.to)
		if load {
			wide, narrow = narrow, wide
		}
		further := onlyIn(wide, common, most-len(common))
		for n := len(further); n >= 0 && (best == nil || n > len(best.further)); n-- {
			w := &swizzle{elem: s.elem, wide: wide, narrow: narrow, common: common, further: further[:n]}
			w.storeBits, w.loadBits = len(common), len(common)
			if load {
				w.loadBits += n
			} else {
				w.storeBits += n
			}
			if w.derive(int(s.inRound.out)) {
				best = w
				break
			}
		}
	}
	return best
}

// swizzleOfVector gives an order in which one side, To if load says so, else From, moves the given differences at once, in their order, and the other
// as many of the first ones as it has in registers; if there is one.
func swizzleOfVector(s *staging, vector []uint64, load bool) (*swizzle, bool) {
	wide, narrow := s.roundRegisters(&s.from), s.roundRegisters(&s.to)
	if load {
		wide, narrow = narrow, wide
	}
	registers := narrow.Span(Register)
	n := 0
	for n < len(vector) && registers.Has(vector[n]) {
		n++
	}
	for ; n >= 0; n-- {
		w := &swizzle{elem: s.elem, wide: wide, narrow: narrow, common: vector[:n], further: vector[n:], storeBits: n, loadBits: n}
		if load {
			w.loadBits = len(vector)
		} else {
			w.storeBits = len(vector)
		}
		if w.derive(int(s.inRound.out)) {
			return w, true
		}
	}
	return nil, false
}

// roundRegisters gives a layout whose registers are those of one round.
func (s *staging) roundRegisters(l *Layout) *Layout {
	if len(s.rounds) == 0 {
		return l
	}
	whole := &s.c.From
	if l == &s.to {
		whole = &s.c.To
	}
	r := l.ofRegisters(sameRound(whole, &s.roundOf))
	return &r
}

// sameRound gives what numbers of registers may differ by if they are of one round, which a map says of elements.
func sameRound(l *Layout, round *Matrix) []uint64 {
	registers := Matrix{in: uint8(l.InBits(Register)), out: round.out}
	for i, v := range l.bases(Register) {
		registers.col[i] = round.Apply(v)
	}
	return registers.Kernel()
}

// ofRegisters gives a layout with combinations of its registers instead of them.
func (l *Layout) ofRegisters(combinations []uint64) Layout {
	r := Layout{m: Matrix{out: l.m.out}}
	for _, k := range combinations {
		r.push(combine(l.bases(Register), k))
	}
	r.close(Register)
	for in := Lane; in < NumIns; in++ {
		for _, v := range l.bases(in) {
			r.push(v)
		}
		r.close(in)
	}
	return r
}

// onlyIn gives up to n further differences between registers of a side, that do not depend on its threads.
func onlyIn(l *Layout, common []uint64, n int) []uint64 {
	s := threadSpan(l)
	s.AddAll(common)
	var further []uint64
	for _, v := range l.bases(Register) {
		if len(further) < n && s.Add(v) {
			further = append(further, v)
		}
	}
	return further
}

// A place is a linear map that says where in a vector an element is, known so far for a subspace.
type place struct {
	s     Span
	value [MaxBits]uint64 // of the echelon's strings
}

// of gives the value of what is known of v, and the rest that is not.
func (p *place) of(v uint64) (value, rest uint64) {
	for at := v; at != 0; {
		top := bits.Len64(at) - 1
		if e := p.s.echelon[top]; e != 0 {
			v ^= e
			value ^= p.value[top]
		}
		at = v & (1<<top - 1)
	}
	return value, v
}

// set says that v's value is the given one, if it is open, and gives what it is.
func (p *place) set(v, value uint64) uint64 {
	have, rest := p.of(v)
	if rest == 0 {
		return have
	}
	p.s.Add(rest)
	p.value[highestBit(rest)] = value ^ have
	return value
}

// derive finds the order of the strings of n bits, and reports whether there is one.
func (w *swizzle) derive(n int) bool {
	return w.findPlaces(n) && w.findRows(n)
}

// findPlaces chooses where in a vector elements are: the same in all threads of the wide side. Of the narrow side's threads it is
// the same but for what only the wide side moves at once; the lanes of one wavefront are made to differ in that, as
// far as it spreads them over banks.
func (w *swizzle) findPlaces(n int) bool {
	vector := w.vector()
	for i, v := range vector {
		w.place.set(v, 1<<i)
	}
	for _, v := range w.wide.m.col[w.wide.end[Register]:w.wide.m.in] {
		if w.place.set(v, 0) != 0 {
			return false
		}
	}
	may := (uint64(1)<<len(w.further) - 1) << len(w.common)
	covered := Span{} // by a narrow vector, by a word, and by lanes whose place is known
	for i := range min(len(vector), max(len(w.common), w.wordLog())) {
		covered.Add(1 << i)
	}
	lanes := w.wavefront(w.narrow, len(w.common))
	for _, v := range lanes {
		if value, rest := w.place.of(v); rest == 0 {
			covered.Add(value)
		}
	}
	for _, v := range lanes {
		if _, rest := w.place.of(v); rest != 0 {
			w.place.set(v, covered.next(may))
		}
	}
	for _, v := range w.narrow.m.col[w.narrow.end[Register]:w.narrow.m.in] {
		if w.place.set(v, 0)&^may != 0 {
			return false
		}
	}
	var s Span
	for i := range n {
		w.place.set(1<<i, 0)
		if v := w.without(1 << i); s.Add(v) {
			w.away = append(w.away, v)
		}
	}
	return true
}

func (w *swizzle) vector() []uint64 {
	return append(append(make([]uint64, 0, MaxBits), w.common...), w.further...)
}

// without gives the string of v's place 0 in the same vector.
func (w *swizzle) without(v uint64) uint64 {
	value, _ := w.place.of(v)
	return v ^ combine(w.common, value) ^ combine(w.further, value>>len(w.common))
}

// next adds the lowest bit of mask that the subspace does not have, and gives it; 0 if it has all.
func (s *Span) next(mask uint64) uint64 {
	for ; mask != 0; mask &= mask - 1 {
		if low := mask & -mask; s.Add(low) {
			return low
		}
	}
	return 0
}

// wordLog gives the logarithm of the number of elements that a bank's word has.
func (w *swizzle) wordLog() int { return log2(max(1, wordBytes/w.elem)) }

// wavefront gives the bases of the lanes that a wavefront of vectors of 2^n elements is made of.
func (w *swizzle) wavefront(l *Layout, n int) []uint64 {
	lanes := log2(rowBytes / max(wordBytes, w.elem<<n))
	return l.bases(Lane)[:min(lanes, l.InBits(Lane))]
}

// findRows divides what is in no vector into the rest of a row and the rows, and gives the order.
func (w *swizzle) findRows(n int) bool {
	vector := w.vector()
	size := log2(rowBytes/w.elem) - len(vector) // of the rest of a row
	order := vector
	if size >= len(w.away) {
		w.order(n, append(order, w.away...))
		return true
	}
	a := SpanOf(w.wavefront(w.wide, len(vector))...)
	b := w.narrowAway()
	words := w.words(&a, &b)
	a.AddAll(words)
	b.AddAll(words)
	if a.dim > size || b.dim > size {
		return false
	}
	rows := commonComplement(&a, &b, w.away, size)
	s := SpanOf(rows...)
	for _, from := range [][]uint64{words, a.Basis(), w.away} {
		for _, v := range from {
			if s.Add(v) {
				order = append(order, v)
			}
		}
	}
	w.order(n, append(order, rows...))
	return true
}

// narrowAway gives what is in no vector of all that a wavefront of the narrow side accesses, words and its own
// vectors included.
func (w *swizzle) narrowAway() Span {
	vector := w.vector()
	accessed := vector[:min(len(vector), max(len(w.common), w.wordLog()))]
	accessed = append(accessed[:len(accessed):len(accessed)], w.wavefront(w.narrow, len(w.common))...)
	m := Matrix{in: uint8(len(accessed)), out: uint8(len(vector))}
	for i, v := range accessed {
		m.col[i], _ = w.place.of(v)
	}
	var s Span
	for _, k := range m.Kernel() {
		s.Add(combine(accessed, k))
	}
	return s
}

// words gives what makes up a bank's word, where a vector is smaller: best what lanes of both sides access.
func (w *swizzle) words(a, b *Span) []uint64 {
	var words []uint64
	var s Span
	missing := w.wordLog() - len(w.common) - len(w.further)
	meet := a.Meet(b)
	for _, from := range [][]uint64{meet.Basis(), a.Basis(), b.Basis(), w.away} {
		for _, v := range from {
			if len(words) < missing && s.Add(v) {
				words = append(words, v)
			}
		}
	}
	return words
}

// order makes the map from strings to their coordinates in a basis.
func (w *swizzle) order(n int, basis []uint64) {
	m := NewMatrix(n, basis...)
	w.offset, _ = m.RightInverse()
}

// commonComplement gives a basis of a common complement, in the span of all, of a and b, after it has enlarged both to
// the given size: sums of one string of either that the other has not, and what is in neither.
func commonComplement(a, b *Span, all []uint64, size int) []uint64 {
	a.grow(b, all, size)
	b.grow(a, all, size)
	meet := a.Meet(b)
	onlyA, onlyB := a.beyond(&meet), b.beyond(&meet)
	complement := make([]uint64, 0, len(all)-size)
	for i, v := range onlyA {
		complement = append(complement, v^onlyB[i])
	}
	sum := *a
	sum.AddAll(onlyB)
	for _, v := range all {
		if sum.Add(v) {
			complement = append(complement, v)
		}
	}
	return complement
}

// grow enlarges s to a dimension, with strings of other as far as there are some.
func (s *Span) grow(other *Span, all []uint64, dim int) {
	for _, from := range [][]uint64{other.Basis(), all} {
		for _, v := range from {
			if s.dim < dim {
				s.Add(v)
			}
		}
	}
}

// beyond gives strings that extend a basis of a smaller subspace to one of s.
func (s *Span) beyond(smaller *Span) []uint64 {
	t := *smaller
	var more []uint64
	for _, v := range s.Basis() {
		if t.Add(v) {
			more = append(more, v)
		}
	}
	return more
}
