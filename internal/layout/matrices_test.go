package layout

import (
	"testing"
)

// TestMatrixLoads brings operands from the layouts in which they are read from memory to those of the instruction.
func TestMatrixLoads(t *testing.T) {
	type operand struct {
		name       string
		x          MMA
		b          bool
		fast       int // the dimension that is contiguous in memory
		transposed bool
		want       bool
	}
	for _, c := range []operand{
		{"f16 A", MMA{16, 8, 16, 16}, false, 1, false, true},
		{"f16 A, columns", MMA{16, 8, 16, 16}, false, 0, true, true},
		{"f16 B", MMA{16, 8, 16, 16}, true, 1, true, true},
		{"f16 B, columns", MMA{16, 8, 16, 16}, true, 0, false, true},
		{"f16, k 8", MMA{16, 8, 8, 16}, false, 1, false, true},
		{"tf32 A", MMA{16, 8, 8, 32}, false, 1, false, true},
		{"tf32 B, columns", MMA{16, 8, 8, 32}, true, 0, false, true},
		{"tf32 B", MMA{16, 8, 8, 32}, true, 1, true, false},
		{"i8 A", MMA{16, 8, 32, 8}, false, 1, false, true},
		{"i8 B, columns", MMA{16, 8, 32, 8}, true, 0, false, true},
		{"i8 B", MMA{16, 8, 32, 8}, true, 1, true, false},
		{"f64 A", MMA{8, 8, 4, 64}, false, 1, false, false},
	} {
		for _, s := range [][5]int{{128, 64, 64, 2, 2}, {32, 32, 32, 2, 2}, {16, 16, 32, 1, 4}, {64, 128, 32, 4, 1}, {64, 64, 128, 4, 2}} {
			m, n, k, wm, wn := s[0], s[1], s[2], s[3], s[4]
			d, err := c.x.Dot(1, m, n, k, wm, wn)
			if err != nil {
				t.Fatal(err)
			}
			to, shape := d.A, []int{m, k}
			if c.b {
				to, shape = d.B, []int{k, n}
			}
			contiguity := []int{1, 1}
			contiguity[c.fast] = shape[c.fast]
			from := Coalesced(shape, contiguity, contiguity, c.x.ElemBits, 32, wm*wn)
			p, ok := PlanMatrices(from, to, c.x.ElemBits, c.transposed, 0)
			if ok != c.want {
				t.Errorf("%s %v: %v, want %v", c.name, s, ok, c.want)
				continue
			}
			if ok {
				checkPlan(t, &p)
				words := to.Size(Register) * c.x.ElemBits / 32
				if got := p.Memory.Load.Matrices.Count; got != min(4, words) {
					t.Errorf("%s %v: %d matrices at once, of %d", c.name, s, got, words)
				}
			}
			p = Plan(from, to, c.x.ElemBits, 0)
			checkPlan(t, &p)
		}
	}
}
