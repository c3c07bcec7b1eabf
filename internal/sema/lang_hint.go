package sema

import (
	"github.com/tegula-lang/tegula/internal/tile"
)

func hintRows() []*Builtin {
	return []*Builtin{
		{Name: "multiple_of", Sig: "input, values", Fn: langHint(tile.HintDivisible)},
		{Name: "max_contiguous", Sig: "input, values", Fn: langHint(tile.HintContiguous)},
		{Name: "max_constancy", Sig: "input, values", Fn: langHint(tile.HintConstant)},
		{Name: "assume", Sig: "cond", Fn: langAssume},
		{Name: "expect_zero", Sig: "x, mask", Fn: langExpectZero},
	}
}

func langHint(kind tile.Hint) func(*gen, *call) Value {
	return func(g *gen, c *call) Value {
		x, values := c.tensor(g, 0), c.ints(g, 1)
		if n := max(1, x.V.Type.Rank()); len(values) != n {
			g.fail(c.at[1], "bad-argument", "%s needs %d values for %s, not %d", c.name, n, x.Type(), len(values))
		}
		attr := tile.HintAttr{Kind: kind}
		for i, v := range values {
			if v <= 0 {
				g.fail(c.at[1], "bad-argument", "%s needs positive values, not %d", c.name, v)
			}
			attr.Values[i] = v
		}
		return Tensor{g.b.Op(tile.OpHint, attr, []*tile.Value{x.V}, x.V.Type).Result(), x.DType}
	}
}

func langAssume(g *gen, c *call) Value {
	g.b.Op(tile.OpAssume, nil, []*tile.Value{g.truth(c.tensor(g, 0), c.at[0])})
	return noValue
}

// langExpectZero gives x itself; a debug build asserts that it is zero where the mask is set.
func langExpectZero(g *gen, c *call) Value {
	x := c.tensor(g, 0)
	if g.opts.Debug {
		isZero := g.invert(g.notZero(x))
		isZero, mask := g.broadcast2(isZero, g.asBool(c.name, c.tensor(g, 1), c.at[1]), c.node)
		g.b.Op(tile.OpAssert, tile.AssertAttr{Msg: "expect_zero: x is not zero where the mask is set"}, []*tile.Value{isZero.V, mask.V})
	}
	return x
}
