package pass

import "github.com/tegula-lang/tegula/internal/tile"

// AnalyzeAxes gives what is known of the values of f.
func AnalyzeAxes(f *tile.Func) *Facts[AxisInfo] {
	a := &axisAnalysis{}
	a.flow = newFlow(f, a)
	for i, v := range f.Body.Args {
		x := nothingKnown(v.Type)
		if i < len(f.Params) && f.Params[i].Divisibility > 0 {
			x.axes[0].div = trailingZeros(f.Params[i].Divisibility, v.Type.ElemBits())
		}
		*a.at(v) = x
	}
	a.block(f.Body)
	return &a.Facts
}

// maxFalls bounds how often a carried value may turn out to be less than was thought before
// nothing is thought of it.
const maxFalls = 4

type axisAnalysis struct{ flow[AxisInfo] }

func (a *axisAnalysis) of(v *tile.Value) *AxisInfo { return a.at(v) }

func (a *axisAnalysis) unknown(t tile.Type) AxisInfo { return nothingKnown(t) }

func (a *axisAnalysis) meet(x, y AxisInfo) AxisInfo { return meet(&x, &y) }

func (a *axisAnalysis) widen(t tile.Type, _, now AxisInfo, n int) AxisInfo {
	if n > maxFalls {
		return nothingKnown(t)
	}
	return now
}

// counter: the step is positive.
func (a *axisAnalysis) counter(op *tile.Op) AxisInfo {
	lower, upper, step := a.of(op.Args[0]), a.of(op.Args[1]), a.of(op.Args[2])
	c := nothingKnown(op.Args[0].Type)
	c.axes[0].div = min(lower.axes[0].div, step.axes[0].div)
	c.nonNeg = lower.nonNeg && (upper.nonNeg || !op.Attr.(tile.ForAttr).Unsigned)
	return c
}

// result gives what is known of a result.
func (a *axisAnalysis) result(op *tile.Op, i int) AxisInfo {
	t := op.Results[i].Type
	switch op.Code {
	case tile.OpConst:
		return constInfo(t, op.Attr.(tile.ConstAttr).Bits)
	case tile.OpRange:
		return rangeInfo(t, op.Attr.(tile.RangeAttr))
	case tile.OpProgramID, tile.OpNumPrograms:
		r := nothingKnown(t)
		r.nonNeg = true
		return r
	}
	if len(op.Args) == 0 {
		return nothingKnown(t)
	}
	x := a.of(op.Args[0])
	switch op.Code {
	case tile.OpSplat:
		return uniformInfo(t, x)
	case tile.OpBroadcast:
		return broadcastInfo(t, op.Args[0].Type, x)
	case tile.OpExpandDims:
		return expandDimsInfo(t, x, op.Attr.(tile.AxisAttr).Axis)
	case tile.OpReshape:
		return reshapeInfo(t, op.Args[0].Type, x, op.Attr.(tile.ReshapeAttr).CanReorder)
	case tile.OpTrans:
		return transInfo(t, x, op.Attr.(tile.PermAttr).Order)
	case tile.OpCat:
		return catInfo(t, x, a.of(op.Args[1]))
	case tile.OpJoin:
		return joinInfo(t, x, a.of(op.Args[1]))
	case tile.OpSplit:
		return splitInfo(t, x)
	case tile.OpHint:
		return hintInfo(t, x, op.Attr.(tile.HintAttr))
	}
	if op.Code.IsElementwise() && op.Effect() <= tile.Reads {
		return a.elementwise(op)
	}
	return nothingKnown(t)
}

// elementwise gives what is known of the result of an elementwise operation.
func (a *axisAnalysis) elementwise(op *tile.Op) AxisInfo {
	t := op.Results[0].Type
	if v, ok := a.folded(op); ok {
		return knownInfo(t, v)
	}
	switch {
	case axisRules[op.Code] != nil:
		return a.arithmetic(op)
	case op.Code == tile.OpCmpI:
		return a.comparison(op)
	case op.Code == tile.OpSelect && !t.IsFloat():
		return a.selection(op)
	case keepsNumber(op):
		return castInfo(op, a.of(op.Args[0]))
	}
	r := a.onlyConstancy(op)
	r.nonNeg = op.Code == tile.OpAbsI
	return r
}

func (a *axisAnalysis) arithmetic(op *tile.Op) AxisInfo {
	r := nothingKnown(op.Results[0].Type)
	x, y := a.of(op.Args[0]), a.of(op.Args[1])
	r.nonNeg = nonNegative(op.Code, x, y)
	w := uint8(op.Results[0].Type.ElemBits())
	for d := range int(r.rank) {
		r.axes[d] = axisRules[op.Code](x, y, d, w)
	}
	return r
}

