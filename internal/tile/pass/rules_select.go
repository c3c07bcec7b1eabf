package pass

import "github.com/tegula-lang/tegula/internal/tile"

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
		op.Args = []*tile.Value{s.Args[0], x, y}
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
		op.Args = []*tile.Value{in.Args[0], op.Args[2], op.Args[1]}
	}
	return nil
}
