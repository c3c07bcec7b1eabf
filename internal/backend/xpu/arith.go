package xpu

import (
	"math"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A row says how an operation is one instruction, or one function of OpenCL.std, on its operands.
type row struct {
	op       opcode
	function uint32
}

var simple = map[lir.Code]row{
	lir.OpAdd: {op: opIAdd}, lir.OpSub: {op: opISub}, lir.OpMul: {op: opIMul},
	lir.OpMulHiU: {function: clUMulHi}, lir.OpMulHiS: {function: clSMulHi},
	lir.OpMinS: {function: clSMin}, lir.OpMinU: {function: clUMin}, lir.OpMaxS: {function: clSMax}, lir.OpMaxU: {function: clUMax},
	lir.OpRSqrt: {function: clRsqrt}, lir.OpExp2: {function: clExp2}, lir.OpLog2: {function: clLog2}, lir.OpSin: {function: clSin}, lir.OpCos: {function: clCos},
	lir.OpTanh: {function: clTanh}, lir.OpSelect: {op: opSelect},
}

// opcodes are the instructions of operations that take more than one.
var opcodes = map[lir.Code]opcode{
	lir.OpDivS: opSDiv, lir.OpDivU: opUDiv, lir.OpRemS: opSRem, lir.OpRemU: opUMod,
	lir.OpAnd: opBitwiseAnd, lir.OpOr: opBitwiseOr, lir.OpXor: opBitwiseXor,
	lir.OpShl: opShiftLeftLogical, lir.OpShrS: opShiftRightArithmetic, lir.OpShrU: opShiftRightLogical,
	lir.OpFAdd: opFAdd, lir.OpFSub: opFSub, lir.OpFMul: opFMul, lir.OpFDiv: opFDiv,
}

// logical are those on truth values.
var logical = map[lir.Code]opcode{lir.OpAnd: opLogicalAnd, lir.OpOr: opLogicalOr, lir.OpXor: opLogicalNotEqual}

func (e *emitter) simple(op *lir.Op, r row) id {
	t := e.typeOf(op.Result().Type)
	if r.op != 0 {
		return e.make(r.op, t, e.all(op.Args)...)
	}
	return e.call(t, r.function, e.all(op.Args)...)
}

// divide keeps the divisor from 0, and from -1 where the quotient would be too large: a device may fault on them.
func (e *emitter) divide(op *lir.Op) {
	x, y, t := op.Args[0], op.Args[1], op.Result().Type
	divisor := e.of(y)
	signed := op.Code == lir.OpDivS || op.Code == lir.OpRemS
	if !y.IsConst() || y.Bits == 0 || signed && y.Int() == -1 {
		truth := e.typeOf(lir.I1)
		bad := e.make(opIEqual, truth, divisor, e.constant(t, 0))
		if signed {
			lowest := e.make(opIEqual, truth, e.of(x), e.constant(t, 1<<(t.Bits()-1)))
			minusOne := e.make(opIEqual, truth, divisor, e.constant(t, t.Mask()))
			bad = e.make(opLogicalOr, truth, bad, e.make(opLogicalAnd, truth, lowest, minusOne))
		}
		divisor = e.make(opSelect, e.typeOf(t), bad, e.constant(t, 1), divisor)
	}
	e.set(op, e.make(opcodes[op.Code], e.typeOf(t), e.of(x), divisor))
}

func (e *emitter) bitwise(op *lir.Op) {
	t := op.Result().Type
	ops := opcodes
	if t == lir.I1 {
		ops = logical
	}
	args := e.all(op.Args)
	for i, a := range op.Args {
		if a.IsConst() && e.signs != 0 && flipsSign(op) {
			args[i] = e.signBit(t)
		}
	}
	e.set(op, e.make(ops[op.Code], e.typeOf(t), args...))
}

// shift gives 0, or the sign, for counts that SPIR-V leaves undefined.
func (e *emitter) shift(op *lir.Op) {
	x, count, t := op.Args[0], op.Args[1], op.Result().Type
	typ, width := e.typeOf(t), uint64(t.Bits())
	if count.IsConst() && count.Bits < width {
		e.set(op, e.make(opcodes[op.Code], typ, e.of(x), e.constant(t, count.Bits)))
		return
	}
	n := e.of(count)
	if op.Code == lir.OpShrS { // by all bits but one is enough
		n = e.call(e.typeOf(lir.I32), clUMin, n, e.i32(int(width-1)))
		e.set(op, e.make(opShiftRightArithmetic, typ, e.of(x), e.asWide(t, n)))
		return
	}
	inside := e.make(opULessThan, e.typeOf(lir.I1), n, e.i32(int(width)))
	masked := e.make(opBitwiseAnd, e.typeOf(lir.I32), n, e.i32(int(width-1)))
	shifted := e.make(opcodes[op.Code], typ, e.of(x), e.asWide(t, masked))
	e.set(op, e.make(opSelect, typ, inside, shifted, e.constant(t, 0)))
}

// asWide gives a count of 32 bits in the type of what is shifted: the specification does not ask for it, translators do.
func (e *emitter) asWide(t lir.Type, n id) id {
	if t == lir.I32 {
		return n
	}
	return e.make(opUConvert, e.typeOf(t), n)
}

func (e *emitter) countBits(op *lir.Op) {
	t := op.Args[0].Type
	var n id
	if op.Code == lir.OpPopCount {
		n = e.make(opBitCount, e.typeOf(t), e.of(op.Args[0]))
	} else {
		n = e.call(e.typeOf(t), clClz, e.of(op.Args[0]))
	}
	if t == lir.I64 {
		n = e.make(opUConvert, e.typeOf(lir.I32), n)
	}
	e.set(op, n)
}

// reverseBits exchanges neighbours, then pairs, and so on.
func (e *emitter) reverseBits(op *lir.Op) {
	t := op.Result().Type
	typ, x := e.typeOf(t), e.of(op.Args[0])
	for distance := 1; distance < t.Bits(); distance *= 2 {
		mask := uint64(0)
		for bit := 0; bit < t.Bits(); bit++ {
			if bit&distance == 0 {
				mask |= 1 << bit
			}
		}
		count := e.constant(t, uint64(distance))
		up := e.make(opShiftLeftLogical, typ, e.make(opBitwiseAnd, typ, x, e.constant(t, mask)), count)
		down := e.make(opBitwiseAnd, typ, e.make(opShiftRightLogical, typ, x, count), e.constant(t, mask))
		x = e.make(opBitwiseOr, typ, up, down)
	}
	e.set(op, x)
}

// permuteBytes picks each byte of the result out of eight by a nibble of the selector; the nibble's upper bit
// asks for the byte's sign instead.
func (e *emitter) permuteBytes(op *lir.Op) {
	wide, word := e.typeOf(lir.I64), e.typeOf(lir.I32)
	low, high := e.make(opUConvert, wide, e.of(op.Args[0])), e.make(opUConvert, wide, e.of(op.Args[1]))
	bytes := e.make(opBitwiseOr, wide, low, e.make(opShiftLeftLogical, wide, high, e.constant(lir.I64, 32)))
	selector := e.of(op.Args[2])
	result := e.i32(0)
	for i := range 4 {
		nibble := e.make(opShiftRightLogical, word, selector, e.i32(4*i))
		count := e.make(opShiftLeftLogical, word, e.make(opBitwiseAnd, word, nibble, e.i32(7)), e.i32(3))
		b := e.make(opBitwiseAnd, word, e.make(opUConvert, word, e.make(opShiftRightLogical, wide, bytes, e.asWide(lir.I64, count))), e.i32(0xff))
		asked := e.make(opINotEqual, e.typeOf(lir.I1), e.make(opBitwiseAnd, word, nibble, e.i32(8)), e.i32(0))
		negative := e.make(opINotEqual, e.typeOf(lir.I1), e.make(opBitwiseAnd, word, b, e.i32(0x80)), e.i32(0))
		sign := e.make(opSelect, word, negative, e.i32(0xff), e.i32(0))
		b = e.make(opSelect, word, asked, sign, b)
		result = e.make(opBitwiseOr, word, result, e.make(opShiftLeftLogical, word, b, e.i32(8*i)))
	}
	e.set(op, result)
}

var comparisons = map[tile.CmpI]opcode{
	tile.EQ: opIEqual, tile.NE: opINotEqual, tile.LTS: opSLessThan, tile.LES: opSLessThanEqual, tile.GTS: opSGreaterThan, tile.GES: opSGreaterThanEqual,
	tile.LTU: opULessThan, tile.LEU: opULessThanEqual, tile.GTU: opUGreaterThan, tile.GEU: opUGreaterThanEqual,
}

func (e *emitter) compare(op *lir.Op) {
	e.set(op, e.make(comparisons[tile.CmpI(op.Mod)], e.typeOf(lir.I1), e.all(op.Args)...))
}

var floatComparisons = map[tile.CmpF]opcode{
	tile.OEQ: opFOrdEqual, tile.ONE: opFOrdNotEqual, tile.OLT: opFOrdLessThan, tile.OLE: opFOrdLessThanEqual, tile.OGT: opFOrdGreaterThan,
	tile.OGE: opFOrdGreaterThanEqual, tile.UEQ: opFUnordEqual, tile.UNE: opFUnordNotEqual, tile.ULT: opFUnordLessThan,
	tile.ULE: opFUnordLessThanEqual, tile.UGT: opFUnordGreaterThan, tile.UGE: opFUnordGreaterThanEqual, tile.ORD: opOrdered, tile.UNO: opUnordered,
}

func (e *emitter) compareFloats(op *lir.Op) {
	e.set(op, e.make(floatComparisons[tile.CmpF(op.Mod)], e.typeOf(lir.I1), e.all(op.Args)...))
}

// arithmetic writes an addition, subtraction, multiplication or division, to nearest. A division of f32 is rounded to nearest
// since the driver builds kernels with -cl-fp32-correctly-rounded-divide-sqrt.
func (e *emitter) arithmetic(op *lir.Op) {
	e.nearest(op)
	t := op.Result().Type
	if x := negated(op); x != nil {
		e.sign(&lir.Op{Code: lir.OpFNeg, Args: []*lir.Value{x}, Results: op.Results})
		return
	}
	if t == lir.BF16 {
		e.set(op, e.throughF32(op, func(args []uint32) id { return e.make(opcodes[op.Code], e.typeOf(lir.F32), args...) }))
		return
	}
	e.set(op, e.make(opcodes[op.Code], e.typeOf(t), e.all(op.Args)...))
}

// nearest refuses the roundings of arithmetic that the target does not have.
func (e *emitter) nearest(op *lir.Op) {
	switch r := lir.Rounding(op.Mod); r {
	case lir.Fused:
	case lir.Nearest:
		e.strict = e.strict || op.Code == lir.OpFAdd || op.Code == lir.OpFSub || op.Code == lir.OpFMul
	default:
		e.refuse(op, "there is no %s that rounds by %s", op.Code, r)
	}
}

// throughF32 computes with bf16 in f32.
func (e *emitter) throughF32(op *lir.Op, compute func(args []uint32) id) id {
	args := e.all(op.Args)
	for i := range args {
		args[i] = e.fromBF16(args[i])
	}
	return e.toBF16(compute(args), lir.Nearest)
}

// fromBF16 gives the f32 whose upper half the bits are.
func (e *emitter) fromBF16(x id) id {
	word := e.typeOf(lir.I32)
	return e.make(opBitcast, e.typeOf(lir.F32), e.make(opShiftLeftLogical, word, e.make(opUConvert, word, x), e.i32(16)))
}

// toBF16 rounds an f32 to its upper half: to nearest even, or towards zero.
func (e *emitter) toBF16(x id, r lir.Rounding) id {
	word, truth := e.typeOf(lir.I32), e.typeOf(lir.I1)
	bits := e.make(opBitcast, word, x)
	up := bits
	if r != lir.Zero {
		odd := e.make(opBitwiseAnd, word, e.make(opShiftRightLogical, word, bits, e.i32(16)), e.i32(1))
		up = e.make(opIAdd, word, bits, e.make(opIAdd, word, odd, e.i32(0x7fff)))
	}
	up = e.make(opSelect, word, e.make(opIsNan, truth, x), e.i32(0x7fc00000), up)
	return e.make(opUConvert, e.typeOf(lir.I16), e.make(opShiftRightLogical, word, up, e.i32(16)))
}

func (e *emitter) fma(op *lir.Op) {
	e.nearest(op)
	t := op.Result().Type
	if t == lir.BF16 {
		e.set(op, e.throughF32(op, func(args []uint32) id { return e.call(e.typeOf(lir.F32), clFma, args...) }))
		return
	}
	e.set(op, e.call(e.typeOf(t), clFma, e.all(op.Args)...))
}

// fmaSaturated is fma between 0 and 1; NaN is less than that.
func (e *emitter) fmaSaturated(op *lir.Op) {
	t := e.typeOf(lir.F32)
	sum := e.call(t, clFma, e.all(op.Args)...)
	positive := e.call(t, clFmax, sum, e.constant(lir.F32, 0))
	e.set(op, e.call(t, clFmin, positive, e.constant(lir.F32, uint64(math.Float32bits(1)))))
}

// minMax orders zeros by their signs, and gives NaN where it is asked to.
func (e *emitter) minMax(op *lir.Op) {
	function, bitwise := uint32(clFmin), opBitwiseOr // of zeros, -0 is the least: its sign is kept
	if op.Code == lir.OpFMax {
		function, bitwise = clFmax, opBitwiseAnd
	}
	t := op.Result().Type
	typ, bits, truth := e.typeOf(t), e.typeOf(lir.Int(t.Bits())), e.typeOf(lir.I1)
	x, y := e.of(op.Args[0]), e.of(op.Args[1])
	result := e.call(typ, function, x, y)
	equal := e.make(opFOrdEqual, truth, x, y)
	both := e.make(bitwise, bits, e.make(opBitcast, bits, x), e.make(opBitcast, bits, y))
	result = e.make(opSelect, typ, equal, e.make(opBitcast, typ, both), result)
	if op.Mod == 1 {
		nan := map[lir.Type]uint64{lir.F32: 0x7fc00000, lir.F64: 0x7ff8000000000000}[t]
		result = e.make(opSelect, typ, e.make(opUnordered, truth, x, y), e.constant(t, nan), result)
	}
	e.set(op, result)
}

// sign changes or clears the sign bit.
func (e *emitter) sign(op *lir.Op) {
	t := op.Result().Type
	bits := lir.Int(t.Bits())
	mask, bitwise := uint64(1)<<(t.Bits()-1), opBitwiseXor
	if op.Code == lir.OpFAbs {
		mask, bitwise = mask-1, opBitwiseAnd
	}
	number := e.of(op.Args[0])
	if t != lir.BF16 {
		number = e.make(opBitcast, e.typeOf(bits), number)
	}
	flipped := e.constant(bits, mask)
	if bitwise == opBitwiseXor && e.signs != 0 {
		flipped = e.signBit(bits)
	}
	number = e.make(bitwise, e.typeOf(bits), number, flipped)
	if t != lir.BF16 {
		number = e.make(opBitcast, e.typeOf(t), number)
	}
	e.set(op, number)
}

// signBit gives the sign of a float of a width, from the number that hideSigns made.
func (e *emitter) signBit(t lir.Type) id {
	switch t {
	case lir.I64:
		return e.make(opShiftLeftLogical, e.typeOf(t), e.make(opUConvert, e.typeOf(t), e.signs), e.constant(t, 32))
	case lir.I16:
		return e.make(opUConvert, e.typeOf(t), e.make(opShiftRightLogical, e.typeOf(lir.I32), e.signs, e.i32(16)))
	}
	return e.signs
}

func (e *emitter) squareRoot(op *lir.Op) {
	e.nearest(op)
	e.set(op, e.call(e.typeOf(op.Result().Type), clSqrt, e.of(op.Args[0])))
}

func (e *emitter) reciprocal(op *lir.Op) {
	e.nearest(op)
	t := op.Result().Type
	one := map[lir.Type]uint64{lir.F32: 0x3f800000, lir.F64: 0x3ff0000000000000}[t]
	e.set(op, e.make(opFDiv, e.typeOf(t), e.constant(t, one), e.of(op.Args[0])))
}

// integral are the functions that round to an integer.
var integral = map[lir.Rounding]uint32{lir.Fused: clRint, lir.Nearest: clRint, lir.Zero: clTrunc, lir.Up: clCeil, lir.Down: clFloor}

func (e *emitter) roundToInteger(op *lir.Op) {
	e.set(op, e.call(e.typeOf(op.Result().Type), integral[lir.Rounding(op.Mod)], e.of(op.Args[0])))
}
