package pyval

import (
	"math/big"
	"strings"
)

// printf gives format % arg.
func printf(format string, arg Value) (Value, error) {
	f := formatter{args: []Value{arg}}
	switch a := arg.(type) {
	case Tuple:
		f.args = a.Elems
	case *Dict:
		f.named = a
	}
	_, list := arg.(*List)
	mapping := list || f.named != nil // what has items may be left unused
	var b strings.Builder
	for rest := format; rest != ""; {
		i := strings.IndexByte(rest, '%')
		if i < 0 {
			b.WriteString(rest)
			break
		}
		b.WriteString(rest[:i])
		text, tail, err := f.conversion(rest[i+1:])
		if err != nil {
			return nil, err
		}
		b.WriteString(text)
		if b.Len() > MaxLen {
			return nil, tooLarge("str")
		}
		rest = tail
	}
	if f.next < len(f.args) && !mapping {
		return nil, typeError("not all arguments converted during string formatting")
	}
	return b.String(), nil
}

type formatter struct {
	args  []Value
	next  int
	named *Dict
}

func (f *formatter) arg() (Value, error) {
	if f.next >= len(f.args) {
		return nil, typeError("not enough arguments for format string")
	}
	f.next++
	return f.args[f.next-1], nil
}

// conversion reads one conversion after its % and gives its text.
func (f *formatter) conversion(s string) (text, rest string, err error) {
	if strings.HasPrefix(s, "%") {
		return "%", s[1:], nil
	}
	var v Value
	if strings.HasPrefix(s, "(") {
		name, tail, ok := strings.Cut(s[1:], ")")
		if !ok || f.named == nil {
			return "", "", typeError("format requires a mapping")
		}
		if v, err = GetItem(f.named, name); err != nil {
			return "", "", err
		}
		s = tail
	}
	spec := formatSpec{fill: ' ', align: '>', precision: -1}
	flags := len(s) - len(strings.TrimLeft(s, "#0- +"))
	minus := spec.setFlags(s[:flags])
	s = s[flags:]
	if spec.width, s, err = f.number(s, 0); err != nil {
		return "", "", err
	}
	if minus || spec.width < 0 {
		spec.align, spec.fill, spec.width = '<', ' ', max(spec.width, -spec.width)
	}
	if strings.HasPrefix(s, ".") {
		if spec.precision, s, err = f.number(s[1:], 0); err != nil {
			return "", "", err
		}
	}
	s = strings.TrimLeft(s, "hlL")
	if s == "" {
		return "", "", valueError("incomplete format")
	}
	if v == nil {
		if v, err = f.arg(); err != nil {
			return "", "", err
		}
	}
	text, err = spec.convert(s[0], v)
	return text, s[1:], err
}

// setFlags applies the flags and reports whether - is among them.
func (s *formatSpec) setFlags(flags string) (minus bool) {
	for _, c := range flags {
		switch c {
		case '#':
			s.alternate = true
		case '0':
			s.fill, s.align = '0', '='
		case '+':
			s.sign = '+'
		case ' ':
			if s.sign == 0 {
				s.sign = ' '
			}
		case '-':
			minus = true
		}
	}
	return minus
}

// number reads a width or precision, which * takes from the arguments.
func (f *formatter) number(s string, missing int) (int, string, error) {
	if !strings.HasPrefix(s, "*") {
		return takeNumber(s, missing)
	}
	v, err := f.arg()
	if err != nil {
		return 0, s, err
	}
	n, ok := v.(int64)
	if !ok || n > maxWidth || n < -maxWidth {
		return 0, s, typeError("* wants int")
	}
	return int(n), s[1:], nil
}

func (s formatSpec) convert(kind byte, v Value) (string, error) {
	switch kind {
	case 's', 'r', 'a':
		return s.convertText(kind, v)
	case 'd', 'i', 'u', 'x', 'X', 'o':
		return s.convertInt(kind, v)
	case 'e', 'E', 'f', 'F', 'g', 'G':
		f, err := toFloat(v)
		if err != nil {
			return "", err
		}
		s.typ = kind
		return s.formatFloat(f)
	case 'c':
		s.precision = -1
		if c, ok := v.(string); ok && runeCount(c) == 1 {
			return s.convertText('s', c)
		}
		if !isInt(unbox(v)) {
			return "", typeError("%%c requires int or char")
		}
		c, err := chr(v)
		if err != nil {
			return "", Errorf("OverflowError", "%%c arg not in range(0x110000)")
		}
		return s.convertText('s', c)
	}
	return "", valueError("unsupported format character '%c' (0x%x)", kind, kind)
}

func (s formatSpec) convertText(kind byte, v Value) (string, error) {
	text := Str(v)
	switch kind {
	case 'r':
		text = Repr(v)
	case 'a':
		text = asciiRepr(v)
	}
	if rs := runes(text); s.precision >= 0 && len(rs) > s.precision {
		text = encodeRunes(rs[:s.precision]...)
	}
	if s.align == '=' {
		s.fill, s.align = ' ', '>'
	}
	return s.pad("", text), nil
}

func (s formatSpec) convertInt(kind byte, v Value) (string, error) {
	v = unbox(v)
	if f, ok := v.(float64); ok && strings.IndexByte("diu", kind) >= 0 {
		n, err := floatInt(f)
		if err != nil {
			return "", err
		}
		v = n
	}
	if !isInt(v) {
		want := "an integer"
		if strings.IndexByte("diu", kind) >= 0 {
			want = "a real number"
		}
		return "", typeError("%%%c format: %s is required, not %s", kind, want, TypeName(v))
	}
	if strings.IndexByte("iu", kind) >= 0 {
		kind = 'd'
	}
	b := intBases[kind]
	n := bigOf(v)
	digits := pad(new(big.Int).Abs(n).Text(b.base), s.precision)
	if kind == 'X' {
		digits = strings.ToUpper(digits)
	}
	prefix := s.signText(n.Sign() < 0)
	if s.alternate {
		prefix += b.prefix
	}
	return s.pad(prefix, digits), nil
}
