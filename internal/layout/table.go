package layout

import (
	"fmt"
	"strconv"
	"strings"
)

// maxTable bounds the rows and the columns of a table.
const maxTable = 16

// Table draws a tile of the given shape: for each element the thread that holds it, counted over warps (and blocks), and
// after a colon the register. Where several hold it, it is the first. Of more than two dimensions, and of more than 16 rows or
// columns, it is the first ones.
func (l Layout) Table(shape []int) string {
	rows, columns := 1, 1
	if n := len(shape); n > 0 {
		columns = shape[n-1]
		if n > 1 {
			rows = shape[n-2]
		}
	}
	inverse := l.Inverse()
	cells := make([][]string, min(rows, maxTable))
	width := 0
	for r := range cells {
		for c := range min(columns, maxTable) {
			p := inverse.Apply(uint64(r*columns + c))
			cell := fmt.Sprintf("%d:%d", p>>l.InBits(Register), l.Of(Register, p))
			cells[r] = append(cells[r], cell)
			width = max(width, len(cell))
		}
		if columns > maxTable {
			cells[r] = append(cells[r], "…")
		}
	}
	var b strings.Builder
	for _, row := range cells {
		line := ""
		for _, cell := range row {
			line += fmt.Sprintf("%*s ", width, cell)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if rows > maxTable {
		b.WriteString("…\n")
	}
	return b.String()
}

// String says what a conversion takes.
func (c *Conversion) String() string {
	switch c.Kind {
	case Shuffles:
		return c.Shuffle.String()
	case Shared:
		return c.Memory.String()
	}
	return c.Kind.String()
}

func (s *Shuffle) String() string {
	return fmt.Sprintf("%s of %d bits, %s before and %d after",
		count(s.Shuffles(), "shuffle"), s.WordBits, count(len(s.Before), "swap"), len(s.After))
}

func (m *Memory) String() string {
	load := fmt.Sprintf("load %d × %d", m.Load.Len(), m.Load.Vector)
	if ms := m.Load.Matrices; ms != nil {
		load = fmt.Sprintf("load %d × %s", m.Load.Len(), count(ms.Count, "matrix"))
		if ms.Transposed {
			load += " transposed"
		}
	}
	s := fmt.Sprintf("%d bytes of shared memory: store %d × %d, %s", m.Bytes, m.Store.Len(), m.Store.Vector, load)
	if m.Rounds > 1 {
		s += fmt.Sprintf(", in %d rounds", m.Rounds)
	}
	return s
}

func count(n int, what string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(what, "x"):
		what = what[:len(what)-2] + "ices"
	default:
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}
