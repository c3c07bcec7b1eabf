package sema

import (
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/tile"
)

// An arm is one side of an if whose condition is known only at run time.
type arm struct {
	blk  *tile.Block
	out  outcome
	vars []change    // what it assigned
	at   syntax.Node // the arm, for diagnostics

	index map[string]int // of vars, by name, once the arms are merged
}

// ifStmt does an if. If the condition is a constant it gives the statements to go on with.
// Otherwise both arms are compiled; done tells that the whole of rest was, too. If it was not, and
// an arm may have returned, rest is to be done unless it did.
func (g *gen) ifStmt(st *syntax.If, rest *seq) (body []syntax.Stmt, out outcome, done bool) {
	test := g.eval(st.Test)
	t, dynamic := test.(Tensor)
	if !dynamic {
		if g.truthOf(test, st.Test) {
			return st.Body, outcome{}, false
		}
		return st.Orelse, outcome{}, false
	}
	g.at(st.Test)
	cond := g.truth(t, st.Test)
	arms := [2]*arm{
		g.arm(st, func() outcome { return g.exec(push(st.Body, nil)) }),
		g.arm(st, func() outcome { return g.exec(push(st.Orelse, nil)) }),
	}
	out, done = g.join(st, cond, arms, rest)
	return nil, out, done
}

// join ends a run-time if. Where an arm returned, the rest of the region must be done only if
// it did not, so rest is compiled into the other arm or, where that is not enough, under an if
// of its own. In both cases it is compiled once. Each return nests what follows it, up to a limit;
// beyond, it is left to exec, which goes from one return to the next.
func (g *gen) join(at syntax.Node, cond *tile.Value, arms [2]*arm, rest *seq) (outcome, bool) {
	rest = rest.trim()
	deep, done := g.regions >= g.limit.nesting, false
	for i, a := range arms {
		if a.out.kind == falls && arms[1-i].out.kind == returns && (!deep || rest == nil) {
			g.extend(at, a, rest)
			done = true
		}
	}
	out := g.merge(at, cond, arms)
	switch {
	case done || out.kind == returns:
		return out, true
	case out.kind == falls:
		return out, false
	case rest == nil:
		return out, true
	case deep:
		return out, false
	}
	return g.unlessReturned(at, out, func() outcome { return g.exec(rest) }), true
}

// unlessReturned goes on after an if that may have returned, under an if of its own.
func (g *gen) unlessReturned(at syntax.Node, out outcome, do func() outcome) outcome {
	returned := &arm{blk: &tile.Block{}, out: outcome{kind: returns, value: out.value, at: out.at}, at: at}
	return g.merge(at, out.flag, [2]*arm{returned, g.arm(at, do)})
}

// arm compiles one side of an if.
func (g *gen) arm(at syntax.Node, do func() outcome) *arm {
	a := &arm{blk: &tile.Block{}, at: at}
	g.inArm(at, a, func() { a.out = do() })
	return a
}

// inArm goes on with an arm.
func (g *gen) inArm(at syntax.Node, a *arm, do func()) {
	f := g.frame
	mark := f.mark()
	f.redo(a.vars)
	g.inRegion(at, a.blk, do)
	a.vars = f.end(mark)
}

// extend does a seq at the end of an arm.
func (g *gen) extend(at syntax.Node, a *arm, rest *seq) {
	if rest = rest.trim(); rest == nil {
		return
	}
	g.inArm(at, a, func() { a.out = g.exec(rest) })
}

// A merger builds the results of an if: for each, what either arm yields.
type merger struct {
	g      *gen
	arms   [2]*arm
	yields [2][]*tile.Value
	types  []tile.Type
	names  []string
	holes  map[*tile.Value]int // which result a value stands for until there are results
}

// merge appends the if and gives what follows from its arms together.
func (g *gen) merge(at syntax.Node, cond *tile.Value, arms [2]*arm) outcome {
	m := &merger{g: g, arms: arms}
	g.at(at)
	out := m.outcome(at)
	var vars []merged
	if out.kind != returns {
		vars = m.vars()
	}
	results := m.emit(at, cond)
	out.value = m.fill(out.value, results)
	if out.kind == mayReturn {
		out.flag = results[0]
	}
	m.bind(vars, results)
	return out
}

// bind binds the merged names.
func (m *merger) bind(vars []merged, results []*tile.Value) {
	for _, v := range vars {
		v.val = m.fill(v.val, results)
		m.g.frame.bind(v.name, v.local)
	}
}

// A merged is what a name is bound to after an if.
type merged struct {
	name string
	local
}

