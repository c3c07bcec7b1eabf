package native

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// apply computes an elementwise operation in the cheapest form that its operands allow.
func (x *nest) apply(op *tile.Op, args []*val) *val {
	if op.Code == tile.OpExtern {
		if d, ok := x.composed(op, args); ok {
			return d
		}
	}
	if needsF32(op, args) {
		return x.inF32(op, args)
	}
	if d, ok := x.affine(op, args); ok {
		if x.mayWrap(op, args) {
			d.apart = func() *val { return x.inVectors(op, args) }
		}
		return d
	}
	if d, ok := x.scalar(op, args); ok {
		return d
	}
	return x.inVectors(op, args)
}

// mayWrap reports whether lanes of an affine result may not be the step apart.
func (x *nest) mayWrap(op *tile.Op, args []*val) bool {
	if op.Code == tile.OpHint || op.Code == tile.OpAddPtr {
		return false // the operand knows; an address is taken not to wrap around
	}
	if a := args[0]; (op.Code == tile.OpExtS || op.Code == tile.OpExtU) && a.affine && a.base == none && (a.zero || x.counts(a.g)) {
		last := a.off + a.step*int64(x.g.lanes-1) // and the counter, which is less than a tile has elements
		return min(a.off, last) < 0 || max(a.off, last) >= maxOff
	}
	return op.Code == tile.OpExtS || op.Code == tile.OpExtU || slices.ContainsFunc(args, func(a *val) bool { return a.affine && a.apart != nil })
}

// inVectors computes an elementwise operation in vector or mask registers.
func (x *nest) inVectors(op *tile.Op, args []*val) *val {
	d := newVal(op.Results[0].Type)
	d.level, d.uni, d.quiet = levelOf(args), true, quiets(op.Code)
	for _, a := range args {
		d.uni = d.uni && a.uni
	}
	x.on(d.level, func() { x.vector(op, d, args) })
	return d
}

// affine adds to values that go up by a constant from lane to lane.
func (x *nest) affine(op *tile.Op, args []*val) (*val, bool) {
	some := false
	for _, a := range args {
		if !a.uni && !a.affine || a.t.IsFloat() || a.t.ElemBits() < 32 {
			return nil, false
		}
		some = some || a.affine
	}
	if !some {
		return nil, false
	}
	g := x.g
	t := op.Results[0].Type.Scalar()
	d := newVal(t)
	d.level, d.affine = levelOf(args), true
	switch op.Code {
	case tile.OpHint:
		return args[0], true
	case tile.OpAdd, tile.OpSub:
		return x.affineSum(op, d, args)
	case tile.OpMul:
		a, b := args[0], args[1]
		if a.uni {
			a, b = b, a
		}
		c, ok := b.constant()
		if !ok || int64(int32(c)) != c || int64(int32(a.off*c)) != a.off*c {
			return nil, false
		}
		d.off, d.step = a.off*c, a.step*c
		if a.zero {
			d.g, d.zero = a.g, true
			return d, true
		}
		whole := x.whole(a)
		x.on(d.level, func() {
			d.g = g.gpr()
			g.movImm(d.g, uint64(c))
			g.op3(pair{amd64.IMUL, amd64.IMULL}.of(d8(t)), d.g, whole, none, 0)
		})
		return d, true
	case tile.OpExtS, tile.OpExtU:
		a := args[0]
		if op.Code == tile.OpExtU && !x.g.axes().Of(op.Args[0]).NonNegative() {
			return nil, false // something may have been subtracted: i - 3, of which lanes below 3 are masked off
		}
		d.step = a.step
		if a.zero && a.off >= 0 {
			d.g, d.zero, d.off = a.g, true, a.off
			return d, true
		}
		if a.base != none {
			x.extendedParts(d, a, op.Code == tile.OpExtS)
			return d, true
		}
		x.on(d.level, func() {
			first := x.affineFirst(a, 0)
			d.g = first
			if op.Code == tile.OpExtS {
				d.g = g.gpr()
				g.op3(amd64.MOVSXD, d.g, first, none, 0)
			}
		})
		return d, true
	case tile.OpAddPtr:
		return x.affinePtr(op, d, args)
	}
	return nil, false
}

