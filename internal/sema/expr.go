package sema

import (
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// eval evaluates an expression.
func (g *gen) eval(e syntax.Expr) Value {
	g.step(e)
	if g.depth++; g.depth > g.limit.depth {
		g.fail(e, "too-nested", "the kernel's expressions and calls are nested too deeply")
	}
	v := g.evalNested(e)
	g.depth--
	if !isTensor(v) {
		g.checkSize(v, e)
	}
	return v
}

func (g *gen) evalNested(e syntax.Expr) Value {
	switch e := e.(type) {
	case *syntax.Name:
		return g.lookup(e)
	case *syntax.Constant:
		return g.literal(e)
	case *syntax.Call:
		return g.call(e)
	case *syntax.BinOp:
		x, y := g.eval(e.Left), g.eval(e.Right)
		return g.binaryOp(e.Op, x, y, e)
	case *syntax.Attribute:
		return g.attribute(g.module(e), e.Attr, e)
	case *syntax.Subscript:
		return g.subscript(e)
	case *syntax.Compare:
		return g.compareExpr(e)
	case *syntax.UnaryOp:
		return g.unaryOp(e.Op, g.eval(e.Operand), e)
	case *syntax.BoolOp:
		return g.boolean(e, e.Op, len(e.Values), func(i int) Value { return g.eval(e.Values[i]) })
	case *syntax.Tuple:
		return g.display(e.Elts)
	case *syntax.List:
		return g.display(e.Elts)
	case *syntax.IfExp:
		return g.ifExpr(e)
	case *syntax.NamedExpr:
		v := g.eval(e.Value)
		g.assignName(e.Target, v, e.Value)
		return g.lookup(e.Target)
	case *syntax.Lambda:
		env := &closure{frame: g.frame, defaults: g.evalDefaults(e.Args)}
		return &Func{Name: "<lambda>", File: g.frame.fn.File, Lambda: e, Env: env, Library: g.frame.fn.Library}
	case *syntax.JoinedStr:
		return g.fString(e)
	case *syntax.Comp:
		return g.comprehension(e)
	}
	g.noExpression(e)
	return nil
}

func (g *gen) noExpression(e syntax.Expr) {
	switch e.(type) {
	case *syntax.Dict:
		g.unsupported(e, "a dict inside a kernel")
	case *syntax.Set:
		g.unsupported(e, "a set inside a kernel")
	case *syntax.Await:
		g.unsupported(e, "'await' inside a kernel")
	case *syntax.Yield, *syntax.YieldFrom:
		g.unsupported(e, "'yield' inside a kernel")
	case *syntax.Starred:
		g.fail(e, "bad-syntax", "'*' is possible only in a call or a tuple")
	case *syntax.Slice:
		g.fail(e, "bad-syntax", "a slice is possible only as an index")
	}
	g.fail(e, "bad-syntax", "this expression could not be read")
}

func (g *gen) literal(c *syntax.Constant) Value {
	if c.Kind == syntax.ConstInt && (c.Text[0] != '0' || len(c.Text) == 1) {
		if n, err := strconv.ParseInt(c.Text, 10, 64); err == nil {
			return n
		}
	}
	v, err := pyval.Literal(c)
	g.check(c, err)
	return v
}

// display evaluates a tuple or list, both of which are tuples in a kernel.
func (g *gen) display(elts []syntax.Expr) Value {
	elems := make([]Value, 0, len(elts))
	for _, e := range elts {
		if s, ok := e.(*syntax.Starred); ok {
			elems = append(elems, g.elements(g.eval(s.Value), s)...)
			continue
		}
		elems = append(elems, g.eval(e))
	}
	return pyval.Tuple{Elems: elems}
}

// module evaluates what stands before the dot.
func (g *gen) module(e *syntax.Attribute) Value {
	g.dotted = e
	v := g.eval(e.Value)
	g.dotted = nil
	return v
}

// attribute evaluates v.name.
func (g *gen) attribute(v Value, name string, at *syntax.Attribute) Value {
	if a, ok := g.findAttribute(v, name, at); ok {
		return a
	}
	if isNumber(v) {
		// An argument of which the launch made a constant, because it is 1, is a scalar to whoever wrote the kernel.
		if a, ok := g.attr(g.toTensor(v, at), name, at); ok {
			return a
		}
	}
	g.noAttribute(v, name, at)
	return nil
}

// findAttribute gives an attribute of any value; ok is false if it has none of that name.
func (g *gen) findAttribute(v Value, name string, at syntax.Node) (Value, bool) {
	if isTensor(v) {
		g.at(at)
	}
	if a, ok := g.attr(v, name, at); ok {
		return a, true
	}
	switch v := v.(type) {
	case pyval.Tuple:
		for i, field := range v.Names {
			if field == name {
				return v.Elems[i], true
			}
		}
	case Attrer:
		a, ok, err := v.Attr(name)
		g.check(at, err)
		return a, ok
	}
	if name == "value" && isConstant(v) {
		return v, true // what tl.constexpr's .value is
	}
	if text, ok := v.(string); ok { // MODE.startswith("a")
		return pyval.Attr(text, name)
	}
	return nil, false
}

// isConstant reports whether v is one of Python's own constants.
func isConstant(v Value) bool {
	switch v.(type) {
	case string, pyval.NoneType, pyval.Tuple:
		return true
	}
	return isNumber(v)
}

func (g *gen) noAttribute(v Value, name string, at *syntax.Attribute) {
	g.fail(at, "no-attribute", "%s has no attribute '%s'%s", describe(v), name, withoutAttribute(v, name))
}

// subscript evaluates v[i].
func (g *gen) subscript(e *syntax.Subscript) Value {
	v := g.eval(e.Value)
	if t, ok := v.(Tensor); ok {
		idx := g.tileIndices(e.Slice)
		g.at(e)
		return g.index(t, idx, e)
	}
	index := g.constantIndex(e.Slice)
	item, err := pyval.GetItem(v, index)
	g.check(e, err)
	return item
}

// tileIndices evaluates the indices of a tile, one for each of its dimensions.
func (g *gen) tileIndices(e syntax.Expr) []Value {
	t, ok := e.(*syntax.Tuple)
	if !ok {
		return []Value{g.tileIndex(e)}
	}
	idx := make([]Value, len(t.Elts))
	for i, x := range t.Elts {
		idx[i] = g.tileIndex(x)
	}
	return idx
}

func (g *gen) tileIndex(e syntax.Expr) Value {
	s, ok := e.(*syntax.Slice)
	if !ok {
		return g.eval(e)
	}
	if s.Lower != nil || s.Upper != nil || s.Step != nil {
		g.unsupported(e, "a slice of a tile: an index of a tile is ':' or None, and a tile's parts have no addresses")
	}
	return FullSlice{}
}

// constantIndex evaluates the index of a value that is known at compile time.
func (g *gen) constantIndex(e syntax.Expr) Value {
	s, ok := e.(*syntax.Slice)
	if !ok {
		return g.indexPart(e)
	}
	bound := func(e syntax.Expr) Value {
		if e == nil {
			return pyval.None
		}
		return g.indexPart(e)
	}
	return pyval.Slice{Start: bound(s.Lower), Stop: bound(s.Upper), Step: bound(s.Step)}
}

func (g *gen) indexPart(e syntax.Expr) Value {
	v := g.eval(e)
	if _, ok := v.(Tensor); ok {
		g.needConstant(e, "the index of a tuple")
	}
	return v
}

// inFString is what needConstant is told of a value in an f-string.
const inFString = "a value in an f-string"

// fString evaluates an f-string, whose values must be constants.
func (g *gen) fString(e *syntax.JoinedStr) Value {
	var b strings.Builder
	for _, part := range e.Values {
		switch p := part.(type) {
		case *syntax.Constant:
			b.WriteString(p.Text)
		case *syntax.FormattedValue:
			b.WriteString(g.formatted(p))
		}
		if b.Len() > pyval.MaxLen {
			g.fail(e, "too-large", "this string is longer than %d bytes", pyval.MaxLen)
		}
	}
	return b.String()
}

func (g *gen) formatted(p *syntax.FormattedValue) string {
	v := g.eval(p.Value)
	if len(tensorsIn(v, nil)) > 0 {
		g.needConstant(p.Value, inFString)
	}
	spec := ""
	if p.FormatSpec != nil {
		spec = g.fString(p.FormatSpec).(string)
	}
	s, err := pyval.Format(v, p.Conversion, spec)
	g.check(p, err)
	return s
}

// comprehension evaluates a list comprehension or generator expression over constants.
func (g *gen) comprehension(e *syntax.Comp) Value {
	if e.Kind != syntax.ListComp && e.Kind != syntax.GeneratorExp {
		g.unsupported(e, "a set or dict inside a kernel")
	}
	var own syntax.Names
	targets := syntax.Binder{Bind: own.Add}
	for _, c := range e.Generators {
		targets.Target(c.Target)
	}
	mark := g.frame.mark()
	var elems []Value
	g.generate(e, e.Generators, &elems)
	for _, c := range g.frame.end(mark) {
		if !own.Has(c.name) {
			g.frame.bind(c.name, c.now)
		}
	}
	return pyval.Tuple{Elems: elems}
}

// generate does the for-clauses of a comprehension.
func (g *gen) generate(e *syntax.Comp, clauses []syntax.Comprehension, elems *[]Value) {
	if len(clauses) == 0 {
		*elems = append(*elems, g.eval(e.Elt))
		return
	}
	c := clauses[0]
	for _, item := range g.elements(g.eval(c.Iter), c.Iter) {
		g.assign(c.Target, item, c.Iter)
		if g.passes(c.Ifs) {
			g.generate(e, clauses[1:], elems)
		}
	}
}

// passes reports whether all of a comprehension's conditions hold.
func (g *gen) passes(conds []syntax.Expr) bool {
	for _, cond := range conds {
		v := g.eval(cond)
		if _, ok := v.(Tensor); ok {
			g.needConstant(cond, "the condition of a comprehension")
		}
		if !g.truthOf(v, cond) {
			return false
		}
	}
	return true
}
