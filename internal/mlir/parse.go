package mlir

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// maxText is the longest text that Parse takes, in bytes; maxDepth how deep regions may lie in each other.
const (
	maxText  = 1 << 26
	maxDepth = 200
)

// Parse reads a module in Triton's dialects, as Triton prints it after its own first passes (".ttir"), and
// verifies it. name is the text's file name, for messages. The first public function is the kernel.
func Parse(name string, src []byte) (*tile.Module, error) {
	if len(src) > maxText {
		return nil, diag.New(diag.Syntax, "mlir-syntax", "the text is longer than %d bytes", maxText)
	}
	p := &parser{scanner: scanner{name: name, src: string(src)}, module: &tile.Module{}}
	p.aliases = aliases(p.src)
	p.top()
	if p.err != nil {
		return nil, p.err
	}
	if err := tile.Verify(p.module); err != nil {
		return nil, diag.New(diag.Syntax, "mlir-invalid", "%s is no valid module: %s", name, err)
	}
	return p.module, nil
}

// A parser makes tile IR of a text.
type parser struct {
	scanner
	module  *tile.Module
	b       *tile.Builder
	values  map[string][]*tile.Value // by name without #number
	undo    []shadowed               // what a region's names hide
	depth   int
	start   int               // of the operation that is being read
	aliases map[string]string // of attributes, such as #loc1
	locs    map[string]tile.Loc
	hinted  map[string]string // the attributes of the operation that is being read
	blocks  *blocks           // of the function, if it has several
	kernel  bool              // a public function was read: the first one is the kernel
}

// shadowed is a name and what it meant outside of a region.
type shadowed struct {
	name   string
	values []*tile.Value
}

// aliases collects the lines that name attributes: they stand before or behind their uses.
func aliases(src string) map[string]string {
	m := map[string]string{}
	for line := range strings.SplitSeq(src, "\n") {
		if !strings.HasPrefix(line, "#") {
			continue
		}
		if name, value, ok := strings.Cut(line, " = "); ok {
			m[name] = strings.TrimSpace(value)
		}
	}
	return m
}

// top reads the functions of the module.
func (p *parser) top() {
	inside := false
	for p.err == nil && p.peek() != 0 {
		switch {
		case p.peek() == '#':
			p.line()
		case p.accept("module"):
			inside = true
			if p.peek() == '@' {
				p.symbol()
			}
			if p.accept("attributes") {
				p.dict()
			}
			p.expect("{")
		case p.accept("tt.func"):
			p.function()
		case inside && p.accept("}"):
			inside = false
			p.location()
		default:
			p.syntax("expected tt.func, not %s", p.describe())
		}
	}
	if p.err == nil && len(p.module.Funcs) == 0 {
		p.syntax("there is no tt.func")
	}
}

// line skips a line.
func (p *parser) line() {
	for p.at < len(p.src) && p.src[p.at] != '\n' {
		p.at++
	}
}

// symbol reads @name.
func (p *parser) symbol() string {
	p.expect("@")
	if p.peek() == '"' {
		return p.text()
	}
	return p.word()
}

// function reads a function after its keyword.
func (p *parser) function() {
	public := p.accept("public")
	if !public {
		p.accept("private")
	}
	p.space()
	here := p.place(p.at)
	f := &tile.Func{Name: p.symbol(), Body: &tile.Block{}}
	p.values, p.undo = map[string][]*tile.Value{}, nil
	p.b = tile.NewBuilder(p.module, f)
	p.expect("(")
	for p.err == nil && !p.accept(")") {
		name := p.value()
		p.expect(":")
		v := f.Body.AddArg(f, p.typ(), sourceName(name))
		param := tile.Param{Name: v.Name}
		if param.Name == "" {
			param.Name = "arg" + strconv.Itoa(len(f.Params))
		}
		if p.peek() == '{' {
			param.Divisibility, _ = leadingInt(p.dict()["tt.divisibility"])
		}
		p.location()
		f.Params = append(f.Params, param)
		p.define(name, v)
		p.accept(",")
	}
	if p.accept("->") {
		f.Results = p.types()
	}
	if p.accept("attributes") {
		p.dict()
	}
	p.expect("{")
	if b := p.scanBlocks(); b != nil {
		p.several(f, b)
	} else {
		p.into(f.Body)
	}
	if f.Loc = p.location(); f.Loc == 0 { // a text that does not say where it comes from is what messages show
		col := int32(here.Col)
		f.Loc = p.module.Locs.Add(tile.Location{File: here.File, Line: int32(here.Line), Col: col, EndCol: col + int32(len(f.Name)) + 1})
	}
	if public && !p.kernel {
		p.kernel = true
		p.module.Funcs = append([]*tile.Func{f}, p.module.Funcs...)
	} else {
		p.module.Funcs = append(p.module.Funcs, f)
	}
}

