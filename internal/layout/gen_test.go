package layout

import "pgregory.net/rapid"

// anyMatrix draws a map from in to out bits.
func anyMatrix(t *rapid.T, in, out int) Matrix {
	columns := make([]uint64, in)
	for i := range columns {
		columns[i] = rapid.Uint64Range(0, 1<<out-1).Draw(t, "column")
	}
	return NewMatrix(out, columns...)
}

// anyInvertible draws an invertible map of n bits: a product of transvections and swaps.
func anyInvertible(t *rapid.T, n int) Matrix {
	m := Identity(n)
	if n < 2 {
		return m
	}
	for range rapid.IntRange(0, 3*n).Draw(t, "steps") {
		i := rapid.IntRange(0, n-1).Draw(t, "i")
		j := rapid.IntRange(0, n-1).Draw(t, "j")
		switch {
		case i == j:
		case rapid.Bool().Draw(t, "swap"):
			m.col[i], m.col[j] = m.col[j], m.col[i]
		default:
			m.col[i] ^= m.col[j]
		}
	}
	return m
}

// anyLayout draws a layout of a tile of 2^n elements over the given numbers of lane, warp and block bits.
func anyLayout(t *rapid.T, n, lanes, warps, blocks int) Layout {
	m := anyInvertible(t, n)
	vectors := append([]uint64(nil), m.col[:n]...)
	for range rapid.IntRange(0, 3).Draw(t, "replicas") {
		vectors = append(vectors, rapid.SampledFrom([]uint64{0, 0, rapid.Uint64Range(0, 1<<n-1).Draw(t, "extra")}).Draw(t, "replica"))
	}
	for len(vectors) < lanes+warps+blocks {
		vectors = append(vectors, 0)
	}
	order := rapid.Permutation(vectors).Draw(t, "order")
	var bases [NumIns][]uint64
	bases[Lane], order = order[:lanes], order[lanes:]
	bases[Warp], order = order[:warps], order[warps:]
	bases[Block], order = order[:blocks], order[blocks:]
	bases[Register] = order
	l, err := New(n, bases)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// small draws a layout of a small tile on a small machine.
func small(t *rapid.T) Layout {
	draw := func(name string, most int) int { return rapid.IntRange(0, most).Draw(t, name) }
	return anyLayout(t, draw("bits", 7), draw("lanes", 3), draw("warps", 2), draw("blocks", 1))
}
