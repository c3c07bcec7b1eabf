package pass

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/tile"
)

// controlRules are the rules of operations with regions, without results or with several.
// A rule rebuilds the operation, its regions too, and reports whether it is gone: dropped,
// or replaced by operations that the rule has already put in the present block.
var controlRules [numCodes]func(r *rewriter, op *tile.Op) (gone bool)

func init() {
	controlRules = [numCodes]func(*rewriter, *tile.Op) bool{
		tile.OpIf:     rebuildIf,
		tile.OpFor:    rebuildFor,
		tile.OpWhile:  rebuildWhile,
		tile.OpReduce: rebuildRegions,
		tile.OpScan:   rebuildRegions,
		tile.OpMap:    rebuildRegions,
		tile.OpSplit:  splitKnown,
		tile.OpStore:  storeMask,
		tile.OpAssert: assertKnown,
		tile.OpAssume: assumeKnown,
	}
}

func rebuildRegions(r *rewriter, op *tile.Op) bool {
	for _, b := range op.Regions {
		r.block(b)
	}
	return false
}

// replaceAll makes vals, which are final, stand for old.
func (r *rewriter) replaceAll(old, vals []*tile.Value) {
	for i, v := range old {
		r.replace(v, vals[i])
	}
}

// rebuildIf takes the only branch of a decided condition; results that are the same in
// both branches leave the if, and branches that only choose values become selects.
func rebuildIf(r *rewriter, op *tile.Op) bool {
	if c, ok := constBits(op.Args[0]); ok {
		taken := op.Regions[0]
		if c == 0 {
			taken = op.Regions[1]
		}
		r.replaceAll(op.Results, r.inline(taken))
		return true
	}
	if in := definedBy(op.Args[0], tile.OpXor); in != nil && isConstOf(in.Args[1], 1) {
		op.Args = []*tile.Value{in.Args[0]}
		op.Regions[0], op.Regions[1] = op.Regions[1], op.Regions[0]
	}
	r.block(op.Regions[0])
	r.block(op.Regions[1])
	if onlyConstants(op.Regions[0]) && onlyConstants(op.Regions[1]) {
		r.ifToSelects(op)
		return true
	}
	r.dropEqualResults(op)
	return false
}

// onlyConstants reports whether b does nothing but yield.
func onlyConstants(b *tile.Block) bool {
	for _, op := range b.Ops[:len(b.Ops)-1] {
		if op.Code != tile.OpConst {
			return false
		}
	}
	return true
}

// ifToSelects replaces an if whose branches only yield values from outside and constants.
func (r *rewriter) ifToSelects(op *tile.Op) {
	then, els := op.Regions[0], op.Regions[1]
	r.out = append(r.out, then.Ops[:len(then.Ops)-1]...)
	r.out = append(r.out, els.Ops[:len(els.Ops)-1]...)
	x, y := then.Terminator().Args, els.Terminator().Args
	for i, res := range op.Results {
		r.replace(res, r.emit(tile.OpSelect, nil, res.Type, op.Args[0], x[i], y[i]))
	}
}

// dropEqualResults removes the results of an if that are the same value in both branches.
func (r *rewriter) dropEqualResults(op *tile.Op) {
	then, els := op.Regions[0].Terminator(), op.Regions[1].Terminator()
	keep := make([]bool, len(op.Results))
	dropped := false
	for i, res := range op.Results {
		x, y := then.Args[i], els.Args[i]
		bits, isConst := constBits(x)
		switch {
		case x == y:
			r.replace(res, x)
		case isConst && isConstOf(y, bits):
			r.replace(res, r.constant(res.Type, bits))
		default:
			keep[i] = true
			continue
		}
		dropped = true
	}
	if dropped {
		dropIfResults(op, keep)
	}
}

// rebuildFor drops a loop that does not run, opens one that runs once, and takes out the
// carried values that never change.
func rebuildFor(r *rewriter, op *tile.Op) bool {
	body, inits := op.Regions[0], op.Args[forBounds:]
	switch tripsOf(op) {
	case noTrip:
		r.replaceAll(op.Results, inits)
		return true
	case oneTrip:
		r.replace(body.Args[0], op.Args[0])
		r.replaceAll(body.Args[forCounter:], inits)
		r.replaceAll(op.Results, r.inline(body))
		return true
	}
	r.dropInvariantCarried(op)
	r.block(body)
	for i, y := range body.Terminator().Args {
		if y == body.Args[forCounter+i] || y == op.Args[forBounds+i] {
			r.again = true
		}
	}
	return false
}

