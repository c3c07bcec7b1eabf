package layout

// A Shuffle carries a tile between layouts whose warps hold the same elements, register by register:
//
//	pack     the elements of registers that stay together are put into words
//	Before   words are swapped within threads, in some threads
//	Rounds   each lane reads a word of a lane
//	After    words are swapped within threads, in some threads
//	unpack
//
// In a round a lane sends one word, and lanes that need different words cannot read it at once; that is what the swaps are for.
// Say register bit 0 of the result is what lane bit 0 of the operand is, and the other way round. Round 0 brings
// each lane one word of its own, which differs from lane to lane: word 0 in even lanes, 1 in odd ones; round 1 brings the other word
// of the neighbour. So half of the words are never shuffled.
type Shuffle struct {
	// PackFrom and PackTo are masks of register bits, of From and of To, as many: the elements of registers that differ
	// only there make up a word, bit by bit in their order. Words are numbered by the other bits, moved together.
	PackFrom, PackTo uint64
	WordBits         int
	Before           []Swap
	// Lane maps a thread to the lane that it reads from in round 0.
	Lane   Matrix
	Rounds []Round
	// Round says for each word of To, before After's swaps, which round brings it.
	Round []int
	After []Swap
}

// A Swap exchanges words r and r^Words, for all r, in threads that have an odd number of the bits of Threads. A thread
// is told by its lane's bits, then its warp's, then its block's.
type Swap struct {
	Threads uint64
	Words   int
}

// A Round is a shuffle: each thread reads word Word, after Before's swaps, of the lane s.Lane(thread) ^ Lane.
// A local one reads its own.
type Round struct {
	Word, Lane int
	Local      bool
}

// Shuffles gives the number of rounds in which lanes read others.
func (s *Shuffle) Shuffles() int {
	n := 0
	for _, r := range s.Rounds {
		if !r.Local {
			n++
		}
	}
	return n
}

// cost counts wavefronts.
func (s *Shuffle) cost() int {
	registers := (s.WordBits + 31) / 32
	selects := len(s.Before)*len(s.Rounds) + len(s.After)*len(s.Round)
	return registers * (s.Shuffles() + (selects+issueRate-1)/issueRate)
}

// A shuffler is a plan in the making. A destination is a register r' and a lane l'; its source is a point, which is
// linear in both. In round k a lane l' gets its word r' = k ^ turn(l'). Which source a lane bit has, and which turn, is
// chosen so that lanes that read one lane in a round want one word: a lane that sends can then know which, and that is
// linear too.
type shuffler struct {
	c        *Conversion
	regs     int             // register bits of From
	lanes    int             // lane bits
	choices  []choice        // what may be added to the source of a lane bit
	source   [MaxBits]uint64 // by lane bit of To
	turn     [MaxBits]uint64 // by lane bit of To: register bits of To
	assigned [MaxBits]bool   // by lane bit of To
}

// A choice is another point of the same element, or the source of another register of To.
type choice struct{ point, turn uint64 }

func planShuffle(c *Conversion) (*Shuffle, bool) {
	p := &shuffler{c: c, regs: c.From.InBits(Register), lanes: c.From.InBits(Lane)}
	p.findChoices()
	if !p.assign() {
		return nil, false
	}
	return p.finish(), true
}

func (p *shuffler) findChoices() {
	warp := Matrix{in: p.c.From.end[Lane], out: p.c.From.m.out}
	copy(warp.col[:], p.c.From.m.col[:warp.in])
	for _, v := range warp.Kernel() {
		p.choices = append(p.choices, choice{point: v})
	}
	for i := range p.c.To.InBits(Register) {
		p.choices = append(p.choices, choice{p.c.Sources.col[i], 1 << i})
	}
}

// lane gives the lane of a point.
func (p *shuffler) lane(point uint64) uint64 { return point >> p.regs & (1<<p.lanes - 1) }

// word gives the register of a point.
func (p *shuffler) word(point uint64) uint64 { return point & (1<<p.regs - 1) }

