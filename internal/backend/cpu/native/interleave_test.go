package native

import (
	"slices"
	"testing"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
)

// Chains are written in turns, but what a later one takes from an earlier one comes before it, and what it overwrites is read before.
func TestChainsInTurns(t *testing.T) {
	v := func(n int) reg { return amd64.FirstVirtual + reg(n) }
	add := func(d, a, b int) inst {
		i := ins(amd64.VADDPS)
		i.A, i.B, i.C = v(d), v(a), v(b)
		return inst{Inst: i}
	}
	g := &generator{isa: &avx512}
	for _, c := range []struct {
		name  string
		parts [][]inst
		want  []int // the registers that are written, in order
	}{
		{"apart", [][]inst{{add(1, 0, 0), add(2, 1, 1), add(3, 2, 2)}, {add(11, 0, 0), add(12, 11, 11), add(13, 12, 12)}}, []int{1, 11, 2, 12, 3, 13}},
		{"shared", [][]inst{{add(1, 0, 0), add(2, 1, 1), add(3, 2, 2)}, {add(11, 2, 0), add(12, 11, 11)}}, []int{1, 2, 11, 3, 12}},
		{"overwritten", [][]inst{{add(1, 0, 0), add(2, 0, 1)}, {add(0, 9, 9), add(12, 0, 0)}}, []int{1, 2, 0, 12}},
		{"three", [][]inst{{add(1, 0, 0)}, {add(2, 1, 1)}, {add(3, 2, 1), add(4, 3, 3)}}, []int{1, 2, 3, 4}},
	} {
		l := &list{}
		var marks []int
		for _, p := range c.parts {
			marks = append(marks, len(l.insts))
			l.insts = append(l.insts, p...)
		}
		g.interleave(l, marks)
		var got []int
		for _, i := range l.insts {
			got = append(got, int(i.A-amd64.FirstVirtual))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