// sourceName gives the name in the source of a value called %name; numbers are no names.
func sourceName(name string) string {
	name = strings.TrimPrefix(name, "%")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return ""
	}
	return name
}

// types reads one type, or several in parentheses.
func (p *parser) types() []tile.Type {
	if !p.accept("(") {
		return []tile.Type{p.typ()}
	}
	var list []tile.Type
	for p.err == nil && !p.accept(")") {
		list = append(list, p.typ())
		p.accept(",")
	}
	return list
}

// typeList reads types with commas between.
func (p *parser) typeList() []tile.Type {
	list := []tile.Type{p.typ()}
	for p.accept(",") {
		list = append(list, p.typ())
	}
	return list
}

// define gives a name its values. It has no other where it is seen.
func (p *parser) define(name string, values ...*tile.Value) {
	if p.values[name] != nil {
		p.fail(p.start, diag.Syntax, "mlir-syntax", "%s is defined twice", name)
	}
	p.undo = append(p.undo, shadowed{name, p.values[name]})
	p.values[name] = values
}

// operand reads a value that is defined.
func (p *parser) operand() *tile.Value {
	p.space()
	at := p.at
	full := p.value()
	if p.err != nil {
		return p.nothing()
	}
	name, number, numbered := strings.Cut(full, "#")
	values := p.values[name]
	i := 0
	if numbered {
		i, _ = strconv.Atoi(number)
	}
	if i < 0 || i >= len(values) || !numbered && len(values) != 1 {
		p.fail(at, diag.Syntax, "mlir-syntax", "%s is not defined here", full)
		return p.nothing()
	}
	return values[i]
}

// nothing is a value for what an error left without one.
func (p *parser) nothing() *tile.Value { return p.b.Func.NewValue(tile.Scalar(tile.I32)) }

// operands reads values with commas between, none if none comes.
func (p *parser) operands() []*tile.Value {
	if p.peek() != '%' {
		return nil
	}
	list := []*tile.Value{p.operand()}
	for p.peek() == ',' {
		before := p.at
		p.accept(",")
		if p.peek() != '%' {
			p.at = before
			break
		}
		list = append(list, p.operand())
	}
	return list
}

// bracketed reads operands between brackets.
func (p *parser) bracketed(left, right string) []*tile.Value {
	p.expect(left)
	list := p.operands()
	p.expect(right)
	return list
}

// into reads operations into a block up to the brace that ends it.
func (p *parser) into(block *tile.Block) {
	if p.depth++; p.depth > maxDepth {
		p.syntax("regions lie more than %d deep in each other", maxDepth)
	}
	outer, mark := p.b.SetBlock(block), len(p.undo)
	for p.err == nil && !p.accept("}") {
		p.operation()
	}
	p.forget(mark)
	p.b.SetBlock(outer)
	p.depth--
}

// arguments reads ^bb0(%a: T loc(…), …): or ^bb0: at the beginning of a block, if it is there.
func (p *parser) arguments(block *tile.Block) {
	if p.peek() != '^' {
		return
	}
	p.at++
	p.word()
	if p.accept(":") {
		return
	}
	p.expect("(")
	for p.err == nil && !p.accept(")") {
		name := p.value()
		p.expect(":")
		v := block.AddArg(p.b.Func, p.typ(), sourceName(name))
		p.location()
		p.define(name, v)
		p.accept(",")
	}
	p.expect(":")
}

// operation reads an operation, and gives its place.
func (p *parser) operation() tile.Loc {
	p.space()
	p.start = p.at
	names, counts := p.resultNames()
	p.space()
	at := p.at
	name := ""
	if p.peek() == '"' {
		name = p.text()
	} else if p.peek() != 0 {
		name = p.word()
	}
	if p.err != nil {
		return 0
	}
	if name == "" {
		p.fail(at, diag.Syntax, "mlir-syntax", "the text ends inside tt.func @%s", p.b.Func.Name)
		return 0
	}
	read := readers[name]
	if read == nil {
		p.fail(at, diag.Unsupported, "mlir", "the operation %s is not supported", name)
		return 0
	}
	first := len(p.b.Block().Ops)
	p.hinted = nil
	values := read(p, name)
	loc := p.location()
	if p.err != nil {
		return 0
	}
	if len(values) == 1 {
		values = []*tile.Value{p.hints(values[0])}
	}
	for _, op := range p.b.Block().Ops[first:] {
		if op.Loc == 0 {
			op.Loc = loc
		}
	}
	p.bind(at, names, counts, values)
	return loc
}

