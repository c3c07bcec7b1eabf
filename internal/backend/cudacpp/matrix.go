package cudacpp

import (
	"fmt"
	"strings"

	"github.com/tegula-lang/tegula/internal/lir"
)

// matrixShapes are how PTX names the matrix instructions.
var matrixShapes = [...]string{
	lir.MMAF16:      "m16n8k16.row.col.f32.f16.f16.f32",
	lir.MMAF16Half:  "m16n8k8.row.col.f32.f16.f16.f32",
	lir.MMABF16:     "m16n8k16.row.col.f32.bf16.bf16.f32",
	lir.MMATF32:     "m16n8k8.row.col.f32.tf32.tf32.f32",
	lir.MMAS8:       "m16n8k32.row.col.s32.s8.s8.s32",
	lir.MMAU8:       "m16n8k32.row.col.s32.u8.u8.s32",
	lir.MMAE4M3:     "m16n8k32.row.col.f32.e4m3.e4m3.f32",
	lir.MMAE4M3E5M2: "m16n8k32.row.col.f32.e4m3.e5m2.f32",
	lir.MMAE5M2E4M3: "m16n8k32.row.col.f32.e5m2.e4m3.f32",
	lir.MMAE5M2:     "m16n8k32.row.col.f32.e5m2.e5m2.f32",
	lir.MMAF64:      "m8n8k4.row.col.f64.f64.f64.f64",
}

// mma multiplies in place: the sum is copied to where the result is to be first, unless it is there.
func (p *printer) mma(l lanes) {
	n := l.first()
	m := lir.MMA(n.Mod)
	info := m.Info()
	a, b, sum := info.Words()
	v := p.homes[n.Results[0].ID].of
	if v.typ == "" {
		v.typ = typeNames[info.Sum]
	}
	to, ok := l.run(sum, func(m *node, i int) *lir.Value { return m.Results[i] })
	if !ok {
		panic(unspelled{n.Code})
	}
	from, ok := l.run(sum, func(m *node, i int) *lir.Value { return m.Args[a+b+i] })
	if (!ok || from.text != to.text) && !l.fromZero(v, a+b) {
		for i := range sum {
			p.write("%s = %s;", l.result(i).text, l.arg(a+b+i).text)
		}
	}
	typ := "unsigned"
	if info.Operand() == lir.F64 {
		typ = "double"
	}
	p.write("%s(%s, %s, %s);", p.helpers.mma(m, matrixShapes[n.Mod], typ), to.text, p.words(l, 0, a, typ, "a"), p.words(l, a, b, typ, "b"))
}

// fromZero reports whether what is added to is 0, as the variable is at first.
func (l lanes) fromZero(v *variable, first int) bool {
	for _, n := range l.g.nodes[l.lo:l.hi] {
		for _, x := range n.Args[first:] {
			if !v.zero || !x.IsConstBits(0) {
				return false
			}
		}
	}
	return true
}

// words gives where some operands lie one after another; if they do not, they are put there.
func (p *printer) words(l lanes, from, n int, typ, hint string) string {
	if at, ok := l.run(n, func(m *node, i int) *lir.Value { return m.Args[from+i] }); ok && strings.TrimSuffix(at.typ, "*") == typ {
		return at.text
	}
	name := p.names.pick(hint)
	texts := make([]string, n)
	for i := range texts {
		v := l.arg(from + i)
		if typ == "unsigned" {
			v = v.unsigned()
		}
		texts[i] = v.text
	}
	p.write("const %s %s[%d] = {%s};", typ, name, n, strings.Join(texts, ", "))
	return name
}

func (p *printer) loadMatrix(l lanes) {
	n := l.first()
	count := len(n.Results)
	p.homes[n.Results[0].ID].of.typ = "unsigned"
	name := p.helpers.loadMatrix(count, n.Mod == 1)
	at := l.address(0, typeNames[p.view(n).elem])
	to, ok := l.run(count, func(m *node, i int) *lir.Value { return m.Results[i] })
	if !ok {
		v := l.result(0)
		if v.text == p.homes[n.Results[0].ID].of.name { // one word is no array
			p.write("unsigned %s;", v.text)
		}
		to = newExpr("&"+v.text, precUnary, "unsigned*")
	}
	p.write("%s(%s, %s);", name, to.text, at.text)
}

// copyAsync: what is not read is zero.
func (p *printer) copyAsync(l lanes) {
	n := l.first()
	at := l.address(0, typeNames[p.view(n).elem])
	source := 1
	if n.Mem.Pred {
		source = 2
	}
	from := l.global(l.arg(source), index{first: n.From.Offset, count: l.count()}, "")
	if n.Mem.Pred {
		p.write("%s<%d>(%s, %s, %s);", p.helpers.copyAsync(), n.Imm, at.text, from.text, l.arg(1).text)
		return
	}
	p.write("%s<%d>(%s, %s, true);", p.helpers.copyAsync(), n.Imm, at.text, from.text)
}

// quote writes a string.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	octal := false
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c < ' ' || c >= 0x7f || c == '?' && octal:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
		octal = c == '?' // no trigraphs
	}
	b.WriteByte('"')
	return b.String()
}
