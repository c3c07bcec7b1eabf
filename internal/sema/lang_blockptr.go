package sema

import (
	"math"
	"slices"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A BlockPtr is what make_block_ptr gives: a window of fixed shape on an array in memory. It is made of
// scalars and is taken apart where it is used, so the tile IR does not know it.
type BlockPtr struct {
	Base    Tensor   // a scalar pointer
	Shape   []Tensor // int64, of the array
	Strides []Tensor // int64, in elements
	Offsets []Tensor // int32, of the window's first element
	Block   Type     // the window: what a load of it gives
}

// attr gives the attributes that tensors of pointers have too.
func (p BlockPtr) attr(name string) (Value, bool) {
	switch name {
	case "advance", "store":
		fn, _ := methodNamed(name)
		return &Method{Self: p, Fn: fn}, true
	case "dtype", "type":
		return blockPtrType{p.Block}, true
	case "shape":
		return shapeTuple(p.Block.Tile), true
	}
	return nil, false
}

// A blockPtrType is the type of a block pointer: its element is the window.
type blockPtrType struct{ block Type }

func (t blockPtrType) attr(name string) (Value, bool) {
	switch name {
	case "element_ty":
		return t.block, true
	case "scalar":
		return t, true
	}
	return nil, false
}

// parts makes a BlockPtr a composite: loops and branches carry its scalars.
func (p BlockPtr) parts() []Value {
	out := []Value{p.Base}
	for _, list := range [][]Tensor{p.Shape, p.Strides, p.Offsets} {
		for _, t := range list {
			out = append(out, t)
		}
	}
	return out
}

func (p BlockPtr) withParts(parts []Value) Value {
	next := func(n int) []Tensor {
		list := make([]Tensor, n)
		for i := range list {
			list[i], parts = parts[0].(Tensor), parts[1:]
		}
		return list
	}
	n := p.Block.Tile.Rank()
	p.Base = next(1)[0]
	p.Shape, p.Strides, p.Offsets = next(n), next(n), next(n)
	return p
}

func (p BlockPtr) form() any { return p.Block }

func langMakeBlockPtr(g *gen, c *call) Value {
	base := g.pointerArg(c, 0)
	if base.V.Type.IsTile() {
		g.fail(c.at[0], "type-mismatch", "the base must be a single pointer, not %s", base.Type())
	}
	p := BlockPtr{
		Base:    base,
		Shape:   g.scalars(c, 1, dtype.Int64),
		Strides: g.scalars(c, 2, dtype.Int64),
		Offsets: g.scalars(c, 3, dtype.Int32),
	}
	p.Block = g.typeWithShape(base.Type().Pointee(), c.ints(g, 4), c.at[4])
	n := p.Block.Tile.Rank()
	if len(p.Shape) != n || len(p.Strides) != n || len(p.Offsets) != n || len(c.ints(g, 5)) != n {
		g.fail(c.node, "bad-argument", "shape, strides, offsets, block_shape and order must have one length; they have %d, %d, %d, %d and %d",
			len(p.Shape), len(p.Strides), len(p.Offsets), n, len(c.ints(g, 5)))
	}
	seen := make([]bool, n)
	for _, d := range c.ints(g, 5) {
		if d < 0 || d >= int64(n) || seen[d] {
			g.fail(c.at[5], "bad-argument", "order must be a permutation of 0 to %d", n-1)
		}
		seen[d] = true
	}
	return p
}

// scalars gives a list of integers, each a constant or a scalar.
func (g *gen) scalars(c *call, i int, to dtype.DType) []Tensor {
	elems := c.elements(g, i)
	out := make([]Tensor, len(elems))
	for j, v := range elems {
		out[j] = g.scalar(c, i, v, to)
	}
	return out
}

// scalar gives an integer, a constant or a scalar, that is argument i or in it.
func (g *gen) scalar(c *call, i int, v Value, to dtype.DType) Tensor {
	if isNumber(v) {
		return g.number(v, ScalarType(to), c.at[i])
	}
	t := g.toTensor(v, c.at[i])
	if t.V.Type.IsTile() || !t.Type().isInt() {
		g.fail(c.at[i], "type-mismatch", "%s must be an integer scalar, or hold such, not %s", c.param(i), t.Type())
	}
	return g.cast(t, to, c.at[i])
}

func langAdvance(g *gen, c *call) Value {
	p := g.blockPtrArg(c)
	by := g.scalars(c, 1, dtype.Int32)
	if len(by) != len(p.Offsets) {
		g.fail(c.at[1], "bad-argument", "%d offsets for a block pointer of %d dimensions", len(by), len(p.Offsets))
	}
	moved := make([]Tensor, len(by))
	for i, d := range by {
		moved[i] = Tensor{g.b.Binary(tile.OpAdd, p.Offsets[i].V, d.V), dtype.Int32}
	}
	p.Offsets = moved
	return p
}

func (g *gen) blockPtrArg(c *call) BlockPtr {
	p, ok := c.args[0].(BlockPtr)
	if !ok {
		g.fail(c.at[0], "type-mismatch", "%s needs a block pointer, not %s", c.name, describe(c.args[0]))
	}
	return p
}

// padding says what a checked load gives outside the array.
var padding = []named[bool]{{"", false}, {"zero", false}, {"nan", true}}

func (g *gen) loadBlock(c *call, p BlockPtr, attr tile.LoadAttr) Value {
	if optional(c.args[1]) || optional(c.args[2]) {
		g.fail(c.node, "bad-argument", "a block pointer takes boundary_check and padding_option, no mask or other")
	}
	nan := choice(g, c, 7, padding)
	if nan && !p.Block.isFloat() {
		g.fail(c.at[7], "bad-argument", "padding with nan needs floats, not %s", p.Block)
	}
	ptr, mask := g.blockAddress(c, p, c.checkedDims(g, 6, p))
	var other Tensor
	switch {
	case mask.V == nil || c.constString(g, 7) == "":
	case nan:
		other = g.constant(p.Block, p.Block.DType.Encode(math.NaN()))
	default:
		other = g.zero(p.Block)
	}
	return g.loadFrom(ptr, mask, other, attr, c.node)
}

func (g *gen) storeBlock(c *call, p BlockPtr, attr tile.StoreAttr) {
	if optional(c.args[2]) {
		g.fail(c.at[2], "bad-argument", "a block pointer takes boundary_check, no mask")
	}
	ptr, mask := g.blockAddress(c, p, c.checkedDims(g, 5, p))
	val := g.exactShape(c, 1, "value", ptr, g.storedValue(c, 1, ptr))
	g.storeTo(ptr, val, mask, attr, c.node)
}

// checkedDims gives the dimensions whose bounds an access checks.
func (c *call) checkedDims(g *gen, i int, p BlockPtr) []int {
	var dims []int
	if !optional(c.args[i]) {
		return nil
	}
	for _, d := range c.ints(g, i) {
		dims = append(dims, c.asAxis(g, i, d, p.Block.Tile.Rank()))
	}
	return dims
}

// blockAddress gives the pointers of the window's elements, and the mask of those that lie in the array along
// the dimensions to check (no value if there are none).
func (g *gen) blockAddress(c *call, p BlockPtr, checked []int) (ptr, mask Tensor) {
	at := c.node
	shape := p.Block.Tile
	ptr = g.splat(p.Base, shape)
	for d := range shape.Rank() {
		index := g.blockIndex(p, d, at)
		off := g.broadcastTo(g.arith(syntax.Mult, index, p.Strides[d], at), shape, at)
		ptr = Tensor{g.b.AddPtr(ptr.V, off.V), ptr.DType}
		if !slices.Contains(checked, d) {
			continue
		}
		in := g.broadcastTo(g.inBounds(index, p.Shape[d], at), shape, at)
		if mask.V != nil {
			in = g.arith(syntax.BitAnd, mask, in, at)
		}
		mask = in
	}
	return ptr, mask
}

// blockIndex gives the window's indices along dimension d, as int64 in a tile that is 1 in the other dimensions.
func (g *gen) blockIndex(p BlockPtr, d int, at syntax.Node) Tensor {
	shape := p.Block.Tile
	x := Tensor{g.b.Range(0, int64(shape.Dim(d))), dtype.Int32}
	x = g.cast(x, dtype.Int64, at)
	x = g.arith(syntax.Add, x, g.cast(p.Offsets[d], dtype.Int64, at), at)
	for i := range shape.Rank() {
		if i != d {
			x = g.expandDims(x, i, at)
		}
	}
	return x
}

func (g *gen) inBounds(x, end Tensor, at syntax.Node) Tensor {
	low := g.binary(syntax.GtE, x, int64(0), at)
	high := g.binary(syntax.Lt, x, end, at)
	return g.arith(syntax.BitAnd, low, high, at)
}

// noValue is what a function without a result gives.
var noValue Value = pyval.None
