package syntax

import "strings"

// Limits that CPython has too.
const (
	maxIndents  = 100
	maxBrackets = 200
)

// tabSize is what a tab counts for when indentation is compared.
const tabSize = 8

// An indent is the width of an indentation, with tabs as tabSize columns and
// with tabs as one. Two lines are comparable only if both widths agree.
type indent struct{ width, alt int32 }

// A bracket is one that is open: its byte, or fieldBracket for the { of an
// f-string's field.
type bracket struct {
	kind byte
	pos  int32
}

// fieldBracket is the kind of the { that opens a replacement field.
const fieldBracket = 'f'

// A cursor is the state of the lexer less the contents of its two stacks.
type cursor struct {
	tok      token
	escapes  bool // a string token has a backslash or a carriage return
	unicode  bool // a name or string token has a byte beyond ASCII
	pos, end int32
	off      int32 // where the next token's search starts
	prevEnd  int32 // end of the last token that is no line token
	indents  int32
	brackets int32
	dedents  int32 // dedent tokens still to come
}

// A class says what a byte may start.
type class uint8

const (
	classBad class = iota
	classSpace
	className
	classDigit
	classQuote
	classOp
	classOpen
	classClose
	classDot
	classNewline
	classComment
	classBackslash
	classNul
)

// Bits of wordByte.
const (
	wordPart    = 1 << iota // letter, digit, underscore, byte beyond ASCII
	wordUnicode             // byte beyond ASCII
)

var (
	classOf  [256]class
	wordByte [256]uint8

	// stringStop marks the bytes at which the reading of a string's text stops
	// to look; lineStop those that may end a line.
	stringStop [256]bool
	lineStop   = [256]bool{'\n': true, '\r': true, 0: true}
)

func init() {
	for c := range 256 {
		switch {
		case c >= 0x80:
			classOf[c], wordByte[c] = className, wordPart|wordUnicode
		case c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z':
			classOf[c], wordByte[c] = className, wordPart
		case '0' <= c && c <= '9':
			classOf[c], wordByte[c] = classDigit, wordPart
		case operators[c].single != 0:
			classOf[c] = classOp
		}
		stringStop[c] = c >= 0x80 || strings.ContainsRune("\x00\n\r\\'\"", rune(c))
	}
	for chars, class := range map[string]class{
		" \t\f": classSpace, "\r\n": classNewline, "'\"": classQuote, "([{": classOpen,
		")]}": classClose, ".": classDot, "#": classComment, "\\": classBackslash, "\x00": classNul,
	} {
		for _, c := range chars {
			classOf[c] = class
		}
	}
}

// next moves to the next token.
//
// A line token's end is the end of the token before it, so that prevEnd passes
// over line tokens.
func (p *parser) next() {
	p.prevEnd = p.end
	if p.tok <= tokDedent && p.lineToken() {
		return
	}
	src := p.src
	off := p.off
	for {
		c := src[off]
		switch classOf[c] {
		case classSpace:
			off++
			continue
		case className:
			p.word(off)
		case classOp:
			p.operator(off, c)
		case classOpen:
			p.openBracket(off, c)
		case classClose:
			p.closeBracket(off, c)
		case classDigit:
			p.number(off)
		case classQuote:
			p.pos = off
			p.stringToken(off)
		case classDot:
			p.dot(off)
		case classComment:
			off = p.comment(off)
			continue
		case classNewline:
			if p.brackets > 0 {
				off++
				continue
			}
			p.setToken(tokNewline, off, off)
			p.end = p.prevEnd
			p.off = afterNewline(src, off)
		case classBackslash:
			after, ok := p.continuation(off)
			if !ok {
				return
			}
			off = after
			continue
		case classNul:
			p.endOfSource(off)
		default:
			p.badChar(off)
		}
		return
	}
}

func (p *parser) setToken(t token, pos, end int32) {
	p.tok, p.pos, p.end, p.off = t, pos, end, end
}

// lineEnd gives the offset of the line's end from a place in it.
func (p *parser) lineEnd(off int32) int32 {
	src := p.src
	for !lineStop[src[off]] {
		off++
	}
	return off
}

// comment gives the offset of a comment's end.
func (p *parser) comment(off int32) int32 {
	end := p.lineEnd(off)
	if p.fieldQuote.char != 0 {
		p.fieldComments = append(p.fieldComments, Span{off, end})
	}
	return end
}

// afterNewline gives the offset behind the line's end that off points at.
func afterNewline(src string, off int32) int32 {
	if src[off] == '\r' && src[off+1] == '\n' {
		return off + 2
	}
	return off + 1
}

