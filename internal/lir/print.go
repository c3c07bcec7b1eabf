package lir

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/tile"
)

// String gives the text form.
func (f *Func) String() string {
	p := &printer{f: f}
	p.header()
	p.block(f.Body, 1)
	p.b.WriteString("}\n")
	return p.b.String()
}

// String gives the operation without its regions.
func (o *Op) String() string {
	p := &printer{}
	p.op(o)
	return p.b.String()
}

type printer struct {
	f    *Func
	b    strings.Builder
	line int32
}

func (p *printer) header() {
	f := p.f
	fmt.Fprintf(&p.b, "kernel @%s(", f.Name)
	for i, a := range f.Params {
		if i > 0 {
			p.b.WriteString(", ")
		}
		fmt.Fprintf(&p.b, "%s: %s", a.Name, a.Type)
		if a.Pointer {
			fmt.Fprintf(&p.b, " pointer align %d", max(a.Align, 1))
		}
	}
	fmt.Fprintf(&p.b, ") warps %d of %d", f.Warps, f.WarpSize)
	if f.CTAs > 1 {
		fmt.Fprintf(&p.b, " in %d ctas", f.CTAs)
	}
	if f.PerSM > 0 {
		fmt.Fprintf(&p.b, " per sm %d", f.PerSM)
	}
	p.b.WriteString(" {\n")
	for i, s := range f.Shared {
		fmt.Fprintf(&p.b, "  shared %d: %d bytes at %d\n", i, s.Size, s.Offset)
	}
	for i, s := range f.Local {
		fmt.Fprintf(&p.b, "  local %d: %d bytes\n", i, s.Size)
	}
}

func (p *printer) block(b *Block, depth int) {
	for _, op := range b.Ops {
		p.place(op)
		indent := strings.Repeat("  ", depth)
		p.b.WriteString(indent)
		p.op(op)
		for i, r := range op.Regions {
			if i > 0 {
				p.b.WriteString(indent + "}")
			}
			p.b.WriteString(" {")
			for j, a := range r.Args {
				if j > 0 {
					p.b.WriteByte(',')
				}
				fmt.Fprintf(&p.b, " %%%d: %s", a.ID, a.Type)
			}
			p.b.WriteByte('\n')
			p.block(r, depth+1)
		}
		if len(op.Regions) > 0 {
			p.b.WriteString(indent + "}")
		}
		p.b.WriteByte('\n')
	}
}

// place writes the line of the kernel that the next operations are for.
func (p *printer) place(op *Op) {
	if p.f == nil || p.f.Locs == nil {
		return
	}
	l := p.f.Locs.Outer(op.Loc)
	if l.Line != 0 && l.Line != p.line {
		fmt.Fprintf(&p.b, "# line %d\n", l.Line)
		p.line = l.Line
	}
}

func (p *printer) op(op *Op) {
	for i, r := range op.Results {
		if i > 0 {
			p.b.WriteString(", ")
		}
		p.value(r)
	}
	if len(op.Results) > 0 {
		p.b.WriteString(" = ")
	}
	p.b.WriteString(op.Code.String())
	p.modifier(op)
	if t := typeOf(op); t != None {
		p.b.WriteByte('.')
		p.b.WriteString(t.String())
	}
	switch op.Code {
	case OpParam, OpProgramID, OpNumPrograms, OpCopyAsync, OpCopyWait, OpGroupWait, OpSignalInit:
		fmt.Fprintf(&p.b, " %d", op.Imm)
	}
	if op.Group != nil {
		fmt.Fprintf(&p.b, " %v", op.Group)
	}
	if parts(op) {
		p.b.WriteString(".each")
	}
	if op.Mem != nil {
		p.memory(op)
		return
	}
	if op.Text != nil {
		fmt.Fprintf(&p.b, " %q", op.Text.Format)
		if op.Text.Constraints != "" {
			fmt.Fprintf(&p.b, " %q", op.Text.Constraints)
		}
	}
	p.values(" ", op.Args)
}

func (p *printer) values(sep string, vals []*Value) {
	for _, v := range vals {
		p.b.WriteString(sep)
		p.value(v)
		sep = ", "
	}
}

