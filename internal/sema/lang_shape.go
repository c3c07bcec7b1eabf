package sema

import (
	"math"
	"slices"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/tile"
)

// maxElems is the largest number of elements of a tile.
const maxElems = 1 << tile.MaxLogElems

func shapeRows() []*Builtin {
	return []*Builtin{
		{Name: "arange", Sig: "start, end", Fn: langArange},
		{Name: "full", Sig: "shape, value, dtype", Fn: langFull},
		{Name: "to_tensor", Sig: "x", Fn: func(g *gen, c *call) Value { return c.tensor(g, 0) }},
		{Name: "broadcast", Sig: "input, other", Fn: langBroadcast},
		{Name: "broadcast_to", Sig: "input, *shape", Method: true, Fn: langBroadcastTo},
		{Name: "expand_dims", Sig: "input, axis", Method: true, Fn: langExpandDims},
		{Name: "reshape", Sig: "input, *shape, can_reorder=False", Method: true, Fn: langReshape},
		{Name: "view", Sig: "input, *shape", Method: true, Fn: langView},
		{Name: "item", Sig: "input", Method: true, Fn: langItem},
		{Name: "trans", Sig: "input, *dims", Method: true, Fn: langTrans},
		{Name: "permute", Sig: "input, *dims", Method: true, Fn: langPermute},
		{Name: "join", Sig: "a, b", Fn: langJoin},
		{Name: "split", Sig: "a", Method: true, Fn: langSplit},
		{Name: "cat", Sig: "input, other, can_reorder=False, dim=0", Fn: langCat},
		{Name: "gather", Sig: "src, index, axis", Method: true, Fn: langGather},
		{Name: "slice", Sig: "start, stop, step", Fn: langSlice},
	}
}

func langArange(g *gen, c *call) Value {
	start, end := c.constInt(g, 0), c.constInt(g, 1)
	if start < 0 || start > math.MaxInt32 || end < 0 || end > math.MaxInt32 {
		g.fail(c.node, "out-of-range", "arange(%d, %d) must lie within 0 and 2147483647", start, end)
	}
	n := end - start
	if n <= 0 {
		g.fail(c.node, "bad-range", "arange(%d, %d) is empty; the end must be greater than the start", start, end)
	}
	t := g.typeWithShape(ScalarType(dtype.Int32), []int64{n}, c.node)
	return Tensor{g.b.Op(tile.OpRange, tile.RangeAttr{Start: start, End: end}, nil, t.Tile).Result(), dtype.Int32}
}

func langFull(g *gen, c *call) Value {
	t := g.typeWithShape(c.dtype(g, 2), c.ints(g, 0), c.at[0])
	if isNumber(c.args[1]) && !t.IsPtr() {
		bits, err := filledBits(c.args[1], t.DType)
		if err != nil {
			g.fail(c.at[1], "out-of-range", "%v", err)
		}
		return g.constant(t, bits)
	}
	x := g.toScalar(c.tensor(g, 1), c.at[1])
	return g.splat(g.castType(x, t, c.at[1]), t.Tile)
}

func langBroadcast(g *gen, c *call) Value {
	x, y := g.broadcast2(c.tensor(g, 0), c.tensor(g, 1), c.node)
	return pyval.Tuple{Elems: []Value{x, y}}
}

func langBroadcastTo(g *gen, c *call) Value {
	x := c.tensor(g, 0)
	return g.broadcastTo(x, g.typeWithShape(x.Type(), c.varInts(g, 1), c.node).Tile, c.node)
}

func langExpandDims(g *gen, c *call) Value {
	x := c.tensor(g, 0)
	axes := c.ints(g, 1)
	rank := x.V.Type.Rank() + len(axes)
	at := make([]int, len(axes))
	for i, a := range axes {
		at[i] = c.asAxis(g, 1, a, rank)
	}
	slices.Sort(at)
	for i, a := range at {
		if i > 0 && at[i-1] == a {
			g.fail(c.at[1], "bad-axis", "axis %d is given twice", a)
		}
		x = g.expandDims(x, a, c.node)
	}
	return x
}

func langReshape(g *gen, c *call) Value {
	return g.reshape(c.tensor(g, 0), c.varInts(g, 1), c.constBool(g, 2), c.node)
}

func langView(g *gen, c *call) Value {
	return g.reshape(c.tensor(g, 0), c.varInts(g, 1), true, c.node)
}

// reshape gives x's elements another shape; the empty shape makes a scalar of a single element.
func (g *gen) reshape(x Tensor, dims []int64, canReorder bool, at syntax.Node) Tensor {
	if len(dims) == 0 {
		return g.toScalar(x, at)
	}
	t := g.typeWithShape(x.Type(), dims, at)
	if t.Tile.NumElems() != x.V.Type.NumElems() {
		g.fail(at, "shape-mismatch", "cannot reshape %s to %s: %d elements are not %d",
			shapeString(x.V.Type), shapeString(t.Tile), x.V.Type.NumElems(), t.Tile.NumElems())
	}
	switch {
	case x.V.Type.IsScalar():
		return g.splat(x, t.Tile)
	case x.V.Type.SameShape(t.Tile):
		return x
	}
	return Tensor{g.b.Reshape(x.V, t.Tile, canReorder), x.DType}
}

func langItem(g *gen, c *call) Value { return g.toScalar(c.tensor(g, 0), c.node) }

// toScalar gives the only element of a tile.
func (g *gen) toScalar(x Tensor, at syntax.Node) Tensor {
	if x.V.Type.IsScalar() {
		return x
	}
	if x.V.Type.NumElems() != 1 {
		g.fail(at, "not-scalar", "%s has %d elements; only one could become a scalar", x.Type(), x.V.Type.NumElems())
	}
	flat := g.reshape(x, []int64{1}, false, at)
	// A reduction of a single element combines nothing: its region only has to be well formed.
	body := g.region(at, []Type{x.Type().Scalar(), x.Type().Scalar()}, func(args []Value) []Tensor {
		return []Tensor{args[0].(Tensor)}
	})
	return g.reduceOp([]Tensor{flat}, 0, body)[0]
}

