package pass

import "github.com/tegula-lang/tegula/internal/tile"

// sumsOfDots lets a product be added to a sum on the way: dot(x, y, 0) + acc is dot(x, y, acc), if both are in one block and nobody else needs the product. Matrix
// instructions add for nothing; one rounding less is done. It concerns sums in the precision in which products are added up: 8-bit floats that
// are to be added up in less are left alone.
func sumsOfDots(f *tile.Func) {
	uses := map[*tile.Value]int{}
	dots := false
	f.Body.Walk(func(op *tile.Op) {
		dots = dots || op.Code == tile.OpDot
		for _, a := range op.Args {
			uses[a]++
		}
	})
	if !dots {
		return
	}
	sumsOfDotsIn(f.Body, uses)
}

// sumsOfDotsIn does it in a block and those inside. Product and sum are of one block: a product in front of a loop would be computed in each iteration.
func sumsOfDotsIn(b *tile.Block, uses map[*tile.Value]int) {
	here := map[*tile.Op]bool{} // products so far
	for _, op := range b.Ops {
		for _, r := range op.Regions {
			sumsOfDotsIn(r, uses)
		}
		switch op.Code {
		case tile.OpDot:
			here[op] = true
		case tile.OpFAdd, tile.OpAdd:
			addToDot(op, here, uses)
		}
	}
}

// addToDot makes a sum the product that is one of its terms, added to the other.
func addToDot(sum *tile.Op, here map[*tile.Op]bool, uses map[*tile.Value]int) {
	for i, v := range sum.Args {
		if here[v.Op] && isPlainDot(v, uses) {
			dot := v.Op
			sum.Code, sum.Attr, sum.Args = tile.OpDot, dot.Attr, []*tile.Value{dot.Args[0], dot.Args[1], sum.Args[1-i]}
			uses[v] = 0
			here[sum] = true
			return
		}
	}
}

// isPlainDot reports whether a value is a product that is added to nothing, in full precision, and needed once.
func isPlainDot(v *tile.Value, uses map[*tile.Value]int) bool {
	if uses[v] != 1 || v.Op.Attr.(tile.DotAttr).MaxImprecise > 0 {
		return false
	}
	switch v.Type.Elem() {
	case tile.F32, tile.F64, tile.I32:
		bits, ok := constBits(v.Op.Args[2])
		return ok && bits == 0
	}
	return false
}
