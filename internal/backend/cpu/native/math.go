package native

import (
	"math"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

func (g *generator) f32(f float64) reg { return g.splatBits(4, uint64(math.Float32bits(float32(f)))) }

// mathElement computes a function of the math library in f32.
func (x *nest) mathElement(op *tile.Op, w int, in []reg) (reg, bool) {
	if w == 8 {
		return x.math64(op.Code, in)
	}
	g := x.g
	switch op.Code {
	case tile.OpExp:
		return x.exp(in[0], true), true
	case tile.OpExp2:
		return x.exp(in[0], false), true
	case tile.OpLog:
		return x.log(in[0], math.Ln2), true
	case tile.OpLog2:
		return x.log(in[0], 1), true
	case tile.OpErf:
		return x.erf(in[0]), true
	case tile.OpSin:
		return x.viaF64(in, func(in []reg) reg { return x.sin(in[0]) }), true
	case tile.OpCos:
		return x.viaF64(in, func(in []reg) reg { return x.cos(in[0]) }), true
	case tile.OpFRem:
		return x.viaF64(in, func(in []reg) reg { return x.fmod(in[0], in[1]) }), true
	case tile.OpRSqrt:
		return g.rvm(amd64.VDIVPS, g.f32(1), g.rm(amd64.VSQRTPS, in[0])), true
	}
	return none, false
}

// horner evaluates a polynomial whose coefficients are given from the highest on.
func (x *nest) horner(at reg, coefficients ...float64) reg {
	g := x.g
	r := g.f32(coefficients[0])
	for _, c := range coefficients[1:] {
		d := g.move(r)
		g.op3(amd64.VFMADD213PS, d, at, g.f32(c), 0) // r*at + c
		r = d
	}
	return r
}

// between brings lanes into a range; NaN stays NaN.
func (x *nest) between(w int, v reg, low, high float64) reg {
	v = x.g.rvm(pick(w, amd64.VMAXPS, amd64.VMAXPD), x.constF(w, low), v)
	return x.g.rvm(pick(w, amd64.VMINPS, amd64.VMINPD), x.constF(w, high), v)
}

// exp gives e^v, or 2^v. Below the lower bounds that is 0, above the upper ones infinite.
func (x *nest) exp(v reg, natural bool) reg {
	g := x.g
	switch {
	case natural:
		return x.expWithin(x.between(4, v, -104, 89))
	case g.selects != nil:
		v = x.between(4, v, -151, 129)
		n := g.rmi(amd64.VRNDSCALEPS, v, 8)
		return x.powerOfTwo(g.rvm(amd64.VSUBPS, v, n), n)
	}
	// vreduceps gives what is left of v without its nearest integer, 0 of an infinity, so no range has to be kept: vscalefps does the rest.
	r := g.rmi(amd64.VREDUCEPS, v, 8)
	return x.powerOfTwo(r, g.rvm(amd64.VSUBPS, v, r))
}

// powerOfTwo gives 2^r·2^n for |r| ≤ ½. 2^r is a minimax polynomial of degree 6 (Remez's algorithm, one coefficient after another rounded to f32, which
// leaves 2^-27.5); vscalefps multiplies by 2^n, also where the result is subnormal, zero or infinite. The worst of all v
// is 0.80 ulp where the result is normal, 0.84 where it is not.
func (x *nest) powerOfTwo(r, n reg) reg {
	p := x.horner(r, 0x1.4bc7f6p-13, 0x1.5fc006p-10, 0x1.3b21c6p-7, 0x1.c6ada6p-5, 0x1.ebfbe6p-3, 0x1.62e432p-1, 1)
	return x.g.rvm(amd64.VSCALEFPS, p, n)
}

// expWithin gives e^v where that is neither too small nor too large by far. v is split into n·ln 2 + r (Cody and Waite: ln 2 in two parts, so
// that n·ln2 is exact) with |r| ≤ ln2/2. e^r is 1 + r + r²·c(r), a minimax polynomial as that of powerOfTwo, with 2^-28.2.
func (x *nest) expWithin(v reg) reg {
	g := x.g
	n := g.rmi(amd64.VRNDSCALEPS, g.rvm(amd64.VMULPS, v, g.f32(math.Log2E)), 8)
	const high = 0.693359375 // 9 bits
	r := g.move(v)
	g.op3(amd64.VFNMADD231PS, r, n, g.f32(high), 0)
	g.op3(amd64.VFNMADD231PS, r, n, g.f32(math.Ln2-high), 0)
	p := x.horner(r, 0x1.6ac7d4p-10, 0x1.123de6p-7, 0x1.555858p-5, 0x1.55548cp-3, 0x1.fffffcp-2, 1, 1)
	return g.rvm(amd64.VSCALEFPS, p, n)
}

// log gives ln v times scale/ln 2. v = 2^e·m with m in [1/√2, √2): ln m = 2·artanh(s), s = (m-1)/(m+1), |s| ≤ 0.172,
// by its series, whose remainder s^11/11 is below 2^-29 of s.
func (x *nest) log(v reg, scale float64) reg {
	g := x.g
	m := g.rmi(amd64.VGETMANTPS, v, 0) // [1, 2)
	e := g.rm(amd64.VGETEXPPS, v)
	big := g.cmp(amd64.VCMPPS, m, g.f32(math.Sqrt2), 0x1d)
	i := ins(amd64.VMULPS)
	i.A, i.B, i.C, i.K = m, m, g.f32(0.5), big
	g.emit(i)
	j := ins(amd64.VADDPS)
	j.A, j.B, j.C, j.K = e, e, g.f32(1), big
	g.emit(j)
	f := g.rvm(amd64.VSUBPS, m, g.f32(1))
	s := g.rvm(amd64.VDIVPS, f, g.rvm(amd64.VADDPS, m, g.f32(1)))
	s2 := g.rvm(amd64.VMULPS, s, s)
	// ln m = f - c, c = s·(f - 2s²·(1/3 + s²/5 + …)): f is exact and c is small.
	p := g.rvm(amd64.VMULPS, s2, x.horner(s2, 2.0/9, 2.0/7, 2.0/5, 2.0/3))
	c := g.rvm(amd64.VMULPS, s, g.rvm(amd64.VSUBPS, f, p))
	var res reg
	if scale == 1 {
		const high = 1.4375 // log2 e in two parts
		low := g.rvm(amd64.VMULPS, f, g.f32(math.Log2E-high))
		g.op3(amd64.VFNMADD231PS, low, c, g.f32(math.Log2E), 0)
		res = g.rvm(amd64.VADDPS, g.fma(4, f, g.f32(high), low), e)
	} else {
		const high = 0.693359375
		low := g.fma(4, e, g.f32(math.Ln2-high), g.rvm(amd64.VSUBPS, f, c))
		res = g.fma(4, e, g.f32(high), low)
	}
	// vgetexp and vgetmant give -Inf for zero and NaN for NaN; what is negative, and infinity, are put right.
	res = g.blend(4, g.cmp(amd64.VCMPPS, v, g.f32(0), 0x11), res, g.f32(math.NaN()))
	res = g.blend(4, g.cmp(amd64.VCMPPS, v, g.f32(0), 0), res, g.f32(math.Inf(-1)))
	res = g.blend(4, g.cmp(amd64.VCMPPS, v, g.f32(math.Inf(1)), 0), res, v)
	return g.blend(4, x.isNaN(4, v), res, v)
}

const signBit = 0x80000000

// magnitude takes a float apart: its absolute value and its sign bit.
func (x *nest) magnitude(v reg) (abs, sign reg) {
	g := x.g
	return g.rvm(amd64.VPANDD, v, g.splatBits(4, signBit-1)), g.rvm(amd64.VPANDD, v, g.splatBits(4, signBit))
}

// erf is v + v·S(v²) up to 0.9, and from there on 1 - e^-Q(|v|), which is 1 in f32 from 3.95 on. S and Q are minimax polynomials
// (Remez's algorithm, with 40 digits) of erf(√z)/√z - 1, relative to erf, and of -ln erfc(a), absolutely in erfc; their errors are below 0.03 ulp.
func (x *nest) erf(v reg) reg {
	g := x.g
	y, sign := x.magnitude(v)
	sq := g.rvm(amd64.VMULPS, y, y)
	small := g.fma(4, v, x.horner(sq, 8.513124991630405e-05, -0.0008175644070130125, 0.0052038595639897905, -0.02686050861892556,
		0.11283715035554792, -0.3761263498003762, 0.12837916676441843), v)
	near := g.rvm(amd64.VMINPS, g.f32(3.95), y) // NaN stays
	e := x.expWithin(x.horner(near, 0.0001971766469884098, -0.0030555588424127414, 0.022276898054883924, -0.10403697976502103, -0.637060170332262,
		-1.1277493248154704, -0.00017754957423711382))
	large := g.rvm(amd64.VPORD, g.rvm(amd64.VSUBPS, g.f32(1), e), sign)
	return g.blend(4, g.cmp(amd64.VCMPPS, y, g.f32(0.9), 0x11), large, small)
}

// tanh is x + x³·P(x²) below 0.625 (the polynomial is Moshier's, of Cephes), from there on 1 - 2/(e^2x + 1).
func (x *nest) tanh(v reg) reg {
	g := x.g
	y, sign := x.magnitude(v)
	sq := g.rvm(amd64.VMULPS, y, y)
	p := x.horner(sq, -5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1)
	small := g.rvm(amd64.VPORD, g.fma(4, g.rvm(amd64.VMULPS, sq, v), p, v), sign)
	e := x.exp(g.rvm(amd64.VADDPS, y, y), true)
	q := g.rvm(amd64.VDIVPS, g.f32(2), g.rvm(amd64.VADDPS, e, g.f32(1)))
	large := g.rvm(amd64.VPORD, g.rvm(amd64.VSUBPS, g.f32(1), q), sign)
	res := g.blend(4, g.cmp(amd64.VCMPPS, y, g.f32(0.625), 0x11), large, small)
	return g.blend(4, x.isNaN(4, v), res, v)
}
