package syntax

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tegula-lang/tegula/internal/syntax/charname"
)

// stringToken reads a string literal, or the opening of an f-string, whose
// prefix starts at p.pos and whose quote is at quote.
func (p *parser) stringToken(quote int32) {
	src := p.src
	pos := p.pos
	for _, c := range src[pos:quote] {
		if c|0x20 == 'f' {
			p.setToken(tokFString, pos, quote+quoteLen(src, quote))
			return
		}
	}
	q := src[quote]
	n := quoteLen(src, quote)
	triple := n == 3
	p.escapes, p.unicode = false, false
	off := quote + n
	for {
		for !stringStop[src[off]] {
			off++
		}
		switch c := src[off]; {
		case c == q:
			if !triple {
				p.setToken(tokString, pos, off+1)
				return
			}
			if src[off+1] == q && src[off+2] == q {
				p.setToken(tokString, pos, off+3)
				return
			}
		case c >= utf8.RuneSelf:
			p.unicode = true
		case c == '\\':
			p.escapes = true
			off++
			if src[off] == '\r' && src[off+1] == '\n' {
				off++
			}
			if src[off] == 0 {
				continue // the end of the source, which a later turn finds
			}
		case c == '\r' && triple:
			p.escapes = true
		case (c == '\n' || c == '\r') && !triple, c == 0:
			p.unterminated(pos, off, q, triple)
			return
		}
		off++
	}
}

// quoteLen gives the length of the quotes that open a string: 1 or 3. An empty
// string's two quotes count as one and its end.
func quoteLen(src string, off int32) int32 {
	if q := src[off]; src[off+1] == q && src[off+2] == q {
		return 3
	}
	return 1
}

// unterminated fails for a string that its line or the file does not end.
func (p *parser) unterminated(pos, off int32, q byte, triple bool) {
	p.setToken(tokEOF, pos, off)
	at := Span{pos, off}
	switch {
	case p.inField() && p.fieldQuote == (quoteKind{q, triple}):
		p.fail(Span{pos, pos + 1}, "unterminated-field", "f-string: expecting '}'")
	case triple:
		p.fail(at, "unterminated-string", "unterminated triple-quoted string literal")
	default:
		p.fail(at, "unterminated-string", "unterminated string literal")
	}
}

// A literal is the shape of a string token.
type literal struct {
	raw, bytes, unicode bool   // unicode for the u prefix, but not for U, as in CPython
	body                string // between the quotes
	pos                 int32  // of body
}

// literal takes the current string token apart.
func (p *parser) literal() literal {
	var l literal
	off := p.pos
	for ; p.src[off] != '"' && p.src[off] != '\''; off++ {
		switch p.src[off] | 0x20 {
		case 'r':
			l.raw = true
		case 'b':
			l.bytes = true
		case 'u':
			l.unicode = p.src[off] == 'u'
		}
	}
	n := quoteLen(p.src, off)
	if p.end-off < 2*n {
		n = 1 // an empty string
	}
	l.pos = off + n
	l.body = p.src[l.pos : p.end-n]
	return l
}

// value decodes the current string token, which l describes. It fails for a
// wrong escape.
func (p *parser) value(l literal) string {
	if l.bytes && p.unicode {
		p.fail(Span{p.pos, p.end}, "bad-bytes", "bytes can only contain ASCII literal characters")
		return ""
	}
	if !p.escapes {
		return l.body
	}
	return p.decode(l.body, l.pos, l.raw, l.bytes)
}

// decode gives the value of a literal's body, or of a part of an f-string, that
// starts at pos.
func (p *parser) decode(body string, pos int32, raw, bytes bool) string {
	if strings.IndexByte(body, '\r') >= 0 {
		if raw || strings.IndexByte(body, '\\') < 0 {
			return newlines.Replace(body)
		}
	} else if raw || strings.IndexByte(body, '\\') < 0 {
		return body
	}
	d := decoder{src: body, bytes: bytes, out: make([]byte, 0, len(body))}
	if msg := d.run(); msg != "" {
		p.fail(Span{pos + int32(d.start), pos + int32(d.off)}, "bad-escape", "%s", msg)
		return ""
	}
	return string(d.out)
}

