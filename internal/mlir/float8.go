package mlir

import (
	"fmt"
	"math"

	"github.com/tegula-lang/tegula/internal/tile"
)

// Triton's compiler has code for the 8-bit floats of NVIDIA's GPUs, and between them and f16, bf16 and f32. All other conversions are written out in
// integers here, so that the text means the same wherever it is compiled: those of the formats without a negative zero (FNUZ), which only AMD's GPUs
// have, those that round towards zero, and f64's.

// A float8 says what an 8-bit format is: the widths of exponent and mantissa, and the magnitudes that stand for what is too large and for NaN.
type float8 struct {
	mantissa, bias int
	most           int64 // the largest finite magnitude
	infinity       int64 // what infinity becomes when it is rounded towards zero
	nan            int64 // with its sign if the format has one NaN only
	fnuz           bool
}

var float8s = map[tile.Elem]float8{
	tile.F8E4M3:   {mantissa: 3, bias: 7, most: 0x7e, infinity: 0x7e, nan: 0x7f},
	tile.F8E5M2:   {mantissa: 2, bias: 15, most: 0x7b, infinity: 0x7c, nan: 0x7f},
	tile.F8E4M3FZ: {mantissa: 3, bias: 8, most: 0x7f, infinity: 0x7f, nan: 0x80, fnuz: true},
	tile.F8E5M2FZ: {mantissa: 2, bias: 16, most: 0x7f, infinity: 0x7f, nan: 0x80, fnuz: true},
}

// isFNUZ reports whether elements are of a format that Triton converts for AMD's GPUs only.
func isFNUZ(t tile.Type) bool { return float8s[t.Elem()].fnuz }

// Of f32.
const (
	mantissa32 = 23
	bias32     = 127
	sign32     = 1 << 31
	infinity32 = 0xff << mantissa32
	nan32      = 0x7fc00000
)

// An expansion prints operations that stand for one, on values of its shape. They are called by the names that it gives.
type expansion struct {
	p  *printer
	op *tile.Op
	t  tile.Type // of any element
}

func (e expansion) of(elem tile.Elem) string { return typeText(e.t.WithElem(elem)) }

func (e expansion) put(format string, args ...any) string {
	name := e.p.temp()
	e.p.put(e.op, "%s = %s", name, fmt.Sprintf(format, args...))
	return name
}

func (e expansion) number(elem tile.Elem, bits int64) string {
	return e.put("arith.constant %s", e.p.literal(e.t.WithElem(elem), uint64(bits)))
}

// both is an operation on two values.
func (e expansion) both(name, x, y string, elem tile.Elem) string {
	return e.put("%s %s, %s : %s", name, x, y, e.of(elem))
}

// i32 is an operation on a value and a number.
func (e expansion) i32(name, x string, y int64) string {
	return e.both(name, x, e.number(tile.I32, y), tile.I32)
}

func (e expansion) convert(name, x string, from, to tile.Elem) string {
	return e.put("%s %s : %s to %s", name, x, e.of(from), e.of(to))
}

func (e expansion) bitcast(x string, from, to tile.Elem) string {
	return e.put("tt.bitcast %s : %s -> %s", x, e.of(from), e.of(to))
}

// is compares two values.
func (e expansion) is(pred, x, y string, elem tile.Elem) string {
	code := "arith.cmpi"
	if elem.IsFloat() {
		code = "arith.cmpf"
	}
	return e.put("%s %s, %s, %s : %s", code, pred, x, y, e.of(elem))
}

func (e expansion) choose(c, x, y string, elem tile.Elem) string {
	types := e.of(elem)
	if e.t.IsTile() {
		types = e.of(tile.I1) + ", " + types
	}
	return e.put("arith.select %s, %s, %s : %s", c, x, y, types)
}

