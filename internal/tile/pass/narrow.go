package pass

import "github.com/tegula-lang/tegula/internal/tile"

// narrow does an elementwise operation on fewer elements, in front of what repeats them:
//
//	f(splat x, splat y)     = splat f(x, y)
//	f(broadcast x, splat y) = broadcast f(x, splat y)
//
// where all broadcast operands come from one shape. Constants count as splats.
func (r *rewriter) narrow(op *tile.Op) *tile.Value {
	from, ok := narrowShape(op)
	if !ok {
		return nil
	}
	args := make([]*tile.Value, len(op.Args))
	for i, a := range op.Args {
		if b := definedBy(a, tile.OpBroadcast); b != nil {
			args[i] = b.Args[0]
		} else if args[i] = a; a.Type.IsTile() {
			args[i] = r.uniform(a, from)
		}
	}
	t := op.Results[0].Type
	v := r.emit(op.Code, op.Attr, from.WithScalar(t), args...)
	if from.IsScalar() {
		return r.emit(tile.OpSplat, nil, t, v)
	}
	return r.emit(tile.OpBroadcast, nil, t, v)
}

// narrowShape gives a type with the shape that op's operands are repeated from: a scalar
// if all are uniform. It reports false if there is no such shape.
func narrowShape(op *tile.Op) (from tile.Type, ok bool) {
	for _, a := range op.Args {
		b := definedBy(a, tile.OpBroadcast)
		switch {
		case b == nil && a.Type.IsTile() && !isUniform(a):
			return from, false
		case b == nil:
			continue
		case from.IsTile() && !from.SameShape(b.Args[0].Type):
			return from, false
		}
		from = b.Args[0].Type
	}
	return from, true
}