// fill puts the results of the if in the place of what stands for them.
func (m *merger) fill(v Value, results []*tile.Value) Value {
	if v == nil {
		return nil
	}
	return replaceTensors(v, func(t Tensor) Tensor {
		if i, ok := m.holes[t.V]; ok {
			return Tensor{results[i], t.DType}
		}
		return t
	})
}

// hole adds a result of the if and gives a tensor that stands for it; a nil side yields zero,
// which nobody reads.
func (m *merger) hole(t Type, x, y *tile.Value, name string) Tensor {
	for i, v := range [2]*tile.Value{x, y} {
		if v == nil {
			v = m.in(i, func() Tensor { return m.g.zero(t) }).V
		}
		m.yields[i] = append(m.yields[i], v)
	}
	h := &tile.Value{Type: t.Tile}
	if m.holes == nil {
		m.holes = make(map[*tile.Value]int)
	}
	m.holes[h] = len(m.types)
	m.types = append(m.types, t.Tile)
	m.names = append(m.names, name)
	return Tensor{h, t.DType}
}

// in builds operations at the end of an arm.
func (m *merger) in(i int, f func() Tensor) Tensor {
	old := m.g.b.SetBlock(m.arms[i].blk)
	t := f()
	m.g.b.SetBlock(old)
	return t
}

// emit appends the if.
func (m *merger) emit(at syntax.Node, cond *tile.Value) []*tile.Value {
	g := m.g
	if len(m.types) == 0 && len(m.arms[0].blk.Ops) == 0 && len(m.arms[1].blk.Ops) == 0 {
		return nil
	}
	for i := range m.arms {
		m.in(i, func() Tensor { g.b.Yield(m.yields[i]...); return Tensor{} })
	}
	op := g.b.OpWithRegions(tile.OpIf, nil, []*tile.Value{cond}, []*tile.Block{m.arms[0].blk, m.arms[1].blk}, m.types...)
	for i, r := range op.Results {
		r.Name = m.names[i]
	}
	return op.Results
}

// outcome merges how the arms ended. The flag, if there is one, is the first result.
func (m *merger) outcome(at syntax.Node) outcome {
	x, y := m.arms[0].out, m.arms[1].out
	if x.kind == falls && y.kind == falls {
		return outcome{kind: falls}
	}
	out := outcome{kind: returns, at: x.at}
	if x.kind != returns || y.kind != returns {
		out.kind = mayReturn
		m.hole(ScalarType(dtype.Int1), m.flag(0), m.flag(1), "returned")
	}
	switch {
	case x.kind == falls:
		out.at, out.value = y.at, m.value(nil, y.value, "")
	case y.kind == falls:
		out.value = m.value(x.value, nil, "")
	default:
		a, b := m.unify(x.value, y.value)
		if !alike(a, b) {
			m.returnMismatch(x, y)
		}
		out.value = m.value(a, b, "")
	}
	return out
}

// flag gives whether an arm returned.
func (m *merger) flag(i int) *tile.Value {
	out := m.arms[i].out
	if out.kind == mayReturn {
		return out.flag
	}
	bit := uint64(0)
	if out.kind == returns {
		bit = 1
	}
	return m.in(i, func() Tensor { return m.g.constant(ScalarType(dtype.Int1), bit) }).V
}

func (m *merger) returnMismatch(x, y outcome) {
	g := m.g
	if x.at == nil {
		x, y = y, x
	}
	if y.at == nil {
		g.fail(x.at, "missing-return", "'%s' returns %s here, but can reach its end without returning a value",
			g.frame.fn.Name, describe(x.value))
	}
	g.failWith(y.at, []diag.Note{g.note(x.at, "here it returns %s", describe(x.value))}, "return-type-mismatch",
		"this returns %s, but another return under a run-time condition returns %s; all must have one type",
		describe(y.value), describe(x.value))
}

// value merges two values that are alike; a nil one is never read.
func (m *merger) value(x, y Value, name string) Value {
	some := x
	if some == nil {
		some = y
	}
	if x != nil && y != nil && same(x, y) {
		return x
	}
	if t, ok := some.(Tensor); ok {
		return m.hole(t.Type(), handle(x), handle(y), name)
	}
	parts, ok := partsOf(some)
	if !ok {
		return some
	}
	xs, _ := partsOf(x)
	ys, _ := partsOf(y)
	out := make([]Value, len(parts))
	for i := range parts {
		out[i] = m.value(elem(xs, i), elem(ys, i), name)
	}
	if t, ok := some.(pyval.Tuple); ok {
		return pyval.Tuple{Elems: out, Names: t.Names}
	}
	return some.(composite).withParts(out)
}

