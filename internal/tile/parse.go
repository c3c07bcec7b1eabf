package tile

import (
	"errors"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/diag"
)

// maxText is the longest text that Parse takes, in bytes.
const maxText = 1 << 28

var codeByName = func() map[string]Code {
	names := make(map[string]Code, numOps)
	for c := BadOp + 1; c < numOps; c++ {
		names[c.String()] = c
	}
	return names
}()

// Parse reads the text form of a module, as Print writes it, and verifies the module.
// Values are numbered in order of definition. name is the text's file name, for messages;
// an error is a *diag.Error of category Syntax, which wraps the *VerifyError if the text
// is well formed but the module is not.
func Parse(name string, src []byte) (*Module, error) {
	p, m := parse(name, src)
	if p.err != nil {
		return nil, p.err
	}
	if err := Verify(m); err != nil {
		return nil, p.invalid(err)
	}
	return m, nil
}

// parse reads the text without verifying the module.
func parse(name string, src []byte) (*parser, *Module) {
	p := &parser{name: name, module: &Module{}}
	if len(src) > maxText {
		p.err = diag.New(diag.Syntax, "tile-syntax", "the text is longer than %d bytes", maxText)
		return p, p.module
	}
	p.src = string(src)
	p.next()
	for p.tok.kind != endToken {
		switch p.tok.text {
		case "func":
			p.function()
		case "loc":
			p.location()
		default:
			p.fail(p.tok, "expected func or loc, not %s", p.describe())
		}
	}
	return p, p.module
}

// A parser reads a text by recursive descent. The first error ends it: the parser then
// stands at the end of the text, so that all loops end.
type parser struct {
	name string
	src  string
	tok  token // the next one
	end  int   // the offset after tok
	err  *diag.Error

	module *Module
	fn     *Func
	values map[string]*Value // of fn, by name as written
	depth  int               // of regions
	places []place           // of functions and operations, in order
}

// A place is where a function or an operation stands in the text.
type place struct {
	fn  *Func
	op  *Op // nil for the function itself
	tok token
}

func (p *parser) next() {
	if p.err != nil {
		return
	}
	tok, end, msg := lex(p.src, p.end)
	if msg != "" {
		p.fail(tok, "%s", msg)
		return
	}
	p.tok, p.end = tok, end
}

// fail notes the first error, at a token, and goes to the end of the text.
func (p *parser) fail(at token, format string, args ...any) {
	if p.err != nil {
		return
	}
	p.err = diag.At(diag.Syntax, p.place(at), format, args...).WithCode("tile-syntax")
	p.tok = token{endToken, len(p.src), ""}
	p.end = len(p.src)
}

// place gives a token's place in the text.
func (p *parser) place(at token) diag.Place {
	start := strings.LastIndexByte(p.src[:at.pos], '\n') + 1
	line, _, _ := strings.Cut(p.src[start:], "\n")
	col := at.pos - start + 1
	return diag.Place{
		File:   p.name,
		Line:   strings.Count(p.src[:at.pos], "\n") + 1,
		Col:    col,
		EndCol: col + max(len(at.text), 1),
		Text:   strings.TrimSuffix(line, "\r"),
	}
}

// invalid gives the error for a module that Verify refused, at the operation in the text.
func (p *parser) invalid(err error) *diag.Error {
	e := &diag.Error{Category: diag.Syntax, Code: "tile-invalid", Msg: err.Error(), Cause: err}
	e.Place.File = p.name
	var v *VerifyError
	if !errors.As(err, &v) {
		return e
	}
	e.Msg = v.Msg
	for _, pl := range p.places {
		if pl.op == v.op && pl.fn.Name == v.Func {
			e.Place = p.place(pl.tok)
		}
	}
	return e
}

// describe names the next token for a message.
func (p *parser) describe() string {
	if p.tok.kind == endToken {
		return "the end"
	}
	return strconv.Quote(p.tok.text)
}

func (p *parser) at(text string) bool { return p.tok.text == text && p.tok.kind != stringToken }

func (p *parser) accept(text string) bool {
	if !p.at(text) {
		return false
	}
	p.next()
	return true
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.fail(p.tok, "expected %s, not %s", strconv.Quote(text), p.describe())
	}
}

// take takes a token of a kind; what says what it stands for.
func (p *parser) take(kind tokenKind, what string) token {
	tok := p.tok
	if tok.kind != kind {
		p.fail(tok, "expected %s, not %s", what, p.describe())
		return token{}
	}
	p.next()
	return tok
}

