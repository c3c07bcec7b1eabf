package pass

import (
	"math"

	"github.com/tegula-lang/tegula/internal/tile"
)

// A Range bounds the elements of an integer value: Lo ≤ x ≤ Hi, as signed numbers of the
// value's width (an i1 is 0 or 1). Unlike AxisInfo's sign nothing is assumed: arithmetic that
// might wrap gives the whole type. What the author assumes is believed.
type Range struct{ Lo, Hi int64 }

// AnalyzeRanges gives the range of each integer value of f. Those of other types have no meaning.
func AnalyzeRanges(f *tile.Func) *Facts[Range] { return analyzeRanges(f, true) }

// analyzeRanges takes what the author assumes as a fact, or does not.
func analyzeRanges(f *tile.Func, believes bool) *Facts[Range] {
	a := &rangeAnalysis{believes: believes}
	a.flow = newFlow(f, a)
	a.forget(f.Body.Args)
	a.block(f.Body)
	return &a.Facts
}

// maxGrowth bounds how often a carried value's range grows before a bound that still moves
// is taken to be the type's.
const maxGrowth = 3

type rangeAnalysis struct {
	flow[Range]
	believes bool
}

func (a *rangeAnalysis) of(v *tile.Value) Range { return *a.at(v) }

func (a *rangeAnalysis) unknown(t tile.Type) Range { return fullRange(t) }

func (a *rangeAnalysis) meet(x, y Range) Range { return x.union(y) }

func (a *rangeAnalysis) widen(t tile.Type, old, now Range, n int) Range {
	if n <= maxGrowth {
		return now
	}
	full := fullRange(t)
	if now.Lo < old.Lo {
		now.Lo = full.Lo
	}
	if now.Hi > old.Hi {
		now.Hi = full.Hi
	}
	return now
}

// fullRange is all that the elements of t can be.
func fullRange(t tile.Type) Range {
	w := t.ElemBits()
	if w == 1 {
		return Range{0, 1}
	}
	return Range{math.MinInt64 >> (64 - w), math.MaxInt64 >> (64 - w)}
}

func (r Range) union(s Range) Range { return Range{min(r.Lo, s.Lo), max(r.Hi, s.Hi)} }

func (r Range) intersect(s Range) Range {
	t := Range{max(r.Lo, s.Lo), min(r.Hi, s.Hi)}
	if t.Lo > t.Hi { // a contradiction: the place is never reached
		return r
	}
	return t
}

// within gives r, or the whole of t if r goes beyond it.
func (r Range) within(t tile.Type) Range {
	full := fullRange(t)
	if r.Lo < full.Lo || r.Hi > full.Hi || r.Lo > r.Hi {
		return full
	}
	return r
}

// assume takes x < y and its like.
func (a *rangeAnalysis) assume(cond *tile.Value) {
	if !a.believes {
		return
	}
	if a.mayAssume(cond) {
		*a.at(cond) = Range{1, 1}
	}
	cmp := definedBy(cond, tile.OpCmpI)
	if cmp == nil || !cmp.Args[0].Type.IsInt() {
		return
	}
	x, y := cmp.Args[0], cmp.Args[1]
	a.refine(x, predicate(cmp), a.of(y))
	a.refine(y, swapped[predicate(cmp)], a.of(x))
}

// refine takes the fact that x p y holds for some y in r.
func (a *rangeAnalysis) refine(x *tile.Value, p tile.CmpI, r Range) {
	if !a.mayAssume(x) {
		return
	}
	old := a.of(x)
	switch {
	case p == tile.EQ:
		*a.at(x) = old.intersect(r)
	case p == tile.LTS && r.Hi > math.MinInt64:
		*a.at(x) = old.intersect(Range{old.Lo, r.Hi - 1})
	case p == tile.LES:
		*a.at(x) = old.intersect(Range{old.Lo, r.Hi})
	case p == tile.GTS && r.Lo < math.MaxInt64:
		*a.at(x) = old.intersect(Range{r.Lo + 1, old.Hi})
	case p == tile.GES:
		*a.at(x) = old.intersect(Range{r.Lo, old.Hi})
	}
}

// counter gives the range of a loop's counter in its body: from the lower bound up, below
// the upper one. The step is positive and the counter does not wrap. Where start and step
// are known, so is the last value.
func (a *rangeAnalysis) counter(op *tile.Op) Range {
	lower, upper, step := a.of(op.Args[0]), a.of(op.Args[1]), a.of(op.Args[2])
	if op.Attr.(tile.ForAttr).Unsigned && (lower.Lo < 0 || upper.Lo < 0) || upper.Hi <= lower.Lo {
		return fullRange(op.Args[0].Type)
	}
	last := upper.Hi - 1
	if span := last - lower.Lo; lower.Lo == lower.Hi && step.Lo == step.Hi && step.Lo > 0 && span >= 0 {
		last = lower.Lo + span/step.Lo*step.Lo
	}
	return Range{lower.Lo, last}
}
