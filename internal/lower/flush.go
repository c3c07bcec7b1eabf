package lower

import "github.com/tegula-lang/tegula/internal/tile"

// onlyAddedUp reports whether the elements of a value are only terms of sums and of products' sums: there subnormal numbers are as good as 0.
// On the way a number may be added to, multiplied, divided, chosen, rounded and moved. Whoever compares it, or takes its logarithm, would
// see the difference; and f64 has room for what is subnormal in f32.
func (t *traits) onlyAddedUp(v *tile.Value) bool {
	if known, ok := t.terms[v]; ok {
		return known
	}
	only := v.Type.Elem() != tile.F64
	for _, u := range t.users[v.ID] {
		only = only && t.addsUp(u, v)
	}
	t.terms[v] = only
	return only
}

// addsUp reports whether an operation adds up an operand's elements, or does what keeps them terms for others that do.
func (t *traits) addsUp(op *tile.Op, v *tile.Value) bool {
	switch {
	case op.Code == tile.OpDot:
		return true
	case op.Code == tile.OpReduce:
		return adds(op.Regions[0])
	case !keepsTerms(op, v):
		return false
	}
	for _, r := range op.Results {
		if !t.onlyAddedUp(r) {
			return false
		}
	}
	return true
}

// keepsTerms reports whether an operation's results differ by nothing that matters to a sum where an operand's subnormal elements are 0.
func keepsTerms(op *tile.Op, v *tile.Value) bool {
	switch op.Code {
	case tile.OpFAdd, tile.OpFSub, tile.OpFMul, tile.OpFMA, tile.OpFNeg, tile.OpFTrunc, tile.OpFExt, tile.OpJoin, tile.OpCat:
		return true
	case tile.OpFDiv, tile.OpFDivRN:
		return op.Args[1] != v
	case tile.OpSelect:
		return op.Args[0] != v
	}
	return moves(op.Code)
}

// adds reports whether a reduction's region adds floats.
func adds(b *tile.Block) bool {
	return len(b.Ops) == 2 && b.Ops[0].Code == tile.OpFAdd && b.Ops[1].Code == tile.OpYield
}
