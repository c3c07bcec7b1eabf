package pyval

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Format gives what an f-string shows for {v!conversion:spec}; conversion is 's', 'r', 'a', or -1 for none.
func Format(v Value, conversion rune, spec string) (string, error) {
	switch conversion {
	case 's':
		v = Str(v)
	case 'r':
		v = Repr(v)
	case 'a':
		v = asciiRepr(v)
	}
	if spec == "" {
		return Str(v), nil
	}
	v = unbox(v)
	switch v.(type) {
	case string, bool, int64, *big.Int, float64:
	default:
		return "", typeError("unsupported format string passed to %s.__format__", TypeName(v))
	}
	s, err := parseSpec(spec)
	if err != nil {
		return "", err
	}
	switch x := v.(type) {
	case string:
		return s.formatString(x)
	case float64:
		return s.formatFloat(x)
	}
	return s.formatInt(v)
}

// asciiRepr gives ascii(v).
func asciiRepr(v Value) string {
	if s, ok := unbox(v).(string); ok {
		return reprString(s, true)
	}
	var b strings.Builder
	for _, r := range runes(Repr(v)) {
		if r < 0x80 {
			b.WriteRune(r)
			continue
		}
		b.WriteString(escapeRune(r))
	}
	return b.String()
}

// A formatSpec is [[fill]align][sign][z][#][0][width][grouping][.precision][type].
type formatSpec struct {
	fill      rune
	align     byte // one of <>=^, or 0
	sign      byte // one of +, - and space, or 0
	noNegZero bool
	alternate bool
	zero      bool
	width     int
	group     byte // , or _ or 0
	precision int  // -1 if there is none
	typ       byte // 0 if there is none
}

func parseSpec(text string) (formatSpec, error) {
	s := formatSpec{fill: ' ', precision: -1}
	rest := text
	if r, n := utf8.DecodeRuneInString(rest); len(rest) > n && isAlign(rest[n]) {
		s.fill, s.align, rest = r, rest[n], rest[n+1:]
	} else if rest != "" && isAlign(rest[0]) {
		s.align, rest = rest[0], rest[1:]
	}
	take := func(set string) byte {
		if rest == "" || !strings.Contains(set, rest[:1]) {
			return 0
		}
		c := rest[0]
		rest = rest[1:]
		return c
	}
	s.sign = take("+- ")
	s.noNegZero = take("z") != 0
	s.alternate = take("#") != 0
	if take("0") != 0 {
		s.zero = true
		if s.align == 0 {
			s.fill, s.align = '0', '='
		}
	}
	var err error
	if s.width, rest, err = takeNumber(rest, 0); err != nil {
		return s, err
	}
	s.group = take(",_")
	if take(".") != 0 {
		if s.precision, rest, err = takeNumber(rest, -1); err != nil {
			return s, err
		}
		if s.precision < 0 {
			return s, valueError("Format specifier missing precision")
		}
	}
	if len(rest) > 1 {
		return s, valueError("Invalid format specifier")
	}
	if rest != "" {
		s.typ = rest[0]
	}
	return s, nil
}

func isAlign(c byte) bool { return c == '<' || c == '>' || c == '=' || c == '^' }

// takeNumber reads digits from the start of s; missing stands for none.
func takeNumber(s string, missing int) (n int, rest string, err error) {
	end := 0
	for end < len(s) && isDigit(s[end]) {
		end++
	}
	if end == 0 {
		return missing, s, nil
	}
	n, err = strconv.Atoi(s[:end])
	if err != nil || n > maxWidth {
		return 0, s, valueError("a width or precision of %s is too large", s[:end])
	}
	return n, s[end:], nil
}

// maxWidth bounds a width or precision.
const maxWidth = 1 << 12

func (s formatSpec) unknown(typ string) error {
	return valueError("Unknown format code '%c' for object of type '%s'", s.typ, typ)
}

func (s formatSpec) formatString(v string) (string, error) {
	switch {
	case s.typ != 0 && s.typ != 's':
		return "", s.unknown("str")
	case s.sign != 0:
		return "", valueError("Sign not allowed in string format specifier")
	case s.alternate:
		return "", valueError("Alternate form (#) not allowed in string format specifier")
	case s.group != 0:
		return "", valueError("Cannot specify '%c' with 's'.", s.group)
	case s.align == '=' && !s.zero:
		return "", valueError("'=' alignment not allowed in string format specifier")
	}
	if rs := runes(v); s.precision >= 0 && len(rs) > s.precision {
		v = encodeRunes(rs[:s.precision]...)
	}
	if s.align == '=' || s.align == 0 {
		s.align = '<'
	}
	return s.pad("", v), nil
}

// pad fills body up to the width; with '=' the fill goes between the prefix and the body.
func (s formatSpec) pad(prefix, body string) string {
	fill := s.width - runeCount(prefix) - runeCount(body)
	if fill <= 0 {
		return prefix + body
	}
	left, right := 0, 0
	switch s.align {
	case '<':
		right = fill
	case '^':
		left, right = fill/2, fill-fill/2
	case '=':
		return prefix + strings.Repeat(string(s.fill), fill) + body
	default:
		left = fill
	}
	return strings.Repeat(string(s.fill), left) + prefix + body + strings.Repeat(string(s.fill), right)
}