// dropInvariantCarried removes the carried values that a loop yields as it got them.
func (r *rewriter) dropInvariantCarried(op *tile.Op) {
	body := op.Regions[0]
	yield := body.Terminator()
	keep := make([]bool, len(op.Results))
	dropped := false
	for i, res := range op.Results {
		init, arg, next := op.Args[forBounds+i], body.Args[forCounter+i], r.final(yield.Args[i])
		if next != arg && next != init {
			keep[i] = true
			continue
		}
		r.replace(arg, init)
		r.replace(res, init)
		dropped = true
	}
	if dropped {
		dropForCarried(op, keep)
	}
}

// trips says how often a loop's body runs.
type trips uint8

const (
	manyTrips trips = iota // or not known
	noTrip
	oneTrip
	someTrips // not known, but not none
)

// tripsOf tells the trips of a for loop with constant bounds.
func tripsOf(op *tile.Op) trips {
	lower, upper := op.Args[0], op.Args[1]
	if lower == upper {
		return noTrip
	}
	lo, ok1 := constBits(lower)
	hi, ok2 := constBits(upper)
	step, ok3 := constBits(op.Args[2])
	w := lower.Type.ElemBits()
	if !ok1 || !ok2 || !ok3 || signExtend(step, w) <= 0 {
		return manyTrips
	}
	runs := lo < hi
	if !op.Attr.(tile.ForAttr).Unsigned {
		runs = signExtend(lo, w) < signExtend(hi, w)
	}
	switch {
	case !runs:
		return noTrip
	case (hi-lo)&lowMask(w) <= step: // as a distance, which is positive in both readings
		return oneTrip
	}
	return someTrips
}

// rebuildWhile opens a loop that is known not to reach its second region, and takes out
// what it carries or forwards without change.
func rebuildWhile(r *rewriter, op *tile.Op) bool {
	before, after := op.Regions[0], op.Regions[1]
	inits := op.Args
	r.dropWhileCarried(op)
	if c, ok := constBits(r.final(before.Terminator().Args[0])); ok && c == 0 {
		r.replaceAll(before.Args, op.Args)
		vals := r.inline(before)
		r.replaceAll(op.Results, vals[1:])
		return true
	}
	r.dropWhileForwarded(op, inits)
	r.block(before)
	r.block(after)
	if isConstOf(before.Terminator().Args[0], 0) {
		r.again = true
	}
	for i := range op.Args {
		r.again = r.again || r.carriesUnchanged(op, i)
	}
	return false
}

// carriesUnchanged reports whether the second region of a while yields carried value i as
// the first got it: the value it started with, or what the condition forwarded of the same.
func (r *rewriter) carriesUnchanged(op *tile.Op, i int) bool {
	before, after := op.Regions[0], op.Regions[1]
	next := r.final(after.Terminator().Args[i])
	if next.Block == after {
		return r.final(before.Terminator().Args[1+next.Index]) == before.Args[i]
	}
	return next == op.Args[i]
}

// dropWhileCarried removes the carried values that never change.
func (r *rewriter) dropWhileCarried(op *tile.Op) {
	keep := make([]bool, len(op.Args))
	dropped := false
	for i := range op.Args {
		keep[i] = !r.carriesUnchanged(op, i)
		dropped = dropped || !keep[i]
	}
	if !dropped {
		return
	}
	for i, arg := range op.Regions[0].Args {
		if !keep[i] {
			r.replace(arg, op.Args[i])
		}
	}
	dropWhileCarried(op, keep)
}

// dropWhileForwarded removes the values that the condition forwards although they are
// known outside: constants, and what the loop started with.
func (r *rewriter) dropWhileForwarded(op *tile.Op, inits []*tile.Value) {
	before, after := op.Regions[0], op.Regions[1]
	cond := before.Terminator()
	keep := make([]bool, len(op.Results))
	dropped := false
	for i, res := range op.Results {
		v := r.final(cond.Args[1+i])
		bits, isConst := constBits(v)
		switch {
		case isConst:
			v = r.constant(res.Type, bits)
		case !slices.Contains(inits, v):
			keep[i] = true
			continue
		}
		r.replace(res, v)
		r.replace(after.Args[i], v)
		dropped = true
	}
	if dropped {
		dropWhileForwarded(op, keep)
	}
}
