package sema

import (
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/tile"
)

func (g *gen) binaryOp(op syntax.Op, x, y Value, at syntax.Node) Value {
	if isTensor(x) || isTensor(y) {
		g.at(at)
		return g.binary(op, x, y, at)
	}
	v, err := pyval.Binary(op, x, y)
	g.check(at, err)
	return v
}

func (g *gen) unaryOp(op syntax.Op, x Value, at syntax.Node) Value {
	if t, ok := x.(Tensor); ok {
		g.at(at)
		return g.unary(op, t, at)
	}
	if op == syntax.Not {
		return !g.truthOf(x, at)
	}
	v, err := pyval.Unary(op, x)
	g.check(at, err)
	return v
}

// compareExpr evaluates a comparison; a < b < c is a < b and b < c with b evaluated once.
func (g *gen) compareExpr(e *syntax.Compare) Value {
	left := g.eval(e.Left)
	one := func(i int) Value {
		right := g.eval(e.Comparators[i])
		v := g.compare(e.Ops[i], left, right, e)
		left = right
		return v
	}
	if len(e.Ops) == 1 {
		return one(0)
	}
	return g.boolean(e, syntax.And, len(e.Ops), one)
}

func (g *gen) compare(op syntax.Op, x, y Value, at syntax.Node) Value {
	switch op {
	case syntax.Is:
		return same(x, y)
	case syntax.IsNot:
		return !same(x, y)
	case syntax.In, syntax.NotIn:
		if len(tensorsIn(x, nil))+len(tensorsIn(y, nil)) > 0 {
			g.unsupported(at, "'in' with run-time values; compare them one by one")
		}
	default:
		if isTensor(x) || isTensor(y) {
			g.at(at)
			return g.binary(op, x, y, at)
		}
		if len(tensorsIn(x, nil))+len(tensorsIn(y, nil)) > 0 {
			g.unsupported(at, "comparing tuples of run-time values; compare their elements")
		}
	}
	b, err := pyval.Compare(op, x, y)
	g.check(at, err)
	return b
}

// boolean evaluates a and b and …, or a or b or …, one operand after the other. A constant that
// decides the result ends it; others do not count. Run-time values are combined from the right.
func (g *gen) boolean(at syntax.Node, op syntax.Op, n int, operand func(i int) Value) Value {
	var open []Value
	var last Value
	for i := range n {
		last = operand(i)
		if isTensor(last) {
			open = append(open, last)
			continue
		}
		if g.truthOf(last, at) == (op == syntax.Or) {
			return last
		}
	}
	if len(open) == 0 {
		return last
	}
	v := open[len(open)-1]
	g.at(at)
	for i := len(open) - 2; i >= 0; i-- {
		v = g.logical(op, open[i], v, at)
	}
	return v
}

// ifExpr evaluates x if c else y. Under a run-time condition both sides have one type.
func (g *gen) ifExpr(e *syntax.IfExp) Value {
	test := g.eval(e.Test)
	t, ok := test.(Tensor)
	if !ok {
		if g.truthOf(test, e.Test) {
			return g.eval(e.Body)
		}
		return g.eval(e.Orelse)
	}
	g.at(e.Test)
	cond := g.truth(t, e.Test)
	var vals [2]Value
	var arms [2]*arm
	for i, side := range [2]syntax.Expr{e.Body, e.Orelse} {
		arms[i] = g.arm(side, func() outcome {
			vals[i] = g.eval(side)
			return outcome{kind: falls}
		})
	}
	return g.choose(e, cond, arms, vals)
}

// choose merges the sides of a conditional expression.
func (g *gen) choose(e *syntax.IfExp, cond *tile.Value, arms [2]*arm, vals [2]Value) Value {
	m := &merger{g: g, arms: arms}
	g.at(e)
	x, y := m.unify(vals[0], vals[1])
	if !alike(x, y) {
		notes := []diag.Note{g.note(e.Body, "this is %s", describe(x)), g.note(e.Orelse, "this is %s", describe(y))}
		g.failWith(e, notes, "branch-type-mismatch",
			"the two sides of a conditional expression under a run-time condition must have one type; they are %s and %s",
			describe(x), describe(y))
	}
	v := m.value(x, y, "")
	vars := m.vars()
	results := m.emit(e, cond)
	m.bind(vars, results)
	return m.fill(v, results)
}
