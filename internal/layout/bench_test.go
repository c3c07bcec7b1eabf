package layout

import "testing"

func BenchmarkCoalesced(b *testing.B) {
	b.ReportAllocs()
	shape, contiguity, aligned := []int{128, 64}, []int{1, 64}, []int{1, 8}
	for b.Loop() {
		Coalesced(shape, contiguity, aligned, 16, 32, 4)
	}
}

func BenchmarkPlan(b *testing.B) {
	rows := Blocked([]int{64, 64}, []int{1, 0}, []int{1, 4}, []int{4, 8}, []int{4, 1})
	columns := rows.Permute(TransposedBits([]int{64, 64}, []int{1, 0}))
	warp := Blocked([]int{8, 32}, []int{1, 0}, []int{1, 8}, []int{8, 4}, []int{1, 1})
	for _, c := range []struct {
		name     string
		from, to Layout
	}{{"nothing", rows, rows}, {"shuffles", warp, warp.exchange(0, 3)}, {"shared", rows, columns}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Plan(c.from, c.to, 16, 0)
			}
		})
	}
}
