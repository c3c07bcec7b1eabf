package native

import (
	"math"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
)

// avx2Values are instructions that are made of several: they give the value of all lanes.
var avx2Values map[amd64.Op]func(y ymm, i *amd64.Inst) reg

func init() {
	avx2Values = map[amd64.Op]func(y ymm, i *amd64.Inst) reg{
		amd64.VPBLENDMD: func(y ymm, i *amd64.Inst) reg { return y.blended(i, 4) },
		amd64.VPBLENDMQ: func(y ymm, i *amd64.Inst) reg { return y.blended(i, 8) },
		amd64.VPMULLQ:   func(y ymm, i *amd64.Inst) reg { return y.mul64bits(i.B, i.C) },
		amd64.VPMINSQ:   func(y ymm, i *amd64.Inst) reg { return y.choose(8, y.op(amd64.VPCMPGTQ, i.B, i.C), i.B, i.C) },
		amd64.VPMAXSQ:   func(y ymm, i *amd64.Inst) reg { return y.choose(8, y.op(amd64.VPCMPGTQ, i.B, i.C), i.C, i.B) },
		amd64.VPMINUQ:   func(y ymm, i *amd64.Inst) reg { return y.choose(8, y.compareInts(8, true, i.B, i.C, cmpGT), i.B, i.C) },
		amd64.VPMAXUQ:   func(y ymm, i *amd64.Inst) reg { return y.choose(8, y.compareInts(8, true, i.B, i.C, cmpGT), i.C, i.B) },
		amd64.VPABSQ: func(y ymm, i *amd64.Inst) reg {
			m := y.negative(i.B)
			return y.op(amd64.VPSUBQ, y.xor(i.B, m), m)
		},
		amd64.VPSRAVQ: func(y ymm, i *amd64.Inst) reg {
			m := y.negative(i.B)
			return y.xor(y.op(amd64.VPSRLVQ, y.xor(i.B, m), i.C), m)
		},
		amd64.VPSRAQ: func(y ymm, i *amd64.Inst) reg {
			m := y.negative(i.B)
			return y.xor(y.opImm(amd64.VPSRLQ, y.xor(i.B, m), none, i.Imm), m)
		},
		amd64.VALIGND: ymm.alignedD, amd64.VALIGNQ: ymm.alignedQ,

		amd64.VSCALEFPS: ymm.scaledPS, amd64.VSCALEFPD: ymm.scaledPD,
		amd64.VGETEXPPS:  func(y ymm, i *amd64.Inst) reg { return y.exponent(f32Form, i.B) },
		amd64.VGETEXPPD:  func(y ymm, i *amd64.Inst) reg { return y.exponent(f64Form, i.B) },
		amd64.VGETMANTPS: func(y ymm, i *amd64.Inst) reg { return y.mantissa(f32Form, i.B) },
		amd64.VGETMANTPD: func(y ymm, i *amd64.Inst) reg { return y.mantissa(f64Form, i.B) },

		amd64.VCVTUDQ2PS:  func(y ymm, i *amd64.Inst) reg { return y.u32ToF32(i.B) },
		amd64.VCVTTPS2UDQ: func(y ymm, i *amd64.Inst) reg { return y.f32ToU32(i.B) },
		amd64.VCVTUDQ2PD:  func(y ymm, i *amd64.Inst) reg { return y.u32ToF64(i.B) },
		amd64.VCVTTPD2UDQ: func(y ymm, i *amd64.Inst) reg {
			return y.low(y.op(amd64.VADDPD, y.opImm(amd64.VROUNDPD, i.B, none, 11), y.f64(1<<52)))
		},
		amd64.VCVTQQ2PD:   func(y ymm, i *amd64.Inst) reg { return y.i64ToF64(i.B, true) },
		amd64.VCVTUQQ2PD:  func(y ymm, i *amd64.Inst) reg { return y.i64ToF64(i.B, false) },
		amd64.VCVTQQ2PS:   func(y ymm, i *amd64.Inst) reg { return y.i64ToF32(i.B, true) },
		amd64.VCVTUQQ2PS:  func(y ymm, i *amd64.Inst) reg { return y.i64ToF32(i.B, false) },
		amd64.VCVTTPD2QQ:  func(y ymm, i *amd64.Inst) reg { return y.f64ToI64(i.B) },
		amd64.VCVTTPD2UQQ: func(y ymm, i *amd64.Inst) reg { return y.f64ToI64(i.B) },
		amd64.VCVTTPS2QQ:  func(y ymm, i *amd64.Inst) reg { return y.f64ToI64(y.op(amd64.VCVTPS2PD, i.B, none)) },
		amd64.VCVTTPS2UQQ: func(y ymm, i *amd64.Inst) reg { return y.f64ToI64(y.op(amd64.VCVTPS2PD, i.B, none)) },
	}
}

func (y ymm) shl(w int, v reg, n int64) reg {
	return y.opImm(pick(w, amd64.VPSLLD, amd64.VPSLLQ), v, none, n)
}
func (y ymm) shr(w int, v reg, n int64) reg {
	return y.opImm(pick(w, amd64.VPSRLD, amd64.VPSRLQ), v, none, n)
}

