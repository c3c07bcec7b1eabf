package cudacpp

import (
	"math"
	"strings"

	"github.com/tegula-lang/tegula/internal/lir"
)

// structured prints control flow.
func (p *printer) structured(n *node) {
	switch n.Code {
	case lir.OpFor:
		p.forLoop(n)
	case lir.OpWhile:
		p.whileLoop(n)
	case lir.OpIf:
		p.branch(n)
	default:
		panic(unspelled{n.Code})
	}
}

// operand writes a node's operand.
func (p *printer) operand(n *node, i int) expr { return lanes{p, n.group, 0, 1}.arg(i) }

func (p *printer) forLoop(n *node) {
	body := n.regions[0]
	p.begin(body.args[1:], n.Args[3:])
	typ := typeNames[n.Args[0].Type]
	lower, upper, step := p.operand(n, 0).signed(), p.operand(n, 1).signed(), p.operand(n, 2).signed()
	if n.Mod == 1 {
		typ = unsignedNames[typ]
		lower, upper, step = lower.unsigned(), upper.unsigned(), step.unsigned()
	}
	v := p.homes[body.args[0].ID].of
	v.typ = typ
	p.declared(v)
	next := v.name + " += " + step.text
	switch {
	case n.Args[2].IsConstBits(1):
		next = "++" + v.name
	case !plain(n): // the counter may not go beyond its type
		name := p.helpers.advance()
		next = v.name + " = " + name + "(" + v.name + ", " + step.argument() + ", " + upper.argument() + ")"
	}
	if body.begins() { // copies of the body would have sums of their own, and wait
		p.write("#pragma unroll 1")
	}
	p.write("for (%s %s = %s; %s < %s; %s) {", typ, v.name, lower.text, v.name, upper.in(precLess+1), next)
	p.inside(body)
	p.write("}")
}

// plain reports whether the counter cannot wrap when it reaches its bound.
func plain(n *node) bool {
	upper, step := n.Args[1], n.Args[2]
	return upper.IsConst() && step.IsConst() && upper.Int() >= 0 && step.Int() > 0 && upper.Int() < math.MaxInt32-step.Int()
}

// inside prints the block of a structure; each begins with the kernel's line.
func (p *printer) inside(b *block) {
	p.depth++
	p.block(b)
	p.depth--
}

// begin declares what a loop carries.
func (p *printer) begin(args, inits []*lir.Value) {
	for i := 0; i < len(args); {
		v := p.homes[args[i].ID].of
		n := p.span(args[i:])
		if v.known { // it is carried on
			i += n
			continue
		}
		p.declareCarried(v, args[i:i+n], inits[i:i+n])
		i += n
	}
}

// span gives how many of the values that come first are of one variable.
func (p *printer) span(args []*lir.Value) int {
	v, n := p.homes[args[0].ID].of, 1
	for n < len(args) && p.homes[args[n].ID].of == v {
		n++
	}
	return n
}

func (p *printer) declareCarried(v *variable, args, inits []*lir.Value) {
	p.open(v, args[0].Type)
	if v.size == 1 {
		p.write("%s = %s;", declarator(v.typ, v.name), p.as(v, p.copies(args, inits).arg(0)).text)
		return
	}
	zero := true
	for _, x := range inits {
		zero = zero && x.IsConstBits(0)
	}
	if zero && v.typ != "__half" && v.typ != "__nv_bfloat16" {
		p.write("%s %s[%d] = {};", v.typ, v.name, v.size)
		return
	}
	p.write("%s %s[%d];", v.typ, v.name, v.size)
	p.single(p.settled(p.copies(args, inits)))
}

// open gives a variable of control flow its name and its type.
func (p *printer) open(v *variable, t lir.Type) {
	p.declared(v)
	v.typ, v.known = typeNames[t], true
}

// as gives an expression that can be assigned to a variable.
func (p *printer) as(v *variable, e expr) expr {
	if e.isPointer() {
		return e.to(v.typ)
	}
	return e
}

// copies gives a group that copies values to others.
func (p *printer) copies(to, from []*lir.Value) lanes {
	g := &group{}
	for i := range to {
		g.nodes = append(g.nodes, &node{Op: lir.Op{Code: codeCopy, Args: from[i : i+1], Results: to[i : i+1]}, group: g, lane: i})
	}
	return lanes{p, g, 0, len(to)}
}

// settled cuts a group into what loops can print.
func (p *printer) settled(l lanes) *group {
	l.g.spans = p.spansOf(l.g, 0, len(l.g.nodes))
	return l.g
}

