package pass

import (
	"math/bits"

	"github.com/tegula-lang/tegula/internal/tile"
)

// sameConsts is (x op c1) op c2 = x op (c1 op c2) for associative integer operations.
func sameConsts(r *rewriter, op *tile.Op) *tile.Value {
	c2, ok := constBits(op.Args[1])
	if !ok {
		return nil
	}
	in := definedBy(op.Args[0], op.Code)
	if in == nil {
		return nil
	}
	c1, ok := constBits(in.Args[1])
	if !ok {
		return nil
	}
	c, ok := foldBits(op, c1, c2)
	if !ok {
		return nil
	}
	t := op.Results[0].Type
	return r.emit(op.Code, nil, t, in.Args[0], r.constant(t, c))
}

// addToSub is (c1 - x) + c2 = (c1+c2) - x.
func addToSub(r *rewriter, op *tile.Op) *tile.Value {
	c2, ok := constBits(op.Args[1])
	if !ok {
		return nil
	}
	in := definedBy(op.Args[0], tile.OpSub)
	if in == nil {
		return nil
	}
	c1, ok := constBits(in.Args[0])
	if !ok {
		return nil
	}
	t := op.Results[0].Type
	return r.emit(tile.OpSub, nil, t, r.constant(t, c1+c2), in.Args[1])
}

// subConst is x - c = x + (-c), so that chains of constants meet as sums.
func subConst(r *rewriter, op *tile.Op) *tile.Value {
	c, ok := constBits(op.Args[1])
	if !ok {
		return nil
	}
	t := op.Results[0].Type
	return r.emit(tile.OpAdd, nil, t, op.Args[0], r.constant(t, -c))
}

// subOfSum is (x + y) - x = y, in either order.
func subOfSum(_ *rewriter, op *tile.Op) *tile.Value {
	in := definedBy(op.Args[0], tile.OpAdd)
	if in == nil {
		return nil
	}
	switch op.Args[1] {
	case in.Args[0]:
		return in.Args[1]
	case in.Args[1]:
		return in.Args[0]
	}
	return nil
}

// divPowerOfTwo is x / 2^k = x >> k, unsigned.
func divPowerOfTwo(r *rewriter, op *tile.Op) *tile.Value {
	c, ok := constBits(op.Args[1])
	if !ok || bits.OnesCount64(c) != 1 {
		return nil
	}
	t := op.Results[0].Type
	return r.emit(tile.OpShrU, nil, t, op.Args[0], r.constant(t, uint64(bits.TrailingZeros64(c))))
}

// remPowerOfTwo is x % 2^k = x & (2^k - 1), unsigned.
func remPowerOfTwo(r *rewriter, op *tile.Op) *tile.Value {
	c, ok := constBits(op.Args[1])
	if !ok || bits.OnesCount64(c) != 1 {
		return nil
	}
	t := op.Results[0].Type
	return r.emit(tile.OpAnd, nil, t, op.Args[0], r.constant(t, c-1))
}

// shiftConsts is (x shift c1) shift c2 = x shift (c1+c2), where no shift reaches the width.
func shiftConsts(r *rewriter, op *tile.Op) *tile.Value {
	c2, ok := constBits(op.Args[1])
	if !ok {
		return nil
	}
	in := definedBy(op.Args[0], op.Code)
	if in == nil {
		return nil
	}
	c1, ok := constBits(in.Args[1])
	t := op.Results[0].Type
	w := uint64(t.ElemBits())
	if !ok || c1 >= w || c2 >= w || c1+c2 >= w {
		return nil
	}
	return r.emit(op.Code, nil, t, in.Args[0], r.constant(t, c1+c2))
}