func (x *nest) affineSum(op *tile.Op, d *val, args []*val) (*val, bool) {
	a, b := args[0], args[1]
	sign := int64(1)
	if op.Code == tile.OpSub {
		sign = -1
	}
	d.off, d.step = a.off+sign*b.off, a.step+sign*b.step
	if c, ok := b.constant(); ok && int64(int32(c)) == c {
		d.g, d.zero, d.off = a.g, a.zero, a.off+sign*c
		d.base, d.baseAt, d.scale = a.base, a.baseAt, a.scale
		return d, int64(int32(d.off)) == d.off
	}
	if c, ok := a.constant(); ok && sign > 0 && int64(int32(c)) == c {
		d.g, d.zero, d.off = b.g, b.zero, b.off+c
		d.base, d.baseAt, d.scale = b.base, b.baseAt, b.scale
		return d, int64(int32(d.off)) == d.off
	}
	if d.step == 0 {
		return nil, false
	}
	if sign > 0 && (!b.affine && x.plus(d, a, b) || !a.affine && x.plus(d, b, a)) {
		return d, true
	}
	a, b = x.joinedVal(a), x.joinedVal(b)
	x.on(d.level, func() {
		first := func(v *val) reg {
			if v.affine {
				return v.g
			}
			return x.asGPR(v)
		}
		switch {
		case b.affine && b.zero:
			d.g, d.zero = first(a), a.affine && a.zero
		case a.affine && a.zero && sign > 0:
			d.g = first(b)
		default:
			d.g = x.combined(op.Code, d8(d.t), first(a), first(b))
		}
	})
	return d, true
}

// maxOff bounds the constant part of an address, so that the displacements of all vectors of a strip fit into 32 bits.
const maxOff = 1 << 30

// affinePtr adds an offset to a pointer. An i32 offset is taken not to wrap around from lane to lane: if it
// did, the addresses would be 8 GiB apart.
func (x *nest) affinePtr(op *tile.Op, d *val, args []*val) (*val, bool) {
	g := x.g
	size := int64(op.Results[0].Type.Pointee().ElemBytes())
	p, o := args[0], args[1]
	d.off, d.step = p.off+o.off*size, p.step+o.step*size
	if d.step == 0 {
		return nil, false
	}
	if max(d.off, -d.off) >= maxOff {
		return nil, false
	}
	if x.pointed(d, p, o, size) {
		return d, true
	}
	d.off, d.base = p.off+o.off*size, none
	p, o = x.joinedVal(p), x.joinedVal(o)
	x.on(d.level, func() {
		base := p.g
		if !p.affine {
			base = x.asGPR(p)
		}
		if c, ok := o.constant(); ok {
			d.g = g.addImm(8, base, c*size)
			return
		}
		if o.affine && o.zero {
			d.g = base
			return
		}
		off := o.g
		if !o.affine {
			off = x.widen(o, true)
		} else if o.t.ElemBits() == 32 {
			off = x.extended(o.g)
		}
		d.g = x.sum(base, off, uint8(size))
	})
	return d, true
}

// simd is a vector instruction on elements of 4 and 8 bytes.
type simd struct{ d, q amd64.Op }

func (s simd) of(w int) amd64.Op { return pick(w, s.d, s.q) }

var intBinary = map[tile.Code]simd{
	tile.OpAdd: {amd64.VPADDD, amd64.VPADDQ}, tile.OpSub: {amd64.VPSUBD, amd64.VPSUBQ},
	tile.OpMul: {amd64.VPMULLD, amd64.VPMULLQ}, tile.OpAnd: {amd64.VPANDD, amd64.VPANDQ},
	tile.OpOr: {amd64.VPORD, amd64.VPORQ}, tile.OpXor: {amd64.VPXORD, amd64.VPXORQ},
	tile.OpMinU: {amd64.VPMINUD, amd64.VPMINUQ}, tile.OpMaxU: {amd64.VPMAXUD, amd64.VPMAXUQ},
	tile.OpMinS: {amd64.VPMINSD, amd64.VPMINSQ}, tile.OpMaxS: {amd64.VPMAXSD, amd64.VPMAXSQ},
	tile.OpShl: {amd64.VPSLLVD, amd64.VPSLLVQ}, tile.OpShrU: {amd64.VPSRLVD, amd64.VPSRLVQ},
	tile.OpShrS: {amd64.VPSRAVD, amd64.VPSRAVQ},
}

var shiftImm = map[tile.Code]simd{
	tile.OpShl: {amd64.VPSLLD, amd64.VPSLLQ}, tile.OpShrU: {amd64.VPSRLD, amd64.VPSRLQ}, tile.OpShrS: {amd64.VPSRAD, amd64.VPSRAQ},
}

