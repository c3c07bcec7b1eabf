package sema

import (
	"strconv"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/tile"
)

// A Descriptor is what make_tensor_descriptor gives, or a host's TensorDescriptor: an array in
// memory that is read and written in blocks.
type Descriptor struct {
	Handle  Tensor   // of a descriptor type
	Shape   []Tensor // int32
	Strides []Tensor // int64, in elements
	Block   Type     // what a load gives
}

// TypeName names a Descriptor in messages.
func (Descriptor) TypeName() string { return "tensor_descriptor" }

// parts makes a Descriptor a composite: loops and branches carry its tensors.
func (d Descriptor) parts() []Value {
	out := []Value{d.Handle}
	for _, list := range [][]Tensor{d.Shape, d.Strides} {
		for _, t := range list {
			out = append(out, t)
		}
	}
	return out
}

func (d Descriptor) withParts(parts []Value) Value {
	n := d.Block.Tile.Rank()
	list := make([]Tensor, len(parts))
	for i, p := range parts {
		list[i] = p.(Tensor)
	}
	return Descriptor{list[0], list[1 : 1+n], list[1+n:], d.Block}
}

func (d Descriptor) form() any { return d.Block }

func (d Descriptor) attr(name string) (Value, bool) {
	switch name {
	case "dtype":
		return d.Block.Scalar(), true
	case "block_type":
		return d.Block, true
	case "type":
		return descriptorType{d.Block}, true
	case "block_shape":
		return shapeTuple(d.Block.Tile), true
	case "shape":
		return results(d.Shape, true), true
	case "strides":
		return results(d.Strides, true), true
	}
	fn, ok := lookup(tables().descMethods, name)
	if !ok {
		return nil, false
	}
	return &Method{Self: d, Fn: fn}, true
}

// describe names a descriptor in messages.
func (d Descriptor) describe() string {
	s := "a descriptor of " + d.Block.String()
	k := d.Handle.V.Type.DescKind()
	if k.NaN {
		s += " padded with NaN"
	}
	if k.TF32 {
		s += " rounded to TF32"
	}
	return s
}

// A descriptorType is the type of a Descriptor.
type descriptorType struct{ block Type }

// TypeName names it in messages.
func (descriptorType) TypeName() string { return "tensor_descriptor_type" }

func (t descriptorType) attr(name string) (Value, bool) {
	if name == "block_type" {
		return t.block, true
	}
	return nil, false
}

func isDescriptor(v Value) bool { _, ok := v.(Descriptor); return ok }

// descRows are the functions of descriptors.
func descRows() []*Builtin {
	makeSig := "base, shape, strides, block_shape, padding_option='zero'"
	return []*Builtin{
		{Name: "make_tensor_descriptor", Sig: makeSig, Fn: langMakeDesc},
		{Name: "load_tensor_descriptor", Sig: "desc, offsets", Fn: langDescLoad},
		{Name: "store_tensor_descriptor", Sig: "desc, offsets, value", Fn: langDescStore},
		// The names of Triton before 3.4.
		{Name: "_experimental_make_tensor_descriptor", Sig: makeSig, Fn: langMakeDesc},
		{Name: "_experimental_descriptor_load", Sig: "desc, offsets, shape=None, dtype=None", Fn: langDescLoad},
		{Name: "_experimental_descriptor_store", Sig: "desc, value, offsets", Fn: langOldDescStore},
	}
}

// descMethodRows are the methods of descriptors.
func descMethodRows() []*Builtin {
	rows := []*Builtin{
		{Name: "tensor_descriptor.load", Sig: "self, offsets", Fn: langDescLoad},
		{Name: "tensor_descriptor.store", Sig: "self, offsets, value", Fn: langDescStore},
		{Name: "tensor_descriptor.gather", Sig: "self, x_offsets, y_offset", Fn: langDescGather},
		{Name: "tensor_descriptor.scatter", Sig: "self, value, x_offsets, y_offset", Fn: langDescScatter},
	}
	for _, a := range descAtomics {
		rows = append(rows, &Builtin{Name: "tensor_descriptor." + a.name, Sig: "self, offsets, value",
			Fn: func(g *gen, c *call) Value { return g.descAtomic(c, a) }})
	}
	return rows
}