func (a *axisAnalysis) comparison(op *tile.Op) AxisInfo {
	r := nothingKnown(op.Results[0].Type)
	for d := range int(r.rank) {
		r.axes[d] = compareAxis(predicate(op), a.of(op.Args[0]), a.of(op.Args[1]), d)
	}
	return r
}

func (a *axisAnalysis) selection(op *tile.Op) AxisInfo {
	t := op.Results[0].Type
	r := nothingKnown(t)
	cond, x, y := *a.of(op.Args[0]), a.of(op.Args[1]), a.of(op.Args[2])
	if op.Args[0].Type.IsScalar() {
		cond = uniformInfo(t.WithElem(tile.I1), &cond)
	}
	r.nonNeg = x.nonNeg && y.nonNeg
	for d := range int(r.rank) {
		r.axes[d] = selectAxis(&cond, x, y, d)
	}
	return r
}

// castInfo is of the operations that keepsNumber tells. Groups are kept to half of what a narrow type
// holds: a larger one has both signs, which it would show when it is widened again.
func castInfo(op *tile.Op, x *AxisInfo) AxisInfo {
	t := op.Results[0].Type
	w := uint8(t.ElemBits())
	r := nothingKnown(t)
	r.nonNeg = x.nonNeg && op.Code != tile.OpTrunc || op.Code == tile.OpExtU
	for d := range int(r.rank) {
		contig := min(x.axes[d].contig, w-1)
		if x.unit != r.unit {
			contig = 0
		}
		r.axes[d] = axis{contig, min(x.at(d, contig), w), x.axes[d].constant}
	}
	return r
}

// keepsNumber reports whether op changes the type of a number, not the number (as far as it fits).
func keepsNumber(op *tile.Op) bool {
	switch op.Code {
	case tile.OpTrunc, tile.OpExtS, tile.OpExtU, tile.OpIntToPtr, tile.OpPtrToInt:
		return true
	}
	return op.Code == tile.OpBitcast && !op.Args[0].Type.IsFloat() && !op.Results[0].Type.IsFloat()
}

// onlyConstancy is for the operations of which nothing is known but that they give the same
// for the same operands.
func (a *axisAnalysis) onlyConstancy(op *tile.Op) AxisInfo {
	t := op.Results[0].Type
	r := nothingKnown(t)
	for d := range t.Rank() {
		same := uint8(t.LogDim(d))
		for _, arg := range op.Args {
			if arg.Type.IsTile() {
				same = min(same, a.of(arg).axes[d].constant)
			}
		}
		r.axes[d].constant = same
	}
	return r
}

// folded computes an integer from known ones.
func (a *axisAnalysis) folded(op *tile.Op) (int64, bool) {
	if folders[op.Code] == nil || op.Results[0].Type.IsFloat() {
		return 0, false
	}
	var x operands
	for i, arg := range op.Args {
		in := a.of(arg)
		if !in.known {
			return 0, false
		}
		x[i] = uint64(in.value) & ones(arg.Type)
	}
	bits, ok := folders[op.Code](op, x)
	return signExtend(bits, op.Results[0].Type.ElemBits()), ok
}

// assume takes the fact that a value is not negative, or a multiple.
func (a *axisAnalysis) assume(cond *tile.Value) {
	cmp := definedBy(cond, tile.OpCmpI)
	if cmp == nil {
		return
	}
	x, c := cmp.Args[0], a.of(cmp.Args[1])
	p := predicate(cmp)
	if a.of(x).known {
		x, c, p = cmp.Args[1], a.of(x), swapped[p]
	}
	switch {
	case !c.known:
	case p == tile.EQ && c.value == 0 && x.Op != nil:
		a.assumeMultiple(x.Op)
	case p == tile.GES && c.value >= 0, p == tile.GTS && c.value >= -1:
		if a.mayAssume(x) {
			a.of(x).nonNeg = true
		}
	}
}

// assumeMultiple takes the fact that rem, a remainder or the low bits of a value, is 0.
func (a *axisAnalysis) assumeMultiple(rem *tile.Op) {
	if len(rem.Args) != 2 {
		return
	}
	x, y := rem.Args[0], a.of(rem.Args[1])
	if !y.known || !a.mayAssume(x) {
		return
	}
	div := &a.of(x).axes[0].div
	switch rem.Code {
	case tile.OpRemS, tile.OpRemU:
		*div = max(*div, trailingZeros(y.value, x.Type.ElemBits()))
	case tile.OpAnd:
		*div = max(*div, trailingZeros(^y.value, x.Type.ElemBits()))
	}
}
