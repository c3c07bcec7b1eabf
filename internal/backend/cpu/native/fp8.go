package native

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// needsF32 reports whether an operation on float8 is computed in f32: all but those that only move values, which lanes hold as bits, and conversions between
// floats.
func needsF32(op *tile.Op, args []*val) bool {
	switch op.Code {
	case tile.OpSelect, tile.OpHint, tile.OpBitcast, tile.OpFExt, tile.OpFTrunc:
		return false
	}
	return slices.ContainsFunc(args, func(v *val) bool { return isFP8(v.t) }) || isFP8(op.Results[0].Type)
}

// inF32 computes an operation on float8 in f32, and rounds what is a float8.
func (x *nest) inF32(op *tile.Op, args []*val) *val {
	if op.Code == tile.OpFNeg || op.Code == tile.OpAbsF {
		if t := op.Results[0].Type.Elem(); !fp8s[t].fnuz {
			return x.signOfFP8(op.Code, t, args[0])
		}
	}
	switch op.Code {
	case tile.OpFMin, tile.OpFMax:
		return x.extremumFP8(op.Code, op.Attr.(tile.NaNAttr).Propagate, args[0], args[1])
	case tile.OpClamp:
		return x.clampFP8(op.Attr.(tile.NaNAttr).Propagate, args)
	}
	wide := make([]*val, len(args))
	for i, v := range args {
		if wide[i] = v; isFP8(v.t) {
			wide[i] = x.made(tile.OpFExt, nil, tile.F32, v)
		}
	}
	t := op.Results[0].Type.Elem()
	if !t.IsFP8() {
		return x.made(op.Code, op.Attr, t, wide...)
	}
	return x.made(tile.OpFTrunc, tile.RoundAttr{Mode: tile.NearestEven}, t, x.made(op.Code, op.Attr, tile.F32, wide...))
}

// signOfFP8 negates, or takes the absolute value, by the sign bit alone, in a format in which every number has one. By way of f32 a rounding
// would make the largest finite number of an infinity.
func (x *nest) signOfFP8(code tile.Code, t tile.Elem, a *val) *val {
	c := compound{x, tile.I8}
	bits := x.made(tile.OpBitcast, nil, tile.I8, a)
	if code == tile.OpFNeg {
		bits = c.xor(bits, c.word(0x80))
	} else {
		bits = c.and(bits, c.word(0x7f))
	}
	return x.made(tile.OpBitcast, nil, t, bits)
}

// extremumFP8 chooses the smaller or the larger of two float8, bit by bit: -0 is below +0, and of equal numbers no other bits differ; a NaN is passed on,
// or else the other operand is.
func (x *nest) extremumFP8(code tile.Code, propagate bool, a, b *val) *val {
	f, bit := compound{x, tile.F32}, compound{x, tile.I8}
	u, v := f.cast(tile.OpFExt, a), f.cast(tile.OpFExt, b)
	p, q := bit.cast(tile.OpBitcast, a), bit.cast(tile.OpBitcast, b)
	beyond, both := tile.OLT, bit.or(p, q)
	if code == tile.OpFMax {
		beyond, both = tile.OGT, bit.and(p, q)
	}
	nan := v
	if propagate {
		nan = u
	}
	k := compound{x, tile.I1}
	first := k.or(f.compareF(beyond, u, v), f.compareF(tile.UNO, nan, nan))
	chosen := bit.either(f.compareF(tile.OEQ, u, v), both, bit.either(first, p, q))
	return compound{x, a.t.Elem()}.cast(tile.OpBitcast, chosen)
}

// clampFP8 chooses among a float8 and its bounds. Only its own NaN is passed on.
func (x *nest) clampFP8(propagate bool, args []*val) *val {
	a := args[0]
	r := x.extremumFP8(tile.OpFMin, false, x.extremumFP8(tile.OpFMax, false, a, args[1]), args[2])
	if !propagate {
		return r
	}
	f := compound{x, tile.F32}
	u := f.cast(tile.OpFExt, a)
	return f.as(a.t.Elem()).either(f.compareF(tile.UNO, u, u), a, r)
}

