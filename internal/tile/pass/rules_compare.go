package pass

import "github.com/tegula-lang/tegula/internal/tile"

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
		swapOperands(op)
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
