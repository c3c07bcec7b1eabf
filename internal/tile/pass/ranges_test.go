package pass_test

import (
	"testing"

	"github.com/tegula-lang/tegula/internal/tile"
	"github.com/tegula-lang/tegula/internal/tile/pass"
)

// TestRangesAtCorners checks the range of each operation on integers: for all pairs of intervals between
// corners of the type, on all corners in them.
func TestRangesAtCorners(t *testing.T) {
	for _, e := range []tile.Elem{tile.I8, tile.I32, tile.I64} {
		least := int64(-1) << (e.Bits() - 1)
		corners := []int64{least, least + 1, -1, 0, 1, 5, -(least + 1)}
		for a := range corners {
			for b := a; b < len(corners); b++ {
				for c := range corners {
					for d := c; d < len(corners); d++ {
						checkRanges(t, tile.Scalar(e), corners[a:b+1], corners[c:d+1])
					}
				}
			}
		}
	}
}

// checkRanges compares what operations on numbers between the first and last of xs and ys give with what
// is claimed of it.
func checkRanges(t *testing.T, typ tile.Type, xs, ys []int64) {
	b := newFunction(typ, typ)
	within := func(i int, of []int64) *tile.Value {
		v := b.Binary(tile.OpMaxS, b.Func.Body.Args[i], b.Const(typ, uint64(of[0])))
		return b.Binary(tile.OpMinS, v, b.Const(typ, uint64(of[len(of)-1])))
	}
	x, y := within(0, xs), within(1, ys)
	for _, c := range pass.RangeRules() {
		b.Binary(c, x, y)
	}
	b.Unary(tile.OpAbsI, x)
	for _, to := range []tile.Elem{tile.I1, tile.I8, tile.I32, tile.I64} {
		switch w := typ.ElemBits(); {
		case to.Bits() < w:
			b.Cast(tile.OpTrunc, x, tile.Scalar(to))
		case to.Bits() > w:
			b.Cast(tile.OpExtS, x, tile.Scalar(to))
			b.Cast(tile.OpExtU, x, tile.Scalar(to))
		}
	}
	less := b.CmpI(tile.LTS, x, y)
	b.Cast(tile.OpExtS, less, typ)
	b.Cast(tile.OpExtU, less, typ)
	b.Select(less, x, y)
	returnAll(b, nil)

	claimed := &claims{ranges: pass.AnalyzeRanges(b.Func), names: tile.NewNames(b.Func)}
	e := &evaluator{after: claimed.checkRange}
	w := typ.ElemBits()
	for _, i := range xs {
		for _, j := range ys {
			e.vals = map[*tile.Value][]uint64{
				b.Func.Body.Args[0]: {uint64(i) << (64 - w) >> (64 - w)},
				b.Func.Body.Args[1]: {uint64(j) << (64 - w) >> (64 - w)},
			}
			e.block(b.Func.Body)
			if claimed.falseRange {
				t.Fatalf("x = %d of %d, y = %d of %d: %s\n%s", i, xs, j, ys, claimed.broken, tile.Printer{}.String(b.Module))
			}
		}
	}
}
