package layout

// A Kind says what a conversion takes.
type Kind uint8

// The kinds of conversions, the cheapest first.
const (
	Nothing   Kind = iota // the layouts are one
	Registers             // each thread has what it needs, in other registers
	Shuffles              // each warp has what its lanes need
	Shared                // through memory that a block, or a cluster, shares
)

func (k Kind) String() string {
	return [...]string{"nothing", "registers", "shuffles", "shared memory"}[k]
}

// A Conversion carries a tile from one layout to another.
type Conversion struct {
	Kind     Kind
	From, To Layout
	ElemBits int
	// Sources maps points of To to points of From that hold the same element, as near as possible.
	Sources Matrix
	Shuffle *Shuffle // of Shuffles
	Memory  *Memory  // of Shared
}

// Register gives the register of From whose content register r of To gets, in each thread. For Nothing and Registers.
func (c *Conversion) Register(r int) int { return int(c.Sources.Apply(uint64(r))) }

// Plan gives the cheapest way to carry a tile of elements of elemBits bits from one layout to another. Both are of one
// tile on one machine: they agree in the bits of an element number, of lanes, warps and blocks. A conversion through
// shared memory is made in rounds of at most limit bytes if that is possible (0: no limit).
func Plan(from, to Layout, elemBits, limit int) Conversion {
	for in := Lane; in < NumIns; in++ {
		if from.InBits(in) != to.InBits(in) {
			panic("layout: a conversion between machines")
		}
	}
	if from.Bits() != to.Bits() {
		panic("layout: a conversion between tiles")
	}
	c, ok := WithinWarps(from, to, elemBits)
	if !ok {
		c.Kind, c.Memory = Shared, planMemory(&c, limit)
	}
	return c
}

// WithinWarps gives the conversion that Plan does, and reports whether it is one within warps.
func WithinWarps(from, to Layout, elemBits int) (Conversion, bool) {
	c := Conversion{From: from, To: to, ElemBits: elemBits}
	if from == to {
		c.Sources = Identity(int(from.m.in))
		return c, true
	}
	c.Sources = sources(&from, &to)
	reach := c.reach()
	if reach == Register {
		c.Kind = Registers
		return c, true
	}
	if reach > Lane {
		return c, false
	}
	s, ok := planShuffle(&c)
	if !ok || s.cost() > throughMemory(&c) {
		return c, false
	}
	c.Kind, c.Shuffle = Shuffles, s
	return c, true
}

// Through plans a conversion through shared memory, also where another way would do, as Plan does. Of the machines only the warps need to be alike;
// where there are not as many, the plan is good for its order and its vectors.
func Through(from, to Layout, elemBits, limit int) *Memory {
	c := Conversion{Kind: Shared, From: from, To: to, ElemBits: elemBits, Sources: sources(&from, &to)}
	return planMemory(&c, limit)
}

// ThroughVectors plans as Through does, but what the first n of From's register bits tell apart is written at once, in its order, as copies from memory
// have to, if there is such an order.
func ThroughVectors(from, to Layout, elemBits, n int) (*Memory, bool) {
	c := Conversion{Kind: Shared, From: from, To: to, ElemBits: elemBits, Sources: sources(&from, &to)}
	if n > from.InBits(Register) || max(1, elemBits/8)<<n > vectorBytes {
		return nil, false
	}
	s := newStaging(&c, 0)
	w, ok := swizzleOfVector(s, s.from.bases(Register)[:n], false)
	if !ok {
		return nil, false
	}
	return s.memory(w), true
}

// sources chooses for each basis vector of to a point of from that holds the same element: in the same thread if one
// of its registers does, else in the same warp, else in the same block.
func sources(from, to *Layout) Matrix {
	var s solver
	s.prepare(&from.m)
	m := Matrix{in: to.m.in, out: from.m.in}
	for i := range int(to.m.in) {
		m.col[i] = source(from, to, &s, i)
	}
	return m
}

func source(from, to *Layout, s *solver, i int) uint64 {
	v := to.m.col[i]
	for in := Lane; in < NumIns; in++ {
		if i < int(to.start(in)) || i >= int(to.end[in]) {
			continue
		}
		// The member of the same number, if levels below make up for the difference.
		same := int(from.start(in)) + i - int(to.start(in))
		if same >= int(from.end[in]) {
			continue
		}
		if below, ok := s.solve(v ^ from.m.col[same]); ok && below>>from.start(in) == 0 {
			return below | 1<<same
		}
	}
	p, _ := s.solve(v) // from holds every element
	return p
}

// reach gives the outermost level at which a source differs from its destination; Register also where a thread finds
// all in its own registers, but Lane where it then depends on the thread in which.
func (c *Conversion) reach() In {
	reach := Register
	for i := range int(c.To.m.in) {
		p := c.Sources.col[i]
		if i >= int(c.To.end[Register]) {
			p ^= 1 << (i - int(c.To.end[Register]) + int(c.From.end[Register])) // where it is itself
			if p != 0 {
				reach = max(reach, Lane)
			}
		}
		for in := Lane; in < NumIns; in++ {
			if c.From.Of(in, p) != 0 {
				reach = max(reach, in)
			}
		}
	}
	return reach
}

// What conversions cost is counted in wavefronts: what a multiprocessor's memory pipe does at a time, which a shuffle of
// 32 bits and an access of 128 bytes of shared memory take alike. It issues four other instructions meanwhile.
const (
	issueRate   = 4
	barrierCost = 16
)

// throughMemory estimates what a conversion through shared memory costs: each word is written and read.
func throughMemory(c *Conversion) int {
	words := (c.From.Size(Register) + c.To.Size(Register)) * c.ElemBits
	return (words+31)/32 + barrierCost
}
