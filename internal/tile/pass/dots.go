package pass

import "github.com/tegula-lang/tegula/internal/tile"

// sumsOfDots lets a product be added to a sum on the way: dot(x, y, 0) + acc is dot(x, y, acc), if nobody else needs the product. Matrix
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
	f.Body.Walk(func(op *tile.Op) {
		if op.Code != tile.OpFAdd && op.Code != tile.OpAdd {
			return
		}
		for i, v := range op.Args {
			if isPlainDot(v, uses) {
				dot := v.Op
				op.Code, op.Attr, op.Args = tile.OpDot, dot.Attr, []*tile.Value{dot.Args[0], dot.Args[1], op.Args[1-i]}
				uses[v] = 0
				return
			}
		}
	})
}

// isPlainDot reports whether a value is a product that is added to nothing, in full precision, and needed once.
func isPlainDot(v *tile.Value, uses map[*tile.Value]int) bool {
	if v.Op == nil || v.Op.Code != tile.OpDot || uses[v] != 1 || v.Op.Attr.(tile.DotAttr).MaxImprecise > 0 {
		return false
	}
	switch v.Type.Elem() {
	case tile.F32, tile.F64, tile.I32:
		bits, ok := constBits(v.Op.Args[2])
		return ok && bits == 0
	}
	return false
}
