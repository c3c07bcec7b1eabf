package layout

import (
	"fmt"
	"strings"
)

// String gives the basis vectors of each level as element numbers: "register 1 2 | lane 4 8 16 32 64 | warp 128 0".
// Levels of one member are left out.
func (l Layout) String() string {
	return l.format(func(b *strings.Builder, v uint64) { fmt.Fprint(b, v) })
}

// Describe gives the basis vectors of each level as coordinates in a tile of the given shape:
// "register (0,1) (0,2) | lane (0,4) (0,8) (1,0) (2,0) (4,0) | warp (8,0) 0".
func (l Layout) Describe(shape []int) string {
	return l.format(func(b *strings.Builder, v uint64) {
		if v == 0 {
			b.WriteByte('0')
			return
		}
		writeCoords(b, shape, v)
	})
}

func (l Layout) format(write func(*strings.Builder, uint64)) string {
	var b strings.Builder
	for in := Register; in < NumIns; in++ {
		if l.InBits(in) == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(" | ")
		}
		b.WriteString(in.String())
		for _, v := range l.bases(in) {
			b.WriteByte(' ')
			write(&b, v)
		}
	}
	if b.Len() == 0 {
		return "one register"
	}
	return b.String()
}

func writeCoords(b *strings.Builder, shape []int, element uint64) {
	var at [32]int
	b.WriteByte('(')
	for i, c := range Coords(at[:0], shape, element) {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(b, c)
	}
	b.WriteByte(')')
}
