package mlir

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/tile"
)

// region prints "^bb0(%a: f32, …):" and a block's operations.
func (p *printer) region(b *tile.Block) error {
	if len(b.Args) > 0 {
		p.line("^bb0(%s):", p.typed(b.Args))
	}
	return p.block(b)
}

// typed gives %a: f32, %b: i32.
func (p *printer) typed(values []*tile.Value) string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = p.name(v) + ": " + typeText(v.Type)
	}
	return strings.Join(list, ", ")
}

// generic prints an operation with a region in MLIR's generic form, which is the only one that these have.
func (p *printer) generic(op *tile.Op, name string, properties ...string) error {
	in, out := commas(typesOf(op.Args)), parens(typesOf(op.Results))
	args := p.list(op.Args)
	p.line("%s\"%s\"(%s) <{%s}> ({", p.results(op), name, args, strings.Join(properties, ", "))
	if err := p.region(op.Regions[0]); err != nil {
		return err
	}
	p.put(op, "}) : (%s) -> %s", in, out)
	return nil
}

// reduce prints a reduction. That of a single element combines nothing: it takes the element.
func (p *printer) reduce(op *tile.Op) error {
	if t := op.Args[0].Type; len(op.Args) == 1 && t.Rank() == 1 && t.Dim(0) == 1 {
		p.put(op, "%stt.unsplat %s : %s", p.results(op), p.name(op.Args[0]), typeText(t))
		return nil
	}
	return p.generic(op, "tt.reduce", axis(op.Attr.(tile.AxisAttr).Axis))
}

func (p *printer) scan(op *tile.Op) error {
	s := op.Attr.(tile.ScanAttr)
	return p.generic(op, "tt.scan", axis(s.Axis), "reverse = "+strconv.FormatBool(s.Reverse))
}

func (p *printer) mapElementwise(op *tile.Op) error {
	return p.generic(op, "tt.map_elementwise", "pack = 1 : i32")
}

// carried gives " iter_args(%a = %x, …) -> (…)" of what a loop carries, "" if it carries nothing.
func (p *printer) carried(args, initial []*tile.Value) string {
	if len(args) == 0 {
		return ""
	}
	return " iter_args(" + p.initial(args, initial) + ") -> (" + commas(typesOf(args)) + ")"
}

func (p *printer) initial(args, initial []*tile.Value) string {
	list := make([]string, len(args))
	for i, v := range args {
		list[i] = p.name(v) + " = " + p.name(initial[i])
	}
	return strings.Join(list, ", ")
}

func (p *printer) forLoop(op *tile.Op) error {
	f := op.Attr.(tile.ForAttr)
	body := op.Regions[0]
	initial := op.Args[3:]
	bounds := fmt.Sprintf("%s to %s step %s", p.name(op.Args[0]), p.name(op.Args[1]), p.name(op.Args[2]))
	unsigned := ""
	if f.Unsigned {
		unsigned = "unsigned "
	}
	p.line("%sscf.for %s%s = %s%s  : %s {", p.results(op), unsigned, p.name(body.Args[0]), bounds, p.carried(body.Args[1:], initial), typeText(op.Args[0].Type))
	if err := p.block(body); err != nil {
		return err
	}
	p.put(op, "}%s", p.attributes(op, loopAttributes(f)...))
	return nil
}

func loopAttributes(f tile.ForAttr) []string {
	var own []string
	if f.NoMultiBuffer {
		own = append(own, "tt.disallow_acc_multi_buffer")
	}
	if f.Flatten {
		own = append(own, "tt.flatten")
	}
	if f.Unroll > 0 {
		own = append(own, fmt.Sprintf("tt.loop_unroll_factor = %d : i32", f.Unroll))
	}
	if f.NumStages > 0 {
		own = append(own, fmt.Sprintf("tt.num_stages = %d : i32", f.NumStages))
	}
	if f.WarpSpecialize {
		own = append(own, "tt.warp_specialize")
	}
	return own
}

func (p *printer) while(op *tile.Op) error {
	before, after := op.Regions[0], op.Regions[1]
	p.line("%sscf.while%s : (%s) -> %s {", p.results(op), whileArgs(p, before.Args, op.Args), commas(typesOf(op.Args)), parens(typesOf(op.Results)))
	if err := p.block(before); err != nil {
		return err
	}
	p.line("} do {")
	if err := p.region(after); err != nil {
		return err
	}
	p.put(op, "}")
	return nil
}

func whileArgs(p *printer, args, initial []*tile.Value) string {
	if len(args) == 0 {
		return ""
	}
	return " (" + p.initial(args, initial) + ")"
}

