package lower

import (
	"cmp"
	"slices"

	"github.com/tegula-lang/tegula/internal/tile"
)

// Whether the elements of a tile of pointers point to different places: if the offsets are sums over the dimensions, each of its index times a stride
// that is larger than what the dimensions of smaller strides span. A stride that is not known is taken to be, as rows are not longer than what is between them.

// pointsApart reports whether that is so.
func (l *lowerer) pointsApart(ptr *tile.Value) bool {
	strides, ok := l.strides(ptr)
	if !ok {
		return false
	}
	var known []extent
	for d, s := range strides {
		if size := ptr.Type.Dim(d); size > 1 && s.ok {
			known = append(known, extent{max(s.n, -s.n), int64(size)})
		}
	}
	slices.SortFunc(known, func(a, b extent) int { return cmp.Compare(a.stride, b.stride) })
	spanned := int64(0)
	for _, e := range known {
		if e.stride <= spanned {
			return false
		}
		spanned += e.stride * (e.size - 1)
	}
	return true
}

type extent struct{ stride, size int64 }

// span gives how far the largest of a value's elements is from the smallest, if that is known.
func (l *lowerer) span(v *tile.Value) (int64, bool) {
	strides, ok := l.strides(v)
	sum := int64(0)
	for d, s := range strides {
		if size := v.Type.Dim(d); size > 1 {
			sum += max(s.n, -s.n) * int64(size-1)
			ok = ok && s.ok
		}
	}
	return sum, ok
}

// strides gives by how much numbers or pointers go up along each dimension; a number that is not known is one that is the same everywhere. If it is not the
// same everywhere there are no strides.
func (l *lowerer) strides(v *tile.Value) ([]number, bool) {
	if s, ok := l.traits.strides[v]; ok {
		return s, s != nil
	}
	l.traits.strides[v] = nil // of what a loop carries around
	s, ok := l.findStrides(v)
	if ok {
		l.traits.strides[v] = s
	}
	return s, ok
}

func (l *lowerer) findStrides(v *tile.Value) ([]number, bool) {
	none := make([]number, v.Type.Rank())
	for d := range none {
		none[d].ok = true
	}
	switch {
	case v.Type.IsScalar():
		return none, true
	case v.Op == nil:
		return l.stridesOfArgument(v)
	}
	switch op := v.Op; op.Code {
	case tile.OpConst, tile.OpSplat:
		_, same := l.axes.Of(v).Const()
		return none, op.Code == tile.OpSplat || same
	case tile.OpRange:
		return []number{{1, true}}, true
	case tile.OpHint, tile.OpBroadcast, tile.OpBitcast:
		return l.strides(op.Args[0])
	case tile.OpExtS, tile.OpExtU:
		if wrapsBefore(op) {
			return nil, false
		}
		return l.strides(op.Args[0])
	case tile.OpExpandDims:
		s, ok := l.strides(op.Args[0])
		if !ok {
			return nil, false
		}
		return slices.Insert(slices.Clone(s), op.Attr.(tile.AxisAttr).Axis, number{0, true}), true
	case tile.OpTrans:
		s, ok := l.strides(op.Args[0])
		if !ok {
			return nil, false
		}
		for d, from := range op.Attr.(tile.PermAttr).Order {
			none[d] = s[from]
		}
		return none, true
	case tile.OpAdd, tile.OpAddPtr, tile.OpSub:
		return l.stridesOfSum(op)
	case tile.OpMul, tile.OpShl:
		return l.stridesOfProduct(op)
	}
	return nil, false
}

func (l *lowerer) stridesOfSum(op *tile.Op) ([]number, bool) {
	x, known := l.strides(op.Args[0])
	y, ok := l.strides(op.Args[1])
	if !known || !ok {
		return nil, false
	}
	out := make([]number, len(x))
	for d := range out {
		n := y[d].n
		if op.Code == tile.OpSub {
			n = -n
		}
		out[d] = number{x[d].n + n, x[d].ok && y[d].ok}
	}
	return out, true
}

func (l *lowerer) stridesOfProduct(op *tile.Op) ([]number, bool) {
	for i, by := range op.Args {
		x, ok := l.strides(op.Args[1-i])
		if !ok || i == 0 && op.Code == tile.OpShl {
			continue
		}
		if s, ok := l.strides(by); !ok || slices.ContainsFunc(s, func(n number) bool { return !n.ok || n.n != 0 }) {
			continue
		}
		c, known := motion{l: l}.constant(by)
		if op.Code == tile.OpShl {
			known = known && c >= 0 && c < 31
			c = 1 << max(0, min(c, 31))
		}
		out := make([]number, len(x))
		for d, n := range x {
			out[d] = number{n.n * c, n.ok && (known || n.n == 0)}
		}
		return out, true
	}
	return nil, false
}

// stridesOfArgument is of what a loop carries: adding the same to all elements does not change it.
func (l *lowerer) stridesOfArgument(v *tile.Value) ([]number, bool) {
	loop := l.traits.loops[v.Block]
	if loop == nil || loop.Code != tile.OpFor || v.Index == 0 {
		return nil, false
	}
	for sum := v.Block.Terminator().Args[v.Index-1]; sum != v; sum = sum.Op.Args[0] {
		if sum.Op == nil || sum.Op.Code != tile.OpAdd && sum.Op.Code != tile.OpAddPtr {
			return nil, false
		}
		s, ok := l.strides(sum.Op.Args[1])
		if !ok || slices.ContainsFunc(s, func(n number) bool { return !n.ok || n.n != 0 }) {
			return nil, false
		}
	}
	return l.strides(loop.Args[v.Index+2])
}
