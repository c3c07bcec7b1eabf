package pass

import "github.com/tegula-lang/tegula/internal/tile"

// addptrConsts is (p + c1) + c2 = p + (c1+c2), where the sum fits the offset's type.
func addptrConsts(r *rewriter, op *tile.Op) *tile.Value {
	off := op.Args[1]
	c2, ok := constBits(off)
	if !ok {
		return nil
	}
	if c2 == 0 {
		return op.Args[0]
	}
	in := definedBy(op.Args[0], tile.OpAddPtr)
	if in == nil || in.Args[1].Type != off.Type {
		return nil
	}
	c1, ok := constBits(in.Args[1])
	if !ok {
		return nil
	}
	w := off.Type.ElemBits()
	a, b := signExtend(c1, w), signExtend(c2, w)
	sum := a + b
	if (sum > a) != (b > 0) || signExtend(uint64(sum), w) != sum {
		return nil
	}
	return r.emit(tile.OpAddPtr, nil, op.Results[0].Type, in.Args[0], r.constant(off.Type, uint64(sum)))
}

// addptrExtended drops a sign extension of the offset: addptr extends by itself.
func addptrExtended(r *rewriter, op *tile.Op) *tile.Value {
	in := definedBy(op.Args[1], tile.OpExtS)
	if in == nil || in.Args[0].Type.IsBool() {
		return nil
	}
	return r.emit(tile.OpAddPtr, nil, op.Results[0].Type, op.Args[0], in.Args[0])
}

// hintOfConst drops facts about a constant: all is known of it.
func hintOfConst(_ *rewriter, op *tile.Op) *tile.Value {
	if isConst(op.Args[0]) {
		return op.Args[0]
	}
	return nil
}

// hintAgain drops a fact that was just given.
func hintAgain(_ *rewriter, op *tile.Op) *tile.Value {
	if in := definedBy(op.Args[0], tile.OpHint); in != nil && in.Attr == op.Attr {
		return op.Args[0]
	}
	return nil
}

// loadMask drops a mask that is true; a load that is masked off is its other value. Without
// one it stays, so that a checked run can tell that the program relies on the zero.
func loadMask(_ *rewriter, op *tile.Op) *tile.Value {
	if len(op.Args) < 2 {
		return nil
	}
	mask, ok := constBits(op.Args[1])
	switch {
	case !ok:
		return nil
	case mask != 0:
		op.Args = op.Args[:1]
		return nil
	case len(op.Args) == 3:
		return op.Args[2]
	}
	return nil
}

// atomicMask drops a mask that is true; an atomic that is masked off is zero.
func atomicMask(r *rewriter, op *tile.Op) *tile.Value {
	if len(op.Args) < 3 {
		return nil
	}
	mask, ok := constBits(op.Args[2])
	switch {
	case !ok:
		return nil
	case mask == 0:
		return r.constant(op.Results[0].Type, 0)
	}
	op.Args = op.Args[:2]
	return nil
}

// storeMask drops a mask that is true, and a store that is masked off.
func storeMask(_ *rewriter, op *tile.Op) bool { return dropMask(op, 2) }

// assertKnown drops an assertion that holds or is masked off, and a mask that is true.
func assertKnown(_ *rewriter, op *tile.Op) bool {
	return holdsAlways(op.Args[0]) || dropMask(op, 1)
}

// assumeKnown drops an assumption that holds.
func assumeKnown(_ *rewriter, op *tile.Op) bool { return holdsAlways(op.Args[0]) }

func holdsAlways(v *tile.Value) bool {
	bits, ok := constBits(v)
	return ok && bits != 0
}

// dropMask removes a true mask, operand i; it reports whether the mask is false.
func dropMask(op *tile.Op, i int) bool {
	if len(op.Args) <= i {
		return false
	}
	mask, ok := constBits(op.Args[i])
	if ok && mask != 0 {
		op.Args = op.Args[:i]
	}
	return ok && mask == 0
}