func elem(list []Value, i int) Value {
	if list == nil {
		return nil
	}
	return list[i]
}

func handle(v Value) *tile.Value {
	if t, ok := v.(Tensor); ok {
		return t.V
	}
	return nil
}

// unify makes scalars of numbers that are not the same on both sides.
func (m *merger) unify(x, y Value) (Value, Value) {
	if same(x, y) {
		return x, y
	}
	xt, ok1 := x.(pyval.Tuple)
	yt, ok2 := y.(pyval.Tuple)
	if ok1 && ok2 && len(xt.Elems) == len(yt.Elems) {
		xs, ys := make([]Value, len(xt.Elems)), make([]Value, len(xt.Elems))
		for i := range xs {
			xs[i], ys[i] = m.unify(xt.Elems[i], yt.Elems[i])
		}
		return pyval.Tuple{Elems: xs, Names: xt.Names}, pyval.Tuple{Elems: ys, Names: yt.Names}
	}
	return m.scalar(0, x), m.scalar(1, y)
}

// scalar makes a number a scalar in an arm.
func (m *merger) scalar(i int, v Value) Value {
	if !isNumber(v) {
		return v
	}
	at := m.arms[i].at
	if ret := m.arms[i].out.at; ret != nil {
		at = ret
	}
	return m.in(i, func() Tensor { return m.g.toTensor(v, at) })
}

// vars merges what the arms assigned.
func (m *merger) vars() []merged {
	var out []merged
	for _, a := range m.arms {
		a.index = make(map[string]int, len(a.vars))
		for i, c := range a.vars {
			a.index[c.name] = i
		}
	}
	for i, a := range m.arms {
		for _, c := range a.vars {
			if _, done := m.arms[0].index[c.name]; done && i == 1 {
				continue
			}
			if l, ok := m.variable(c); ok {
				out = append(out, merged{c.name, l})
			}
		}
	}
	return out
}

// variable merges one name; ok is false if it is as it was before the if.
func (m *merger) variable(c change) (l local, ok bool) {
	x, inX := m.arms[0].final(c)
	y, inY := m.arms[1].final(c)
	m.g.payWalk(x.val, x.at)
	m.g.payWalk(y.val, y.at)
	switch {
	case m.arms[0].out.kind == returns:
		return m.only(1, y, c.name), inY
	case m.arms[1].out.kind == returns:
		return m.only(0, x, c.name), inX
	case x.val == nil || y.val == nil:
		return absent(x, y), true
	case same(x.val, y.val):
		return x, true
	}
	if c.was.soft {
		x.val, y.val = m.unify(x.val, y.val)
	}
	if !alike(x.val, y.val) {
		return m.mismatch(c, x, y), true
	}
	l = local{val: m.value(x.val, y.val, c.name), at: x.at}
	if !inX {
		l.at = y.at
	}
	return l, true
}

// final gives what a name is bound to at the end of an arm, and whether the arm bound it.
func (a *arm) final(c change) (local, bool) {
	if i, ok := a.index[c.name]; ok {
		return a.vars[i].now, true
	}
	return c.was, false
}

// only gives what a name is after an if whose other arm returned.
func (m *merger) only(i int, l local, name string) local {
	if l.val == nil {
		return l
	}
	if i == 0 {
		l.val = m.value(l.val, nil, name)
	} else {
		l.val = m.value(nil, l.val, name)
	}
	return l
}

// absent gives what becomes of a name that is not bound at the end of each arm.
func absent(x, y local) local {
	bound := x
	if x.val == nil {
		bound = y
	}
	if bound.val != nil {
		return local{at: bound.at, gone: &absence{kind: inBranch, at: bound.at}}
	}
	if x.gone != nil {
		return x
	}
	return y
}

// mismatch gives what becomes of a name that is bound to unlike values. If it had a type
// before, that is an error; otherwise only its use is.
func (m *merger) mismatch(c change, x, y local) local {
	g := m.g
	if c.was.val != nil && (isNumber(c.was.val) || len(tensorsIn(c.was.val, nil)) > 0) {
		bad := x
		if alike(x.val, c.was.val) {
			bad = y
		}
		g.failWith(bad.at, []diag.Note{g.note(c.was.at, "before the if it is %s", describe(c.was.val))}, "branch-type-mismatch",
			"'%s' becomes %s here but is %s before the if; under a run-time condition a variable keeps its type",
			c.name, describe(bad.val), describe(c.was.val))
	}
	return local{at: x.at, gone: &absence{kind: differs, at: x.at, also: y.at, was: describe(x.val), now: describe(y.val)}}
}