// signText gives what stands before a number's digits for its sign.
func (s formatSpec) signText(negative bool) string {
	switch {
	case negative:
		return "-"
	case s.sign == '+' || s.sign == ' ':
		return string(s.sign)
	}
	return ""
}

// intBases are the presentation types of an int that give digits.
var intBases = map[byte]struct {
	base   int
	prefix string
}{
	0: {10, ""}, 'd': {10, ""}, 'n': {10, ""}, 'b': {2, "0b"}, 'o': {8, "0o"}, 'x': {16, "0x"}, 'X': {16, "0X"},
}

func (s formatSpec) formatInt(v Value) (string, error) {
	if strings.IndexByte("eEfFgG%", s.typ) >= 0 && s.typ != 0 {
		f, err := toFloat(v)
		if err != nil {
			return "", err
		}
		return s.formatFloat(f)
	}
	if s.precision >= 0 {
		return "", valueError("Precision not allowed in integer format specifier")
	}
	if s.typ == 'c' {
		return s.formatChar(v)
	}
	b, ok := intBases[s.typ]
	if !ok {
		return "", s.unknown(TypeName(v))
	}
	n := bigOf(v)
	digits := new(big.Int).Abs(n).Text(b.base)
	if s.typ == 'X' {
		digits = strings.ToUpper(digits)
	}
	prefix := s.signText(n.Sign() < 0)
	if s.alternate {
		prefix += b.prefix
	}
	size := 3
	if b.base != 10 {
		if s.group == ',' {
			return "", valueError("Cannot specify ',' with '%c'.", s.typ)
		}
		size = 4
	}
	return s.padNumber(prefix, digits, "", size), nil
}

func (s formatSpec) formatChar(v Value) (string, error) {
	c, err := chr(v)
	if err != nil {
		return "", Errorf("OverflowError", "%%c arg not in range(0x110000)")
	}
	if s.align == 0 {
		s.align = '<'
	}
	return s.pad("", c), nil
}

// padNumber groups the digits and pads; with zero fill the zeros are grouped too.
func (s formatSpec) padNumber(prefix, digits, tail string, size int) string {
	if s.group == 0 {
		return s.pad(prefix, digits+tail)
	}
	if s.fill == '0' && s.align == '=' {
		room := s.width - len(prefix) - len(tail)
		for groupedLen(len(digits), size) < room {
			digits = "0" + digits
		}
	}
	return s.pad(prefix, groupDigits(digits, size, s.group)+tail)
}

func groupedLen(n, size int) int { return n + max(0, n-1)/size }

func groupDigits(digits string, size int, sep byte) string {
	var b strings.Builder
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%size == 0 {
			b.WriteByte(sep)
		}
		b.WriteByte(digits[i])
	}
	return b.String()
}

func (s formatSpec) formatFloat(f float64) (string, error) {
	text, ok := s.floatText(math.Abs(f))
	if !ok {
		return "", s.unknown("float")
	}
	negative := math.Signbit(f) && !math.IsNaN(f)
	if s.noNegZero && strings.Trim(text, "0.e+-%") == "" {
		negative = false
	}
	if strings.IndexByte("EFG", s.typ) >= 0 && s.typ != 0 {
		text = strings.ToUpper(text)
	}
	digits, tail := text, ""
	if i := strings.IndexAny(text, ".eE%"); i >= 0 {
		digits, tail = text[:i], text[i:]
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		s.group = 0
	}
	return s.padNumber(s.signText(negative), digits, tail, 3), nil
}

// floatText gives the digits of f >= 0 (or NaN) by the type and precision.
func (s formatSpec) floatText(f float64) (text string, ok bool) {
	percent := ""
	if s.typ == '%' {
		percent = "%"
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return reprFloat(f) + percent, strings.IndexByte("\x00eEfFgGn%", s.typ) >= 0
	}
	precision := s.precision
	if precision < 0 {
		precision = 6
	}
	switch s.typ {
	case 0:
		if s.precision < 0 {
			return reprFloat(f), true
		}
		return s.general(f, max(precision, 1), true), true
	case 'g', 'G', 'n':
		return s.general(f, max(precision, 1), false), true
	case 'e', 'E':
		return s.point(strconv.FormatFloat(f, 'e', precision, 64)), true
	case 'f', 'F':
		return s.point(strconv.FormatFloat(f, 'f', precision, 64)), true
	case '%':
		if math.IsInf(f*100, 0) {
			return "inf%", true
		}
		return s.point(strconv.FormatFloat(f*100, 'f', precision, 64)) + percent, true
	}
	return "", false
}

// point puts the point in that the alternate form always has.
func (s formatSpec) point(text string) string {
	if !s.alternate || strings.Contains(text, ".") {
		return text
	}
	if i := strings.IndexByte(text, 'e'); i >= 0 {
		return text[:i] + "." + text[i:]
	}
	return text + "."
}

// general rounds to a number of significant digits and drops trailing zeros; keepPoint is the
// layout of a float without a type, which always shows a fraction and turns to exponents a
// digit earlier.
func (s formatSpec) general(f float64, digits int, keepPoint bool) string {
	e := strconv.FormatFloat(f, 'e', digits-1, 64)
	limit := digits
	if keepPoint {
		limit--
	}
	if s.alternate {
		text := layoutFloat(e, max(limit, 1), false)
		return s.point(text)
	}
	mantissa, exponent, _ := strings.Cut(e, "e")
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	return layoutFloat(mantissa+"e"+exponent, limit, keepPoint)
}
