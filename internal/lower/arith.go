package lower

import (
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Element-wise operations on one element. Integers narrower than 32 bits are computed in 32, floats narrower than f32
// in f32, rounded once.

// compute gives the results of an operation for operands of one element each.
func (l *lowerer) compute(op *tile.Op, args []*lir.Value) []*lir.Value {
	if op.Code == tile.OpConst {
		return []*lir.Value{l.constant(op.Results[0])}
	}
	t := op.Results[0].Type
	switch f := elementRules[op.Code]; {
	case f != nil:
		return []*lir.Value{f(l, op, args)}
	case intCodes[op.Code].code != 0:
		return []*lir.Value{l.integer(op.Code, l.typeOf(t), args[0], args[1])}
	case floatCodes[op.Code] != 0:
		return []*lir.Value{l.inFloat(op, args, func(xs []*lir.Value) *lir.Value { return l.b.Pure(floatCodes[op.Code], 0, xs[0].Type, 0, xs...) })}
	case op.Code == tile.OpExp2 && l.traits.onlyAddedUp(op.Results[0]):
		return []*lir.Value{l.inFloat(op, args, func(xs []*lir.Value) *lir.Value { return l.real(xs[0]).exp2Flushed().v })}
	case mathRules[op.Code] != nil:
		return []*lir.Value{l.inFloat(op, args, func(xs []*lir.Value) *lir.Value { return mathRules[op.Code](l, xs) })}
	}
	l.refuse("%s is not there on this target yet", op.Code)
	return nil
}

// An intCode is how an integer operation is done, and how its operands are widened.
type intCode struct {
	code   lir.Code
	signed bool
	bit    func(l *lowerer, x, y *lir.Value) *lir.Value // on truth values; nil: widened
}

func logical(code lir.Code) func(*lowerer, *lir.Value, *lir.Value) *lir.Value {
	return func(l *lowerer, x, y *lir.Value) *lir.Value { return l.b.Pure(code, 0, lir.I1, 0, x, y) }
}

// butNot is x and not y: what is left of a bit that is shifted out.
func butNot(l *lowerer, x, y *lir.Value) *lir.Value {
	return l.b.Pure(lir.OpAnd, 0, lir.I1, 0, x, l.not(y))
}

var intCodes = map[tile.Code]intCode{
	tile.OpAdd:    {lir.OpAdd, false, logical(lir.OpXor)},
	tile.OpSub:    {lir.OpSub, false, logical(lir.OpXor)},
	tile.OpMul:    {lir.OpMul, false, logical(lir.OpAnd)},
	tile.OpDivS:   {lir.OpDivS, true, nil},
	tile.OpDivU:   {lir.OpDivU, false, nil},
	tile.OpRemS:   {lir.OpRemS, true, nil},
	tile.OpRemU:   {lir.OpRemU, false, nil},
	tile.OpAnd:    {lir.OpAnd, false, logical(lir.OpAnd)},
	tile.OpOr:     {lir.OpOr, false, logical(lir.OpOr)},
	tile.OpXor:    {lir.OpXor, false, logical(lir.OpXor)},
	tile.OpShl:    {lir.OpShl, false, butNot},
	tile.OpShrS:   {lir.OpShrS, true, func(_ *lowerer, x, _ *lir.Value) *lir.Value { return x }},
	tile.OpShrU:   {lir.OpShrU, false, butNot},
	tile.OpMinS:   {lir.OpMinS, true, logical(lir.OpOr)}, // true is -1
	tile.OpMinU:   {lir.OpMinU, false, logical(lir.OpAnd)},
	tile.OpMaxS:   {lir.OpMaxS, true, logical(lir.OpAnd)},
	tile.OpMaxU:   {lir.OpMaxU, false, logical(lir.OpOr)},
	tile.OpMulHiU: {lir.OpMulHiU, false, nil},
}

// integer computes an integer operation in a type.
func (l *lowerer) integer(code tile.Code, t lir.Type, x, y *lir.Value) *lir.Value {
	row := intCodes[code]
	switch {
	case t == lir.I1 && row.bit != nil:
		return row.bit(l, x, y)
	case t.Bits() < 32:
		x, y = l.widen(x, row.signed), l.widen(y, row.signed)
		if code == tile.OpMulHiU {
			return l.narrow(l.shr(l.b.Pure(lir.OpMul, 0, lir.I32, 0, x, y), t.Bits()), t)
		}
		return l.narrow(l.wide32(code, row, x, y, t.Bits()), t)
	}
	return l.wide32(code, row, x, y, t.Bits())
}

// wide32 computes in 32 or 64 bits; bits is the width by which a shift's count is judged.
func (l *lowerer) wide32(code tile.Code, row intCode, x, y *lir.Value, bits int) *lir.Value {
	switch code {
	case tile.OpShl, tile.OpShrS, tile.OpShrU:
		if y.Type == lir.I64 { // counts are of 32 bits; what is too much stays so
			y = l.b.Pure(lir.OpTrunc, 0, lir.I32, 0, l.b.Pure(lir.OpMinU, 0, lir.I64, 0, y, l.b.Const(lir.I64, 64)))
		}
		if code == tile.OpShrS && bits < 32 || code == tile.OpShl && bits < 32 {
			y = l.b.Pure(lir.OpMinU, 0, lir.I32, 0, y, l.b.I32(31))
		}
	case tile.OpDivS, tile.OpDivU, tile.OpRemS, tile.OpRemU:
		return l.divide(code, row.code, x, y)
	}
	return l.b.Pure(row.code, 0, x.Type, 0, x, y)
}

// divide gives 0 for a division by 0, as the executor does; MinInt/-1 wraps.
func (l *lowerer) divide(code tile.Code, op lir.Code, x, y *lir.Value) *lir.Value {
	b := l.b
	if y.IsConst() && y.Bits != 0 && !y.IsConstBits(y.Type.Mask()) {
		return b.Pure(op, 0, x.Type, 0, x, y)
	}
	zero := b.Const(x.Type, 0)
	by := y
	isZero := b.Pure(lir.OpCmp, uint8(tile.EQ), lir.I1, 0, y, zero)
	by = l.pick(isZero, b.Const(x.Type, 1), by)
	if code == tile.OpDivU || code == tile.OpRemU {
		return l.pick(isZero, zero, b.Pure(op, 0, x.Type, 0, x, by))
	}
	isMinus := b.Pure(lir.OpCmp, uint8(tile.EQ), lir.I1, 0, y, b.Const(x.Type, ^uint64(0)))
	by = l.pick(isMinus, b.Const(x.Type, 1), by)
	q := b.Pure(op, 0, x.Type, 0, x, by)
	if code == tile.OpRemS {
		return l.pick(isZero, zero, q) // a remainder by 1 or -1 is 0
	}
	q = l.pick(isMinus, b.Pure(lir.OpSub, 0, x.Type, 0, zero, x), q)
	return l.pick(isZero, zero, q)
}

// widen gives an integer of less than 32 bits in 32.
func (l *lowerer) widen(x *lir.Value, signed bool) *lir.Value {
	if x.Type.Bits() >= 32 {
		return x
	}
	if signed {
		return l.b.Pure(lir.OpExtS, 0, lir.I32, 0, x)
	}
	return l.b.Pure(lir.OpExtU, 0, lir.I32, 0, x)
}

func (l *lowerer) narrow(x *lir.Value, t lir.Type) *lir.Value {
	if x.Type == t {
		return x
	}
	return l.b.Pure(lir.OpTrunc, 0, t, 0, x)
}

// floatCodes are the operations on f32 and f64 that a target has as they are.
var floatCodes = map[tile.Code]lir.Code{
	tile.OpFAdd: lir.OpFAdd, tile.OpFSub: lir.OpFSub, tile.OpFMul: lir.OpFMul,
	tile.OpFDiv: lir.OpFDiv,
}

// inFloat computes in f32 or f64 and rounds to the result's type.
func (l *lowerer) inFloat(op *tile.Op, args []*lir.Value, f func(xs []*lir.Value) *lir.Value) *lir.Value {
	xs := make([]*lir.Value, len(args))
	for i, a := range args {
		xs[i] = l.toF32(a, op.Args[i].Type.Elem())
	}
	return l.fromF32(f(xs), op.Results[0].Type.Elem(), lir.Nearest)
}

// elementRules are the operations that need more than a row in a table.
var elementRules map[tile.Code]func(l *lowerer, op *tile.Op, args []*lir.Value) *lir.Value

func init() {
	elementRules = map[tile.Code]func(l *lowerer, op *tile.Op, args []*lir.Value) *lir.Value{
		tile.OpCmpI:   (*lowerer).cmpI,
		tile.OpCmpF:   (*lowerer).cmpF,
		tile.OpSelect: func(l *lowerer, _ *tile.Op, a []*lir.Value) *lir.Value { return l.pick(a[0], a[1], a[2]) },
		tile.OpAbsI:   (*lowerer).absI,
		tile.OpFNeg:   (*lowerer).signOp,
		tile.OpAbsF:   (*lowerer).signOp,
		tile.OpFDivRN: rounded(lir.OpFDiv),
		tile.OpSqrtRN: rounded(lir.OpSqrt),
		tile.OpFMA:    rounded(lir.OpFMA),
		tile.OpFMin:   (*lowerer).extremum,
		tile.OpFMax:   (*lowerer).extremum,
		tile.OpClamp:  (*lowerer).clamp,
		tile.OpTrunc:  (*lowerer).convertInt,
		tile.OpExtS:   (*lowerer).convertInt,
		tile.OpExtU:   (*lowerer).convertInt,
		tile.OpFTrunc: (*lowerer).convertFloat,
		tile.OpFExt:   (*lowerer).convertFloat,
		tile.OpSToF:   (*lowerer).intToFloat,
		tile.OpUToF:   (*lowerer).intToFloat,
		tile.OpFToS:   (*lowerer).floatToInt,
		tile.OpFToU:   (*lowerer).floatToInt,
		tile.OpBitcast: func(l *lowerer, op *tile.Op, a []*lir.Value) *lir.Value {
			return l.cast(a[0], l.typeOf(op.Results[0].Type))
		},
		tile.OpIntToPtr: func(_ *lowerer, _ *tile.Op, a []*lir.Value) *lir.Value { return a[0] },
		tile.OpPtrToInt: func(_ *lowerer, _ *tile.Op, a []*lir.Value) *lir.Value { return a[0] },
		tile.OpHint:     func(_ *lowerer, _ *tile.Op, a []*lir.Value) *lir.Value { return a[0] },
		tile.OpAddPtr:   (*lowerer).addPtr,
		tile.OpExtern:   (*lowerer).extern,
		tile.OpProgramID: func(l *lowerer, op *tile.Op, _ []*lir.Value) *lir.Value {
			return l.programID(op.Attr.(tile.AxisAttr).Axis)
		},
		tile.OpNumPrograms: func(l *lowerer, op *tile.Op, _ []*lir.Value) *lir.Value {
			return l.numPrograms(op.Attr.(tile.AxisAttr).Axis)
		},
	}
}

func rounded(code lir.Code) func(l *lowerer, op *tile.Op, args []*lir.Value) *lir.Value {
	return func(l *lowerer, op *tile.Op, args []*lir.Value) *lir.Value {
		return l.inFloat(op, args, func(xs []*lir.Value) *lir.Value {
			return l.b.Pure(code, uint8(lir.Nearest), xs[0].Type, 0, xs...)
		})
	}
}

func (l *lowerer) cmpI(op *tile.Op, args []*lir.Value) *lir.Value {
	p := op.Attr.(tile.CmpIAttr).Pred
	x, y := args[0], args[1]
	signed := p >= tile.LTS && p <= tile.GES
	if x.Type == lir.I1 && !y.IsConst() && (p == tile.EQ || p == tile.NE) {
		d := l.b.Pure(lir.OpXor, 0, lir.I1, 0, x, y)
		if p == tile.EQ {
			return l.not(d)
		}
		return d
	}
	return l.b.Pure(lir.OpCmp, uint8(p), lir.I1, 0, l.widen(x, signed), l.widen(y, signed))
}

func (l *lowerer) cmpF(op *tile.Op, args []*lir.Value) *lir.Value {
	e := op.Args[0].Type.Elem()
	return l.b.Pure(lir.OpFCmp, uint8(op.Attr.(tile.CmpFAttr).Pred), lir.I1, 0, l.toF32(args[0], e), l.toF32(args[1], e))
}

func (l *lowerer) absI(op *tile.Op, args []*lir.Value) *lir.Value {
	t := l.typeOf(op.Results[0].Type)
	if t == lir.I1 {
		return args[0]
	}
	x := l.widen(args[0], true)
	minus := l.b.Pure(lir.OpSub, 0, x.Type, 0, l.b.Const(x.Type, 0), x)
	return l.narrow(l.b.Pure(lir.OpMaxS, 0, x.Type, 0, x, minus), t)
}

func (l *lowerer) extremum(op *tile.Op, args []*lir.Value) *lir.Value {
	code := lir.OpFMin
	if op.Code == tile.OpFMax {
		code = lir.OpFMax
	}
	propagate := op.Attr.(tile.NaNAttr).Propagate
	if e := op.Results[0].Type.Elem(); e.IsFP8() {
		return l.extremumF8(code, e, propagate, args[0], args[1])
	}
	return l.inFloat(op, args, func(xs []*lir.Value) *lir.Value { return l.minmax(code, propagate, xs[0], xs[1]) })
}

// extremumF8 chooses the smaller or the larger of two 8-bit floats, bit by bit: a rounding would make the largest finite number of an infinity. -0 is below +0,
// and of equal numbers no other bits differ; a NaN is passed on, or else the other operand is.
func (l *lowerer) extremumF8(code lir.Code, e tile.Elem, propagate bool, x, y *lir.Value) *lir.Value {
	compare := func(p tile.CmpF, u, v *lir.Value) *lir.Value { return l.b.Pure(lir.OpFCmp, uint8(p), lir.I1, 0, u, v) }
	u, v := l.toF32(x, e), l.toF32(y, e)
	beyond, join := tile.OLT, lir.OpOr
	if code == lir.OpFMax {
		beyond, join = tile.OGT, lir.OpAnd
	}
	nan := v
	if propagate {
		nan = u
	}
	first := l.b.Pure(lir.OpOr, 0, lir.I1, 0, compare(beyond, u, v), compare(tile.UNO, nan, nan))
	p, q := l.widen(x, false), l.widen(y, false)
	both := l.b.Pure(join, 0, lir.I32, 0, p, q)
	return l.narrow(l.pick(compare(tile.OEQ, u, v), both, l.pick(first, p, q)), x.Type)
}

// minmax is a minimum or maximum. A target has it for f32; of f64, and where it cannot give NaN, a comparison does that.
func (l *lowerer) minmax(code lir.Code, propagate bool, x, y *lir.Value) *lir.Value {
	b := l.b
	if !propagate || x.Type == lir.F32 && l.o.Can.MinMaxNaN {
		mod := uint8(0)
		if propagate {
			mod = 1
		}
		return b.Pure(code, mod, x.Type, 0, x, y)
	}
	m := b.Pure(code, 0, x.Type, 0, x, y)
	unordered := b.Pure(lir.OpFCmp, uint8(tile.UNO), lir.I1, 0, x, y)
	return l.pick(unordered, b.Pure(lir.OpFAdd, uint8(lir.Nearest), x.Type, 0, x, y), m)
}

func (l *lowerer) clamp(op *tile.Op, args []*lir.Value) *lir.Value {
	propagate := op.Attr.(tile.NaNAttr).Propagate
	if e := op.Results[0].Type.Elem(); e.IsFP8() {
		return l.clampF8(e, propagate, args)
	}
	return l.inFloat(op, args, func(xs []*lir.Value) *lir.Value {
		return l.minmax(lir.OpFMin, propagate, l.minmax(lir.OpFMax, propagate, xs[0], xs[1]), xs[2])
	})
}

// clampF8 chooses among an 8-bit float and its bounds. Only its own NaN is passed on.
func (l *lowerer) clampF8(e tile.Elem, propagate bool, args []*lir.Value) *lir.Value {
	x := args[0]
	r := l.extremumF8(lir.OpFMin, e, false, l.extremumF8(lir.OpFMax, e, false, x, args[1]), args[2])
	if !propagate {
		return r
	}
	u := l.toF32(x, e)
	return l.pick(l.b.Pure(lir.OpFCmp, uint8(tile.UNO), lir.I1, 0, u, u), x, r)
}

func (l *lowerer) convertInt(op *tile.Op, args []*lir.Value) *lir.Value {
	code := map[tile.Code]lir.Code{tile.OpTrunc: lir.OpTrunc, tile.OpExtS: lir.OpExtS, tile.OpExtU: lir.OpExtU}[op.Code]
	return l.b.Pure(code, 0, l.typeOf(op.Results[0].Type), 0, args[0])
}

func (l *lowerer) addPtr(op *tile.Op, args []*lir.Value) *lir.Value {
	b := l.b
	size := op.Results[0].Type.Pointee().ElemBytes()
	return b.Pure(lir.OpAdd, 0, lir.I64, 0, args[0], l.bytesOf(args[1], size))
}