// continuation gives the offset of the line after a backslash.
func (p *parser) continuation(off int32) (after int32, ok bool) {
	switch p.src[off+1] {
	case '\n', '\r':
		after = afterNewline(p.src, off+1)
		if !p.atEnd(after) {
			return after, true
		}
		p.setToken(tokEOF, off, off+1)
		p.fail(Span{off, off + 1}, "unexpected-eof", "unexpected end of file after a line continuation")
	default:
		if p.atEnd(off + 1) {
			p.setToken(tokEOF, off, off+1)
			p.fail(Span{off, off + 1}, "unexpected-eof", "unexpected end of file after a line continuation")
			break
		}
		p.setToken(tokEOF, off, p.lineEnd(off))
		p.fail(Span{off, off + 1}, "bad-continuation", "unexpected character after line continuation character")
	}
	return 0, false
}

func (p *parser) atEnd(off int32) bool { return int(off) == len(p.src)-1 }

// word reads an identifier, a keyword or the prefix of a string.
func (p *parser) word(off int32) {
	src := p.src
	end := off
	var seen uint8
	for {
		b := wordByte[src[end]]
		if b == 0 {
			break
		}
		seen |= b
		end++
	}
	text := src[off:end]
	if c := src[end]; (c == '"' || c == '\'') && len(text) <= 2 && isStringPrefix(text) {
		p.pos = off
		p.stringToken(end)
		return
	}
	p.setToken(keywordToken(text), off, end)
	p.unicode = seen&wordUnicode != 0
	if p.unicode {
		p.checkIdentifier(text, off)
	}
}

// isStringPrefix reports whether a word of at most two bytes before a quote
// belongs to the literal.
func isStringPrefix(word string) bool {
	switch strings.ToLower(word) {
	case "r", "u", "b", "f", "br", "rb", "fr", "rf":
		return true
	}
	return false
}

// operator reads an operator or a delimiter that is no bracket.
func (p *parser) operator(off int32, c byte) {
	op := &operators[c&0x7f]
	next := p.src[off+1]
	switch {
	case next == '=' && op.withEq != 0:
		if c == ':' && p.inField() {
			break // a format specification that starts with =
		}
		p.setToken(op.withEq, off, off+2)
		return
	case next == c && op.double != 0:
		if p.src[off+2] == '=' {
			p.setToken(op.doubleEq, off, off+3)
			return
		}
		p.setToken(op.double, off, off+2)
		return
	case c == '-' && next == '>':
		p.setToken(tokArrow, off, off+2)
		return
	}
	p.setToken(op.single, off, off+1)
}

// inField reports whether the innermost open bracket is a replacement field's.
func (p *parser) inField() bool {
	return p.brackets > 0 && p.bracketStack[p.brackets-1].kind == fieldBracket
}

// dot reads what a dot starts.
func (p *parser) dot(off int32) {
	next := p.src[off+1]
	switch {
	case classOf[next] == classDigit:
		p.number(off)
	case next == '.' && p.src[off+2] == '.':
		p.setToken(tokEllipsis, off, off+3)
	default:
		p.setToken(tokDot, off, off+1)
	}
}

var openToken = [128]token{'(': tokLParen, '[': tokLBrack, '{': tokLBrace}

var closeToken = [128]token{')': tokRParen, ']': tokRBrack, '}': tokRBrace}

func (p *parser) openBracket(off int32, c byte) {
	p.setToken(openToken[c&0x7f], off, off+1)
	p.pushBracket(off, c)
}

func (p *parser) pushBracket(off int32, kind byte) {
	if p.brackets == maxBrackets {
		p.fail(Span{off, off + 1}, tooNested, "too many nested brackets (the limit is %d)", maxBrackets)
		return
	}
	p.bracketStack[p.brackets] = bracket{kind, off}
	p.brackets++
}

func (p *parser) closeBracket(off int32, c byte) {
	p.setToken(closeToken[c&0x7f], off, off+1)
	span := Span{off, off + 1}
	if p.brackets == 0 {
		p.fail(span, "unmatched-bracket", "unmatched '%c'", c)
		return
	}
	open := p.bracketStack[p.brackets-1]
	if closerOf(open.kind) == c {
		p.brackets--
		return
	}
	where := ""
	if line, _ := p.file.Position(open.pos); line != p.line(off) {
		where = " on line " + itoa(line)
	}
	fstring := ""
	if open.kind == fieldBracket {
		fstring = "f-string: "
	}
	p.fail(span, "mismatched-bracket", "%sclosing parenthesis '%c' does not match opening parenthesis '%c'%s",
		fstring, c, p.src[open.pos], where)
}

// closerOf gives the byte that closes a bracket.
func closerOf(kind byte) byte {
	switch kind {
	case '(':
		return ')'
	case '[':
		return ']'
	}
	return '}'
}

// endOfSource gives the last tokens: the newline that the last line may lack,
// then the end. While an error is being left behind it is the only token: the
// parser's rules then end one after the other.
func (p *parser) endOfSource(off int32) {
	if p.failed {
		p.setToken(tokEOF, p.resume.pos, p.resume.pos)
		p.off = off
		return
	}
	t := tokEOF
	if p.brackets == 0 && p.tok > tokEOF {
		t = tokNewline
	}
	p.setToken(t, off, p.prevEnd)
	p.off = off
}