// A descAtomic is an atomic on blocks and the element types that have it.
type descAtomic struct {
	name                    string
	signed, unsigned, float tile.Atomic
	types                   []dtype.DType
}

var (
	descWords  = []dtype.DType{dtype.Uint32, dtype.Int32, dtype.Uint64, dtype.Int64}
	descSums   = []dtype.DType{dtype.Uint32, dtype.Int32, dtype.Uint64, dtype.Float32, dtype.Float16, dtype.BFloat16}
	descLimits = []dtype.DType{dtype.Uint32, dtype.Int32, dtype.Uint64, dtype.Int64, dtype.Float16, dtype.BFloat16}
)

var descAtomics = []descAtomic{
	{"atomic_add", tile.AtomicAdd, tile.AtomicAdd, tile.AtomicFAdd, descSums},
	{"atomic_min", tile.AtomicMinS, tile.AtomicMinU, tile.AtomicFMin, descLimits},
	{"atomic_max", tile.AtomicMaxS, tile.AtomicMaxU, tile.AtomicFMax, descLimits},
	{"atomic_and", tile.AtomicAnd, tile.AtomicAnd, 0, descWords},
	{"atomic_or", tile.AtomicOr, tile.AtomicOr, 0, descWords},
	{"atomic_xor", tile.AtomicXor, tile.AtomicXor, 0, descWords},
}

// The alignment, in bytes, that hardware with descriptors wants of addresses and of strides, which
// is the least size of a block's rows too.
const descAlign = 16

// maxDescRank is the largest number of dimensions of a descriptor.
const maxDescRank = 5

func langMakeDesc(g *gen, c *call) Value {
	base := g.pointerArg(c, 0)
	elem := base.Type().Pointee()
	if base.V.Type.IsTile() || elem.IsPtr() || elem.DType.Bits() < 8 {
		g.fail(c.at[0], "type-mismatch", "the base of a descriptor is a single pointer to numbers of a byte or more, not %s", base.Type())
	}
	n := len(c.elements(g, 1))
	strides := c.elements(g, 2)
	block := c.ints(g, 3)
	if n < 1 || n > maxDescRank || len(strides) != n || len(block) != n {
		g.fail(c.node, "bad-argument", "shape, strides and block_shape of a descriptor have one length, 1 to %d; they have %d, %d and %d",
			maxDescRank, n, len(strides), len(block))
	}
	d := Descriptor{Block: g.typeWithShape(elem, block, c.at[3])}
	g.checkDescBlock(c, d.Block)
	g.checkDescStrides(c, strides, elem)
	d.Shape, d.Strides = g.scalars(c, 1, dtype.Int32), g.scalars(c, 2, dtype.Int64)
	kind := tile.DescKind{NaN: choice(g, c, 4, padding)}
	if kind.NaN && !elem.isFloat() {
		g.fail(c.at[4], "bad-argument", "padding with nan needs floats, not %s", d.Block)
	}
	return g.makeDesc(d, base, kind)
}

// makeDesc makes the handle of a descriptor.
func (g *gen) makeDesc(d Descriptor, base Tensor, kind tile.DescKind) Descriptor {
	d.Handle = Tensor{g.b.MakeDesc(tile.DescOf(d.Block.Tile, kind), base.V, handles(d.Shape), handles(d.Strides)), d.Block.DType}
	return d
}

func (g *gen) checkDescBlock(c *call, block Type) {
	last := block.Tile.Dim(block.Tile.Rank() - 1)
	if size := last * block.DType.Bytes(); size < descAlign {
		g.fail(c.at[3], "bad-argument", "the last dimension of a descriptor's block has at least %d bytes; %d of %s have %d",
			descAlign, last, block.DType.Attr(), size)
	}
}

