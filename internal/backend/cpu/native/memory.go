package native

import (
	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A buffer is a tile in the frame: elements in row-major order, or in one of its own, in the form that lanes have, i1 as a byte.
// It is followed by room for one strip more, so that whole strips can be read.
type buffer struct {
	t     tile.Type
	off   int
	size  int    // bytes of an element
	order []int8 // as that of a panel, if not nil
}

// through gives the bits of places for element numbers seen through a view.
func (b *buffer) through(at view) view {
	if b.order == nil {
		return at
	}
	return (&panel{order: b.order}).through(at)
}

func (g *generator) newBuffer(t tile.Type) *buffer {
	b := &buffer{t: t, size: elemSize(t)}
	b.off = g.alloc(max(t.NumElems(), g.lanes)*b.size + 64)
	if g.frame > maxFrame {
		g.refuse("tiles that need more than %d MiB together", maxFrame>>20)
	}
	return b
}

// elemSize gives the size of an element in a buffer.
func elemSize(t tile.Type) int {
	switch {
	case t.IsBool():
		return 1
	case t.ElemBits() == 64:
		return 8
	}
	return 4
}

// maxFrame bounds the memory of one worker.
const maxFrame = 64 << 20

// read gives a buffer's elements as seen through a view.
func (x *nest) read(b *buffer, at view) *val {
	i := x.index(b.through(at))
	d := newVal(b.t)
	d.level, d.uni = i.level, i.uni
	x.on(d.level, func() {
		switch {
		case i.uni:
			x.readOne(b, d, i)
		case i.affine && i.step == 1:
			x.readStrip(b, d, i)
		default:
			x.readLanes(b, d, x.asVec(i)[0])
		}
	})
	return d
}

// place gives the memory operand of a buffer's element.
func (b *buffer) place(x *nest, i *val, extra int) amd64.Mem {
	off := b.off + extra
	if i.known {
		return amd64.At(amd64.RDI, int32(off+int(i.bits)*b.size))
	}
	m := amd64.Mem{Base: amd64.RDI, Index: i.g, Scale: uint8(b.size), Disp: int32(off + int(i.off)*b.size)}
	if !i.affine {
		m.Disp = int32(off)
		m.Index = x.asGPR(i)
	}
	return m
}

func (x *nest) readOne(b *buffer, d, i *val) {
	g := x.g
	m := b.place(x, i, 0)
	switch {
	case b.t.IsBool():
		d.g = g.gpr()
		g.load(amd64.MOVZXB, d.g, m) // a true is all ones in strips
		g.op3(amd64.ANDLI, d.g, none, none, 1)
	case isInt(b.t) && b.size == 8:
		d.g = g.gpr()
		g.load(amd64.MOV, d.g, m)
	case isInt(b.t):
		d.g = g.gpr()
		g.load(amd64.MOVL, d.g, m)
	default:
		r := g.vec()
		g.load(pick(b.size, amd64.VPBROADCASTD, amd64.VPBROADCASTQ), r, m)
		d.v = [2]reg{r, r}
	}
}

func (x *nest) readStrip(b *buffer, d, i *val) {
	g := x.g
	if b.t.IsBool() {
		r := ins(amd64.VMOVDQU8)
		r.A, r.L, r.HasMem, r.M = g.vec(), amd64.X, true, b.place(x, i, 0)
		g.emit(r)
		k := ins(amd64.VPTESTMB)
		k.A, k.B, k.C, k.L = g.mask(), r.A, r.A, amd64.X
		g.emit(k)
		d.k = k.A
		return
	}
	for h := range halves(b.t) {
		d.v[h] = g.vec()
		g.load(amd64.VMOVUPS, d.v[h], b.place(x, i, g.vectorBytes*h))
	}
}

// readLanes reads elements that lie anywhere in a buffer.
func (x *nest) readLanes(b *buffer, d *val, index reg) {
	g := x.g
	if b.size == 8 {
		for h := range 2 {
			i := index
			if h == 1 {
				i = g.upperHalf(index)
			}
			d.v[h] = x.gather(amd64.VPGATHERDQ, amd64.Mem{Base: amd64.RDI, Index: i, Scale: 8, Disp: int32(b.off)}, none)
		}
		return
	}
	v := x.gather(amd64.VPGATHERDD, amd64.Mem{Base: amd64.RDI, Index: index, Scale: uint8(b.size), Disp: int32(b.off)}, none)
	if b.t.IsBool() {
		d.k = g.cmp(amd64.VPTESTMD, v, g.splatBits(4, 0xff), 0)
		return
	}
	d.v[0] = v
}

// gather reads the elements that a mask selects, the others are zero. The instruction clears its mask.
func (x *nest) gather(op amd64.Op, m amd64.Mem, k reg) reg {
	g := x.g
	d := g.splatBits(4, 0)
	i := ins(op)
	i.A, i.HasMem, i.M, i.K = d, true, m, g.ownMask(k)
	g.emit(i)
	return d
}

// ownMask gives a copy of a mask, or all ones.
func (g *generator) ownMask(k reg) reg {
	own := g.mask()
	if k == none {
		g.op3(amd64.KXNOR, own, own, own, 0)
	} else {
		g.op3(amd64.KMOV, own, k, none, 0)
	}
	return own
}

// write puts a strip into a buffer at a view, which counts elements one by one. Lanes that are not in use leave what follows alone: it may
// have been written before.
func (x *nest) write(b *buffer, at view, v *val) {
	g := x.g
	i := x.index(b.through(at))
	x.on(x.depth(), func() {
		if b.t.IsBool() {
			m := ins(amd64.VPMOVM2B)
			m.A, m.B, m.L = g.vec(), x.asMask(v), amd64.X
			g.emit(m)
			s := ins(amd64.VMOVDQU8st)
			s.A, s.L, s.HasMem, s.M, s.K = m.A, amd64.X, true, b.place(x, i, 0), x.lanesMask(none)
			g.emit(s)
			return
		}
		vs, k := x.asVec(v), x.lanesMask(none)
		for h := range halves(b.t) {
			if h > 0 && x.laneLog < g.laneBits {
				return // no lane of the upper half is in use
			}
			s := ins(pick(b.size, amd64.VMOVUPSst, amd64.VMOVUPDst))
			s.A, s.HasMem, s.M, s.K = vs[h], true, b.place(x, i, g.vectorBytes*h), k
			g.emit(s)
		}
	})
}

// writeOne puts a uniform value into a buffer at an element.
func (x *nest) writeOne(b *buffer, level int, i, v *val) {
	g := x.g
	x.on(level, func() {
		m := b.place(x, i, 0)
		switch {
		case b.t.IsBool():
			g.store(amd64.MOVBst, x.asGPR(v), m)
		case isInt(b.t):
			g.store(pair{amd64.MOVst, amd64.MOVLst}.of(b.size), x.asGPR(v), m)
		default:
			s := ins(pick(b.size, amd64.VMOVSSst, amd64.VMOVSDst))
			s.A, s.L, s.HasMem, s.M = x.asVec(v)[0], amd64.X, true, m
			g.emit(s)
		}
	})
}

// lanesMask gives mask k for the lanes in use; none if all are and k is none.
func (x *nest) lanesMask(k reg) reg {
	if x.laneLog == x.g.laneBits {
		return k
	}
	g := x.g
	used := g.lanesIn(1<<(1<<x.laneLog) - 1)
	if k == none {
		return used
	}
	return g.kop(amd64.KAND, used, k, 0)
}

// loadTile computes a load. p, mask and other are on this strip; mask and other may be nil.
func (x *nest) loadTile(t tile.Type, p, mask, other *val) *val {
	t = t.Scalar()
	if mask != nil && mask.known {
		if mask.bits != 0 {
			if mask.level > p.level { // it holds here, not further out
				at := *p
				p = withLevel(&at, mask.level)
			}
			mask = nil
		} else if other != nil {
			return other
		} else {
			return constVal(t, 0)
		}
	}
	if p.uni && (mask == nil || mask.uni) && (other == nil || other.uni) {
		return x.loadOne(t, p, mask, other)
	}
	d := newVal(t)
	d.level = p.level
	if mask != nil {
		d.level = max(d.level, mask.level)
	}
	if other != nil {
		d.level = max(d.level, other.level)
	}
	x.on(d.level, func() {
		k := none
		if mask != nil {
			k = x.asMask(mask)
		}
		k = x.lanesMask(k)
		if p.affine && p.step == int64(t.ElemBytes()) {
			x.loadStrip(t, d, p, k)
		} else if x.g.spaced(t, p) {
			d.v[0] = x.fromBits(t, x.loadSpaced(t, p, k))
		} else {
			x.loadLanes(t, d, p, k)
		}
		x.g.fillOther(x, d, k, other)
	})
	return d
}

// fillOther puts other where a load's mask is off.
func (g *generator) fillOther(x *nest, d *val, k reg, other *val) {
	if other == nil || k == none || other.known && other.bits == 0 {
		return
	}
	o := x.asVec(other)
	for h := range halves(d.t) {
		kh := k
		if h == 1 {
			kh = g.upper(k)
		}
		d.v[h] = g.blend(d.width(), kh, o[h], d.v[h])
	}
}

func (x *nest) loadStrip(t tile.Type, d, p *val, k reg) {
	g := x.g
	at := p.operand(0)
	get := func(op amd64.Op, l amd64.Len, m amd64.Mem, k reg) reg {
		i := ins(op)
		i.A, i.L, i.HasMem, i.M, i.K, i.Zero = g.vec(), l, true, m, k, k != none
		g.emit(i)
		return i.A
	}
	switch t.ElemBytes() {
	case 8:
		d.v[0] = get(amd64.VMOVUPD, amd64.Z, at, k)
		at.Disp += int32(g.vectorBytes)
		if k != none {
			k = g.upper(k)
		}
		d.v[1] = get(amd64.VMOVUPD, amd64.Z, at, k)
	case 4:
		d.v[0] = get(amd64.VMOVUPS, amd64.Z, at, k)
	case 2:
		r := get(amd64.VMOVDQU16, amd64.Y, at, k)
		if t.Elem() == tile.F16 {
			d.v[0] = g.rm(amd64.VCVTPH2PS, r)
		} else {
			d.v[0] = x.fromBits(t, g.rm(amd64.VPMOVZXWD, r))
		}
	default:
		d.v[0] = g.rm(amd64.VPMOVZXBD, get(amd64.VMOVDQU8, amd64.X, at, k))
	}
}

// loadLanes reads elements from anywhere.
func (x *nest) loadLanes(t tile.Type, d, p *val, k reg) {
	g := x.g
	ptrs := x.asVec(p)
	if p.uni {
		ptrs[1] = ptrs[0]
	}
	zero := g.gpr()
	g.op3(amd64.XORL, zero, zero, none, 0)
	hi := func(k reg) reg {
		if k == none {
			return none
		}
		return g.upper(k)
	}
	at := func(h int) amd64.Mem { return amd64.Mem{Base: zero, Index: ptrs[h], Scale: 1} }
	switch t.ElemBytes() {
	case 8:
		d.v[0], d.v[1] = x.gather(amd64.VPGATHERQQ, at(0), k), x.gather(amd64.VPGATHERQQ, at(1), hi(k))
	case 4:
		d.v[0] = g.joined(x.gather(amd64.VPGATHERQD, at(0), k), x.gather(amd64.VPGATHERQD, at(1), hi(k)))
	default:
		d.v[0] = x.fromBits(t, x.gatherNarrow(t.ElemBytes(), ptrs, k))
	}
}

// In the scratch memory of a strip lie addresses, then values. What a strip reads of them it has written.
const (
	scratchVals  = 128
	scratchBytes = scratchVals + 3*128
)

// eachLane emits a loop over the lanes of a mask in their order; f gets registers with the lane's address and number.
func (x *nest) eachLane(ptrs [2]reg, k reg, f func(addr, lane reg)) {
	g := x.g
	for h := range 2 {
		g.store(amd64.VMOVUPSst, ptrs[h], amd64.At(amd64.RDI, int32(g.scratch+g.vectorBytes*h)))
	}
	left := g.gpr()
	if k == none {
		g.movImm(left, 1<<g.lanes-1)
	} else {
		g.op3(amd64.KMOVtoG, left, k, none, 0)
	}
	g.eachBit(left, func(lane reg) {
		addr := g.gpr()
		g.load(amd64.MOV, addr, amd64.Mem{Base: amd64.RDI, Index: lane, Scale: 8, Disp: int32(g.scratch)})
		f(addr, lane)
	})
}

// eachBit emits a loop over the lanes whose bits are set in a general register, which it clears; f gets a register with the lane's number.
func (g *generator) eachBit(left reg, f func(lane reg)) {
	top, done := g.label(), g.label()
	g.op3(amd64.TESTL, left, left, none, 0)
	g.jcc(amd64.CCE, done)
	g.bind(top)
	m := g.cur.mark()
	lane, rest := g.gpr(), g.gpr()
	g.op3(amd64.TZCNT, lane, left, none, 0)
	f(lane)
	g.op3(amd64.MOV, rest, left, none, 0)
	g.op3(amd64.ADDLI, rest, none, none, -1)
	g.op3(amd64.ANDL, left, rest, none, 0)
	cost, _ := g.cur.since(m)
	g.cur.again += cost * int64(g.lanes-1)
	g.jcc(amd64.CCNE, top)
	g.bind(done)
}

// loadOne reads one element. A masked-off one is read from the frame instead.
func (x *nest) loadOne(t tile.Type, p, mask, other *val) *val {
	g := x.g
	d := newVal(t)
	d.uni, d.level = true, p.level
	if mask != nil {
		d.level = max(d.level, mask.level)
	}
	if other != nil {
		d.level = max(d.level, other.level)
	}
	x.on(d.level, func() {
		addr := x.asGPR(p)
		if mask != nil {
			m := x.asGPR(mask)
			safe := g.gpr()
			i := ins(amd64.LEA)
			i.A, i.HasMem, i.M = safe, true, amd64.At(amd64.RDI, zeroOff)
			g.emit(i)
			g.op3(amd64.TESTL, m, m, none, 0)
			g.cmov(amd64.CCNE, safe, addr)
			addr = safe
		}
		x.element1(t, d, addr)
		if mask == nil || other == nil {
			return
		}
		if isInt(t) {
			r := g.copyG(x.asGPR(other))
			m := x.asGPR(mask)
			g.op3(amd64.TESTL, m, m, none, 0)
			g.cmov(amd64.CCNE, r, d.g)
			d.g = r
			return
		}
		r := g.blend(d.width(), x.asMask(mask), x.asVec(other)[0], d.v[0])
		d.v = [2]reg{r, r}
	})
	return d
}

func (x *nest) element1(t tile.Type, d *val, addr reg) {
	g := x.g
	m := amd64.At(addr, 0)
	if isInt(t) {
		d.g = g.gpr()
		g.load(loadOf(t.ElemBytes()), d.g, m)
		return
	}
	var r reg
	if t.ElemBytes() == 2 {
		e := g.gpr()
		g.load(amd64.MOVZXW, e, m)
		r = x.fromBits(t, g.rm(amd64.VPBROADCASTDfromG, e))
	} else {
		r = g.vec()
		g.load(pick(t.ElemBytes(), amd64.VPBROADCASTD, amd64.VPBROADCASTQ), r, m)
	}
	d.v = [2]reg{r, r}
}

// storeTile emits a store on this strip. mask may be nil.
func (x *nest) storeTile(op *tile.Op, p, v, mask *val) {
	t := op.Args[1].Type.Scalar()
	if mask != nil && mask.known {
		if mask.bits == 0 {
			return
		}
		mask = nil
	}
	x.on(x.depth(), func() {
		k := none
		if mask != nil {
			k = x.asMask(mask)
		}
		k = x.lanesMask(k)
		vs := x.asVec(v)
		if p.affine && p.step == int64(t.ElemBytes()) {
			if cached := x.cached(op); cached != none && x.laneLog == x.g.laneBits && x.storing != plain {
				if x.pastCaches(t, p, vs, k, cached) {
					return
				}
				if t.ElemBytes() > 2 {
					x.streamStrip(t, p, vs, k, cached, func() { x.storeStrip(t, p, vs, k) })
					return
				}
			}
			x.storeStrip(t, p, vs, k)
			return
		}
		if x.g.spaced(t, p) {
			x.storeSpaced(t, p, x.toBits(t, vs[0]), k)
			return
		}
		x.storeLanes(t, p, vs, k)
	})
}

func (x *nest) storeStrip(t tile.Type, p *val, vs [2]reg, k reg) {
	g := x.g
	at := p.operand(0)
	put := func(op amd64.Op, a reg, m amd64.Mem, k reg, imm int64) {
		i := ins(op)
		i.A, i.HasMem, i.M, i.K, i.Imm = a, true, m, k, imm
		g.emit(i)
	}
	switch t.ElemBytes() {
	case 8:
		put(amd64.VMOVUPDst, vs[0], at, k, 0)
		at.Disp += int32(g.vectorBytes)
		if k != none {
			k = g.upper(k)
		}
		put(amd64.VMOVUPDst, vs[1], at, k, 0)
	case 4:
		put(amd64.VMOVUPSst, vs[0], at, k, 0)
	case 2:
		if t.Elem() == tile.F16 {
			put(amd64.VCVTPS2PH, vs[0], at, k, 0)
		} else {
			put(amd64.VPMOVDW, x.toBits(t, vs[0]), at, k, 0)
		}
	default:
		put(amd64.VPMOVDB, vs[0], at, k, 0)
	}
}

// storeLanes writes elements anywhere, in the order of the lanes.
func (x *nest) storeLanes(t tile.Type, p *val, vs [2]reg, k reg) {
	g := x.g
	ptrs := x.asVec(p)
	if p.uni {
		ptrs[1] = ptrs[0]
	}
	if t.ElemBytes() >= 4 && g.scatters {
		x.scatter(t, ptrs, vs, k)
		return
	}
	size := t.ElemBytes()
	lane := max(size, 4)
	vs[0] = x.toBits(t, vs[0])
	for h := range halves(t) {
		g.store(amd64.VMOVUPSst, vs[h], amd64.At(amd64.RDI, int32(g.scratch+scratchVals+g.vectorBytes*h)))
	}
	x.eachLane(ptrs, k, func(addr, number reg) {
		r := g.gpr()
		g.load(pair{amd64.MOV, amd64.MOVL}.of(lane), r, amd64.Mem{Base: amd64.RDI, Index: number, Scale: uint8(lane), Disp: int32(g.scratch + scratchVals)})
		g.store(storeOf(size), r, amd64.At(addr, 0))
	})
}

// storeOf gives the store of a general register's lowest bytes.
func storeOf(size int) amd64.Op {
	return map[int]amd64.Op{1: amd64.MOVBst, 2: amd64.MOVWst, 4: amd64.MOVLst, 8: amd64.MOVst}[size]
}

// loadOf gives the load of so many bytes, zero-extended, to a general register.
func loadOf(size int) amd64.Op {
	return map[int]amd64.Op{1: amd64.MOVZXB, 2: amd64.MOVZXW, 4: amd64.MOVL, 8: amd64.MOV}[size]
}

// scatter writes elements of 4 or 8 bytes anywhere.
func (x *nest) scatter(t tile.Type, ptrs, vs [2]reg, k reg) {
	g := x.g
	hi := none
	if k != none {
		hi = g.upper(k)
	}
	zero := g.gpr()
	g.op3(amd64.XORL, zero, zero, none, 0)
	put := func(op amd64.Op, a reg, h int, k reg) {
		i := ins(op)
		i.A, i.HasMem, i.M, i.K = a, true, amd64.Mem{Base: zero, Index: ptrs[h], Scale: 1}, g.ownMask(k)
		g.emit(i)
	}
	if t.ElemBytes() == 8 {
		put(amd64.VPSCATTERQQ, vs[0], 0, k)
		put(amd64.VPSCATTERQQ, vs[1], 1, hi)
		return
	}
	put(amd64.VPSCATTERQD, vs[0], 0, k)
	put(amd64.VPSCATTERQD, g.upperHalf(vs[0]), 1, hi)
}

// storeOne emits a store of a scalar.
func (x *nest) storeOne(t tile.Type, p, v, mask *val) {
	g := x.g
	t = t.Scalar()
	addr := x.asGPR(p)
	r := x.memoryBits(v)
	done := g.label()
	if mask != nil {
		m := x.asGPR(mask)
		g.op3(amd64.TESTL, m, m, none, 0)
		g.jcc(amd64.CCE, done)
	}
	g.store(storeOf(t.ElemBytes()), r, amd64.At(addr, 0))
	g.bind(done)
}
