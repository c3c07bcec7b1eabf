package mlir

import (
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A scanner reads text where the parser stands: types and numbers run into each other in MLIR (64x32xf16), so that there are no
// tokens that do not depend on what is expected. The first error ends it; the scanner then stands at the end.
type scanner struct {
	name string
	src  string
	at   int
	err  *diag.Error

	unsigned bool // the last type with a sign was of unsigned integers
}

// fail notes an error at a place of the text.
func (s *scanner) fail(at int, c *diag.Category, code, format string, args ...any) {
	if s.err == nil {
		s.err = diag.At(c, s.place(at), format, args...).WithCode(code)
	}
	s.at = len(s.src)
}

func (s *scanner) syntax(format string, args ...any) {
	s.fail(s.at, diag.Syntax, "mlir-syntax", format, args...)
}

// place gives line and column of an offset.
func (s *scanner) place(at int) diag.Place {
	at = min(at, len(s.src))
	start := strings.LastIndexByte(s.src[:at], '\n') + 1
	line, _, _ := strings.Cut(s.src[start:], "\n")
	return diag.Place{File: s.name, Line: 1 + strings.Count(s.src[:start], "\n"), Col: 1 + at - start, Text: line}
}

// space skips white space and comments.
func (s *scanner) space() {
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case c == ' ', c == '\t', c == '\n', c == '\r':
			s.at++
		case strings.HasPrefix(s.src[s.at:], "//"):
			i := strings.IndexByte(s.src[s.at:], '\n')
			if i < 0 {
				i = len(s.src) - s.at
			}
			s.at += i
		default:
			return
		}
	}
}

// peek gives the next character, 0 at the end.
func (s *scanner) peek() byte {
	s.space()
	if s.at >= len(s.src) {
		return 0
	}
	return s.src[s.at]
}

// accept takes a text if it comes next. A word is taken only whole.
func (s *scanner) accept(text string) bool {
	s.space()
	if !strings.HasPrefix(s.src[s.at:], text) {
		return false
	}
	end := s.at + len(text)
	if isWord(text[len(text)-1]) && end < len(s.src) && isWord(s.src[end]) {
		return false
	}
	s.at = end
	return true
}

// expect takes a text that has to come next.
func (s *scanner) expect(text string) {
	if !s.accept(text) {
		s.syntax("expected %q, not %s", text, s.describe())
	}
}

