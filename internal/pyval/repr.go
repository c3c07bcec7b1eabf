package pyval

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
)

// Str gives str(v).
func Str(v Value) string {
	if o, ok := v.(Strer); ok {
		return o.Str()
	}
	if s, ok := unbox(v).(string); ok {
		return s
	}
	return Repr(v)
}

// Repr gives repr(v). Beyond MaxLen bytes or too deep a nesting it ends in "...".
func Repr(v Value) string {
	var p printer
	p.value(v, 0)
	return p.b.String()
}

type printer struct{ b strings.Builder }

func (p *printer) value(v Value, depth int) {
	if depth > maxDepth || p.b.Len() > MaxLen {
		p.b.WriteString("...")
		return
	}
	switch v := v.(type) {
	case NoneType:
		p.b.WriteString("None")
	case EllipsisType:
		p.b.WriteString("Ellipsis")
	case bool:
		p.b.WriteString(map[bool]string{true: "True", false: "False"}[v])
	case int64:
		p.b.WriteString(strconv.FormatInt(v, 10))
	case *big.Int:
		p.b.WriteString(v.String())
	case float64:
		p.b.WriteString(reprFloat(v))
	case string:
		p.b.WriteString(reprString(v, false))
	case Tuple:
		p.tuple(v, depth)
	case *List:
		p.elems("[", v.Elems, "]", depth)
	case *Dict:
		p.dict(v, depth)
	case *Set:
		p.set(v, depth)
	case Range:
		p.b.WriteString("range(" + strconv.FormatInt(v.Start, 10) + ", " + strconv.FormatInt(v.Stop, 10))
		if v.Step != 1 {
			p.b.WriteString(", " + strconv.FormatInt(v.Step, 10))
		}
		p.b.WriteString(")")
	case Slice:
		p.elems("slice(", []Value{v.Start, v.Stop, v.Step}, ")", depth)
	case Reprer:
		p.b.WriteString(v.Repr())
	default:
		p.b.WriteString("<" + TypeName(v) + ">")
	}
}

func (p *printer) elems(open string, elems []Value, end string, depth int) {
	p.b.WriteString(open)
	for i, e := range elems {
		if i > 0 {
			p.b.WriteString(", ")
		}
		if p.b.Len() > MaxLen {
			p.b.WriteString("...")
			break
		}
		p.value(e, depth+1)
	}
	p.b.WriteString(end)
}

func (p *printer) tuple(t Tuple, depth int) {
	switch {
	case len(t.Names) == len(t.Elems) && t.Names != nil:
		p.b.WriteString("(")
		for i, e := range t.Elems {
			if i > 0 {
				p.b.WriteString(", ")
			}
			p.b.WriteString(t.Names[i] + "=")
			p.value(e, depth+1)
		}
		p.b.WriteString(")")
	case len(t.Elems) == 1:
		p.elems("(", t.Elems, ",)", depth)
	default:
		p.elems("(", t.Elems, ")", depth)
	}
}

func (p *printer) dict(d *Dict, depth int) {
	p.b.WriteString("{")
	first := true
	for k, v := range d.All() {
		if !first {
			p.b.WriteString(", ")
		}
		first = false
		if p.b.Len() > MaxLen {
			p.b.WriteString("...")
			break
		}
		p.value(k, depth+1)
		p.b.WriteString(": ")
		p.value(v, depth+1)
	}
	p.b.WriteString("}")
}

func (p *printer) set(s *Set, depth int) {
	switch {
	case s.Len() == 0:
		p.b.WriteString(TypeName(s) + "()")
	case s.Frozen:
		p.elems("frozenset({", s.Elems(), "})", depth)
	default:
		p.elems("{", s.Elems(), "}", depth)
	}
}

// reprFloat gives the shortest decimal that reads back as f, in Python's layout.
func reprFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	return layoutFloat(strconv.FormatFloat(f, 'e', -1, 64), 16, true)
}

// layoutFloat turns d.ddde±x into Python's layout: without an exponent if the exponent is at
// least -4 and below limit. point asks for ".0" after an integer.
func layoutFloat(e string, limit int, point bool) string {
	mantissa, exponent, _ := strings.Cut(e, "e")
	x, err := strconv.Atoi(exponent)
	if err != nil {
		return e
	}
	sign := ""
	if mantissa[0] == '-' {
		sign, mantissa = "-", mantissa[1:]
	}
	if x < -4 || x >= limit {
		return sign + mantissa + exponentText(x)
	}
	digits := strings.Replace(mantissa, ".", "", 1)
	switch {
	case x < 0:
		return sign + "0." + strings.Repeat("0", -x-1) + digits
	case len(digits) > x+1:
		return sign + digits[:x+1] + "." + digits[x+1:]
	}
	digits += strings.Repeat("0", x+1-len(digits))
	if point {
		digits += ".0"
	}
	return sign + digits
}

func exponentText(x int) string {
	sign := "+"
	if x < 0 {
		sign, x = "-", -x
	}
	if x < 10 {
		sign += "0"
	}
	return "e" + sign + strconv.Itoa(x)
}

// reprString quotes a string as Python does; ascii escapes all that is not ASCII.
func reprString(s string, ascii bool) string {
	quote := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	var b strings.Builder
	b.WriteRune(quote)
	for _, r := range runes(s) {
		switch {
		case r == quote || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r >= 0x20 && r < 0x7f:
			b.WriteRune(r)
		case r > 0x7f && !ascii && printable(r):
			b.WriteRune(r)
		default:
			b.WriteString(escapeRune(r))
		}
	}
	b.WriteRune(quote)
	return b.String()
}

func printable(r rune) bool {
	return unicode.IsPrint(r)
}

func escapeRune(r rune) string {
	hex := strconv.FormatInt(int64(r), 16)
	switch {
	case r <= 0xff:
		return `\x` + pad(hex, 2)
	case r <= 0xffff:
		return `\u` + pad(hex, 4)
	}
	return `\U` + pad(hex, 8)
}

func pad(s string, width int) string {
	return strings.Repeat("0", max(0, width-len(s))) + s
}
