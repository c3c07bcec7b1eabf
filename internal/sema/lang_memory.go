package sema

import (
	"fmt"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/tile"
)

// Block pointers were removed from Triton 3.9; the parameters they add to load and store are kept.
func memoryRows() []*Builtin {
	return []*Builtin{
		{Name: "load", Sig: "pointer, mask=None, other=None, *, cache_modifier='', eviction_policy='', volatile=False, boundary_check=None, padding_option=''", Fn: langLoad},
		{Name: "store", Sig: "pointer, value, mask=None, *, cache_modifier='', eviction_policy='', boundary_check=None", Method: true, Fn: langStore},
		{Name: "make_block_ptr", Sig: "base, shape, strides, offsets, block_shape, order", Fn: langMakeBlockPtr},
		{Name: "advance", Sig: "base, offsets", Method: true, Fn: langAdvance},
	}
}

// The cache modifiers of loads and stores; Triton takes them with and without the dot.
var (
	loadCache = []named[tile.Cache]{
		{"", tile.CacheDefault}, {".ca", tile.CacheCA}, {".cg", tile.CacheCG}, {".cs", tile.CacheCS}, {".cv", tile.CacheCV},
		{"ca", tile.CacheCA}, {"cg", tile.CacheCG}, {"cs", tile.CacheCS}, {"cv", tile.CacheCV},
	}
	storeCache = []named[tile.Cache]{
		{"", tile.CacheDefault}, {".wb", tile.CacheWB}, {".cg", tile.CacheCG}, {".cs", tile.CacheCS}, {".wt", tile.CacheWT},
		{"wb", tile.CacheWB}, {"cg", tile.CacheCG}, {"cs", tile.CacheCS}, {"wt", tile.CacheWT},
	}
	eviction = []named[tile.Evict]{
		{"", tile.EvictNormal}, {"evict_first", tile.EvictFirst}, {"evict_last", tile.EvictLast}, {"evict_normal", tile.EvictNormal},
	}
)

func langLoad(g *gen, c *call) Value {
	attr := tile.LoadAttr{
		Cache:    choice(g, c, 3, loadCache),
		Evict:    choice(g, c, 4, eviction),
		Volatile: c.constBool(g, 5),
	}
	if bp, ok := c.args[0].(BlockPtr); ok {
		return g.loadBlock(c, bp, attr)
	}
	if optional(c.args[6]) && len(c.ints(g, 6)) > 0 || c.constString(g, 7) != "" {
		g.fail(c.node, "bad-argument", "boundary_check and padding_option are for block pointers; give a mask")
	}
	ptr := g.pointerArg(c, 0)
	mask, masked := c.optTensor(g, 1)
	other, filled := c.optTensor(g, 2)
	if filled && !masked {
		g.fail(c.at[2], "bad-argument", "other has no meaning without a mask")
	}
	if masked {
		g.checkMask(mask, c.at[1])
		ptr, mask, other = g.accessShape(c, ptr, mask, other)
	}
	if filled {
		other = g.castType(other, ptr.Type().Pointee(), c.at[2])
	}
	return g.loadFrom(ptr, mask, other, attr, c.node)
}

// loadFrom loads from pointers of mask's and other's shape; they may be zero. A bool is a byte in memory: any
// but 0 is True.
func (g *gen) loadFrom(ptr, mask, other Tensor, attr tile.LoadAttr, at syntax.Node) Tensor {
	elem := ptr.Type().Pointee()
	if !elem.isBool() {
		return Tensor{g.b.Load(ptr.V, mask.V, other.V, attr), elem.DType}
	}
	ptr = g.bytePointer(ptr, at)
	if other.V != nil {
		other = g.cast(other, dtype.Int8, at)
	}
	v := Tensor{g.b.Load(ptr.V, mask.V, other.V, attr), dtype.Int8}
	return g.cast(v, dtype.Int1, at)
}

// bytePointer gives a pointer to bools as one to the bytes they are in memory.
func (g *gen) bytePointer(ptr Tensor, at syntax.Node) Tensor {
	return g.castType(ptr, PointerTo(ScalarType(dtype.Int8)), at)
}

