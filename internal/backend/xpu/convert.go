package xpu

import (
	"math"

	"github.com/tegula-lang/tegula/internal/lir"
)

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

// toInteger saturates; NaN gives 0. The decoration that has conversions saturate is not used: Intel's runtime for processors has
// no such conversions of vectors as wide as it makes.
func (e *emitter) toInteger(op *lir.Op) {
	convert, signed := opConvertFToU, op.Code == lir.OpFToS
	if signed {
		convert = opConvertFToS
	}
	x, to := op.Args[0], op.Result().Type
	from, t := e.of(x), x.Type
	switch t {
	case lir.BF16:
		from, t = e.fromBF16(from), lir.F32
	case lir.F16:
		from, t = e.make(opFConvert, e.typeOf(lir.F32), from), lir.F32
	}
	truth, typ := e.typeOf(lir.I1), e.typeOf(t)
	if r := lir.Rounding(op.Mod); r != lir.Fused && r != lir.Zero { // towards zero is what a conversion does anyway
		from = e.call(typ, integral[r], from)
	}
	least, most := uint64(0), to.Mask()
	low, high := float64(0), math.Ldexp(1, to.Bits())
	if signed {
		least, most = 1<<(to.Bits()-1), to.Mask()>>1
		low, high = -math.Ldexp(1, to.Bits()-1), math.Ldexp(1, to.Bits()-1)
	}
	n := e.make(convert, e.typeOf(to), from)
	n = e.make(opSelect, e.typeOf(to), e.make(opFOrdLessThan, truth, from, e.float(t, low)), e.constant(to, least), n)
	n = e.make(opSelect, e.typeOf(to), e.make(opFOrdGreaterThanEqual, truth, from, e.float(t, high)), e.constant(to, most), n)
	e.set(op, e.make(opSelect, e.typeOf(to), e.make(opIsNan, truth, from), e.constant(to, 0), n))
}

// float gives a constant.
func (e *emitter) float(t lir.Type, v float64) id {
	if t == lir.F64 {
		return e.constant(t, math.Float64bits(v))
	}
	return e.constant(t, uint64(math.Float32bits(float32(v))))
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
