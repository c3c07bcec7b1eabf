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

// swapped gives the comparison p' with (x p y) = (y p' x).
var swapped = [...]tile.CmpI{
	tile.EQ: tile.EQ, tile.NE: tile.NE,
	tile.LTS: tile.GTS, tile.LES: tile.GES, tile.GTS: tile.LTS, tile.GES: tile.LES,
	tile.LTU: tile.GTU, tile.LEU: tile.GEU, tile.GTU: tile.LTU, tile.GEU: tile.LEU,
}

// negated gives the comparison that is true where p is false.
var negated = [...]tile.CmpI{
	tile.EQ: tile.NE, tile.NE: tile.EQ,
	tile.LTS: tile.GES, tile.GES: tile.LTS, tile.LES: tile.GTS, tile.GTS: tile.LES,
	tile.LTU: tile.GEU, tile.GEU: tile.LTU, tile.LEU: tile.GTU, tile.GTU: tile.LEU,
}

// negatedF is negated for floats: ordered and unordered change places.
var negatedF = [...]tile.CmpF{
	tile.OEQ: tile.UNE, tile.UNE: tile.OEQ, tile.ONE: tile.UEQ, tile.UEQ: tile.ONE,
	tile.OLT: tile.UGE, tile.UGE: tile.OLT, tile.OLE: tile.UGT, tile.UGT: tile.OLE,
	tile.OGT: tile.ULE, tile.ULE: tile.OGT, tile.OGE: tile.ULT, tile.ULT: tile.OGE,
	tile.ORD: tile.UNO, tile.UNO: tile.ORD,
}

// holdsOnEqual says what a comparison of a value with itself gives.
var holdsOnEqual = [...]bool{
	tile.EQ: true, tile.LES: true, tile.GES: true, tile.LEU: true, tile.GEU: true, tile.GTU: false,
}

func predicate(op *tile.Op) tile.CmpI { return op.Attr.(tile.CmpIAttr).Pred }

// compareConstRight puts a constant at the right of a comparison.
func compareConstRight(_ *rewriter, op *tile.Op) *tile.Value {
	if isConst(op.Args[0]) && !isConst(op.Args[1]) {
		op.Args[0], op.Args[1] = op.Args[1], op.Args[0]
		op.Attr = tile.CmpIAttr{Pred: swapped[predicate(op)]}
	}
	return nil
}

func compareSame(r *rewriter, op *tile.Op) *tile.Value {
	if op.Args[0] != op.Args[1] {
		return nil
	}
	return r.truth(op, holdsOnEqual[predicate(op)])
}

// limits lists the comparisons that a constant at the end of the type's range decides.
var limits = [...]struct {
	pred   tile.CmpI
	limit  special
	result bool
}{
	{tile.LTU, zero, false},
	{tile.GEU, zero, true},
	{tile.GTU, allOnes, false},
	{tile.LEU, allOnes, true},
	{tile.LTS, minSigned, false},
	{tile.GES, minSigned, true},
	{tile.GTS, maxSigned, false},
	{tile.LES, maxSigned, true},
}

func compareLimit(r *rewriter, op *tile.Op) *tile.Value {
	c, ok := constBits(op.Args[1])
	if !ok {
		return nil
	}
	for _, l := range limits {
		if l.pred != predicate(op) {
			continue
		}
		if want, ok := specialBits(l.limit, op.Args[1].Type); ok && want == c {
			return r.truth(op, l.result)
		}
	}
	return nil
}

// compareBool is b == c and b != c for an i1, or one that was widened, and a constant.
func compareBool(r *rewriter, op *tile.Op) *tile.Value {
	p := predicate(op)
	c, ok := constBits(op.Args[1])
	if !ok || p != tile.EQ && p != tile.NE {
		return nil
	}
	b, whenTrue := op.Args[0], uint64(1)
	if in := definedBy(b, tile.OpExtU); in != nil {
		b = in.Args[0]
	} else if in := definedBy(b, tile.OpExtS); in != nil {
		b, whenTrue = in.Args[0], ones(in.Results[0].Type)
	}
	switch {
	case !b.Type.IsBool():
		return nil
	case c != 0 && c != whenTrue:
		return r.truth(op, p == tile.NE)
	case (c != 0) == (p == tile.EQ):
		return b
	}
	return r.not(b)
}

// notOfCompare is !(x < y) = x >= y.
func notOfCompare(r *rewriter, op *tile.Op) *tile.Value {
	t := op.Results[0].Type
	if !t.IsBool() || !isConstOf(op.Args[1], 1) || op.Args[0].Op == nil {
		return nil
	}
	in := op.Args[0].Op
	switch a := in.Attr.(type) {
	case tile.CmpIAttr:
		return r.emit(in.Code, tile.CmpIAttr{Pred: negated[a.Pred]}, t, in.Args[0], in.Args[1])
	case tile.CmpFAttr:
		return r.emit(in.Code, tile.CmpFAttr{Pred: negatedF[a.Pred]}, t, in.Args[0], in.Args[1])
	}
	return nil
}

// not gives !b.
func (r *rewriter) not(b *tile.Value) *tile.Value {
	return r.emit(tile.OpXor, nil, b.Type, b, r.constant(b.Type, 1))
}

// truth gives op's result as a constant.
func (r *rewriter) truth(op *tile.Op, b bool) *tile.Value {
	return r.constant(op.Results[0].Type, truth(b))
}

// selectKnown resolves a select whose condition or whose arms are decided.
func selectKnown(r *rewriter, op *tile.Op) *tile.Value {
	cond, x, y := op.Args[0], op.Args[1], op.Args[2]
	if c, ok := constBits(cond); ok {
		if c != 0 {
			return x
		}
		return y
	}
	if x == y {
		return x
	}
	if c, ok := constBits(x); ok && isConstOf(y, c) {
		return x
	}
	if s := definedBy(cond, tile.OpSplat); s != nil {
		op.Args[0] = s.Args[0]
	}
	return nil
}

// selectBool is a select of i1 with a constant arm, as logic.
func selectBool(r *rewriter, op *tile.Op) *tile.Value {
	cond, x, y := op.Args[0], op.Args[1], op.Args[2]
	if cond.Type != x.Type {
		return nil
	}
	cx, xKnown := constBits(x)
	cy, yKnown := constBits(y)
	switch {
	case xKnown && yKnown && cx == 1:
		return cond
	case xKnown && yKnown:
		return r.not(cond)
	case xKnown && cx == 1:
		return r.emit(tile.OpOr, nil, x.Type, cond, y)
	case yKnown && cy == 0:
		return r.emit(tile.OpAnd, nil, x.Type, cond, x)
	}
	return nil
}

// selectNot is select(!c, x, y) = select(c, y, x).
func selectNot(_ *rewriter, op *tile.Op) *tile.Value {
	if in := definedBy(op.Args[0], tile.OpXor); in != nil && isConstOf(in.Args[1], 1) {
		op.Args[0], op.Args[1], op.Args[2] = in.Args[0], op.Args[2], op.Args[1]
	}
	return nil
}
