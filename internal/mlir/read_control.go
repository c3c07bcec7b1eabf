package mlir

import (
	"strings"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

// region reads a region in braces, with its arguments.
func (p *parser) region() *tile.Block {
	block := &tile.Block{}
	p.expect("{")
	mark := len(p.undo)
	p.arguments(block)
	p.into(block)
	p.forget(mark)
	return block
}

// forget gives the names that were hidden since the mark their meaning again.
func (p *parser) forget(mark int) {
	for i := len(p.undo) - 1; i >= mark; i-- {
		p.values[p.undo[i].name] = p.undo[i].values
	}
	p.undo = p.undo[:mark]
}

// readGeneric reads an operation in MLIR's generic form: (operands) <{properties}> ({region}) {attributes} : (types) -> types.
func (p *parser) readGeneric(name string) []*tile.Value {
	args := p.bracketed("(", ")")
	properties := map[string]string{}
	if p.accept("<") {
		properties = p.dict()
		p.expect(">")
	}
	p.expect("(")
	body := p.region()
	p.expect(")")
	p.attrs()
	to := p.signature()
	if p.err != nil {
		return nil
	}
	axis, _ := leadingInt(properties["axis"])
	pack, _ := leadingInt(properties["pack"])
	if name == "tt.map_elementwise" && pack > 1 {
		return p.mapGroups(args, int(pack), body, to)
	}
	var op *tile.Op
	switch name {
	case "tt.reduce":
		op = p.b.Op(tile.OpReduce, tile.AxisAttr{Axis: int(axis)}, args, to...)
	case "tt.scan":
		op = p.b.Op(tile.OpScan, tile.ScanAttr{Axis: int(axis), Reverse: properties["reverse"] == "true"}, args, to...)
	default:
		op = p.b.Op(tile.OpMap, nil, args, to...)
	}
	op.Regions = []*tile.Block{body}
	return op.Results
}

// A carried is what a loop carries: names that are arguments in the region, and initial values.
func (p *parser) carriedNames() (names []string, initial []*tile.Value) {
	p.expect("(")
	for p.err == nil && !p.accept(")") {
		names = append(names, p.value())
		p.expect("=")
		initial = append(initial, p.operand())
		p.accept(",")
	}
	return names, initial
}

// enter adds arguments to a block and names them.
func (p *parser) enter(block *tile.Block, names []string, types []tile.Type) {
	for i, name := range names {
		if i < len(types) {
			p.define(name, block.AddArg(p.b.Func, types[i], sourceName(name)))
		}
	}
}

func (p *parser) readFor(string) []*tile.Value {
	var a tile.ForAttr
	a.Unsigned = p.accept("unsigned")
	counter := p.value()
	p.expect("=")
	bounds := []*tile.Value{p.operand()}
	p.expect("to")
	bounds = append(bounds, p.operand())
	p.expect("step")
	bounds = append(bounds, p.operand())
	var names []string
	var initial []*tile.Value
	var types []tile.Type
	if p.accept("iter_args") {
		names, initial = p.carriedNames()
		p.expect("->")
		types = p.types()
	}
	t := bounds[0].Type
	if p.accept(":") {
		t = p.typ()
	}
	body := &tile.Block{}
	mark := len(p.undo)
	p.enter(body, append([]string{counter}, names...), append([]tile.Type{t}, types...))
	p.expect("{")
	p.into(body)
	p.forget(mark)
	p.terminate(body)
	op := tile.NewOp(p.b.Func, tile.OpFor, nil, append(bounds, initial...), types...)
	op.Regions = []*tile.Block{body}
	op.Attr = p.loopAttr(a)
	p.b.Block().Ops = append(p.b.Block().Ops, op)
	return op.Results
}

// loopAttr reads the options behind a loop.
func (p *parser) loopAttr(a tile.ForAttr) tile.ForAttr {
	p.hinted = nil
	own := p.attrs()
	has := func(key string) bool { _, ok := own[key]; return ok }
	number := func(key string) int { n, _ := leadingInt(own[key]); return int(n) }
	a.NumStages, a.Unroll = number("tt.num_stages"), number("tt.loop_unroll_factor")
	a.Flatten, a.WarpSpecialize, a.NoMultiBuffer = has("tt.flatten"), has("tt.warp_specialize"), has("tt.disallow_acc_multi_buffer")
	return a
}

// terminate adds the terminator that scf leaves out where nothing is yielded.
func (p *parser) terminate(b *tile.Block) {
	if t := b.Terminator(); t == nil || !t.Code.IsTerminator() {
		b.Ops = append(b.Ops, tile.NewOp(p.b.Func, tile.OpYield, nil, nil))
	}
}

func (p *parser) readWhile(string) []*tile.Value {
	var names []string
	var initial []*tile.Value
	if p.peek() == '(' {
		names, initial = p.carriedNames()
	}
	p.expect(":")
	types := p.types()
	p.expect("->")
	results := p.types()
	before := &tile.Block{}
	mark := len(p.undo)
	p.enter(before, names, types)
	p.expect("{")
	p.into(before)
	p.forget(mark)
	p.expect("do")
	after := p.region()
	p.terminate(after)
	p.hinted = nil
	if p.accept("attributes") {
		p.attrs()
	}
	op := p.b.Op(tile.OpWhile, nil, initial, results...)
	op.Regions = []*tile.Block{before, after}
	return op.Results
}

func (p *parser) readIf(string) []*tile.Value {
	cond := p.operand()
	var results []tile.Type
	if p.accept("->") {
		results = p.types()
	}
	then, otherwise := p.region(), &tile.Block{}
	if p.accept("else") {
		otherwise = p.region()
	}
	p.terminate(then)
	p.terminate(otherwise)
	p.hinted = nil
	p.attrs()
	op := p.b.Op(tile.OpIf, nil, []*tile.Value{cond}, results...)
	op.Regions = []*tile.Block{then, otherwise}
	return op.Results
}

// listed reads operands and their types, if there are any.
func (p *parser) listed() []*tile.Value {
	args := p.operands()
	p.attrs()
	if len(args) > 0 {
		p.expect(":")
		p.typeList()
	}
	return args
}

func (p *parser) readYield(string) []*tile.Value { return p.make(tile.OpYield, nil, p.listed()) }

func (p *parser) readCondition(string) []*tile.Value {
	cond := p.bracketed("(", ")")
	return p.make(tile.OpCondition, nil, append(cond, p.listed()...))
}

func (p *parser) readCall(string) []*tile.Value {
	callee := p.symbol()
	args := p.bracketed("(", ")")
	p.attrs()
	p.expect(":")
	p.types()
	p.expect("->")
	return p.make(tile.OpCall, tile.CallAttr{Callee: callee}, args, p.types()...)
}

func (p *parser) readPrint(string) []*tile.Value {
	a := tile.PrintAttr{Prefix: p.text()}
	own := p.attrs()
	a.Hex = own["hex"] == "true"
	for i, sign := range integers(own["isSigned"]) {
		if sign != 0 && i < 64 {
			a.Signed |= 1 << i
		}
	}
	var args []*tile.Value
	if p.accept(":") {
		args = p.operands()
		p.expect(":")
		p.typeList()
	}
	return p.make(tile.OpPrint, a, args)
}

func (p *parser) readAssert(string) []*tile.Value {
	cond := p.operand()
	p.expect(",")
	message := p.text()
	p.attrs()
	if p.accept(":") {
		p.typ()
	}
	return p.make(tile.OpAssert, tile.AssertAttr{Msg: message}, []*tile.Value{cond})
}

func (p *parser) readInlineAsm(string) []*tile.Value {
	a := tile.AsmAttr{Asm: p.text()}
	own := p.attrs()
	pack, _ := leadingInt(own["packed_element"])
	constraints := scanner{src: own["constraints"]}
	a.Constraints, a.Pack, a.Pure = constraints.text(), int(pack), own["pure"] == "true"
	args := p.operands()
	p.expect(":")
	if p.peek() != '-' {
		p.typeList()
	}
	p.expect("->")
	return p.make(tile.OpInlineAsm, a, args, p.typeList()...)
}

// readBarrier reads a barrier; words behind it say which memory it orders.
func (p *parser) readBarrier(string) []*tile.Value {
	for p.err == nil && p.peek() != 0 && strings.IndexByte("%}\"", p.peek()) < 0 && !strings.HasPrefix(p.src[p.at:], "loc(") && p.sameLine() {
		p.word()
		p.accept("|")
	}
	return p.make(tile.OpBarrier, nil, nil)
}

// sameLine reports whether nothing but blanks lies between the last character read and the next one.
func (p *parser) sameLine() bool {
	before := p.src[:p.at]
	return !strings.Contains(before[len(strings.TrimRight(before, " \t\r\n")):], "\n")
}

// readNothing reads an operation that orders launches, which launches in order need not.
func (p *parser) readNothing(name string) []*tile.Value {
	p.attrs()
	if p.peek() == '%' {
		p.fail(p.at, diag.Unsupported, "mlir", "%s with operands is not supported", name)
	}
	return nil
}
