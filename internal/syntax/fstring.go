package syntax

import "strings"

// A quoteKind is what opens and closes a string.
type quoteKind struct {
	char   byte
	triple bool
}

func (q quoteKind) len() int32 {
	if q.triple {
		return 3
	}
	return 1
}

// closes reports whether the string's end is at off.
func (q quoteKind) closes(src string, off int32) bool {
	return src[off] == q.char && (!q.triple || src[off+1] == q.char && src[off+2] == q.char)
}

// strings reads adjacent literals as one.
func (p *parser) strings() Expr {
	start := p.pos
	if p.tok == tokString {
		c := p.stringConstant()
		if p.tok != tokString && p.tok != tokFString {
			return c
		}
		return p.joinStrings(start, c)
	}
	return p.joinStrings(start, nil)
}

// stringConstant takes one string token.
func (p *parser) stringConstant() *Constant {
	l := p.literal()
	c := p.constants.alloc()
	c.Span = Span{p.pos, p.end}
	c.Kind = ConstStr
	if l.bytes {
		c.Kind = ConstBytes
	}
	c.Unicode = l.unicode
	c.Text = p.value(l)
	p.next()
	return c
}

// joinStrings reads the literals that follow first, which may be nil, and joins
// them.
func (p *parser) joinStrings(start int32, first *Constant) Expr {
	mark := p.exprList.mark()
	if first != nil {
		p.exprList.push(first)
	}
	formatted := false
	for {
		switch p.tok {
		case tokString:
			p.exprList.push(p.stringConstant())
			continue
		case tokFString:
			formatted = true
			p.fstring()
			continue
		}
		break
	}
	if p.failed {
		p.exprList.take(mark)
		return p.bad(start)
	}
	bytes, others := kindsOf(p.exprList.items[mark:])
	if bytes && (others || formatted) {
		p.fail(p.span(start), "mixed-literals", "cannot mix bytes and nonbytes literals")
		p.exprList.take(mark)
		return p.bad(start)
	}
	if !formatted {
		c := p.joinConstants(p.exprList.items[mark:])
		p.exprList.take(mark)
		return c
	}
	n := p.joined.alloc()
	*n = JoinedStr{p.span(start), p.foldConstants(mark)}
	return n
}

// kindsOf reports whether there are bytes among literals, and anything else.
func kindsOf(parts []Expr) (bytes, others bool) {
	for _, e := range parts {
		if c, ok := e.(*Constant); ok && c.Kind == ConstBytes {
			bytes = true
		} else {
			others = true
		}
	}
	return bytes, others
}

// joinConstants makes one constant of several; it has the first one's kind.
func (p *parser) joinConstants(parts []Expr) *Constant {
	first := parts[0].(*Constant)
	if len(parts) == 1 {
		return first
	}
	var text strings.Builder
	n := 0
	for _, e := range parts {
		n += len(e.(*Constant).Text)
	}
	text.Grow(n)
	for _, e := range parts {
		text.WriteString(e.(*Constant).Text)
	}
	c := p.constants.alloc()
	*c = *first
	c.End = parts[len(parts)-1].Range().End
	c.Text = text.String()
	return c
}

// foldConstants takes the parts of an f-string: neighbouring constants become
// one, empty ones fall away.
func (p *parser) foldConstants(mark int) []Expr {
	parts := p.exprList.items[mark:]
	kept := parts[:0]
	for i := 0; i < len(parts); {
		end := i
		for end < len(parts) && isConstant(parts[end]) {
			end++
		}
		if end == i {
			kept = append(kept, parts[i])
			i++
			continue
		}
		if c := p.joinConstants(parts[i:end]); c.Text != "" {
			kept = append(kept, c)
		}
		i = end
	}
	p.exprList.items = p.exprList.items[:mark+len(kept)]
	return p.exprList.take(mark)
}

func isConstant(e Expr) bool {
	_, ok := e.(*Constant)
	return ok
}

