package syntax

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// name takes the current token, which must be a name, and gives its text in
// normal form.
func (p *parser) name() string {
	if p.tok != tokName {
		p.unexpected()
		return ""
	}
	id := p.identifier()
	p.next()
	return id
}

// identifier is the current name token's text in normal form (PEP 3131).
func (p *parser) identifier() string {
	if p.unicode {
		return norm.NFKC.String(p.text())
	}
	return p.text()
}

// checkIdentifier refuses a word beyond ASCII that is no identifier.
func (p *parser) checkIdentifier(word string, off int32) {
	for i, r := range word {
		if isIdentifierRune(r, i == 0) {
			continue
		}
		n := int32(utf8.RuneLen(r))
		p.badRune(r, Span{off + int32(i), off + int32(i) + n})
		return
	}
}

// badChar refuses a character that starts no token.
func (p *parser) badChar(off int32) {
	p.setToken(tokEOF, off, off+1)
	p.badRune(rune(p.src[off]), Span{off, off + 1})
}

func (p *parser) badRune(r rune, at Span) {
	if ' ' < r && r < utf8.RuneSelf {
		p.fail(at, "bad-character", "unexpected character '%c'", r)
		return
	}
	if unicode.IsPrint(r) {
		p.fail(at, "bad-character", "invalid character '%c' (U+%04X)", r, r)
		return
	}
	p.fail(at, "bad-character", "invalid non-printable character U+%04X", r)
}

// isIdentifierRune follows XID_Start and XID_Continue: the rune is of the right
// class, and so is all that its normal form consists of.
func isIdentifierRune(r rune, first bool) bool {
	if r < utf8.RuneSelf {
		return true // the lexer has checked it
	}
	if first && !isIDStart(r) || !isIDContinue(r) {
		return false
	}
	for i, n := range norm.NFKC.String(string(r)) {
		if first && i == 0 && !isIDStart(n) || !isIDContinue(n) {
			return false
		}
	}
	return true
}

func isIDStart(r rune) bool {
	return r == '_' || unicode.In(r, unicode.L, unicode.Nl, unicode.Other_ID_Start) &&
		!unicode.In(r, unicode.Pattern_Syntax, unicode.Pattern_White_Space)
}

func isIDContinue(r rune) bool {
	return isIDStart(r) || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
}
