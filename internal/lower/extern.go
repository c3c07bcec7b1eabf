package lower

import (
	"strings"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/lower/libm"
	"github.com/tegula-lang/tegula/internal/tile"
)

// extern computes a function of the math library: by a rule of its own, by what its name says of rounding, or by its text in the
// kernel language.
func (l *lowerer) extern(op *tile.Op, args []*lir.Value) *lir.Value {
	name := op.Attr.(tile.ExternAttr).Name
	t := l.typeOf(op.Results[0].Type)
	if f := externRules[name]; f != nil {
		return f(l, t, args)
	}
	if v := l.roundedExtern(name, t, args); v != nil {
		return v
	}
	return l.written(op, name, args)
}

// roundings are the ends of names that say how a result is rounded.
var roundings = map[string]lir.Rounding{"_rn": lir.Nearest, "_rz": lir.Zero, "_ru": lir.Up, "_rd": lir.Down}

// exactOps are functions that are one correctly rounded operation.
var exactOps = map[string]lir.Code{
	"add": lir.OpFAdd, "sub": lir.OpFSub, "mul": lir.OpFMul, "div": lir.OpFDiv, "fma": lir.OpFMA, "sqrt": lir.OpSqrt, "rcp": lir.OpRcp,
}

// roundedExtern computes functions whose name ends in a rounding: arithmetic, and conversions such as float2uint_rz.
func (l *lowerer) roundedExtern(name string, t lir.Type, args []*lir.Value) *lir.Value {
	i := strings.LastIndexByte(name, '_')
	if i < 0 {
		return nil
	}
	r, ok := roundings[name[i:]]
	if !ok {
		return nil
	}
	if code, ok := exactOps[name[:i]]; ok {
		return l.rounded(code, r, t, args...)
	}
	from, to, ok := strings.Cut(name[:i], "2")
	if !ok {
		return nil
	}
	code := map[bool]map[bool]lir.Code{
		true:  {true: lir.OpFTrunc, false: lir.OpFToS},
		false: {true: lir.OpSToF, false: lir.OpBitcast},
	}[isReal(from)][isReal(to)]
	switch {
	case code == lir.OpFToS && to[0] == 'u':
		code = lir.OpFToU
	case code == lir.OpSToF && from[0] == 'u':
		code = lir.OpUToF
	}
	if code == lir.OpFToS || code == lir.OpFToU {
		return l.real(args[0]).integer(code, r, t)
	}
	return l.b.Pure(code, uint8(r), t, 0, args[0])
}

func isReal(word string) bool { return word == "float" || word == "double" }

type externRule func(l *lowerer, t lir.Type, a []*lir.Value) *lir.Value

// bitcast gives the operand's bits.
func bitcast(l *lowerer, t lir.Type, a []*lir.Value) *lir.Value { return l.cast(a[0], t) }

func ofOne(f func(x real) real) externRule {
	return func(l *lowerer, _ lir.Type, a []*lir.Value) *lir.Value { return f(l.real(a[0])).v }
}

func ofTwo(f func(x, y real) real) externRule {
	return func(l *lowerer, _ lir.Type, a []*lir.Value) *lir.Value { return f(l.real(a[0]), l.real(a[1])).v }
}

// question is a test of a float, as an integer.
func question(f func(x real) *lir.Value) externRule {
	return func(l *lowerer, t lir.Type, a []*lir.Value) *lir.Value {
		return l.b.Pure(lir.OpExtU, 0, t, 0, f(l.real(a[0])))
	}
}

func toInteger(r lir.Rounding) externRule {
	return func(l *lowerer, t lir.Type, a []*lir.Value) *lir.Value { return l.real(a[0]).integer(lir.OpFToS, r, t) }
}

// integer converts as the hardware does: of f64, and to 64 bits, NaN gives the lowest signed integer.
func (x real) integer(code lir.Code, r lir.Rounding, t lir.Type) *lir.Value {
	n := x.l.b.Pure(code, uint8(r), t, 0, x.v)
	if x.t() != lir.F64 && t != lir.I64 {
		return n
	}
	return x.l.pick(x.is(tile.UNO, x), x.l.b.Const(t, 1<<(t.Bits()-1)), n)
}

func rounds(r lir.Rounding) externRule {
	return ofOne(func(x real) real { return x.un(lir.OpFRound, r) })
}

func (l *lowerer) int(code lir.Code, x, y *lir.Value) *lir.Value {
	return l.b.Pure(code, 0, x.Type, 0, x, y)
}

