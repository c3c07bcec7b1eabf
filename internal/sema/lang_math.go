package sema

import (
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/tile"
)

var (
	only32   = []dtype.DType{dtype.Float32}
	only3264 = []dtype.DType{dtype.Float32, dtype.Float64}
)

// unaryMath lists the functions of one float.
var unaryMath = []struct {
	name  string
	code  tile.Code
	types []dtype.DType
}{
	{"exp", tile.OpExp, only3264},
	{"exp2", tile.OpExp2, only3264},
	{"log", tile.OpLog, only3264},
	{"log2", tile.OpLog2, only3264},
	{"sin", tile.OpSin, only3264},
	{"cos", tile.OpCos, only3264},
	{"sqrt", tile.OpSqrt, only3264},
	{"sqrt_rn", tile.OpSqrtRN, only32},
	{"rsqrt", tile.OpRSqrt, only3264},
	{"erf", tile.OpErf, only3264},
	{"floor", tile.OpFloor, only3264},
	{"ceil", tile.OpCeil, only3264},
}

func mathRows() []*Builtin {
	rows := []*Builtin{
		{Name: "abs", Sig: "x", Method: true, Fn: langAbs},
		{Name: "fma", Sig: "x, y, z", Fn: langFMA},
		{Name: "fdiv", Sig: "x, y, ieee_rounding=False, approx=False", Fn: langFDiv},
		{Name: "div_rn", Sig: "x, y", Fn: langDivRN},
		{Name: "umulhi", Sig: "x, y", Fn: langUMulHi},
	}
	for _, m := range unaryMath {
		rows = append(rows, &Builtin{Name: m.name, Sig: "x", Method: true, Fn: func(g *gen, c *call) Value {
			x := c.tensor(g, 0)
			g.checkDType(c, x, m.types)
			return Tensor{g.b.Unary(m.code, x.V), x.DType}
		}})
	}
	return rows
}

// checkDType fails unless x's elements are of one of the types.
func (g *gen) checkDType(c *call, x Tensor, types []dtype.DType) {
	var names []string
	for _, d := range types {
		if !x.Type().IsPtr() && x.DType == d {
			return
		}
		names = append(names, d.Attr())
	}
	g.fail(c.node, "type-mismatch", "%s needs %s, not %s; cast with .to()", c.name, listWords(names, "or"), x.Type())
}

// checkTensors is checkDType for those arguments that are tensors: numbers adapt to them.
func (g *gen) checkTensors(c *call, types []dtype.DType) {
	for _, v := range c.args {
		if x, ok := v.(Tensor); ok {
			g.checkDType(c, x, types)
		}
	}
}

func langAbs(g *gen, c *call) Value {
	x := c.tensor(g, 0)
	switch {
	case x.Type().isFloat():
		return Tensor{g.b.Unary(tile.OpAbsF, x.V), x.DType}
	case !x.Type().isInt():
		g.fail(c.node, "type-mismatch", "%s of %s is not possible", c.name, x.Type())
	case x.DType.IsSigned():
		return Tensor{g.b.Unary(tile.OpAbsI, x.V), x.DType}
	}
	return x
}

func langFMA(g *gen, c *call) Value {
	t := g.unify3(c.name, c.args, c.node)
	if !t[0].Type().isFloat() {
		g.fail(c.node, "type-mismatch", "%s needs floats, not %s", c.name, t[0].Type())
	}
	return Tensor{g.b.FMA(t[0].V, t[1].V, t[2].V), t[0].DType}
}

// langFDiv rounds correctly if asked to; division in float64 always does.
func langFDiv(g *gen, c *call) Value {
	ieee, approx := c.constBool(g, 2), c.constBool(g, 3)
	if ieee && approx {
		g.fail(c.node, "bad-argument", "ieee_rounding and approx contradict each other")
	}
	x, y := g.unifyDiv(c.name, c.args[0], c.args[1], c.node)
	switch {
	case !x.Type().isFloat():
		g.fail(c.node, "type-mismatch", "%s needs floats, not %s and %s", c.name, describe(c.args[0]), describe(c.args[1]))
	case approx:
		g.checkDType(c, x, only32)
	case ieee && x.DType == dtype.Float32:
		return Tensor{g.b.Binary(tile.OpFDivRN, x.V, y.V), x.DType}
	}
	return Tensor{g.b.Binary(tile.OpFDiv, x.V, y.V), x.DType}
}

func langDivRN(g *gen, c *call) Value {
	g.checkTensors(c, only32)
	x, y := g.unify(c.name, c.args[0], c.args[1], c.node)
	g.checkDType(c, x, only32)
	return Tensor{g.b.Binary(tile.OpFDivRN, x.V, y.V), x.DType}
}

func langUMulHi(g *gen, c *call) Value {
	words := []dtype.DType{dtype.Int32, dtype.Int64, dtype.Uint32, dtype.Uint64}
	g.checkTensors(c, words)
	x, y := g.unify(c.name, c.args[0], c.args[1], c.node)
	g.checkDType(c, x, words)
	return Tensor{g.b.Binary(tile.OpMulHiU, x.V, y.V), x.DType}
}
