package module

import (
	"maps"
	"slices"

	"github.com/tegula-lang/tegula/internal/syntax"
)

// A use says that code may change what a name leads to, or hand it to other code: the name, the
// attributes that follow it, and whether it is the thing itself or only what that holds.
type use struct {
	name  string
	attrs []string
	parts bool
	call  bool // it is the receiver of a method's call: modules are not changed by those
	binds bool // the last attribute is bound anew
}

// usesOf gives the uses of names that a function has not itself.
func (m *Module) usesOf(node syntax.Node) []use {
	if u, ok := m.uses[node]; ok {
		return u
	}
	if m.uses == nil {
		m.uses = map[syntax.Node][]use{}
	}
	m.uses[node] = nil // of a function inside itself
	a := &usage{mod: m, locals: map[string]bool{}}
	switch n := node.(type) {
	case *syntax.FunctionDef:
		a.params(n.Args)
		a.bind(n.Body)
		a.stmts(n.Body)
	case *syntax.Lambda:
		a.params(n.Args)
		a.expr(n.Body)
		a.escapes(n.Body)
	}
	out := a.free()
	m.uses[node] = out
	return out
}

// usesIn gives the uses in a statement or expression, of all names.
func (m *Module) usesIn(node syntax.Node) []use {
	a := &usage{mod: m, locals: map[string]bool{}, all: true}
	switch n := node.(type) {
	case syntax.Stmt:
		a.stmts([]syntax.Stmt{n})
	case syntax.Expr:
		a.expr(n)
		a.escapes(n)
	}
	return a.free()
}

// A usage collects uses.
type usage struct {
	mod    *Module
	locals map[string]bool
	all    bool // local names count as well: they are those of a frame that runs
	uses   []use
	from   map[string][]use // what local names may stand for
}

func (a *usage) params(args *syntax.Arguments) {
	for _, list := range [][]*syntax.Arg{args.PosOnly, args.Args, args.KwOnly, {args.VarArg, args.KwArg}} {
		for _, p := range list {
			if p != nil {
				a.locals[p.Name] = true
			}
		}
	}
}

func (a *usage) bind(body []syntax.Stmt) {
	elsewhere := map[string]bool{}
	declared(body, elsewhere)
	b := syntax.Binder{Bind: func(name string) {
		if !elsewhere[name] {
			a.locals[name] = true
		}
	}}
	b.Stmts(body)
}

// declared collects the names that global and nonlocal statements say are elsewhere.
func declared(body []syntax.Stmt, names map[string]bool) {
	for _, s := range body {
		switch s := s.(type) {
		case *syntax.Global:
			for _, n := range s.Names {
				names[n] = true
			}
		case *syntax.Nonlocal:
			for _, n := range s.Names {
				names[n] = true
			}
		}
		for _, block := range syntax.Blocks(s) {
			declared(block, names)
		}
	}
}

// free gives the uses with local names replaced by what they may stand for.
func (a *usage) free() []use {
	var out []use
	done := map[string]bool{}
	work := a.uses
	for len(work) > 0 {
		u := work[0]
		work = work[1:]
		key := u.key()
		if done[key] {
			continue
		}
		done[key] = true
		for _, origin := range a.from[u.name] {
			work = append(work, u.through(origin))
		}
		if a.all || !a.locals[u.name] {
			out = append(out, u)
		}
	}
	return out
}

func (u *use) key() string {
	k := u.name
	for _, a := range u.attrs {
		k += "." + a
	}
	for _, b := range []bool{u.parts, u.call, u.binds} {
		if b {
			k += "+"
		} else {
			k += "-"
		}
	}
	return k
}

// through gives the use of a name that stands for another.
func (u use) through(origin use) use {
	const longest = 8
	v := u
	v.name = origin.name
	if origin.parts {
		v.attrs, v.parts, v.binds = origin.attrs, true, false
		return v
	}
	v.attrs = slices.Concat(origin.attrs, u.attrs)
	if len(v.attrs) > longest {
		v.attrs, v.parts, v.binds = v.attrs[:longest], true, false
	}
	return v
}

// readers are the methods that neither change their object nor hand it on.
var readers = map[string]bool{"copy": true, "count": true, "endswith": true, "format": true, "index": true, "issubset": true, "issuperset": true, "join": true, "keys": true,
	"lower": true, "replace": true, "split": true, "startswith": true, "strip": true, "upper": true}

// givers are those that give parts of it.
var givers = map[string]bool{"get": true, "items": true, "values": true}