// average is (x + y + up) / 2 without overflow: what both have, and half of what one has.
func average(shift lir.Code, up bool) externRule {
	return func(l *lowerer, _ lir.Type, a []*lir.Value) *lir.Value {
		half := l.b.Pure(shift, 0, lir.I32, 0, l.int(lir.OpXor, a[0], a[1]), l.b.I32(1))
		if up {
			return l.int(lir.OpSub, l.int(lir.OpOr, a[0], a[1]), half)
		}
		return l.int(lir.OpAdd, l.int(lir.OpAnd, a[0], a[1]), half)
	}
}

// product24 multiplies the lowest 24 bits.
func product24(shift lir.Code) externRule {
	return func(l *lowerer, _ lir.Type, a []*lir.Value) *lir.Value {
		low := func(x *lir.Value) *lir.Value {
			return l.b.Pure(shift, 0, lir.I32, 0, l.shl(x, 8), l.b.I32(8))
		}
		return l.int(lir.OpMul, low(a[0]), low(a[1]))
	}
}

// distance is |x - y| + z.
func distance(low, high lir.Code) externRule {
	return func(l *lowerer, _ lir.Type, a []*lir.Value) *lir.Value {
		return l.int(lir.OpAdd, l.int(lir.OpSub, l.int(high, a[0], a[1]), l.int(low, a[0], a[1])), a[2])
	}
}

func counts(code lir.Code) externRule {
	return func(l *lowerer, _ lir.Type, a []*lir.Value) *lir.Value { return l.b.Pure(code, 0, lir.I32, 0, a[0]) }
}

var externRules map[string]externRule

