package native

import (
	"math"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/tile"
)

// externOps are library functions that an operation computes.
var externOps = map[string]tile.Code{
	"abs": tile.OpAbsF, "ceil": tile.OpCeil, "floor": tile.OpFloor, "fma": tile.OpFMA,
	"exp": tile.OpExp, "exp2": tile.OpExp2, "log": tile.OpLog, "log2": tile.OpLog2, "erf": tile.OpErf,
	"fast_expf": tile.OpExp, "fast_logf": tile.OpLog, "fast_log2f": tile.OpLog2,
	"sin": tile.OpSin, "cos": tile.OpCos, "fast_sinf": tile.OpSin, "fast_cosf": tile.OpCos,
	"sqrt": tile.OpSqrtRN, "sqrt_rn": tile.OpSqrtRN, "rsqrt": tile.OpRSqrt, "fmod": tile.OpFRem,
	"fast_dividef": tile.OpFDiv,
	"float_as_int": tile.OpBitcast, "float_as_uint": tile.OpBitcast, "int_as_float": tile.OpBitcast, "uint_as_float": tile.OpBitcast,
	"double_as_longlong": tile.OpBitcast, "longlong_as_double": tile.OpBitcast,
	"int2float_rn": tile.OpSToF, "uint2float_rn": tile.OpUToF, "ll2float_rn": tile.OpSToF, "ull2float_rn": tile.OpUToF,
	"int2double_rn": tile.OpSToF, "uint2double_rn": tile.OpUToF, "ll2double_rn": tile.OpSToF, "ull2double_rn": tile.OpUToF,
	"double2float_rn": tile.OpFTrunc, "float2int_rz": tile.OpFToS, "float2uint_rz": tile.OpFToU,
}

// externViaF64 are functions of f32 that are computed in f64.
var externViaF64 = map[string]func(x *nest, in []reg) reg{
	"tan": func(x *nest, in []reg) reg { return x.tan(in[0]) }, "fast_tanf": func(x *nest, in []reg) reg { return x.tan(in[0]) },
	"sinpi": func(x *nest, in []reg) reg { return x.sinPi(in[0]) }, "cospi": func(x *nest, in []reg) reg { return x.cosPi(in[0]) },
	"atan": func(x *nest, in []reg) reg { return x.atan(in[0]) }, "asin": func(x *nest, in []reg) reg { return x.asin(in[0]) },
	"acos": func(x *nest, in []reg) reg { return x.acos(in[0]) }, "atan2": func(x *nest, in []reg) reg { return x.atan2(in[0], in[1]) },
	"exp10": exp10, "fast_exp10f": exp10, "log10": log10, "fast_log10f": log10,
	"log1p": log1p, "expm1": expm1, "sinh": sinh, "cosh": cosh, "asinh": asinh, "acosh": acosh, "atanh": atanh,
	"pow": pow, "fast_powf": pow, "cbrt": cbrt, "rcbrt": rcbrt, "hypot": norm, "norm3d": norm, "norm4d": norm, "rhypot": rnorm, "rnorm3d": rnorm, "rnorm4d": rnorm,
}

// externOf64 are functions of f64; those of f32 that have no other form go by way of them, too.
var externOf64 = map[string]func(x *nest, in []reg) reg{
	"tan": tan64, "sinpi": sinPi64, "cospi": cosPi64, "atan": atan64, "asin": asin64, "acos": acos64, "atan2": atan2of64,
	"exp10": exp10of64, "log1p": log1pOf64, "expm1": expm1of64, "sinh": sinh64, "cosh": cosh64, "tanh": tanh64, "asinh": asinh64, "acosh": acosh64, "atanh": atanh64,
	"pow": pow64, "cbrt": cbrt64, "rcbrt": rcbrt64, "hypot": norm64, "norm3d": norm64, "norm4d": norm64, "rhypot": rnorm64, "rnorm3d": rnorm64, "rnorm4d": rnorm64,
	"erfc": erfc64, "erfcx": erfcx64, "normcdf": normcdf64,
}