// fstring reads an f-string, at whose opening the parser stands, and pushes its
// parts.
func (p *parser) fstring() {
	p.enter()
	defer p.leave()
	open := Span{p.pos, p.end}
	raw := strings.ContainsAny(p.text(), "rR")
	q := quoteKind{p.src[p.end-1], false}
	q.triple = p.end-p.pos > 3 && p.src[p.end-3] == q.char
	outer := p.fieldQuote
	p.fieldQuote = q
	for !p.failed {
		switch p.fstringText(open, q, raw, false) {
		case '{':
			p.field(open, q, raw)
			continue
		case q.char:
			p.setToken(tokString, open.Pos, p.off+q.len())
			p.fieldQuote = outer
			p.next()
		}
		break
	}
	p.fieldQuote = outer
}

// fstringText pushes the text of an f-string, or of a format specification, up
// to what it returns: the { of a field, the quote that ends the string, the }
// that ends the specification, or 0 after an error. That byte is at p.off.
func (p *parser) fstringText(open Span, q quoteKind, raw, spec bool) byte {
	src := p.src
	from := p.off
	off := from
	for {
		c := src[off]
		switch {
		case c == q.char && q.closes(src, off):
			p.fstringPart(from, off, off, raw)
			p.off = off
			return c
		case c == '{' && src[off+1] == '{' && !spec, c == '}' && src[off+1] == '}' && !spec:
			p.fstringPart(from, off+1, off+2, raw)
			off += 2
			from = off
			continue
		case c == '{', c == '}' && spec:
			p.fstringPart(from, off, off, raw)
			p.off = off
			return c
		case c == '}':
			p.setToken(tokEOF, off, off+1)
			p.fail(Span{off, off + 1}, "single-brace", "f-string: single '}' is not allowed")
			return 0
		case c == '\\':
			off = afterBackslash(src, off, raw)
			continue
		case (c == '\n' || c == '\r') && !q.triple:
			p.fstringNewline(open, off, q, spec)
			return 0
		case c == 0:
			p.fstringUnterminated(open, off, q)
			return 0
		}
		off++
	}
}

// afterBackslash moves over a backslash and what it escapes. A brace is not
// escaped, but that of a named character is.
func afterBackslash(src string, off int32, raw bool) int32 {
	next := src[off+1]
	switch {
	case next == '{' || next == '}' || next == 0:
		return off + 1
	case next == '\r' && src[off+2] == '\n':
		return off + 3
	case next == 'N' && !raw && src[off+2] == '{':
		for end := off + 3; ; end++ {
			switch src[end] {
			case '}':
				return end + 1
			case '{', '\'', '"', '\n', '\r', 0:
				return off + 3
			}
		}
	}
	return off + 2
}

// fstringNewline fails for a line's end in an f-string of one line.
func (p *parser) fstringNewline(open Span, off int32, q quoteKind, spec bool) {
	if !spec {
		p.fstringUnterminated(open, off, q)
		return
	}
	p.setToken(tokEOF, off, off)
	p.fail(p.here(), newlineInSpec, "f-string: newlines are not allowed in format specifiers for single quoted f-strings")
}

// newlineInSpec is the code of an error that the first releases of Python 3.12
// and 3.13 do not find.
const newlineInSpec = "newline-in-spec"

func (p *parser) fstringUnterminated(open Span, off int32, q quoteKind) {
	p.setToken(tokEOF, off, off)
	if q.triple {
		p.fail(open, "unterminated-string", "unterminated triple-quoted f-string literal")
		return
	}
	p.fail(open, "unterminated-string", "unterminated f-string literal")
}

// fstringPart pushes a piece of text, unless it is empty. Its span ends at end:
// a doubled brace counts whole, though it stands for one.
func (p *parser) fstringPart(from, to, end int32, raw bool) {
	if from == to {
		return
	}
	c := p.constants.alloc()
	*c = Constant{Span: Span{from, end}, Kind: ConstStr, Text: p.decode(p.src[from:to], from, raw, false)}
	p.exprList.push(c)
}

