package sema

import (
	"fmt"
	"math/big"
	"math/bits"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/tile"
)

// isNumber reports whether v is a constant that can become a tensor.
func isNumber(v Value) bool {
	switch v.(type) {
	case bool, int64, *big.Int, float64:
		return true
	}
	return false
}

// Attr gives what host code may know of a tensor: its type.
func (t Tensor) Attr(name string) (Value, bool, error) {
	switch name {
	case "dtype":
		return t.Type().Scalar(), true, nil
	case "type":
		return t.Type(), true, nil
	case "shape":
		return shapeTuple(t.V.Type), true, nil
	case "numel":
		return int64(t.V.Type.NumElems()), true, nil
	}
	return nil, false, nil
}

// TypeName names a tensor in the messages of host code.
func (t Tensor) TypeName() string { return "tensor" }

// toTensor gives v as a tensor: a number becomes a scalar by the literal rules.
func (g *gen) toTensor(v Value, at syntax.Node) Tensor {
	if t, ok := v.(Tensor); ok {
		return t
	}
	d, ok := literalType(v)
	if !ok {
		if isNumber(v) {
			g.fail(at, "out-of-range", "the integer %v needs more than 64 bits", v)
		}
		g.fail(at, "type-mismatch", "%s cannot be used as a tensor", describe(v))
	}
	return g.number(v, ScalarType(d), at)
}

// number makes a constant of type t, a scalar or a tile, whose elements all are v.
func (g *gen) number(v Value, t Type, at syntax.Node) Tensor {
	bits, err := numberBits(v, t.DType)
	if err != nil {
		g.fail(at, "out-of-range", "%v", err)
	}
	return Tensor{g.b.Const(t.Tile, bits), t.DType}
}

// constant makes a constant from bits.
func (g *gen) constant(t Type, bits uint64) Tensor {
	return Tensor{g.b.Const(t.Tile, bits), t.DType}
}

// zero makes a constant of zeros; of a descriptor, one of an empty array.
func (g *gen) zero(t Type) Tensor {
	if !t.Tile.IsDesc() {
		return g.constant(t, 0)
	}
	block := Type{t.DType, t.Tile.Block()}
	zeros := func(d dtype.DType) []Tensor {
		list := make([]Tensor, block.Tile.Rank())
		for i := range list {
			list[i] = g.zero(ScalarType(d))
		}
		return list
	}
	d := Descriptor{Shape: zeros(dtype.Int32), Strides: zeros(dtype.Int64), Block: block}
	return g.makeDesc(d, g.zero(PointerTo(block.Scalar())), t.Tile.DescKind()).Handle
}

// inShape gives t's elements in the shape of like, whose own element is ignored.
func (t Type) inShape(like tile.Type) Type { return Type{t.DType, like.WithScalar(t.Tile)} }

// splat repeats a scalar to a shape; a constant becomes a constant tile.
func (g *gen) splat(x Tensor, shape tile.Type) Tensor {
	if shape.IsScalar() {
		return x
	}
	if op := x.V.Op; op != nil && op.Code == tile.OpConst {
		return Tensor{g.b.Const(shape.WithScalar(x.V.Type), op.Attr.(tile.ConstAttr).Bits), x.DType}
	}
	return Tensor{g.b.Splat(x.V, shape), x.DType}
}

// broadcastTo repeats x's dimensions of size 1 to those of shape; a scalar becomes a tile.
func (g *gen) broadcastTo(x Tensor, shape tile.Type, at syntax.Node) Tensor {
	from := x.V.Type
	switch {
	case from.SameShape(shape):
		return x
	case from.IsScalar():
		return g.splat(x, shape)
	case from.Rank() != shape.Rank():
		g.fail(at, "shape-mismatch", "cannot broadcast %s to %s: they differ in rank, %d and %d",
			shapeString(from), shapeString(shape), from.Rank(), shape.Rank())
	}
	for i := range from.Rank() {
		if from.LogDim(i) != 0 && from.LogDim(i) != shape.LogDim(i) {
			g.fail(at, "shape-mismatch", "cannot broadcast %s to %s: dimension %d is %d, which is neither %d nor 1",
				shapeString(from), shapeString(shape), i, from.Dim(i), shape.Dim(i))
		}
	}
	return Tensor{g.b.Broadcast(x.V, shape), x.DType}
}