// extern compiles a library function; the checked executor does those that it does not know.
func (x *nest) extern(op *tile.Op, d *val, args []*val) {
	name := op.Attr.(tile.ExternAttr).Name
	t := args[0].t
	if c, ok := externOps[name]; ok && (t.IsFloat() || c != tile.OpAbsF) {
		x.vector(&tile.Op{Code: c, Args: op.Args, Results: op.Results, Loc: op.Loc}, d, args)
		return
	}
	if x.roundedExtern(op, name, d, args) {
		return
	}
	if !t.IsFloat() || isFP8(t) {
		x.g.refuse("%s of %s", name, t)
	}
	in := make([][2]reg, len(args))
	for i, a := range args {
		if a.t != t {
			x.g.refuse("%s of %s", name, a.t)
		}
		in[i] = x.asVec(a)
	}
	if x.predicate(name, d, args[0]) {
		return
	}
	w := args[0].width()
	for h := range d.parts() {
		parts := make([]reg, len(in))
		for i := range parts {
			parts[i] = in[i][h]
		}
		r, ok := x.externElement(name, w, parts)
		if !ok {
			x.g.refuse("%s of %s", name, t)
		}
		d.v[h] = x.round(t, r)
	}
	d.fill()
}

// externElement computes a function on one register of lanes.
func (x *nest) externElement(name string, w int, in []reg) (reg, bool) {
	g := x.g
	if f, ok := externViaF64[name]; ok && w == 4 {
		return x.viaF64(in, func(in []reg) reg { return f(x, in) }), true
	}
	if f, ok := externOf64[name]; ok && w == 8 {
		return f(x, in), true
	} else if ok && name != "tanh" {
		return x.viaF64(in, func(in []reg) reg { return f(x, in) }), true
	}
	rounded := pick(w, amd64.VRNDSCALEPS, amd64.VRNDSCALEPD)
	switch name {
	case "log10":
		return x.logTo64(in[0], log10Parts), w == 8
	case "tanh", "fast_tanhf":
		return x.tanh(in[0]), true
	case "trunc":
		return g.rmi(rounded, in[0], 11), true
	case "rint", "nearbyint":
		return g.rmi(rounded, in[0], 8), true
	case "round":
		return x.roundAway(w, in[0]), true
	case "copysign":
		return x.copySign(w, in[0], in[1]), true
	case "saturatef":
		return x.minMax(tile.OpFMin, w, x.minMax(tile.OpFMax, w, in[0], x.constF(w, 0), false), x.constF(w, 1), false), true
	case "logb":
		r := g.rm(pick(w, amd64.VGETEXPPS, amd64.VGETEXPPD), in[0])
		return r, true
	case "fdim":
		r := g.rvm(floatBinary[tile.OpFSub].of(w), in[0], in[1])
		le := g.cmp(pick(w, amd64.VCMPPS, amd64.VCMPPD), in[0], in[1], 0x12)
		r = g.blend(w, le, r, x.constF(w, 0))
		nan := g.cmp(pick(w, amd64.VCMPPS, amd64.VCMPPD), in[0], in[1], 3)
		return g.blend(w, nan, r, x.constF(w, math.NaN())), true
	}
	return none, false
}

func (x *nest) constF(w int, f float64) reg {
	if w == 8 {
		return x.g.f64(f)
	}
	return x.g.f32(f)
}

func (x *nest) copySign(w int, v, from reg) reg {
	g := x.g
	sign := uint64(1) << (8*w - 1)
	and := pick(w, amd64.VPANDD, amd64.VPANDQ)
	return g.rvm(pick(w, amd64.VPORD, amd64.VPORQ), g.rvm(and, v, g.splatBits(w, sign-1)), g.rvm(and, from, g.splatBits(w, sign)))
}

// roundAway rounds halves away from zero.
func (x *nest) roundAway(w int, v reg) reg {
	g := x.g
	t := g.rmi(pick(w, amd64.VRNDSCALEPS, amd64.VRNDSCALEPD), v, 11)
	rest := g.rvm(floatBinary[tile.OpFSub].of(w), v, t)
	abs := g.rvm(pick(w, amd64.VPANDD, amd64.VPANDQ), rest, g.splatBits(w, 1<<(8*w-1)-1))
	more := g.cmp(pick(w, amd64.VCMPPS, amd64.VCMPPD), abs, x.constF(w, 0.5), 0x1d)
	away := g.rvm(floatBinary[tile.OpFAdd].of(w), t, x.copySign(w, x.constF(w, 1), v))
	return g.blend(w, more, t, away)
}

