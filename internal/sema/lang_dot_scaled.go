package sema

import (
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/tile"
)

const dotScaledSig = "lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=None, fast_math=False, lhs_k_pack=True, " +
	"rhs_k_pack=True, out_dtype=None"

// The arguments of dot_scaled.
const (
	scaledLHS = iota
	scaledLHSScale
	scaledLHSFormat
	scaledRHS
	scaledRHSScale
	scaledRHSFormat
	scaledAcc
	scaledFastMath
	scaledLHSPack
	scaledRHSPack
	scaledOut
)

// A scaledFormat is a number format of dot_scaled: the type that holds it and the integer that
// may, too. Of e2m1 a byte holds two.
type scaledFormat struct {
	format  tile.ScaledFormat
	float   dtype.DType
	integer dtype.DType
}

var scaledFormats = []named[scaledFormat]{
	{"e2m1", scaledFormat{tile.E2M1, dtype.Uint8, dtype.Uint8}},
	{"e4m3", scaledFormat{tile.E4M3, dtype.Float8E4M3, dtype.Uint8}},
	{"e5m2", scaledFormat{tile.E5M2, dtype.Float8E5M2, dtype.Uint8}},
	{"bf16", scaledFormat{tile.ScaledBF16, dtype.BFloat16, dtype.Uint16}},
	{"fp16", scaledFormat{tile.ScaledF16, dtype.Float16, dtype.Uint16}},
}

func langDotScaled(g *gen, c *call) Value {
	lhs := scaledFormatArg(g, c, scaledLHSFormat)
	rhs := scaledFormatArg(g, c, scaledRHSFormat)
	x, y := g.scaledOperand(c, scaledLHS, lhs), g.scaledOperand(c, scaledRHS, rhs)
	attr := tile.DotScaledAttr{
		A: lhs.format, B: rhs.format, FastMath: c.constBool(g, scaledFastMath),
		PackM: g.packsOutside(c, scaledLHSPack, lhs), PackN: g.packsOutside(c, scaledRHSPack, rhs),
	}
	m, n, k := g.scaledSizes(c, x, y, attr)
	acc := g.scaledAccumulator(c, x, m, n)
	var scales []*tile.Value
	attr.ScaleA = g.addScale(c, scaledLHSScale, x, m, k, &scales)
	attr.ScaleB = g.addScale(c, scaledRHSScale, y, n, k, &scales)
	return Tensor{g.b.DotScaled(x.V, y.V, acc.V, scales, attr), acc.DType}
}

func scaledFormatArg(g *gen, c *call, i int) scaledFormat { return choice(g, c, i, scaledFormats) }

// scaledOperand gives argument i in its format; integers are taken for the bits of it.
func (g *gen) scaledOperand(c *call, i int, f scaledFormat) Tensor {
	x := c.tensor(g, i)
	if r := x.V.Type.Rank(); r != 2 && r != 3 {
		g.fail(c.at[i], "shape-mismatch", "%s must be a matrix or a batch of matrices, not %s", c.param(i), x.Type())
	}
	switch {
	case x.Type().IsPtr() || x.DType != f.float && x.DType != f.integer:
		g.fail(c.at[i], "type-mismatch", "%s is %s, but its format is held in %s or %s", c.param(i), x.Type(), f.float.Attr(), f.integer.Attr())
	case x.DType != f.float:
		return g.bitcast(x, ScalarType(f.float), c.at[i])
	}
	return x
}

// packsOutside reports whether the pairs of an operand's e2m1 lie along M or N instead of K.
func (g *gen) packsOutside(c *call, i int, f scaledFormat) bool {
	if c.constBool(g, i) {
		return false
	}
	if f.format != tile.E2M1 {
		g.fail(c.at[i], "bad-argument", "%s: only e2m1 can be packed along another dimension than K", c.param(i))
	}
	return true
}

// scaledSizes gives the sizes of the product as logarithms, pairs counted as two.
func (g *gen) scaledSizes(c *call, x, y Tensor, attr tile.DotScaledAttr) (m, n, k int) {
	a, b := x.V.Type, y.V.Type
	if a.Rank() != b.Rank() || a.Rank() == 3 && a.LogDim(0) != b.LogDim(0) {
		g.fail(c.node, "shape-mismatch", "the operands of %s are two matrices, or batches of equally many, not %s and %s", c.name, x.Type(), y.Type())
	}
	m, k = tile.ScaledShape(a, attr.A, attr.PackM)
	kOther, n := tile.ScaledShape(b, attr.B, !attr.PackN)
	if k != kOther {
		g.fail(c.node, "shape-mismatch", "%s of %s and %s: the first has %d elements along K, the second %d", c.name, x.Type(), y.Type(), 1<<k, 1<<kOther)
	}
	if batch := a.LogElems() - a.LogDim(a.Rank()-1) - a.LogDim(a.Rank()-2); batch+m+n > tile.MaxLogElems || batch+m+k > tile.MaxLogElems || batch+k+n > tile.MaxLogElems {
		g.fail(c.node, "tile-too-large", "%s of %s and %s has a tile of more than %d elements", c.name, x.Type(), y.Type(), maxElems)
	}
	return m, n, k
}

// scaledAccumulator gives acc, or zeros. Without out_dtype it is float32.
func (g *gen) scaledAccumulator(c *call, x Tensor, m, n int) Tensor {
	out := ScalarType(dtype.Float32)
	if optional(c.args[scaledOut]) {
		out = c.dtype(g, scaledOut)
	}
	if out.IsPtr() || out.DType != dtype.Float32 && out.DType != dtype.Float16 && out.DType != dtype.BFloat16 {
		g.fail(c.at[scaledOut], "type-mismatch", "%s accumulates in float32, float16 or bfloat16, not %s", c.name, out)
	}
	r := x.V.Type.Rank()
	shape := x.V.Type.WithDim(r-2, m).WithDim(r-1, n)
	acc, given := c.optTensor(g, scaledAcc)
	switch {
	case !given:
		return g.zero(out.inShape(shape))
	case !acc.V.Type.SameShape(shape):
		g.fail(c.at[scaledAcc], "shape-mismatch", "the accumulator is %s, but the product has shape %s", acc.Type(), shapeString(shape))
	case acc.Type().Scalar() != out:
		g.fail(c.at[scaledAcc], "type-mismatch", "the accumulator is %s, but out_dtype is %s", acc.Type(), out)
	}
	return acc
}

// addScale adds argument i, if there is a scale: one for 16 or 32 elements along k of each of rows.
func (g *gen) addScale(c *call, i int, x Tensor, rows, k int, scales *[]*tile.Value) bool {
	s, ok := c.optTensor(g, i)
	if !ok {
		return false
	}
	if s.Type().IsPtr() || s.DType != dtype.Uint8 && s.DType != dtype.Int8 && s.DType != dtype.Float8E4M3 {
		g.fail(c.at[i], "type-mismatch", "%s is %s; scales are uint8 (exponents) or float8e4nv", c.param(i), s.Type())
	}
	r := x.V.Type.Rank()
	t := s.V.Type
	fits := t.Rank() == r && t.LogDim(r-2) == rows && (r == 2 || t.LogDim(0) == x.V.Type.LogDim(0))
	if !fits || k-t.LogDim(r-1) != 4 && k-t.LogDim(r-1) != 5 {
		want := []int64{1 << rows, 1 << max(k-5, 0)}
		g.fail(c.at[i], "shape-mismatch", "%s is %s; it must have the shape %s, or twice as many columns for groups of 16", c.param(i), s.Type(), dimsString(want))
	}
	*scales = append(*scales, s.V)
	return true
}
