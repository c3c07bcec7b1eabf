package cuda

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/lir"
)

// text gives the symbol of a string in constant memory.
func (e *emitter) text(s string) string {
	if name, ok := e.texts[s]; ok {
		return name
	}
	name := "text" + strconv.Itoa(len(e.texts))
	e.texts[s] = name
	var b strings.Builder
	fmt.Fprintf(&b, ".global .align 1 .b8 %s[%d] = {", name, len(s)+1)
	for i := range len(s) {
		fmt.Fprintf(&b, "%d, ", s[i])
	}
	b.WriteString("0};\n")
	e.head = append(e.head, b.String()...)
	return name
}

// pointer gives the generic address of a string in a register.
func (e *emitter) pointer(s string) string {
	r, g := e.fresh(doubles), e.fresh(doubles)
	e.ins("mov.u64 ", r, ", ", e.text(s))
	e.ins("cvta.global.u64 ", g, ", ", r)
	return g
}

// print calls the driver's vprintf, whose values lie in local memory as the members of a C struct do.
func (e *emitter) print(op *lir.Op) {
	e.uses.printf = true
	format := e.pointer(op.Text.Format)
	e.ins("{ .param .b64 format; .param .b64 values; .param .b32 result")
	values := e.fresh(doubles)
	if len(op.Args) > 0 {
		area := e.newLabel()[1:]
		size := 0
		for _, v := range op.Args {
			bytes := v.Type.Bytes()
			size = (size + bytes - 1) &^ (bytes - 1)
			r := e.reg(v)
			e.ins("st.local.", classInfo[classOf(v.Type)].typ, " ", fmt.Sprintf("[print%s+%d]", area, size), ", ", r)
			size += bytes
		}
		fmt.Fprintf(&e.localArea, "    .local .align 8 .b8 print%s[%d];\n", area, size)
		local := e.fresh(doubles)
		e.ins("mov.u64 ", local, ", print", area)
		e.ins("cvta.local.u64 ", values, ", ", local)
	} else {
		e.ins("mov.b64 ", values, ", 0")
	}
	e.ins("st.param.b64 [format], ", format)
	e.ins("st.param.b64 [values], ", values)
	e.ins("call.uni (result), vprintf, (format, values)")
	e.body = append(e.body, "    }\n"...)
}

// assert calls the driver's __assertfail, which ends the kernel with an error and shows the message.
func (e *emitter) assert(op *lir.Op) {
	e.uses.assert = true
	passed := e.newLabel()
	e.ins("@", e.reg(op.Args[0]), " bra ", passed)
	at := op.Text.Place
	message, file, function := e.pointer(op.Text.Format), e.pointer(at.File), e.pointer(e.f.Name)
	e.ins("{ .param .b64 message; .param .b64 file; .param .b32 line; .param .b64 function; .param .b64 size")
	e.ins("st.param.b64 [message], ", message)
	e.ins("st.param.b64 [file], ", file)
	e.ins("st.param.b32 [line], ", strconv.Itoa(int(at.Line)))
	e.ins("st.param.b64 [function], ", function)
	e.ins("st.param.b64 [size], 1")
	e.ins("call.uni __assertfail, (message, file, line, function, size)")
	e.body = append(e.body, "    }\n"...)
	e.mark(passed)
}

// assembly writes inline assembly: $0, $1, … are the results, then the operands; $$ is a dollar.
func (e *emitter) assembly(op *lir.Op) {
	var operands []string
	for _, v := range op.Results {
		operands = append(operands, e.def(v))
	}
	for _, v := range op.Args {
		operands = append(operands, e.reg(v))
	}
	e.body = append(e.body, "    // inline assembly\n    {\n"...)
	e.body = append(e.body, expand(op.Text.Format, operands)...)
	e.body = append(e.body, "\n    }\n"...)
}

func expand(text string, operands []string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '$' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		if text[i+1] == '$' {
			b.WriteByte('$')
			i++
			continue
		}
		j := i + 1
		for j < len(text) && text[j] >= '0' && text[j] <= '9' {
			j++
		}
		n, err := strconv.Atoi(text[i+1 : j])
		if err != nil || n >= len(operands) {
			b.WriteByte('$')
			continue
		}
		b.WriteString(operands[n])
		i = j - 1
	}
	return b.String()
}