// The operations on masks that integer operations on i1 are. A signed true is -1.
var maskBinary = map[tile.Code]amd64.Op{
	tile.OpAdd: amd64.KXOR, tile.OpSub: amd64.KXOR, tile.OpXor: amd64.KXOR,
	tile.OpMul: amd64.KAND, tile.OpAnd: amd64.KAND, tile.OpMinU: amd64.KAND, tile.OpMaxS: amd64.KAND,
	tile.OpOr: amd64.KOR, tile.OpMaxU: amd64.KOR, tile.OpMinS: amd64.KOR,
}

var floatBinary = map[tile.Code]simd{
	tile.OpFAdd: {amd64.VADDPS, amd64.VADDPD}, tile.OpFSub: {amd64.VSUBPS, amd64.VSUBPD},
	tile.OpFMul: {amd64.VMULPS, amd64.VMULPD}, tile.OpFDiv: {amd64.VDIVPS, amd64.VDIVPD}, tile.OpFDivRN: {amd64.VDIVPS, amd64.VDIVPD},
}

// vector computes an operation in vector and mask registers.
func (x *nest) vector(op *tile.Op, d *val, args []*val) {
	t := args[0].t
	switch {
	case op.Code == tile.OpSelect:
		x.choose(d, args)
	case op.Code == tile.OpCmpI || op.Code == tile.OpCmpF:
		x.compare(op, d, args)
	case op.Code == tile.OpAddPtr:
		x.addPtr(op, d, args)
	case isConversion(op.Code):
		x.convert(op, d, args[0])
	case op.Code == tile.OpExtern:
		x.extern(op, d, args)
	case t.IsBool():
		x.maskOp(op, d, args)
	case t.ElemBits() == 64 && op.Code == tile.OpMulHiU:
		x.oneByOne(op, d, args)
	case t.ElemBits() == 64 && isDivision(op.Code):
		x.divideWide(op, d, args)
	default:
		vs := make([][2]reg, len(args))
		for i, a := range args {
			vs[i] = x.asVec(a)
		}
		for h := range d.parts() {
			in := make([]reg, len(args))
			for i := range in {
				in[i] = vs[i][h]
			}
			d.v[h] = x.element(op, t, in, args)
		}
		d.fill()
	}
}

func isDivision(c tile.Code) bool {
	switch c {
	case tile.OpDivS, tile.OpRemS, tile.OpDivU, tile.OpRemU:
		return true
	}
	return false
}

// oneByOne computes an operation of integers of 64 bits lane by lane, in general registers.
func (x *nest) oneByOne(op *tile.Op, d *val, args []*val) {
	g := x.g
	for i, a := range args {
		v := x.asVec(a)
		for h := range 2 {
			g.store(amd64.VMOVUPSst, v[h], amd64.At(amd64.RDI, int32(g.scratch+128*i+g.vectorBytes*h)))
		}
	}
	lane := g.gpr()
	place := func(i int) amd64.Mem {
		return amd64.Mem{Base: amd64.RDI, Index: lane, Scale: 8, Disp: int32(g.scratch + 128*i)}
	}
	g.op3(amd64.XORL, lane, lane, none, 0)
	top := g.label()
	g.bind(top)
	m := g.cur.mark()
	in := make([]*val, len(args))
	for i, a := range args {
		if a.known {
			in[i] = a
			continue
		}
		in[i] = newVal(a.t)
		in[i].uni, in[i].level, in[i].g = true, x.depth(), g.gpr()
		g.load(amd64.MOV, in[i].g, place(i))
	}
	r, ok := x.scalarOp(op, d.t, in)
	if !ok {
		g.refuse("%s of %s", op.Code, d.t)
	}
	g.store(amd64.MOVst, r, place(2))
	g.loopEnd(m, g.lanes)
	g.op3(amd64.ADDLI, lane, none, none, 1)
	g.op3(amd64.CMPLI, lane, none, none, int64(g.lanes))
	g.jcc(amd64.CCNE, top)
	for h := range 2 {
		d.v[h] = g.vec()
		g.load(amd64.VMOVUPS, d.v[h], amd64.At(amd64.RDI, int32(g.scratch+256+g.vectorBytes*h)))
	}
}

// parts gives how many registers have to be computed: one is enough where all lanes are equal.
func (v *val) parts() int {
	if v.uni {
		return 1
	}
	return halves(v.t)
}

