package pass_test

import (
	"testing"

	"github.com/tegula-lang/tegula/internal/tile"
	"github.com/tegula-lang/tegula/internal/tile/pass"
)

// TestDecidedByRanges tries each pair of small ranges, with all operations that ranges may
// decide, on all numbers of the ranges.
func TestDecidedByRanges(t *testing.T) {
	const least, most = -3, 3
	for a := int64(least); a <= most; a++ {
		for b := a; b <= most; b++ {
			for c := int64(least); c <= most; c++ {
				for d := c; d <= most; d++ {
					checkDecided(t, a, b, c, d)
				}
			}
		}
	}
}

// checkDecided compares x op y for a ≤ x ≤ b and c ≤ y ≤ d before and after the pass.
func checkDecided(t *testing.T, a, b, c, d int64) {
	f := &tile.Func{Name: "f", Body: &tile.Block{}, Params: make([]tile.Param, 2)}
	m := &tile.Module{Funcs: []*tile.Func{f}}
	g := tile.NewBuilder(m, f)
	g.SetBlock(f.Body)
	i8 := tile.Scalar(tile.I8)
	number := func(lo, hi int64) *tile.Value {
		x := g.Binary(tile.OpMaxS, f.Body.AddArg(f, i8, ""), g.Const(i8, uint64(lo)))
		return g.Binary(tile.OpMinS, x, g.Const(i8, uint64(hi)))
	}
	x, y := number(a, b), number(c, d)
	var results []*tile.Value
	for p := tile.EQ; p <= tile.GEU; p++ {
		results = append(results, g.CmpI(p, x, y))
	}
	codes := []tile.Code{tile.OpMinS, tile.OpMinU, tile.OpMaxS, tile.OpMaxU, tile.OpAnd}
	if c > 0 || d < 0 {
		codes = append(codes, tile.OpDivS, tile.OpRemS, tile.OpRemU)
	}
	for _, code := range codes {
		results = append(results, g.Binary(code, x, y))
	}
	for _, v := range results {
		f.Results = append(f.Results, v.Type)
	}
	g.Op(tile.OpReturn, nil, results)

	before := tile.Clone(m)
	runVerified(t, m, []pass.Pass{pass.Bounds})
	for i := a; i <= b; i++ {
		for j := c; j <= d; j++ {
			args := [][]uint64{{uint64(i) & 0xff}, {uint64(j) & 0xff}}
			_, want := evaluate(before.Funcs[0], args, nil)
			_, got := evaluate(f, args, nil)
			if !sameResults(f.Results, want, got) {
				t.Fatalf("x = %d in %d to %d, y = %d in %d to %d: %x, not %x\n%s",
					i, a, b, j, c, d, got, want, tile.Printer{}.String(m))
			}
		}
	}
}
