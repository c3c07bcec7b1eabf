package cudacpp

import (
	"fmt"
	"strconv"
	"strings"
)

func (p *printer) print(l lanes) {
	n := l.first()
	args := []expr{newExpr(quote(n.Text.Format), precPrimary, "")}
	for i := range n.Args {
		v := l.arg(i).integer()
		if v.typ == "unsigned char" || v.typ == "bool" {
			v = v.to("int")
		}
		args = append(args, v)
	}
	p.write("%s;", call("", "printf", args...).text)
}

// assert calls what the driver has for assertions.
func (p *printer) assert(l lanes) {
	n := l.first()
	p.helpers.assert()
	at := n.Text.Place
	p.write("if (%s) __assertfail(%s, %s, %d, %s, 1);", not(l.arg(0)).text, quote(n.Text.Format), quote(at.File), at.Line, quote(p.f.Name))
}

func (h *helpers) assert() {
	h.add("__assertfail", "// The driver's: ends the kernel with an error.\n"+
		"extern \"C\" __device__ void __assertfail(const char* message, const char* file, unsigned line, const char* function, size_t size);\n")
}

// assembly prints inline assembly: $0, $1, … are the results, then the operands; $$ is a dollar.
func (p *printer) assembly(l lanes) {
	n := l.first()
	var outputs, inputs, after []string
	for i, r := range n.Results {
		typ := typeNames[r.Type]
		v := p.homes[r.ID].of
		v.typ, v.known = typ, true
		p.declared(v)
		if registerType(typ) == typ {
			p.write("%s;", declarator(typ, v.name))
			outputs = append(outputs, fmt.Sprintf("\"=%s\"(%s)", constraints[typ], v.name))
			continue
		}
		bits := p.names.pick(v.name + "_bits")
		p.write("%s %s;", registerType(typ), bits)
		outputs = append(outputs, fmt.Sprintf("\"=%s\"(%s)", constraints[typ], bits))
		after = append(after, fmt.Sprintf("const %s %s = %s;", typ, v.name, valueOf(typ, bits)))
		_ = i
	}
	for i, a := range n.Args {
		v := l.arg(i).integer()
		typ := typeNames[a.Type]
		text := v.text
		if registerType(typ) != typ {
			text = bitsOf(typ, v.to(typ).text)
		}
		inputs = append(inputs, fmt.Sprintf("%q(%s)", constraints[typ], text))
	}
	volatile := " volatile"
	if n.Imm == 1 {
		volatile = ""
	}
	p.write("asm%s(%s : %s : %s%s);", volatile, quote("{ "+expand(n.Text.Format)+" }"), strings.Join(outputs, ", "), strings.Join(inputs, ", "), clobbers(n.Imm))
	for _, line := range after {
		p.write("%s", line)
	}
}

func clobbers(pure int64) string {
	if pure == 1 {
		return ""
	}
	return ` : "memory"`
}

// expand writes assembly as CUDA has it.
func expand(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '%':
			b.WriteString("%%")
		case text[i] != '$' || i+1 == len(text):
			b.WriteByte(text[i])
		case text[i+1] == '$':
			b.WriteByte('$')
			i++
		default:
			j := i + 1
			for j < len(text) && isDigit(text[j]) {
				j++
			}
			if _, err := strconv.Atoi(text[i+1 : j]); err != nil {
				b.WriteByte('$')
				continue
			}
			b.WriteByte('%')
			b.WriteString(text[i+1 : j])
			i = j - 1
		}
	}
	return b.String()
}
