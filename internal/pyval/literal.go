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
	if n, ok := parseSmall(s); ok && (base == 0 || base == 10) {
		return n, nil
	}
	n, ok := parseInt(s, base)
	if !ok {
		return nil, valueError("invalid literal for int() with base %d: %s", base, reprString(s, false))
	}
	if n == nil {
		return nil, tooLarge("int")
	}
	return bounded(n)
}

// parseSmall reads a short decimal number, the common case.
func parseSmall(s string) (n int64, ok bool) {
	if len(s) == 0 || len(s) > 18 || s[0] == '0' && len(s) > 1 {
		return 0, false
	}
	for i := range len(s) {
		if !isDigit(s[i]) {
			return 0, false
		}
		n = n*10 + int64(s[i]-'0')
	}
	return n, true
}

// parseInt reads an integer; it is nil if it is too long.
func parseInt(s string, base int) (n *big.Int, ok bool) {
	text := strings.TrimFunc(s, isSpace)
	sign := ""
	if text != "" && (text[0] == '+' || text[0] == '-') {
		sign, text = text[:1], text[1:]
	}
	digits, radix, prefixed := cutPrefix(text, base)
	if base == 0 && !prefixed {
		if strings.Trim(digits, "0_") != "" && digits[0] == '0' {
			return nil, false // 012 is no literal
		}
	}
	digits, ok = dropUnderscores(digits, prefixed)
	if !ok || digits == "" || digits[0] == '+' || digits[0] == '-' {
		return nil, false
	}
	if len(digits) > MaxIntBits {
		return nil, true
	}
	return new(big.Int).SetString(sign+digits, radix)
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
	f, ok := readFloat(s)
	if !ok {
		return nil, valueError("could not convert string to float: %s", reprString(s, false))
	}
	return f, nil
}

func readFloat(s string) (f float64, ok bool) {
	text := strings.TrimFunc(s, isSpace)
	for i := range len(text) {
		if text[i] == '_' && (i == 0 || i+1 == len(text) || !isDigit(text[i-1]) || !isDigit(text[i+1])) {
			return 0, false
		}
	}
	text = strings.ReplaceAll(text, "_", "")
	if strings.ContainsAny(text, "xXpP") { // Go's hexadecimal floats
		return 0, false
	}
	if rest := strings.TrimLeft(text, "+-"); strings.EqualFold(rest, "nan") && len(text)-len(rest) <= 1 {
		return math.NaN(), true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && err.(*strconv.NumError).Err != strconv.ErrRange {
		return 0, false
	}
	return f, true
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