func init() {
	externRules = map[string]externRule{
		"ceil": rounds(lir.Up), "floor": rounds(lir.Down), "trunc": rounds(lir.Zero), "rint": rounds(lir.Nearest), "nearbyint": rounds(lir.Nearest),
		"round": ofOne(real.round), "llrint": toInteger(lir.Nearest),
		"llround": func(l *lowerer, t lir.Type, a []*lir.Value) *lir.Value {
			return l.real(a[0]).round().integer(lir.OpFToS, lir.Zero, t)
		},
		"sqrt": ofOne(real.sqrt),
		"fma": func(l *lowerer, _ lir.Type, a []*lir.Value) *lir.Value {
			return l.real(a[0]).fma(l.real(a[1]), l.real(a[2])).v
		},
		"abs": func(l *lowerer, t lir.Type, a []*lir.Value) *lir.Value {
			if t.IsFloat() {
				return l.real(a[0]).abs().v
			}
			return l.int(lir.OpMaxS, a[0], l.int(lir.OpSub, l.b.Const(t, 0), a[0]))
		},
		"copysign":  ofTwo(real.signOf),
		"fmod":      ofTwo(real.fmod),
		"remainder": ofTwo(real.remainder),
		"fdim":      ofTwo(real.fdim),
		"nextafter": ofTwo(real.nextAfter),
		"saturatef": ofOne(func(x real) real { return x.bin(lir.OpFMax, 0, x.num(0)).bin(lir.OpFMin, 0, x.num(1)) }),
		"rsqrt_rn":  ofOne(real.rsqrtNearest),
		"rcp64h":    ofOne(real.rcpHigh),
		"signbit": question(func(x real) *lir.Value {
			return x.l.b.Pure(lir.OpCmp, uint8(tile.LTS), lir.I1, 0, x.bits(), x.l.b.Const(lir.Int(x.t().Bits()), 0))
		}),
		"isinf":   question(func(x real) *lir.Value { return x.abs().is(tile.OEQ, x.inf()) }),
		"isnan":   question(func(x real) *lir.Value { return x.is(tile.UNO, x) }),
		"finitef": question(real.finite), "isfinited": question(real.finite),

		"ldexp":  func(l *lowerer, _ lir.Type, a []*lir.Value) *lir.Value { return l.real(a[0]).scale(a[1]).v },
		"scalbn": func(l *lowerer, _ lir.Type, a []*lir.Value) *lir.Value { return l.real(a[0]).scale(a[1]).v },
		"ilogb":  func(l *lowerer, _ lir.Type, a []*lir.Value) *lir.Value { return l.real(a[0]).ilogb() },
		"logb":   ofOne(real.logb),

		"clz": counts(lir.OpCLZ), "popc": counts(lir.OpPopCount),
		"ffs": func(l *lowerer, _ lir.Type, a []*lir.Value) *lir.Value { // the width less the zeros above the lowest bit
			x := a[0]
			lowest := l.int(lir.OpAnd, x, l.int(lir.OpSub, l.b.Const(x.Type, 0), x))
			return l.int(lir.OpSub, l.b.I32(x.Type.Bits()), l.b.Pure(lir.OpCLZ, 0, lir.I32, 0, lowest))
		},
		"brev": func(l *lowerer, t lir.Type, a []*lir.Value) *lir.Value { return l.b.Pure(lir.OpBitRev, 0, t, 0, a[0]) },
		"hadd": average(lir.OpShrS, false), "uhadd": average(lir.OpShrU, false),
		"rhadd": average(lir.OpShrS, true), "urhadd": average(lir.OpShrU, true),
		"mul24": product24(lir.OpShrS), "umul24": product24(lir.OpShrU),
		"mulhi":  func(l *lowerer, _ lir.Type, a []*lir.Value) *lir.Value { return l.int(lir.OpMulHiS, a[0], a[1]) },
		"umulhi": func(l *lowerer, _ lir.Type, a []*lir.Value) *lir.Value { return l.int(lir.OpMulHiU, a[0], a[1]) },
		"sad":    distance(lir.OpMinS, lir.OpMaxS),
		"usad":   distance(lir.OpMinU, lir.OpMaxU),
		"byte_perm": func(l *lowerer, _ lir.Type, a []*lir.Value) *lir.Value {
			return l.b.Pure(lir.OpPrmt, 0, lir.I32, 0, a[0], a[1], l.and(a[2], 0x7777))
		},
		"float_as_int": bitcast, "float_as_uint": bitcast, "int_as_float": bitcast, "uint_as_float": bitcast,
		"double_as_longlong": bitcast, "longlong_as_double": bitcast,
		"double2hiint": func(l *lowerer, _ lir.Type, a []*lir.Value) *lir.Value {
			return l.narrow(l.shr(l.cast(a[0], lir.I64), 32), lir.I32)
		},
		"double2loint": func(l *lowerer, _ lir.Type, a []*lir.Value) *lir.Value {
			return l.narrow(l.cast(a[0], lir.I64), lir.I32)
		},
		"hiloint2double": func(l *lowerer, _ lir.Type, a []*lir.Value) *lir.Value {
			hi, lo := l.b.Pure(lir.OpExtU, 0, lir.I64, 0, a[0]), l.b.Pure(lir.OpExtU, 0, lir.I64, 0, a[1])
			return l.cast(l.int(lir.OpOr, l.shl(hi, 32), lo), lir.F64)
		},

		// What is fast is the hardware's approximation.
		"fast_cosf":    ofOne(func(x real) real { return x.un(lir.OpCos, 0) }),
		"fast_sinf":    ofOne(func(x real) real { return x.un(lir.OpSin, 0) }),
		"fast_tanf":    ofOne(func(x real) real { return x.un(lir.OpSin, 0).bin(lir.OpFDiv, lir.Fused, x.un(lir.OpCos, 0)) }),
		"fast_tanhf":   ofOne(func(x real) real { return x.un(lir.OpTanh, 0) }),
		"fast_expf":    ofOne(real.exp),
		"fast_exp10f":  ofOne(func(x real) real { return x.expBase(3.321928094887362) }),
		"fast_log2f":   ofOne(func(x real) real { return x.un(lir.OpLog2, 0) }),
		"fast_logf":    ofOne(func(x real) real { return x.un(lir.OpLog2, 0).mul(x.num(0.6931471805599453)) }),
		"fast_log10f":  ofOne(func(x real) real { return x.un(lir.OpLog2, 0).mul(x.num(0.30102999566398120)) }),
		"fast_dividef": ofTwo(func(x, y real) real { return x.bin(lir.OpFDiv, lir.Fused, y) }),
	}
}

// written computes a function whose text is in the kernel language.
func (l *lowerer) written(op *tile.Op, name string, args []*lir.Value) *lir.Value {
	elems := make([]tile.Elem, len(op.Args))
	for i, a := range op.Args {
		elems[i] = a.Type.Elem()
	}
	return l.callLibrary(name, elems, args)
}

// callLibrary computes a function of package libm for one element.
func (l *lowerer) callLibrary(name string, elems []tile.Elem, args []*lir.Value) *lir.Value {
	f, err := libm.Func(name, elems)
	if err != nil {
		l.refuse("the library function %s is not there on this target: %s", name, err)
	}
	outer, traits, op, loc := l.vals, l.traits, l.op, l.b.Loc
	l.vals, l.traits = make([]held, f.NumValues()), traitsOf(f)
	for i, a := range args {
		l.vals[f.Body.Args[i].ID].scalar = a
	}
	var result *lir.Value
	l.within(func() []*lir.Value {
		for _, o := range f.Body.Ops {
			if o.Code.IsTerminator() {
				break
			}
			l.operation(o)
			l.b.Loc = loc
		}
		result = l.scalar(f.Body.Terminator().Args[0])
		return nil
	})
	l.vals, l.traits, l.op = outer, traits, op
	return result
}
