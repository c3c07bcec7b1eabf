package sema

import (
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/tile"
)

func reduceRows() []*Builtin {
	return []*Builtin{
		{Name: "reduce", Sig: "input, axis, combine_fn, keep_dims=False", Method: true, Fn: langReduce},
		{Name: "associative_scan", Sig: "input, axis, combine_fn, reverse=False", Method: true, Fn: langScan},
		{Name: "map_elementwise", Sig: "scalar_fn, *args, pack=1", Fn: langMap},
		{Name: "histogram", Sig: "input, num_bins, mask=None", Method: true, Fn: langHistogram},
	}
}

func langReduce(g *gen, c *call) Value {
	in, tuple := g.tileArgs(c)
	keep := c.constBool(g, 3)
	axis, all := 0, !optional(c.args[1])
	rank := in[0].V.Type.Rank()
	if !all {
		axis = g.tileAxis(c, in[0])
	}
	body := g.combineRegion(c, in)
	if all {
		for i, t := range in {
			in[i] = g.flatten(t, tile.Commutes(body), c.node)
		}
	}
	out := g.reduceOp(in, axis, body)
	if keep {
		for i := range out {
			if !all {
				out[i] = g.expandDims(out[i], axis, c.node)
				continue
			}
			for range rank {
				out[i] = g.expandDims(out[i], 0, c.node)
			}
		}
	}
	return results(out, tuple)
}

// tileAxis gives argument 1 of a reduction or scan of x: one of its axes.
func (g *gen) tileAxis(c *call, x Tensor) int {
	rank := x.V.Type.Rank()
	if rank == 0 && x.Type().IsPtr() {
		g.fail(c.at[0], "bad-axis", "%s is a single pointer; tl.load the tile that it points to first", x.Type())
	}
	if rank == 0 {
		g.fail(c.at[0], "bad-axis", "%s is a scalar, which has no axes", x.Type())
	}
	return c.axis(g, 1, rank)
}

// reduceOp makes the reduction of tiles along a dimension.
func (g *gen) reduceOp(in []Tensor, axis int, body *tile.Block) []Tensor {
	types := make([]tile.Type, len(in))
	for i, t := range in {
		types[i] = t.V.Type.DropDim(axis)
	}
	op := g.b.OpWithRegions(tile.OpReduce, tile.AxisAttr{Axis: axis}, handles(in), []*tile.Block{body}, types...)
	return tensorsLike(op, in)
}

func langScan(g *gen, c *call) Value {
	in, tuple := g.tileArgs(c)
	attr := tile.ScanAttr{Axis: g.tileAxis(c, in[0]), Reverse: c.constBool(g, 3)}
	types := make([]tile.Type, len(in))
	for i, t := range in {
		types[i] = t.V.Type
	}
	body := g.combineRegion(c, in)
	op := g.b.OpWithRegions(tile.OpScan, attr, handles(in), []*tile.Block{body}, types...)
	return results(tensorsLike(op, in), tuple)
}

// tileArgs gives argument 0 of a reduction or scan: a tile, or a tuple of tiles of one shape.
func (g *gen) tileArgs(c *call) (in []Tensor, tuple bool) {
	elems, tuple := elementsOf(c.args[0])
	if !tuple {
		return []Tensor{c.tensor(g, 0)}, false
	}
	if len(elems) == 0 {
		g.fail(c.at[0], "bad-argument", "%s is an empty tuple", c.param(0))
	}
	for _, e := range elems {
		t := g.toTensor(e, c.at[0])
		if len(in) > 0 && !t.V.Type.SameShape(in[0].V.Type) {
			g.fail(c.at[0], "shape-mismatch", "the tiles of %s have different shapes, %s and %s", c.param(0), in[0].Type(), t.Type())
		}
		in = append(in, t)
	}
	return in, true
}

// flatten gives x as one dimension, with its elements in any order if reorder is set.
func (g *gen) flatten(x Tensor, reorder bool, at syntax.Node) Tensor {
	return g.reshape(x, []int64{int64(x.V.Type.NumElems())}, reorder, at)
}

// combineRegion builds the region of a reduction or scan: it calls argument 2 with two groups of scalars.
func (g *gen) combineRegion(c *call, in []Tensor) *tile.Block {
	types := make([]Type, 2*len(in))
	for i := range types {
		types[i] = in[i%len(in)].Type().Scalar()
	}
	return g.region(c.node, types, func(args []Value) []Tensor {
		out := g.calledResults(c.args[2], args, c.node)
		if len(out) != len(in) {
			g.fail(c.at[2], "combine-function", "the combine function gives %d values, but must give %d", len(out), len(in))
		}
		for i, t := range out {
			if t.Type() != types[i] {
				g.fail(c.at[2], "combine-function", "the combine function gives %s as value %d, but combines %s", t.Type(), i, types[i])
			}
		}
		return out
	})
}

// calledResults calls a function and gives its result or results as tensors.
func (g *gen) calledResults(fn Value, args []Value, at syntax.Node) []Tensor {
	v := g.callFunc(fn, args, nil, at)
	elems, ok := elementsOf(v)
	if !ok {
		elems = []Value{v}
	}
	out := make([]Tensor, len(elems))
	for i, e := range elems {
		out[i] = g.toTensor(e, at)
	}
	return out
}

// tensorsLike gives an operation's results with the element types of its operands.
func tensorsLike(op *tile.Op, in []Tensor) []Tensor {
	out := make([]Tensor, len(op.Results))
	for i, v := range op.Results {
		out[i] = Tensor{v, in[i].DType}
	}
	return out
}

// results gives one tensor, or a tuple.
func results(ts []Tensor, tuple bool) Value {
	if !tuple {
		return ts[0]
	}
	elems := make([]Value, len(ts))
	for i, t := range ts {
		elems[i] = t
	}
	return pyval.Tuple{Elems: elems}
}

func langHistogram(g *gen, c *call) Value {
	x := c.tensor(g, 0)
	if x.V.Type.Rank() != 1 || !x.Type().isInt() || x.DType.Bits() != 32 {
		g.fail(c.at[0], "type-mismatch", "histogram needs one dimension of 32-bit integers, not %s", x.Type())
	}
	t := g.typeWithShape(ScalarType(dtype.Int32), []int64{c.constInt(g, 1)}, c.at[1])
	args := []Tensor{x}
	if mask, ok := c.optTensor(g, 2); ok {
		g.checkMask(mask, c.at[2])
		args = append(args, g.broadcastTo(mask, x.V.Type, c.at[2]))
	}
	return Tensor{g.b.Op(tile.OpHistogram, nil, handles(args), t.Tile).Result(), dtype.Int32}
}
