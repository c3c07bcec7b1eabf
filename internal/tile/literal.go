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
	case t.elem == F64:
		return appendFloat(b, math.Float64frombits(bits), 64, bits, nanF64)
	case t.elem == F32:
		return appendFloat(b, float64(math.Float32frombits(uint32(bits))), 32, bits, nanF32)
	case t.IsFloat():
		return appendNarrowFloat(b, t.elem, bits)
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

// appendFloat appends an f32 or f64 of the given bits.
func appendFloat(b []byte, x float64, width int, bits, nan uint64) []byte {
	switch {
	case math.IsNaN(x):
		return appendNaN(b, bits, nan)
	case math.IsInf(x, 0):
		return appendInf(b, x < 0)
	}
	return strconv.AppendFloat(b, x, 'g', -1, width)
}

// The quiet NaNs that the text calls nan.
const (
	nanF32 = 0x7fc0_0000
	nanF64 = 0x7ff8_0000_0000_0000
)

func appendNaN(b []byte, bits, nan uint64) []byte {
	if bits == nan {
		return append(b, "nan"...)
	}
	return appendHex(b, bits)
}

func appendInf(b []byte, negative bool) []byte {
	if negative {
		b = append(b, '-')
	}
	return append(b, "inf"...)
}

// parseFloat reads a float of any format. Decimals too large for the format are refused.
func parseFloat(s string, e Elem) (uint64, bool) {
	switch e {
	case F64:
		if s == "nan" {
			return nanF64, true
		}
		x, ok := parseDecimal(s, 64)
		return math.Float64bits(x), ok
	case F32:
		if s == "nan" {
			return nanF32, true
		}
		x, ok := parseDecimal(s, 32)
		return uint64(math.Float32bits(float32(x))), ok
	}
	return narrowFormats[e].parse(s)
}

// parseDecimal reads inf, -inf and what ParseFloat calls a decimal.
func parseDecimal(s string, width int) (float64, bool) {
	switch s {
	case "inf":
		return math.Inf(1), true
	case "-inf":
		return math.Inf(-1), true
	}
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || digits[0] < '0' || digits[0] > '9' {
		return 0, false // ParseFloat's other names of infinity and NaN
	}
	x, err := strconv.ParseFloat(s, width)
	return x, err == nil
}