// blended chooses by the instruction's mask, which then selects nothing any more.
func (y ymm) blended(i *amd64.Inst, w int) reg {
	if bits, known := y.maskBits[i.K]; known && w == 4 {
		i.K = none
		return y.opImm(amd64.VPBLENDD, i.B, i.C, int64(bits&(1<<y.lanes-1)))
	}
	v := y.choose(w, y.wide(i.K, w), i.B, i.C)
	i.K = none
	return v
}

// negative gives all ones where a number of 64 bits is negative.
func (y ymm) negative(v reg) reg { return y.op(amd64.VPCMPGTQ, y.bits(4, 0), v) }

// mul64bits gives products of 64 bits: the lower halves' product, and the cross products in its upper half.
func (y ymm) mul64bits(a, b reg) reg {
	cross := y.op(amd64.VPADDQ, y.op(amd64.VPMULUDQ, y.shr(8, a, 32), b), y.op(amd64.VPMULUDQ, a, y.shr(8, b, 32)))
	return y.op(amd64.VPADDQ, y.op(amd64.VPMULUDQ, a, b), y.shl(8, cross, 32))
}

// alignedD moves lanes around the end.
func (y ymm) alignedD(i *amd64.Inst) reg {
	if i.B != i.C {
		y.refuse("%s, without AVX-512,", i)
	}
	return y.moved(i.B, int(i.Imm))
}

// alignedQ gives the lanes from imm on of C and then B.
func (y ymm) alignedQ(i *amd64.Inst) reg {
	mid := func() reg { return y.opImm(amd64.VPERM2I128, i.C, i.B, 0x21) }
	switch i.Imm {
	case 0:
		return i.C
	case 1:
		return y.opImm(amd64.VPALIGNR, mid(), i.C, 8)
	case 2:
		return mid()
	}
	return y.opImm(amd64.VPALIGNR, i.B, mid(), 8)
}

// scaledPS gives B·2^C for a whole number C, by two factors, of which the first loses nothing: the result is rounded once, also
// where it is subnormal. Beyond the range of the factors everything is zero or infinite.
func (y ymm) scaledPS(i *amd64.Inst) reg {
	n := y.op(amd64.VMAXPS, y.op(amd64.VMINPS, i.C, y.f32(254)), y.f32(-252))
	k := y.op(amd64.VCVTPS2DQ, n, none)
	first := y.opImm(amd64.VPSRAD, k, none, 1)
	one := y.bits(4, 127)
	power := func(k reg) reg { return y.shl(4, y.op(amd64.VPADDD, k, one), 23) }
	return y.op(amd64.VMULPS, y.op(amd64.VMULPS, i.B, power(first)), power(y.op(amd64.VPSUBD, k, first)))
}

func (y ymm) scaledPD(i *amd64.Inst) reg {
	n := y.op(amd64.VMAXPD, y.op(amd64.VMINPD, i.C, y.f64(2046)), y.f64(-2044))
	k := y.op(amd64.VCVTPD2DQ, n, none)
	first := y.half(amd64.VPSRAD, k, none, 1)
	one := y.bits(8, 1023)
	power := func(k reg) reg { return y.shl(8, y.op(amd64.VPADDQ, y.op(amd64.VPMOVSXDQ, k, none), one), 52) }
	return y.op(amd64.VMULPD, y.op(amd64.VMULPD, i.B, power(first)), power(y.half(amd64.VPSUBD, k, first, 0)))
}

// A form is how a float is made of bits.
type form struct {
	w        int // bytes
	mant     int // bits of the mantissa
	bias     int
	mul, sub amd64.Op
	cmp      amd64.Op
	one, inf uint64
}

var (
	f32Form = form{4, 23, 127, amd64.VMULPS, amd64.VSUBPS, amd64.VCMPPSV, 0x3f800000, 0x7f800000}
	f64Form = form{8, 52, 1023, amd64.VMULPD, amd64.VSUBPD, amd64.VCMPPDV, 0x3ff << 52, 0x7ff << 52}
)

// up is the power of two that makes subnormal numbers normal.
const up = 64

func (f form) float(x float64) uint64 {
	if f.w == 8 {
		return math.Float64bits(x)
	}
	return uint64(math.Float32bits(float32(x)))
}

// normalized gives absolute values as normal numbers; below is set where they are 2^up times what they were.
func (y ymm) normalized(f form, v reg) (abs, scaled, below reg) {
	abs = y.and(v, y.bits(f.w, 1<<(8*f.w-1)-1))
	below = y.opImm(f.cmp, abs, y.bits(f.w, 1<<f.mant), 0x11)
	return abs, y.choose(f.w, below, abs, y.op(f.mul, abs, y.bits(f.w, f.float(math.Ldexp(1, up))))), below
}