// fromFP8 gives the f32 of equal value, from a table of all 256. Lanes that are not in use may hold anything.
func (x *nest) fromFP8(t tile.Type, v reg) reg {
	g := x.g
	var b []byte
	for _, f := range t.Elem().DType().FP8ToF32() {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	table := g.gpr()
	i := ins(amd64.LEA)
	i.A, i.HasMem, i.M = table, true, g.constant(64, b)
	g.emit(i)
	if x.laneLog < g.laneBits {
		v = g.rvm(amd64.VPANDD, v, g.splatBits(4, 0xff))
	}
	return x.gather(amd64.VPGATHERDD, amd64.Mem{Base: table, Index: v, Scale: 4}, none)
}

// An fp8 is the numbers of a float8 format: without its sign, a number is exponent and mantissa as one integer.
type fp8 struct {
	mant, bias int
	max        uint64 // the largest number that a conversion gives, also for what is larger
	nan        uint64 // what a NaN becomes
	fnuz       bool   // NaN is 0x80, and there is no negative zero
}

var fp8s = map[tile.Elem]fp8{
	tile.F8E4M3:   {3, 7, 0x7e, 0x7f, false},
	tile.F8E5M2:   {2, 15, 0x7b, 0x7f, false},
	tile.F8E4B15:  {3, 15, 0x7e, 0x7e, false},
	tile.F8E4M3FZ: {3, 8, 0x7f, 0x80, true},
	tile.F8E5M2FZ: {2, 16, 0x7f, 0x80, true},
}

// toFP8 rounds lanes of f32 to nearest even. A number that is normal in the format is rounded as an integer, of
// which half a last place, less one if that is even, is added to the bits; for a smaller one, adding the float whose last place is the
// format's smallest number does the rounding.
func (x *nest) toFP8(t tile.Type, v reg) reg {
	g, f := x.g, fp8s[t.Elem()]
	abs, sign := x.magnitude(v)
	shift := int64(23 - f.mant)
	last := g.rvm(amd64.VPANDD, g.rmi(amd64.VPSRLD, abs, shift), g.splatBits(4, 1))
	sum := g.rvm(amd64.VPADDD, g.rvm(amd64.VPADDD, abs, g.splatBits(4, 1<<(shift-1)-1)), last)
	normal := g.rvm(amd64.VPSUBD, g.rmi(amd64.VPSRLD, sum, shift), g.splatBits(4, uint64(127-f.bias)<<f.mant))
	magic := g.f32(math.Ldexp(1, 1-f.bias-f.mant+23))
	small := g.rvm(amd64.VPSUBD, g.rvm(amd64.VADDPS, abs, magic), magic)
	least := g.f32(math.Ldexp(1, 1-f.bias))
	r := g.blend(4, g.cmp(amd64.VPCMPUD, abs, least, 1), normal, small)
	r = g.rvm(amd64.VPMINUD, r, g.splatBits(4, f.max))
	sign = g.rmi(amd64.VPSRLD, sign, 24)
	nan := x.isNaN(4, v)
	if f.fnuz {
		r = x.where(g.cmp(amd64.VPTESTMD, r, r, 0), g.rvm(amd64.VPORD, r, sign))
		return g.blend(4, nan, r, g.splatBits(4, f.nan))
	}
	return g.rvm(amd64.VPORD, g.blend(4, nan, r, g.splatBits(4, f.nan)), sign)
}

// where gives the lanes that a mask selects, 0 elsewhere.
func (x *nest) where(k, v reg) reg {
	i := ins(amd64.VMOVAPS)
	i.A, i.B, i.K, i.Zero = x.g.vec(), v, k, true
	x.g.emit(i)
	return i.A
}
