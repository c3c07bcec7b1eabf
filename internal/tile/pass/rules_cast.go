package pass

import "github.com/tegula-lang/tegula/internal/tile"

// truncOfCast cuts a conversion in two to one: what trunc takes away was added or taken away before.
func truncOfCast(r *rewriter, op *tile.Op) *tile.Value {
	in, t := op.Args[0].Op, op.Results[0].Type
	if in == nil {
		return nil
	}
	switch in.Code {
	case tile.OpTrunc:
		return r.emit(tile.OpTrunc, nil, t, in.Args[0])
	case tile.OpExtS, tile.OpExtU:
		return r.resize(in.Code, in.Args[0], t)
	}
	return nil
}

// resize gives x as the integer type t, widened by ext if it is narrower.
func (r *rewriter) resize(ext tile.Code, x *tile.Value, t tile.Type) *tile.Value {
	switch from, to := x.Type.ElemBits(), t.ElemBits(); {
	case from == to:
		return x
	case from > to:
		return r.emit(tile.OpTrunc, nil, t, x)
	}
	return r.emit(ext, nil, t, x)
}

// extOfExt joins two widenings. After an unsigned one the sign is 0, so the second may be of either kind.
func extOfExt(r *rewriter, op *tile.Op) *tile.Value {
	in := op.Args[0].Op
	if in == nil || in.Code != tile.OpExtU && in.Code != op.Code {
		return nil
	}
	return r.emit(in.Code, nil, op.Results[0].Type, in.Args[0])
}

func fextOfFExt(r *rewriter, op *tile.Op) *tile.Value {
	in := definedBy(op.Args[0], tile.OpFExt)
	if in == nil {
		return nil
	}
	return r.emit(tile.OpFExt, nil, op.Results[0].Type, in.Args[0])
}

// ftruncOfFExt rounds from the narrow type itself: widening is exact. Two formats of equal
// width stay as they are, and so do numbers beyond those that rounding gives.
func ftruncOfFExt(r *rewriter, op *tile.Op) *tile.Value {
	in := definedBy(op.Args[0], tile.OpFExt)
	if in == nil {
		return nil
	}
	x, t := in.Args[0], op.Results[0].Type
	switch from, to := x.Type.ElemBits(), t.ElemBits(); {
	case x.Type == t && !t.Elem().DType().Clips():
		return x
	case from > to:
		return r.emit(tile.OpFTrunc, op.Attr, t, x)
	case from < to:
		return r.emit(tile.OpFExt, nil, t, x)
	}
	return nil
}

// stofOfExt converts the narrow integer: it is the same number.
func stofOfExt(r *rewriter, op *tile.Op) *tile.Value {
	in := op.Args[0].Op
	if in == nil || in.Code != tile.OpExtS && in.Code != tile.OpExtU || in.Args[0].Type.IsBool() {
		return nil
	}
	code := tile.OpSToF
	if in.Code == tile.OpExtU {
		code = tile.OpUToF
	}
	return r.emit(code, nil, op.Results[0].Type, in.Args[0])
}

func utofOfExt(r *rewriter, op *tile.Op) *tile.Value {
	in := definedBy(op.Args[0], tile.OpExtU)
	if in == nil || in.Args[0].Type.IsBool() {
		return nil
	}
	return r.emit(tile.OpUToF, nil, op.Results[0].Type, in.Args[0])
}

func bitcastOfBitcast(r *rewriter, op *tile.Op) *tile.Value {
	x, t := op.Args[0], op.Results[0].Type
	if x.Type == t {
		return x
	}
	if in := definedBy(x, tile.OpBitcast); in != nil {
		return r.emit(tile.OpBitcast, nil, t, in.Args[0])
	}
	return nil
}

// ptrOfInt is inttoptr(ptrtoint(p)) = p, if p had the type.
func ptrOfInt(r *rewriter, op *tile.Op) *tile.Value {
	in, t := definedBy(op.Args[0], tile.OpPtrToInt), op.Results[0].Type
	if in == nil {
		return nil
	}
	if in.Args[0].Type == t {
		return in.Args[0]
	}
	return r.emit(tile.OpBitcast, nil, t, in.Args[0])
}

// intOfPtr is ptrtoint(inttoptr(i)) = i.
func intOfPtr(_ *rewriter, op *tile.Op) *tile.Value {
	if in := definedBy(op.Args[0], tile.OpIntToPtr); in != nil {
		return in.Args[0]
	}
	return nil
}
