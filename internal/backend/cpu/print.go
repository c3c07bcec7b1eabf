package cpu

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/tile"
)

// print plans OpPrint. Each element is a line, as Triton prints it:
//
//	pid (0, 0, 0) idx ( 3) x: 1.500000
//
// With several operands each is numbered: "x: (operand 1) 1.500000". What one operation of
// one program instance prints stays together.
func (p *planner) print(op *tile.Op) error {
	attr := op.Attr.(tile.PrintAttr)
	prefix := printPrefix(attr.Prefix, len(op.Args) > 0)
	in := make([]slot, len(op.Args))
	formats := make([]func(*machine, slot, int) string, len(op.Args))
	for i, v := range op.Args {
		in[i] = p.full(op, v)
		formats[i] = formatOf(v.Type, attr.Hex, attr.Signed>>i&1 != 0)
	}
	p.emit(op, func(m *machine) error {
		if m.launch.print == nil {
			return nil
		}
		pid := fmt.Sprintf("pid (%d, %d, %d)", m.pid[0], m.pid[1], m.pid[2])
		if len(in) == 0 {
			return m.write(pid + prefix + "\n")
		}
		var b strings.Builder
		for k, v := range op.Args {
			operand := ""
			if len(in) > 1 {
				operand = fmt.Sprintf("(operand %d) ", k)
			}
			for i := range v.Type.NumElems() {
				b.WriteString(pid + " idx " + paddedIndex(v.Type, i) + prefix + operand + formats[k](m, in[k], i) + "\n")
			}
		}
		return m.write(b.String())
	})
	return nil
}

// write prints lines of which nobody else's go between.
func (m *machine) write(s string) error {
	m.launch.out.Lock()
	defer m.launch.out.Unlock()
	if _, err := m.launch.print.Write([]byte(s)); err != nil {
		return fmt.Errorf("printing: %w", err)
	}
	return nil
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

// paddedIndex gives an element's coordinates, each as wide as the largest of its dimension.
func paddedIndex(t tile.Type, i int) string {
	at := make([]string, t.Rank())
	for k := t.Rank() - 1; k >= 0; k-- {
		width := len(strconv.Itoa(t.Dim(k) - 1))
		at[k] = fmt.Sprintf("%*d", width, i&(t.Dim(k)-1))
		i >>= t.LogDim(k)
	}
	return "(" + strings.Join(at, ", ") + ")"
}

// formatOf gives how an element of a slot prints: floats as %f or %a, integers in hexadecimal
// with as many digits as the type has.
func formatOf(t tile.Type, hex, isSigned bool) func(*machine, slot, int) string {
	size := t.ElemBytes()
	bits := func(m *machine, s slot, i int) uint64 { return elementBits(m, s, size, i) }
	switch {
	case t.IsPtr():
		return func(m *machine, s slot, i int) string {
			return fmt.Sprintf("%#x", m.launch.space.untag(bits(m, s, i)))
		}
	case t.IsFloat():
		d, verb := t.Elem().DType(), byte('f')
		if hex {
			verb = 'a'
		}
		return func(m *machine, s slot, i int) string { return printFloat(verb, d.Decode(bits(m, s, i))) }
	case hex:
		return func(m *machine, s slot, i int) string { return fmt.Sprintf("0x%0*x", 2*size, bits(m, s, i)) }
	case isSigned && !t.IsBool():
		shift := 64 - 8*size
		return func(m *machine, s slot, i int) string {
			return strconv.FormatInt(int64(bits(m, s, i)<<shift)>>shift, 10)
		}
	}
	return func(m *machine, s slot, i int) string { return strconv.FormatUint(bits(m, s, i), 10) }
}

// printFloat formats as C's %f and %a do.
func printFloat(verb byte, f float64) string {
	switch {
	case f != f:
		return "nan"
	case math.IsInf(f, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(f, 'f', -1, 64)), "+")
	case verb == 'f':
		return strconv.FormatFloat(f, 'f', 6, 64)
	}
	mant, exp, _ := strings.Cut(strconv.FormatFloat(f, 'x', -1, 64), "p")
	e, _ := strconv.Atoi(exp)
	return fmt.Sprintf("%sp%+d", mant, e) // Go writes two digits of the exponent at least
}

// elementBits gives the bits of element i of a slot.
func elementBits(m *machine, s slot, size, i int) uint64 {
	switch size {
	case 1:
		return uint64(view[uint8](m, s)[i])
	case 2:
		return uint64(view[uint16](m, s)[i])
	case 4:
		return uint64(view[uint32](m, s)[i])
	}
	return view[uint64](m, s)[i]
}

// assert plans OpAssert.
func (p *planner) assert(op *tile.Op) error {
	msg := op.Attr.(tile.AssertAttr).Msg
	in := p.operands(op, p.width(op, op.Args[0].Type))
	p.emit(op, func(m *machine) error {
		var mask []uint8
		if len(in) > 1 {
			mask = view[uint8](m, in[1])
		}
		for i, ok := range view[uint8](m, in[0]) {
			if ok == 0 && (mask == nil || mask[i] != 0) {
				return m.check("device-assert", op, "assertion failed: %s,%s", msg, element(op.Args[0].Type, i))
			}
		}
		return nil
	})
	return nil
}

// assume plans OpAssume: what the author states is checked.
func (p *planner) assume(op *tile.Op) error {
	x := p.in(op.Args[0])
	p.emit(op, func(m *machine) error {
		if *one[uint8](m, x) == 0 {
			return m.check("assumption", op, "what the kernel assumes does not hold,")
		}
		return nil
	})
	return nil
}