// assign chooses the source and the turn of each lane bit: the lane itself where possible, else one that no other bit
// reads; else exactly the point that others read.
func (p *shuffler) assign() bool {
	first := p.c.To.InBits(Register)
	for j := range p.lanes {
		p.source[j] = p.c.Sources.col[first+j]
		p.assigned[j] = p.lane(p.source[j]) == 1<<j
	}
	lanes := p.choiceLanes()
	var solve solver
	solve.prepare(&lanes)
	for j := range p.lanes {
		if p.assigned[j] {
			continue
		}
		if use, ok := solve.solve(p.lane(p.source[j]) ^ 1<<j); ok {
			p.add(j, use)
			p.assigned[j] = true
		}
	}
	var read Span
	for j := range p.lanes {
		if p.assigned[j] {
			read.Add(p.lane(p.source[j]))
		}
	}
	for j := range p.lanes {
		if !p.assigned[j] && !p.assignOther(j, &read) {
			return false
		}
	}
	return true
}

func (p *shuffler) assignOther(j int, read *Span) bool {
	p.assigned[j] = true
	if read.Add(p.lane(p.source[j])) {
		return true
	}
	for i, c := range p.choices {
		if read.Add(p.lane(p.source[j] ^ c.point)) {
			p.add(j, 1<<i)
			return true
		}
	}
	// All lanes that could be read are: those that read one lane have to want one word.
	all := Matrix{in: uint8(len(p.choices) + p.lanes), out: uint8(p.regs + p.lanes)}
	for i, c := range p.choices {
		all.col[i] = c.point
	}
	for i := range p.lanes {
		if i != j && p.assigned[i] {
			all.col[len(p.choices)+i] = p.source[i]
		}
	}
	var solve solver
	solve.prepare(&all)
	use, ok := solve.solve(p.source[j])
	if ok {
		p.add(j, use&(1<<len(p.choices)-1))
	}
	return ok
}

func (p *shuffler) choiceLanes() Matrix {
	m := Matrix{in: uint8(len(p.choices)), out: uint8(p.lanes)}
	for i, c := range p.choices {
		m.col[i] = p.lane(c.point)
	}
	return m
}

// add adds the choices of a mask to the source of lane bit j.
func (p *shuffler) add(j int, use uint64) {
	for i, c := range p.choices {
		if use>>i&1 != 0 {
			p.source[j] ^= c.point
			p.turn[j] ^= c.turn
		}
	}
}

// finish computes what each lane sends. The reader of a lane l in round k is a lane l' with l = lane(k) ^ lane(l'), where
// lane() is that of the source; any such l' wants the same word.
func (p *shuffler) finish() *Shuffle {
	to, from := &p.c.To, &p.c.From
	threads := int(to.m.in - to.end[Register])

	reader := p.readers()
	wants := Matrix{in: uint8(p.lanes), out: uint8(p.regs)} // the word that a lane wants in round 0
	for j := range p.lanes {
		wants.col[j] = p.word(p.source[j])
	}
	sends := wants.After(&reader) // the word that a lane sends in round 0, but for what depends on the warp

	s := &Shuffle{Lane: Matrix{in: uint8(threads), out: uint8(p.lanes)}}
	before := Matrix{in: uint8(threads), out: uint8(p.regs)}
	after := Matrix{in: uint8(threads), out: uint8(to.InBits(Register))}
	for j := range threads {
		if j < p.lanes {
			s.Lane.col[j] = p.lane(p.source[j])
			before.col[j] = sends.col[j]
			after.col[j] = p.turn[j]
			continue
		}
		// The source of a warp's bit is in that warp.
		point := p.c.Sources.col[int(to.end[Register])+j]
		s.Lane.col[j] = p.lane(point)
		before.col[j] = p.word(point) ^ sends.Apply(p.lane(point))
	}
	words := Matrix{in: uint8(to.InBits(Register)), out: uint8(p.regs)} // the word that a round sends
	for i := range words.col[:words.in] {
		point := p.c.Sources.col[i]
		words.col[i] = p.word(point) ^ sends.Apply(p.lane(point))
	}
	p.pack(s, &words, &before, &after)
	s.Before = swaps(&before, ^s.PackFrom&(1<<from.InBits(Register)-1))
	s.After = swaps(&after, ^s.PackTo&(1<<to.InBits(Register)-1))
	p.rounds(s, &words)
	return s
}