// checkDescStrides checks the strides that are known: the last is 1, the others keep rows aligned.
func (g *gen) checkDescStrides(c *call, strides []Value, elem Type) {
	last := len(strides) - 1
	for i, s := range strides {
		n, known := constantOf(s)
		switch {
		case i == last && (!known || n != 1):
			g.fail(c.at[2], "bad-argument", "the last stride of a descriptor is the constant 1, not %s", describe(s))
		case i < last && known && n*int64(elem.DType.Bytes())%descAlign != 0:
			g.fail(c.at[2], "bad-argument", "the strides of a descriptor but the last are multiples of %d bytes; stride %d is %d of %s",
				descAlign, i, n, elem.DType.Attr())
		}
	}
}

// constantOf gives an integer that is known, also if a variable holds it.
func constantOf(v Value) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case Tensor:
		if op := v.V.Op; op != nil && op.Code == tile.OpConst && v.Type().isInt() {
			unused := 64 - v.DType.Bits()
			return int64(op.Attr.(tile.ConstAttr).Bits<<unused) >> unused, true
		}
	}
	return 0, false
}

// descArgument makes the parameters of a descriptor that the host made, and the descriptor of them. The
// host sees to the alignment.
func (g *gen) descArgument(a *DescSpec, src ParamSource, sources *[]ParamSource) Value {
	n := len(a.Block)
	part := func(i int, name string, t Type, divisibility int64) Tensor {
		path := append(src.Path[:len(src.Path):len(src.Path)], i)
		spec := ArgSpec{Type: t, Divisibility: divisibility}
		return g.argument(spec, ParamSource{Name: src.Name + name, Path: path}, sources).(Tensor)
	}
	shape, ok := a.Elem.Tile.WithShape(a.Block...)
	if !ok {
		g.fail(g.frame.fn.Def, "bad-shape", "%v is no shape of a descriptor's block", a.Block)
	}
	d := Descriptor{Block: Type{a.Elem.DType, shape}}
	base := part(0, "", PointerTo(a.Elem), descAlign)
	for i := range n {
		d.Shape = append(d.Shape, part(1+i, ".shape["+strconv.Itoa(i)+"]", ScalarType(dtype.Int32), 0))
	}
	for i := range n - 1 {
		aligned := max(1, descAlign/int64(a.Elem.DType.Bytes()))
		d.Strides = append(d.Strides, part(1+n+i, ".strides["+strconv.Itoa(i)+"]", ScalarType(dtype.Int64), aligned))
	}
	d.Strides = append(d.Strides, g.number(int64(1), ScalarType(dtype.Int64), g.frame.fn.Def))
	return g.makeDesc(d, base, a.Kind)
}

// descArg gives argument 0, a descriptor.
func (g *gen) descArg(c *call) Descriptor {
	d, ok := c.args[0].(Descriptor)
	if ok {
		return d
	}
	if t, ok := c.args[0].(Tensor); ok && t.Type().IsPtr() {
		g.unsupported(c.at[0], "%s of a pointer to a descriptor that the host encoded; pass a TensorDescriptor, or make one with tl.make_tensor_descriptor", c.name)
	}
	g.fail(c.at[0], "type-mismatch", "%s needs a tensor descriptor, not %s", c.name, describe(c.args[0]))
	return d
}

// descOffsets gives argument i, an offset for each dimension.
func (g *gen) descOffsets(c *call, i int, d Descriptor) []*tile.Value {
	given := c.elements(g, i)
	if n := d.Block.Tile.Rank(); len(given) != n {
		g.fail(c.at[i], "bad-argument", "%s needs %s for a descriptor of %s, not %d", c.name, counted(n, "offset"), d.Block, len(given))
	}
	for _, v := range given {
		g.checkOffset(v, c.at[i])
	}
	return handles(g.scalars(c, i, dtype.Int32))
}

// checkOffset refuses offsets of 64 bits, whose upper bits would be lost.
func (g *gen) checkOffset(v Value, at syntax.Node) {
	if t, ok := v.(Tensor); ok && t.Type().isInt() && t.DType.Bits() > 32 {
		g.fail(at, "type-mismatch", "an offset of a descriptor has 32 bits, not %s; convert it with .to(tl.int32)", t.Type())
	}
}

func langDescLoad(g *gen, c *call) Value {
	d := g.descArg(c)
	return Tensor{g.b.DescLoad(d.Handle.V, g.descOffsets(c, 1, d)), d.Block.DType}
}