// predicate computes functions that say 1 or 0 of floats.
func (x *nest) predicate(name string, d, a *val) bool {
	g, w := x.g, a.width()
	sign := uint64(1) << (8*w - 1)
	abs := func(v reg) reg { return g.rvm(pick(w, amd64.VPANDD, amd64.VPANDQ), v, g.splatBits(w, sign-1)) }
	cmp := pick(w, amd64.VCMPPS, amd64.VCMPPD)
	var test func(v reg) reg
	switch name {
	case "isnan":
		test = func(v reg) reg { return x.isNaN(w, v) }
	case "isinf":
		test = func(v reg) reg { return g.cmp(cmp, abs(v), x.constF(w, math.Inf(1)), 0) }
	case "finitef", "isfinited":
		test = func(v reg) reg { return g.cmp(cmp, abs(v), x.constF(w, math.Inf(1)), 0x11) }
	case "signbit":
		test = func(v reg) reg { return g.cmp(pick(w, amd64.VPTESTMD, amd64.VPTESTMQ), v, g.splatBits(w, sign), 0) }
	default:
		return false
	}
	v := x.asVec(a)
	k := test(v[0])
	if w == 8 {
		hi := k
		if !a.uni {
			hi = test(v[1])
		}
		k = g.kop(amd64.KUNPCK, hi, k, 0)
	}
	if d.t.IsBool() {
		d.k = k
		return true
	}
	is := newVal(tile.Scalar(tile.I1))
	is.uni, is.level, is.k = a.uni, d.level, k
	x.extendTo(&tile.Op{Code: tile.OpExtU}, d, is)
	return true
}

// The functions below compute in f64 what is rounded to f32 afterwards: an error of 2^-40 is none.

func exp10(x *nest, in []reg) reg { return x.exp64(x.g.mul64(in[0], x.g.f64(math.Ln10))) }
func log10(x *nest, in []reg) reg { return x.g.mul64(x.log64(in[0]), x.g.f64(1/math.Ln10)) }

// near gives what is accurate around 0 where |v| is below a bound, else other.
func (x *nest) near(v reg, bound float64, small, other reg) reg {
	return x.g.blend(8, x.g.less64(x.g.parts(v), x.g.f64(bound)), other, small)
}

// odd gives v + c·v³.
func (x *nest) odd(v reg, c float64) reg {
	g := x.g
	r := g.fma(8, g.mul64(g.mul64(v, v), v), g.f64(c), v)
	return g.blend(8, g.equal64(v, g.f64(0)), r, v)
}

// log1p and expm1 are v ∓ v²/2 + … near 0.
func log1p(x *nest, in []reg) reg {
	g, v := x.g, in[0]
	sq := g.mul64(v, v)
	small := g.fma(8, sq, g.fma(8, v, g.f64(1.0/3), g.f64(-0.5)), v)
	r := x.near(v, 0x1p-16, small, x.log64(g.add64(v, g.f64(1))))
	return g.blend(8, g.equal64(v, g.f64(0)), r, v)
}

func expm1(x *nest, in []reg) reg {
	g, v := x.g, in[0]
	sq := g.mul64(v, v)
	small := g.fma(8, sq, g.fma(8, v, g.f64(1.0/6), g.f64(0.5)), v)
	r := x.near(v, 0x1p-16, small, g.sub64(x.exp64(v), g.f64(1)))
	return g.blend(8, g.equal64(v, g.f64(0)), r, v)
}

func sinh(x *nest, in []reg) reg {
	g := x.g
	e := x.exp64(in[0])
	r := g.mul64(g.sub64(e, g.div64(g.f64(1), e)), g.f64(0.5))
	return x.near(in[0], 0x1p-10, x.odd(in[0], 1.0/6), r)
}

func cosh(x *nest, in []reg) reg {
	g := x.g
	e := x.exp64(in[0])
	return g.mul64(g.add64(e, g.div64(g.f64(1), e)), g.f64(0.5))
}

func asinh(x *nest, in []reg) reg {
	g := x.g
	abs, sign := g.parts64(in[0])
	root := g.rm(amd64.VSQRTPD, g.fma(8, abs, abs, g.f64(1)))
	r := g.withSign64(x.log64(g.add64(abs, root)), sign)
	return x.near(in[0], 0x1p-12, x.odd(in[0], -1.0/6), r)
}

func acosh(x *nest, in []reg) reg {
	g, v := x.g, in[0]
	root := g.rm(amd64.VSQRTPD, g.mul64(g.sub64(v, g.f64(1)), g.add64(v, g.f64(1))))
	r := x.log64(g.add64(v, root))
	return g.blend(8, g.less64(v, g.f64(1)), r, g.f64(math.NaN()))
}

func atanh(x *nest, in []reg) reg {
	g, v := x.g, in[0]
	one := g.f64(1)
	r := g.mul64(x.log64(g.div64(g.add64(one, v), g.sub64(one, v))), g.f64(0.5))
	r = x.near(v, 0x1p-12, x.odd(v, 1.0/3), r)
	return g.blend(8, g.less64(one, g.parts(v)), r, g.f64(math.NaN()))
}

// cbrt is e^(ln|v|/3).
func cbrt(x *nest, in []reg) reg {
	g := x.g
	abs, sign := g.parts64(in[0])
	return g.withSign64(x.exp64(g.mul64(x.log64(abs), g.f64(1.0/3))), sign)
}

