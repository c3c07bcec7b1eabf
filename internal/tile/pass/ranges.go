package pass

import (
	"math"

	"github.com/tegula-lang/tegula/internal/tile"
)

// A Range bounds the elements of an integer value: Lo ≤ x ≤ Hi, as signed numbers of the
// value's width (an i1 is 0 or 1). Unlike AxisInfo's sign nothing is assumed: arithmetic that
// might wrap gives the whole type. What the author assumes is believed.
type Range struct{ Lo, Hi int64 }

// NonNegative reports whether no element is negative.
func (r Range) NonNegative() bool { return r.Lo >= 0 }

// AnalyzeRanges gives the range of each integer value of f, by Value.ID. Those of other
// types have no meaning.
func AnalyzeRanges(f *tile.Func) []Range {
	n := f.NumValues()
	a := &rangeAnalysis{ranges: make([]Range, n), falls: make([]uint8, n), level: make([]uint16, n)}
	a.forget(f.Body.Args)
	a.block(f.Body)
	return a.ranges
}

// maxGrowth bounds how often a carried value's range grows before a bound that still moves
// is taken to be the type's.
const maxGrowth = 3

type rangeAnalysis struct {
	ranges []Range
	falls  []uint8 // of carried values: 0 until they are reached
	level  []uint16
	depth  uint16
}

func (a *rangeAnalysis) of(v *tile.Value) Range { return a.ranges[v.ID] }

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

func (a *rangeAnalysis) forget(vals []*tile.Value) {
	for _, v := range vals {
		a.ranges[v.ID] = fullRange(v.Type)
	}
}

func (a *rangeAnalysis) block(b *tile.Block) {
	a.depth++
	for _, v := range b.Args {
		a.level[v.ID] = a.depth
	}
	for _, op := range b.Ops {
		for _, v := range op.Results {
			a.level[v.ID] = a.depth
		}
		a.op(op)
	}
	a.depth--
}

func (a *rangeAnalysis) op(op *tile.Op) {
	switch op.Code {
	case tile.OpFor:
		a.forLoop(op)
	case tile.OpWhile:
		a.whileLoop(op)
	case tile.OpIf:
		a.branch(op)
	case tile.OpAssume:
		a.assume(op.Args[0])
	case tile.OpSplit:
		for _, v := range op.Results {
			a.ranges[v.ID] = a.of(op.Args[0])
		}
	default:
		for _, b := range op.Regions {
			a.forget(b.Args)
			a.block(b)
		}
		if len(op.Results) == 1 && op.Results[0].Type.IsInt() {
			a.ranges[op.Results[0].ID] = a.result(op)
		} else {
			a.forget(op.Results)
		}
	}
}

// assume takes x < y and its like about values of the same block, as axisAnalysis.assume does.
func (a *rangeAnalysis) assume(cond *tile.Value) {
	a.ranges[cond.ID] = Range{1, 1}
	if both := definedBy(cond, tile.OpAnd); both != nil {
		a.assume(both.Args[0])
		a.assume(both.Args[1])
		return
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
	if a.level[x.ID] != a.depth || x.Block != nil && a.depth > 1 {
		return
	}
	old := a.of(x)
	switch {
	case p == tile.EQ:
		a.ranges[x.ID] = old.intersect(r)
	case p == tile.LTS && r.Hi > math.MinInt64:
		a.ranges[x.ID] = old.intersect(Range{old.Lo, r.Hi - 1})
	case p == tile.LES:
		a.ranges[x.ID] = old.intersect(Range{old.Lo, r.Hi})
	case p == tile.GTS && r.Lo < math.MaxInt64:
		a.ranges[x.ID] = old.intersect(Range{r.Lo + 1, old.Hi})
	case p == tile.GES:
		a.ranges[x.ID] = old.intersect(Range{r.Lo, old.Hi})
	}
}

func (a *rangeAnalysis) branch(op *tile.Op) {
	for _, b := range op.Regions {
		a.block(b)
	}
	then, els := op.Regions[0].Terminator().Args, op.Regions[1].Terminator().Args
	for i, v := range op.Results {
		a.ranges[v.ID] = a.of(then[i]).union(a.of(els[i]))
	}
}

func (a *rangeAnalysis) forLoop(op *tile.Op) {
	body, inits := op.Regions[0], op.Args[forBounds:]
	a.ranges[body.Args[0].ID] = a.counter(op)
	carried := body.Args[forCounter:]
	a.enter(carried, inits)
	for again := true; again; {
		a.block(body)
		again = a.enter(carried, body.Terminator().Args)
	}
	for i, v := range op.Results {
		a.ranges[v.ID] = a.of(carried[i])
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

func (a *rangeAnalysis) whileLoop(op *tile.Op) {
	before, after := op.Regions[0], op.Regions[1]
	a.enter(before.Args, op.Args)
	for again := true; again; {
		a.block(before)
		forwarded := before.Terminator().Args[1:]
		for i, v := range op.Results {
			a.ranges[v.ID] = a.of(forwarded[i])
			a.ranges[after.Args[i].ID] = a.ranges[v.ID]
		}
		a.block(after)
		again = a.enter(before.Args, after.Terminator().Args)
	}
}

// enter lets what vals are flow into carried values, and reports whether these have grown.
func (a *rangeAnalysis) enter(carried, vals []*tile.Value) bool {
	grew := false
	for i, v := range carried {
		old, now := a.of(v), a.of(vals[i])
		if a.falls[v.ID] > 0 {
			now = now.union(old)
			if now == old {
				continue
			}
		}
		if a.falls[v.ID]++; a.falls[v.ID] > maxGrowth {
			full := fullRange(v.Type)
			if now.Lo < old.Lo {
				now.Lo = full.Lo
			}
			if now.Hi > old.Hi {
				now.Hi = full.Hi
			}
		}
		grew = true
		a.ranges[v.ID] = now.within(v.Type)
	}
	return grew
}