// resultNames reads "%a, %b =" or "%a:2 =".
func (p *parser) resultNames() (names []string, counts []int) {
	if p.peek() != '%' {
		return nil, nil
	}
	for {
		names = append(names, p.value())
		n := 1
		if p.accept(":") {
			n = int(p.integer())
		}
		counts = append(counts, n)
		if !p.accept(",") {
			break
		}
	}
	p.expect("=")
	return names, counts
}

// bind names the results of an operation.
func (p *parser) bind(at int, names []string, counts []int, values []*tile.Value) {
	total := 0
	for _, n := range counts {
		total += n
	}
	if total != len(values) && len(names) > 0 {
		p.fail(at, diag.Syntax, "mlir-syntax", "the operation has %d results, not %d", len(values), total)
		return
	}
	for i, name := range names {
		list := values[:counts[i]]
		values = values[counts[i]:]
		for _, v := range list {
			if v.Name == "" {
				v.Name = sourceName(name)
			}
		}
		p.define(name, list...)
	}
}

// location reads loc(…) if it comes next.
func (p *parser) location() tile.Loc {
	if !p.accept("loc(") {
		return 0
	}
	text := p.balanced(")")
	p.expect(")")
	return p.locOf(text, 0)
}

// locOf gives the place that a location's text says. What says none, such as unknown, is 0.
func (p *parser) locOf(text string, depth int) tile.Loc {
	if known, ok := p.locs[text]; ok {
		return known
	}
	if depth > 50 {
		return 0
	}
	loc := p.parseLoc(text, depth)
	if p.locs == nil {
		p.locs = map[string]tile.Loc{}
	}
	p.locs[text] = loc
	return loc
}

func (p *parser) parseLoc(text string, depth int) tile.Loc {
	if alias, ok := p.aliases[text]; ok && strings.HasPrefix(alias, "loc(") {
		return p.locOf(strings.TrimSuffix(strings.TrimPrefix(alias, "loc("), ")"), depth+1)
	}
	if inner, ok := strings.CutPrefix(text, "callsite("); ok {
		callee, caller, _ := strings.Cut(strings.TrimSuffix(inner, ")"), " at ")
		at := p.module.Locs.At(p.locOf(callee, depth+1))
		at.Parent = p.locOf(caller, depth+1)
		if at.File == "" {
			return at.Parent
		}
		return p.module.Locs.Add(at)
	}
	s := scanner{src: text}
	if s.peek() != '"' {
		return 0
	}
	file := s.text()
	if s.accept("(") { // a name with a place
		return p.locOf(strings.TrimSuffix(text[s.at:], ")"), depth+1)
	}
	var line, col int32
	if n, err := fmt.Sscanf(text[min(s.at, len(text)):], ":%d:%d", &line, &col); n != 2 || err != nil || line <= 0 || file == "" {
		return 0
	}
	return p.module.Locs.Add(tile.Location{File: file, Line: line, Col: max(col, 1), EndCol: max(col, 1) + 1})
}

// leadingInt gives the integer that a text begins with: "16 : i32", "dense<16> : tensor<1xi32>".
func leadingInt(text string) (int64, bool) {
	text = strings.TrimPrefix(text, "dense<")
	end := strings.IndexFunc(text, func(r rune) bool { return r != '-' && (r < '0' || r > '9') })
	if end < 0 {
		end = len(text)
	}
	n, err := strconv.ParseInt(text[:end], 10, 64)
	return n, err == nil
}

// integers gives the integers of a text: "array<i32: 1, 0>", "dense<[16, 1]> : tensor<2xi32>".
func integers(text string) []int64 {
	inner, _, _ := strings.Cut(text, ">")
	if _, after, ok := strings.Cut(inner, ":"); ok {
		inner = after
	}
	inner = strings.Trim(strings.TrimPrefix(inner, "dense<"), "[] ")
	var list []int64
	for part := range strings.SplitSeq(inner, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64)
		if err != nil {
			return nil
		}
		list = append(list, n)
	}
	return list
}

// hintAttributes are the facts that operations may carry.
var hintAttributes = []struct {
	name string
	kind tile.Hint
}{{"tt.divisibility", tile.HintDivisible}, {"tt.contiguity", tile.HintContiguous}, {"tt.constancy", tile.HintConstant}}

// hints adds what the operation's attributes say of its result.
func (p *parser) hints(v *tile.Value) *tile.Value {
	for _, a := range hintAttributes {
		list := integers(p.hinted[a.name])
		if len(list) == 0 || len(list) > tile.MaxRank {
			continue
		}
		h := tile.HintAttr{Kind: a.kind}
		copy(h.Values[:], list)
		v = p.b.Op(tile.OpHint, h, []*tile.Value{v}, v.Type).Result()
	}
	return v
}

// attrs reads an operation's attributes if they come next.
func (p *parser) attrs() map[string]string {
	if p.peek() == '{' {
		p.hinted = p.dict()
	}
	return p.hinted
}
