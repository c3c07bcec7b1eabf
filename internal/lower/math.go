package lower

import (
	"math"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// mathRules are functions of f32 and f64.
var mathRules map[tile.Code]func(l *lowerer, xs []*lir.Value) *lir.Value

func init() {
	mathRules = map[tile.Code]func(l *lowerer, xs []*lir.Value) *lir.Value{
		tile.OpExp:   func(l *lowerer, xs []*lir.Value) *lir.Value { return l.real(xs[0]).exp().v },
		tile.OpExp2:  func(l *lowerer, xs []*lir.Value) *lir.Value { return l.real(xs[0]).exp2().v },
		tile.OpLog:   func(l *lowerer, xs []*lir.Value) *lir.Value { return l.real(xs[0]).log().v },
		tile.OpLog2:  func(l *lowerer, xs []*lir.Value) *lir.Value { return l.real(xs[0]).log2().v },
		tile.OpSin:   func(l *lowerer, xs []*lir.Value) *lir.Value { return l.real(xs[0]).sin(false).v },
		tile.OpCos:   func(l *lowerer, xs []*lir.Value) *lir.Value { return l.real(xs[0]).sin(true).v },
		tile.OpErf:   func(l *lowerer, xs []*lir.Value) *lir.Value { return l.real(xs[0]).erf().v },
		tile.OpSqrt:  func(l *lowerer, xs []*lir.Value) *lir.Value { return l.real(xs[0]).un(lir.OpSqrt, lir.Fused).v },
		tile.OpRSqrt: func(l *lowerer, xs []*lir.Value) *lir.Value { return l.real(xs[0]).rsqrt().v },
		tile.OpFloor: func(l *lowerer, xs []*lir.Value) *lir.Value { return l.real(xs[0]).un(lir.OpFRound, lir.Down).v },
		tile.OpCeil:  func(l *lowerer, xs []*lir.Value) *lir.Value { return l.real(xs[0]).un(lir.OpFRound, lir.Up).v },
		tile.OpFRem:  func(l *lowerer, xs []*lir.Value) *lir.Value { return l.real(xs[0]).fmod(l.real(xs[1])).v },
	}
}

// A real is an f32 or f64 in an expression, so that formulas read as such.
type real struct {
	l *lowerer
	v *lir.Value
}

func (l *lowerer) real(v *lir.Value) real { return real{l, v} }

func (x real) t() lir.Type { return x.v.Type }

// num gives a number in x's type.
func (x real) num(f float64) real {
	if x.t() == lir.F64 {
		return real{x.l, x.l.b.Const(lir.F64, math.Float64bits(f))}
	}
	return real{x.l, x.l.b.Const(lir.F32, uint64(math.Float32bits(float32(f))))}
}

func (x real) un(code lir.Code, r lir.Rounding) real {
	return real{x.l, x.l.b.Pure(code, uint8(r), x.t(), 0, x.v)}
}

func (x real) bin(code lir.Code, r lir.Rounding, y real) real {
	return real{x.l, x.l.b.Pure(code, uint8(r), x.t(), 0, x.v, y.v)}
}

// The arithmetic rounds once each: formulas that depend on it are not fused.
func (x real) add(y real) real { return x.bin(lir.OpFAdd, lir.Nearest, y) }
func (x real) sub(y real) real { return x.bin(lir.OpFSub, lir.Nearest, y) }
func (x real) mul(y real) real { return x.bin(lir.OpFMul, lir.Nearest, y) }
func (x real) div(y real) real { return x.bin(lir.OpFDiv, lir.Nearest, y) }
func (x real) neg() real       { return x.un(lir.OpFNeg, 0) }
func (x real) abs() real       { return x.un(lir.OpFAbs, 0) }
func (x real) sqrt() real      { return x.un(lir.OpSqrt, lir.Nearest) }

// fma is x·y + z.
func (x real) fma(y, z real) real {
	return real{x.l, x.l.b.Pure(lir.OpFMA, uint8(lir.Nearest), x.t(), 0, x.v, y.v, z.v)}
}

func (x real) is(p tile.CmpF, y real) *lir.Value {
	return x.l.b.Pure(lir.OpFCmp, uint8(p), lir.I1, 0, x.v, y.v)
}

// or is x where c does not hold, and y where it does.
func (x real) or(c *lir.Value, y real) real { return real{x.l, x.l.pick(c, y.v, x.v)} }

// bits gives the number's bits as an integer.
func (x real) bits() *lir.Value { return x.l.cast(x.v, lir.Int(x.t().Bits())) }

// ofBits gives the number of x's type that has the bits.
func (x real) ofBits(v *lir.Value) real { return real{x.l, x.l.cast(v, x.t())} }

// signOf is |x| with y's sign.
func (x real) signOf(y real) real {
	b, w := x.l.b, x.t().Bits()
	t := lir.Int(w)
	sign := b.Const(t, 1<<(w-1))
	rest := b.Const(t, 1<<(w-1)-1)
	return x.ofBits(b.Pure(lir.OpOr, 0, t, 0, b.Pure(lir.OpAnd, 0, t, 0, x.bits(), rest), b.Pure(lir.OpAnd, 0, t, 0, y.bits(), sign)))
}

// exp2 of f32 is the hardware's, at most 2 ulp off.
func (x real) exp2() real {
	if x.t() == lir.F32 {
		return x.un(lir.OpExp2, 0)
	}
	return x.exp2Wide()
}

// exp is at most 2 ulp off in f32.
func (x real) exp() real {
	if x.t() == lir.F64 {
		return x.expWide()
	}
	return x.expBase(math.Log2E)
}

// rsqrt is the hardware's, at most 2 ulp off in f32; in f64 it is corrected.
func (x real) rsqrt() real {
	if x.t() == lir.F64 {
		return x.num(1).div(x.sqrt())
	}
	return x.un(lir.OpRSqrt, 0)
}

// The functions below are written in the kernel language.

func (x real) library(name string) real {
	e := tile.F32
	if x.t() == lir.F64 {
		e = tile.F64
	}
	return real{x.l, x.l.callLibrary(name, []tile.Elem{e}, []*lir.Value{x.v})}
}

func (x real) exp2Wide() real { return x.library("exp2") }
func (x real) expWide() real  { return x.library("exp") }
func (x real) log() real      { return x.library("log") }
func (x real) log2() real     { return x.library("log2") }
func (x real) erf() real      { return x.library("erf") }

func (x real) sin(cos bool) real {
	if cos {
		return x.library("cos")
	}
	return x.library("sin")
}

// expBase is b^x in f32: 2^n·2^f, where n + f = x·log2 b with its error corrected and n is whole, from -126 to 126. Beyond that f gets large, and
// with it the result infinite, subnormal or 0. n is rounded, and added to what makes it an exponent, by adding a number whose last digit is 1.
func (x real) expBase(log2b float64) real {
	high := float64(float32(log2b))
	const least, steps = -126, 252
	const whole = 0x1.8p23 + 127
	t := x.fmaSat(x.num(high/steps), x.num(-least/float64(steps)))
	exponent := t.fma(x.num(steps), x.num(whole+least))
	n := exponent.sub(x.num(whole))
	f := x.fma(x.num(high), n.neg())
	f = x.fma(x.num(log2b-high), f)
	return f.exp2Flushed().mul(x.ofBits(x.l.shl(exponent.bits(), 23)))
}

// exp2Flushed is exp2 in f32, but 0 where that is subnormal.
func (x real) exp2Flushed() real { return real{x.l, x.l.b.Pure(lir.OpExp2, 1, lir.F32, 0, x.v)} }

// fmaSat is x·y + z, between 0 and 1.
func (x real) fmaSat(y, z real) real {
	return real{x.l, x.l.b.Pure(lir.OpFMASat, 0, x.t(), 0, x.v, y.v, z.v)}
}
