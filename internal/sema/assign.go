package sema

import (
	"strings"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

func (g *gen) assignStmt(st *syntax.Assign) {
	v := g.eval(st.Value)
	if name, ok := st.Targets[0].(*syntax.Name); ok && len(st.Targets) == 1 {
		g.assignName(name, v, st.Value)
		return
	}
	if !g.allPending(st.Targets) {
		v = g.variable(v, st.Value)
	}
	for _, t := range st.Targets {
		g.assign(t, v, st.Value)
	}
}

// assignName assigns to a name, which makes numbers run-time values unless the name was
// annotated tl.constexpr.
func (g *gen) assignName(n *syntax.Name, v Value, from syntax.Node) {
	if g.frame.pending[n.Id] {
		delete(g.frame.pending, n.Id)
	} else {
		v = g.variable(v, from)
	}
	g.bindName(n, v)
}

// allPending reports whether every target is a name that was annotated tl.constexpr.
func (g *gen) allPending(targets []syntax.Expr) bool {
	for _, t := range targets {
		if n, ok := t.(*syntax.Name); !ok || !g.frame.pending[n.Id] {
			return false
		}
	}
	return true
}

// variable gives what a variable holds after it is assigned v: numbers become scalars, so
// that the variable may change in loops and branches. Other constants stay.
func (g *gen) variable(v Value, at syntax.Node) Value {
	switch v := v.(type) {
	case Tensor:
		return v
	case pyval.Tuple:
		g.payWalk(v, at)
		return g.variables(v, at)
	}
	if !isNumber(v) || g.frame.fn.Host {
		return v
	}
	g.at(at)
	return g.toTensor(v, at)
}

func (g *gen) variables(t pyval.Tuple, at syntax.Node) Value {
	elems := make([]Value, len(t.Elems))
	for i, e := range t.Elems {
		elems[i] = g.variable(e, at)
	}
	return pyval.Tuple{Elems: elems, Names: t.Names}
}

// bindName binds a local name and names the tensor for people.
func (g *gen) bindName(n *syntax.Name, v Value) {
	if t, ok := v.(Tensor); ok && t.V.Name == "" {
		t.V.Name = n.Id
	}
	g.frame.set(n.Id, v, n)
}

// assign binds a target to a value as it is.
func (g *gen) assign(target syntax.Expr, v Value, from syntax.Node) {
	switch t := target.(type) {
	case *syntax.Name:
		delete(g.frame.pending, t.Id)
		g.bindName(t, v)
	case *syntax.Tuple:
		g.unpack(target, t.Elts, v, from)
	case *syntax.List:
		g.unpack(target, t.Elts, v, from)
	case *syntax.Attribute:
		g.assignAttribute(t, v, from)
	default:
		g.badTarget(target)
	}
}

// badTarget fails for what kernels cannot assign to.
func (g *gen) badTarget(target syntax.Expr) {
	switch target.(type) {
	case *syntax.Subscript:
		g.unsupported(target, "assignment to an element: tiles and tuples cannot be changed; build a new one, or store to memory")
	case *syntax.Attribute:
		g.unsupported(target, "this assignment to an attribute")
	}
	g.unsupported(target, "this target of an assignment")
}

// unpack binds targets to the elements of a tuple.
func (g *gen) unpack(at syntax.Node, targets []syntax.Expr, v Value, from syntax.Node) {
	elems := g.elements(v, from)
	star := -1
	for i, t := range targets {
		if _, ok := t.(*syntax.Starred); ok {
			star = i
		}
	}
	switch n := len(targets); {
	case star < 0 && len(elems) > n:
		g.fail(at, "unpack-count", "too many values to unpack: %s, %s", counted(n, "name"), counted(len(elems), "value"))
	case star < 0 && len(elems) < n, star >= 0 && len(elems) < n-1:
		g.fail(at, "unpack-count", "not enough values to unpack: %s, %s", counted(n, "name"), counted(len(elems), "value"))
	}
	for i, t := range targets {
		if i == star {
			rest := len(elems) - len(targets) + 1
			g.assign(t.(*syntax.Starred).Value, pyval.NewTuple(elems[:rest]...), from)
			elems = elems[rest:]
			continue
		}
		g.assign(t, elems[0], from)
		elems = elems[1:]
	}
}

// elements gives the elements of a value that is a sequence at compile time.
func (g *gen) elements(v Value, at syntax.Node) []Value {
	switch v := v.(type) {
	case pyval.Tuple:
		return v.Elems
	case Tensor:
		g.fail(at, "not-iterable", "a tile cannot be taken apart into values; use tl.split or a reduction (%s)", describe(v))
	case *loopRange:
		return g.constantRange(v, at)
	}
	elems, err := pyval.Iter(v)
	g.check(at, err)
	return elems
}

func (g *gen) augAssign(st *syntax.AugAssign) {
	n, ok := st.Target.(*syntax.Name)
	if !ok {
		g.badTarget(st.Target)
		return
	}
	x := g.lookup(n)
	y := g.eval(st.Value)
	g.assignName(n, g.binaryOp(st.Op, x, y, st), st)
}

func (g *gen) annAssign(st *syntax.AnnAssign) {
	n, ok := st.Target.(*syntax.Name)
	if !ok {
		g.badTarget(st.Target)
		return
	}
	constexpr := g.isConstexpr(st.Annotation)
	if st.Value == nil {
		if constexpr {
			g.setPending(n.Id)
		}
		return
	}
	v := g.eval(st.Value)
	if !constexpr {
		g.assignName(n, v, st.Value)
		return
	}
	if l, ok := g.frame.vars[n.Id]; ok && l.val != nil && l.at != syntax.Node(n) {
		g.failWith(n, []diag.Note{g.note(l.at, "'%s' is bound here", n.Id)}, "constexpr-reassigned",
			"'%s' is already defined; a tl.constexpr cannot be assigned again", n.Id)
	}
	g.bindName(n, v)
	l := g.frame.vars[n.Id]
	l.fixed = true
	g.frame.vars[n.Id] = l
}

func (g *gen) setPending(name string) {
	if g.frame.pending == nil {
		g.frame.pending = make(map[string]bool)
	}
	g.frame.pending[name] = true
}

// isConstexpr reports whether an annotation is tl.constexpr, under whatever name.
func (g *gen) isConstexpr(annotation syntax.Expr) bool {
	return g.isAnnotation(annotation, "constexpr")
}

// isConstPointer reports whether an annotation says that a parameter points to constants: tl.const, or a type
// such as "*kfp32".
func (g *gen) isConstPointer(annotation syntax.Expr) bool {
	if a, ok := annotation.(*syntax.Constant); ok && a.Kind == syntax.ConstStr {
		if elem := strings.TrimLeft(a.Text, "*"); elem != a.Text {
			return strings.HasPrefix(elem, "k")
		}
	}
	return g.isAnnotation(annotation, "const")
}

// isAnnotation reports whether an annotation is a class of the language, under whatever name.
func (g *gen) isAnnotation(annotation syntax.Expr, class string) bool {
	switch a := annotation.(type) {
	case *syntax.Attribute:
		return a.Attr == class
	case *syntax.Name:
		if a.Id == class {
			return true
		}
		b, ok, err := g.frame.fn.Env.Lookup(a.Id)
		fn, isBuiltin := b.Value.(*Builtin)
		return err == nil && ok && isBuiltin && fn.Name == class
	case *syntax.Constant:
		return a.Kind == syntax.ConstStr && (a.Text == class || strings.HasSuffix(a.Text, "."+class))
	}
	return false
}