// pure are the functions that only look at their arguments, and selecting those that give parts of them.
var pure = map[string]bool{"abs": true, "all": true, "any": true, "ascii": true, "bin": true, "bool": true, "callable": true, "chr": true, "divmod": true, "float": true,
	"format": true, "hasattr": true, "hash": true, "hex": true, "id": true, "int": true, "isinstance": true, "issubclass": true, "len": true, "oct": true, "ord": true,
	"pow": true, "print": true, "range": true, "repr": true, "round": true, "str": true, "type": true}
var selecting = map[string]bool{"dict": true, "enumerate": true, "frozenset": true, "getattr": true, "iter": true, "list": true, "max": true, "min": true, "next": true, "reversed": true,
	"set": true, "sorted": true, "sum": true, "tuple": true, "zip": true}

// origins gives what an expression's value may be.
func (a *usage) origins(e syntax.Expr) []use {
	switch e := e.(type) {
	case *syntax.Name:
		return []use{{name: e.Id}}
	case *syntax.Attribute:
		out := a.origins(e.Value)
		for i := range out {
			if !out[i].parts {
				out[i].attrs = append(slices.Clip(out[i].attrs), e.Attr)
			}
		}
		return out
	case *syntax.Subscript:
		return parts(a.origins(e.Value))
	case *syntax.Call:
		return a.callOrigins(e)
	case *syntax.IfExp:
		return append(a.origins(e.Body), a.origins(e.Orelse)...)
	case *syntax.BoolOp:
		return a.originsOf(e.Values)
	case *syntax.BinOp:
		return parts(append(a.origins(e.Left), a.origins(e.Right)...))
	case *syntax.NamedExpr:
		return a.origins(e.Value)
	case *syntax.Starred:
		return parts(a.origins(e.Value))
	case *syntax.Tuple:
		return a.originsOf(e.Elts)
	case *syntax.List:
		return a.originsOf(e.Elts)
	case *syntax.Dict:
		return append(a.originsOf(e.Keys), a.originsOf(e.Values)...)
	case *syntax.Comp:
		return append(a.origins(e.Elt), a.origins(e.Value)...)
	}
	return nil
}

func (a *usage) callOrigins(e *syntax.Call) []use {
	switch fn := e.Func.(type) {
	case *syntax.Attribute:
		if givers[fn.Attr] || fn.Attr == "copy" || fn.Attr == "pop" || fn.Attr == "setdefault" {
			return append(parts(a.origins(fn.Value)), a.originsOf(e.Args)...)
		}
	case *syntax.Name:
		if selecting[fn.Id] {
			return parts(a.originsOf(e.Args))
		}
	}
	return nil
}

func (a *usage) originsOf(list []syntax.Expr) []use {
	var out []use
	for _, e := range list {
		out = append(out, a.origins(e)...)
	}
	return out
}

func parts(list []use) []use {
	for i := range list {
		list[i].parts = true
	}
	return list
}

// escapes notes that the value of an expression goes where it is not followed.
func (a *usage) escapes(e syntax.Expr) { a.uses = append(a.uses, a.origins(e)...) }

// stands notes that the names of a target may stand for what an expression gives.
func (a *usage) stands(target syntax.Expr, origins []use) {
	b := syntax.Binder{Bind: func(name string) {
		if a.from == nil {
			a.from = map[string][]use{}
		}
		a.from[name] = append(a.from[name], origins...)
	}}
	b.Target(target)
}

func (a *usage) stmts(body []syntax.Stmt) {
	for _, s := range body {
		a.stmt(s)
	}
}

func (a *usage) stmt(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.Assign:
		a.expr(s.Value)
		for _, t := range s.Targets {
			a.assign(t, s.Value)
		}
	case *syntax.AnnAssign:
		a.expr(s.Value)
		a.assign(s.Target, s.Value)
	case *syntax.AugAssign:
		a.expr(s.Value)
		a.changes(s.Target)
		a.escapes(s.Value)
	case *syntax.ExprStmt:
		a.expr(s.Value)
	case *syntax.Return:
		a.expr(s.Value)
		a.escapes(s.Value)
	case *syntax.Raise:
		a.expr(s.Exc)
		a.escapes(s.Exc)
	case *syntax.Assert:
		a.expr(s.Test)
	case *syntax.Delete:
		for _, t := range s.Targets {
			a.changes(t)
		}
	case *syntax.FunctionDef:
		a.exprs(s.Decorators...)
		for _, d := range s.Decorators {
			a.escapes(d)
		}
		a.exprs(s.Args.Defaults...)
		a.exprs(s.Args.KwDefaults...)
		a.inner(s)
	case *syntax.ClassDef:
		a.exprs(s.Bases...)
		b := &usage{mod: a.mod, locals: map[string]bool{}}
		b.stmts(s.Body)
		a.uses = append(a.uses, b.free()...)
	default:
		a.compound(s)
	}
}

