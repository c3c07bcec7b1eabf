package native

import (
	"math"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// pair is a general instruction on 8 and on 4 bytes.
type pair struct{ q, l amd64.Op }

func (p pair) of(w int) amd64.Op {
	if w == 8 {
		return p.q
	}
	return p.l
}

// plainScalar are operations that are one instruction, whatever the sign.
var plainScalar = map[tile.Code]pair{
	tile.OpAdd: {amd64.ADD, amd64.ADDL},
	tile.OpSub: {amd64.SUB, amd64.SUBL},
	tile.OpMul: {amd64.IMUL, amd64.IMULL},
	tile.OpAnd: {amd64.AND, amd64.ANDL},
	tile.OpOr:  {amd64.OR, amd64.ORL},
	tile.OpXor: {amd64.XOR, amd64.XORL},
}

// immediate are those that take a constant.
var immediate = map[tile.Code]pair{tile.OpAdd: {amd64.ADDI, amd64.ADDLI}, tile.OpAnd: {amd64.ANDI, amd64.ANDLI}}

// intCC are the condition codes of integer comparisons.
var intCC = map[tile.CmpI]amd64.CC{
	tile.EQ: amd64.CCE, tile.NE: amd64.CCNE,
	tile.LTS: amd64.CCL, tile.LES: amd64.CCLE, tile.GTS: amd64.CCG, tile.GES: amd64.CCGE,
	tile.LTU: amd64.CCB, tile.LEU: amd64.CCBE, tile.GTU: amd64.CCA, tile.GEU: amd64.CCAE,
}

var minMaxCC = map[tile.Code]amd64.CC{
	tile.OpMinS: amd64.CCL, tile.OpMaxS: amd64.CCG, tile.OpMinU: amd64.CCB, tile.OpMaxU: amd64.CCA,
}

// scalar computes an operation of uniform integers in general registers. It reports false for what
// vector registers do as well.
func (x *nest) scalar(op *tile.Op, args []*val) (*val, bool) {
	t := op.Results[0].Type.Scalar()
	for _, a := range args {
		if !a.uni || a.t.IsFloat() || a.affine {
			return nil, false
		}
	}
	if t.IsFloat() {
		return nil, false
	}
	d := newVal(t)
	d.uni, d.level = true, levelOf(args)
	ok := false
	x.on(d.level, func() { d.g, ok = x.scalarOp(op, t, args) })
	return d, ok
}

func (x *nest) scalarOp(op *tile.Op, t tile.Type, args []*val) (reg, bool) {
	g := x.g
	w := d8(t)
	switch op.Code {
	case tile.OpAdd, tile.OpSub, tile.OpMul, tile.OpAnd, tile.OpOr, tile.OpXor:
		if op.Code == tile.OpMul && args[1].known {
			if c, ok := args[1].constant(); ok && c > 0 && c&(c-1) == 0 {
				r := g.copyG(x.asGPR(args[0]))
				g.op3(pair{amd64.SHLI, amd64.SHLLI}.of(w), r, none, none, int64(logOf(c)))
				return x.trim(t, r), true
			}
		}
		r := g.copyG(x.asGPR(args[0]))
		if o, ok := immediate[op.Code]; ok && args[1].known && (w == 4 || args[1].bits <= math.MaxInt32) {
			g.op3(o.of(w), r, none, none, int64(args[1].bits))
		} else {
			g.op3(plainScalar[op.Code].of(w), r, x.asGPR(args[1]), none, 0)
		}
		return x.trim(t, r), true
	case tile.OpDivS, tile.OpRemS, tile.OpDivU, tile.OpRemU:
		if t.IsBool() {
			return none, false
		}
		return x.trim(t, x.divide(op.Code, t, args)), true
	case tile.OpShl, tile.OpShrS, tile.OpShrU:
		if t.IsBool() {
			return none, false
		}
		return x.shift(op.Code, t, args), true
	case tile.OpMinS, tile.OpMaxS, tile.OpMinU, tile.OpMaxU:
		if t.IsBool() {
			return none, false
		}
		a, b := x.sexted(args[0], op.Code), x.sexted(args[1], op.Code)
		r := g.copyG(b)
		g.op3(pair{amd64.CMP, amd64.CMPL}.of(w), a, b, none, 0)
		g.cmov(minMaxCC[op.Code], r, a)
		return x.trim(t, r), true
	case tile.OpCmpI:
		return x.compareScalar(op, args), true
	case tile.OpSelect:
		r := g.copyG(x.asGPR(args[2]))
		c := x.asGPR(args[0])
		a := x.asGPR(args[1])
		g.op3(amd64.TESTL, c, c, none, 0)
		g.cmov(amd64.CCNE, r, a)
		return r, true
	case tile.OpTrunc:
		r := g.gpr()
		g.op3(amd64.MOVL, r, x.asGPR(args[0]), none, 0)
		return x.trim(t, r), true
	case tile.OpExtU, tile.OpPtrToInt, tile.OpIntToPtr, tile.OpHint:
		return x.asGPR(args[0]), true
	case tile.OpBitcast:
		return x.asGPR(args[0]), true
	case tile.OpExtS:
		wide := x.widen(args[0], true)
		if t.ElemBits() != 32 {
			return x.trim(t, wide), true
		}
		r := g.gpr() // zero above its width, as after all 32-bit instructions
		g.op3(amd64.MOVL, r, wide, none, 0)
		return r, true
	case tile.OpAddPtr:
		return x.addPtrScalar(op, args), true
	case tile.OpMulHiU:
		if t.ElemBits() < 32 {
			return none, false
		}
		g.op3(pair{amd64.MOV, amd64.MOVL}.of(w), amd64.RAX, x.asGPR(args[0]), none, 0)
		g.op3(pair{amd64.MUL, amd64.MULL}.of(w), x.asGPR(args[1]), none, none, 0)
		r := g.gpr()
		g.op3(pair{amd64.MOV, amd64.MOVL}.of(w), r, amd64.RDX, none, 0)
		return r, true
	case tile.OpAbsI:
		a := x.sexted(args[0], tile.OpMinS)
		r := g.copyG(a)
		g.op3(pair{amd64.NEG, amd64.NEGL}.of(w), r, none, none, 0)
		g.cmov(amd64.CCS, r, a)
		return x.trim(t, r), true
	}
	return none, false
}

// d8 gives the bytes of the general instruction that works on t.
func d8(t tile.Type) int {
	if t.ElemBits() == 64 {
		return 8
	}
	return 4
}

func logOf(c int64) int {
	n := 0
	for c > 1 {
		c >>= 1
		n++
	}
	return n
}

func (g *generator) copyG(r reg) reg {
	d := g.gpr()
	g.op3(amd64.MOV, d, r, none, 0)
	return d
}

func (g *generator) cmov(cc amd64.CC, d, s reg) {
	i := ins(amd64.CMOV)
	i.A, i.B, i.CC = d, s, cc
	g.emit(i)
}

// trim makes what is above a narrow integer's width zero.
func (x *nest) trim(t tile.Type, r reg) reg {
	if t.ElemBits() >= 32 {
		return r
	}
	d := x.g.copyG(r)
	x.g.op3(amd64.ANDLI, d, none, none, 1<<t.ElemBits()-1)
	return d
}

// widen gives an integer extended to 64 bits.
func (x *nest) widen(v *val, signed bool) reg {
	g, r := x.g, x.asGPR(v)
	if !signed || v.t.ElemBits() == 64 {
		return r
	}
	d := g.gpr()
	switch v.t.ElemBits() {
	case 1:
		g.op3(amd64.MOV, d, r, none, 0)
		g.op3(amd64.NEG, d, none, none, 0)
		return d
	case 8:
		g.op3(amd64.MOVSXB, d, r, none, 0)
	case 16:
		g.op3(amd64.MOVSXW, d, r, none, 0)
	default:
		g.op3(amd64.MOVSXD, d, r, none, 0)
		return d
	}
	e := g.gpr()
	g.op3(amd64.MOVSXD, e, d, none, 0)
	return e
}

// sexted gives a narrow integer sign-extended to 32 bits if the operation is signed.
func (x *nest) sexted(v *val, c tile.Code) reg {
	switch c {
	case tile.OpMinU, tile.OpMaxU, tile.OpDivU, tile.OpRemU, tile.OpShrU, tile.OpShl:
		return x.asGPR(v)
	}
	if v.t.ElemBits() >= 32 {
		return x.asGPR(v)
	}
	return x.widen(v, true)
}

func (x *nest) compareScalar(op *tile.Op, args []*val) reg {
	g := x.g
	p := op.Attr.(tile.CmpIAttr).Pred
	code := tile.OpMinU
	if p >= tile.LTS && p <= tile.GES {
		code = tile.OpMinS
	}
	a, b := x.sexted(args[0], code), x.sexted(args[1], code)
	g.op3(pair{amd64.CMP, amd64.CMPL}.of(d8(args[0].t)), a, b, none, 0)
	return g.setcc(intCC[p])
}

// setcc gives 1 where a condition holds, else 0.
func (g *generator) setcc(cc amd64.CC) reg {
	i := ins(amd64.SETCC)
	i.A, i.CC = amd64.RAX, cc
	g.emit(i)
	d := g.gpr()
	g.op3(amd64.MOVZXB, d, amd64.RAX, none, 0)
	return d
}

// divide divides as the executor does: by zero gives 0, the smallest number by -1 wraps.
func (x *nest) divide(c tile.Code, t tile.Type, args []*val) reg {
	g := x.g
	w := d8(t)
	a, b := x.sexted(args[0], c), x.sexted(args[1], c)
	signed := c == tile.OpDivS || c == tile.OpRemS
	quotient := c == tile.OpDivS || c == tile.OpDivU
	d := g.gpr()
	g.op3(amd64.XORL, d, d, none, 0)
	done, ordinary := g.label(), g.label()
	cmp := pair{amd64.CMPI, amd64.CMPLI}.of(w)
	if k, ok := args[1].constant(); !ok || k == 0 || k == -1 {
		g.op3(cmp, b, none, none, 0)
		g.jcc(amd64.CCE, done)
		if signed {
			g.op3(cmp, b, none, none, -1)
			g.jcc(amd64.CCNE, ordinary)
			if quotient {
				g.op3(amd64.MOV, d, a, none, 0)
				g.op3(pair{amd64.NEG, amd64.NEGL}.of(w), d, none, none, 0)
			}
			g.jmp(done)
			g.bind(ordinary)
		}
	}
	g.op3(pair{amd64.MOV, amd64.MOVL}.of(w), amd64.RAX, a, none, 0)
	if signed {
		g.emit(ins(pair{amd64.CQO, amd64.CDQ}.of(w)))
		g.op3(pair{amd64.IDIV, amd64.IDIVL}.of(w), b, none, none, 0)
	} else {
		g.op3(amd64.XORL, amd64.RDX, amd64.RDX, none, 0)
		g.op3(pair{amd64.DIV, amd64.DIVL}.of(w), b, none, none, 0)
	}
	from := amd64.RDX
	if quotient {
		from = amd64.RAX
	}
	g.op3(pair{amd64.MOV, amd64.MOVL}.of(w), d, from, none, 0)
	g.bind(done)
	return d
}

// shift shifts; by the width or more leaves nothing, or the sign.
func (x *nest) shift(c tile.Code, t tile.Type, args []*val) reg {
	g := x.g
	w, bits := d8(t), int64(t.ElemBits())
	ops := map[tile.Code]struct{ imm, by pair }{
		tile.OpShl:  {pair{amd64.SHLI, amd64.SHLLI}, pair{amd64.SHLX, amd64.SHLXL}},
		tile.OpShrU: {pair{amd64.SHRI, amd64.SHRLI}, pair{amd64.SHRX, amd64.SHRXL}},
		tile.OpShrS: {pair{amd64.SARI, amd64.SARLI}, pair{amd64.SARX, amd64.SARXL}},
	}[c]
	v := x.sexted(args[0], c)
	if args[1].known && args[1].bits < uint64(bits) {
		r := g.copyG(v)
		g.op3(ops.imm.of(w), r, none, none, int64(args[1].bits))
		return x.trim(t, r)
	}
	n, r := x.asGPR(args[1]), g.gpr()
	cmp := pair{amd64.CMPI, amd64.CMPLI}.of(w)
	if c == tile.OpShrS {
		last := g.gpr()
		g.movImm(last, uint64(bits-1))
		m := g.copyG(n)
		g.op3(cmp, m, none, none, bits-1)
		g.cmov(amd64.CCA, m, last)
		g.op3(ops.by.of(w), r, v, m, 0)
		return x.trim(t, r)
	}
	g.op3(ops.by.of(w), r, v, n, 0)
	zero := g.gpr()
	g.op3(amd64.XORL, zero, zero, none, 0)
	g.op3(cmp, n, none, none, bits)
	g.cmov(amd64.CCAE, r, zero)
	return x.trim(t, r)
}

func (x *nest) addPtrScalar(op *tile.Op, args []*val) reg {
	g := x.g
	size := int64(op.Results[0].Type.Pointee().ElemBytes())
	if c, ok := args[1].constant(); ok {
		return g.addImm(8, x.asGPR(args[0]), c*size)
	}
	i := ins(amd64.LEA)
	i.A, i.HasMem = g.gpr(), true
	i.M = amd64.Mem{Base: x.asGPR(args[0]), Index: x.widen(args[1], true), Scale: uint8(size)}
	g.emit(i)
	return i.A
}