// widened gives a float8 as f32, which is exact: an integer times a power of two, neither of which is subnormal.
func (e expansion) widened(x string, from tile.Elem) string {
	f := float8s[from]
	if !f.fnuz {
		return e.put("tt.fp_to_fp %s : %s -> %s", x, e.of(from), e.of(tile.F32))
	}
	bits := e.convert("arith.extui", e.bitcast(x, from, tile.I8), tile.I8, tile.I32)
	magnitude := e.i32("arith.andi", bits, 0x7f)
	exponent := e.i32("arith.shrui", magnitude, int64(f.mantissa))
	fraction := e.i32("arith.andi", magnitude, 1<<f.mantissa-1)
	normal := e.is("ne", exponent, e.number(tile.I32, 0), tile.I32)
	fraction = e.choose(normal, e.i32("arith.ori", fraction, 1<<f.mantissa), fraction, tile.I32)
	scale := e.i32("arith.addi", e.i32("arith.maxui", exponent, 1), int64(bias32-f.bias-f.mantissa))
	scale = e.bitcast(e.i32("arith.shli", scale, mantissa32), tile.I32, tile.F32)
	value := e.both("arith.mulf", e.convert("arith.sitofp", fraction, tile.I32, tile.F32), scale, tile.F32)
	sign := e.i32("arith.shli", e.i32("arith.andi", bits, 0x80), 24)
	whole := e.both("arith.ori", e.bitcast(value, tile.F32, tile.I32), sign, tile.I32)
	isNaN := e.is("eq", bits, e.number(tile.I32, f.nan), tile.I32)
	return e.bitcast(e.choose(isNaN, e.number(tile.I32, nan32), whole, tile.I32), tile.I32, tile.F32)
}

// narrowed rounds an f32 to a float8; what is too large becomes the largest.
func (e expansion) narrowed(x string, to tile.Elem, nearest bool) string {
	f := float8s[to]
	if !f.fnuz && nearest {
		return e.put("tt.fp_to_fp %s, rounding = rtne : %s -> %s", x, e.of(tile.F32), e.of(to))
	}
	bits := e.bitcast(x, tile.F32, tile.I32)
	magnitude := e.i32("arith.andi", bits, sign32-1)
	small := e.is("ult", magnitude, e.number(tile.I32, int64(bias32-f.bias+1)<<mantissa32), tile.I32)
	rounded := e.choose(small, e.subnormal(magnitude, f, nearest), e.normal(magnitude, f, nearest), tile.I32)
	rounded = e.i32("arith.minsi", rounded, f.most)
	if f.infinity != f.most && !nearest {
		infinite := e.is("eq", magnitude, e.number(tile.I32, infinity32), tile.I32)
		rounded = e.choose(infinite, e.number(tile.I32, f.infinity), rounded, tile.I32)
	}
	sign := e.i32("arith.andi", e.i32("arith.shrui", bits, 24), 0x80)
	isNaN := e.is("ugt", magnitude, e.number(tile.I32, infinity32), tile.I32)
	if f.fnuz {
		zero := e.is("eq", rounded, e.number(tile.I32, 0), tile.I32)
		sign = e.choose(zero, rounded, sign, tile.I32)
		sign = e.choose(isNaN, e.number(tile.I32, 0), sign, tile.I32)
	}
	rounded = e.choose(isNaN, e.number(tile.I32, f.nan), rounded, tile.I32)
	whole := e.both("arith.ori", rounded, sign, tile.I32)
	return e.bitcast(e.convert("arith.trunci", whole, tile.I32, tile.I8), tile.I8, to)
}

// normal rounds a magnitude of f32 that is no subnormal number of the format: exponent and mantissa as one integer.
func (e expansion) normal(magnitude string, f float8, nearest bool) string {
	shift := int64(mantissa32 - f.mantissa)
	if nearest {
		odd := e.i32("arith.andi", e.i32("arith.shrui", magnitude, shift), 1)
		magnitude = e.both("arith.addi", e.i32("arith.addi", magnitude, 1<<(shift-1)-1), odd, tile.I32)
	}
	return e.i32("arith.subi", e.i32("arith.shrui", magnitude, shift), int64(bias32-f.bias)<<f.mantissa)
}

