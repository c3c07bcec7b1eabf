package cuda

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// An emitter writes a function as PTX. Registers have a size and no type, so a bitcast is no instruction; a value is named by the
// register it is in.
type emitter struct {
	f         *lir.Func
	arch      Arch
	entry     string
	registers int // that a thread may take; 0: not said
	body      []byte
	head      []byte                    // definitions in front of the kernel
	names     []string                  // by ID: registers
	partner   map[*lir.Op]*lir.Op       // of the halves of products of which both are needed
	inPlace   map[*lir.Value]bool       // see inPlaces
	carriedIn map[*lir.Value]*lir.Value // see carriedIns
	count     [numClasses]int
	label     int
	files     []string
	line      tile.Location // of the last .loc
	texts     map[string]string
	bases     map[string]string // registers with the addresses of memory that symbols name
	begin     strings.Builder   // what the kernel begins with
	version   string            // of PTX
	uses      struct{ printf, assert bool }
	localArea strings.Builder // definitions of what calls take in local memory
}

// A class is a kind of register.
type class uint8

const (
	predicates class = iota
	halves
	words
	doubles
	numClasses
)

var classInfo = [numClasses]struct{ prefix, typ string }{{"%p", "pred"}, {"%h", "b16"}, {"%r", "b32"}, {"%d", "b64"}}

func classOf(t lir.Type) class {
	switch t.Bits() {
	case 1:
		return predicates
	case 8, 16:
		return halves
	case 64:
		return doubles
	}
	return words
}

func newEmitter(f *lir.Func, arch Arch) *emitter {
	return &emitter{f: f, arch: arch, entry: Symbol(f.Name), version: arch.PTX(), names: make([]string, f.NumValues()), texts: map[string]string{}, bases: map[string]string{}}
}

// needs says that what is written is in PTX from a version on; versions have one digit in front and one behind the dot.
func (e *emitter) needs(version string) { e.version = max(e.version, version) }

// Symbol gives a name that PTX takes: other characters than ASCII's letters, digits and underscores are written as their number.
func Symbol(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r == '_' || r < 0x80 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, "$%x", r)
	}
	s := b.String()
	if s == "" || s[0] >= '0' && s[0] <= '9' || s == "_" {
		return "$" + s
	}
	return s
}

// module writes the whole text.
func (e *emitter) module() []byte {
	e.inPlace, e.carriedIn = inPlaces(e.f), carriedIns(e.f)
	e.block(e.f.Body)
	var b strings.Builder
	fmt.Fprintf(&b, ".version %s\n.target sm_%s\n.address_size 64\n\n", e.version, e.arch.Name)
	if e.f.SharedBytes > 0 {
		b.WriteString(".extern .shared .align " + strconv.Itoa(sharedAlign(e.f)) + " .b8 shared[];\n")
	}
	if e.uses.printf {
		b.WriteString(".extern .func (.param .b32 result) vprintf (.param .b64 format, .param .b64 values);\n")
	}
	if e.uses.assert {
		b.WriteString(".extern .func __assertfail (.param .b64 message, .param .b64 file, .param .b32 line, .param .b64 function, .param .b64 size);\n")
	}
	b.Write(e.head)
	fmt.Fprintf(&b, ".visible .entry %s(", e.entry)
	for i, p := range e.f.Params {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n    " + e.param(i, p))
	}
	fmt.Fprintf(&b, "\n)\n.reqntid %d\n", threadsOf(e.f))
	n := e.registers
	if n == 0 {
		n = registerLimit(e.f, e.arch.threadsPerSM())
	}
	if n > 0 {
		fmt.Fprintf(&b, ".maxnreg %d\n", n)
	} else if e.f.PerSM > 1 {
		fmt.Fprintf(&b, ".minnctapersm %d\n", e.f.PerSM)
	}
	b.WriteString("{\n")
	for c, n := range e.count {
		if n > 0 {
			fmt.Fprintf(&b, "    .reg .%s %s<%d>;\n", classInfo[c].typ, classInfo[c].prefix, n)
		}
	}
	for i, l := range e.f.Local {
		fmt.Fprintf(&b, "    .local .align 16 .b8 local%d[%d];\n", i, l.Size)
	}
	b.WriteString(e.localArea.String())
	b.WriteString(e.enter())
	b.WriteString(e.begin.String())
	b.Write(e.body)
	b.WriteString("}\n")
	for i, f := range e.files {
		fmt.Fprintf(&b, ".file %d %s\n", i+1, quote(f))
	}
	return []byte(b.String())
}

// sharedAlign gives the alignment of the CTA's shared memory.
func sharedAlign(f *lir.Func) int {
	align := 128
	for _, b := range f.Shared {
		align = max(align, b.Align)
	}
	return align
}

func (e *emitter) param(i int, p lir.Param) string {
	if p.Pointer {
		return fmt.Sprintf(".param .u64 .ptr .global .align %d param%d", min(max(p.Align, 1), 128), i)
	}
	return fmt.Sprintf(".param .b%d param%d", max(p.Type.Bits(), 8), i)
}

