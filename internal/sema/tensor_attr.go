package sema

import (
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/tile"
)

// attr gives an attribute of a value of the language; ok is false if it has none of that name.
func (g *gen) attr(v Value, name string, at syntax.Node) (Value, bool) {
	switch v := v.(type) {
	case Tensor:
		return g.tensorAttr(v, name, at)
	case Type:
		return typeAttr(v, name)
	case BlockPtr:
		return v.attr(name)
	case blockPtrType:
		return v.attr(name)
	case Descriptor:
		return v.attr(name)
	case descriptorType:
		return v.attr(name)
	case *record:
		return g.recordAttr(v, name, at)
	case *building:
		return g.buildingAttr(v, name, at)
	case Class:
		return g.member(v, nil, name, at)
	case LangModule:
		return LangAttr(v, name)
	}
	return nil, false
}

func (g *gen) tensorAttr(t Tensor, name string, at syntax.Node) (Value, bool) {
	if v, ok, _ := t.Attr(name); ok {
		return v, true
	}
	if name == "T" {
		return g.transpose(t, at), true
	}
	if fn, ok := methodNamed(name); ok {
		return &Method{Self: t, Fn: fn}, true
	}
	return nil, false
}

// typeAttr gives a property or predicate of a type.
func typeAttr(t Type, name string) (Value, bool) {
	if p, ok := typeProperties[name]; ok {
		return p(t)
	}
	if fn, ok := typeMethod(name); ok {
		return &Method{Self: t, Fn: fn}, true
	}
	return nil, false
}

// typeProperties are the attributes of types that are no methods.
var typeProperties = map[string]func(Type) (Value, bool){
	"value":  func(t Type) (Value, bool) { return t, true }, // as a tl.constexpr has
	"name":   func(t Type) (Value, bool) { return t.tritonName(), true },
	"scalar": func(t Type) (Value, bool) { return t.Scalar(), true },
	"dtype":  func(t Type) (Value, bool) { return t.Scalar(), true },
	"element_ty": func(t Type) (Value, bool) {
		switch {
		case t.IsTile():
			return t.Scalar(), true
		case t.IsPtr():
			return t.Pointee(), true
		}
		return nil, false
	},
	"shape": func(t Type) (Value, bool) { return shapeTuple(t.Tile), t.IsTile() },
	"numel": func(t Type) (Value, bool) { return int64(t.Tile.NumElems()), t.IsTile() },
	"nbytes": func(t Type) (Value, bool) {
		return int64(t.Tile.NumElems()) * int64(t.Tile.ElemBytes()), t.IsTile()
	},
	"address_space":      func(t Type) (Value, bool) { return "global", t.IsPtr() },
	"primitive_bitwidth": func(t Type) (Value, bool) { return int64(t.DType.Bits()), !t.IsPtr() },
	"itemsize":           func(t Type) (Value, bool) { return int64(t.DType.Bits() / 8), !t.IsPtr() },
	"int_bitwidth":       func(t Type) (Value, bool) { return int64(t.DType.Bits()), t.isInt() },
	"fp_mantissa_width":  func(t Type) (Value, bool) { return int64(t.DType.MantissaBits()), t.isFloat() },
	"exponent_bias":      func(t Type) (Value, bool) { return exponentBias(t.DType), t.isFloat() },
}

// exponentBias gives the bias of a float's exponent.
func exponentBias(d dtype.DType) int64 {
	switch d {
	case dtype.Float8E4M3FZ:
		return 8
	case dtype.Float8E5M2FZ:
		return 16
	case dtype.Float8E4B15:
		return 15
	}
	expBits := d.Bits() - 1 - d.MantissaBits()
	return 1<<(expBits-1) - 1
}

// typePredicates are the methods of types that ask a question without arguments.
var typePredicates = map[string]func(Type) Value{
	"is_block":             func(t Type) Value { return t.IsTile() },
	"is_ptr":               func(t Type) Value { return t.IsPtr() && !t.IsTile() },
	"is_const":             func(Type) Value { return false },
	"is_void":              func(t Type) Value { return t.DType == dtype.Void },
	"is_floating":          numeric(dtype.DType.IsFloat),
	"is_standard_floating": numeric(func(d dtype.DType) bool { return d.IsFloat() && !d.IsFP8() }),
	"is_fp8":               numeric(dtype.DType.IsFP8),
	"is_fp8e4nv":           exactly(dtype.Float8E4M3),
	"is_fp8e4b8":           exactly(dtype.Float8E4M3FZ),
	"is_fp8e4b15":          exactly(dtype.Float8E4B15),
	"is_fp8e5":             exactly(dtype.Float8E5M2),
	"is_fp8e5b16":          exactly(dtype.Float8E5M2FZ),
	"is_fp16":              exactly(dtype.Float16),
	"is_bf16":              exactly(dtype.BFloat16),
	"is_fp32":              exactly(dtype.Float32),
	"is_fp64":              exactly(dtype.Float64),
	"is_bool":              exactly(dtype.Int1),
	"is_int1":              exactly(dtype.Int1),
	"is_int8":              exactly(dtype.Int8),
	"is_int16":             exactly(dtype.Int16),
	"is_int32":             exactly(dtype.Int32),
	"is_int64":             exactly(dtype.Int64),
	"is_uint8":             exactly(dtype.Uint8),
	"is_uint16":            exactly(dtype.Uint16),
	"is_uint32":            exactly(dtype.Uint32),
	"is_uint64":            exactly(dtype.Uint64),
	"is_int":               numeric(dtype.DType.IsInt),
	"is_int_signed":        numeric(func(d dtype.DType) bool { return d.IsInt() && d.IsSigned() }),
	"is_int_unsigned":      numeric(func(d dtype.DType) bool { return d.IsInt() && !d.IsSigned() }),
	"kind":                 func(t Type) Value { return int64(t.DType.Kind()) - int64(dtype.KindBool) },
	"get_int_min_value":    intLimit(func(lo, _ *big.Int) *big.Int { return lo }),
	"get_int_max_value":    intLimit(func(_, hi *big.Int) *big.Int { return hi }),
	"get_block_shapes":     func(t Type) Value { return shapeTuple(t.Tile) },
	"codegen_name":         func(t Type) Value { return t.DType.Attr() },
}

