package pass

import "github.com/tegula-lang/tegula/internal/tile"

// uniform gives v, a tile that is the same everywhere, as a scalar or as a tile of another
// shape (t's; its element is v's); nil if v is not known to be uniform.
func (r *rewriter) uniform(v *tile.Value, t tile.Type) *tile.Value {
	t = t.WithScalar(v.Type)
	if bits, ok := constBits(v); ok {
		return r.constant(t, bits)
	}
	s := definedBy(v, tile.OpSplat)
	switch {
	case s == nil:
		return nil
	case t.IsScalar():
		return s.Args[0]
	}
	return r.emit(tile.OpSplat, nil, t, s.Args[0])
}

func isUniform(v *tile.Value) bool { return isConst(v) || definedBy(v, tile.OpSplat) != nil }

// splatConst is splat(c) = a constant tile.
func splatConst(r *rewriter, op *tile.Op) *tile.Value {
	if bits, ok := constBits(op.Args[0]); ok {
		return r.constant(op.Results[0].Type, bits)
	}
	return nil
}

// ofUniform is an operation that only moves elements, on a uniform tile.
func ofUniform(r *rewriter, op *tile.Op) *tile.Value {
	return r.uniform(op.Args[0], op.Results[0].Type)
}

// ofUniformPair is ofUniform for two tiles of the same uniform value.
func ofUniformPair(r *rewriter, op *tile.Op) *tile.Value {
	x, y := op.Args[0], op.Args[1]
	bits, ok := constBits(x)
	if x != y && !(ok && isConstOf(y, bits)) {
		return nil
	}
	return r.uniform(x, op.Results[0].Type)
}

// sameType is an operation that moves no element because the type stays.
func sameType(_ *rewriter, op *tile.Op) *tile.Value {
	if op.Args[0].Type == op.Results[0].Type {
		return op.Args[0]
	}
	return nil
}

func broadcastOfBroadcast(r *rewriter, op *tile.Op) *tile.Value {
	if in := definedBy(op.Args[0], tile.OpBroadcast); in != nil {
		return r.emit(tile.OpBroadcast, nil, op.Results[0].Type, in.Args[0])
	}
	return nil
}

func reshapeOfReshape(r *rewriter, op *tile.Op) *tile.Value {
	in := definedBy(op.Args[0], tile.OpReshape)
	if in == nil {
		return nil
	}
	reorder := op.Attr.(tile.ReshapeAttr).CanReorder || in.Attr.(tile.ReshapeAttr).CanReorder
	return r.emit(tile.OpReshape, tile.ReshapeAttr{CanReorder: reorder}, op.Results[0].Type, in.Args[0])
}

func transIdentity(_ *rewriter, op *tile.Op) *tile.Value {
	order := op.Attr.(tile.PermAttr).Order
	for i := range op.Results[0].Type.Rank() {
		if int(order[i]) != i {
			return nil
		}
	}
	return op.Args[0]
}

func transOfTrans(r *rewriter, op *tile.Op) *tile.Value {
	in := definedBy(op.Args[0], tile.OpTrans)
	if in == nil {
		return nil
	}
	outer, inner := op.Attr.(tile.PermAttr).Order, in.Attr.(tile.PermAttr).Order
	var both tile.PermAttr
	for i := range op.Results[0].Type.Rank() {
		both.Order[i] = inner[outer[i]]
	}
	return r.emit(tile.OpTrans, both, op.Results[0].Type, in.Args[0])
}

// joinOfSplit puts together what split took apart.
func joinOfSplit(_ *rewriter, op *tile.Op) *tile.Value {
	in := definedBy(op.Args[0], tile.OpSplit)
	if in == nil || op.Args[0] != in.Results[0] || op.Args[1] != in.Results[1] {
		return nil
	}
	return in.Args[0]
}

// rangeOfOne is a range with one element.
func rangeOfOne(r *rewriter, op *tile.Op) *tile.Value {
	a := op.Attr.(tile.RangeAttr)
	if a.End-a.Start != 1 {
		return nil
	}
	return r.constant(op.Results[0].Type, uint64(a.Start))
}

// splitKnown takes apart what join put together, or a uniform tile.
func splitKnown(r *rewriter, op *tile.Op) bool {
	x := op.Args[0]
	if in := definedBy(x, tile.OpJoin); in != nil {
		r.replace(op.Results[0], in.Args[0])
		r.replace(op.Results[1], in.Args[1])
		return true
	}
	half := r.uniform(x, op.Results[0].Type)
	if half == nil {
		return false
	}
	r.replace(op.Results[0], half)
	r.replace(op.Results[1], half)
	return true
}
