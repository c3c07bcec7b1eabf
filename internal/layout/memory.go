package layout

// Shared memory has 32 banks of 4 bytes; an access moves at most 16 bytes a thread, and as many lanes at a time as
// make up 128 bytes: a wavefront.
const (
	rowBytes    = 128
	wordBytes   = 4
	vectorBytes = 16
)

// A Memory carries a tile between layouts through shared memory: in each round each thread writes elements, waits
// for the others, and reads; before the next round writes, they wait again.
//
// An element's place is a linear map of its number, so that of a thread's access is the exclusive or of a part that
// depends on the thread and one that depends on the access. Both accesses are as wide as the registers allow, and no
// two lanes of a wavefront meet in a bank with different words.
type Memory struct {
	// Offset maps an element's number to its place in the buffer, in elements.
	Offset Matrix
	// Bytes is the size of the buffer.
	Bytes int
	// Rounds is the number of rounds, in each of which a part of the registers is carried.
	Rounds int
	Store  Access // by the threads of From
	Load   Access // by the threads of To
	// Scope is how far threads wait for each other: Lane for those of a warp, Warp for those of a block, Block for those
	// of a cluster.
	Scope In
	// Block maps points of To to the block in whose buffer the element is. Where Scope is not Block, that is the point's own.
	Block Matrix
}

// An Access says how the threads write or read the buffer.
type Access struct {
	// Vector is the number of elements that are moved at once.
	Vector int
	// Thread maps a thread (its lane's bits, then its warp's and its block's) to its part of the place.
	Thread Matrix
	// Matrices is set for loads of matrices. A vector is a row of one, then, that the lane gives the address of.
	Matrices *Matrices

	place  Matrix   // registers to their part of the place
	inside []uint64 // registers that make up a vector
	beside []uint64 // registers of the first elements of the other vectors of a round
	round  []uint64 // registers by the bits of the round's number
}

// Len gives the number of accesses of a thread in a round.
func (a *Access) Len() int { return 1 << len(a.beside) }

// At gives access i of a round: its registers, in the order of their places, appended to registers; and the part of
// the first one's place that does not depend on the thread. The place is that ^ Thread(thread), in elements; it is a
// multiple of Vector. For loads of matrices, the registers are those of the first matrix's word, then those of the second's, ….
func (a *Access) At(registers []int, round, i int) ([]int, int) {
	first := combine(a.round, uint64(round)) ^ combine(a.beside, uint64(i))
	if a.Matrices != nil {
		return a.Matrices.registers(registers, first), int(a.place.Apply(first))
	}
	for e := range uint64(a.Vector) {
		registers = append(registers, int(first^combine(a.inside, e)))
	}
	return registers, int(a.place.Apply(first))
}

// combine gives the exclusive or of the strings that the bits of choice choose.
func combine(of []uint64, choice uint64) uint64 {
	var sum uint64
	for i, v := range of {
		if choice>>i&1 != 0 {
			sum ^= v
		}
	}
	return sum
}

func planMemory(c *Conversion, limit int) *Memory {
	s := newStaging(c, limit)
	return s.memory(newSwizzle(s))
}

// memory describes the conversion with a given order of elements.
func (s *staging) memory(w *swizzle) *Memory {
	c := s.c
	offset := w.offset.After(&s.inRound)
	m := &Memory{
		Offset: offset,
		Bytes:  s.elem << s.inRound.out,
		Rounds: 1 << len(s.rounds),
		Store:  s.access(&c.From, &offset, w.storeBits, true),
		Load:   s.access(&c.To, &offset, w.loadBits, false),
		Scope:  max(Lane, c.reach()),
		Block:  s.holdersOf(&c.To),
	}
	if m.Scope == Lane && !warpsAreApart(&c.From) {
		m.Scope = Warp
	}
	return m
}

// warpsAreApart reports whether no two warps hold an element both, so that they write to different places.
func warpsAreApart(l *Layout) bool {
	s := l.Span(Register, Lane)
	for _, v := range l.bases(Warp) {
		if !s.Add(v) {
			return false
		}
	}
	return true
}

// access describes the accesses of a side that moves 2^width elements at once. A register that holds what another
// one of its thread does is not stored again.
func (s *staging) access(l *Layout, offset *Matrix, width int, store bool) Access {
	regs, threads := l.InBits(Register), int(l.m.in-l.end[Register])
	a := Access{
		Vector: 1 << width,
		Thread: Matrix{in: uint8(threads), out: offset.out},
		place:  Matrix{in: uint8(regs), out: offset.out},
	}
	registers := Matrix{in: uint8(regs), out: l.m.out}
	copy(registers.col[:], l.bases(Register))
	a.place = offset.After(&registers)
	for i, v := range l.m.col[l.end[Register]:l.m.in] {
		a.Thread.col[i] = offset.Apply(v)
	}

	number := s.roundOf.After(&registers)
	var solve solver
	solve.prepare(&registers)
	for _, v := range s.rounds {
		r, _ := solve.solve(v)
		a.round = append(a.round, r)
	}
	both := Matrix{in: uint8(regs), out: offset.out + s.roundOf.out} // the place, and above it the round
	for i := range regs {
		both.col[i] = a.place.col[i] | number.col[i]<<offset.out
	}
	solve = solver{}
	solve.prepare(&both)
	for i := range width {
		r, _ := solve.solve(1 << i)
		a.inside = append(a.inside, r)
	}
	var found, places Span
	found.AddAll(a.inside)
	found.AddAll(a.round)
	for _, r := range a.inside {
		places.Add(a.place.Apply(r))
	}
	for i := range regs {
		r := uint64(1)<<i ^ combine(a.round, number.col[i])
		r ^= combine(a.inside, a.place.Apply(r)&(1<<width-1))
		if !found.Add(r) || store && !places.Add(a.place.Apply(r)) {
			continue
		}
		a.beside = append(a.beside, r)
	}
	return a
}