// newlines gives the source's line ends as the language has them.
var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// A decoder replaces the escapes of a literal.
type decoder struct {
	src   string
	off   int
	start int // of the escape that is being read
	bytes bool
	out   []byte
}

// simpleEscapes are the escapes of one character.
var simpleEscapes = [128]byte{
	'\\': '\\', '\'': '\'', '"': '"', 'a': '\a', 'b': '\b', 'f': '\f',
	'n': '\n', 'r': '\r', 't': '\t', 'v': '\v',
}

// run decodes the whole text; msg tells what is wrong with it, if anything.
func (d *decoder) run() (msg string) {
	for d.off < len(d.src) {
		c := d.src[d.off]
		switch {
		case c == '\r':
			d.newline()
			d.out = append(d.out, '\n')
			continue
		case c != '\\' || d.off+1 == len(d.src):
			d.out = append(d.out, c)
			d.off++
			continue
		}
		if msg = d.escape(); msg != "" {
			return msg
		}
	}
	return ""
}

// newline moves over a line's end.
func (d *decoder) newline() {
	if d.src[d.off] == '\r' && d.off+1 < len(d.src) && d.src[d.off+1] == '\n' {
		d.off++
	}
	d.off++
}

// escape decodes one escape; d.off is at its backslash.
func (d *decoder) escape() (msg string) {
	d.start = d.off
	d.off++
	c := d.src[d.off]
	switch {
	case c == '\n' || c == '\r':
		d.newline()
		return ""
	case c < 128 && simpleEscapes[c] != 0:
		d.out = append(d.out, simpleEscapes[c])
		d.off++
		return ""
	case '0' <= c && c <= '7':
		d.octal()
		return ""
	case c == 'x':
		return d.hex(2)
	case c == 'u' && !d.bytes:
		return d.hex(4)
	case c == 'U' && !d.bytes:
		return d.hex(8)
	case c == 'N' && !d.bytes:
		return d.named()
	}
	d.out = append(d.out, '\\') // no escape: the backslash stands for itself
	return ""
}

func (d *decoder) octal() {
	v := rune(0)
	for n := 0; n < 3 && d.off < len(d.src) && '0' <= d.src[d.off] && d.src[d.off] <= '7'; n++ {
		v = v*8 + rune(d.src[d.off]-'0')
		d.off++
	}
	d.put(v)
}

// hex decodes an escape of n digits.
func (d *decoder) hex(n int) (msg string) {
	letter := d.src[d.off]
	d.off++
	v := uint32(0)
	for range n {
		if d.off == len(d.src) || !isHexDigit(d.src[d.off]) {
			return truncated(letter, d.bytes)
		}
		v = v<<4 | uint32(hexValue(d.src[d.off]))
		d.off++
	}
	if v > utf8.MaxRune {
		return "illegal Unicode character: the largest is \\U0010ffff"
	}
	d.put(rune(v))
	return ""
}

// truncated is the message for an escape with too few digits.
func truncated(letter byte, bytes bool) string {
	if bytes {
		return "invalid \\x escape: two hexadecimal digits are needed"
	}
	switch letter {
	case 'x':
		return "truncated \\xXX escape"
	case 'u':
		return "truncated \\uXXXX escape"
	}
	return "truncated \\UXXXXXXXX escape"
}

func hexValue(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// put adds a character: a byte in bytes, else UTF-8, where a surrogate is
// encoded like any other character (WTF-8).
func (d *decoder) put(v rune) {
	switch {
	case d.bytes:
		d.out = append(d.out, byte(v))
	case 0xd800 <= v && v < 0xe000:
		d.out = append(d.out, 0xe0|byte(v>>12), 0x80|byte(v>>6)&0x3f, 0x80|byte(v)&0x3f)
	default:
		d.out = utf8.AppendRune(d.out, v)
	}
}

// named decodes \N{name}.
func (d *decoder) named() (msg string) {
	const malformed = "malformed \\N character escape"
	d.off++
	if d.off == len(d.src) || d.src[d.off] != '{' {
		return malformed
	}
	name, _, ok := strings.Cut(d.src[d.off+1:], "}")
	if !ok || name == "" {
		return malformed
	}
	d.off += len(name) + len("{}")
	r, ok := charname.Rune(name)
	if !ok {
		return "unknown Unicode character name " + strconv.Quote(name)
	}
	d.put(r)
	return ""
}
