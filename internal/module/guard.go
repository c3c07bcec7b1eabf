package module

import (
	"errors"
	"slices"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// A guard is a condition for control to come to an entry.
type guard interface {
	// holds evaluates the condition; why says what it depends on if that cannot be done.
	holds(s *scope) (reached, *unknown)
}

type reached uint8

const (
	no reached = iota
	maybe
	yes
)

// reached tells whether control comes to an entry.
func (s *scope) reached(e *entry) (reached, *unknown) {
	all, doubt := yes, (*unknown)(nil)
	for _, g := range e.guards {
		r, why := g.holds(s)
		switch r {
		case no:
			return no, nil
		case maybe:
			all, doubt = maybe, why
		}
	}
	return all, doubt
}

// A test is the condition of an if statement.
type test struct {
	expr  syntax.Expr
	at    int // the entry that comes next after it
	state runState
	value bool
	doubt *unknown
}

func (t *test) evaluate(s *scope) {
	if t.state != notRun {
		if t.state == running && t.doubt == nil {
			t.doubt = s.mod.unknownf("a condition", "it depends on itself")
		}
		return
	}
	t.state = running
	f := &frame{mod: s.mod, scope: s, vars: map[string]Value{}}
	var err error
	s.at(t.at, func() {
		var v Value
		if v, err = f.eval(t.expr); err == nil {
			t.value, err = f.truth(v, t.expr)
		}
	})
	t.state = hasRun
	if err != nil {
		t.doubt = s.mod.doubtOf(t.expr, err)
	}
}

// A testGuard holds where a test came out as wanted.
type testGuard struct {
	test *test
	want bool
}

func (g testGuard) holds(s *scope) (reached, *unknown) {
	g.test.evaluate(s)
	switch {
	case g.test.doubt != nil:
		return maybe, g.test.doubt
	case g.test.value == g.want:
		return yes, nil
	}
	return no, nil
}

// An attempt is a try statement. What its body does without being known to fail counts as
// having worked; a module that cannot be loaded here counts as there.
type attempt struct {
	stmt        *syntax.Try
	first, last int // the entries of its body
	state       runState
	failed      int // the entry that raises, or last
	handler     int // the handler that takes it, or -1
	uncaught    *unknown
}

func (t *attempt) evaluate(s *scope) {
	if t.state != notRun {
		return
	}
	t.state = running
	t.failed, t.handler = t.last, -1
	for i := t.first; i < t.last; i++ {
		e := s.entries[i]
		switch e.stmt.(type) {
		case *syntax.FunctionDef, *syntax.ClassDef, *syntax.For, *syntax.While:
			continue
		}
		if r, _ := s.reachedWithin(e, t); r != yes {
			continue
		}
		s.run(i)
		var exc *pyval.Error
		if errors.As(e.err, &exc) {
			t.failed = i
			t.handler = slices.IndexFunc(t.stmt.Handlers, func(h *syntax.ExceptHandler) bool { return catches(h.Type, exc.Type) })
			if t.handler < 0 {
				t.uncaught = s.mod.unsupported(e.stmt, "it fails: %v", exc)
			}
			break
		}
	}
	t.state = hasRun
}

// reachedWithin is reached without the guard of the attempt itself, while that is evaluated.
func (s *scope) reachedWithin(e *entry, t *attempt) (reached, *unknown) {
	inner := entry{guards: slices.DeleteFunc(slices.Clone(e.guards), func(g guard) bool {
		b, ok := g.(bodyGuard)
		return ok && b.attempt == t
	})}
	return s.reached(&inner)
}

// A bodyGuard holds for an entry of a try's body up to the one that fails.
type bodyGuard struct {
	attempt *attempt
	entry   int
}

func (g bodyGuard) holds(s *scope) (reached, *unknown) {
	if g.attempt.state == running {
		return yes, nil
	}
	g.attempt.evaluate(s)
	if g.attempt.uncaught != nil && g.entry >= g.attempt.failed {
		return maybe, g.attempt.uncaught
	}
	return reachedIf(g.entry < g.attempt.failed)
}

// A handlerGuard holds in a handler, or in the else part if handler is -1.
type handlerGuard struct {
	attempt *attempt
	handler int
}

func (g handlerGuard) holds(s *scope) (reached, *unknown) {
	g.attempt.evaluate(s)
	if g.attempt.uncaught != nil {
		return maybe, g.attempt.uncaught
	}
	if g.handler < 0 {
		return reachedIf(g.attempt.failed == g.attempt.last)
	}
	return reachedIf(g.attempt.handler == g.handler)
}

func reachedIf(b bool) (reached, *unknown) {
	if b {
		return yes, nil
	}
	return no, nil
}

// flatten adds the statements of a block as entries.
func (s *scope) flatten(body []syntax.Stmt, guards []guard) {
	for _, stmt := range body {
		switch stmt := stmt.(type) {
		case *syntax.If:
			t := &test{expr: stmt.Test, at: len(s.entries)}
			s.flatten(stmt.Body, with(guards, testGuard{t, true}))
			s.flatten(stmt.Orelse, with(guards, testGuard{t, false}))
		case *syntax.Try:
			s.flattenTry(stmt, guards)
		case *syntax.With:
			s.add(&syntax.With{Span: stmt.Span, Items: stmt.Items}, guards)
			s.flatten(stmt.Body, guards)
		default:
			s.add(stmt, guards)
		}
	}
}

func (s *scope) flattenTry(stmt *syntax.Try, guards []guard) {
	t := &attempt{stmt: stmt, first: len(s.entries)}
	s.flatten(stmt.Body, guards)
	t.last = len(s.entries)
	for i := t.first; i < t.last; i++ {
		e := s.entries[i]
		e.guards = slices.Insert(slices.Clone(e.guards), len(guards), guard(bodyGuard{t, i}))
	}
	for i, h := range stmt.Handlers {
		s.flatten(h.Body, with(guards, handlerGuard{t, i}))
	}
	s.flatten(stmt.Orelse, with(guards, handlerGuard{t, -1}))
	s.flatten(stmt.Finally, guards)
}

// with gives the guards and one more, without changing them.
func with(guards []guard, g guard) []guard {
	return append(guards[:len(guards):len(guards)], g)
}

func (s *scope) add(stmt syntax.Stmt, guards []guard) {
	e := &entry{stmt: stmt, guards: guards}
	var b binder
	b.stmt(stmt)
	e.names, e.alters = b.names.List, b.alters.List
	i := len(s.entries)
	s.entries = append(s.entries, e)
	for _, list := range [][]string{e.names, e.alters} {
		for _, name := range list {
			if at := s.binders[name]; len(at) == 0 || at[len(at)-1] != i {
				s.binders[name] = append(at, i)
			}
		}
	}
	if imp, ok := stmt.(*syntax.ImportFrom); ok && imp.Names[0].Name == "*" {
		s.stars = append(s.stars, i)
	}
}
