package syntax

import (
	"strconv"

	"github.com/tegula-lang/tegula/internal/diag"
)

// Errors are left behind without unwinding: fail puts the lexer at the end of
// the source, where the only token is tokEOF, so that every rule that is open
// ends as soon as it looks for its next token, without a further message. The
// statement's rule then calls recover, which takes up after the bad line.

// fail reports an error and starts to leave it behind.
func (p *parser) fail(s Span, code, format string, args ...any) {
	if p.failed {
		return
	}
	p.report(s, code, format, args...)
	p.failed = true
	// Nodes that are made from here on lie at the bad token; the spans of those
	// around them must reach that far, also if it is a line token.
	p.prevEnd = max(p.prevEnd, p.pos)
	p.end = max(p.end, p.pos)
	p.resume = p.cursor
	p.tok = tokEOF
	p.end = p.pos
	p.off = int32(len(p.src) - 1)
}

// report adds an error without further effect on the parser.
func (p *parser) report(s Span, code, format string, args ...any) {
	if p.failed || p.skipping || len(p.errs) >= maxErrors {
		return
	}
	p.errs = append(p.errs, diag.At(diag.Syntax, p.file.Place(s), format, args...).WithCode(code))
}

// here is the current token's span, of one byte at least.
func (p *parser) here() Span { return Span{p.pos, max(p.end, p.pos+1)} }

// unexpected reports that the current token cannot stand where it stands.
func (p *parser) unexpected() {
	if p.failed {
		return
	}
	switch {
	case p.tok == tokEOF && p.brackets > 0:
		p.unclosed(p.bracketStack[p.brackets-1])
	case p.tok == tokIndent:
		p.fail(p.here(), "bad-indent", "unexpected indent")
	case p.brackets > 0 && startsExpr[p.tok] && p.afterOperand():
		p.fail(p.here(), genericError, "invalid syntax. Perhaps you forgot a comma?")
	default:
		p.fail(p.here(), genericError, "invalid syntax")
	}
}

// afterOperand reports whether the text before the current token ends an
// operand, so that a comma may be what is missing. There is a token before it: an
// open bracket at least.
func (p *parser) afterOperand() bool {
	c := p.src[p.prevEnd-1]
	return wordByte[c] != 0 || c == ')' || c == ']' || c == '}' || c == '"' || c == '\''
}

// genericError is the code of errors that say no more than that a token is out
// of place; an unclosed bracket before it explains it better.
const genericError = "invalid-syntax"

func (p *parser) unclosed(b bracket) {
	p.fail(Span{b.pos, b.pos + 1}, "unclosed-bracket", unclosedMessage, p.src[b.pos])
}

const unclosedMessage = "'%c' was never closed"

// expect takes the current token, which must be t; spelled says how the token
// is written.
func (p *parser) expect(t token, spelled string) bool {
	if p.tok == t {
		p.next()
		return true
	}
	if p.failed {
		return false
	}
	if p.tok == tokEOF && p.brackets > 0 || p.brackets > 0 && startsExpr[p.tok] {
		p.unexpected()
		return false
	}
	p.fail(p.here(), expectedCode, "expected '%s'", spelled)
	return false
}

const expectedCode = "expected-token"

// recover takes up after the logical line in which the last error was found: at
// its newline token, or at the end of the file. It does nothing if there was no
// error.
func (p *parser) recover() {
	if !p.failed {
		return
	}
	p.failed = false
	p.cursor = p.resume
	if len(p.errs) >= maxErrors || p.errs[len(p.errs)-1].Code == tooNested {
		p.stop()
		return
	}
	p.skipping = true
	p.skipLine()
	p.skipping = false
}

// stop ends the reading of the file.
func (p *parser) stop() {
	p.off = int32(len(p.src) - 1)
	p.brackets = 0
	p.tok = tokEOF
	p.pos, p.end = p.off, p.off
}

// skipLine moves to the end of the logical line. A bracket that is never closed
// would make that the end of the file: the line then ends before a keyword that
// starts a statement, or else with the physical line.
func (p *parser) skipLine() {
	errPos, reached := p.pos, p.prevEnd
	for p.tok != tokNewline || p.brackets > 0 {
		switch {
		case p.tok == tokFString:
			p.skipFString()
		case p.brackets > 0 && startsStmt[p.tok] && p.startsLine(p.pos):
			p.blameBracket(errPos)
			p.endLineAt(p.pos)
			return
		case p.tok == tokEOF && p.atEnd(p.off):
			if p.brackets > 0 {
				p.blameBracket(errPos)
				p.prevEnd = reached
				p.skipIndented(errPos)
			}
			return
		}
		p.next()
		if p.failed {
			p.failed = false
			p.cursor = p.resume
		}
	}
}

// startsLine reports whether there is but white space before off in its line.
func (p *parser) startsLine(off int32) bool {
	for off > 0 {
		switch p.src[off-1] {
		case ' ', '\t', '\f':
			off--
		case '\n', '\r':
			return true
		default:
			return false
		}
	}
	return true
}

// endLineAt makes the current token a newline, with the next line's text at or
// before off.
func (p *parser) endLineAt(off int32) {
	for off > 0 && p.src[off-1] != '\n' && p.src[off-1] != '\r' {
		off--
	}
	p.brackets = 0
	p.tok, p.pos, p.end, p.off = tokNewline, off, p.prevEnd, off
}

// skipIndented moves to the first line after pos that is indented no more than
// the block is that is open.
func (p *parser) skipIndented(pos int32) {
	p.off = p.lineEnd(pos)
	for !p.atEnd(p.off) {
		start := afterNewline(p.src, p.off)
		p.off = start
		if in := p.measureIndent(); in.width <= p.indentStack[p.indents].width {
			p.endLineAt(p.off)
			return
		}
		p.off = p.lineEnd(p.off)
	}
	p.brackets = 0
	p.end = p.prevEnd
}

// blameBracket turns the last error, if it says no more than that a token was
// out of place, into one about the bracket that is open.
func (p *parser) blameBracket(errPos int32) {
	last := p.errs[len(p.errs)-1]
	open := p.bracketStack[p.brackets-1]
	generic := last.Code == genericError || last.Code == expectedCode
	if !generic || open.pos >= errPos {
		return
	}
	*last = *diag.At(diag.Syntax, p.file.Place(Span{open.pos, open.pos + 1}), unclosedMessage, p.src[open.pos]).
		WithCode("unclosed-bracket")
}

// A trial is the state to which a failed attempt at a rule goes back.
type trial struct {
	cursor cursor
	errs   int
	height int32
}

// try starts an attempt at a rule. The lexer's stacks need no copy: an attempt
// starts outside brackets and ends within the logical line.
func (p *parser) try() trial { return trial{p.cursor, len(p.errs), p.height} }

// undo goes back to the attempt's start and forgets its errors.
func (p *parser) undo(t trial) {
	p.cursor, p.height = t.cursor, t.height
	p.errs = p.errs[:t.errs]
	p.failed = false
}

func itoa(n int) string { return strconv.Itoa(n) }
