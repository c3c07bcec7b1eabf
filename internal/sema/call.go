package sema

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// call evaluates a call.
func (g *gen) call(e *syntax.Call) Value {
	fn := g.eval(e.Func)
	return g.apply(fn, g.arguments(e), e)
}

// arguments evaluates the arguments of a call.
func (g *gen) arguments(e *syntax.Call) *argList {
	a := &argList{pos: make([]Value, 0, len(e.Args)), posAt: make([]syntax.Node, 0, len(e.Args))}
	for _, x := range e.Args {
		if s, ok := x.(*syntax.Starred); ok {
			for _, v := range g.elements(g.eval(s.Value), s) {
				a.pos = append(a.pos, v)
				a.posAt = append(a.posAt, s)
			}
			continue
		}
		a.pos = append(a.pos, g.eval(x))
		a.posAt = append(a.posAt, x)
	}
	for i := range e.Keywords {
		k := &e.Keywords[i]
		v := g.eval(k.Value)
		if k.Arg == "" {
			g.spread(a, v, k)
			continue
		}
		a.kw = append(a.kw, Kwarg{Name: k.Arg, Value: v})
		a.kwAt = append(a.kwAt, k)
	}
	return a
}

// spread adds the arguments of **v.
func (g *gen) spread(a *argList, v Value, at syntax.Node) {
	d, ok := v.(*pyval.Dict)
	if !ok {
		g.fail(at, "bad-argument", "'**' needs a dict, not %s", describe(v))
	}
	for key, val := range d.All() {
		name, ok := key.(string)
		if !ok {
			g.fail(at, "bad-argument", "'**' needs a dict whose keys are strings, not %s", describe(key))
		}
		a.kw = append(a.kw, Kwarg{Name: name, Value: val})
		a.kwAt = append(a.kwAt, at)
	}
}

// callFunc calls anything that can be called. at is where, for diagnostics.
func (g *gen) callFunc(fn Value, args []Value, kw []Kwarg, at syntax.Node) Value {
	a := &argList{pos: args, posAt: make([]syntax.Node, len(args)), kw: kw, kwAt: make([]syntax.Node, len(kw))}
	for i := range a.posAt {
		a.posAt[i] = at
	}
	for i := range a.kwAt {
		a.kwAt[i] = at
	}
	return g.apply(fn, a, at)
}

func (g *gen) apply(fn Value, a *argList, at syntax.Node) Value {
	switch fn := fn.(type) {
	case *Builtin:
		return g.callBuiltin(fn, a, at)
	case *Func:
		return g.inline(fn, a, at)
	case *Method:
		return g.apply(fn.Fn, a.prepend(fn.Self, at), at)
	case Type:
		return g.construct(fn, a, at)
	case Class:
		return g.makeRecord(fn, a, at)
	case Callable:
		return g.callHost(fn, a, at)
	}
	g.fail(at, "not-callable", "%s cannot be called", describe(fn))
	return nil
}

// callBuiltin calls a function of the language that is written in Go.
func (g *gen) callBuiltin(fn *Builtin, a *argList, at syntax.Node) Value {
	s := fn.signature()
	c := &call{node: at, name: fn.Name, sig: s}
	if e, ok := at.(*syntax.Call); ok {
		c.name = g.source(e.Func)
	}
	b := g.bindArgs(c.name, s, a, at)
	c.args, c.at, c.rest = b.vals, b.at, b.rest
	c.set = make([]bool, len(c.args))
	for i, v := range c.args {
		if c.set[i] = v != nil; !c.set[i] {
			c.args[i], c.at[i] = s.params[i].value, at
		}
	}
	g.at(at)
	if v := fn.Fn(g, c); v != nil {
		return v
	}
	return pyval.None
}

// paramName gives the name of parameter i.
func (c *call) paramName(i int) string { return "'" + c.sig.params[i].name + "'" }

// construct calls a type: the conversion of one value to it.
func (g *gen) construct(t Type, a *argList, at syntax.Node) Value {
	if len(a.pos) != 1 || len(a.kw) > 0 {
		g.fail(at, "bad-argument", "%s as a function converts one value", t)
	}
	g.at(at)
	return g.castType(g.toTensor(a.pos[0], a.posAt[0]), t, at)
}

// callHost calls a function of the host. Most take constants only.
func (g *gen) callHost(fn Callable, a *argList, at syntax.Node) Value {
	takes, computes := false, false
	if taker, ok := fn.(TensorTaker); ok {
		takes, computes = taker.TakesTensors()
	}
	if !takes {
		g.hostArguments(a, at)
	}
	v, err := fn.Call(a.pos, a.kw)
	if err != nil && computes {
		g.hostArguments(a, at) // the likely reason
	}
	g.check(at, err)
	return v
}

// hostArguments fails if there is a run-time value among the arguments.
func (g *gen) hostArguments(a *argList, call syntax.Node) {
	for i, v := range a.pos {
		g.hostArgument(v, a.posAt[i], call)
	}
	for i, k := range a.kw {
		g.hostArgument(k.Value, a.kwAt[i], call)
	}
}

func (g *gen) hostArgument(v Value, at, call syntax.Node) {
	if len(tensorsIn(v, nil)) > 0 {
		g.needConstant(at, "an argument of a function that runs at compile time"+ownFunction(call))
	}
}

