package pass_test

import (
	"testing"

	"github.com/tegula-lang/tegula/internal/tile"
	"github.com/tegula-lang/tegula/internal/tile/pass"
)

// TestFactsOfOthers asks for facts about values that the analysis did not see, or that have other IDs now.
func TestFactsOfOthers(t *testing.T) {
	i32 := tile.Scalar(tile.I32)
	b := newFunction(i32)
	b.Const(i32, 3)
	five := b.Const(i32, 5)
	returnAll(b, []*tile.Value{five})
	ranges, axes := pass.AnalyzeRanges(b.Func), pass.AnalyzeAxes(b.Func)
	if got := *ranges.Of(five); got != (pass.Range{Lo: 5, Hi: 5}) {
		t.Errorf("the range of 5 is %v", got)
	}
	if k, ok := axes.Of(five).Const(); k != 5 || !ok {
		t.Errorf("the constant 5 is %d, %v", k, ok)
	}
	runVerified(t, b.Module, []pass.Pass{pass.DCE, pass.Renumber})
	for _, v := range []*tile.Value{five, b.Func.NewValue(i32)} {
		if got := *ranges.Of(v); got != (pass.Range{Lo: -1 << 31, Hi: 1<<31 - 1}) {
			t.Errorf("value %d: the range is %v", v.ID, got)
		}
		if _, ok := axes.Of(v).Const(); ok {
			t.Errorf("value %d is taken for a constant", v.ID)
		}
	}
}
