package lower

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tegula-lang/tegula/internal/tile"
)

// TestRandomDots runs products of random shapes and types, on targets that have and have not what products can use.
func TestRandomDots(t *testing.T) {
	types := [][2]tile.Elem{
		{tile.F16, tile.F32}, {tile.F16, tile.F16}, {tile.BF16, tile.F32}, {tile.F32, tile.F32}, {tile.I8, tile.I32},
		{tile.F8E5M2, tile.F32}, {tile.F8E4M3, tile.F16}, {tile.F64, tile.F64}, {tile.I16, tile.I32},
	}
	rapid.Check(t, func(r *rapid.T) {
		size := func(name string, most int) int { return 1 << rapid.IntRange(0, most).Draw(r, name) }
		e := rapid.SampledFrom(types).Draw(r, "types")
		c := dotCase{
			batch: size("batch", 1), m: size("m", 6), n: size("n", 6), k: size("k", 6), a: e[0], b: e[0], c: e[1],
			attr:   rapid.SampledFrom([]string{"tf32", "ieee"}).Draw(r, "precision"),
			transA: rapid.Bool().Draw(r, "transA"), transB: rapid.Bool().Draw(r, "transB"),
			warps: size("warps", 3), loop: rapid.IntRange(0, 2).Draw(r, "loop"), stages: rapid.IntRange(1, 3).Draw(r, "stages"),
			outer: rapid.IntRange(0, 1).Draw(r, "outer"),
		}
		if c.m*c.n*c.k > 1<<14 {
			c.k = max(1, 1<<14/c.m/c.n)
		}
		can := matrixTarget
		if rapid.Bool().Draw(r, "old") {
			can = Capabilities{}
		}
		c.run(t, c.lower(t, can))
	})
}
