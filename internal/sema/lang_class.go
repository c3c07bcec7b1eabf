package sema

import (
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/tile"
)

// classRows are the classes of the language: isinstance's targets, annotations and, where a kernel
// may make a value of the class, constructors.
func classRows() []*Builtin {
	return []*Builtin{
		{Name: "constexpr", Sig: "value", Is: isConstexpr, Fn: langConstexpr},
		{Name: "tensor", Sig: "handle, type", Is: isTensor, Fn: langInternalClass},
		{Name: "dtype", Sig: "name", Is: isType, Fn: langDType},
		{Name: "pointer_type", Sig: "element_ty, address_space='global', const=False", Is: isPointerType, Fn: langPointerType},
		{Name: "block_type", Sig: "element_ty, shape", Is: isBlockType, Fn: langBlockType},
		{Name: "tuple", Sig: "args, type=None", Is: isTuple, Fn: langTuple},
		{Name: "const", Sig: "", Is: isNothing, Fn: langInternalClass},
		{Name: "constexpr_type", Sig: "value", Is: isNothing, Fn: langInternalClass},
		{Name: "tensor_descriptor", Sig: "handle, shape, strides, block_type", Is: isDescriptor, Fn: langInternalClass},
		{Name: "tensor_descriptor_base", Sig: "handle, block_type", Is: isDescriptor, Fn: langInternalClass},
		{Name: "tensor_descriptor_type", Sig: "block_type, shape_type, strides_type", Is: isDescriptorType, Fn: langInternalClass},
		{Name: "tuple_type", Sig: "types, fields=None", Is: isNothing, Fn: langInternalClass},
	}
}

func isConstexpr(v Value) bool {
	_, tensor := v.(Tensor)
	_, tuple := v.(pyval.Tuple)
	_, made := v.(composite)
	return !tensor && !tuple && !made
}

func isType(v Value) bool           { _, ok := v.(Type); return ok }
func isTuple(v Value) bool          { _, ok := v.(pyval.Tuple); return ok }
func isPointerType(v Value) bool    { t, ok := v.(Type); return ok && t.IsPtr() && !t.IsTile() }
func isBlockType(v Value) bool      { t, ok := v.(Type); return ok && t.IsTile() }
func isDescriptorType(v Value) bool { _, ok := v.(descriptorType); return ok }
func isNothing(Value) bool          { return false }

// langConstexpr gives the constant itself: all that is known while compiling is a constexpr.
func langConstexpr(g *gen, c *call) Value {
	if _, ok := c.args[0].(Tensor); ok {
		g.fail(c.at[0], "not-constant", "%s is known only when the kernel runs; tl.constexpr needs a constant", describe(c.args[0]))
	}
	return c.args[0]
}

func langDType(g *gen, c *call) Value {
	name := c.constString(g, 0)
	d := dtype.Lookup(name)
	if d == dtype.Invalid {
		g.fail(c.at[0], "bad-argument", "there is no element type named '%s'", name)
	}
	return ScalarType(d)
}

func langPointerType(g *gen, c *call) Value {
	t := c.dtype(g, 0)
	if t.IsTile() || t.Tile.PtrDepth() >= tile.MaxPtrDepth {
		g.fail(c.at[0], "bad-argument", "there is no pointer to %s", t)
	}
	return PointerTo(t)
}

func langBlockType(g *gen, c *call) Value {
	t := c.dtype(g, 0)
	dims := c.ints(g, 1)
	if t.IsTile() || len(dims) == 0 {
		g.fail(c.node, "bad-argument", "a block type has a scalar element type and at least one dimension")
	}
	return g.typeWithShape(t, dims, c.at[1])
}

func langTuple(g *gen, c *call) Value { return pyval.Tuple{Elems: c.elements(g, 0)} }

func langInternalClass(g *gen, c *call) Value {
	g.fail(c.node, "bad-argument", "a kernel cannot make a %s itself", c.name)
	return noValue
}