// field reads a replacement field, whose { is at p.off, and pushes it.
func (p *parser) field(open Span, q quoteKind, raw bool) {
	start := p.off
	comments := len(p.fieldComments)
	p.setToken(tokLBrace, start, start+1)
	p.pushBracket(start, fieldBracket)
	p.next()
	switch p.tok {
	case tokRBrace, tokBang, tokColon, tokAssign:
		p.fail(p.here(), "empty-field", "f-string: valid expression required before '%s'", p.text())
	}
	v := p.formatted.alloc()
	v.Conversion = -1
	v.Value = p.yieldOrStar()
	debug := p.tok == tokAssign
	if debug {
		p.next()
		c := p.constants.alloc()
		*c = Constant{Span: Span{start + 1, p.pos}, Kind: ConstStr, Text: p.debugText(comments, start+1)}
		p.exprList.push(c)
	}
	p.fieldComments = p.fieldComments[:comments]
	if p.tok == tokBang {
		v.Conversion = p.conversion()
	}
	if p.tok == tokColon {
		v.FormatSpec = p.formatSpec(open, q, raw)
	}
	if p.tok != tokRBrace {
		p.fieldEnd(v, debug)
	}
	if debug && v.Conversion < 0 && v.FormatSpec == nil {
		v.Conversion = 'r'
	}
	v.Span = Span{start, p.end}
	p.exprList.push(v)
	p.grew()
}

// debugText is what {value=} shows of its field: the text from start to the
// current token less the comments, which are those of fieldComments from the
// given one on.
func (p *parser) debugText(comments int, start int32) string {
	if p.failed {
		return ""
	}
	var text strings.Builder
	for _, c := range p.fieldComments[comments:] {
		text.WriteString(p.src[start:c.Pos])
		start = c.End
	}
	text.WriteString(p.src[start:p.pos])
	return newlines.Replace(text.String())
}

// fieldEnd reports that a field does not end where it should.
func (p *parser) fieldEnd(v *FormattedValue, debug bool) {
	expected := "'=', or '!', or ':', or '}'"
	switch {
	case startsExpr[p.tok], p.tok == tokEOF:
		p.unexpected()
		return
	case v.FormatSpec != nil:
		expected = "'}'"
	case v.Conversion >= 0:
		expected = "':' or '}'"
	case debug:
		expected = "'!', or ':', or '}'"
	}
	p.fail(p.here(), "unterminated-field", "f-string: expecting %s", expected)
}

// conversion reads !r and its like.
func (p *parser) conversion() int32 {
	bang := p.end
	p.next()
	switch {
	case p.tok != tokName:
		p.fail(p.here(), "bad-conversion", "f-string: invalid conversion character: expected 's', 'r', or 'a'")
		return -1
	case p.pos != bang:
		p.fail(p.here(), "bad-conversion", "f-string: conversion type must come right after the exclamation mark")
		return -1
	}
	switch text := p.text(); text {
	case "s", "r", "a":
		p.next()
		return int32(text[0])
	default:
		p.fail(p.here(), "bad-conversion", "f-string: invalid conversion character '%s': expected 's', 'r', or 'a'", text)
		return -1
	}
}

// formatSpec reads what follows the colon of a field, up to its }.
func (p *parser) formatSpec(open Span, q quoteKind, raw bool) *JoinedStr {
	p.enter()
	defer p.leave()
	start := p.pos
	mark := p.exprList.mark()
	for !p.failed {
		switch p.fstringText(open, q, raw, true) {
		case '{':
			p.field(open, q, raw)
			continue
		case q.char:
			p.setToken(tokEOF, p.off, p.off+1)
			p.fail(p.here(), "unterminated-field", "f-string: expecting '}'")
		}
		break
	}
	n := p.joined.alloc()
	n.Span = Span{start, max(start, p.off)}
	if p.failed {
		n.End = p.pos
	}
	n.Values = p.foldConstants(mark)
	p.next()
	return n
}

// skipFString moves over the rest of an f-string without a look at its fields.
func (p *parser) skipFString() {
	q := quoteKind{p.src[p.end-1], false}
	q.triple = p.end-p.pos > 3 && p.src[p.end-3] == q.char
	for off := p.off; ; off++ {
		switch c := p.src[off]; {
		case q.closes(p.src, off):
			p.off = off + q.len()
			return
		case c == '\\' && p.src[off+1] != 0:
			off++
		case c == 0, !q.triple && (c == '\n' || c == '\r'):
			p.off = off
			return
		}
	}
}
