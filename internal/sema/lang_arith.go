package sema

import (
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/tile"
)

func arithmeticRows() []*Builtin {
	return []*Builtin{
		{Name: "add", Sig: "x, y, sanitize_overflow=True", Fn: langOperator(syntax.Add)},
		{Name: "sub", Sig: "x, y, sanitize_overflow=True", Fn: langOperator(syntax.Sub)},
		{Name: "mul", Sig: "x, y, sanitize_overflow=True", Fn: langOperator(syntax.Mult)},
		{Name: "maximum", Sig: "x, y, propagate_nan=0", Fn: langExtremum(extremum{tile.OpFMax, tile.OpMaxS, tile.OpMaxU})},
		{Name: "minimum", Sig: "x, y, propagate_nan=0", Fn: langExtremum(extremum{tile.OpFMin, tile.OpMinS, tile.OpMinU})},
		{Name: "clamp", Sig: "x, min, max, propagate_nan=0", Fn: langClamp},
		{Name: "where", Sig: "condition, x, y", Fn: langWhere},
		{Name: "cast", Sig: "input, dtype, fp_downcast_rounding=None, bitcast=False", Method: true, Fn: langCast},
		{Name: "to", Sig: "input, dtype, fp_downcast_rounding=None, bitcast=False", Method: true, Fn: langCast},
		{Name: "logical_and", Sig: "x, y", Method: true, Fn: langLogical(syntax.And)},
		{Name: "logical_or", Sig: "x, y", Method: true, Fn: langLogical(syntax.Or)},
	}
}

func langOperator(op syntax.Op) func(*gen, *call) Value {
	return func(g *gen, c *call) Value {
		x, y := c.args[0], c.args[1]
		if isNumber(x) && isNumber(y) {
			return g.arith(op, x, y, c.node)
		}
		return g.binary(op, x, y, c.node)
	}
}

// An extremum is the operations of minimum or maximum.
type extremum struct{ float, signed, unsigned tile.Code }

func langExtremum(e extremum) func(*gen, *call) Value {
	return func(g *gen, c *call) Value {
		x, y := g.unify(c.name, c.args[0], c.args[1], c.node)
		return g.extremum(e, x, y, c.propagatesNaN(g, 2))
	}
}

func (g *gen) extremum(e extremum, x, y Tensor, propagateNaN bool) Tensor {
	switch {
	case x.Type().isFloat():
		return Tensor{g.b.MinMaxF(e.float, x.V, y.V, propagateNaN), x.DType}
	case x.DType.IsSigned():
		return Tensor{g.b.Binary(e.signed, x.V, y.V), x.DType}
	}
	return Tensor{g.b.Binary(e.unsigned, x.V, y.V), x.DType}
}

// propagatesNaN gives an argument that is a member of tl.PropagateNan.
func (c *call) propagatesNaN(g *gen, i int) bool {
	v := c.args[i]
	if v != propagateNaN["ALL"] && v != propagateNaN["NONE"] {
		g.fail(c.at[i], "bad-argument", "%s must be tl.PropagateNan.ALL or NONE, not %s", c.param(i), describe(v))
	}
	return v == propagateNaN["ALL"]
}

func langClamp(g *gen, c *call) Value {
	nan := c.propagatesNaN(g, 3)
	t := g.unify3(c.name, c.args[:3], c.node)
	x, lo, hi := t[0], t[1], t[2]
	if x.Type().isFloat() {
		return Tensor{g.b.Clamp(x.V, lo.V, hi.V, nan), x.DType}
	}
	x = g.extremum(extremum{tile.OpFMax, tile.OpMaxS, tile.OpMaxU}, x, lo, nan)
	return g.extremum(extremum{tile.OpFMin, tile.OpMinS, tile.OpMinU}, x, hi, nan)
}

func langWhere(g *gen, c *call) Value {
	cond := g.cast(c.tensor(g, 0), dtype.Int1, c.at[0])
	x, y := g.chosen(c)
	all := g.broadcastAll([]Tensor{cond, x, y}, c.node)
	return Tensor{g.b.Select(all[0].V, all[1].V, all[2].V), x.DType}
}

// chosen gives the two values of where one type; pointers must have the same.
func (g *gen) chosen(c *call) (x, y Tensor) {
	if !isPointer(c.args[1]) && !isPointer(c.args[2]) {
		return g.unify(c.name, c.args[1], c.args[2], c.node)
	}
	x, y = c.tensor(g, 1), c.tensor(g, 2)
	if x.Type().Scalar() != y.Type().Scalar() {
		g.fail(c.node, "type-mismatch", "%s cannot choose between %s and %s", c.name, x.Type(), y.Type())
	}
	return g.broadcast2(x, y, c.node)
}

// roundings are the roundings that a cast to a narrower float may have.
var roundings = []named[tile.Round]{{"rtne", tile.NearestEven}, {"rtz", tile.TowardsZero}}

func langCast(g *gen, c *call) Value {
	x, to := c.tensor(g, 0), c.dtype(g, 1)
	round := tile.NearestEven
	if optional(c.args[2]) {
		round = choice(g, c, 2, roundings)
		same := x.Type().Scalar() == to.Scalar()
		if !same && (!x.Type().isFloat() || !to.isFloat() || to.DType.Bits() >= x.DType.Bits()) {
			g.fail(c.at[2], "bad-argument", "fp_downcast_rounding is for casts to narrower floats, not for %s to %s", x.Type(), to.Scalar())
		}
	}
	if c.constBool(g, 3) {
		return g.bitcast(x, to, c.node)
	}
	return g.castRounding(x, to, round, c.node)
}

func langLogical(op syntax.Op) func(*gen, *call) Value {
	return func(g *gen, c *call) Value { return g.logical(op, c.args[0], c.args[1], c.node) }
}
