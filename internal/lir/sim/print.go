package sim

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/tegula-lang/tegula/internal/lir"
)

// print makes the step of a Print: each thread writes its text.
func (m *machine) print(op *lir.Op) step {
	in := m.regList(op.Args)
	return func(threads []int32) {
		if m.launch.Stdout == nil {
			return
		}
		for _, t := range threads {
			values := make([]uint64, len(in))
			for i := range in {
				values[i] = in[i][t]
			}
			if _, err := io.WriteString(m.launch.Stdout, printf(op.Text.Format, op.Args, values)); err != nil {
				m.fault = err
				return
			}
		}
	}
}

// printf does what C's does with the conversions that LIR has.
func printf(format string, args []*lir.Value, bits []uint64) string {
	var b strings.Builder
	for format != "" {
		before, rest, found := strings.Cut(format, "%")
		b.WriteString(before)
		if !found {
			break
		}
		n := strings.IndexAny(rest, "%duxfpgecs")
		if n < 0 {
			break
		}
		flags, verb := strings.TrimRight(rest[:n], "l"), rest[n]
		format = rest[n+1:]
		if verb == '%' {
			b.WriteByte('%')
			continue
		}
		if len(bits) == 0 {
			b.WriteString("%!" + string(verb))
			continue
		}
		b.WriteString(formatted(flags, verb, args[0].Type, bits[0]))
		args, bits = args[1:], bits[1:]
	}
	return b.String()
}

func formatted(flags string, verb byte, t lir.Type, bits uint64) string {
	switch verb {
	case 'd':
		return fmt.Sprintf("%"+flags+"d", signed(t, bits))
	case 'u':
		return fmt.Sprintf("%"+flags+"d", bits)
	case 'x':
		return fmt.Sprintf("%"+flags+"x", bits)
	case 'p':
		return fmt.Sprintf("%#x", bits)
	}
	x := math.NaN()
	if t.IsFloat() {
		x = formatOf(t).Decode(bits)
	}
	return fmt.Sprintf("%"+flags+string(verb), x)
}

// assert makes the step of an Assert.
func (m *machine) assert(op *lir.Op) step {
	holds := m.reg(op.Args[0])
	return func(threads []int32) {
		for _, t := range threads {
			if holds[t]&1 == 0 {
				m.fail(op, "device-assert", "assertion failed: %s (thread %d)", op.Text.Format, t)
				return
			}
		}
	}
}