// inline evaluates a kernel function in place.
func (g *gen) inline(fn *Func, a *argList, at syntax.Node) Value {
	g.checkRecursion(fn, at)
	g.uses(fn)
	s, body := fn.signature(g, at)
	loc := g.b.Loc
	g.at(at)
	f := &frame{fn: fn, caller: g.frame, callAt: at, callLoc: g.b.Loc, vars: make(map[string]local, 2*len(s.params))}
	b := g.bindArgs(fn.Name, s, a, at)
	g.frame = f
	g.evalMissing(s, &b)
	for i, p := range s.params {
		g.bindParam(p, b.vals[i])
	}
	v := g.exec(wholeBody(body)).value
	g.frame = f.caller
	g.b.Loc = loc
	return v
}

// uses notes that the meaning depends on fn's source.
func (g *gen) uses(fn *Func) {
	key := fn.node()
	if !slices.ContainsFunc(g.funcs, func(f *Func) bool { return f.node() == key }) {
		g.funcs = append(g.funcs, fn)
	}
}

// node gives the def or lambda.
func (fn *Func) node() syntax.Node {
	if fn.Lambda != nil {
		return fn.Lambda
	}
	return fn.Def
}

// Source gives the function's text without its decorators, and where it begins.
func (fn *Func) Source() (text string, line int) {
	span := fn.node().Range()
	line, _ = fn.File.Position(span.Pos)
	return string(fn.File.Src[span.Pos:span.End]), line
}

// checkRecursion fails if fn is being evaluated already, or too much is.
func (g *gen) checkRecursion(fn *Func, at syntax.Node) {
	n := 0
	for f := g.frame; f != nil; f = f.caller {
		if n++; n > g.limit.calls {
			g.fail(at, "too-nested", "calls of kernel functions are nested more than %d deep", g.limit.calls)
		}
		if fn.Def != nil && f.fn.Def == fn.Def || fn.Lambda != nil && f.fn.Lambda == fn.Lambda {
			g.fail(at, "recursion", "'%s' calls itself; a kernel cannot be recursive", fn.Name)
		}
	}
}

// signature gives fn's parameters and body.
func (fn *Func) signature(g *gen, at syntax.Node) (*signature, []syntax.Stmt) {
	key, args, body := syntax.Node(fn.Lambda), (*syntax.Arguments)(nil), []syntax.Stmt(nil)
	if fn.Lambda != nil {
		args = fn.Lambda.Args
		body = []syntax.Stmt{&syntax.Return{Span: fn.Lambda.Body.Range(), Value: fn.Lambda.Body}}
	} else {
		key, args, body = fn.Def, fn.Def.Args, fn.Def.Body
	}
	s, ok := g.signatures[key]
	if !ok {
		s = newSignature(args)
		g.signatures[key] = s
	}
	if !ok {
		if e := fn.defect(); e != nil {
			if g.frame.fn != fn {
				e.Notes = append(e.Notes, g.note(at, "'%s' is called here", fn.Name))
			}
			panic(bail{e})
		}
	}
	if args.KwArg != nil {
		g.unsupported(at, "the parameter **%s of '%s'", args.KwArg.Name, fn.Name)
	}
	return s, body
}

// evalMissing evaluates the defaults of parameters that are not given, in the scope that the
// current function is defined in.
func (g *gen) evalMissing(s *signature, b *binding) {
	f := g.frame
	c, _ := f.fn.Env.(*closure)
	f.defaults = true
	for i, p := range s.params {
		switch {
		case b.vals[i] != nil:
		case c != nil:
			b.vals[i] = c.defaults[p.def]
		default:
			b.vals[i] = g.eval(p.def)
		}
	}
	f.defaults = false
}

// bindParam binds a parameter of the current function.
func (g *gen) bindParam(p param, v Value) {
	if t, ok := v.(Tensor); ok && t.V.Name == "" {
		t.V.Name = p.name
	}
	fixed := p.node.Annotation != nil && g.isConstexpr(p.node.Annotation)
	g.frame.vars[p.name] = local{val: v, at: p.node, fixed: fixed, soft: !fixed && isNumber(v)}
}

// needConstant fails where a constant is needed and at is a run-time value; what says what must be
// constant. If at names a variable, the reason why it is no constant is told.
func (g *gen) needConstant(at syntax.Node, what string) {
	n, ok := at.(*syntax.Name)
	if !ok || g.frame.fn.Library {
		g.fail(at, "not-constant", "%s must be known at compile time", what)
	}
	l, ok := g.frame.vars[n.Id]
	if !ok {
		g.fail(at, "not-constant", "%s must be known at compile time, and '%s' is not", what, n.Id)
	}
	note := g.whyNotConstant(n.Id, l)
	if what == inFString && isPointer(l.val) {
		note = g.note(at, "values at run time are printed by print(\"%s\", %s) or tl.device_print", n.Id, n.Id)
	}
	g.failWith(at, []diag.Note{note}, "not-constant", "%s must be known at compile time, and '%s' is not", what, n.Id)
}

// whyNotConstant tells why a variable is a run-time value.
func (g *gen) whyNotConstant(name string, l local) diag.Note {
	_, isParam := l.at.(*syntax.Arg)
	f := g.frame
	switch {
	case isParam && l.fixed && f.caller != nil:
		note := g.note(l.at, "'%s' is declared tl.constexpr, but this call gives it a run-time value", name)
		note.Place = f.caller.fn.File.Place(f.callAt.Range())
		return note
	case isParam:
		return g.note(l.at, "'%s' is a parameter; declare it '%s: tl.constexpr' to make it a constant", name, name)
	case l.fixed:
		return g.note(l.at, "'%s' is declared tl.constexpr, but is assigned a run-time value here", name)
	}
	return g.note(l.at, "this makes '%s' a run-time value; declare it '%s: tl.constexpr = …' to keep it a constant", name, name)
}
