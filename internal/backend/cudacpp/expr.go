package cudacpp

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/lir"
)

// An expr is an expression's text, how tightly it binds, and its type.
type expr struct {
	text string
	prec prec
	typ  string
	int  string // of a long long that is an int extended: the int, as an operand of any operator
}

func newExpr(text string, p prec, typ string) expr { return expr{text: text, prec: p, typ: typ} }

// A prec is the precedence of an expression's outermost operator.
type prec uint8

const (
	precChoice prec = iota // ?:
	precOrElse
	precAndThen
	precOr
	precXor
	precAnd
	precEqual
	precLess
	precShift
	precAdd
	precMul
	precUnary
	precPrimary
)

// in gives the text as an operand of an operator that binds as tightly as p.
func (e expr) in(p prec) string {
	if e.prec < p {
		return "(" + e.text + ")"
	}
	return e.text
}

func (e expr) isPointer() bool { return strings.HasSuffix(e.typ, "*") }

// to gives the expression as another type, by a cast if need be.
func (e expr) to(typ string) expr {
	if e.typ == typ {
		return e
	}
	return newExpr("("+typ+")"+e.in(precUnary), precUnary, typ)
}

// binary writes an operator that associates to the left.
func binary(x expr, op string, y expr, p prec, typ string) expr {
	return newExpr(x.in(p)+" "+op+" "+y.in(p+1), p, typ)
}

func call(typ, name string, args ...expr) expr {
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = a.text
	}
	return newExpr(name+"("+strings.Join(texts, ", ")+")", precPrimary, typ)
}

// typeNames are what values of LIR's types are declared as; where the sign matters operations say it.
var typeNames = [...]string{
	lir.I1: "bool", lir.I8: "unsigned char", lir.I16: "unsigned short", lir.I32: "int", lir.I64: "long long",
	lir.F16: "__half", lir.BF16: "__nv_bfloat16", lir.F32: "float", lir.F64: "double",
}

var unsignedNames = map[string]string{"int": "unsigned", "long long": "unsigned long long"}

var signedNames = map[string]string{"unsigned": "int", "unsigned long long": "long long", "unsigned char": "signed char", "unsigned short": "short"}

// argument gives the text of an argument of a template that finds its types out: a number has the type that it is said to be of.
func (e expr) argument() string {
	if _, err := strconv.ParseInt(e.text, 10, 64); err == nil && e.typ == "long long" {
		return e.text + "ll"
	}
	return e.text
}

// literal gives a negative number among numbers without sign as one of them; other expressions are as they are.
func (e expr) literal(typ string) expr {
	if e.typ == signedNames[typ] && strings.HasPrefix(e.text, "-") && isDigit(e.text[1]) && e.prec == precUnary {
		return e.unsigned()
	}
	return e
}

// unsigned gives an integer as one without sign, of the same width.
func (e expr) unsigned() expr {
	if u, ok := unsignedNames[e.typ]; ok {
		if n, err := strconv.ParseInt(strings.TrimSuffix(e.text, "ll"), 10, 64); err == nil {
			return unsignedLiteral(n, u)
		}
		return e.to(u)
	}
	if e.isPointer() {
		return e.to("unsigned long long")
	}
	return e
}

func unsignedLiteral(n int64, typ string) expr {
	suffix, width := "u", 32
	if typ == "unsigned long long" {
		suffix, width = "ull", 64
	}
	if n < 0 {
		return newExpr(fmt.Sprintf("0x%x%s", uint64(n)<<(64-width)>>(64-width), suffix), precPrimary, typ)
	}
	return newExpr(strconv.FormatInt(n, 10)+suffix, precPrimary, typ)
}

// signed gives an integer as one with a sign, of the same width.
func (e expr) signed() expr {
	if s, ok := signedNames[e.typ]; ok {
		return e.to(s)
	}
	if e.isPointer() {
		return e.to("long long")
	}
	return e
}

// integer gives a pointer as the integer that it is in LIR.
func (e expr) integer() expr {
	if e.isPointer() {
		return e.to("unsigned long long")
	}
	return e
}