// broadcast2 gives x and y one shape: a scalar is repeated, missing leading dimensions are 1, and dimensions
// of size 1 repeat.
func (g *gen) broadcast2(x, y Tensor, at syntax.Node) (Tensor, Tensor) {
	shape := g.commonShape(x.V.Type, y.V.Type, at)
	x = g.broadcastTo(g.padRank(x, shape.Rank()), shape, at)
	y = g.broadcastTo(g.padRank(y, shape.Rank()), shape, at)
	return x, y
}

// broadcastAll gives all tensors one shape.
func (g *gen) broadcastAll(ts []Tensor, at syntax.Node) []Tensor {
	var shape tile.Type
	for i, t := range ts {
		if i == 0 {
			shape = t.V.Type
			continue
		}
		shape = g.commonShape(shape, t.V.Type, at)
	}
	out := make([]Tensor, len(ts))
	for i, t := range ts {
		out[i] = g.broadcastTo(g.padRank(t, shape.Rank()), shape, at)
	}
	return out
}

// padRank gives a tile leading dimensions of size 1; a scalar stays one.
func (g *gen) padRank(x Tensor, rank int) Tensor {
	for x.V.Type.IsTile() && x.V.Type.Rank() < rank {
		x.V = g.b.ExpandDims(x.V, 0)
	}
	return x
}

// commonShape gives the shape that x and y broadcast to; its element is x's.
func (g *gen) commonShape(x, y tile.Type, at syntax.Node) tile.Type {
	a, b := x, y
	for a.Rank() < b.Rank() {
		a = a.InsertDim(0)
	}
	for b.Rank() < a.Rank() {
		b = b.InsertDim(0)
	}
	shape := a
	for i := range a.Rank() {
		switch m, n := a.LogDim(i), b.LogDim(i); {
		case m == 0:
			shape = shape.WithDim(i, n)
		case n != 0 && m != n:
			g.fail(at, "shape-mismatch", "shapes %s and %s do not match: dimension %d is %d in one and %d in the other",
				shapeString(x), shapeString(y), i, a.Dim(i), b.Dim(i))
		}
	}
	if shape.LogElems() > tile.MaxLogElems {
		g.fail(at, "tile-too-large", "%s and %s broadcast to %s, which has %d elements; a tile may have %d",
			shapeString(x), shapeString(y), shapeString(shape), shape.NumElems(), 1<<tile.MaxLogElems)
	}
	return shape
}

// truth gives the scalar int1 that an if or while tests.
func (g *gen) truth(x Tensor, at syntax.Node) *tile.Value {
	if x.V.Type.IsTile() {
		g.fail(at, "not-scalar", "a condition must be a scalar, not %s; tl.where(condition, x, y) chooses for each element, and "+
			"(condition).max() is true if any element is", x.Type())
	}
	return g.cast(x, dtype.Int1, at).V
}

// typeWithShape gives t in the shape that a Value lists, or fails.
func (g *gen) typeWithShape(t Type, dims []int64, at syntax.Node) Type {
	shape := make([]int, len(dims))
	total := int64(1)
	for i, n := range dims {
		if n <= 0 || n&(n-1) != 0 {
			g.fail(at, "not-power-of-two", "dimension %d of shape %s is %d; a tile's dimensions must be powers of two%s", i, dimsString(dims), n, nextPowerHint(n))
		}
		if n > 1<<tile.MaxLogElems || total > 1<<tile.MaxLogElems/n {
			g.fail(at, "tile-too-large", "a tile of shape %s has more than %d elements", dimsString(dims), 1<<tile.MaxLogElems)
		}
		total *= n
		shape[i] = int(n)
	}
	tt, ok := t.Tile.WithShape(shape...)
	if !ok {
		g.fail(at, "bad-shape", "%s is no shape of a tile: it has more than %d dimensions", dimsString(dims), tile.MaxRank)
	}
	return Type{t.DType, tt}
}

// nextPowerHint suggests what to write instead of a size that is no power of two.
func nextPowerHint(n int64) string {
	if n <= 0 || n > maxElems {
		return ""
	}
	return fmt.Sprintf(" (%d with a mask would hold it)", int64(1)<<bits.Len64(uint64(n)))
}

// shapeTuple gives a shape as a constant tuple.
func shapeTuple(t tile.Type) pyval.Tuple {
	elems := make([]Value, t.Rank())
	for i := range elems {
		elems[i] = int64(t.Dim(i))
	}
	return pyval.Tuple{Elems: elems}
}
