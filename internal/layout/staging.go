package layout

// A staging divides the elements of a conversion into those of each round and of each block's buffer.
type staging struct {
	c       *Conversion
	elem    int      // bytes of an element
	blocks  []uint64 // differences between elements that are in different blocks' buffers, and nothing else
	rounds  []uint64 // differences between elements that are carried in different rounds, and nothing else
	roundOf Matrix   // elements to the number of their round
	inRound Matrix   // elements to strings that tell those of one round and block apart
	from    Layout   // the layouts of these strings
	to      Layout
}

func newStaging(c *Conversion, limit int) *staging {
	s := &staging{c: c, elem: max(1, c.ElemBits/8)}
	held := c.From.Span(Register, Lane, Warp)
	for _, v := range c.From.bases(Block) {
		if held.Add(v) {
			s.blocks = append(s.blocks, v)
		}
	}
	s.findRounds(limit)
	s.divide()
	s.from, s.to = c.From.Compose(&s.inRound), c.To.Compose(&s.inRound)
	return s
}

// threadSpan gives the differences between elements that threads hold in equal registers.
func threadSpan(layouts ...*Layout) Span {
	var s Span
	for _, l := range layouts {
		s.AddAll(l.m.col[l.end[Register]:l.m.in])
	}
	return s
}

// findRounds takes what threads have in registers before and after, from the last registers on, until the buffer
// fits. What vectors could be made of is left. The round must not depend on the thread.
func (s *staging) findRounds(limit int) {
	n := s.c.From.Bits() - len(s.blocks)
	if limit <= 0 || s.elem<<n <= limit {
		return
	}
	common := inBoth(&s.c.From, &s.c.To)
	apart := threadSpan(&s.c.From, &s.c.To)
	for i, v := range common {
		if i < log2(max(1, vectorBytes/s.elem)) {
			apart.Add(v)
		}
	}
	for i := len(common) - 1; i >= 0 && s.elem<<n > limit; i-- {
		if apart.Add(common[i]) {
			s.rounds = append(s.rounds, common[i])
			n--
		}
	}
}

// inBoth gives independent differences between elements of a thread's registers, before and after, those between
// the first registers first.
func inBoth(from, to *Layout) []uint64 {
	a, b := from.Span(Register), to.Span(Register)
	meet := a.Meet(&b)
	common := make([]uint64, 0, meet.Dim())
	var s Span
	for _, v := range append(from.Bases(Register), meet.Basis()...) {
		if meet.Has(v) && s.Add(v) {
			common = append(common, v)
		}
	}
	return common
}

// divide finds coordinates of elements: their round, which is 0 for differences between threads, and what is left
// without rounds and blocks.
func (s *staging) divide() {
	n := s.c.From.Bits()
	s.roundOf = coordinates(n, s.rounds, threadSpan(&s.c.From, &s.c.To))
	gone := append(append([]uint64(nil), s.rounds...), s.blocks...)
	var rest []uint64
	span := SpanOf(gone...)
	for i := range n {
		if span.Add(1 << i) {
			rest = append(rest, 1<<i)
		}
	}
	s.inRound = coordinates(n, rest, SpanOf(gone...))
}

// coordinates gives a map of strings of n bits that takes the i-th of the given ones to bit i, and those of zero to 0.
// All together are independent; what they leave open is 0.
func coordinates(n int, of []uint64, zero Span) Matrix {
	basis := Matrix{out: uint8(n)}
	var s Span
	add := func(v uint64) {
		if s.Add(v) {
			basis.col[basis.in] = v
			basis.in++
		}
	}
	for _, v := range of {
		add(v)
	}
	for _, v := range zero.Basis() {
		add(v)
	}
	for i := range n {
		add(1 << i)
	}
	inverse, _ := basis.RightInverse()
	m := Matrix{in: uint8(n), out: uint8(len(of))}
	for i := range n {
		m.col[i] = inverse.col[i] & (1<<len(of) - 1)
	}
	return m
}

// holdersOf maps points of a layout to blocks of From that hold their elements, the own one as far as it can be.
func (s *staging) holdersOf(to *Layout) Matrix {
	from := &s.c.From
	tells := coordinates(from.Bits(), s.blocks, from.Span(Register, Lane, Warp))
	// The bits of a block's number that tell something about its elements.
	var telling uint64
	held := from.Span(Register, Lane, Warp)
	for i, v := range from.bases(Block) {
		if held.Add(v) {
			telling |= 1 << i
		}
	}
	m := Matrix{in: to.m.in, out: uint8(from.InBits(Block))}
	for i, v := range to.m.col[:to.m.in] {
		m.col[i] = Deposit(tells.Apply(v), telling)
		if j := i - int(to.start(Block)); j >= 0 && telling>>j&1 == 0 {
			m.col[i] ^= 1<<j ^ Deposit(tells.Apply(from.Basis(Block, j)), telling)
		}
	}
	return m
}