// moves copies values to variables as if all at once.
func (p *printer) moves(to, from []*lir.Value) {
	type move struct {
		v        *variable
		to, from []*lir.Value
		text     string
	}
	var list []move
	for i := 0; i < len(to); {
		n := p.span(to[i:])
		m := move{v: p.homes[to[i].ID].of, to: to[i : i+n], from: from[i : i+n]}
		i += n
		if m.v.unused || p.stays(m.to, m.from) {
			continue
		}
		m.text = p.captured(func() { p.single(p.settled(p.copies(m.to, m.from))) })
		list = append(list, m)
	}
	for i := range list { // what an earlier copy overwrites is saved first
		m := &list[i]
		overwritten := m.v.size > 1 && p.reads(m.from, m.v)
		for _, before := range list[:i] {
			overwritten = overwritten || mentions(m.text, before.v.name)
		}
		if !overwritten {
			continue
		}
		saved := p.newVariable(m.v.name+"_next", m.v.size)
		p.declared(saved)
		saved.typ = m.v.typ
		values := make([]*lir.Value, len(m.to))
		for j := range values {
			values[j] = p.fresh(&node{Op: lir.Op{Code: codeCopy}}, m.to[j].Type)
			p.homes = append(p.homes, home{saved, j})
			p.uses, p.users, p.into = append(p.uses, 1), append(p.users, nil), append(p.into, home{})
		}
		if saved.size == 1 {
			p.write("%s = %s;", declarator("const "+saved.typ, saved.name), p.as(saved, p.copies(values, m.from).arg(0)).text)
		} else {
			p.write("%s %s[%d];", saved.typ, saved.name, saved.size)
			p.single(p.settled(p.copies(values, m.from)))
		}
		m.text = p.captured(func() { p.single(p.settled(p.copies(m.to, values))) })
	}
	for _, m := range list {
		p.out.WriteString(m.text)
	}
}

// stays reports whether all values are where they are to be.
func (p *printer) stays(to, from []*lir.Value) bool {
	for i, v := range from {
		if v.IsConst() || p.homes[v.ID] != p.homes[to[i].ID] {
			return false
		}
	}
	return true
}

// reads reports whether some values lie in a variable.
func (p *printer) reads(vals []*lir.Value, v *variable) bool {
	for _, x := range vals {
		if !x.IsConst() && p.homes[x.ID].of == v {
			return true
		}
	}
	return false
}

// mentions reports whether a name stands in a text.
func mentions(text, name string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(name)
		if (i == 0 || !isNamePart(text[i-1])) && (end == len(text) || !isNamePart(text[end])) {
			return true
		}
		at = end
	}
}

func isNamePart(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (p *printer) whileLoop(n *node) {
	before, after := n.regions[0], n.regions[1]
	p.begin(before.args, n.Args)
	for i := 0; i < len(after.args); {
		v := p.homes[after.args[i].ID].of
		p.open(v, after.args[i].Type)
		p.declareEmpty(v)
		i += p.span(after.args[i:])
	}
	p.write("while (true) {")
	p.inside(before)
	p.inside(after)
	p.write("}")
}

func (p *printer) declareEmpty(v *variable) {
	if v.unused {
		return
	}
	if v.size == 1 {
		p.write("%s;", declarator(v.typ, v.name))
		return
	}
	p.write("%s %s[%d];", v.typ, v.name, v.size)
}

func (p *printer) branch(n *node) {
	for i := 0; i < len(n.Results); {
		v := p.homes[n.Results[i].ID].of
		p.open(v, n.Results[i].Type)
		p.declareEmpty(v)
		i += p.span(n.Results[i:])
	}
	p.write("if (%s) {", p.operand(n, 0).text)
	p.inside(n.regions[0])
	if els := n.regions[1]; len(els.nodes) > 1 || len(n.Results) > 0 {
		p.write("} else {")
		p.inside(els)
	}
	p.write("}")
}

// leave prints the end of a block.
func (p *printer) leave(n *node) {
	switch n.Code {
	case lir.OpYield:
		p.moves(p.carriedBy[n.block], n.Args)
	case lir.OpCondition:
		p.moves(p.carriedBy[n.block], n.Args[1:])
		c := p.operand(n, 0)
		p.write("if (%s) break;", not(c).text)
	}
}

func not(c expr) expr {
	if inner, ok := strings.CutPrefix(c.text, "!"); ok && c.prec == precUnary {
		return newExpr(inner, precUnary, "bool")
	}
	return newExpr("!"+c.in(precUnary), precUnary, "bool")
}