// numeric asks about scalar number types only: a tile type is none of these, as in Triton.
func numeric(is func(dtype.DType) bool) func(Type) Value {
	return func(t Type) Value { return !t.IsTile() && t.isNumber(is) }
}

func exactly(d dtype.DType) func(Type) Value {
	return numeric(func(e dtype.DType) bool { return e == d })
}

// intLimit gives an end of an integer type's range; None of other types.
func intLimit(end func(lo, hi *big.Int) *big.Int) func(Type) Value {
	return func(t Type) Value {
		if t.IsTile() || !t.isInt() {
			return pyval.None
		}
		return pyval.Int(end(intRange(t.DType)))
	}
}

// typeMethod gives a predicate as something that can be called.
func typeMethod(name string) (*Builtin, bool) {
	ask, ok := typePredicates[name]
	if !ok {
		return nil, false
	}
	return &Builtin{Name: "dtype." + name, Sig: "self", Fn: func(g *gen, c *call) Value {
		v := ask(c.args[0].(Type))
		if !optional(v) {
			g.fail(c.node, "type-mismatch", "%s has no %s: it is no integer type", c.args[0], name)
		}
		return v
	}}, true
}

// index does x[None, :] and the like: None inserts a dimension of 1, a full slice keeps one.
func (g *gen) index(t Tensor, idx []Value, at syntax.Node) Value {
	g.checkRank(t, idx, at)
	for i, v := range idx {
		switch v.(type) {
		case pyval.NoneType:
			t = g.expandDims(t, i, at)
		case FullSlice:
		default:
			if t.Type().IsPtr() {
				g.fail(at, "bad-index", "a pointer is not indexed with %s: p + i points i elements further, and tl.load(p + i) reads what lies there", describe(v))
			}
			g.fail(at, "bad-index", "a tile is indexed with None and : only, not with %s; load from a pointer, or use tl.gather or tl.split", describe(v))
		}
	}
	return t
}

// checkRank fails for an index that keeps more dimensions than a tile has.
func (g *gen) checkRank(t Tensor, idx []Value, at syntax.Node) {
	kept := 0
	words := make([]string, len(idx))
	for i, v := range idx {
		switch v.(type) {
		case FullSlice:
			words[i] = ":"
			kept++
		case pyval.NoneType:
			words[i] = "None"
		default:
			return // it is refused whatever the rank
		}
	}
	rank := t.V.Type.Rank()
	if kept <= rank {
		return
	}
	what := "has " + dimensions(rank)
	if rank == 0 {
		what = "is a scalar"
	}
	g.fail(at, "bad-index", "too many indices: %s %s, and [%s] takes a tile of %s", t.Type(), what, strings.Join(words, ", "), dimensions(kept))
}

// expandDims inserts a dimension of 1 before position axis; a scalar becomes a tile.
func (g *gen) expandDims(t Tensor, axis int, at syntax.Node) Tensor {
	rank := t.V.Type.Rank()
	if axis > rank {
		g.fail(at, "bad-axis", "cannot insert a dimension at %d in a tile of %d dimensions", axis, rank)
	}
	if rank == tile.MaxRank {
		g.fail(at, "bad-shape", "a tile has at most %d dimensions", tile.MaxRank)
	}
	if rank == 0 {
		return g.splat(t, t.V.Type.InsertDim(0))
	}
	return Tensor{g.b.ExpandDims(t.V, axis), t.DType}
}

// attributeNames lists the attributes of a value of the language, for suggestions.
func attributeNames(v Value) []string {
	switch v := v.(type) {
	case Tensor:
		names := []string{"dtype", "type", "shape", "numel", "T"}
		return append(append(names, stdMethods...), slices.Collect(maps.Keys(tables().methods))...)
	case Type:
		return append(slices.Collect(maps.Keys(typeProperties)), slices.Collect(maps.Keys(typePredicates))...)
	case Descriptor:
		return append(slices.Collect(maps.Keys(tables().descMethods)), "dtype", "type", "shape", "strides", "block_shape", "block_type")
	case *record:
		return v.names
	case LangModule:
		return moduleNames(v)
	case pyval.Tuple:
		return v.Names
	}
	return nil
}