// readers gives a linear map from lanes to lanes that read them in round 0.
func (p *shuffler) readers() Matrix {
	m := Matrix{in: uint8(2 * p.lanes), out: uint8(p.lanes)}
	for j := range p.lanes {
		m.col[j] = p.lane(p.source[j])
		m.col[p.lanes+j] = 1 << j // for lanes that nobody reads
	}
	r, _ := m.RightInverse()
	r.out = uint8(p.lanes)
	for j := range p.lanes {
		r.col[j] &= 1<<p.lanes - 1
	}
	return r
}

// pack finds register bits that stay what they are, in every thread, up to words of 32 bits.
func (p *shuffler) pack(s *Shuffle, words, before, after *Matrix) {
	var swapped, turned uint64
	for j := range before.col[:before.in] {
		swapped |= before.col[j]
		turned |= after.col[j]
	}
	s.WordBits = p.c.ElemBits
	last := -1
	for i := range words.col[:words.in] {
		w := words.col[i]
		bit := highestBit(w)
		if s.WordBits >= 32 || w == 0 || w != 1<<bit || bit < last || p.c.Sources.col[i] != w || swapped&w != 0 || turned>>i&1 != 0 {
			continue
		}
		alone := true
		for k := range words.col[:words.in] {
			alone = alone && (k == i || words.col[k]&w == 0)
		}
		if alone {
			s.PackFrom |= w
			s.PackTo |= 1 << i
			s.WordBits *= 2
			last = bit
		}
	}
}

// rounds lists the shuffles. Words of To that hold the same elements share one.
func (p *shuffler) rounds(s *Shuffle, words *Matrix) {
	to, from := &p.c.To, &p.c.From
	toWords := ^s.PackTo & (1<<to.InBits(Register) - 1)
	fromWords := ^s.PackFrom & (1<<from.InBits(Register) - 1)
	registers := Matrix{in: uint8(to.InBits(Register)), out: from.m.in}
	copy(registers.col[:], p.c.Sources.col[:registers.in])
	same := SpanOf(registers.Kernel()...)
	stays := true
	for j := range s.Lane.col[:s.Lane.in] {
		own := uint64(0)
		if j < p.lanes {
			own = 1 << j
		}
		stays = stays && s.Lane.col[j] == own
	}
	n := to.Size(Register) / (s.WordBits / p.c.ElemBits)
	s.Round = make([]int, n)
	s.Rounds = make([]Round, 0, n>>same.Dim())
	for k := range n {
		register := Deposit(uint64(k), toWords)
		if first := same.Reduce(register); first != register {
			s.Round[k] = s.Round[Extract(first, toWords)]
			continue
		}
		lane := p.lane(registers.Apply(register))
		s.Round[k] = len(s.Rounds)
		s.Rounds = append(s.Rounds, Round{
			Word:  int(Extract(words.Apply(register), fromWords)),
			Lane:  int(lane),
			Local: stays && lane == 0,
		})
	}
}

// swaps gives the exchanges that move the content of register r ^ m(thread) to register r, where the registers' bits
// of mask number the words.
func swaps(m *Matrix, mask uint64) []Swap {
	var all []Swap
	var s solver
	s.prepare(m)
	// The images of the columns that the echelon kept are a basis; each thread bit's image is a sum of those.
	for top, v := range s.echelon {
		if v == 0 {
			continue
		}
		swap := Swap{Words: int(Extract(v, mask))}
		for j, c := range m.col[:m.in] {
			if s.uses(c, top) {
				swap.Threads |= 1 << j
			}
		}
		all = append(all, swap)
	}
	return all
}