func langStore(g *gen, c *call) Value {
	attr := tile.StoreAttr{Cache: choice(g, c, 3, storeCache), Evict: choice(g, c, 4, eviction)}
	if bp, ok := c.args[0].(BlockPtr); ok {
		g.storeBlock(c, bp, attr)
		return noValue
	}
	if optional(c.args[5]) && len(c.ints(g, 5)) > 0 {
		g.fail(c.node, "bad-argument", "boundary_check is for block pointers; give a mask")
	}
	ptr := g.pointerArg(c, 0)
	val := g.storedValue(c, 1, ptr)
	mask, masked := c.optTensor(g, 2)
	val = g.exactShape(c, 1, "value", ptr, val)
	if masked {
		mask = g.exactShape(c, 2, "mask", ptr, mask)
		g.checkMask(mask, c.at[2])
	}
	g.storeTo(ptr, val, mask, attr, c.node)
	return noValue
}

// storeTo stores values of the pointers' element type.
func (g *gen) storeTo(ptr, val, mask Tensor, attr tile.StoreAttr, at syntax.Node) {
	if val.Type().isBool() {
		ptr, val = g.bytePointer(ptr, at), g.cast(val, dtype.Int8, at)
	}
	g.b.Store(ptr.V, val.V, mask.V, attr)
}

// storedValue gives argument i converted to what ptr points to.
func (g *gen) storedValue(c *call, i int, ptr Tensor) Tensor {
	return g.castType(c.tensor(g, i), ptr.Type().Pointee(), c.at[i])
}

// pointerArg gives argument i, a pointer or a tile of pointers.
func (g *gen) pointerArg(c *call, i int) Tensor {
	t, ok := c.args[i].(Tensor)
	if !ok || !t.Type().IsPtr() {
		g.fail(c.at[i], "type-mismatch", "%s needs a pointer, not %s", c.name, describe(c.args[i]))
	}
	return t
}

// accessShape brings a load's pointers, mask and other (if it has a value) to one shape. A single
// pointer takes scalars only.
func (g *gen) accessShape(c *call, ptr, mask, other Tensor) (Tensor, Tensor, Tensor) {
	all := []Tensor{ptr, mask}
	if other.V != nil {
		all = append(all, other)
	}
	for i, t := range all {
		if ptr.V.Type.IsScalar() && t.V.Type.IsTile() {
			g.fail(c.at[i], "shape-mismatch", "%s is %s, but the pointer is a scalar", c.param(i), t.Type())
		}
	}
	all = g.broadcastAll(all, c.node)
	if other.V != nil {
		other = all[2]
	}
	return all[0], all[1], other
}

// exactShape broadcasts x to the pointers' shape, which must not grow by it.
func (g *gen) exactShape(c *call, i int, what string, ptr, x Tensor) Tensor {
	p, t := ptr.V.Type, x.V.Type
	if p.IsScalar() && t.IsTile() {
		g.fail(c.at[i], "shape-mismatch", "the %s is %s, but the pointer is a scalar", what, x.Type())
	}
	if shape := g.commonShape(p, t, c.at[i]); !shape.SameShape(p) {
		g.failWith(c.at[i], g.widened(x.V), "shape-mismatch", "the %s has shape %s, which does not broadcast to the pointers' %s",
			what, shapeString(t), shapeString(p))
	}
	return g.broadcastTo(g.padRank(x, p.Rank()), p, c.at[i])
}

// widened gives a note on the load that a value comes from, if the load's mask is what made it larger
// than its pointers: that is allowed, and seldom meant.
func (g *gen) widened(v *tile.Value) []diag.Note {
	const most = 32 // operations to look at
	todo := []*tile.Value{v}
	for n := 0; len(todo) > 0 && n < most; n++ {
		op := todo[0].Op
		todo = todo[1:]
		if op == nil {
			continue
		}
		if op.Code != tile.OpLoad {
			todo = append(todo, op.Args...)
			continue
		}
		ptr := op.Args[0].Op
		if ptr == nil || ptr.Code != tile.OpBroadcast || ptr.Loc != op.Loc {
			continue
		}
		return []diag.Note{{Place: g.place(op.Loc), Msg: fmt.Sprintf("this load's mask makes it %s, its pointers are %s",
			shapeString(op.Result().Type), shapeString(ptr.Args[0].Type))}}
	}
	return nil
}

// place gives an operation's place, with the line's text if it is in the current function's file.
func (g *gen) place(l tile.Loc) diag.Place {
	file := g.frame.fn.File
	p := g.b.Module.Locs.At(l).Place(nil)
	if p.File == file.Name {
		p.Text = file.Line(p.Line)
	}
	return p
}

func (g *gen) checkMask(mask Tensor, at syntax.Node) {
	if !mask.Type().isBool() {
		g.fail(at, "type-mismatch", "a mask must be int1, not %s; compare it, as in x != 0", mask.Type())
	}
}
