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
		return x.math64(op.Code, in[0])
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

// exp gives e^v, or 2^v. v is split into n·ln 2 + r (Cody and Waite: ln 2 in two parts, so that n·ln2 is exact)
// with |r| ≤ ln2/2; e^r is its Taylor polynomial, whose remainder r^8/8! is below 2^-27; vscalefps multiplies by 2^n, also where
// the result is subnormal, zero or infinite.
func (x *nest) exp(v reg, natural bool) reg {
	g := x.g
	var n, r reg
	if natural {
		n = g.rmi(amd64.VRNDSCALEPS, g.rvm(amd64.VMULPS, v, g.f32(math.Log2E)), 8)
		const high = 0.693359375 // 9 bits
		r = g.move(v)
		g.op3(amd64.VFNMADD231PS, r, n, g.f32(high), 0)
		g.op3(amd64.VFNMADD231PS, r, n, g.f32(math.Ln2-high), 0)
	} else {
		n = g.rmi(amd64.VRNDSCALEPS, v, 8)
		r = g.rvm(amd64.VMULPS, g.rvm(amd64.VSUBPS, v, n), g.f32(math.Ln2))
	}
	p := x.horner(r, 1.0/5040, 1.0/720, 1.0/120, 1.0/24, 1.0/6, 0.5, 1, 1)
	res := g.rvm(amd64.VSCALEFPS, p, n)
	// Infinities make a NaN of r: what is far out of range is put right.
	inf := g.cmp(amd64.VCMPPS, v, g.f32(200), 0x1e)
	res = g.blend(4, inf, res, g.f32(math.Inf(1)))
	zero := g.cmp(amd64.VCMPPS, v, g.f32(-200), 0x11)
	return g.blend(4, zero, res, g.f32(0))
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

// ratio gives the quotient of two polynomials; the denominator's highest coefficient is 1.
func (x *nest) ratio(at reg, num, den []float64) reg {
	return x.g.rvm(amd64.VDIVPS, x.horner(at, num...), x.horner(at, append([]float64{1}, den...)...))
}

// erf is its Taylor series up to 0.84, whose remainder is below 2^-31; from there on 1 - e^(-x²)·R(x) with Cody's R
// (Rational Chebyshev Approximations for the Error Function, Math. Comp. 23, 1969), which is 1 in f32 from 4 on.
func (x *nest) erf(v reg) reg {
	g := x.g
	y, sign := x.magnitude(v)
	sq := g.rvm(amd64.VMULPS, y, y)
	const k = 2 / (math.SqrtPi)
	small := g.fma(4, v, x.horner(sq, k/76204800, -k/6894720, k/685440, -k/75600, k/9360, -k/1320, k/216, -k/42, k/10, -k/3, k-1), v)
	near := g.rvm(amd64.VMINPS, y, g.f32(5)) // a NaN is put back at the end
	r := x.ratio(near,
		[]float64{
			2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1, 2.98635138197400131e2,
			8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3, 1.23033935479799725e3,
		},
		[]float64{
			1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3, 3.29079923573345963e3,
			4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3,
		})
	e := x.exp(g.rvm(amd64.VPXORD, g.rvm(amd64.VMULPS, near, near), g.splatBits(4, signBit)), true)
	large := g.move(g.f32(1))
	g.op3(amd64.VFNMADD231PS, large, e, r, 0)
	large = g.rvm(amd64.VPORD, large, sign)
	res := g.blend(4, g.cmp(amd64.VCMPPS, y, g.f32(0.84), 0x12), large, small)
	return g.blend(4, x.isNaN(4, v), res, v)
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
