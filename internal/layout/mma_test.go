package layout

import "testing"

// TestFragments compares with the formulas of the PTX ISA, where g is lane/4 and t lane%4.
func TestFragments(t *testing.T) {
	for _, c := range []struct {
		name    string
		x       MMA
		a, b, d func(g, t, i int) (row, column int)
	}{
		{"f16", MMA{16, 8, 16, 16},
			func(g, t, i int) (int, int) { return g + i/2%2*8, t*2 + i%2 + i/4*8 },
			func(g, t, i int) (int, int) { return t*2 + i%2 + i/2*8, g },
			func(g, t, i int) (int, int) { return g + i/2*8, t*2 + i%2 }},
		{"f16, k 8", MMA{16, 8, 8, 16},
			func(g, t, i int) (int, int) { return g + i/2*8, t*2 + i%2 },
			func(g, t, i int) (int, int) { return t*2 + i, g },
			func(g, t, i int) (int, int) { return g + i/2*8, t*2 + i%2 }},
		{"tf32", MMA{16, 8, 8, 32},
			func(g, t, i int) (int, int) { return g + i%2*8, t + i/2*4 },
			func(g, t, i int) (int, int) { return t + i*4, g },
			func(g, t, i int) (int, int) { return g + i/2*8, t*2 + i%2 }},
		{"i8", MMA{16, 8, 32, 8},
			func(g, t, i int) (int, int) { return g + i/4%2*8, t*4 + i%4 + i/8*16 },
			func(g, t, i int) (int, int) { return t*4 + i%4 + i/4*16, g },
			func(g, t, i int) (int, int) { return g + i/2*8, t*2 + i%2 }},
		{"f64", MMA{8, 8, 4, 64},
			func(g, t, i int) (int, int) { return g, t },
			func(g, t, i int) (int, int) { return t, g },
			func(g, t, i int) (int, int) { return g, t*2 + i }},
	} {
		d, err := c.x.Dot(1, c.x.M, c.x.N, c.x.K, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []struct {
			name    string
			l       Layout
			columns int
			want    func(g, t, i int) (int, int)
		}{{"A", d.A, c.x.K, c.a}, {"B", d.B, c.x.N, c.b}, {"C", d.C, c.x.N, c.d}} {
			if !m.l.Injective() {
				t.Errorf("%s %s: %v", c.name, m.name, m.l)
			}
			points(m.l, func(r, lane, _, _ int) {
				row, column := m.want(lane/4, lane%4, r)
				if got := m.l.Apply(r, lane, 0, 0); got != row*m.columns+column {
					t.Fatalf("%s %s: register %d of lane %d holds %d, not (%d,%d)", c.name, m.name, r, lane, got, row, column)
				}
			})
		}
	}
}

// TestDotRepeats holds the layouts of a larger product together: what a thread has of A, B and the accumulator belong
// to the same rows and columns, and each operand has all of k.
func TestDotRepeats(t *testing.T) {
	for _, x := range []MMA{{16, 8, 16, 16}, {16, 8, 8, 32}, {16, 8, 32, 8}, {8, 8, 4, 64}} {
		for _, s := range [][6]int{{1, 64, 32, 64, 2, 2}, {2, 16, 16, 32, 2, 2}, {1, 128, 64, 32, 8, 1}, {1, 8, 8, 32, 1, 4}} {
			batch, m, n, k := s[0], s[1], s[2], s[3]
			d, err := x.Dot(batch, m, n, k, s[4], s[5])
			if err != nil {
				t.Fatal(err)
			}
			a := d.A.Project(DimBits([]int{batch, m, k}, 1)) // rows
			b := d.B.Project(DimBits([]int{batch, k, n}, 2)) // columns
			rows, columns := d.C.Project(DimBits([]int{batch, m, n}, 1)), d.C.Project(DimBits([]int{batch, m, n}, 2))
			for in := Lane; in < NumIns; in++ {
				for i := range d.C.InBits(in) {
					if in == Lane {
						continue // the lanes of operands are the instruction's to exchange
					}
					if a.Basis(in, i) != rows.Basis(in, i) || b.Basis(in, i) != columns.Basis(in, i) {
						t.Errorf("%v %v: %v %d: rows %d and %d, columns %d and %d", x, s, in, i, a.Basis(in, i), rows.Basis(in, i), b.Basis(in, i), columns.Basis(in, i))
					}
				}
			}
			for _, l := range []Layout{d.A, d.B, d.C} {
				if _, err := New(l.Bits(), [NumIns][]uint64{l.Bases(Register), l.Bases(Lane), l.Bases(Warp), l.Bases(Block)}); err != nil {
					t.Error(err)
				}
			}
		}
	}
	if _, err := (MMA{16, 8, 16, 16}).Dot(1, 16, 16, 8, 1, 1); err == nil {
		t.Error("a product over less than the instruction takes has a layout")
	}
}
