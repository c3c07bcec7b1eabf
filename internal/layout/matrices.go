package layout

import "math/bits"

// A matrix load (ldmatrix) reads matrices of 8 rows of 16 bytes from shared memory. Lane 8g+i gives the address of
// row i of matrix g. Word j of a row goes to lane 4i+j, and matrix g to word g of the lane. Transposed, the matrix is one
// of 16-bit elements, and the row's elements 2j and 2j+1 for lane 4i+j are those of column i in rows 2j and 2j+1.
//
// So the loads are those of another layout, the rows': a vector of a row belongs to the lane that gives its address, and
// the matrices of an instruction are further lanes. If that layout can be loaded in vectors of 16 bytes, the layout can be in matrices.

// Matrices says how a layout is loaded in matrices.
type Matrices struct {
	Transposed bool
	// Count is the number of matrices of an instruction: 1, 2 or 4. Where it is less than 4, the addresses of the other
	// lanes are those of lanes before them.
	Count int

	elements uint64 // bits of register numbers that are elements of a word
	number   uint64 // bits of register numbers that are matrices of an instruction
	vector   int    // bits of a vector
}

// PlanMatrices gives a conversion whose loads are matrix loads, if the hardware's exchange gives the layout to: those of
// mma operands can be had with the elements along k, or transposed those along m or n, next to each other. The
// conversion's Memory.Load says so; its Registers are those of the words of the first matrix, then those of the second, ….
func PlanMatrices(from, to Layout, elemBits int, transposed bool, limit int) (Conversion, bool) {
	rows, ms, ok := matrixRows(&to, elemBits, transposed)
	if !ok {
		return Conversion{}, false
	}
	c := Conversion{Kind: Shared, From: from, To: to, ElemBits: elemBits, Sources: sources(&from, &to)}
	virtual := Conversion{Kind: Shared, From: from, To: rows, ElemBits: elemBits, Sources: sources(&from, &rows)}
	s := newStaging(&virtual, limit)
	w, ok := swizzleOfVector(s, s.to.bases(Register)[:ms.vector], true)
	if !ok {
		return Conversion{}, false
	}
	m := s.memory(w)
	if !m.Load.inMatrices(ms, &to) {
		return Conversion{}, false
	}
	m.Block = s.holdersOf(&to)
	c.Memory = m
	return c, true
}

// matrixRows gives the layout in which lanes hold rows of matrices: its registers are those of a row, then what is
// left of the registers.
func matrixRows(l *Layout, elemBits int, transposed bool) (Layout, *Matrices, bool) {
	inWord := log2(max(1, 32/elemBits))
	if l.InBits(Lane) != 5 || elemBits > 32 || elemBits < 8 || l.InBits(Register) < inWord || transposed && elemBits != 16 {
		return Layout{}, nil, false
	}
	regs, lanes := l.bases(Register), l.bases(Lane)
	ms := &Matrices{Transposed: transposed, Count: 1, elements: 1<<inWord - 1}
	word := append(append([]uint64(nil), regs[:inWord]...), lanes[:2]...) // what lies across the four lanes of a row
	row, column := lanes[2:], word
	if transposed {
		row, column = word, lanes[2:]
	}
	ms.vector = len(column)
	r := Layout{m: Matrix{out: l.m.out}}
	for _, v := range column {
		r.push(v)
	}
	address := append([]uint64(nil), row...)
	for i := inWord; i < len(regs); i++ {
		if ms.Count < 4 {
			ms.Count *= 2
			ms.number |= 1 << i
			address = append(address, regs[i])
			continue
		}
		r.push(regs[i])
	}
	r.close(Register)
	for len(address) < 5 {
		address = append(address, 0)
	}
	for _, v := range address {
		r.push(v)
	}
	r.close(Lane)
	for in := Warp; in < NumIns; in++ {
		for _, v := range l.bases(in) {
			r.push(v)
		}
		r.close(in)
	}
	return r, ms, true
}

// inMatrices makes matrix loads of loads of rows, whose registers are to become those of a layout. A row has to be in
// the order that the hardware gives its elements out in.
func (a *Access) inMatrices(ms *Matrices, to *Layout) bool {
	if 1<<ms.vector != a.Vector {
		return false
	}
	for i, r := range a.inside {
		if r != 1<<i {
			return false
		}
	}
	others := (uint64(1)<<to.InBits(Register) - 1) &^ (ms.elements | ms.number)
	for _, of := range [][]uint64{a.beside, a.round} {
		for i, r := range of {
			if r&(1<<ms.vector-1) != 0 {
				return false
			}
			of[i] = Deposit(r>>ms.vector, others)
		}
	}
	a.Matrices = ms
	// The part of the place that registers make up is that of the rows' registers, moved to where the layout has them.
	place := Matrix{in: uint8(to.InBits(Register)), out: a.place.out}
	for i := range int(a.place.in) - ms.vector {
		place.col[highestBit(Deposit(1<<i, others))] = a.place.col[ms.vector+i]
	}
	a.place = place
	return true
}

// registers gives the registers that a matrix load fills, besides a first one.
func (ms *Matrices) registers(registers []int, first uint64) []int {
	for g := range ms.Count {
		for e := range 1 << bits.OnesCount64(ms.elements) {
			registers = append(registers, int(first|Deposit(uint64(g), ms.number)|Deposit(uint64(e), ms.elements)))
		}
	}
	return registers
}
