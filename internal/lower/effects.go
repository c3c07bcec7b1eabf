package lower

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/lir"
	"github.com/tegula-lang/tegula/internal/tile"
)

// print lowers OpPrint: each element is a line, as Triton prints it, of the thread that owns the element.
//
//	pid (0, 0, 0) idx ( 3) x: 1.500000
func (l *lowerer) print(op *tile.Op) {
	a := op.Attr.(tile.PrintAttr)
	prefix := strings.ReplaceAll(printPrefix(a.Prefix, len(op.Args) > 0), "%", "%%")
	if len(op.Args) == 0 {
		l.printLine("pid (%d, %d, %d)"+prefix+"\n", l.programIDs(), l.first())
		return
	}
	for i, v := range op.Args {
		label := prefix
		if len(op.Args) > 1 {
			label += fmt.Sprintf("(operand %d) ", i)
		}
		signed := a.Signed>>i&1 != 0
		if v.Type.IsScalar() {
			verb, x := l.formatted(v.Type, l.scalar(v), a.Hex, signed)
			l.printLine("pid (%d, %d, %d) idx ()"+label+verb+"\n", append(l.programIDs(), x), l.first())
			continue
		}
		l.printTile(v, label, a.Hex, signed)
	}
}

func (l *lowerer) printTile(v *tile.Value, label string, hex, signed bool) {
	home, _ := l.distinct(l.home(v))
	if !independent(home) {
		home = l.defaultView(v.Type)
	}
	l.rolled(home, v.Type, l.mustWhole(v, home), nil, func(w *view, _ []*lir.Value) []*lir.Value {
		vals := l.eval(v, w)
		for r, x := range vals {
			e := l.element(w, r)
			index, args := "", l.programIDs()
			for d := range v.Type.Rank() {
				if d > 0 {
					index += ", "
				}
				index += "%" + strconv.Itoa(len(strconv.Itoa(v.Type.Dim(d)-1))) + "d"
				args = append(args, l.and(l.shr(e, lowBit(v.Type, d)), v.Type.Dim(d)-1))
			}
			verb, x := l.formatted(v.Type, x, hex, signed)
			l.printLine("pid (%d, %d, %d) idx ("+index+")"+label+verb+"\n", append(args, x), l.owner(home))
		}
		return nil
	})
}

// printPrefix makes a prefix begin with a space and, before values, end in ": ".
func printPrefix(s string, values bool) string {
	if values && !strings.HasSuffix(s, ": ") {
		s = strings.TrimSuffix(s, " ") + ": "
	}
	if len(s) > 2 && !strings.HasPrefix(s, " ") {
		s = " " + s
	}
	return s
}

func (l *lowerer) programIDs() []*lir.Value {
	ids := make([]*lir.Value, 3)
	for i := range ids {
		ids[i] = l.b.Pure(lir.OpProgramID, 0, lir.I32, int64(i))
	}
	return ids
}

func (l *lowerer) printLine(format string, args []*lir.Value, pred *lir.Value) {
	emit := func() []*lir.Value {
		l.b.Emit(&lir.Op{Code: lir.OpPrint, Args: args, Text: &lir.Text{Format: format}})
		return nil
	}
	if pred == nil {
		emit()
		return
	}
	l.b.IfEach(pred, emit, nil)
}

// formatted gives the conversion that an element prints with, and the value in the type that goes with it.
func (l *lowerer) formatted(t tile.Type, x *lir.Value, hex, signed bool) (verb string, v *lir.Value) {
	b := l.b
	switch {
	case t.IsPtr():
		return "%p", x
	case t.IsFloat():
		x = l.toF32(x, t.Elem())
		if x.Type == lir.F32 {
			x = b.Pure(lir.OpFExt, 0, lir.F64, 0, x)
		}
		if hex {
			return "%a", x
		}
		return "%f", x
	}
	x = l.widen(x, signed && !hex && !t.IsBool())
	long := ""
	if x.Type == lir.I64 {
		long = "ll"
	}
	switch {
	case hex:
		return fmt.Sprintf("0x%%0%d%sx", 2*t.ElemBytes(), long), x
	case signed && !t.IsBool():
		return "%" + long + "d", x
	}
	return "%" + long + "u", x
}

