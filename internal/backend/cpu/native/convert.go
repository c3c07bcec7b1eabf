package native

import (
	"math"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

func isConversion(c tile.Code) bool {
	switch c {
	case tile.OpTrunc, tile.OpExtS, tile.OpExtU, tile.OpFTrunc, tile.OpFExt, tile.OpSToF, tile.OpUToF, tile.OpFToS,
		tile.OpFToU, tile.OpBitcast, tile.OpIntToPtr, tile.OpPtrToInt:
		return true
	}
	return false
}

// convert computes a conversion in vector registers.
func (x *nest) convert(op *tile.Op, d, a *val) {
	switch op.Code {
	case tile.OpTrunc:
		x.truncate(d, a)
	case tile.OpExtS, tile.OpExtU:
		x.extendTo(op, d, a)
	case tile.OpFTrunc, tile.OpFExt:
		r, ok := op.Attr.(tile.RoundAttr)
		x.floatToFloat(d, a, ok && r.Mode != tile.NearestEven)
	case tile.OpSToF, tile.OpUToF:
		x.intToFloat(op.Code == tile.OpSToF, d, a)
	case tile.OpFToS, tile.OpFToU:
		x.floatToInt(op.Code == tile.OpFToS, d, a)
	case tile.OpBitcast:
		x.bitcast(d, a)
	default:
		d.v = x.asVec(a)
	}
}

func (x *nest) truncate(d, a *val) {
	g := x.g
	v := x.asVec(a)
	low := v[0]
	if a.width() == 8 {
		low = g.narrowed(amd64.VPMOVQD, v[0], 0)
		if !a.uni {
			low = g.joined(low, g.narrowed(amd64.VPMOVQD, v[1], 0))
		} else {
			low = g.rm(amd64.VPBROADCASTD, low)
		}
	}
	if d.t.IsBool() {
		d.k = g.cmp(amd64.VPTESTMD, low, g.splatBits(4, 1), 0)
		return
	}
	d.v[0] = x.normal(d.t, low)
}

func (x *nest) extendTo(op *tile.Op, d, a *val) {
	g := x.g
	signed := op.Code == tile.OpExtS
	if a.t.IsBool() {
		k := x.asMask(a)
		ones := uint64(1)
		if signed {
			ones = ^uint64(0)
			if d.t.ElemBits() < 32 {
				ones = 1<<d.t.ElemBits() - 1
			}
		}
		v := g.splatBits(d.width(), ones)
		for h := range d.parts() {
			kh := k
			if h == 1 {
				kh = g.upper(k)
			}
			i := ins(amd64.VMOVAPS)
			if d.width() == 8 {
				i.Op = amd64.VMOVUPD
			}
			i.A, i.B, i.K, i.Zero = g.vec(), v, kh, true
			g.emit(i)
			d.v[h] = i.A
		}
		d.fill()
		return
	}
	if d.width() == 8 {
		d.v = x.extend(a, signed)
		return
	}
	r := x.asVec(a)[0]
	if signed {
		r = x.normal(d.t, x.signed(a.t, r))
	}
	d.v[0] = r
}

func (x *nest) floatToFloat(d, a *val, towardsZero bool) {
	g := x.g
	v := x.asVec(a)
	if isFP8(a.t) {
		v[0] = x.fromFP8(a.t, v[0])
	}
	if a.width() == 8 {
		if d.t.Elem() == tile.F32 && !towardsZero {
			d.v[0] = x.pairUp(amd64.VCVTPD2PS, v, a.uni)
			return
		}
		v[0] = x.narrowed64(v, a.uni, !towardsZero)
	}
	switch {
	case d.width() == 8:
		d.v[0] = g.rm(amd64.VCVTPS2PD, v[0])
		if !d.uni {
			d.v[1] = g.rm(amd64.VCVTPS2PD, g.upperHalf(v[0]))
		}
		d.fill()
	case isFP8(d.t):
		if towardsZero {
			g.refuse("a conversion to %s that rounds towards zero", d.t)
		}
		d.v[0] = x.toFP8(d.t, v[0])
	case towardsZero:
		d.v[0] = x.cut(d.t, v[0])
	default:
		d.v[0] = x.round(d.t, v[0])
	}
}

// narrowed64 converts f64 to f32, towards zero. If odd is set, the last bit is set where anything is lost, so that a second rounding, to fewer bits, gives what one
// rounding would (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding
// to odd", IEEE Trans. Computers 57, 2008).
func (x *nest) narrowed64(v [2]reg, uni, odd bool) reg {
	g := x.g
	r := x.pairUp(amd64.VCVTPD2PS, v, uni)
	back := [2]reg{g.rm(amd64.VCVTPS2PD, r), none}
	if !uni {
		back[1] = g.rm(amd64.VCVTPS2PD, g.upperHalf(r))
	}
	both := func(f func(h int) reg) reg {
		lo := f(0)
		if uni {
			return g.kop(amd64.KUNPCK, lo, lo, 0)
		}
		return g.kop(amd64.KUNPCK, f(1), lo, 0)
	}
	abs := g.splatBits(8, 1<<63-1)
	beyond := both(func(h int) reg {
		return g.cmp(amd64.VCMPPD, g.rvm(amd64.VPANDQ, back[h], abs), g.rvm(amd64.VPANDQ, v[h], abs), 0x1e)
	})
	inexact := both(func(h int) reg { return g.cmp(amd64.VCMPPD, back[h], v[h], 0x0c) })
	r = g.move(r)
	masked := func(op amd64.Op, k reg, bits uint64) {
		i := ins(op)
		i.A, i.B, i.C, i.K = r, r, g.splatBits(4, bits), k
		g.emit(i)
	}
	masked(amd64.VPSUBD, beyond, 1)
	if odd {
		masked(amd64.VPORD, inexact, 1)
	}
	return r
}

// cut rounds lanes of f32 towards zero to f16 or bf16.
func (x *nest) cut(t tile.Type, v reg) reg {
	g := x.g
	switch t.Elem() {
	case tile.F16:
		return g.rm(amd64.VCVTPH2PS, g.narrowed(amd64.VCVTPS2PH, v, 3))
	case tile.BF16:
		high := g.rvm(amd64.VPANDD, v, g.splatBits(4, 0xffff0000))
		return g.blend(4, x.isNaN(4, v), high, g.rvm(amd64.VPORD, high, g.splatBits(4, 0x400000)))
	}
	return v
}

// pairUp converts two vectors of 8 bytes to one of 4.
func (x *nest) pairUp(op amd64.Op, v [2]reg, uni bool) reg {
	g := x.g
	lo := g.rm(op, v[0])
	if uni {
		return g.rm(amd64.VPBROADCASTD, lo)
	}
	return g.joined(lo, g.rm(op, v[1]))
}

func (x *nest) intToFloat(signed bool, d, a *val) {
	g := x.g
	if isFP8(d.t) {
		g.refuse("a conversion from %s to %s", a.t, d.t)
	}
	if a.t.IsBool() {
		one := uint64(math.Float32bits(1))
		if d.width() == 8 {
			one = math.Float64bits(1)
		}
		if signed {
			one |= 1 << (8*d.width() - 1)
		}
		k, v := x.asMask(a), g.splatBits(d.width(), one)
		zero := g.splatBits(d.width(), 0)
		for h := range d.parts() {
			if h == 1 {
				k = g.upper(k)
			}
			d.v[h] = g.blend(d.width(), k, zero, v)
		}
		d.fill()
		return
	}
	v := x.asVec(a)
	if a.width() == 4 && signed {
		v[0] = x.signed(a.t, v[0])
	}
	// What is rounded to f32 first is so large that it is infinite in f16.
	if d.t.Elem() == tile.BF16 && a.t.ElemBits() > 16 {
		x.intToBF16(signed, d, a)
		return
	}
	choose := func(s, u amd64.Op) amd64.Op {
		if signed {
			return s
		}
		return u
	}
	switch {
	case a.width() == 4 && d.width() == 4:
		d.v[0] = x.round(d.t, g.rm(choose(amd64.VCVTDQ2PS, amd64.VCVTUDQ2PS), v[0]))
	case a.width() == 4:
		o := choose(amd64.VCVTDQ2PD, amd64.VCVTUDQ2PD)
		d.v[0] = g.rm(o, v[0])
		if !d.uni {
			d.v[1] = g.rm(o, g.upperHalf(v[0]))
		}
	case d.width() == 8:
		for h := range d.parts() {
			d.v[h] = g.rm(choose(amd64.VCVTQQ2PD, amd64.VCVTUQQ2PD), v[h])
		}
	default:
		d.v[0] = x.round(d.t, x.pairUp(choose(amd64.VCVTQQ2PS, amd64.VCVTUQQ2PS), v, a.uni))
	}
	d.fill()
}

// intToBF16 goes by way of f64, which holds 32 bits.
func (x *nest) intToBF16(signed bool, d, a *val) {
	if a.width() == 8 {
		a = x.oddWords(signed, a)
	}
	wide := newVal(tile.Scalar(tile.F64))
	wide.uni, wide.level = a.uni, a.level
	x.intToFloat(signed, wide, a)
	x.floatToFloat(d, wide, false)
}

// oddWords replaces the last 12 bits of integers that have more than 53 by one that says whether any was set: f64 holds the result, and rounding that gives what rounding
// the integer would.
func (x *nest) oddWords(signed bool, a *val) *val {
	c := compound{x, tile.I64}
	const lost = 1<<12 - 1
	some := c.compare(tile.NE, c.and(a, c.word(lost)), c.word(0))
	odd := c.or(c.and(a, c.word(^uint64(lost))), c.either(some, c.word(1<<11), c.word(0)))
	top := c.shr(a, 53)
	if signed {
		top = c.shr(c.add(a, c.word(1<<53)), 54)
	}
	return c.either(c.compare(tile.EQ, top, c.word(0)), a, odd)
}

// floatToInt saturates, and makes 0 of NaN: what is out of range is brought to the range's ends first. The
// upper end of wide integers is no float, so there the largest integer is blended in.
func (x *nest) floatToInt(signed bool, d, a *val) {
	g := x.g
	v := x.asVec(a)
	if isFP8(a.t) {
		g.refuse("a conversion from %s to %s", a.t, d.t)
	}
	w := a.width()
	bits := d.t.ElemBits()
	lo, hi, top := 0.0, math.Ldexp(1, bits), ^uint64(0)>>(64-bits)
	if signed {
		lo, hi, top = -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1), ^uint64(0)>>(65-bits)
	}
	if bits == 1 {
		g.refuse("a conversion from %s to i1", a.t)
	}
	encode := func(f float64) reg {
		if w == 8 {
			return g.splatBits(8, math.Float64bits(f))
		}
		return g.splatBits(4, uint64(math.Float32bits(float32(f))))
	}
	cmp := pick(w, amd64.VCMPPS, amd64.VCMPPD)
	clamp := func(v reg) (in, over reg) {
		over = g.cmp(cmp, v, encode(hi), 0x1d)
		i := ins(pick(w, amd64.VMAXPS, amd64.VMAXPD))
		i.A, i.B, i.C, i.K, i.Zero = g.vec(), v, encode(lo), g.cmp(cmp, v, v, 7), true // NaN becomes 0
		g.emit(i)
		return i.A, over
	}
	small := bits <= 32
	finish := func(v, over reg) reg { return g.blend(d.width(), over, v, g.splatBits(d.width(), top)) }
	pickOp := func(s, u amd64.Op) amd64.Op {
		if signed || bits < 32 {
			return s
		}
		return u
	}
	switch {
	case w == 4 && small:
		in, over := clamp(v[0])
		r := finish(g.rm(pickOp(amd64.VCVTTPS2DQ, amd64.VCVTTPS2UDQ), in), over)
		d.v[0] = x.normal(d.t, r)
	case w == 8 && small:
		var parts [2]reg
		var over [2]reg
		for h := range a.parts() {
			parts[h], over[h] = clamp(v[h])
		}
		o := pickOp(amd64.VCVTTPD2DQ, amd64.VCVTTPD2UDQ)
		r, k := x.pairUp(o, parts, a.uni), over[0]
		if !a.uni {
			k = g.kop(amd64.KUNPCK, over[1], over[0], 0)
		} else {
			k = g.kop(amd64.KUNPCK, k, k, 0)
		}
		d.v[0] = x.normal(d.t, finish(r, k))
	case w == 8:
		for h := range d.parts() {
			in, over := clamp(v[h])
			d.v[h] = finish(g.rm(wide(signed, amd64.VCVTTPD2QQ, amd64.VCVTTPD2UQQ), in), over)
		}
	default:
		in, over := clamp(v[0])
		o := wide(signed, amd64.VCVTTPS2QQ, amd64.VCVTTPS2UQQ)
		d.v[0] = finish(g.rm(o, in), over)
		if !d.uni {
			d.v[1] = finish(g.rm(o, g.upperHalf(in)), g.upper(over))
		}
	}
	d.fill()
}