// subnormal rounds one that is: a sum with a number whose last digit is the format's rounds to nearest.
func (e expansion) subnormal(magnitude string, f float8, nearest bool) string {
	value := e.bitcast(magnitude, tile.I32, tile.F32)
	last := 1 - f.bias - f.mantissa // the exponent of the smallest number
	if nearest {
		digits := int64(last+mantissa32+bias32) << mantissa32
		sum := e.both("arith.addf", value, e.bitcast(e.number(tile.I32, digits), tile.I32, tile.F32), tile.F32)
		return e.i32("arith.subi", e.bitcast(sum, tile.F32, tile.I32), digits)
	}
	units := e.both("arith.mulf", value, e.number(tile.F32, int64(math.Float32bits(float32(math.Ldexp(1, -last))))), tile.F32)
	return e.convert("arith.fptosi", units, tile.F32, tile.I32)
}

// toF32 gives a number as an f32 from which it can be rounded further as if in one step: f64 is rounded to odd (S. Boldo, G. Melquiond, "Emulation of
// FMA and correctly rounded sums: proved algorithms using rounding to odd"), so that the last bit says whether anything was lost.
func (e expansion) toF32(x string, from tile.Elem) string {
	switch {
	case from == tile.F32:
		return x
	case from.IsFP8():
		return e.widened(x, from)
	case from != tile.F64:
		return e.convert("arith.extf", x, from, tile.F32)
	}
	near := e.convert("arith.truncf", x, tile.F64, tile.F32)
	back := e.convert("arith.extf", near, tile.F32, tile.F64)
	inexact := e.is("one", back, x, tile.F64)
	above := e.is("ogt", e.put("math.absf %s : %s", back, e.of(tile.F64)), e.put("math.absf %s : %s", x, e.of(tile.F64)), tile.F64)
	bits := e.bitcast(near, tile.F32, tile.I32)
	below := e.choose(above, e.i32("arith.subi", bits, 1), bits, tile.I32)
	odd := e.choose(inexact, e.i32("arith.ori", below, 1), bits, tile.I32)
	return e.bitcast(odd, tile.I32, tile.F32)
}

// expand begins what stands for an operation.
func (p *printer) expand(op *tile.Op) expansion { return expansion{p, op, op.Args[0].Type} }

// called gives the operation's result the name of a value that stands for it.
func (p *printer) called(op *tile.Op, name string) { p.names[op.Result()] = name }

// toFloat8 prints a conversion to float8 of any float.
func (p *printer) toFloat8(op *tile.Op, nearest bool) {
	e := p.expand(op)
	from, to := op.Args[0].Type.Elem(), op.Result().Type.Elem()
	p.called(op, e.narrowed(e.toF32(p.name(op.Args[0]), from), to, nearest))
}

// fromFloat8 prints a conversion of a float8 to any float that has all of it.
func (p *printer) fromFloat8(op *tile.Op) {
	e := p.expand(op)
	x := e.widened(p.name(op.Args[0]), op.Args[0].Type.Elem())
	switch to := op.Result().Type.Elem(); {
	case to == tile.F32:
	case to == tile.F64:
		x = e.convert("arith.extf", x, tile.F32, to)
	default:
		x = e.convert("arith.truncf", x, tile.F32, to)
	}
	p.called(op, x)
}

// asHalf gives an operand of a product as f16, which has all of every float8.
func (p *printer) asHalf(op *tile.Op, i int) (name string, t tile.Type) {
	v := op.Args[i]
	if !v.Type.Elem().IsFP8() {
		return p.name(v), v.Type
	}
	e := expansion{p, op, v.Type}
	half := v.Type.WithElem(tile.F16)
	if !isFNUZ(v.Type) {
		return e.put("tt.fp_to_fp %s : %s -> %s", p.name(v), typeText(v.Type), typeText(half)), half
	}
	return e.convert("arith.truncf", e.widened(p.name(v), v.Type.Elem()), tile.F32, tile.F16), half
}