func (v *val) fill() {
	if v.uni && halves(v.t) == 2 {
		v.v[1] = v.v[0]
	}
}

func (x *nest) maskOp(op *tile.Op, d *val, args []*val) {
	o, ok := maskBinary[op.Code]
	if !ok {
		x.g.refuse("%s of i1", op.Code)
	}
	d.k = x.g.kop(o, x.asMask(args[0]), x.asMask(args[1]), 0)
}

func (x *nest) choose(d *val, args []*val) {
	g := x.g
	k := x.asMask(args[0])
	if d.t.IsBool() {
		a, b := g.kop(amd64.KAND, k, x.asMask(args[1]), 0), g.kop(amd64.KANDN, k, x.asMask(args[2]), 0)
		d.k = g.kop(amd64.KOR, a, b, 0)
		return
	}
	a, b := x.asVec(args[1]), x.asVec(args[2])
	for h := range d.parts() {
		kh := k
		if h == 1 {
			kh = g.upper(k)
		}
		d.v[h] = g.blend(d.width(), kh, b[h], a[h])
	}
	d.fill()
}

// The predicates of vpcmp and vcmp.
var (
	intPred   = map[tile.CmpI]int64{tile.EQ: 0, tile.NE: 4, tile.LTS: 1, tile.LES: 2, tile.GTS: 6, tile.GES: 5, tile.LTU: 1, tile.LEU: 2, tile.GTU: 6, tile.GEU: 5}
	floatPred = map[tile.CmpF]int64{
		tile.OEQ: 0x00, tile.ONE: 0x0c, tile.OLT: 0x11, tile.OLE: 0x12, tile.OGT: 0x1e, tile.OGE: 0x1d,
		tile.UEQ: 0x08, tile.UNE: 0x04, tile.ULT: 0x19, tile.ULE: 0x1a, tile.UGT: 0x16, tile.UGE: 0x15,
		tile.ORD: 0x07, tile.UNO: 0x03,
	}
)

func (x *nest) compare(op *tile.Op, d *val, args []*val) {
	g, t := x.g, args[0].t
	if t.IsBool() {
		x.compareBits(op, d, args)
		return
	}
	a, b := x.asVec(args[0]), x.asVec(args[1])
	w := args[0].width()
	o, pred := pick(w, amd64.VCMPPS, amd64.VCMPPD), int64(0)
	signed := false
	if op.Code == tile.OpCmpF {
		pred = floatPred[op.Attr.(tile.CmpFAttr).Pred]
	} else {
		p := op.Attr.(tile.CmpIAttr).Pred
		pred = intPred[p]
		signed = p >= tile.LTS && p <= tile.GES
		o = pick(w, amd64.VPCMPUD, amd64.VPCMPUQ)
		if signed {
			o = pick(w, amd64.VPCMPD, amd64.VPCMPQ)
		}
	}
	side := func(v reg) reg {
		if signed {
			return x.signed(t, v)
		}
		return v
	}
	k := g.cmp(o, side(a[0]), side(b[0]), pred)
	if w == 8 {
		hi := k
		if !d.uni {
			hi = g.cmp(o, a[1], b[1], pred)
		}
		k = g.kop(amd64.KUNPCK, hi, k, 0)
	}
	d.k = k
}

func (x *nest) compareBits(op *tile.Op, d *val, args []*val) {
	g := x.g
	a, b := x.asMask(args[0]), x.asMask(args[1])
	switch op.Attr.(tile.CmpIAttr).Pred {
	case tile.EQ:
		d.k = g.kop(amd64.KXNOR, a, b, 0)
	case tile.NE:
		d.k = g.kop(amd64.KXOR, a, b, 0)
	case tile.LTU, tile.GTS: // false < true, and -1 < 0
		d.k = g.kop(amd64.KANDN, a, b, 0)
	case tile.GTU, tile.LTS:
		d.k = g.kop(amd64.KANDN, b, a, 0)
	case tile.LEU, tile.GES:
		d.k = g.kop(amd64.KNOT, g.kop(amd64.KANDN, b, a, 0), none, 0)
	default:
		d.k = g.kop(amd64.KNOT, g.kop(amd64.KANDN, a, b, 0), none, 0)
	}
}

