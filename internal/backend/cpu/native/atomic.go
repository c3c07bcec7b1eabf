package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// atomic compiles an atomic. Lanes are done one after another in the order of the elements.
func (g *generator) atomic(op *tile.Op) {
	t := op.Args[0].Type.Pointee()
	if t.IsBool() || isFP8(t) {
		g.refuse("%s of %s", op.Code, t)
	}
	if t.IsScalar() {
		g.atomicOne(op, t)
		return
	}
	j := job{op: op, loc: op.Loc}
	if len(op.Results) > 0 {
		j.to = g.newBuffer(op.Result().Type)
	}
	g.elementwise(t, []job{j})
	if j.to != nil {
		g.bufs[op.Result()] = j.to
	}
}

// atomicMask gives which operand is the mask, if there are so many.
func atomicMask(c tile.Code) int {
	switch c {
	case tile.OpAtomicLoad:
		return 1
	case tile.OpAtomicCAS:
		return 3
	}
	return 2
}

func (g *generator) atomicOne(op *tile.Op, t tile.Type) {
	x := g.straight()
	args := x.evalAll(op.Args, view{})
	addr := x.asGPR(args[0])
	n := min(atomicMask(op.Code), len(args))
	vals := make([]reg, n-1)
	for i := range vals {
		vals[i] = x.memoryBits(args[1+i])
	}
	old := g.gpr()
	g.op3(amd64.XORL, old, old, none, 0)
	done := g.label()
	if n < len(args) {
		m := x.asGPR(args[n])
		g.op3(amd64.TESTL, m, m, none, 0)
		g.jcc(amd64.CCE, done)
	}
	g.op3(amd64.MOV, old, g.exchange(op, t, addr, vals), none, 0)
	g.bind(done)
	if len(op.Results) == 0 {
		return
	}
	d := newVal(t)
	d.uni, d.shared = true, true
	if isInt(t) {
		d.g = old
	} else {
		r := x.fromBits(t, g.rm(pick(t.ElemBytes(), amd64.VPBROADCASTDfromG, amd64.VPBROADCASTQfromG), old))
		d.v = [2]reg{r, r}
	}
	g.env[op.Result()] = d
}

// atomicTile does an atomic on this strip.
func (x *nest) atomicTile(op *tile.Op, args []*val, to *buffer, at view) {
	g := x.g
	t := op.Args[0].Type.Pointee().Scalar()
	x.on(x.depth(), func() {
		n := min(atomicMask(op.Code), len(args))
		k := none
		if n < len(args) {
			k = x.asMask(args[n])
		}
		k = x.lanesMask(k)
		size := max(t.ElemBytes(), 4) // of a lane
		for i, a := range args[1:n] {
			vs := x.asVec(a)
			vs[0] = x.toBits(a.t, vs[0])
			for h := range halves(t) {
				g.store(amd64.VMOVUPSst, vs[h], amd64.At(amd64.RDI, int32(g.scratch+scratchVals+128*i+g.vectorBytes*h)))
			}
		}
		const oldAt = scratchVals + 256
		for h := range halves(t) {
			g.store(amd64.VMOVUPSst, g.splatBits(4, 0), amd64.At(amd64.RDI, int32(g.scratch+oldAt+g.vectorBytes*h)))
		}
		ptrs := x.asVec(args[0])
		x.eachLane(ptrs, k, func(addr, lane reg) {
			place := func(off int) amd64.Mem {
				return amd64.Mem{Base: amd64.RDI, Index: lane, Scale: uint8(size), Disp: int32(g.scratch + off)}
			}
			vals := make([]reg, n-1)
			for i := range vals {
				vals[i] = g.gpr()
				g.load(pair{amd64.MOV, amd64.MOVL}.of(size), vals[i], place(scratchVals+128*i))
			}
			old := g.exchange(op, t, addr, vals)
			g.store(pair{amd64.MOVst, amd64.MOVLst}.of(size), old, place(oldAt))
		})
		if to == nil {
			return
		}
		d := newVal(t)
		d.level = x.depth()
		for h := range halves(t) {
			d.v[h] = g.vec()
			g.load(amd64.VMOVUPS, d.v[h], amd64.At(amd64.RDI, int32(g.scratch+oldAt+g.vectorBytes*h)))
		}
		d.v[0] = x.fromBits(t, d.v[0])
		x.write(to, at, d)
	})
}

// memoryBits gives a scalar's bits as they are in memory.
func (x *nest) memoryBits(v *val) reg {
	if isInt(v.t) || v.t.ElemBytes() != 2 {
		return x.asGPR(v)
	}
	b := newVal(tile.Scalar(tile.I32))
	b.uni, b.v[0] = true, x.toBits(v.t, x.asVec(v)[0])
	return x.asGPR(b)
}