func langTrans(g *gen, c *call) Value {
	x := c.tensor(g, 0)
	if dims := c.varInts(g, 1); len(dims) > 0 {
		return g.permute(c, x, dims)
	}
	return g.transpose(x, c.node)
}

func langPermute(g *gen, c *call) Value { return g.permute(c, c.tensor(g, 0), c.varInts(g, 1)) }

// transpose swaps the last two dimensions.
func (g *gen) transpose(x Tensor, at syntax.Node) Tensor {
	rank := x.V.Type.Rank()
	if rank < 2 {
		g.fail(at, "bad-shape", "%s has fewer than two dimensions to swap", x.Type())
	}
	order := make([]int, rank)
	for i := range order {
		order[i] = i
	}
	order[rank-2], order[rank-1] = rank-1, rank-2
	return Tensor{g.b.Trans(x.V, order), x.DType}
}

func (g *gen) permute(c *call, x Tensor, dims []int64) Tensor {
	rank := x.V.Type.Rank()
	if len(dims) != rank {
		g.fail(c.node, "bad-axis", "%s needs one entry for each of the %d dimensions of %s, not %d", c.name, rank, x.Type(), len(dims))
	}
	order := make([]int, rank)
	seen := make([]bool, rank)
	for i, d := range dims {
		if d < 0 || d >= int64(rank) || seen[d] {
			g.fail(c.node, "bad-axis", "%s is no permutation of 0 to %d", dimsString(dims), rank-1)
		}
		seen[d] = true
		order[i] = int(d)
	}
	if rank == 0 {
		return x
	}
	return Tensor{g.b.Trans(x.V, order), x.DType}
}

func langJoin(g *gen, c *call) Value { return g.joinTiles(c.tensor(g, 0), c.tensor(g, 1), c.node) }

// joinTiles puts x and y side by side in a new last dimension of 2.
func (g *gen) joinTiles(x, y Tensor, at syntax.Node) Tensor {
	if x.Type().Scalar() != y.Type().Scalar() {
		g.fail(at, "type-mismatch", "cannot join %s and %s: their element types differ", x.Type(), y.Type())
	}
	x, y = g.broadcast2(x, y, at)
	if t := x.V.Type; t.LogElems() == tile.MaxLogElems || t.Rank() == tile.MaxRank {
		g.fail(at, "tile-too-large", "joining two %s would exceed %d elements or %d dimensions", x.Type(), maxElems, tile.MaxRank)
	}
	if !x.V.Type.IsScalar() {
		return Tensor{g.b.Join(x.V, y.V), x.DType}
	}
	x, y = g.expandDims(x, 0, at), g.expandDims(y, 0, at)
	return g.reshape(Tensor{g.b.Join(x.V, y.V), x.DType}, []int64{2}, false, at)
}

func langSplit(g *gen, c *call) Value {
	x := c.tensor(g, 0)
	rank := x.V.Type.Rank()
	if rank == 0 || x.V.Type.Dim(rank-1) != 2 {
		g.fail(c.node, "shape-mismatch", "split needs a last dimension of 2, not %s", x.Type())
	}
	scalars := rank == 1
	if scalars {
		x = g.expandDims(x, 0, c.node)
	}
	l, r := g.b.Split(x.V)
	left, right := Tensor{l, x.DType}, Tensor{r, x.DType}
	if scalars {
		left, right = g.toScalar(left, c.node), g.toScalar(right, c.node)
	}
	return pyval.Tuple{Elems: []Value{left, right}}
}

// langCat ignores can_reorder: an order that is kept is one of those that it allows.
func langCat(g *gen, c *call) Value {
	x, y := c.tensor(g, 0), c.tensor(g, 1)
	c.constBool(g, 2)
	if x.Type() != y.Type() {
		g.fail(c.node, "shape-mismatch", "cat needs two tiles of one type and shape, not %s and %s", x.Type(), y.Type())
	}
	axis := c.axis(g, 3, x.V.Type.Rank())
	if x.V.Type.LogElems() == tile.MaxLogElems {
		g.fail(c.node, "tile-too-large", "two %s together have more than %d elements", x.Type(), maxElems)
	}
	return Tensor{g.b.Cat(x.V, y.V, axis), x.DType}
}

func langGather(g *gen, c *call) Value {
	src, index := c.tensor(g, 0), c.tensor(g, 1)
	s, i := src.V.Type, index.V.Type
	if !index.Type().isInt() {
		g.fail(c.at[1], "type-mismatch", "the index must be a tile of integers, not %s", index.Type())
	}
	if s.Rank() != i.Rank() || s.Rank() == 0 {
		g.fail(c.node, "shape-mismatch", "the source %s and the index %s must be tiles of equal rank", src.Type(), index.Type())
	}
	axis := c.axis(g, 2, s.Rank())
	for d := range s.Rank() {
		if d != axis && s.Dim(d) != i.Dim(d) {
			g.fail(c.node, "shape-mismatch", "the source %s and the index %s differ in dimension %d, which is not the axis %d",
				src.Type(), index.Type(), d, axis)
		}
	}
	return Tensor{g.b.Gather(src.V, index.V, axis), src.DType}
}

func langSlice(g *gen, c *call) Value {
	for _, v := range c.args {
		if optional(v) {
			g.fail(c.node, "bad-index", "a tile has no slices but ':'")
		}
	}
	return FullSlice{}
}
