package sema

import (
	"math/big"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// A closure is the Env of a function that is defined inside another one.
type closure struct {
	frame    *frame                // the enclosing function's
	defaults map[syntax.Expr]Value // of the parameters, evaluated at the definition
}

// Lookup makes a closure an Env; the names of the enclosing function are constants as far as
// the inner one is concerned.
func (c *closure) Lookup(name string) (Binding, bool, error) {
	if l, ok := c.frame.vars[name]; ok && l.val != nil {
		return Binding{Value: l.val, Const: true}, true, nil
	}
	return c.frame.fn.Env.Lookup(name)
}

// A namer is an Env that can tell what names it knows, for suggestions.
type namer interface{ Names() []string }

// lookup evaluates a name: a local, a closure's, a global, or one of Python's own.
func (g *gen) lookup(n *syntax.Name) Value {
	if l, ok := g.frame.vars[n.Id]; ok {
		if l.val == nil {
			g.useGone(n, l.gone)
		}
		return l.val
	}
	env := g.frame.fn.Env
	for {
		c, ok := env.(*closure)
		if !ok {
			break
		}
		if l, ok := c.frame.vars[n.Id]; ok {
			if l.val == nil {
				g.useGone(n, l.gone)
			}
			return l.val
		}
		env = c.frame.fn.Env
	}
	if v, ok := g.global(env, n); ok {
		return v
	}
	if b, ok := pyBuiltins()[n.Id]; ok {
		return b
	}
	g.undefined(n)
	return nil
}

// global evaluates a name in an Env and records that it was read. Within one compilation a
// global has one value.
func (g *gen) global(env Env, n *syntax.Name) (Value, bool) {
	if env == nil {
		return nil, false
	}
	key := globalKey{env, n.Id}
	b, known := g.known[key]
	if !known {
		var ok bool
		var err error
		b, ok, err = env.Lookup(n.Id)
		g.check(n, g.withInstead(n, err))
		if !ok {
			return nil, false
		}
		if own := insideKernel(b.Value); own != nil && own.Name == n.Id {
			return own, true
		}
	}
	if !b.Const && !g.frame.defaults && isPlainData(b.Value) {
		g.fail(n, "global-not-constexpr",
			"a kernel cannot read the global '%s' (%s), because a later change of it would go unnoticed; "+
				"make it a constant (%s = tl.constexpr(…)) or pass it as a tl.constexpr parameter",
			n.Id, describe(b.Value), n.Id)
	}
	if !known {
		g.known[key] = b
		g.globals = append(g.globals, GlobalUse{Env: env, Name: n.Id, Value: b.Value})
	}
	if own := insideKernel(b.Value); own != nil { // a global that is another name for it
		return own, true
	}
	return b.Value, true
}

// isPlainData reports whether v is data that a module may change at any time.
func isPlainData(v Value) bool {
	switch v.(type) {
	case bool, int64, *big.Int, float64, string, pyval.NoneType, pyval.Tuple, *pyval.List, *pyval.Dict, *pyval.Set:
		return true
	}
	return false
}

// undefined fails for a name that is bound to nothing.
func (g *gen) undefined(n *syntax.Name) {
	if def := g.frame.fn.Def; def != nil {
		if s := bindingOf(n.Id, def.Body); s != nil && s.Range().Pos < n.Range().Pos {
			g.failWith(n, []diag.Note{g.note(s, "%s is bound only here, in a branch or a loop that is left out for these arguments", n.Id)},
				"undefined-name", "name '%s' is not defined for these arguments", n.Id)
		} else if s != nil {
			g.failWith(n, []diag.Note{g.note(s, "%s is bound here", n.Id)}, "undefined-name", "name '%s' is used before it is bound", n.Id)
		}
	}
	var known []string
	for f := g.frame; f != nil; {
		for name, l := range f.vars {
			if l.val != nil {
				known = append(known, name)
			}
		}
		c, ok := f.fn.Env.(*closure)
		if !ok {
			if env, ok := f.fn.Env.(namer); ok {
				known = append(known, env.Names()...)
			}
			break
		}
		f = c.frame
	}
	for name := range pyBuiltins() {
		known = append(known, name)
	}
	if s := diag.Nearest(n.Id, known); s != "" {
		g.fail(n, "undefined-name", "name '%s' is not defined; did you mean '%s'?", n.Id, s)
	}
	g.fail(n, "undefined-name", "name '%s' is not defined", n.Id)
}

// bindingOf gives the first statement that binds a name, of bodies and of branches in them; nil if there is none.
func bindingOf(name string, body []syntax.Stmt) syntax.Stmt {
	for _, s := range body {
		found := false
		bind := syntax.Binder{Bind: func(bound string) { found = found || bound == name }}
		if bind.Stmt(s); !found {
			continue
		}
		for _, inner := range innerBodies(s) {
			if b := bindingOf(name, inner); b != nil {
				return b
			}
		}
		return s
	}
	return nil
}

func innerBodies(s syntax.Stmt) [][]syntax.Stmt {
	switch s := s.(type) {
	case *syntax.If:
		return [][]syntax.Stmt{s.Body, s.Orelse}
	case *syntax.For:
		return [][]syntax.Stmt{s.Body, s.Orelse}
	case *syntax.While:
		return [][]syntax.Stmt{s.Body, s.Orelse}
	}
	return nil
}