func wide(signed bool, s, u amd64.Op) amd64.Op {
	if signed {
		return s
	}
	return u
}

// bitcast keeps the bits: only f16 and bf16 are held in another form than theirs.
func (x *nest) bitcast(d, a *val) {
	if a.t.IsBool() || d.t.IsBool() {
		x.g.refuse("a bitcast of i1")
	}
	v := x.asVec(a)
	if a.width() == 8 {
		d.v = v
		return
	}
	d.v[0] = x.fromBits(d.t, x.toBits(a.t, v[0]))
}

// toBits gives a lane's bits as they are in memory, zero-extended.
func (x *nest) toBits(t tile.Type, v reg) reg {
	g := x.g
	if t.IsPtr() {
		return v
	}
	switch t.Elem() {
	case tile.F16:
		return g.rm(amd64.VPMOVZXWD, g.narrowed(amd64.VCVTPS2PH, v, 0))
	case tile.BF16:
		return g.rmi(amd64.VPSRLD, v, 16)
	}
	return v
}

func (x *nest) fromBits(t tile.Type, v reg) reg {
	g := x.g
	if t.IsPtr() {
		return v
	}
	switch t.Elem() {
	case tile.F16:
		return g.rm(amd64.VCVTPH2PS, g.narrowed(amd64.VPMOVDW, v, 0))
	case tile.BF16:
		return g.rmi(amd64.VPSLLD, v, 16)
	}
	return v
}
