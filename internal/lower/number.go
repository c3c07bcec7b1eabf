package lower

import (
	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// toF32 gives a float of any format in f32, exactly; an f64 stays.
func (l *lowerer) toF32(x *lir.Value, e tile.Elem) *lir.Value {
	switch {
	case e == tile.F32 || e == tile.F64 || !e.IsFloat():
		return x
	case e.IsFP8():
		return l.fromF8(x, e)
	case e == tile.BF16 && !x.IsConst(): // the upper half of an f32
		wide := l.b.Pure(lir.OpExtU, 0, lir.I32, 0, l.cast(x, lir.I16))
		return l.cast(l.shl(wide, 16), lir.F32)
	}
	if x.IsConst() {
		return l.b.Const(lir.F32, tile.F32.DType().Encode(e.DType().Decode(x.Bits)))
	}
	return l.b.Pure(lir.OpFExt, 0, lir.F32, 0, x)
}

// fromF32 rounds an f32 or f64 to a format; what has the format stays.
func (l *lowerer) fromF32(x *lir.Value, e tile.Elem, r lir.Rounding) *lir.Value {
	to := map[tile.Elem]lir.Type{tile.F16: lir.F16, tile.BF16: lir.BF16, tile.F32: lir.F32, tile.F64: lir.F64}[e]
	switch {
	case x.Type == to || x.Type == lir.I1:
		return x
	case e.IsFP8():
		return l.toF8(x, e, r)
	case x.Type == lir.F64 && to.Bits() == 16:
		x = l.roundToOdd(x)
	}
	if to == lir.BF16 {
		return l.toBF16(x, r)
	}
	return l.b.Pure(lir.OpFTrunc, uint8(r), to, 0, x)
}

// roundToOdd rounds an f64 to f32 so that a further rounding, to a format of at most half as many bits, is as if
// it were the only one: towards zero, with the last bit set if anything was lost.
func (l *lowerer) roundToOdd(x *lir.Value) *lir.Value {
	b := l.b
	down := b.Pure(lir.OpFTrunc, uint8(lir.Zero), lir.F32, 0, x)
	back := b.Pure(lir.OpFExt, 0, lir.F64, 0, down)
	lost := b.Pure(lir.OpFCmp, uint8(tile.ONE), lir.I1, 0, back, x)
	bits := l.cast(down, lir.I32)
	odd := b.Pure(lir.OpOr, 0, lir.I32, 0, bits, b.I32(1))
	return l.cast(l.pick(lost, odd, bits), lir.F32)
}

// toBF16 rounds an f32 to its upper half.
func (l *lowerer) toBF16(x *lir.Value, r lir.Rounding) *lir.Value {
	b := l.b
	if l.o.Can.BF16 {
		return b.Pure(lir.OpFTrunc, uint8(r), lir.BF16, 0, x)
	}
	bits := l.cast(x, lir.I32)
	up := bits
	if r == lir.Nearest {
		odd := l.and(l.shr(bits, 16), 1)
		up = b.Pure(lir.OpAdd, 0, lir.I32, 0, b.Pure(lir.OpAdd, 0, lir.I32, 0, bits, b.I32(0x7fff)), odd)
	}
	isNaN := b.Pure(lir.OpFCmp, uint8(tile.UNO), lir.I1, 0, x, x)
	up = l.pick(isNaN, b.I32(0x7fc00000), up)
	return l.cast(b.Pure(lir.OpTrunc, 0, lir.I16, 0, l.shr(up, 16)), lir.BF16)
}

// An f8 format is told by where its numbers lie in f32's or f16's: the float with the format's exponent and mantissa bits moved into those of f32, scaled by
// a power of two, is the number; subnormals come out right as they are f32's subnormals before the scaling.
type f8Format struct {
	mantissa, bias int
	max, over, nan uint64 // magnitudes
	fnuz           bool
	specials       bool // the highest exponent is infinity and NaN
}

var f8Formats = map[tile.Elem]f8Format{
	tile.F8E4M3:   {mantissa: 3, bias: 7, max: 0x7e, over: 0x7e, nan: 0x7f},
	tile.F8E5M2:   {mantissa: 2, bias: 15, max: 0x7b, over: 0x7b, nan: 0x7f, specials: true},
	tile.F8E4B15:  {mantissa: 3, bias: 15, max: 0x7e, over: 0x7e, nan: 0x7e},
	tile.F8E4M3FZ: {mantissa: 3, bias: 8, max: 0x7f, over: 0x7f, fnuz: true},
	tile.F8E5M2FZ: {mantissa: 2, bias: 16, max: 0x7f, over: 0x7f, fnuz: true},
}

// fromF8 gives an 8-bit float in f32.
func (l *lowerer) fromF8(x *lir.Value, e tile.Elem) *lir.Value {
	b, f := l.b, f8Formats[e]
	if x.IsConst() {
		return b.Const(lir.F32, tile.F32.DType().Encode(e.DType().Decode(x.Bits)))
	}
	bits := b.Pure(lir.OpExtU, 0, lir.I32, 0, x)
	magnitude := l.and(bits, 0x7f)
	sign := l.shl(l.and(bits, 0x80), 24)
	scaled := l.cast(l.shl(magnitude, 23-f.mantissa), lir.F32)
	scale := b.Const(lir.F32, uint64(127+127-f.bias)<<23)
	number := l.cast(b.Pure(lir.OpFMul, uint8(lir.Nearest), lir.F32, 0, scaled, scale), lir.I32)
	number = b.Pure(lir.OpOr, 0, lir.I32, 0, number, sign)
	special := func(pred tile.CmpI, x *lir.Value, than int, bits *lir.Value) {
		is := b.Pure(lir.OpCmp, uint8(pred), lir.I1, 0, x, b.I32(than))
		number = l.pick(is, bits, number)
	}
	nan := b.I32(0x7fc00000)
	switch {
	case f.fnuz:
		special(tile.EQ, bits, 0x80, nan)
	case f.specials:
		special(tile.EQ, magnitude, 0x7c, b.Pure(lir.OpOr, 0, lir.I32, 0, sign, b.I32(0x7f800000)))
		special(tile.GTU, magnitude, 0x7c, nan)
	case e == tile.F8E4M3:
		special(tile.EQ, magnitude, 0x7f, nan)
	}
	return l.cast(number, lir.F32)
}

// toF8 rounds to an 8-bit float: to nearest even, or towards zero; what is too large becomes the largest number.
func (l *lowerer) toF8(x *lir.Value, e tile.Elem, r lir.Rounding) *lir.Value {
	b, f := l.b, f8Formats[e]
	if x.Type == lir.F64 {
		x = l.roundToOdd(x)
	}
	if l.o.Can.F8 && r == lir.Nearest && (e == tile.F8E4M3 || e == tile.F8E5M2) {
		kind := lir.E4M3
		if e == tile.F8E5M2 {
			kind = lir.E5M2
		}
		pair := b.Pure(lir.OpToF8, uint8(kind), lir.I16, 0, x, b.Const(lir.F32, 0))
		return b.Pure(lir.OpTrunc, 0, lir.I8, 0, pair)
	}
	bits := l.cast(x, lir.I32)
	sign := l.and(l.shr(bits, 24), 0x80)
	magnitude := l.and(bits, 0x7fffffff)
	drop := 23 - f.mantissa
	// Normal numbers: the exponent with the other bias, rounded as an integer.
	rebias := uint64(127-f.bias) << 23
	normal := b.Pure(lir.OpSub, 0, lir.I32, 0, magnitude, b.Const(lir.I32, rebias))
	if r == lir.Nearest {
		odd := l.and(l.shr(normal, drop), 1)
		normal = b.Pure(lir.OpAdd, 0, lir.I32, 0, b.Pure(lir.OpAdd, 0, lir.I32, 0, normal, b.I32(1<<(drop-1)-1)), odd)
	}
	normal = l.shr(normal, drop)
	// Subnormal ones: adding a number whose last bit has the subnormals' weight rounds to it.
	unit := 1 - f.bias - f.mantissa // the weight of a subnormal's last bit, as a power of two
	magic := uint64(127+unit+23) << 23
	mode := lir.Nearest
	if r == lir.Zero {
		mode = lir.Zero
	}
	abs := l.cast(magnitude, lir.F32)
	sum := l.rounded(lir.OpFAdd, mode, lir.F32, abs, b.Const(lir.F32, magic))
	subnormal := b.Pure(lir.OpSub, 0, lir.I32, 0, l.cast(sum, lir.I32), b.Const(lir.I32, magic))
	small := b.Pure(lir.OpCmp, uint8(tile.LTU), lir.I1, 0, magnitude, b.Const(lir.I32, uint64(127+1-f.bias)<<23))
	code := l.pick(small, subnormal, normal)
	limit := f.over
	if r == lir.Zero {
		limit = f.max
	}
	large := b.Pure(lir.OpCmp, uint8(tile.GEU), lir.I1, 0, magnitude, b.Const(lir.I32, uint64(0xff)<<23))
	code = b.Pure(lir.OpMinU, 0, lir.I32, 0, code, b.Const(lir.I32, limit))
	code = l.pick(large, b.Const(lir.I32, l.infinity(e, r)), code)
	isNaN := b.Pure(lir.OpCmp, uint8(tile.GTU), lir.I1, 0, magnitude, b.Const(lir.I32, 0x7f800000))
	if f.fnuz { // no negative zero; its code is NaN
		zero := b.Pure(lir.OpCmp, uint8(tile.EQ), lir.I1, 0, code, b.I32(0))
		whole := b.Pure(lir.OpOr, 0, lir.I32, 0, code, sign)
		whole = l.pick(zero, b.I32(0), whole)
		return b.Pure(lir.OpTrunc, 0, lir.I8, 0, l.pick(isNaN, b.I32(0x80), whole))
	}
	code = l.pick(isNaN, b.Const(lir.I32, f.nan), code)
	return b.Pure(lir.OpTrunc, 0, lir.I8, 0, b.Pure(lir.OpOr, 0, lir.I32, 0, code, sign))
}

// infinity gives the magnitude that infinity becomes.
func (l *lowerer) infinity(e tile.Elem, r lir.Rounding) uint64 {
	if e == tile.F8E5M2 && r == lir.Zero {
		return 0x7c
	}
	return f8Formats[e].over
}

// convertFloat is OpFTrunc and OpFExt.
func (l *lowerer) convertFloat(op *tile.Op, args []*lir.Value) *lir.Value {
	from, to := op.Args[0].Type.Elem(), op.Results[0].Type.Elem()
	r := lir.Nearest
	if a, ok := op.Attr.(tile.RoundAttr); ok && a.Mode == tile.TowardsZero {
		r = lir.Zero
	}
	x := l.toF32(args[0], from)
	if to == tile.F64 && x.Type == lir.F32 {
		return l.b.Pure(lir.OpFExt, 0, lir.F64, 0, x)
	}
	if x.Type == lir.F64 && to == tile.F32 {
		return l.b.Pure(lir.OpFTrunc, uint8(r), lir.F32, 0, x)
	}
	if x.Type == lir.F64 && r == lir.Zero { // truncating twice is truncating once
		x = l.b.Pure(lir.OpFTrunc, uint8(r), lir.F32, 0, x)
	}
	out := l.fromF32(x, to, r)
	if to == tile.F8E4B15 && (from == tile.F16 || from == tile.BF16 || from == tile.F64) {
		out = l.withSign(out, args[0])
	}
	return out
}

// withSign gives an 8-bit float with another float's sign. In a format without NaN a NaN's sign shows, and conversions to f32 drop it.
func (l *lowerer) withSign(x, from *lir.Value) *lir.Value {
	b := l.b
	var top *lir.Value
	if from.Type == lir.F64 {
		top = b.Pure(lir.OpTrunc, 0, lir.I32, 0, l.shr(l.cast(from, lir.I64), 56))
	} else { // of 16 bits
		top = l.shr(b.Pure(lir.OpExtU, 0, lir.I32, 0, l.cast(from, lir.I16)), 8)
	}
	bits := l.and(b.Pure(lir.OpExtU, 0, lir.I32, 0, x), 0x7f)
	return b.Pure(lir.OpTrunc, 0, lir.I8, 0, b.Pure(lir.OpOr, 0, lir.I32, 0, bits, l.and(top, 0x80)))
}

// intToFloat converts with one rounding.
func (l *lowerer) intToFloat(op *tile.Op, args []*lir.Value) *lir.Value {
	code := lir.OpUToF
	if op.Code == tile.OpSToF {
		code = lir.OpSToF
	}
	to := op.Results[0].Type.Elem()
	if args[0].Type == lir.I1 {
		one, t := 1.0, l.typeOf(op.Results[0].Type)
		if op.Code == tile.OpSToF {
			one = -1
		}
		return l.pick(args[0], l.b.Const(t, to.DType().Encode(one)), l.b.Const(t, 0))
	}
	x := l.widen(args[0], op.Code == tile.OpSToF)
	if to == tile.F32 || to == tile.F64 {
		return l.b.Pure(code, uint8(lir.Nearest), l.typeOf(op.Results[0].Type), 0, x)
	}
	if args[0].Type.Bits() <= 16 { // exact in f32
		return l.fromF32(l.b.Pure(code, uint8(lir.Nearest), lir.F32, 0, x), to, lir.Nearest)
	}
	// Towards zero with a sticky last bit, so that the second rounding is the only one; in f32, which is there where f64 is not.
	down := l.b.Pure(code, uint8(lir.Zero), lir.F32, 0, x)
	back := l.b.Pure(map[lir.Code]lir.Code{lir.OpSToF: lir.OpFToS, lir.OpUToF: lir.OpFToU}[code], uint8(lir.Zero), x.Type, 0, down)
	lost := l.b.Pure(lir.OpCmp, uint8(tile.NE), lir.I1, 0, back, x)
	bits := l.cast(down, lir.I32)
	odd := l.b.Pure(lir.OpOr, 0, lir.I32, 0, bits, l.b.I32(1))
	return l.fromF32(l.cast(l.pick(lost, odd, bits), lir.F32), to, lir.Nearest)
}

// floatToInt converts towards zero; what is out of range becomes the nearest number, NaN 0.
func (l *lowerer) floatToInt(op *tile.Op, args []*lir.Value) *lir.Value {
	b := l.b
	signed := op.Code == tile.OpFToS
	code := lir.OpFToU
	if signed {
		code = lir.OpFToS
	}
	x := l.toF32(args[0], op.Args[0].Type.Elem())
	t := l.typeOf(op.Results[0].Type)
	if t.Bits() >= 32 {
		return b.Pure(code, uint8(lir.Zero), t, 0, x)
	}
	n := b.Pure(code, uint8(lir.Zero), lir.I32, 0, x)
	if signed {
		low, high := -1<<(t.Bits()-1), 1<<(t.Bits()-1)-1
		n = b.Pure(lir.OpMinS, 0, lir.I32, 0, b.Pure(lir.OpMaxS, 0, lir.I32, 0, n, b.I32(low)), b.I32(high))
	} else {
		n = b.Pure(lir.OpMinU, 0, lir.I32, 0, n, b.I32(1<<t.Bits()-1))
	}
	return b.Pure(lir.OpTrunc, 0, t, 0, n)
}

// signOp flips or clears the sign.
func (l *lowerer) signOp(op *tile.Op, args []*lir.Value) *lir.Value {
	b, x, e := l.b, args[0], op.Args[0].Type.Elem()
	code := lir.OpFNeg
	if op.Code == tile.OpAbsF {
		code = lir.OpFAbs
	}
	if !e.IsFP8() {
		if e.Bits() == 16 { // on the bits: no format of 16 bits is there on every target
			bits := l.cast(x, lir.I16)
			if code == lir.OpFNeg {
				bits = b.Pure(lir.OpXor, 0, lir.I16, 0, bits, b.Const(lir.I16, 0x8000))
			} else {
				bits = b.Pure(lir.OpAnd, 0, lir.I16, 0, bits, b.Const(lir.I16, 0x7fff))
			}
			return l.cast(bits, x.Type)
		}
		return b.Pure(code, 0, x.Type, 0, x)
	}
	bits := b.Pure(lir.OpExtU, 0, lir.I32, 0, x)
	changed := l.and(bits, 0x7f)
	if code == lir.OpFNeg {
		changed = b.Pure(lir.OpXor, 0, lir.I32, 0, bits, b.I32(0x80))
	}
	if f8Formats[e].fnuz { // the only zero and the only NaN stay
		alone := b.Pure(lir.OpCmp, uint8(tile.EQ), lir.I1, 0, l.and(bits, 0x7f), b.I32(0))
		changed = l.pick(alone, bits, changed)
	}
	return b.Pure(lir.OpTrunc, 0, lir.I8, 0, changed)
}