func (p *printer) ifElse(op *tile.Op) error {
	types := ""
	if len(op.Results) > 0 {
		types = " -> (" + commas(typesOf(op.Results)) + ")"
	}
	p.line("%sscf.if %s%s {", p.results(op), p.name(op.Args[0]), types)
	if err := p.block(op.Regions[0]); err != nil {
		return err
	}
	if otherwise := op.Regions[1]; len(op.Results) > 0 || len(otherwise.Ops) > 1 {
		p.line("} else {")
		if err := p.block(otherwise); err != nil {
			return err
		}
	}
	p.put(op, "}")
	return nil
}

// yields are the terminators of what a region belongs to; scf's where it is not here.
var yields = map[tile.Code]string{
	tile.OpReduce: "tt.reduce.return", tile.OpScan: "tt.scan.return", tile.OpMap: "tt.map_elementwise.return",
}

func (p *printer) yield(op *tile.Op) error {
	name := p.yieldName()
	if len(op.Args) == 0 {
		if name == "scf.yield" {
			return nil // the reader adds it
		}
		p.put(op, "%s", name)
		return nil
	}
	p.put(op, "%s %s : %s", name, p.list(op.Args), commas(typesOf(op.Args)))
	return nil
}

func (p *printer) condition(op *tile.Op) error {
	values := ""
	if len(op.Args) > 1 {
		values = " " + p.list(op.Args[1:]) + " : " + commas(typesOf(op.Args[1:]))
	}
	p.put(op, "scf.condition(%s)%s", p.name(op.Args[0]), values)
	return nil
}

func (p *printer) returns(op *tile.Op) error {
	if len(op.Args) == 0 {
		p.put(op, "tt.return")
		return nil
	}
	p.put(op, "tt.return %s : %s", p.list(op.Args), commas(typesOf(op.Args)))
	return nil
}

func (p *printer) call(op *tile.Op) error {
	p.put(op, "%stt.call %s(%s) : (%s) -> %s", p.results(op), symbolText(op.Attr.(tile.CallAttr).Callee), p.list(op.Args), commas(typesOf(op.Args)), parens(typesOf(op.Results)))
	return nil
}

func (p *printer) print(op *tile.Op) error {
	a := op.Attr.(tile.PrintAttr)
	signs := make([]string, len(op.Args))
	for i := range signs {
		signs[i] = strconv.FormatUint(a.Signed>>i&1, 10)
	}
	if len(op.Args) == 0 {
		p.put(op, "tt.print %s {hex = %t, isSigned = array<i32>}", text(a.Prefix), a.Hex)
		return nil
	}
	p.put(op, "tt.print %s {hex = %t, isSigned = array<i32: %s>} : %s : %s", text(a.Prefix), a.Hex, strings.Join(signs, ", "), p.list(op.Args), commas(typesOf(op.Args)))
	return nil
}

// text gives a string as MLIR writes it: what is not printable ASCII by its bytes in hexadecimal.
func text(s string) string {
	b := []byte{'"'}
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"', c == '\\', c < ' ', c > '~':
			b = fmt.Appendf(b, "\\%02X", c)
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}

// assert prints an assertion. Where a mask is off, it holds.
func (p *printer) assert(op *tile.Op) error {
	cond, t := p.name(op.Args[0]), typeText(op.Args[0].Type)
	if len(op.Args) > 1 {
		ones, off, holds := p.temp(), p.temp(), p.temp()
		p.put(op, "%s = arith.constant %s", ones, p.literal(op.Args[0].Type, 1))
		p.put(op, "%s = arith.xori %s, %s : %s", off, p.name(op.Args[1]), ones, t)
		p.put(op, "%s = arith.ori %s, %s : %s", holds, cond, off, t)
		cond = holds
	}
	p.put(op, "tt.assert %s, %s : %s", cond, text(op.Attr.(tile.AssertAttr).Msg), t)
	return nil
}

func (p *printer) barrier(op *tile.Op) error {
	p.put(op, "ttg.barrier all")
	return nil
}

func (p *printer) inlineAsm(op *tile.Op) error {
	a := op.Attr.(tile.AsmAttr)
	p.put(op, "%stt.elementwise_inline_asm %s {constraints = %s, packed_element = %d : i32, pure = %t} %s : %s -> %s", p.results(op), text(a.Asm),
		text(a.Constraints), a.Pack, a.Pure, p.list(op.Args), commas(typesOf(op.Args)), commas(typesOf(op.Results)))
	return nil
}

// yieldName gives the terminator of the region that is being printed.
func (p *printer) yieldName() string {
	if name, ok := yields[p.in[len(p.in)-2]]; ok { // the last one is the terminator
		return name
	}
	return "scf.yield"
}