// The atomic instructions by the bytes of an element.
var (
	xadd    = map[int]amd64.Op{1: amd64.XADDB, 2: amd64.XADDW, 4: amd64.XADDL, 8: amd64.XADD}
	xchg    = map[int]amd64.Op{1: amd64.XCHGB, 2: amd64.XCHGW, 4: amd64.XCHGL, 8: amd64.XCHG}
	cmpxchg = map[int]amd64.Op{1: amd64.CMPXCHGB, 2: amd64.CMPXCHGW, 4: amd64.CMPXCHGL, 8: amd64.CMPXCHG}
	// widen gives the move that makes what is above an element zero.
	widen = map[int]amd64.Op{1: amd64.MOVZXB, 2: amd64.MOVZXW, 4: amd64.MOVL, 8: amd64.MOV}
)

// exchange does an atomic on the element at addr and gives its old bits. rax is nobody's; the instruction compares with it.
func (g *generator) exchange(op *tile.Op, t tile.Type, addr reg, vals []reg) reg {
	w := t.ElemBytes()
	at := amd64.At(addr, 0)
	old := func(r reg) reg {
		v := g.gpr()
		g.op3(widen[w], v, r, none, 0)
		return v
	}
	with := func(o amd64.Op) reg {
		v := g.copyG(vals[0])
		g.store(o, v, at)
		return old(v)
	}
	switch op.Code {
	case tile.OpAtomicLoad:
		v := g.gpr()
		g.load(loadOf(w), v, at)
		return v
	case tile.OpAtomicStore:
		return with(xchg[w])
	case tile.OpAtomicCAS:
		g.op3(widen[w], amd64.RAX, vals[0], none, 0)
		g.store(cmpxchg[w], vals[1], at)
		return old(amd64.RAX)
	}
	kind := op.Attr.(tile.AtomicAttr).Kind
	switch kind {
	case tile.AtomicXchg:
		return with(xchg[w])
	case tile.AtomicAdd:
		return with(xadd[w])
	}
	again := g.label()
	g.load(loadOf(w), amd64.RAX, at)
	g.bind(again)
	next := g.combined(kind, t, vals[0])
	g.store(cmpxchg[w], next, at)
	g.jcc(amd64.CCNE, again)
	return old(amd64.RAX)
}

var atomicInt = map[tile.Atomic]pair{
	tile.AtomicAnd: {amd64.AND, amd64.ANDL}, tile.AtomicOr: {amd64.OR, amd64.ORL}, tile.AtomicXor: {amd64.XOR, amd64.XORL},
}

var atomicMinMax = map[tile.Atomic]amd64.CC{
	tile.AtomicMinS: amd64.CCL, tile.AtomicMaxS: amd64.CCG, tile.AtomicMinU: amd64.CCB, tile.AtomicMaxU: amd64.CCA,
}

// combined gives what an element becomes whose old bits are in rax.
func (g *generator) combined(kind tile.Atomic, t tile.Type, v reg) reg {
	w := t.ElemBytes()
	if o, ok := atomicInt[kind]; ok {
		r := g.copyG(v)
		g.op3(o.of(w), r, amd64.RAX, none, 0)
		return r
	}
	if cc, ok := atomicMinMax[kind]; ok {
		r := g.copyG(v)
		a, b := amd64.RAX, v
		if kind == tile.AtomicMinS || kind == tile.AtomicMaxS {
			a, b = g.signedG(w, a), g.signedG(w, b)
		}
		g.op3(pair{amd64.CMP, amd64.CMPL}.of(w), a, b, none, 0)
		g.cmov(cc, r, amd64.RAX)
		return r
	}
	x := g.straight()
	broadcast := pick(w, amd64.VPBROADCASTDfromG, amd64.VPBROADCASTQfromG)
	was, y := x.fromBits(t, g.rm(broadcast, amd64.RAX)), x.fromBits(t, g.rm(broadcast, v))
	var r reg
	switch kind {
	case tile.AtomicFAdd:
		r = x.round(t, g.rvm(floatBinary[tile.OpFAdd].of(w), was, y))
	case tile.AtomicFMin:
		r = x.minMax(tile.OpFMin, w, was, y, false)
	case tile.AtomicFMax:
		r = x.minMax(tile.OpFMax, w, was, y, false)
	default:
		g.refuse("an atomic %s", kind)
	}
	i := ins(pick(w, amd64.VMOVDtoG, amd64.VMOVQtoG))
	i.A, i.B, i.L = x.toBits(t, r), g.gpr(), amd64.X
	g.emit(i)
	return i.B
}

// signedG gives a narrow integer with its sign extended to 32 bits.
func (g *generator) signedG(w int, r reg) reg {
	o, narrow := map[int]amd64.Op{1: amd64.MOVSXB, 2: amd64.MOVSXW}[w]
	if !narrow {
		return r
	}
	d := g.gpr()
	g.op3(o, d, r, none, 0)
	return d
}
