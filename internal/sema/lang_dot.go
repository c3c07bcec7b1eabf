package sema

import (
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/tile"
)

func matrixRows() []*Builtin {
	return []*Builtin{
		{Name: "dot", Sig: "input, other, acc=None, input_precision=None, allow_tf32=None, max_num_imprecise_acc=None, out_dtype=None", Fn: langDot},
		{Name: "dot_scaled", Sig: dotScaledSig, Fn: langDotScaled},
	}
}

// precisions are the values of input_precision.
var precisions = []named[tile.Precision]{
	{"tf32", tile.TF32}, {"tf32x3", tile.TF32x3}, {"ieee", tile.IEEE}, {"bf16x3", tile.BF16x3}, {"bf16x6", tile.BF16x6},
}

func langDot(g *gen, c *call) Value {
	x, y := c.tensor(g, 0), c.tensor(g, 1)
	g.checkDotOperands(c, x, y)
	acc := g.dotAccumulator(c, x, y)
	if x.DType == dtype.Float8E4B15 || y.DType == dtype.Float8E4B15 {
		x, y = g.cast(x, dtype.Float16, c.node), g.cast(y, dtype.Float16, c.node)
	}
	attr := tile.DotAttr{
		Precision:    dotPrecision(g, c),
		MaxImprecise: dotImprecise(g, c, x, y),
	}
	result := acc.V.Type
	if result.Rank() <= 3 {
		return Tensor{g.b.Dot(x.V, y.V, acc.V, attr), acc.DType}
	}
	flat := func(t Tensor) Tensor {
		shape, rank := t.V.Type.Shape(), t.V.Type.Rank()
		m, n := int64(shape[rank-2]), int64(shape[rank-1])
		return g.reshape(t, []int64{int64(t.V.Type.NumElems()) / (m * n), m, n}, false, c.node)
	}
	d := g.b.Dot(flat(x).V, flat(y).V, flat(acc).V, attr)
	return Tensor{g.b.Reshape(d, result, false), acc.DType}
}

// checkDotOperands checks that x and y are [..., M, K] and [..., K, N] of one type (or of two 8-bit float types).
func (g *gen) checkDotOperands(c *call, x, y Tensor) {
	a, b := x.V.Type, y.V.Type
	rank := a.Rank()
	if rank < 2 || b.Rank() != rank {
		g.fail(c.node, "shape-mismatch", "%s needs two tiles of equal rank, 2 or more, not %s and %s", c.name, x.Type(), y.Type())
	}
	for d := range rank - 2 {
		if a.Dim(d) != b.Dim(d) {
			g.fail(c.node, "shape-mismatch", "the batch dimensions of %s and %s differ: %d and %d", x.Type(), y.Type(), a.Dim(d), b.Dim(d))
		}
	}
	if a.Dim(rank-1) != b.Dim(rank-2) {
		g.fail(c.node, "shape-mismatch", "%s of %s and %s: the last dimension of the first is %d, but the one before the last of the second is %d",
			c.name, x.Type(), y.Type(), a.Dim(rank-1), b.Dim(rank-2))
	}
	if x.Type().isFP8() && y.Type().isFP8() {
		return
	}
	g.checkDType(c, x, []dtype.DType{dtype.Int8, dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64,
		dtype.Float8E4M3, dtype.Float8E5M2, dtype.Float8E4B15, dtype.Float8E4M3FZ, dtype.Float8E5M2FZ})
	if x.Type().Scalar() != y.Type().Scalar() {
		g.fail(c.node, "type-mismatch", "both operands of %s must have one type, not %s and %s", c.name, x.Type(), y.Type())
	}
}

// dotAccumulator gives acc, or zeros of the result's type.
func (g *gen) dotAccumulator(c *call, x, y Tensor) Tensor {
	acc, given := c.optTensor(g, 2)
	out := dtype.Float32
	switch {
	case optional(c.args[6]):
		out = c.dtype(g, 6).DType
	case given:
		out = acc.DType
	}
	rank := x.V.Type.Rank()
	shape := x.V.Type.WithDim(rank-1, y.V.Type.LogDim(rank-1))
	d := g.dotType(c, x, out)
	if !given {
		if shape.LogElems() > tile.MaxLogElems {
			g.fail(c.node, "tile-too-large", "the product of %s and %s has more than %d elements", x.Type(), y.Type(), maxElems)
		}
		return g.zero(Type{d, shape.WithElem(elems[d])})
	}
	if !acc.V.Type.SameShape(shape) {
		g.fail(c.at[2], "shape-mismatch", "the accumulator is %s, but the product has shape %s", acc.Type(), shapeString(shape))
	}
	if acc.Type().Scalar() != ScalarType(out) {
		g.fail(c.at[2], "type-mismatch", "the accumulator is %s, but out_dtype is %s", acc.Type(), out.Attr())
	}
	if acc.DType != d {
		g.fail(c.at[2], "type-mismatch", "the accumulator is %s, but a product of %s is accumulated in %s", acc.Type(), x.Type(), d.Attr())
	}
	return acc
}

// dotType gives the type that products of x's elements are accumulated in, if out is asked for.
func (g *gen) dotType(c *call, x Tensor, out dtype.DType) dtype.DType {
	switch x.DType {
	case dtype.Int8:
		return dtype.Int32
	case dtype.Float64:
		return dtype.Float64
	}
	if out == dtype.BFloat16 {
		g.fail(c.node, "type-mismatch", "%s cannot accumulate in bfloat16; use float32 and cast the result with .to(tl.bfloat16)", c.name)
	}
	if x.DType == dtype.Float32 || x.DType == dtype.BFloat16 {
		return dtype.Float32
	}
	if out != dtype.Float16 && out != dtype.Float32 {
		g.fail(c.node, "type-mismatch", "%s of %s accumulates in float32 or float16, not %s", c.name, x.Type(), out.Attr())
	}
	return out
}

func dotPrecision(g *gen, c *call) tile.Precision {
	asked, legacy := optional(c.args[3]), optional(c.args[4])
	switch {
	case asked && legacy:
		g.fail(c.node, "bad-argument", "give input_precision or allow_tf32, not both")
	case asked:
		return choice(g, c, 3, precisions)
	case legacy && !c.constBool(g, 4):
		return tile.IEEE
	}
	return tile.TF32
}

// dotImprecise gives the number of partial sums that may be kept in reduced precision; it
// concerns 8-bit floats only.
func dotImprecise(g *gen, c *call, x, y Tensor) int {
	if !optional(c.args[5]) || !x.Type().isFP8() || !y.Type().isFP8() {
		return 0
	}
	n := c.constInt(g, 5)
	if k := int64(x.V.Type.Dim(x.V.Type.Rank() - 1)); n < 0 || n > k {
		g.fail(c.at[5], "bad-argument", "max_num_imprecise_acc is %d; it may be 0 to K, which is %d", n, k)
	}
	return int(n)
}