func rcbrt(x *nest, in []reg) reg {
	g := x.g
	abs, sign := g.parts64(in[0])
	return g.withSign64(x.exp64(g.mul64(x.log64(abs), g.f64(-1.0/3))), sign)
}

// norm is the length of a vector: infinite if any part is, also if another one is NaN.
func norm(x *nest, in []reg) reg {
	g := x.g
	sum := g.mul64(in[0], in[0])
	inf := g.f64(math.Inf(1))
	infinite := g.equal64(g.parts(in[0]), inf)
	for _, v := range in[1:] {
		sum = g.fma(8, v, v, sum)
		infinite = g.kop(amd64.KOR, infinite, g.equal64(g.parts(v), inf), 0)
	}
	return g.blend(8, infinite, g.rm(amd64.VSQRTPD, sum), inf)
}

func rnorm(x *nest, in []reg) reg { return x.g.div64(x.g.f64(1), norm(x, in)) }

func pow(x *nest, in []reg) reg {
	return x.powSpecial(in[0], in[1], func(abs reg) reg { return x.exp64(x.g.mul64(in[1], x.log64(abs))) })
}

// powSpecial gives what of gives for |v|, e^(y·ln|v|), and what C's standard says of negative, zero, infinite and NaN operands.
func (x *nest) powSpecial(v, y reg, of func(abs reg) reg) reg {
	g := x.g
	abs, sign := g.parts64(v)
	one, inf := g.f64(1), g.f64(math.Inf(1))
	r := of(abs)
	whole := g.equal64(y, g.rmi(amd64.VRNDSCALEPD, y, 11))
	half := g.mul64(y, g.f64(0.5))
	even := g.equal64(half, g.rmi(amd64.VRNDSCALEPD, half, 11))
	odd := g.kop(amd64.KANDN, even, whole, 0)
	r = g.blend(8, odd, r, g.rvm(amd64.VPORQ, r, sign))
	finite := g.kop(amd64.KAND, g.less64(v, g.f64(0)), g.less64(abs, inf), 0)
	undefined := g.kop(amd64.KANDN, whole, finite, 0)
	r = g.blend(8, undefined, r, g.f64(math.NaN()))
	unit := g.kop(amd64.KAND, g.equal64(abs, one), g.equal64(g.parts(y), inf), 0)
	unit = g.kop(amd64.KOR, unit, g.equal64(v, one), 0)
	unit = g.kop(amd64.KOR, unit, g.equal64(y, g.f64(0)), 0)
	return g.blend(8, unit, r, one)
}

// fmod gives the remainder exactly: quotients of up to 50 bits are, and their products with y subtracted with one rounding, which loses nothing, as
// the difference is below y and a multiple of its last place. Larger quotients are brought down by multiples of y·2^k first.
func (x *nest) fmod(v, y reg) reg {
	g := x.g
	a, sign := g.parts64(v)
	b := g.parts(y)
	a = g.move(a)
	const bits = 50
	again, done := g.label(), g.label()
	step := func(by, where reg) {
		q := g.rmi(amd64.VRNDSCALEPD, g.div64(a, by), 11)
		rest := g.minus64(a, q, by) // a quotient just below an integer may have been rounded up to it
		rest = g.blend(8, g.less64(rest, g.f64(0)), rest, g.add64(rest, by))
		if where != none {
			rest = g.blend(8, where, a, rest)
		}
		g.op3(amd64.VMOVAPS, a, rest, none, 0)
	}
	g.bind(again)
	e := g.sub64(g.rm(amd64.VGETEXPPD, a), g.rm(amd64.VGETEXPPD, b))
	far := g.kop(amd64.KAND, g.less64(g.f64(bits), e), g.less64(e, g.f64(math.MaxInt32)), 0)
	g.op3(amd64.KORTEST, far, far, none, 0)
	g.jcc(amd64.CCE, done)
	scale := g.rvm(amd64.VMAXPD, g.sub64(e, g.f64(bits-1)), g.f64(0))
	step(g.rvm(amd64.VSCALEFPD, b, scale), far)
	g.jmp(again)
	g.bind(done)
	last := g.move(a)
	step(b, none)
	r := g.blend(8, g.equal64(b, g.f64(math.Inf(1))), a, last)
	r = g.blend(8, g.equal64(last, g.f64(math.Inf(1))), r, g.f64(math.NaN()))
	r = g.blend(8, x.isNaN(8, y), r, y)
	return g.rvm(amd64.VPORQ, r, sign)
}
