package xpu

import "github.com/tegula-lang/tegula/internal/lir"

// truncate narrows an integer; to a truth value by its lowest bit.
func (e *emitter) truncate(op *lir.Op) {
	x, to := op.Args[0], op.Result().Type
	if to != lir.I1 {
		e.set(op, e.make(opUConvert, e.typeOf(to), e.of(x)))
		return
	}
	bit := e.make(opBitwiseAnd, e.typeOf(x.Type), e.of(x), e.constant(x.Type, 1))
	e.set(op, e.make(opINotEqual, e.typeOf(lir.I1), bit, e.constant(x.Type, 0)))
}

func (e *emitter) extend(op *lir.Op) {
	x, to := op.Args[0], op.Result().Type
	signed := op.Code == lir.OpExtS
	if x.Type == lir.I1 {
		ones := uint64(1)
		if signed {
			ones = to.Mask()
		}
		e.set(op, e.make(opSelect, e.typeOf(to), e.of(x), e.constant(to, ones), e.constant(to, 0)))
		return
	}
	convert := opUConvert
	if signed {
		convert = opSConvert
	}
	e.set(op, e.make(convert, e.typeOf(to), e.of(x)))
}

// roundings are the words of the decoration FPRoundingMode.
var roundings = map[lir.Rounding]uint32{lir.Nearest: 0, lir.Zero: 1, lir.Up: 2, lir.Down: 3}

// rounded says how a conversion rounds; to nearest is what it does anyway.
func (e *emitter) rounded(x id, r lir.Rounding) id {
	if r != lir.Fused && r != lir.Nearest {
		e.decorate(x, decorationRounding, roundings[r])
	}
	return x
}

func (e *emitter) narrow(op *lir.Op) {
	x, to, r := op.Args[0], op.Result().Type, lir.Rounding(op.Mod)
	switch {
	case to == lir.BF16 && (r == lir.Up || r == lir.Down):
		e.refuse(op, "there is no conversion to bf16 that rounds by %s", r)
	case to == lir.BF16:
		wide := e.of(x)
		if x.Type == lir.F64 {
			wide = e.make(opFConvert, e.typeOf(lir.F32), wide)
		}
		e.set(op, e.toBF16(wide, r))
		return
	}
	e.set(op, e.rounded(e.make(opFConvert, e.typeOf(to), e.of(x)), r))
}

func (e *emitter) widen(op *lir.Op) {
	x, to := op.Args[0], op.Result().Type
	if x.Type != lir.BF16 {
		e.set(op, e.make(opFConvert, e.typeOf(to), e.of(x)))
		return
	}
	wide := e.fromBF16(e.of(x))
	if to == lir.F64 {
		wide = e.make(opFConvert, e.typeOf(to), wide)
	}
	e.set(op, wide)
}

func (e *emitter) toFloat(op *lir.Op) {
	convert := opConvertUToF
	if op.Code == lir.OpSToF {
		convert = opConvertSToF
	}
	to, r := op.Result().Type, lir.Rounding(op.Mod)
	if to == lir.BF16 {
		e.set(op, e.toBF16(e.make(convert, e.typeOf(lir.F32), e.of(op.Args[0])), r))
		return
	}
	e.set(op, e.rounded(e.make(convert, e.typeOf(to), e.of(op.Args[0])), r))
}

// toInteger saturates; NaN gives 0.
func (e *emitter) toInteger(op *lir.Op) {
	convert := opConvertFToU
	if op.Code == lir.OpFToS {
		convert = opConvertFToS
	}
	x, to := op.Args[0], op.Result().Type
	from := e.of(x)
	if x.Type == lir.BF16 {
		from = e.fromBF16(from)
	}
	n := e.make(convert, e.typeOf(to), from)
	e.decorate(n, decorationSaturated)
	if r := lir.Rounding(op.Mod); r != lir.Fused && r != lir.Zero { // towards zero is what it does anyway
		e.decorate(n, decorationRounding, roundings[r])
	}
	nan := e.make(opIsNan, e.typeOf(lir.I1), from)
	e.set(op, e.make(opSelect, e.typeOf(to), nan, e.constant(to, 0), n))
}

func (e *emitter) bitcast(op *lir.Op) {
	x, to := op.Args[0], op.Result().Type
	if e.typeOf(x.Type) == e.typeOf(to) { // BF16 and I16 have one type
		e.set(op, e.of(x))
		return
	}
	e.set(op, e.make(opBitcast, e.typeOf(to), e.of(x)))
}

// packHalves rounds two f32 to f16 and puts the second into the upper half.
func (e *emitter) packHalves(op *lir.Op) {
	half, short, word := e.typeOf(lir.F16), e.typeOf(lir.I16), e.typeOf(lir.I32)
	var parts [2]id
	for i, a := range op.Args {
		parts[i] = e.make(opUConvert, word, e.make(opBitcast, short, e.make(opFConvert, half, e.of(a))))
	}
	e.set(op, e.make(opBitwiseOr, word, parts[0], e.make(opShiftLeftLogical, word, parts[1], e.i32(16))))
}