func langDescStore(g *gen, c *call) Value {
	g.descStore(c, 1, 2)
	return noValue
}

// langOldDescStore has value and offsets the other way round.
func langOldDescStore(g *gen, c *call) Value {
	g.descStore(c, 2, 1)
	return noValue
}

func (g *gen) descStore(c *call, offsets, value int) {
	d := g.descArg(c)
	g.b.DescStore(d.Handle.V, g.descValue(c, value, d, d.Block).V, g.descOffsets(c, offsets, d))
}

// descValue gives argument i, a tile of shape's shape, with the descriptor's elements.
func (g *gen) descValue(c *call, i int, d Descriptor, shape Type) Tensor {
	v := c.tensor(g, i)
	if !v.V.Type.SameShape(shape.Tile) {
		g.fail(c.at[i], "shape-mismatch", "%s needs a value of shape %s, not %s", c.name, shapeString(shape.Tile), v.Type())
	}
	return g.castType(v, d.Block, c.at[i])
}

func (g *gen) descAtomic(c *call, a descAtomic) Value {
	d := g.descArg(c)
	var names []string
	for _, t := range a.types {
		names = append(names, t.Attr())
		if t != d.Block.DType {
			continue
		}
		kind := a.unsigned
		switch {
		case t.IsFloat():
			kind = a.float
		case t.IsSigned():
			kind = a.signed
		}
		g.b.DescReduce(d.Handle.V, g.descValue(c, 2, d, d.Block).V, g.descOffsets(c, 1, d), kind)
		return noValue
	}
	g.fail(c.node, "type-mismatch", "%s needs a descriptor of %s, not of %s", c.name, listWords(names, "or"), d.Block)
	return noValue
}

// The least numbers of rows and of bytes of a row that a gather or scatter moves.
const (
	minRows     = 8
	minRowBytes = 32
)

// descRowArgs gives the rows and the column of a gather or scatter from argument i on, and what
// they pick.
func (g *gen) descRowArgs(c *call, i int, d Descriptor) (rows, col Tensor, picked Type) {
	shape := d.Block.Tile
	if shape.Rank() != 2 || shape.Dim(0) != 1 {
		g.fail(c.node, "shape-mismatch", "%s needs a descriptor whose blocks are single rows, [1, n], not %s", c.name, d.Block)
	}
	rows = c.tensor(g, i)
	if t := rows.V.Type; t.Rank() != 1 || rows.DType != dtype.Int16 && rows.DType != dtype.Int32 || rows.Type().IsPtr() {
		g.fail(c.at[i], "type-mismatch", "the rows are one dimension of int16 or int32, not %s", rows.Type())
	}
	if n := rows.V.Type.Dim(0); n < minRows {
		g.fail(c.at[i], "shape-mismatch", "%s moves at least %d rows, not %d", c.name, minRows, n)
	}
	if least := minRowBytes / d.Block.DType.Bytes(); shape.Dim(1) < least {
		g.fail(c.node, "shape-mismatch", "%s moves at least %d columns of %s, not %d", c.name, least, d.Block.DType.Attr(), shape.Dim(1))
	}
	picked = g.typeWithShape(d.Block.Scalar(), []int64{int64(rows.V.Type.Dim(0)), int64(shape.Dim(1))}, c.node)
	g.checkOffset(c.args[i+1], c.at[i+1])
	return g.cast(rows, dtype.Int32, c.at[i]), g.scalar(c, i+1, c.args[i+1], dtype.Int32), picked
}

func langDescGather(g *gen, c *call) Value {
	d := g.descArg(c)
	rows, col, _ := g.descRowArgs(c, 1, d)
	return Tensor{g.b.DescGather(d.Handle.V, rows.V, col.V), d.Block.DType}
}

func langDescScatter(g *gen, c *call) Value {
	d := g.descArg(c)
	rows, col, picked := g.descRowArgs(c, 2, d)
	g.b.DescScatter(d.Handle.V, g.descValue(c, 1, d, picked).V, rows.V, col.V)
	return noValue
}
