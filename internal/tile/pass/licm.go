package pass

import "github.com/tegula-lang/tegula/internal/tile"

// licm moves operations whose operands do not change in a loop in front of the loop, inner
// loops first. Moved are pure operations that cannot fail, reductions, scans, maps and ifs
// of such, and, if the loop is known to run and writes nothing, what its first iteration
// does unconditionally anyway, before it asserts anything: divisions, gathers and loads. A loop with NoLICM keeps its
// operations.
func licm(f *tile.Func) {
	h := &hoister{level: make([]int32, f.NumValues())}
	h.block(f.Body)
}

// A hoister knows the depth of regions in which each value is defined (by ID). A value that
// is visible in a loop's body was defined outside if its level is not the body's. Values in
// the regions of an operation that was moved keep a level that is too deep, which is still
// deeper than any block that the operation moves through.
type hoister struct {
	level []int32
	depth int32
	out   []*tile.Op // a stack of rebuilt blocks, as in rewriter
}

func (h *hoister) block(b *tile.Block) {
	h.define(b.Args)
	start := len(h.out)
	for _, op := range b.Ops {
		if len(op.Regions) > 0 {
			h.depth++
			for _, r := range op.Regions {
				h.block(r)
			}
			if isLoop(op) {
				h.hoist(op)
			}
			h.depth--
		}
		h.define(op.Results)
		h.out = append(h.out, op)
	}
	b.Ops = append(b.Ops[:0], h.out[start:]...)
	h.out = h.out[:start]
}

func (h *hoister) define(vals []*tile.Value) {
	for _, v := range vals {
		h.level[v.ID] = h.depth
	}
}

// hoist moves invariant operations of a loop to the block being rebuilt. h.depth is the
// level of the loop's body.
func (h *hoister) hoist(loop *tile.Op) {
	if a, ok := loop.Attr.(tile.ForAttr); ok && a.NoLICM {
		return
	}
	sure := runsQuietly(loop)
	for _, r := range loop.Regions {
		kept := r.Ops[:0]
		for _, op := range r.Ops {
			if !h.invariant(op) || !(sure && firstIteration(op) || harmless(op)) {
				kept = append(kept, op)
				sure = sure && !asserts(op)
				continue
			}
			h.out = append(h.out, op)
			for _, v := range op.Results {
				h.level[v.ID] = h.depth - 1
			}
		}
		clear(r.Ops[len(kept):])
		r.Ops = kept
	}
}

// invariant reports whether op, and what is in its regions, uses nothing that the loop's
// body defines outside of op.
func (h *hoister) invariant(op *tile.Op) bool {
	for _, a := range op.Args {
		if h.level[a.ID] == h.depth {
			return false
		}
	}
	for _, r := range op.Regions {
		for _, in := range r.Ops {
			if !h.invariant(in) {
				return false
			}
		}
	}
	return true
}

// harmless reports whether running op where it would not run does nothing but take time,
// and little of that: loops are not.
func harmless(op *tile.Op) bool {
	switch op.Code {
	case tile.OpReduce, tile.OpScan, tile.OpMap, tile.OpIf:
	default:
		return op.Effect() == tile.Pure && !mayFail(op)
	}
	for _, b := range op.Regions {
		for _, in := range b.Ops[:len(b.Ops)-1] {
			if !harmless(in) {
				return false
			}
		}
	}
	return true
}

// mayFail reports whether a checked run may stop at a pure operation.
func mayFail(op *tile.Op) bool {
	switch op.Code {
	case tile.OpDivS, tile.OpRemS:
		c, ok := constBits(op.Args[1])
		return !ok || c == 0 || c == ones(op.Args[1].Type) // MinInt / -1 traps on some machines
	case tile.OpDivU, tile.OpRemU:
		c, ok := constBits(op.Args[1])
		return !ok || c == 0
	}
	return op.Code == tile.OpGather
}

// firstIteration reports whether op, at the top of a loop's body that runs, may be done in
// front of the loop although it may fail.
func firstIteration(op *tile.Op) bool {
	e := op.Effect()
	return e == tile.Pure || e == tile.Reads
}

// asserts reports whether op, or what is in its regions, may end the program: what may fail after it
// is not to fail before it.
func asserts(op *tile.Op) bool {
	found := op.Code == tile.OpAssert
	for _, r := range op.Regions {
		r.Walk(func(in *tile.Op) { found = found || in.Code == tile.OpAssert })
	}
	return found
}

// runsQuietly reports whether a loop runs at least once and changes no memory, nor waits for others
// to change it.
func runsQuietly(loop *tile.Op) bool {
	if loop.Code != tile.OpFor || tripsOf(loop) != someTrips {
		return false
	}
	quiet := true
	for _, r := range loop.Regions {
		r.Walk(func(op *tile.Op) {
			quiet = quiet && op.Effect() != tile.Writes && op.Code != tile.OpWhile
		})
	}
	return quiet
}
