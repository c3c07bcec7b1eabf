package pass

import "github.com/tegula-lang/tegula/internal/tile"

// AnalyzeAxes gives what is known of the values of f, by Value.ID. Loops are followed until
// what they carry does not change any more.
func AnalyzeAxes(f *tile.Func) []AxisInfo {
	n := f.NumValues()
	a := &axisAnalysis{info: make([]AxisInfo, n), level: make([]uint16, n), falls: make([]uint8, n)}
	for i, v := range f.Body.Args {
		x := nothingKnown(v.Type)
		if i < len(f.Params) && f.Params[i].Divisibility > 0 {
			x.axes[0].div = trailingZeros(f.Params[i].Divisibility, v.Type.ElemBits())
		}
		a.info[v.ID] = x
	}
	a.block(f.Body)
	return a.info
}

// maxFalls bounds how often a carried value may turn out to be less than was thought before
// nothing is thought of it. With it a loop's body is walked a number of times that is
// linear in its depth, as a loop that is entered again goes on from where it was.
const maxFalls = 4

type axisAnalysis struct {
	info  []AxisInfo
	level []uint16 // depth of the block that defines a value
	falls []uint8  // of carried values
	depth uint16
}

func (a *axisAnalysis) of(v *tile.Value) *AxisInfo { return &a.info[v.ID] }

func (a *axisAnalysis) block(b *tile.Block) {
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

func (a *axisAnalysis) op(op *tile.Op) {
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
			a.info[v.ID] = splitInfo(v.Type, a.of(op.Args[0]))
		}
	default:
		for _, b := range op.Regions {
			a.forget(b.Args)
			a.block(b)
		}
		if len(op.Results) == 1 {
			a.info[op.Results[0].ID] = a.result(op)
		} else {
			a.forget(op.Results)
		}
	}
}

// forget knows nothing of vals.
func (a *axisAnalysis) forget(vals []*tile.Value) {
	for _, v := range vals {
		a.info[v.ID] = nothingKnown(v.Type)
	}
}

// result gives what is known of the result of an operation without regions.
func (a *axisAnalysis) result(op *tile.Op) AxisInfo {
	t := op.Results[0].Type
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

// castInfo is of the operations that keepsNumber tells.
func castInfo(op *tile.Op, x *AxisInfo) AxisInfo {
	t := op.Results[0].Type
	r := nothingKnown(t)
	r.nonNeg = x.nonNeg && op.Code != tile.OpTrunc || op.Code == tile.OpExtU
	for d := range int(r.rank) {
		r.axes[d] = x.axes[d]
		if x.unit != r.unit {
			r.axes[d].contig, r.axes[d].div = 0, x.at(d, 0)
		}
		r.axes[d].div = min(r.axes[d].div, uint8(t.ElemBits()))
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

// assume takes a fact about a value of the same block: what uses the value comes later or,
// in the same block, before a fact that then holds anyway.
func (a *axisAnalysis) assume(cond *tile.Value) {
	if both := definedBy(cond, tile.OpAnd); both != nil {
		a.assume(both.Args[0])
		a.assume(both.Args[1])
		return
	}
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
			a.info[x.ID].nonNeg = true
		}
	}
}

// mayAssume reports whether a fact about x found here holds wherever x is used. Carried
// values are left out: what is known of them flows on to the loop's results, which may be
// the values that the loop started with.
func (a *axisAnalysis) mayAssume(x *tile.Value) bool {
	return a.level[x.ID] == a.depth && (x.Block == nil || a.depth == 1)
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
	div := &a.info[x.ID].axes[0].div
	switch rem.Code {
	case tile.OpRemS, tile.OpRemU:
		*div = max(*div, trailingZeros(y.value, x.Type.ElemBits()))
	case tile.OpAnd:
		*div = max(*div, trailingZeros(^y.value, x.Type.ElemBits()))
	}
}

func (a *axisAnalysis) branch(op *tile.Op) {
	for _, b := range op.Regions {
		a.block(b)
	}
	then, els := op.Regions[0].Terminator().Args, op.Regions[1].Terminator().Args
	for i, v := range op.Results {
		a.info[v.ID] = meet(a.of(then[i]), a.of(els[i]))
	}
}

func (a *axisAnalysis) forLoop(op *tile.Op) {
	body, inits := op.Regions[0], op.Args[forBounds:]
	lower, upper, step := a.of(op.Args[0]), a.of(op.Args[1]), a.of(op.Args[2])
	counter := nothingKnown(body.Args[0].Type)
	counter.axes[0].div = min(lower.axes[0].div, step.axes[0].div)
	counter.nonNeg = lower.nonNeg && (upper.nonNeg || !op.Attr.(tile.ForAttr).Unsigned) // the step is positive
	a.info[body.Args[0].ID] = counter
	carried := body.Args[forCounter:]
	a.enter(carried, inits)
	for again := true; again; {
		a.block(body)
		again = a.enter(carried, body.Terminator().Args)
	}
	for i, v := range op.Results {
		a.info[v.ID] = *a.of(carried[i])
	}
}

func (a *axisAnalysis) whileLoop(op *tile.Op) {
	before, after := op.Regions[0], op.Regions[1]
	a.enter(before.Args, op.Args)
	for again := true; again; {
		a.block(before)
		forwarded := before.Terminator().Args[1:]
		for i, v := range op.Results {
			a.info[v.ID] = *a.of(forwarded[i])
			a.info[after.Args[i].ID] = a.info[v.ID]
		}
		a.block(after)
		again = a.enter(before.Args, after.Terminator().Args)
	}
}

// enter lets what vals are flow into carried values, and reports whether these are less
// than they were.
func (a *axisAnalysis) enter(carried, vals []*tile.Value) bool {
	fell := false
	for i, v := range carried {
		old := a.of(v)
		now := meet(old, a.of(vals[i]))
		if now == *old {
			continue
		}
		if a.falls[v.ID]++; a.falls[v.ID] > maxFalls {
			now = nothingKnown(v.Type)
		}
		fell = true
		*old = now
	}
	return fell
}
