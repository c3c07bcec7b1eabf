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
	formats := make([]elementFormat, len(op.Args))
	for i, v := range op.Args {
		in[i] = p.full(op, v)
		formats[i] = formatOf(v.Type, attr.Hex, attr.Signed>>i&1 != 0)
	}
	indices := make([]indexFormat, len(op.Args))
	for i, v := range op.Args {
		indices[i] = indexFormatOf(v.Type)
	}
	p.emit(op, func(m *machine) error {
		if m.launch.print == nil {
			return nil
		}
		w := printing{machine: m, text: m.text[:0]}
		defer w.end()
		if len(in) == 0 {
			w.text = append(w.pid(), prefix...)
			w.text = append(w.text, '\n')
			return w.flush()
		}
		for k, v := range op.Args {
			label := prefix
			if len(in) > 1 {
				label += fmt.Sprintf("(operand %d) ", k)
			}
			for i := range v.Type.NumElems() {
				b := append(w.pid(), " idx "...)
				b = append(indices[k].append(b, i), label...)
				w.text = append(formats[k](b, m, in[k], i), '\n')
				if len(w.text) >= flushAt {
					if err := w.flush(); err != nil {
						return err
					}
				}
			}
		}
		return w.flush()
	})
	return nil
}

// flushAt is how much text is gathered before it is written, in bytes.
const flushAt = 64 << 10

// printing is one operation's printing. From its first write to its end nobody else's lines go between.
type printing struct {
	*machine
	text   []byte
	locked bool
}

// pid begins a line.
func (w *printing) pid() []byte {
	b := append(w.text, "pid ("...)
	for k, id := range w.machine.pid {
		if k > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(b, int64(id), 10)
	}
	return append(b, ')')
}

// flush writes the lines so far. Large tiles take long: it is also where a launch can be stopped.
func (w *printing) flush() error {
	if !w.locked {
		w.launch.out.Lock()
		w.locked = true
	}
	if err := w.alive(); err != nil {
		return err
	}
	_, err := w.launch.print.Write(w.text)
	w.text = w.text[:0]
	if err != nil {
		return fmt.Errorf("printing: %w", err)
	}
	return nil
}

func (w *printing) end() {
	w.machine.text = w.text
	if w.locked {
		w.launch.out.Unlock()
	}
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

// An indexFormat writes the coordinates of a tile's elements, each as wide as the largest of its dimension.
type indexFormat []coordinate

type coordinate struct{ shift, size, width int }

func indexFormatOf(t tile.Type) indexFormat {
	x := make(indexFormat, t.Rank())
	shift := 0
	for k := t.Rank() - 1; k >= 0; k-- {
		x[k] = coordinate{shift, t.Dim(k), len(strconv.Itoa(t.Dim(k) - 1))}
		shift += t.LogDim(k)
	}
	return x
}

func (x indexFormat) append(b []byte, i int) []byte {
	b = append(b, '(')
	for k, c := range x {
		if k > 0 {
			b = append(b, ", "...)
		}
		at := i >> c.shift & (c.size - 1)
		for n, v := c.width, at; n > 1; n-- {
			if v /= 10; v == 0 {
				b = append(b, ' ')
			}
		}
		b = strconv.AppendInt(b, int64(at), 10)
	}
	return append(b, ')')
}

// An elementFormat appends an element of a slot.
type elementFormat func(b []byte, m *machine, s slot, i int) []byte

// formatOf gives how elements print: floats as %f or %a, integers in hexadecimal with as many digits as the
// type has.
func formatOf(t tile.Type, hex, isSigned bool) elementFormat {
	size := t.ElemBytes()
	switch {
	case t.IsPtr():
		return func(b []byte, m *machine, s slot, i int) []byte {
			return fmt.Appendf(b, "%#x", m.launch.space.untag(elementBits(m, s, size, i)))
		}
	case t.IsFloat():
		d, verb := t.Elem().DType(), byte('f')
		if hex {
			verb = 'a'
		}
		return func(b []byte, m *machine, s slot, i int) []byte {
			return appendFloat(b, verb, d.Decode(elementBits(m, s, size, i)))
		}
	case hex:
		return func(b []byte, m *machine, s slot, i int) []byte {
			return fmt.Appendf(b, "0x%0*x", 2*size, elementBits(m, s, size, i))
		}
	case isSigned && !t.IsBool():
		shift := 64 - 8*size
		return func(b []byte, m *machine, s slot, i int) []byte {
			return strconv.AppendInt(b, int64(elementBits(m, s, size, i)<<shift)>>shift, 10)
		}
	}
	return func(b []byte, m *machine, s slot, i int) []byte {
		return strconv.AppendUint(b, elementBits(m, s, size, i), 10)
	}
}

// appendFloat formats as C's %f and %a do.
func appendFloat(b []byte, verb byte, f float64) []byte {
	switch {
	case f != f:
		return append(b, "nan"...)
	case math.IsInf(f, 0):
		return append(b, strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(f, 'f', -1, 64)), "+")...)
	case verb == 'f':
		return strconv.AppendFloat(b, f, 'f', 6, 64)
	}
	mant, exp, _ := strings.Cut(strconv.FormatFloat(f, 'x', -1, 64), "p")
	e, _ := strconv.Atoi(exp)
	return fmt.Appendf(b, "%sp%+d", mant, e) // Go writes two digits of the exponent at least
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
