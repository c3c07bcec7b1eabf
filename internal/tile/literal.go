package tile

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// appendLiteral appends the text of a constant: a signed integer, true or false, null, the
// shortest decimal that gives the same bits, or the bits in hexadecimal where there is
// none (an unusual NaN, a pointer). parseLiteral reads it back to the same bits.
func appendLiteral(b []byte, t Type, bits uint64) []byte {
	if !fits(bits, t.ElemBits()) {
		return appendHex(b, bits)
	}
	switch {
	case t.IsPtr():
		if bits == 0 {
			return append(b, "null"...)
		}
		return appendHex(b, bits)
	case t.IsBool():
		return strconv.AppendBool(b, bits == 1)
	case t.IsInt():
		return strconv.AppendInt(b, signExtend(bits, t.ElemBits()), 10)
	case t.IsFloat():
		return appendFloat(b, t.elem, bits)
	}
	return appendHex(b, bits)
}

// parseLiteral reads the text of a constant of type t.
func parseLiteral(s string, t Type) (uint64, error) {
	width := t.ElemBits()
	if hex, ok := strings.CutPrefix(s, "0x"); ok {
		bits, err := strconv.ParseUint(hex, 16, 64)
		if err != nil || !fits(bits, width) {
			return 0, fmt.Errorf("%s does not fit in %d bits", s, width)
		}
		return bits, nil
	}
	switch {
	case t.IsPtr():
		if s == "null" {
			return 0, nil
		}
	case t.IsBool():
		switch s {
		case "true":
			return 1, nil
		case "false":
			return 0, nil
		}
	case t.IsInt():
		n, err := strconv.ParseInt(s, 10, width)
		if err == nil {
			return uint64(n) & mask(width), nil
		}
	case t.IsFloat():
		if bits, ok := parseFloat(s, t.elem); ok {
			return bits, nil
		}
	}
	return 0, fmt.Errorf("%s is no constant of type %s", s, t.Scalar())
}

func appendHex(b []byte, bits uint64) []byte {
	return strconv.AppendUint(append(b, "0x"...), bits, 16)
}

// mask gives the lowest width bits set.
func mask(width int) uint64 { return ^uint64(0) >> (64 - min(max(width, 0), 64)) }

// fits reports whether bits has nothing set from bit width on.
func fits(bits uint64, width int) bool { return bits&^mask(width) == 0 }

func signExtend(bits uint64, width int) int64 {
	shift := 64 - width
	return int64(bits<<shift) >> shift
}

// appendFloat appends a float of any format. A format of at most 16 bits needs few digits
// to tell its numbers apart; strconv knows the shortest only for f32 and f64.
func appendFloat(b []byte, e Elem, bits uint64) []byte {
	x := e.DType().Decode(bits)
	if name := nonFinite(x); name != "" {
		if reads(name, e, bits) {
			return append(b, name...)
		}
		return appendHex(b, bits)
	}
	if e.Bits() >= 32 {
		return strconv.AppendFloat(b, x, 'g', -1, e.Bits())
	}
	if x == math.Trunc(x) && math.Abs(x) < 1<<16 {
		if s := strconv.FormatFloat(x, 'f', -1, 64); reads(s, e, bits) {
			return append(b, s...)
		}
	}
	for digits := 1; digits <= maxNarrowDigits; digits++ {
		if s := strconv.FormatFloat(x, 'g', digits, 64); reads(s, e, bits) {
			return append(b, s...)
		}
	}
	return appendHex(b, bits)
}

// nonFinite gives the name of an infinity or a NaN, "" for a number.
func nonFinite(x float64) string {
	switch {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	}
	return ""
}

// maxNarrowDigits tells apart the numbers of all formats of at most 16 bits: float16 has
// 11 bits of mantissa.
const maxNarrowDigits = 5

// reads reports whether the text s of a float gives the bits.
func reads(s string, e Elem, bits uint64) bool {
	got, ok := parseFloat(s, e)
	return ok && got == bits
}

// parseFloat reads nan, inf, -inf or a decimal, rounded as a conversion to e rounds.
// Decimals that would become infinite are refused.
func parseFloat(s string, e Elem) (uint64, bool) {
	width := 64
	if e == F32 {
		width = 32 // or it would be rounded twice
	}
	switch s {
	case "nan", "inf", "-inf":
		x, err := strconv.ParseFloat(s, 64)
		return e.DType().Encode(x), err == nil
	}
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || !isDigit(digits[0]) || strings.Contains(digits, "_") {
		return 0, false // what else ParseFloat takes: other names of infinity and NaN, 1_000
	}
	x, err := strconv.ParseFloat(s, width)
	if err != nil {
		return 0, false
	}
	bits := e.DType().Encode(x)
	return bits, !math.IsInf(e.DType().Decode(bits), 0)
}