func number(n int) expr { return integer(int64(n), "int") }

func integer(n int64, typ string) expr {
	suffix := ""
	if typ == "long long" && (n > math.MaxInt32 || n < math.MinInt32) {
		suffix = "ll"
	}
	if n == math.MinInt64 {
		return newExpr("(-9223372036854775807ll - 1)", precPrimary, typ)
	}
	if n == math.MinInt32 && typ == "int" {
		return newExpr("(-2147483647 - 1)", precPrimary, typ)
	}
	p := precPrimary
	if n < 0 {
		p = precUnary
	}
	return newExpr(strconv.FormatInt(n, 10)+suffix, p, typ)
}

// literal writes a constant.
func literal(v *lir.Value) expr {
	typ := typeNames[v.Type]
	switch v.Type {
	case lir.I1:
		return newExpr(strconv.FormatBool(v.Bits == 1), precPrimary, typ)
	case lir.I8, lir.I16:
		return newExpr(fmt.Sprintf("(%s)%d", typ, v.Bits), precUnary, typ)
	case lir.I32:
		if n := v.Int(); n < -1<<20 || n > 1<<24 && n&(n-1) != 0 {
			return newExpr(fmt.Sprintf("0x%08xu", uint32(v.Bits)), precPrimary, "unsigned")
		}
		return integer(v.Int(), typ)
	case lir.I64:
		if n := v.Int(); n < -1<<40 || n > 1<<40 {
			return newExpr(fmt.Sprintf("0x%016xull", v.Bits), precPrimary, "unsigned long long")
		}
		return integer(v.Int(), typ)
	case lir.F32:
		return floatLiteral(float64(math.Float32frombits(uint32(v.Bits))), 32, "f", typ, fmt.Sprintf("__int_as_float(0x%08x)", uint32(v.Bits)))
	case lir.F64:
		return floatLiteral(math.Float64frombits(v.Bits), 64, "", typ, fmt.Sprintf("__longlong_as_double(0x%016xll)", v.Bits))
	case lir.F16:
		if exact := halfDigits(uint16(v.Bits)); exact != "" {
			return newExpr("__float2half_rn("+exact+")", precPrimary, typ)
		}
		return newExpr(fmt.Sprintf("__ushort_as_half(0x%04x)", v.Bits), precPrimary, typ)
	}
	if x := math.Float32frombits(uint32(v.Bits) << 16); !math.IsNaN(float64(x)) && !math.IsInf(float64(x), 0) {
		return newExpr("__float2bfloat16_rn("+floatLiteral(float64(x), 32, "f", typ, "").text+")", precPrimary, typ)
	}
	return newExpr(fmt.Sprintf("__ushort_as_bfloat16(0x%04x)", v.Bits), precPrimary, typ)
}

// halfDigits writes a normal number of 16 bits, or 0.
func halfDigits(bits uint16) string {
	exponent, fraction := int(bits>>10&31), float64(bits&1023)/1024
	x := math.Ldexp(1+fraction, exponent-15)
	switch {
	case exponent == 31 || exponent == 0 && fraction != 0:
		return ""
	case exponent == 0:
		x = 0
	}
	if bits>>15 != 0 {
		x = math.Copysign(x, -1)
	}
	return floatLiteral(x, 32, "f", "", "").text
}

// floatLiteral writes a number so that it is read back as it is; bits writes what has no digits.
func floatLiteral(x float64, size int, suffix, typ, bits string) expr {
	switch {
	case math.IsNaN(x):
		return newExpr(bits, precPrimary, typ)
	case math.IsInf(x, 0):
		sign, p := "", precPrimary
		if x < 0 {
			sign, p = "-", precUnary
		}
		if size == 64 {
			return newExpr(sign+"(double)INFINITY", precUnary, typ)
		}
		return newExpr(sign+"INFINITY", p, typ)
	}
	s := strconv.FormatFloat(x, 'g', -1, size)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	if math.Signbit(x) {
		return newExpr(s+suffix, precUnary, typ)
	}
	return newExpr(s+suffix, precPrimary, typ)
}
