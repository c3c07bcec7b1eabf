package native

import "github.com/tegula-lang/tegula/internal/backend/cpu/amd64"

// Elements of 1 and 2 bytes: there are no masks for them in memory. Mostly all lanes are selected, and one instruction moves
// them; where that is not so, they are moved one after another.

// narrowOp gives what moves a strip of narrow elements: 16 bytes or 8.
func narrowOp(size int, load bool) amd64.Op {
	if load {
		return pick(size*4, amd64.VMOVQ, amd64.VMOVDQU)
	}
	return pick(size*4, amd64.VMOVQst, amd64.VMOVDQUst)
}

func (y ymm) loadNarrow(i amd64.Inst) {
	size := i.Op.ElemBytes()
	y.selected(&i, func(m amd64.Mem) {
		y.memory(narrowOp(size, true), i.A, m)
	}, func(at func(lane reg) amd64.Mem, each func(func(lane reg))) {
		scratch := amd64.At(amd64.RDI, int32(y.scratch+scratchVals))
		y.memory(amd64.VMOVDQUst, y.bits(4, 0), scratch)
		each(func(lane reg) {
			r := y.gpr()
			y.generator.load(loadOf(size), r, at(lane))
			y.generator.store(storeOf(size), r, amd64.Mem{Base: amd64.RDI, Index: lane, Scale: uint8(size), Disp: scratch.Disp})
		})
		y.memory(amd64.VMOVDQU, i.A, scratch)
	})
}

func (y ymm) storeNarrow(i amd64.Inst) {
	size := i.Op.ElemBytes()
	y.selected(&i, func(m amd64.Mem) {
		y.memory(narrowOp(size, false), i.A, m)
	}, func(at func(lane reg) amd64.Mem, each func(func(lane reg))) {
		scratch := amd64.At(amd64.RDI, int32(y.scratch+scratchVals))
		y.memory(amd64.VMOVDQUst, i.A, scratch)
		each(func(lane reg) {
			r := y.gpr()
			y.generator.load(loadOf(size), r, amd64.Mem{Base: amd64.RDI, Index: lane, Scale: uint8(size), Disp: scratch.Disp})
			y.generator.store(storeOf(size), r, at(lane))
		})
	})
}

// memory writes a move of 16 bytes or fewer.
func (y ymm) memory(op amd64.Op, a reg, m amd64.Mem) {
	i := ins(op)
	i.A, i.HasMem, i.M, i.L = a, true, m, amd64.X
	y.put(i)
}

// selected moves elements between memory and a register: all at once if the mask selects all, else one by one. at gives where a lane's
// element is, each does something for each lane that is selected.
func (y ymm) selected(i *amd64.Inst, whole func(amd64.Mem), single func(at func(lane reg) amd64.Mem, each func(func(lane reg)))) {
	if i.K == none {
		whole(i.M)
		return
	}
	m := i.M
	if m.Index != none {
		base := y.gpr()
		y.generator.load(amd64.LEA, base, m)
		m = amd64.At(base, 0)
	}
	left := y.gpr()
	y.op3(amd64.KMOVtoG, left, y.asStrip(i.K), none, 0)
	all, done := y.label(), y.label()
	y.op3(amd64.CMPLI, left, none, none, 1<<y.lanes-1)
	y.jcc(amd64.CCE, all)
	single(func(lane reg) amd64.Mem {
		return amd64.Mem{Base: m.Base, Index: lane, Scale: uint8(i.Op.ElemBytes()), Disp: m.Disp}
	}, func(f func(lane reg)) { y.eachBit(left, f) })
	y.jmp(done)
	y.bind(all)
	whole(m)
	y.bind(done)
}

// asStrip gives a mask as that of a whole strip.
func (y ymm) asStrip(k reg) reg {
	if y.maskWidths[k] == 4 {
		return k
	}
	s := y.generator.mask()
	y.define(s, 4, y.wide(k, 4))
	return s
}

// storeWhere stores the lanes of a mask. Mostly these are all, and masked stores take long on some processors.
func (y ymm) storeWhere(i amd64.Inst, w int) {
	_, known := y.maskBits[i.K]
	k := y.wide(i.K, w)
	if known { // never all
		i.Op, i.K = pick(w, amd64.VMASKMOVPSst, amd64.VMASKMOVPDst), k
		y.put(i)
		return
	}
	i.K = none
	left := y.gpr()
	y.msk(w, left, k)
	some, done := y.label(), y.label()
	y.op3(amd64.CMPLI, left, none, none, 1<<(y.vectorBytes/w)-1)
	y.jcc(amd64.CCNE, some)
	y.put(i)
	y.jmp(done)
	y.bind(some)
	i.Op, i.K = pick(w, amd64.VMASKMOVPSst, amd64.VMASKMOVPDst), k
	y.put(i)
	y.bind(done)
}

// narrow makes elements of half or a quarter of the width, in a register or in memory.
func (y ymm) narrow(i amd64.Inst) {
	var v reg
	size := 2
	switch i.Op {
	case amd64.VPMOVQD:
		v, size = y.low(i.A), 4
	case amd64.VPMOVDW:
		v = y.half(amd64.VPACKUSDW, i.A, y.upper(i.A), 0) // lanes are zero-extended
	case amd64.VPMOVDB:
		w := y.half(amd64.VPACKUSDW, i.A, y.upper(i.A), 0)
		v, size = y.half(amd64.VPACKUSWB, w, w, 0), 1
	default:
		c := ins(i.Op)
		c.A, c.B, c.Imm, c.VEX, c.L = i.A, y.vec(), i.Imm, true, amd64.Y
		y.put(c)
		v = c.B
	}
	switch {
	case !i.HasMem:
		y.into(amd64.VMOVAPS, i.B, v, none, 0)
	case size == 4:
		y.refuse("%s, without AVX-512,", &i)
	default:
		s := ins(map[int]amd64.Op{1: amd64.VMOVDQU8st, 2: amd64.VMOVDQU16st}[size])
		s.A, s.HasMem, s.M, s.K = v, true, i.M, i.K
		y.storeNarrow(s)
	}
}
