package pass

import "github.com/tegula-lang/tegula/internal/tile"

// Operands of OpFor in front of the carried values, and arguments of its region.
const (
	forBounds  = 3
	forCounter = 1
)

func isLoop(op *tile.Op) bool { return op.Code == tile.OpFor || op.Code == tile.OpWhile }

// The functions below remove results of an operation with regions, and with them what
// feeds the results. keep says for each result, or carried value, whether it stays.

func dropIfResults(op *tile.Op, keep []bool) {
	then, els := op.Regions[0].Terminator(), op.Regions[1].Terminator()
	op.Results = keepNumbered(op.Results, keep)
	then.Args = keepValues(then.Args, keep)
	els.Args = keepValues(els.Args, keep)
}

func dropForCarried(op *tile.Op, keep []bool) {
	body := op.Regions[0]
	yield := body.Terminator()
	op.Results = keepNumbered(op.Results, keep)
	yield.Args = keepValues(yield.Args, keep)
	keep = append([]bool{true, true, true}, keep...)
	op.Args = keepValues(op.Args, keep)
	body.Args = keepNumbered(body.Args, keep[forBounds-forCounter:])
}

func dropWhileCarried(op *tile.Op, keep []bool) {
	before, yield := op.Regions[0], op.Regions[1].Terminator()
	op.Args = keepValues(op.Args, keep)
	before.Args = keepNumbered(before.Args, keep)
	yield.Args = keepValues(yield.Args, keep)
}

func dropWhileForwarded(op *tile.Op, keep []bool) {
	cond, after := op.Regions[0].Terminator(), op.Regions[1]
	op.Results = keepNumbered(op.Results, keep)
	after.Args = keepNumbered(after.Args, keep)
	cond.Args = keepValues(cond.Args, append([]bool{true}, keep...))
}

// keepValues gives the values that keep says, in a new slice: operations may share theirs.
func keepValues(vals []*tile.Value, keep []bool) []*tile.Value {
	kept := make([]*tile.Value, 0, len(vals))
	for i, v := range vals {
		if keep[i] {
			kept = append(kept, v)
		}
	}
	return kept
}

// keepNumbered is keepValues for an operation's results or a block's arguments, whose
// indices follow.
func keepNumbered(vals []*tile.Value, keep []bool) []*tile.Value {
	kept := keepValues(vals, keep)
	for i, v := range kept {
		v.Index = int32(i)
	}
	return kept
}