func (p *printer) value(v *Value) {
	if !v.IsConst() {
		p.b.WriteByte('%')
		p.b.WriteString(strconv.Itoa(int(v.ID)))
		return
	}
	switch v.Type {
	case I1:
		p.b.WriteString(strconv.FormatBool(v.Bits == 1))
	case F32:
		p.b.WriteString(float(float64(math.Float32frombits(uint32(v.Bits))), 32))
	case F64:
		p.b.WriteString(float(math.Float64frombits(v.Bits), 64))
	case F16, BF16:
		fmt.Fprintf(&p.b, "0x%x", v.Bits)
	default:
		p.b.WriteString(strconv.FormatInt(v.Int(), 10))
	}
}

func float(x float64, bits int) string {
	s := strconv.FormatFloat(x, 'g', -1, bits)
	if !strings.ContainsAny(s, ".eIN") {
		s += ".0"
	}
	return s
}

// typeOf gives the type that an operation's name shows: its result's, and of conversions and comparisons its operand's.
func typeOf(op *Op) Type {
	switch {
	case len(op.Results) > 0 && op.Code.Effect() != Structured && op.Code != OpCmp && op.Code != OpFCmp:
		return op.Results[0].Type
	case op.Code == OpCmp, op.Code == OpFCmp, op.Code == OpStore:
		return op.Args[len(op.Args)-1].Type
	}
	return None
}

// modifier writes what Mod says.
func (p *printer) modifier(op *Op) {
	text := ""
	switch opTable[op.Code].mod {
	case modRounding:
		if op.Mod != 0 {
			text = Rounding(op.Mod).String()
		}
	case modCmpI:
		text = tile.CmpI(op.Mod).String()
	case modCmpF:
		text = tile.CmpF(op.Mod).String()
	case modNaN:
		if op.Mod != 0 {
			text = "nan"
		}
	case modShuffle:
		text = ShuffleMode(op.Mod).String()
	case modAtomic:
		text = tile.Atomic(op.Mod).String()
	case modScope:
		text = tile.MemScope(op.Mod).String()
	case modUnsigned:
		if op.Mod != 0 {
			text = "unsigned"
		}
	case modF8:
		text = F8(op.Mod).String()
	case modMMA:
		text = MMA(op.Mod).String()
	case modTransposed:
		if op.Mod != 0 {
			text = "transposed"
		}
	case modBF16:
		if op.Mod != 0 {
			text = "bf16"
		}
	case modFlush:
		if op.Mod != 0 {
			text = "ftz"
		}
	}
	if text != "" {
		p.b.WriteByte('.')
		p.b.WriteString(text)
	}
}

// memory writes an access: its kind, address, predicate and values.
func (p *printer) memory(op *Op) {
	m := op.Mem
	fmt.Fprintf(&p.b, " %s", m.Space)
	if m.Space != Global {
		fmt.Fprintf(&p.b, " %d", m.Buffer)
	}
	p.b.WriteString(" [")
	p.value(op.Args[0])
	if m.Offset != 0 {
		fmt.Fprintf(&p.b, " %+d", m.Offset)
	}
	p.b.WriteByte(']')
	rest := op.Args[1:]
	if m.Pred {
		p.values(" if ", rest[:1])
		rest = rest[1:]
	}
	if m.Else {
		p.values(" else ", rest)
	} else {
		p.values(", ", rest)
	}
	for _, w := range op.words() {
		p.b.WriteByte(' ')
		p.b.WriteString(w)
	}
}

// words gives what else is said of an access.
func (o *Op) words() []string {
	m := o.Mem
	var w []string
	if o.Code == OpAtomicRMW {
		w = append(w, m.Kind.String())
	}
	if o.Code == OpAtomicRMW || o.Code == OpAtomicCAS || m.Sem != 0 {
		w = append(w, m.Sem.String(), m.Scope.String())
	}
	if m.Cache != tile.CacheDefault {
		w = append(w, m.Cache.String())
	}
	if m.Evict != tile.EvictNormal {
		w = append(w, "evict_"+m.Evict.String())
	}
	if m.Volatile {
		w = append(w, "volatile")
	}
	if m.ReadOnly {
		w = append(w, "readonly")
	}
	return w
}
