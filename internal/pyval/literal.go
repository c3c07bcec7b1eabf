package pyval

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/syntax"
)

// Literal gives the value of a literal.
func Literal(c *syntax.Constant) (Value, error) {
	switch c.Kind {
	case syntax.ConstNone:
		return None, nil
	case syntax.ConstTrue:
		return true, nil
	case syntax.ConstFalse:
		return false, nil
	case syntax.ConstEllipsis:
		return Ellipsis, nil
	case syntax.ConstInt:
		return ParseInt(c.Text, 0)
	case syntax.ConstFloat:
		return parseFloat(c.Text)
	case syntax.ConstStr:
		if len(c.Text) > MaxLen {
			return nil, tooLarge("str")
		}
		return c.Text, nil
	case syntax.ConstImag:
		return nil, typeError("complex numbers are not supported: %s", c.Text)
	}
	return nil, typeError("bytes are not supported")
}

// ParseInt reads an integer as int(s, base) does; base 0 reads a literal with its prefix.
func ParseInt(s string, base int) (Value, error) {
	fail := valueError("invalid literal for int() with base %d: %s", base, reprString(s, false))
	text := strings.TrimFunc(s, isSpace)
	sign := ""
	if text != "" && (text[0] == '+' || text[0] == '-') {
		sign, text = text[:1], text[1:]
	}
	digits, radix, prefixed := cutPrefix(text, base)
	if base == 0 && !prefixed {
		if strings.Trim(digits, "0_") != "" && digits[0] == '0' {
			return nil, fail // 012 is no literal
		}
	}
	digits, ok := dropUnderscores(digits, prefixed)
	if !ok {
		return nil, fail
	}
	if len(digits) > MaxIntBits {
		return nil, tooLarge("int")
	}
	n, ok := new(big.Int).SetString(sign+digits, radix)
	if !ok || digits == "" || digits[0] == '+' || digits[0] == '-' {
		return nil, fail
	}
	return bounded(n)
}

// cutPrefix removes 0x, 0o or 0b where the base allows it and gives the base to read in.
func cutPrefix(s string, base int) (digits string, radix int, prefixed bool) {
	if len(s) > 1 && s[0] == '0' {
		radix := map[byte]int{'x': 16, 'o': 8, 'b': 2}[s[1]|0x20]
		if radix != 0 && (base == 0 || base == radix) {
			return s[2:], radix, true
		}
	}
	if base == 0 {
		return s, 10, false
	}
	return s, base, false
}

// dropUnderscores removes single underscores between digits, and one after a prefix.
func dropUnderscores(s string, prefixed bool) (string, bool) {
	if !strings.Contains(s, "_") {
		return s, true
	}
	if s[0] == '_' && !prefixed || s[len(s)-1] == '_' || strings.Contains(s, "__") {
		return "", false
	}
	return strings.ReplaceAll(s, "_", ""), true
}

// parseFloat reads a number as float(s) does.
func parseFloat(s string) (Value, error) {
	fail := valueError("could not convert string to float: %s", reprString(s, false))
	text := strings.TrimFunc(s, isSpace)
	for i := range len(text) {
		if text[i] == '_' && (i == 0 || i+1 == len(text) || !isDigit(text[i-1]) || !isDigit(text[i+1])) {
			return nil, fail
		}
	}
	text = strings.ReplaceAll(text, "_", "")
	if strings.ContainsAny(text, "xXpP") { // Go's hexadecimal floats
		return nil, fail
	}
	if rest := strings.TrimLeft(text, "+-"); strings.EqualFold(rest, "nan") && len(text)-len(rest) <= 1 {
		return math.NaN(), nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && err.(*strconv.NumError).Err != strconv.ErrRange {
		return nil, fail
	}
	return f, nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isSpace reports what str.isspace does.
func isSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', 0x1c, 0x1d, 0x1e, 0x1f, ' ', 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000:
		return true
	}
	return r >= 0x2000 && r <= 0x200a
}