// list reads items with commas between them, up to a closing token.
func (p *parser) list(closing string, item func()) {
	for !p.at(closing) && p.err == nil {
		item()
		if !p.accept(",") {
			break
		}
	}
	p.expect(closing)
}

// integer reads a number with an optional sign, from lo to hi.
func (p *parser) integer(what string, lo, hi int64) int64 {
	at := p.tok
	text := p.literal(what)
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < lo || n > hi {
		p.fail(at, "%s is no %s from %d to %d", text, what, lo, hi)
		return 0
	}
	return n
}

// literal reads a number or a word, with an optional sign.
func (p *parser) literal(what string) string {
	sign := ""
	if p.accept("-") {
		sign = "-"
	}
	if p.tok.kind == wordToken {
		return sign + p.take(wordToken, what).text
	}
	return sign + p.take(numberToken, what).text
}

func (p *parser) quoted(what string) string {
	tok := p.take(stringToken, what)
	if p.err != nil {
		return ""
	}
	s, err := strconv.Unquote(tok.text)
	if err != nil {
		p.fail(tok, "%s is no string", tok.text)
	}
	return s
}

// typ reads a type.
func (p *parser) typ() Type {
	tok := p.tok
	n := scanType(p.src[tok.pos:])
	if n == 0 {
		p.fail(tok, "expected a type, not %s", p.describe())
		return Type{}
	}
	p.end = tok.pos + n
	tok.text = p.src[tok.pos:p.end]
	t, err := ParseType(tok.text)
	if err != nil {
		p.fail(tok, "%v", err)
	}
	p.next()
	return t
}

func (p *parser) types(closing string) []Type {
	var list []Type
	p.list(closing, func() { list = append(list, p.typ()) })
	return list
}

func (p *parser) function() {
	p.next()
	tok := p.take(symbolToken, "the function's @name")
	if p.err != nil {
		return
	}
	name, err := unquoteName(tok.text[1:])
	if err != nil {
		p.fail(tok, "%s is no name", tok.text)
	}
	f := &Func{Name: name, Body: &Block{}}
	p.fn, p.values = f, make(map[string]*Value)
	p.module.Funcs = append(p.module.Funcs, f)
	p.places = append(p.places, place{f, nil, tok})
	p.expect("(")
	p.list(")", p.param)
	p.expect("->")
	p.expect("(")
	f.Results = p.types(")")
	f.Loc = p.loc()
	p.ops(f.Body)
}

func (p *parser) param() {
	v := p.argument(p.fn.Body)
	param := Param{}
	if v != nil {
		param.Name = v.Name
	}
	fields := fieldParser{parser: p, items: p.items()}
	p.fn.Params = append(p.fn.Params, param.fields(&fields, optional))
	fields.end("a parameter")
}

// argument reads %x: type and adds the argument to b.
func (p *parser) argument(b *Block) *Value {
	tok := p.take(valueToken, "an argument")
	p.expect(":")
	t := p.typ()
	if p.err != nil {
		return nil
	}
	v := b.AddArg(p.fn, t, "")
	p.define(tok, v)
	return v
}

// define enters a value under its name in the text and gives it its source name.
func (p *parser) define(tok token, v *Value) {
	if p.values[tok.text] != nil {
		p.fail(tok, "%s is defined twice", tok.text)
		return
	}
	name, err := sourceName(tok.text)
	if err != nil {
		p.fail(tok, "%s is no name", tok.text)
	}
	v.Name = name
	p.values[tok.text] = v
}

// loc reads loc #3, if there.
func (p *parser) loc() Loc {
	if !p.accept("loc") {
		return 0
	}
	return p.ref()
}

func (p *parser) ref() Loc {
	tok := p.take(refToken, "the #number of a location")
	if p.err != nil {
		return 0
	}
	n, err := strconv.ParseInt(tok.text[1:], 10, 32)
	if err != nil {
		p.fail(tok, "%s is too large", tok.text)
	}
	return Loc(n)
}