// assert lowers OpAssert: the thread that finds an element for which the condition does not hold reports it.
func (l *lowerer) assert(op *tile.Op) {
	cond, mask := op.Args[0], at(op.Args, 1)
	msg := op.Attr.(tile.AssertAttr).Msg
	if cond.Type.IsScalar() {
		ok := l.scalar(cond)
		if mask != nil {
			ok = l.b.Pure(lir.OpOr, 0, lir.I1, 0, ok, l.not(l.scalar(mask)))
		}
		l.check(op, ok, msg)
		return
	}
	home, _ := l.distinct(l.home(cond))
	l.rolled(home, cond.Type, l.mustWhole(cond, home) || l.mustWhole(mask, home), nil, func(w *view, _ []*lir.Value) []*lir.Value {
		oks := l.eval(cond, w)
		var on []*lir.Value
		if mask != nil {
			on = l.eval(mask, w)
		}
		all := l.b.Bool(true)
		for r, ok := range oks {
			if on != nil {
				ok = l.b.Pure(lir.OpOr, 0, lir.I1, 0, ok, l.not(on[r]))
			}
			all = l.b.Pure(lir.OpAnd, 0, lir.I1, 0, all, ok)
		}
		l.check(op, all, msg)
		return nil
	})
}

func (l *lowerer) check(op *tile.Op, ok *lir.Value, msg string) {
	if ok.IsConstBits(1) {
		return
	}
	loc := l.m.Locs.At(op.Loc)
	l.b.Emit(&lir.Op{Code: lir.OpAssert, Args: []*lir.Value{ok}, Text: &lir.Text{Format: msg, Place: loc}})
}

// Inline assembly has an operand of one register for each of its constraints; elements of less than 32 bits share registers, the first lowest.

// An asmOperand is how elements of one value lie in an assembly's registers.
type asmOperand struct {
	t     lir.Type   // of an element in a register
	value lir.Type   // of the element: a truth value takes a byte
	regs  []lir.Type // one for each constraint
	per   int        // elements a register
}

var constraintTypes = map[string]lir.Type{"r": lir.I32, "f": lir.F32, "h": lir.I16, "l": lir.I64, "d": lir.F64, "b": lir.I1}

// asmOperands hands the constraints out to the values.
func (l *lowerer) asmOperands(values []*tile.Value, pack int, constraints []string) ([]asmOperand, []string) {
	list := make([]asmOperand, len(values))
	for i, v := range values {
		o := asmOperand{t: l.typeOf(v.Type), value: l.typeOf(v.Type), per: 1}
		if o.t == lir.I1 {
			o.t = lir.I8
		}
		n := pack
		if bits := o.t.Bits(); bits < 32 {
			o.per = min(pack, 32/bits)
			n = pack / o.per
		}
		for range n {
			if len(constraints) == 0 {
				l.refuse("the assembly has fewer constraints than its operands need registers")
			}
			letter := strings.Trim(constraints[0], "=&+ ")
			t, ok := constraintTypes[letter]
			if !ok || t.Bits() < o.per*o.t.Bits() {
				l.refuse("the assembly's constraint %q is none for %d × %s", constraints[0], o.per, o.t)
			}
			o.regs = append(o.regs, t)
			constraints = constraints[1:]
		}
		list[i] = o
	}
	return list, constraints
}