func (a *usage) compound(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.For:
		a.expr(s.Iter)
		a.stands(s.Target, parts(a.origins(s.Iter)))
		a.targets(s.Target)
	case *syntax.While:
		a.expr(s.Test)
	case *syntax.If:
		a.expr(s.Test)
	case *syntax.With:
		for _, item := range s.Items {
			a.expr(item.Context)
			a.escapes(item.Context)
			if item.Vars != nil {
				a.stands(item.Vars, a.origins(item.Context))
			}
		}
	case *syntax.Match:
		a.expr(s.Subject)
		a.escapes(s.Subject)
	}
	for _, block := range syntax.Blocks(s) {
		a.stmts(block)
	}
}

// inner adds the uses of a function or lambda in this one, as if it ran.
func (a *usage) inner(n syntax.Node) { a.uses = append(a.uses, a.mod.usesOf(n)...) }

func (a *usage) assign(target, value syntax.Expr) {
	if value != nil {
		a.stands(target, a.origins(value))
	}
	a.targets(target)
	if _, simple := target.(*syntax.Name); !simple && value != nil {
		a.escapes(value)
	}
}

// targets goes through a target for what it changes.
func (a *usage) targets(target syntax.Expr) {
	switch t := target.(type) {
	case *syntax.Tuple:
		for _, e := range t.Elts {
			a.targets(e)
		}
	case *syntax.List:
		for _, e := range t.Elts {
			a.targets(e)
		}
	case *syntax.Starred:
		a.targets(t.Value)
	case *syntax.Subscript, *syntax.Attribute:
		a.changes(t)
	}
}

// changes notes that a target is changed in place.
func (a *usage) changes(target syntax.Expr) {
	switch t := target.(type) {
	case *syntax.Name:
		a.escapes(t)
	case *syntax.Subscript:
		a.expr(t.Slice)
		a.expr(t.Value)
		a.escapes(t.Value)
	case *syntax.Attribute:
		a.expr(t.Value)
		for _, o := range a.origins(t) {
			o.binds = !o.parts
			a.uses = append(a.uses, o)
		}
	case *syntax.Tuple:
		a.targets(t)
	}
}

func (a *usage) exprs(list ...syntax.Expr) {
	for _, e := range list {
		a.expr(e)
	}
}

// expr goes through an expression for calls.
func (a *usage) expr(e syntax.Expr) {
	switch e := e.(type) {
	case nil, *syntax.Name, *syntax.Constant, *syntax.BadExpr:
	case *syntax.Call:
		a.call(e)
	case *syntax.Attribute:
		a.expr(e.Value)
	case *syntax.Subscript:
		a.exprs(e.Value, e.Slice)
	case *syntax.BinOp:
		a.exprs(e.Left, e.Right)
	case *syntax.UnaryOp:
		a.expr(e.Operand)
	case *syntax.BoolOp:
		a.exprs(e.Values...)
	case *syntax.Compare:
		a.expr(e.Left)
		a.exprs(e.Comparators...)
	case *syntax.IfExp:
		a.exprs(e.Test, e.Body, e.Orelse)
	case *syntax.NamedExpr:
		a.expr(e.Value)
		a.stands(e.Target, a.origins(e.Value))
	case *syntax.Lambda:
		a.exprs(e.Args.Defaults...)
		a.inner(e)
	default:
		a.display(e)
	}
}

func (a *usage) display(e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.Tuple:
		a.exprs(e.Elts...)
	case *syntax.List:
		a.exprs(e.Elts...)
	case *syntax.Set:
		a.exprs(e.Elts...)
	case *syntax.Dict:
		a.exprs(e.Keys...)
		a.exprs(e.Values...)
	case *syntax.Comp:
		for _, c := range e.Generators {
			a.expr(c.Iter)
			a.stands(c.Target, parts(a.origins(c.Iter)))
			a.exprs(c.Ifs...)
		}
		a.exprs(e.Elt, e.Value)
	case *syntax.Starred:
		a.expr(e.Value)
	case *syntax.JoinedStr:
		a.exprs(e.Values...)
	case *syntax.FormattedValue:
		a.expr(e.Value)
	case *syntax.Slice:
		a.exprs(e.Lower, e.Upper, e.Step)
	case *syntax.Await:
		a.expr(e.Value)
		a.escapes(e.Value)
	case *syntax.Yield:
		a.expr(e.Value)
		a.escapes(e.Value)
	case *syntax.YieldFrom:
		a.expr(e.Value)
		a.escapes(e.Value)
	}
}

