package module

import (
	"errors"
	"math/big"
	"strings"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// eval evaluates an expression.
func (f *frame) eval(e syntax.Expr) (Value, error) {
	if err := f.spend(1, e); err != nil {
		return nil, err
	}
	p := f.mod.prog
	if p.nest++; p.nest > maxNest {
		p.nest--
		return nil, f.mod.raise(e, pyval.Errorf("RecursionError", "too much depends on one another"))
	}
	v, err := f.evalNode(e)
	p.nest--
	switch e.(type) {
	case *syntax.List, *syntax.Dict, *syntax.Set, *syntax.Comp:
		p.born(v)
	}
	return v, err
}

// known gives a value, or what is not known in it.
func (f *frame) known(v Value) Value {
	if u := f.mod.prog.doubtful(v); u != nil {
		return u
	}
	return v
}

func (f *frame) evalNode(e syntax.Expr) (Value, error) {
	switch e := e.(type) {
	case *syntax.Constant:
		if e.Kind == syntax.ConstBytes || e.Kind == syntax.ConstImag {
			return f.mod.unsupported(e, "bytes and complex numbers are not evaluated by Tegula"), nil
		}
		v, err := pyval.Literal(e)
		return v, f.mod.raise(e, err)
	case *syntax.Name:
		return f.lookup(e)
	case *syntax.Attribute:
		v, err := f.eval(e.Value)
		if err != nil {
			return nil, err
		}
		return f.attr(v, e.Attr, e)
	case *syntax.Call:
		return f.call(e)
	case *syntax.Subscript:
		return f.subscript(e)
	case *syntax.BinOp:
		return f.binOp(e)
	case *syntax.UnaryOp:
		v, err := f.eval(e.Operand)
		if err != nil {
			return nil, err
		}
		return f.unary(e.Op, v, e)
	case *syntax.BoolOp:
		return f.boolOp(e)
	case *syntax.Compare:
		return f.compare(e)
	case *syntax.IfExp:
		t, err := f.test(e.Test)
		switch {
		case err != nil:
			return f.orUnknown(e, err)
		case t:
			return f.eval(e.Body)
		}
		return f.eval(e.Orelse)
	case *syntax.NamedExpr:
		v, err := f.eval(e.Value)
		if err != nil {
			return nil, err
		}
		return v, f.bindAround(e.Target.Id, v)
	}
	return f.evalDisplay(e)
}

// evalDisplay evaluates what makes a new object.
func (f *frame) evalDisplay(e syntax.Expr) (Value, error) {
	switch e := e.(type) {
	case *syntax.Tuple:
		elems, err := f.exprs(e.Elts)
		return pyval.Tuple{Elems: elems}, err
	case *syntax.List:
		elems, err := f.exprs(e.Elts)
		return &pyval.List{Elems: elems}, err
	case *syntax.Set:
		elems, err := f.exprs(e.Elts)
		if err != nil {
			return nil, err
		}
		for _, v := range elems {
			if u := f.mod.prog.doubtful(v); u != nil {
				return f.orUnknown(e, u.err())
			}
		}
		s, err := pyval.NewSet(elems, false)
		return s, f.mod.raise(e, err)
	case *syntax.Dict:
		return f.dict(e)
	case *syntax.Comp:
		return f.comprehension(e)
	case *syntax.JoinedStr:
		return f.joined(e)
	case *syntax.Lambda:
		return f.lambda(e)
	case *syntax.Slice:
		return f.slice(e)
	case *syntax.Yield:
		return f.yield(e)
	}
	return f.mod.unsupported(e, "this expression is not evaluated by Tegula"), nil
}

// bindAround binds a name for :=, which comprehensions leave to what is around them.
func (f *frame) bindAround(name string, v Value) error {
	g := f
	for g.kind == compFrame && g.outer != nil {
		g = g.outer
	}
	g.at = f.at
	return g.bind(name, v)
}

// orUnknown turns an error about an unknown into the unknown itself: the value of the
// expression that needed it is just as unknown, and what the expression may change.
func (f *frame) orUnknown(e syntax.Expr, err error) (Value, error) {
	if u := (*unknownError)(nil); errors.As(err, &u) && f.mod.prog.steps >= 0 {
		f.havoc(e, u.unknown)
		return u.unknown, nil
	}
	return nil, err
}

// exprs evaluates the elements of a display, with *iterable ones.
func (f *frame) exprs(list []syntax.Expr) ([]Value, error) {
	out := make([]Value, 0, len(list))
	for _, e := range list {
		if s, ok := e.(*syntax.Starred); ok {
			elems, err := f.iterate(s.Value)
			if err != nil {
				return nil, err
			}
			out = append(out, elems...)
			continue
		}
		v, err := f.eval(e)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func (f *frame) dict(e *syntax.Dict) (Value, error) {
	d := &pyval.Dict{}
	for i, k := range e.Keys {
		v, err := f.eval(e.Values[i])
		if err != nil {
			return nil, err
		}
		if k == nil {
			more, ok := v.(*pyval.Dict)
			if u := isUnknown(v); u != nil {
				return f.orUnknown(e, u.err())
			}
			if !ok {
				return nil, f.mod.raise(e.Values[i], pyval.Errorf("TypeError", "'%s' object is not a mapping", pyval.TypeName(v)))
			}
			if err := d.Update(more); err != nil {
				return nil, f.mod.raise(e, err)
			}
			continue
		}
		key, err := f.eval(k)
		if err != nil {
			return nil, err
		}
		if u := f.mod.prog.doubtful(key); u != nil {
			return f.orUnknown(e, u.err())
		}
		if err := d.Set(key, v); err != nil {
			return nil, f.mod.raise(k, err)
		}
	}
	return d, nil
}

func (f *frame) slice(e *syntax.Slice) (Value, error) {
	s := pyval.Slice{Start: pyval.None, Stop: pyval.None, Step: pyval.None}
	for _, part := range []struct {
		expr syntax.Expr
		to   *Value
	}{{e.Lower, &s.Start}, {e.Upper, &s.Stop}, {e.Step, &s.Step}} {
		if part.expr == nil {
			continue
		}
		v, err := f.eval(part.expr)
		if err != nil {
			return nil, err
		}
		*part.to = plain(v)
	}
	return s, nil
}

func (f *frame) subscript(e *syntax.Subscript) (Value, error) {
	v, err := f.eval(e.Value)
	if err != nil {
		return nil, err
	}
	index, err := f.eval(e.Slice)
	if err != nil {
		return nil, err
	}
	if u := isUnknown(v); u != nil {
		f.gone(e, u, index)
		return u.with("[…]"), nil
	}
	if _, ok := v.(*kernel); ok {
		u := f.mod.unsupported(e, "Tegula launches nothing while it evaluates a module")
		f.gone(e, u, index)
		return u, nil
	}
	if u := f.mod.prog.doubtful(index); u != nil {
		for _, part := range partsOf(v) {
			f.mod.prog.escape(part, u)
		}
		f.mod.prog.mayRaise(u)
		return u, nil
	}
	if _, text := v.(string); text { // its characters are counted
		if err := f.charge(v, e); err != nil {
			return nil, err
		}
	}
	item, err := pyval.GetItem(plain(v), index)
	if err != nil && !isData(v) && !isContainer(v) { // types, as in list[int], and the like
		u := f.mod.unsupported(e, "%v", err)
		f.gone(e, u, v, index)
		return u, nil
	}
	if err != nil {
		return nil, f.mod.raise(e, err)
	}
	return f.mod.prog.seen(item, f.mod.text(e)), f.charge(item, e)
}

func (f *frame) binOp(e *syntax.BinOp) (Value, error) {
	x, err := f.eval(e.Left)
	if err != nil {
		return nil, err
	}
	y, err := f.eval(e.Right)
	if err != nil {
		return nil, err
	}
	return f.binary(e.Op, x, y, e)
}

// binary does x op y. A constant operand makes the result one.
func (f *frame) binary(op syntax.Op, x, y Value, at syntax.Node) (Value, error) {
	for _, v := range []Value{x, y} {
		if u := isUnknown(plain(v)); u != nil {
			f.gone(at, u, x, y)
			return u, nil
		}
	}
	if u := f.doubtfulOperands(op, x, y); u != nil {
		f.gone(at, u, x, y)
		return u, nil
	}
	work := cost(plain(x)) + cost(plain(y))
	if op == syntax.Pow {
		work += 64
	}
	if err := f.spend(work, at); err != nil {
		return nil, err
	}
	v, err := pyval.Binary(op, plain(x), plain(y))
	if err != nil && f.mod.prog.running > 0 && !(isData(x) && isData(y)) { // types, as in int | None, and the like
		u := f.mod.unsupported(at, "%v", err)
		f.gone(at, u, x, y)
		return u, nil
	}
	if err != nil {
		return nil, f.mod.raise(at, err)
	}
	if isConstant(x) || isConstant(y) {
		v = &constant{v}
	}
	return v, f.charge(v, at)
}

// isData reports whether a value is one of Python's data, whose operators are all known here.
func isData(v Value) bool {
	switch plain(v).(type) {
	case pyval.NoneType, bool, int64, *big.Int, float64, string, pyval.Tuple, *pyval.List, *pyval.Dict, *pyval.Set, pyval.Range:
		return true
	}
	return false
}

func isContainer(v Value) bool {
	_, ok := v.(pyval.Container)
	return ok
}

// doubtfulOperands gives what is not known in operands that an operator looks into, or nil.
func (f *frame) doubtfulOperands(op syntax.Op, x, y Value) *unknown {
	for _, v := range []Value{plain(x), plain(y)} {
		_, isSet := v.(*pyval.Set)
		_, isText := v.(string)
		if !isSet && (!isText || op != syntax.Mod) {
			continue
		}
		for _, v := range []Value{x, y} {
			if u := f.mod.prog.doubtful(v); u != nil {
				return u
			}
		}
	}
	return nil
}

func (f *frame) unary(op syntax.Op, x Value, at syntax.Node) (Value, error) {
	if u := isUnknown(plain(x)); u != nil {
		f.mod.prog.mayRaise(u)
		return u, nil
	}
	v, err := pyval.Unary(op, plain(x))
	if err != nil {
		return nil, f.mod.raise(at, err)
	}
	if isConstant(x) && op != syntax.Not {
		v = &constant{v}
	}
	return v, nil
}

func (f *frame) boolOp(e *syntax.BoolOp) (Value, error) {
	for i, x := range e.Values {
		v, err := f.eval(x)
		if err != nil || i == len(e.Values)-1 {
			return v, err
		}
		t, err := f.truth(v, x)
		if err != nil {
			return f.orUnknown(e, err)
		}
		if t == (e.Op == syntax.Or) {
			return v, nil
		}
	}
	return pyval.None, nil
}

func (f *frame) compare(e *syntax.Compare) (Value, error) {
	x, err := f.eval(e.Left)
	if err != nil {
		return nil, err
	}
	for i, op := range e.Ops {
		y, err := f.eval(e.Comparators[i])
		if err != nil {
			return nil, err
		}
		v, err := f.compareOne(op, x, y, e)
		if err != nil || i == len(e.Ops)-1 {
			return v, err
		}
		t, err := f.truth(v, e)
		if err != nil {
			return f.orUnknown(e, err)
		}
		if !t {
			return v, nil
		}
		x = y
	}
	return true, nil
}

func (f *frame) compareOne(op syntax.Op, x, y Value, at syntax.Node) (Value, error) {
	is := op == syntax.Is || op == syntax.IsNot
	for _, v := range []Value{x, y} {
		u := isUnknown(plain(v))
		if u == nil && !is {
			u = f.mod.prog.doubtful(v)
		}
		if u != nil {
			if !is {
				f.mod.prog.mayRaise(u)
			}
			return u, nil
		}
	}
	if err := f.spend(1+cost(plain(x))+cost(plain(y)), at); err != nil {
		return nil, err
	}
	t, err := pyval.Compare(op, plain(x), plain(y))
	if err != nil {
		return nil, f.mod.raise(at, err)
	}
	var v Value = t
	if (isConstant(x) || isConstant(y)) && op < syntax.Is {
		v = &constant{t}
	}
	return v, nil
}

// joined evaluates an f-string.
func (f *frame) joined(e *syntax.JoinedStr) (Value, error) {
	var b strings.Builder
	for _, part := range e.Values {
		switch p := part.(type) {
		case *syntax.Constant:
			b.WriteString(p.Text)
		case *syntax.FormattedValue:
			text, err := f.formatted(p)
			if err != nil {
				return f.orUnknown(e, err)
			}
			b.WriteString(text)
		}
		if b.Len() > pyval.MaxLen {
			return nil, f.mod.raise(e, pyval.Errorf("MemoryError", "the string is too large"))
		}
	}
	return b.String(), f.spend(b.Len()/64, e)
}

func (f *frame) formatted(p *syntax.FormattedValue) (string, error) {
	v, err := f.eval(p.Value)
	if err != nil {
		return "", err
	}
	if u := f.mod.prog.doubtful(v); u != nil {
		return "", u.err()
	}
	spec := ""
	if p.FormatSpec != nil {
		s, err := f.joined(p.FormatSpec)
		if err != nil {
			return "", err
		}
		if u := isUnknown(s); u != nil {
			return "", u.err()
		}
		spec = s.(string)
	}
	if spec != "" || p.Conversion == 's' {
		v = plain(v)
	}
	text, err := pyval.Format(v, p.Conversion, spec)
	return text, f.mod.raise(p, err)
}

func (f *frame) yield(e *syntax.Yield) (Value, error) {
	if f.yields == nil {
		return f.mod.unsupported(e, "a yield outside a function is not evaluated"), nil
	}
	var v Value = pyval.None
	if e.Value != nil {
		var err error
		if v, err = f.eval(e.Value); err != nil {
			return nil, err
		}
	}
	if len(*f.yields) >= pyval.MaxLen {
		return nil, f.mod.raise(e, pyval.Errorf("MemoryError", "the generator yields too much"))
	}
	*f.yields = append(*f.yields, v)
	return pyval.None, nil
}

// cheapMethods take the same time however large the value is.
var cheapMethods = map[string]bool{"append": true, "get": true, "add": true, "setdefault": true, "value": true}

// attr evaluates v.name.
func (f *frame) attr(v Value, name string, at syntax.Node) (Value, error) {
	if u := isUnknown(v); u != nil {
		f.mod.prog.mayRaise(u)
	}
	if l, ok := v.(*library); ok {
		if a, ok := f.mod.libraryAttr(l, name); ok {
			return a, nil
		}
	}
	a, ok, err := getAttr(v, name)
	if err != nil {
		return nil, f.mod.raise(at, err)
	}
	if b, isMethod := a.(*pyval.Builtin); isMethod && b.Self != nil && pyval.Changes(b.Self, b.Name) {
		a = &method{f.mod.prog, b}
	}
	a = f.mod.prog.seen(a, f.mod.text(at))
	if ok && cheapMethods[name] {
		return a, nil
	}
	if ok { // what methods of large values cost is paid here
		return a, f.charge(v, at)
	}
	switch x := v.(type) {
	case sema.LangModule:
		return nil, f.mod.raise(at, pyval.Errorf("AttributeError", "module '%s' has no attribute '%s'", string(x), name))
	case *userModule:
		if v, ok := x.mod.dynamic(name); ok {
			return v, nil
		}
		return nil, f.mod.raise(at, pyval.Errorf("AttributeError", "module '%s' has no attribute '%s'", x.name, name))
	}
	if hasPythonAttr(plain(v), name) {
		u := f.mod.unsupported(at, "'%s.%s' is not evaluated by Tegula", pyval.TypeName(plain(v)), name)
		f.mod.prog.escape(v, u)
		return u, nil
	}
	return nil, f.mod.raise(at, pyval.Errorf("AttributeError", "'%s' object has no attribute '%s'", pyval.TypeName(v), name))
}

// getAttr gives an attribute of any value.
func getAttr(v Value, name string) (a Value, ok bool, err error) {
	switch v := v.(type) {
	case *unknown:
		return v.with("." + name), true, nil
	case *constant:
		if name == "value" {
			return v.v, true, nil
		}
		return getAttr(v.v, name)
	case sema.LangModule:
		a, ok = langAttr(v, name)
		return a, ok, nil
	case sema.Type:
		a, ok = sema.TypeAttr(v, name)
		return a, ok, nil
	case attributed:
		return v.attr(name)
	case *function:
		if name == "__name__" {
			return v.name, true, nil
		}
		return &unknown{path: v.name + "." + name, why: "attributes of functions are not evaluated by Tegula", at: v.mod.place(v.node)}, true, nil
	}
	return pyval.GetAttr(v, name)
}

// An attributed object of this package has attributes. (Attrer is for other packages' objects.)
type attributed interface {
	attr(name string) (Value, bool, error)
}