// exponent gives the exponent as a float: -Inf of zero, and what is not finite as its absolute value.
func (y ymm) exponent(f form, v reg) reg {
	abs, scaled, below := y.normalized(f, v)
	e := y.shr(f.w, scaled, int64(f.mant))
	offset := y.op(amd64.VPADDD, y.bits(f.w, uint64(f.bias)), y.and(below, y.bits(f.w, up)))
	if f.w == 4 {
		e = y.op(amd64.VCVTDQ2PS, y.op(amd64.VPSUBD, e, offset), none)
	} else {
		magic := y.f64(1 << 52)
		e = y.op(f.sub, y.or(e, magic), y.or(offset, magic))
	}
	e = y.choose(f.w, y.opImm(f.cmp, abs, y.bits(f.w, 0), 0), e, y.bits(f.w, f.inf|1<<(8*f.w-1)))
	return y.choose(f.w, y.opImm(f.cmp, abs, y.bits(f.w, f.inf), 0x15), e, abs)
}

// mantissa gives the mantissa in [1, 2), with the number's sign; 1 of zero and infinity.
func (y ymm) mantissa(f form, v reg) reg {
	_, scaled, _ := y.normalized(f, v)
	m := y.or(y.and(scaled, y.bits(f.w, 1<<f.mant-1)), y.bits(f.w, f.one))
	m = y.or(m, y.and(v, y.bits(f.w, 1<<(8*f.w-1))))
	return y.choose(f.w, y.opImm(f.cmp, v, v, 3), m, v)
}

// u32ToF32 converts the upper and lower 16 bits, which are floats, and adds them with one rounding.
func (y ymm) u32ToF32(v reg) reg {
	hi := y.op(amd64.VCVTDQ2PS, y.shr(4, v, 16), none)
	lo := y.op(amd64.VCVTDQ2PS, y.and(v, y.bits(4, 0xffff)), none)
	return y.op(amd64.VADDPS, y.op(amd64.VMULPS, hi, y.f32(1<<16)), lo)
}

// f32ToU32 takes 2^31 off where that is reached, and adds it again to the integer.
func (y ymm) f32ToU32(v reg) reg {
	big := y.opImm(amd64.VCMPPSV, v, y.f32(1<<31), 0x1d)
	r := y.op(amd64.VCVTTPS2DQ, y.op(amd64.VSUBPS, v, y.and(big, y.f32(1<<31))), none)
	return y.xor(r, y.shl(4, big, 31))
}

func (y ymm) u32ToF64(v reg) reg {
	signed := y.op(amd64.VCVTDQ2PD, y.xor(v, y.bits(4, 1<<31)), none)
	return y.op(amd64.VADDPD, signed, y.f64(1<<31))
}

// i64ToF64 puts the halves of a number into the mantissas of 2^84 and 2^52; taking those off leaves the upper half exactly, and adding the
// lower one rounds once.
func (y ymm) i64ToF64(v reg, signed bool) reg {
	hi := y.xor(y.shr(8, v, 32), y.f64(1<<84))
	off := float64(1<<84 + 1<<52)
	if signed {
		hi = y.xor(hi, y.bits(8, 1<<31)) // counts from -2^63 on
		off += 1 << 63
	}
	lo := y.or(y.and(v, y.bits(8, 0xffffffff)), y.f64(1<<52))
	return y.op(amd64.VADDPD, y.op(amd64.VSUBPD, hi, y.f64(off)), lo)
}

// i64ToF32 goes by way of f64. Where that does not hold a number, the bits that would be lost are replaced by one that says that there were some,
// so that the second rounding gives what one rounding would.
func (y ymm) i64ToF32(v reg, signed bool) reg {
	const lost = 1<<12 - 1
	rest := y.and(v, y.bits(8, lost))
	some := y.op(amd64.VPCMPGTQ, rest, y.bits(4, 0))
	odd := y.or(y.op(amd64.VPANDN, y.bits(8, lost), v), y.and(some, y.bits(8, 1<<11)))
	top := y.shr(8, v, 53)
	if signed {
		top = y.shr(8, y.op(amd64.VPADDQ, v, y.bits(8, 1<<53)), 54)
	}
	v = y.choose(8, y.op(amd64.VPCMPGTQ, top, y.bits(4, 0)), v, odd)
	return y.op(amd64.VCVTPD2PS, y.i64ToF64(v, signed), none)
}

// f64ToI64 takes a number within the range of the integers apart into multiples of 2^32 and the rest. Each is added to a power of two in
// whose last bits it then lies.
func (y ymm) f64ToI64(v reg) reg {
	t := y.opImm(amd64.VROUNDPD, v, none, 11)
	hi := y.opImm(amd64.VROUNDPD, y.op(amd64.VMULPD, t, y.f64(0x1p-32)), none, 9)
	lo := y.op(amd64.VMOVAPS, t, none)
	y.into(amd64.VFNMADD231PD, lo, hi, y.f64(1<<32), 0)
	hi = y.shl(8, y.op(amd64.VADDPD, hi, y.f64(3<<51)), 32)
	lo = y.xor(y.op(amd64.VADDPD, lo, y.f64(1<<52)), y.f64(1<<52))
	return y.op(amd64.VPADDQ, hi, lo)
}