// location reads an entry of the table of locations.
func (p *parser) location() {
	p.next()
	at := p.tok
	n := p.ref()
	p.expect("=")
	l := Location{File: p.quoted("a file name")}
	p.expect(":")
	l.Line = p.int32("line")
	p.expect(":")
	l.Col = p.int32("column")
	if p.accept("-") {
		l.EndCol = p.int32("column")
	}
	if p.accept("<-") {
		l.Parent = p.ref()
	}
	if p.err != nil {
		return
	}
	if want := p.module.Locs.Len() + 1; int(n) != want {
		p.fail(at, "location %d comes next, not %d", want, n)
		return
	}
	if p.module.Locs.Add(l) != n {
		p.fail(at, "location %d is empty, or in the table already", n)
	}
}

func (p *parser) int32(what string) int32 { return int32(p.integer(what, 0, 1<<31-1)) }

// ops reads { operations } into b.
func (p *parser) ops(b *Block) {
	p.expect("{")
	for !p.at("}") && p.err == nil {
		p.op(b)
	}
	p.expect("}")
}

// op reads an operation into b.
func (p *parser) op(b *Block) {
	start := p.tok
	names := p.resultNames()
	at := p.tok
	code, ok := codeByName[p.take(wordToken, "an operation").text]
	if !ok {
		p.fail(at, "there is no operation %s", strconv.Quote(at.text))
		return
	}
	args := p.operands(at)
	literal := token{pos: p.tok.pos}
	var attr Attr
	if code == OpConst {
		literal.text = p.literal("a constant")
	} else {
		attr = p.attr(code)
	}
	var types []Type
	if p.accept(":") {
		types = p.typeRow()
	}
	if len(types) != len(names) {
		p.fail(start, "%d results with %d types", len(names), len(types))
	}
	if code == OpConst && p.err == nil {
		attr = p.constant(literal, types)
	}
	if p.err != nil {
		return
	}
	op := NewOp(p.fn, code, attr, args, types...)
	for i, v := range op.Results {
		p.define(names[i], v)
	}
	op.Loc = p.loc()
	b.Ops = append(b.Ops, op)
	p.places = append(p.places, place{p.fn, op, at})
	p.regions(op)
}

// resultNames reads %a, %b =, if there.
func (p *parser) resultNames() []token {
	if p.tok.kind != valueToken {
		return nil
	}
	var names []token
	for {
		names = append(names, p.take(valueToken, "a result"))
		if !p.accept(",") {
			break
		}
	}
	p.expect("=")
	return names
}

// operands reads the operands of the operation whose name stands at at. They begin on its line: a value on
// the next one is the result of another operation.
func (p *parser) operands(at token) []*Value {
	if p.tok.kind != valueToken || strings.Contains(p.src[at.pos:p.tok.pos], "\n") {
		return nil
	}
	var args []*Value
	for {
		tok := p.take(valueToken, "an operand")
		if p.err != nil {
			return nil
		}
		v := p.values[tok.text]
		if v == nil {
			p.fail(tok, "%s is not defined", tok.text)
		}
		args = append(args, v)
		if !p.accept(",") {
			return args
		}
	}
}

// typeRow reads types with commas between them.
func (p *parser) typeRow() []Type {
	types := []Type{p.typ()}
	for p.accept(",") {
		types = append(types, p.typ())
	}
	return types
}

func (p *parser) constant(literal token, types []Type) Attr {
	if len(types) != 1 {
		p.fail(literal, "a constant has one result")
		return nil
	}
	bits, err := parseLiteral(literal.text, types[0])
	if err != nil {
		p.fail(literal, "%v", err)
	}
	return ConstAttr{bits}
}

// regions reads as many regions as the operation has.
func (p *parser) regions(op *Op) {
	n := opTable[op.Code].regions
	if n == 0 {
		return
	}
	if p.depth++; p.depth > MaxNesting {
		p.fail(p.tok, "regions lie more than %d deep", MaxNesting)
	}
	for i := range n {
		if word := strings.TrimSpace(regionWord(op.Code, i)); word != "" {
			p.expect(word)
		}
		r := &Block{}
		op.Regions = append(op.Regions, r)
		if p.accept("(") {
			p.list(")", func() { p.argument(r) })
		}
		p.ops(r)
	}
	p.depth--
}

// attr reads the attribute of an operation other than OpConst.
func (p *parser) attr(c Code) Attr {
	zero := opTable[c].attr
	if zero == nil {
		if p.at("{") && opTable[c].regions == 0 {
			p.fail(p.tok, "%s has no attribute", c)
		}
		return nil
	}
	fields := fieldParser{parser: p, items: p.items()}
	a := zero.fields(&fields)
	fields.end(c.String())
	return a
}