// quote writes a name as PTX's strings are.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// fresh makes a register.
func (e *emitter) fresh(c class) string {
	n := e.count[c]
	e.count[c]++
	return classInfo[c].prefix + strconv.Itoa(n)
}

// def gives a result its register.
func (e *emitter) def(v *lir.Value) string {
	r := e.fresh(classOf(v.Type))
	e.names[v.ID] = r
	return r
}

// use gives an operand: a register, or a constant.
func (e *emitter) use(v *lir.Value) string {
	if !v.IsConst() {
		return e.names[v.ID]
	}
	switch v.Type {
	case lir.F32:
		return fmt.Sprintf("0f%08X", v.Bits)
	case lir.F64:
		return fmt.Sprintf("0d%016X", v.Bits)
	case lir.F16, lir.BF16:
		return fmt.Sprintf("0x%04X", v.Bits)
	case lir.I8:
		return strconv.Itoa(int(v.Bits))
	}
	return strconv.FormatInt(v.Int(), 10)
}

// reg gives an operand in a register.
func (e *emitter) reg(v *lir.Value) string {
	if !v.IsConst() {
		return e.names[v.ID]
	}
	c := classOf(v.Type)
	r := e.fresh(c)
	if c == predicates {
		e.ins("setp.ne.b32 ", r, ", 0, ", strconv.Itoa(int(v.Bits)))
		return r
	}
	e.ins("mov.", classInfo[c].typ, " ", r, ", ", e.use(v))
	return r
}

// ins writes an instruction.
func (e *emitter) ins(parts ...string) {
	e.body = append(e.body, "    "...)
	for _, p := range parts {
		e.body = append(e.body, p...)
	}
	e.body = append(e.body, ";\n"...)
}

func (e *emitter) newLabel() string {
	e.label++
	return "$L" + strconv.Itoa(e.label)
}

func (e *emitter) mark(label string) {
	e.body = append(e.body, label...)
	e.body = append(e.body, ":\n"...)
}

func (e *emitter) block(b *lir.Block) {
	e.pair(b)
	for _, op := range b.Ops {
		e.place(op.Loc)
		e.op(op)
	}
}

// place writes the line that the next instructions are of: the user's, not the library's that is called there.
func (e *emitter) place(loc tile.Loc) {
	l := e.f.Locs.User(loc)
	if l.Line == 0 || l.File == e.line.File && l.Line == e.line.Line {
		return
	}
	e.line = l
	file := 0
	for file < len(e.files) && e.files[file] != l.File {
		file++
	}
	if file == len(e.files) {
		e.files = append(e.files, l.File)
	}
	e.body = append(e.body, fmt.Sprintf("    .loc %d %d %d\n", file+1, l.Line, max(l.Col, 1))...)
}

// op writes an operation.
func (e *emitter) op(op *lir.Op) {
	if other := e.partner[op]; other != nil {
		e.wide(op, other)
		return
	}
	if s := &spellings[op.Code]; s.name != "" {
		e.simple(op, s)
		return
	}
	special[op.Code](e, op)
}

// simple writes an operation that is one instruction with the operands as they are.
func (e *emitter) simple(op *lir.Op, s *spelling) {
	t := op.Args[0].Type
	name := s.name + s.modifier(op) + "." + s.suffix.of(t)
	args := make([]string, 0, 8)
	for i, a := range op.Args {
		x := e.use(a)
		if a.IsConst() && i == 0 && len(op.Args) == 1 {
			x = e.reg(a)
		}
		args = append(args, ", ", x)
	}
	e.ins(append([]string{name, " ", e.def(op.Results[0])}, args...)...)
}

// moves copies values to registers as if all at once.
func (e *emitter) moves(to []string, from []*lir.Value) {
	src := make([]string, len(from))
	for i, v := range from {
		src[i] = e.use(v)
	}
	for i, s := range src { // what an earlier move overwrites is saved first
		for _, t := range to[:i] {
			if s == t && s != to[i] {
				saved := e.fresh(classOf(from[i].Type))
				e.ins("mov.", classInfo[classOf(from[i].Type)].typ, " ", saved, ", ", s)
				src[i] = saved
				break
			}
		}
	}
	for i, s := range src {
		if s == to[i] {
			continue
		}
		c := classOf(from[i].Type)
		if c == predicates && from[i].IsConst() {
			e.ins("setp.ne.b32 ", to[i], ", 0, ", strconv.Itoa(int(from[i].Bits)))
			continue
		}
		e.ins("mov.", classInfo[c].typ, " ", to[i], ", ", s)
	}
}

// defs gives values their registers.
func (e *emitter) defs(vals []*lir.Value) []string {
	list := make([]string, len(vals))
	for i, v := range vals {
		list[i] = e.def(v)
	}
	return list
}

// alias gives values the registers of others.
func (e *emitter) alias(vals []*lir.Value, regs []string) {
	for i, v := range vals {
		e.names[v.ID] = regs[i]
	}
}
