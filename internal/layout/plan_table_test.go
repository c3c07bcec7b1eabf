package layout

import "testing"

// exchange gives l with two basis vectors exchanged.
func (l Layout) exchange(i, j int) Layout {
	l.m.col[i], l.m.col[j] = l.m.col[j], l.m.col[i]
	return l
}

// withRegisters gives l with its register bits in another order.
func (l Layout) withRegisters(from ...int) Layout {
	r := l
	for i, f := range from {
		r.m.col[i] = l.m.col[f]
	}
	return r
}

func TestPlan(t *testing.T) {
	rows := Blocked([]int{64, 64}, []int{1, 0}, []int{1, 4}, []int{4, 8}, []int{4, 1})
	columns := rows.Permute(TransposedBits([]int{64, 64}, []int{1, 0}))
	larger := Blocked([]int{128, 64}, []int{1, 0}, []int{1, 4}, []int{4, 8}, []int{4, 1})
	byColumn := Blocked([]int{128, 64}, []int{0, 1}, []int{4, 1}, []int{8, 4}, []int{1, 4})
	oneWarp := Blocked([]int{8, 32}, []int{1, 0}, []int{1, 8}, []int{8, 4}, []int{1, 1})
	for _, c := range []struct {
		name     string
		from, to Layout
		elemBits int
		limit    int
		want     string
	}{
		{"itself", rows, rows, 32, 0, "nothing"},
		{"registers in another order", oneWarp, oneWarp.withRegisters(2, 0, 1), 32, 0, "registers"},
		{"transposed, f32", rows, columns, 32, 0, "16384 bytes of shared memory: store 8 × 4, load 8 × 4"},
		{"transposed, f16", rows, columns, 16, 0, "8192 bytes of shared memory: store 4 × 8, load 8 × 4"},
		{"transposed, i8", rows, columns, 8, 0, "4096 bytes of shared memory: store 2 × 16, load 8 × 4"},
		{"transposed, f64", rows, columns, 64, 0, "32768 bytes of shared memory: store 16 × 2, load 16 × 2"},
		{"in rounds", larger, byColumn, 32, 8192, "16384 bytes of shared memory: store 8 × 4, load 8 × 4, in 2 rounds"},
		{"rows and columns of a warp", oneWarp, Blocked([]int{8, 32}, []int{0, 1}, []int{8, 1}, []int{1, 32}, []int{1, 1}), 32, 0,
			"8 shuffles of 32 bits, 3 swaps before and 3 after"},
		{"a register's bit and a lane's change places", oneWarp, oneWarp.exchange(0, 3), 32, 0, "4 shuffles of 32 bits, 1 swap before and 1 after"},
		{"the same, f16", oneWarp, oneWarp.exchange(0, 3), 16, 0, "2 shuffles of 32 bits, 1 swap before and 1 after"},
		{"two bits", oneWarp, oneWarp.exchange(0, 3).exchange(1, 4), 32, 0, "6 shuffles of 32 bits, 2 swaps before and 2 after"},
		{"lanes in another order", oneWarp, oneWarp.exchange(3, 6), 8, 0, "2 shuffles of 32 bits, 0 swaps before and 0 after"},
	} {
		p := Plan(c.from, c.to, c.elemBits, c.limit)
		checkPlan(t, &p)
		if got := p.String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