// addPtr adds offsets that are any to pointers.
func (x *nest) addPtr(op *tile.Op, d *val, args []*val) {
	g := x.g
	size := op.Results[0].Type.Pointee().ElemBytes()
	p := x.asVec(args[0])
	off := x.extend(args[1], true)
	for h := range d.parts() {
		o := off[h]
		if size > 1 {
			o = g.rmi(amd64.VPSLLQ, o, int64(logOf(int64(size))))
		}
		d.v[h] = g.rvm(amd64.VPADDQ, p[h], o)
	}
	d.fill()
}

// extend gives an integer's lanes as 64 bits.
func (x *nest) extend(v *val, signed bool) [2]reg {
	g := x.g
	if v.t.IsBool() {
		x.g.refuse("an i1 extended to 64 bits")
	}
	in := x.asVec(v)
	if v.width() == 8 {
		return in
	}
	r := in[0]
	o := amd64.VPMOVZXDQ
	if signed {
		r, o = x.signed(v.t, r), amd64.VPMOVSXDQ
	}
	lo := g.rm(o, r)
	if v.uni {
		return [2]reg{lo, lo}
	}
	return [2]reg{lo, g.rm(o, g.upperHalf(r))}
}

// upperHalf gives the upper half of a vector as the lower one of another.
func (g *generator) upperHalf(v reg) reg { return g.narrowed(amd64.VEXTRACTI64X4, v, 1) }

// joined gives two halves as one vector.
func (g *generator) joined(lo, hi reg) reg { return g.rvmi(amd64.VINSERTI64X4, lo, hi, 1) }

// element computes an operation on one register of lanes.
func (x *nest) element(op *tile.Op, t tile.Type, in []reg, args []*val) reg {
	g := x.g
	w := 4
	if t.ElemBits() == 64 {
		w = 8
	}
	if x.dividesFast(op, w, args) {
		return x.round(t, x.quotient(in[0], args[1]))
	}
	if o, ok := floatBinary[op.Code]; ok {
		return x.round(t, g.rvm(o.of(w), in[0], in[1]))
	}
	if t.IsInt() || t.IsPtr() {
		if r, ok := x.intElement(op, t, w, in, args); ok {
			return r
		}
		g.refuse("%s of %s", op.Code, t)
	}
	r, ok := x.floatElement(op, t, w, in, args)
	if !ok {
		r, ok = x.mathElement(op, w, in)
		if !ok {
			g.refuse("%s of %s", op.Code, t)
		}
		return x.round(t, r)
	}
	return r
}

func (x *nest) intElement(op *tile.Op, t tile.Type, w int, in []reg, args []*val) (reg, bool) {
	g := x.g
	a := in[0]
	switch op.Code {
	case tile.OpHint:
		return a, true
	case tile.OpAbsI:
		return x.normal(t, g.rm(pick(w, amd64.VPABSD, amd64.VPABSQ), x.signed(t, a))), true
	case tile.OpMulHiU:
		if n := t.ElemBits(); n < 32 {
			return g.rmi(amd64.VPSRLD, g.rvm(amd64.VPMULLD, a, in[1]), int64(n)), true
		}
		return x.upperOf(x.product(args, in)), true
	case tile.OpDivS, tile.OpRemS, tile.OpDivU, tile.OpRemU:
		if w == 8 {
			return none, false
		}
		return x.divideLanes(op.Code, t, a, in[1]), true
	case tile.OpMinS, tile.OpMaxS:
		return x.normal(t, g.rvm(intBinary[op.Code].of(w), x.signed(t, a), x.signed(t, in[1]))), true
	case tile.OpShl, tile.OpShrU, tile.OpShrS:
		if op.Code == tile.OpShrS {
			a = x.signed(t, a)
		}
		if args[1].known && args[1].bits < uint64(t.ElemBits()) {
			return x.normal(t, g.rmi(shiftImm[op.Code].of(w), a, int64(args[1].bits))), true
		}
		return x.normal(t, g.rvm(intBinary[op.Code].of(w), a, in[1])), true
	}
	if op.Code == tile.OpMul && t.ElemBits() == 32 && x.g.plan.products[[2]*tile.Value(op.Args)] {
		return x.lowerOf(x.product(args, in)), true
	}
	if o, ok := intBinary[op.Code]; ok {
		return x.normal(t, g.rvm(o.of(w), a, in[1])), true
	}
	return none, false
}