func (a *usage) call(e *syntax.Call) {
	looks := false
	switch fn := e.Func.(type) {
	case *syntax.Name:
		looks = (pure[fn.Id] || selecting[fn.Id]) && !a.locals[fn.Id] && !a.mod.top.Has(fn.Id)
		if !looks {
			a.escapes(fn)
		}
	case *syntax.Attribute:
		a.expr(fn.Value)
		looks = readers[fn.Attr] || givers[fn.Attr]
		if !looks {
			for _, o := range a.origins(fn.Value) {
				o.call = true
				a.uses = append(a.uses, o)
			}
			a.escapes(fn)
		}
	default:
		a.expr(fn)
		a.escapes(fn)
	}
	for _, arg := range e.Args {
		a.expr(arg)
		if !looks {
			a.escapes(arg)
		}
	}
	for i := range e.Keywords {
		a.expr(e.Keywords[i].Value)
		if !looks {
			a.escapes(e.Keywords[i].Value)
		}
	}
}

// leak lets the code that may call a function from now on reach what the function changes.
func (fn *function) leak(why *unknown) {
	for _, u := range fn.mod.usesOf(fn.node) {
		l := &leak{why: why, parts: u.parts}
		for f := fn.frame; f != nil; f = f.outer {
			f.names.leak(&u, l)
		}
		fn.mod.names.leak(&u, l)
	}
	fn.leakBound(why)
	for _, v := range fn.defaults {
		fn.mod.prog.escape(v, why)
	}
}

// leakBound makes the variables unknown that the function binds outside itself.
func (fn *function) leakBound(why *unknown) {
	if fn.def == nil {
		return
	}
	found := map[string]bool{}
	declared(fn.def.Body, found)
	for _, name := range slices.Sorted(maps.Keys(found)) {
		in := fn.mod.names
		for f := fn.frame; f != nil; f = f.outer {
			if _, ok := f.names.get(name); ok {
				in = f.names
				break
			}
		}
		if s, ok := in.get(name); ok {
			in.set(name, slot{value: why.changed(name), at: s.at})
		}
	}
}

// leak lets code reach what a use leads to from here.
func (n *names) leak(u *use, l *leak) {
	p := n.prog
	if len(u.attrs) == 0 {
		p.setWild(place{n, u.name}, l)
	}
	s, ok := n.get(u.name)
	if !ok {
		return
	}
	v := s.value
	for i, attr := range u.attrs {
		var inside *names
		switch o := v.(type) {
		case *userModule:
			inside = o.mod.names
		case *class:
			inside = o.names
		default: // of anything else, the attribute is a part
			if u.binds {
				p.escape(v, l.why)
				return
			}
			p.escapeAs(v, &leak{why: l.why, parts: !u.call})
			return
		}
		if i == len(u.attrs)-1 {
			if u.binds {
				inside.set(attr, slot{value: l.why.changed(attr), at: inside.slots[attr].at})
				return
			}
			p.setWild(place{inside, attr}, l)
		}
		next, ok := inside.get(attr)
		if !ok {
			return
		}
		v = next.value
	}
	if _, isModule := v.(*userModule); isModule && u.call {
		return
	}
	p.escapeAs(v, l)
}

// havoc makes unknown what a statement or expression that could not be run may have changed.
func (f *frame) havoc(node syntax.Node, why *unknown) {
	p := f.mod.prog
	p.mayRaise(why)
	reason := &unknown{path: f.mod.text(node), why: why.why, at: why.at}
	for _, u := range f.mod.usesIn(node) {
		l := &leak{why: reason, parts: u.parts}
		f.reach(&u, l)
	}
	b := syntax.Binder{Bind: func(name string) { f.doubt(name, why, node) }}
	switch n := node.(type) {
	case syntax.Stmt:
		b.Stmt(n)
	case syntax.Expr:
		b.Expr(n)
	}
}

// reach lets code reach what a use leads to in a frame, for once.
func (f *frame) reach(u *use, l *leak) {
	for g := f; g != nil; g = g.outer {
		if _, ok := g.names.get(u.name); ok && (g == f || g.kind != classFrame) {
			g.names.leakOnce(u, l)
			return
		}
	}
	if f.kind != moduleFrame {
		f.mod.names.leakOnce(u, l)
	}
}

// leakOnce is leak for code that runs now and never again.
func (n *names) leakOnce(u *use, l *leak) {
	at := place{n, u.name}
	_, before := n.prog.wild[at]
	n.leak(u, l)
	if !before {
		delete(n.prog.wild, at)
	}
}

// doubt makes a name unknown that a statement may have bound.
func (f *frame) doubt(name string, why *unknown, at syntax.Node) {
	names := f.home(name)
	if names == nil {
		return
	}
	old := names.slots[name]
	f.mod.prog.escape(old.value, why)
	s, _ := at.(syntax.Stmt)
	names.set(name, slot{value: why, at: s})
}
