package syntax

import (
	"bytes"
	"math"
	"strings"

	"github.com/tegula-lang/tegula/internal/diag"
)

const (
	// maxErrors bounds the diagnostics of a file; what comes after the last of
	// them is not read.
	maxErrors = 20

	// maxDepth bounds the height of the tree, and so the depth to which this
	// parser, and anything that walks the tree, recurses.
	maxDepth = 3000
)

// Parse reads a file as a module. It always gives a tree; the list is nil if the
// file is well formed.
func Parse(f *File) (*Module, diag.List) {
	p, err := newParser(f)
	if err != nil {
		return &Module{Body: []Stmt{&BadStmt{Span{0, f.end()}}}}, diag.List{err}
	}
	p.tok = tokNewline
	p.next()
	m := &Module{Body: p.statements()}
	if len(p.errs) == 0 {
		return m, nil
	}
	return m, p.errs
}

// ParseExpr reads a file that holds a single expression. It always gives an
// expression; the list is nil if the file is well formed.
func ParseExpr(f *File) (Expr, diag.List) {
	p, err := newParser(f)
	if err != nil {
		return &BadExpr{Span{0, f.end()}}, diag.List{err}
	}
	for strings.IndexByte(" \t\f\r\n", p.src[p.off]) >= 0 {
		p.off++
	}
	p.tok, p.end = tokSemi, p.off
	p.next()
	start := p.pos
	e := p.expressions()
	if p.tok == tokNewline {
		p.measureIndent()
		if !p.atEnd(p.off) {
			p.next()
			p.unexpected()
		}
	} else {
		p.unexpected()
	}
	if len(p.errs) > 0 {
		return &BadExpr{Span{start, max(start, p.prevEnd)}}, p.errs
	}
	return e, nil
}

// A parser reads one file. Its fields beside the cursor are set once, grow only,
// or are as they were when a rule returns.
type parser struct {
	cursor
	arena

	src  string // the file's text and a NUL
	file *File

	indentStack  [maxIndents]indent // [0] is the zero indent of the module
	bracketStack [maxBrackets]bracket

	fieldQuote    quoteKind // of the f-string whose field is open
	fieldComments []Span    // in the fields that are open

	depth  int32 // rules open that nest
	height int32 // of the tallest finished subtree of the rule that is open

	errs     diag.List
	failed   bool   // an error is being left behind; no token follows until recover
	skipping bool   // errors are not reported: the text is skipped over
	resume   cursor // where recover takes up
}

// newParser makes a parser that stands at the file's start, or tells why the
// file is no source text.
func newParser(f *File) (*parser, *diag.Error) {
	if len(f.Src) >= math.MaxInt32 {
		return nil, diag.At(diag.Syntax, diag.Place{File: f.Name},
			"the file is too large: %d bytes; the limit is 2 GiB", len(f.Src)).WithCode("too-large")
	}
	if err := checkEncoding(f); err != nil {
		return nil, err
	}
	var text strings.Builder
	text.Grow(len(f.Src) + 1)
	text.Write(f.Src)
	text.WriteByte(0)
	p := &parser{src: text.String(), file: f}
	if bytes.HasPrefix(f.Src, byteOrderMark) {
		p.off = int32(len(byteOrderMark))
	}
	p.end = p.off
	p.prevEnd = p.off
	return p, nil
}

// span is that of a rule that started at start and has taken its last token.
func (p *parser) span(start int32) Span { return Span{start, p.prevEnd} }

// text is the current token's.
func (p *parser) text() string { return p.src[p.pos:p.end] }

// line is the number of the line at off.
func (p *parser) line(off int32) int {
	line, _ := p.file.Position(off)
	return line
}

// got takes the current token if it is t.
func (p *parser) got(t token) bool {
	if p.tok != t {
		return false
	}
	p.next()
	return true
}

// enter counts a rule that nests; the caller calls leave after it.
func (p *parser) enter() {
	p.depth++
	if p.depth+p.height > maxDepth {
		p.tooDeep()
	}
}

func (p *parser) leave() { p.depth-- }

// grew counts a node put on top of the subtrees that its rule has finished.
func (p *parser) grew() {
	p.height++
	if p.depth+p.height > maxDepth {
		p.tooDeep()
	}
}

// tooNested is the code of errors after which the rest of the file is not read.
const tooNested = "too-nested"

func (p *parser) tooDeep() {
	p.fail(Span{p.pos, p.end}, tooNested, "too deeply nested (the limit is %d)", maxDepth)
}