// round rounds lanes of f32 to f16 or bf16, which they stand for.
func (x *nest) round(t tile.Type, v reg) reg {
	g := x.g
	switch t.Elem() {
	case tile.F16:
		i := ins(amd64.VCVTPH2PS)
		i.A, i.B = g.vec(), g.narrowed(amd64.VCVTPS2PH, v, 0)
		g.emit(i)
		return i.A
	case tile.BF16:
		return x.roundBF16(v)
	}
	return v
}

// roundBF16 rounds to nearest even: half a unit less one, plus the bit that decides a tie, is added
// before the lower half is cut. A NaN stays one.
func (x *nest) roundBF16(v reg) reg {
	g := x.g
	lsb := g.rvm(amd64.VPANDD, g.rmi(amd64.VPSRLD, v, 16), g.splatBits(4, 1))
	sum := g.rvm(amd64.VPADDD, g.rvm(amd64.VPADDD, v, g.splatBits(4, 0x7fff)), lsb)
	high := g.splatBits(4, 0xffff0000)
	sum = g.rvm(amd64.VPANDD, sum, high)
	nan := g.cmp(amd64.VCMPPS, v, v, 3)
	quiet := g.rvm(amd64.VPORD, g.rvm(amd64.VPANDD, v, high), g.splatBits(4, 0x400000))
	return g.blend(4, nan, sum, quiet)
}

func (x *nest) floatElement(op *tile.Op, t tile.Type, w int, in []reg, args []*val) (reg, bool) {
	g := x.g
	sign := uint64(1) << (8*w - 1)
	a := in[0]
	switch op.Code {
	case tile.OpHint:
		return a, true
	case tile.OpFNeg:
		return g.rvm(pick(w, amd64.VPXORD, amd64.VPXORQ), a, g.splatBits(w, sign)), true
	case tile.OpAbsF:
		return g.rvm(pick(w, amd64.VPANDD, amd64.VPANDQ), a, g.splatBits(w, sign-1)), true
	case tile.OpFMin, tile.OpFMax:
		return x.extremum(op, w, in, args), true
	case tile.OpClamp:
		r := x.minMax(tile.OpFMin, w, x.minMax(tile.OpFMax, w, a, in[1], false), in[2], false)
		if op.Attr.(tile.NaNAttr).Propagate {
			r = g.blend(w, x.isNaN(w, a), r, a)
		}
		return r, true
	case tile.OpFMA:
		return x.round(t, g.fma(w, a, in[1], in[2])), true
	case tile.OpSqrt, tile.OpSqrtRN:
		return x.round(t, g.rm(pick(w, amd64.VSQRTPS, amd64.VSQRTPD), a)), true
	case tile.OpFloor:
		return g.rmi(pick(w, amd64.VRNDSCALEPS, amd64.VRNDSCALEPD), a, 9), true
	case tile.OpCeil:
		return g.rmi(pick(w, amd64.VRNDSCALEPS, amd64.VRNDSCALEPD), a, 10), true
	}
	return none, false
}

func (x *nest) isNaN(w int, v reg) reg { return x.g.cmp(pick(w, amd64.VCMPPS, amd64.VCMPPD), v, v, 3) }

// divideLanes divides integers of at most 32 bits in f64, where the truncated quotient is exact. Division by
// zero gives 0; the smallest number divided by -1 wraps, as the quotient is converted to 64 bits first.
func (x *nest) divideLanes(c tile.Code, t tile.Type, a, b reg) reg {
	g := x.g
	signed := c == tile.OpDivS || c == tile.OpRemS
	toF64 := amd64.VCVTUDQ2PD
	if signed {
		a, b, toF64 = x.signed(t, a), x.signed(t, b), amd64.VCVTDQ2PD
	}
	half := func(a, b reg) reg {
		q := g.rvm(amd64.VDIVPD, g.rm(toF64, a), g.rm(toF64, b))
		return g.narrowed(amd64.VPMOVQD, g.rm(amd64.VCVTTPD2QQ, q), 0)
	}
	q := g.joined(half(a, b), half(g.upperHalf(a), g.upperHalf(b)))
	if c == tile.OpRemS || c == tile.OpRemU {
		q = g.rvm(amd64.VPSUBD, a, g.rvm(amd64.VPMULLD, q, b))
	}
	i := ins(amd64.VMOVAPS)
	i.A, i.B, i.K, i.Zero = g.vec(), q, g.cmp(amd64.VPTESTMD, b, b, 0), true
	g.emit(i)
	return x.normal(t, i.A)
}