// assembly lowers OpInlineAsm.
func (l *lowerer) assembly(op *tile.Op) {
	a := op.Attr.(tile.AsmAttr)
	constraints := strings.Split(a.Constraints, ",")
	for i, c := range constraints {
		constraints[i] = strings.TrimSpace(c)
	}
	outs, rest := l.asmOperands(op.Results, a.Pack, constraints)
	ins, rest := l.asmOperands(op.Args, a.Pack, rest)
	for _, c := range rest {
		if !strings.HasPrefix(c, "~") && c != "" {
			l.refuse("the assembly has a constraint %q more than its operands need registers", c)
		}
	}
	run := func(args [][]*lir.Value) [][]*lir.Value { return l.runAsm(a, outs, ins, args) }
	if isScalar(op) {
		args := make([][]*lir.Value, len(op.Args))
		for i, v := range l.scalars(op.Args) {
			args[i] = repeat(v, a.Pack)
		}
		for i, vals := range run(args) {
			l.vals[op.Results[i].ID] = held{scalar: vals[0]}
		}
		return
	}
	home := l.asmView(op)
	if !l.holds(op.Args[0].Type, home) {
		l.refuse("inline assembly on a tile of %d elements a thread", home.size())
	}
	out := make([][]*lir.Value, len(op.Results))
	args := l.operands(op, home)
	for r := 0; r < home.size(); r += a.Pack {
		group := make([][]*lir.Value, len(args))
		for i := range args {
			group[i] = make([]*lir.Value, a.Pack)
			for j := range group[i] { // fewer elements than are taken at once: the last again
				group[i][j] = args[i][min(r+j, home.size()-1)]
			}
		}
		for i, vals := range run(group) {
			out[i] = append(out[i], vals[:min(a.Pack, home.size()-r)]...)
		}
	}
	for i, v := range op.Results {
		l.set(v, held{in: home, regs: out[i]})
	}
}

// asmView gives the view of the results, or of the operands where there are none.
func (l *lowerer) asmView(op *tile.Op) *view {
	if len(op.Results) > 0 {
		return l.home(op.Results[0])
	}
	if h := l.firstHome(op.Args); h != nil {
		return h
	}
	return l.home(op.Args[0])
}

// runAsm makes one assembly of pack elements of each operand.
func (l *lowerer) runAsm(a tile.AsmAttr, outs, ins []asmOperand, args [][]*lir.Value) [][]*lir.Value {
	var operands []*lir.Value
	for i, o := range ins {
		for k, t := range o.regs {
			operands = append(operands, l.asmWord(o, t, args[i][k*o.per:(k+1)*o.per]))
		}
	}
	var types []lir.Type
	for _, o := range outs {
		types = append(types, o.regs...)
	}
	pure := int64(0)
	if a.Pure {
		pure = 1
	}
	results := l.b.Emit(&lir.Op{Code: lir.OpAsm, Imm: pure, Args: operands, Text: &lir.Text{Format: a.Asm, Constraints: a.Constraints}}, types...)
	out := make([][]*lir.Value, len(outs))
	for i, o := range outs {
		for range o.regs {
			for _, x := range l.unpacked(o, results[0]) {
				out[i] = append(out[i], l.fromMemory(x, o.value))
			}
			results = results[1:]
		}
	}
	return out
}

// asmWord puts elements into one register.
func (l *lowerer) asmWord(o asmOperand, t lir.Type, vals []*lir.Value) *lir.Value {
	if t == lir.I1 {
		return vals[0]
	}
	bits := lir.Int(t.Bits())
	var sum *lir.Value
	for i, v := range vals {
		x := l.toMemory(v)
		x = l.cast(x, lir.Int(x.Type.Bits()))
		if x.Type.Bits() < bits.Bits() {
			x = l.b.Pure(lir.OpExtU, 0, bits, 0, x)
		}
		if sum == nil {
			sum = x
			continue
		}
		sum = l.b.Pure(lir.OpOr, 0, bits, 0, sum, l.shl(x, i*o.t.Bits()))
	}
	return l.cast(sum, t)
}

// unpacked takes the elements out of a register.
func (l *lowerer) unpacked(o asmOperand, v *lir.Value) []*lir.Value {
	if v.Type == lir.I1 {
		return []*lir.Value{v}
	}
	whole := l.cast(v, lir.Int(v.Type.Bits()))
	out := make([]*lir.Value, o.per)
	for i := range out {
		x := whole
		if i > 0 {
			x = l.shr(x, i*o.t.Bits())
		}
		out[i] = l.cast(l.narrow(x, lir.Int(o.t.Bits())), o.t)
	}
	return out
}