// describe says what comes next.
func (s *scanner) describe() string {
	s.space()
	rest := s.src[s.at:]
	if rest == "" {
		return "the end"
	}
	n := 1
	for n < len(rest) && n < 40 && isWord(rest[n]) && isWord(rest[0]) {
		n++
	}
	return strconv.Quote(rest[:n])
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// word reads a name, which may have points and, after the first character, hyphens in it.
func (s *scanner) word() string {
	s.space()
	start := s.at
	for s.at < len(s.src) && (isWord(s.src[s.at]) || s.src[s.at] == '.') {
		s.at++
	}
	if start == s.at {
		s.syntax("expected a name, not %s", s.describe())
	}
	return s.src[start:s.at]
}

// value reads %name or %name#1.
func (s *scanner) value() string {
	s.space()
	start := s.at
	if s.peek() != '%' {
		s.syntax("expected a value, not %s", s.describe())
		return ""
	}
	s.at++
	for s.at < len(s.src) && (isWord(s.src[s.at]) || strings.IndexByte(".-#", s.src[s.at]) >= 0) {
		s.at++
	}
	return s.src[start:s.at]
}

// text reads a string in quotes.
func (s *scanner) text() string {
	s.expect(`"`)
	var b []byte
	for s.at < len(s.src) {
		c := s.src[s.at]
		s.at++
		switch {
		case c == '"':
			return string(b)
		case c == '\\' && s.at+1 < len(s.src):
			if n, err := strconv.ParseUint(s.src[s.at:s.at+2], 16, 8); err == nil {
				b = append(b, byte(n))
				s.at += 2
				continue
			}
			escapes := map[byte]byte{'n': '\n', 't': '\t', '"': '"', '\\': '\\'}
			b = append(b, escapes[s.src[s.at]])
			s.at++
		default:
			b = append(b, c)
		}
	}
	s.syntax("the string does not end")
	return ""
}

// number reads the text of a number: decimal, hexadecimal, with a sign or an exponent.
func (s *scanner) number() string {
	s.space()
	start := s.at
	if s.at < len(s.src) && (s.src[s.at] == '-' || s.src[s.at] == '+') {
		s.at++
	}
	for s.at < len(s.src) {
		c := s.src[s.at]
		exponent := (c == '-' || c == '+') && (s.src[s.at-1] == 'e' || s.src[s.at-1] == 'E') && !strings.HasPrefix(s.src[start:], "0x")
		if !isWord(c) && c != '.' && !exponent {
			break
		}
		s.at++
	}
	if start == s.at {
		s.syntax("expected a number, not %s", s.describe())
	}
	return s.src[start:s.at]
}

// integer reads an integer.
func (s *scanner) integer() int64 {
	s.space()
	at := s.at
	n, err := strconv.ParseInt(s.number(), 0, 64)
	if err != nil && s.err == nil {
		s.fail(at, diag.Syntax, "mlir-syntax", "expected an integer")
	}
	return n
}

// balanced reads until one of some characters that stands outside of brackets and strings.
func (s *scanner) balanced(until string) string {
	s.space()
	start, depth := s.at, 0
	for s.at < len(s.src) {
		c := s.src[s.at]
		switch {
		case depth == 0 && strings.IndexByte(until, c) >= 0:
			return strings.TrimSpace(s.src[start:s.at])
		case c == '"':
			s.text()
			continue
		case strings.IndexByte("<([{", c) >= 0:
			depth++
		case c == '>' && s.at > 0 && s.src[s.at-1] == '-': // an arrow
		case strings.IndexByte(">)]}", c) >= 0:
			depth--
		}
		s.at++
	}
	s.syntax("expected one of %q before the end", until)
	return ""
}

// dict reads attributes in braces, by name: their texts. Those without a value have "".
func (s *scanner) dict() map[string]string {
	list := map[string]string{}
	s.expect("{")
	for s.err == nil && !s.accept("}") {
		var key string
		if s.peek() == '"' {
			key = s.text()
		} else {
			key = s.word()
		}
		list[key] = ""
		if s.accept("=") {
			list[key] = s.balanced(",}")
		}
		if !s.accept(",") && s.peek() != '}' {
			s.syntax("expected \",\" or \"}\", not %s", s.describe())
		}
	}
	return list
}

// elems are the element types by name.
var elems = func() map[string]tile.Elem {
	m := map[string]tile.Elem{}
	for e, name := range elemNames {
		m[name] = e
	}
	return m
}()

// typ reads a type.
func (s *scanner) typ() tile.Type {
	s.space()
	at := s.at
	switch {
	case s.accept("tensor<"):
		t := s.shaped()
		if s.accept(",") {
			s.fail(at, diag.Unsupported, "mlir", "tensors with a layout are later than what is read here")
		}
		s.expect(">")
		return t
	case s.accept("!tt.ptr<"):
		t := s.typ()
		if s.accept(",") {
			s.integer() // the address space
		}
		s.expect(">")
		return tile.PtrTo(t)
	case s.accept("!tt.tensordesc<"):
		return s.descriptor()
	}
	name := s.word()
	e, ok := elems[name]
	if signless := strings.TrimLeft(name, "su"); !ok && len(name) == len(signless)+1 && strings.HasPrefix(signless, "i") {
		e, ok = elems[signless] // integers have a sign in descriptors only
		s.unsigned = ok && name[0] == 'u'
	}
	if !ok {
		s.fail(at, diag.Unsupported, "mlir", "there is no type %s here", name)
		return tile.Scalar(tile.I32)
	}
	return tile.Scalar(e)
}

// descriptor reads the rest of a descriptor's type.
func (s *scanner) descriptor() tile.Type {
	var block tile.Type
	if s.accept("tensor<") {
		block = s.shaped()
		s.expect(">")
	} else {
		block = s.shaped()
	}
	s.expect(">")
	return tile.DescOf(block, tile.DescKind{})
}

// shaped reads dimensions and an element: 64x32xf16.
func (s *scanner) shaped() tile.Type {
	at := s.at
	var shape []int
	for {
		s.space()
		digits := s.at
		for digits < len(s.src) && s.src[digits] >= '0' && s.src[digits] <= '9' {
			digits++
		}
		if digits == s.at || digits >= len(s.src) || s.src[digits] != 'x' {
			break
		}
		n, err := strconv.Atoi(s.src[s.at:digits])
		if err != nil {
			n = 0
		}
		shape = append(shape, n)
		s.at = digits + 1
	}
	elem := s.typ()
	t, ok := elem.WithShape(shape...)
	if !ok || !elem.IsScalar() || elem.IsDesc() {
		s.fail(at, diag.Unsupported, "mlir", "tiles have dimensions that are powers of two, and at most 2^%d elements", tile.MaxLogElems)
		return elem
	}
	return t
}
