package module

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// A scope is the body of a module, a class or a function as a place where names are bound.
// Nothing in it runs until a name is asked for; then the statements that bind the name run,
// each at most once, and see the names as they are at that point of the text.
type scope struct {
	mod    *Module
	kind   scopeKind
	name   string // of the class or function, with what encloses it: "A.f"
	parent *scope // nil for a module
	params map[string]bool
	above  int  // of a class: its entry in the parent
	env    *env // of functions at the top of the scope

	entries []*entry
	binders map[string][]int // the entries that bind a name, or change what it is bound to
	stars   []int            // the entries that import *
	now     int              // names are those bound by the entries before this one
}

type scopeKind uint8

const (
	moduleScope scopeKind = iota
	classScope
	functionScope // the body of a host function that nobody calls, looked at for the kernels in it
)

// An entry is a simple statement, or a compound one that runs as a whole, and the conditions
// under which control comes to it.
type entry struct {
	stmt   syntax.Stmt
	names  []string // what it binds
	alters []string // what it changes in place
	guards []guard

	state  runState
	values map[string]Value // what its names are bound to, once it has run
	err    error
}

type runState uint8

const (
	notRun runState = iota
	running
	hasRun
)

func newScope(m *Module, kind scopeKind, name string, parent *scope, body []syntax.Stmt) *scope {
	s := &scope{mod: m, kind: kind, name: name, parent: parent, binders: map[string][]int{}}
	s.env = &env{mod: m, scope: s}
	s.flatten(body, nil)
	s.now = len(s.entries)
	return s
}

// at evaluates with the names as they are before entry i.
func (s *scope) at(i int, eval func()) {
	now, p := s.now, s.mod.prog
	s.now = i
	if inside := i < len(s.entries) || s.kind == classScope; inside {
		p.inside++
		defer func() { p.inside-- }()
	}
	defer func() { s.now = now }()
	if s.kind == classScope { // its body runs where the class stands
		s.parent.at(s.above, eval)
		return
	}
	eval()
}

// forFunctions gives the scope that functions defined in s see.
func (s *scope) forFunctions() *scope {
	if s != nil && s.kind == classScope {
		return s.parent.forFunctions()
	}
	return s
}

// end evaluates with the names as they are after the last entry.
func (s *scope) end(eval func()) { s.at(len(s.entries), eval) }

// A found is what a name turned out to be bound to.
type found struct {
	value     Value
	entry     *entry // that binds it
	annotated bool   // as tl.constexpr
}

// lookup finds a name in the scope and those around it; ok is false if it is bound nowhere.
func (s *scope) lookup(name string) (f found, ok bool, err error) {
	for t := s; t != nil; t = t.parent {
		if t != s && t.kind == classScope {
			continue // functions do not see the names of the class around them
		}
		if f, ok, err = t.own(name); ok || err != nil {
			return f, ok, err
		}
	}
	return found{}, false, nil
}

// own finds a name in the scope itself.
func (s *scope) own(name string) (f found, ok bool, err error) {
	if fn, ok := s.mod.changed[name]; ok && s.kind == moduleScope {
		return found{value: s.mod.unknownf(name, "the function %s(), which may run at any time, changes it", fn)}, true, nil
	}
	live, doubt := s.live(name)
	switch {
	case len(live) == 0 && s.params[name]:
		return found{value: s.mod.unknownf(name, "it is a parameter of %s(), which is known only where that is called", s.name)}, true, nil
	case len(live) == 0 && s.kind == moduleScope && moduleNames[name] != nil:
		return found{value: moduleNames[name](s.mod)}, true, nil
	case len(live) == 0:
		return s.fromStars(name)
	case len(live) == 1:
		return s.valueOf(name, live[0])
	}
	first, ok, err := s.valueOf(name, live[0])
	for _, i := range live[1:] {
		if err != nil || !ok {
			break
		}
		var other found
		other, ok, err = s.valueOf(name, i)
		if err == nil && ok && !pyval.Identical(first.value, other.value) {
			return found{value: s.ambiguous(name, live, doubt)}, true, nil
		}
	}
	return first, ok, err
}

// moduleNames are the names that every module has.
var moduleNames = map[string]func(*Module) Value{
	"__name__": func(m *Module) Value { return m.pythonName() },
	"__file__": func(m *Module) Value { return m.name },
	"__doc__":  func(*Module) Value { return pyval.None },
}

// live gives the entries that may have bound a name last, the latest first. More than one is
// left only where conditions cannot be evaluated; doubt is one of those.
func (s *scope) live(name string) (entries []int, doubt *unknown) {
	at := s.binders[name]
	before, _ := slices.BinarySearch(at, s.now)
	for _, i := range slices.Backward(at[:before]) {
		reached, why := s.reached(s.entries[i])
		if reached == no {
			continue
		}
		entries = append(entries, i)
		if reached == yes {
			return entries, doubt
		}
		doubt = why
	}
	return entries, doubt
}

func (s *scope) ambiguous(name string, live []int, doubt *unknown) *unknown {
	places := ""
	for n, i := range slices.Backward(live) {
		line, _ := s.mod.file.Position(s.entries[i].stmt.Range().Pos)
		if places += fmt.Sprint(line); n > 0 {
			places += " or "
		}
	}
	u := s.mod.unknownf(name, "which of its definitions holds (line %s) depends on %s, and %s", places, doubt.path, doubt.why)
	u.at = s.mod.place(s.entries[live[0]].stmt)
	return u
}

// valueOf gives what entry i binds a name to.
func (s *scope) valueOf(name string, i int) (found, bool, error) {
	e := s.entries[i]
	cycle := e.state == running
	s.run(i)
	if v, ok := e.values[name]; ok {
		return found{v, e, isConstAnnotated(e.stmt)}, true, nil
	}
	if cycle {
		return found{}, false, &cycleError{s.mod.raise(e.stmt, pyval.Errorf("NameError", "'%s' depends on itself", name))}
	}
	if e.err != nil {
		return found{}, false, e.err
	}
	if _, deleted := e.stmt.(*syntax.Delete); deleted {
		return found{}, false, nil
	}
	// The statement ran and left the name alone: a loop, say, that found nothing to do.
	var f found
	var ok bool
	var err error
	s.at(i, func() { f, ok, err = s.own(name) })
	return f, ok, err
}

// A cycleError says that a name is needed to find what it is bound to.
type cycleError struct{ error }

// Unwrap gives the error as an exception.
func (e *cycleError) Unwrap() error { return e.error }

// run runs entry i if it has not run.
func (s *scope) run(i int) {
	e := s.entries[i]
	if e.state != notRun {
		return
	}
	f := &frame{mod: s.mod, scope: s, vars: map[string]Value{}, entry: e}
	e.state, e.values = running, f.vars
	s.at(i, func() { _, e.err = f.exec(e.stmt) })
	e.state = hasRun
	if u := (*unknownError)(nil); errors.As(e.err, &u) {
		// What the statement would have bound is as unknown as what it needed.
		for _, name := range e.names {
			if _, ok := e.values[name]; !ok {
				e.values[name] = u.unknown
			}
		}
	}
}

// fromStars looks for a name in what import * brings.
func (s *scope) fromStars(name string) (found, bool, error) {
	var doubt *unknown
	for _, i := range slices.Backward(s.stars) {
		if doubt != nil {
			break // it would hide what an earlier one brings
		}
		e := s.entries[i]
		if reached, _ := s.reached(e); i >= s.now || reached == no {
			continue
		}
		stmt := e.stmt.(*syntax.ImportFrom)
		from, err := s.mod.importFrom(stmt)
		if err != nil {
			continue
		}
		switch m := from.(type) {
		case *unknown:
			doubt = s.mayStar(name, stmt, m.why)
		case *library:
			if v, ok := m.find(name); ok {
				return found{value: v, entry: e}, true, nil
			}
		case sema.LangModule:
			if v, ok := langAttr(m, name); ok && !strings.HasPrefix(name, "_") {
				return found{value: v, entry: e}, true, nil
			}
		case *userModule:
			if !m.exports(name) {
				continue
			}
			if f, ok, err := m.lookup(name); ok || err != nil {
				return f, ok, err
			}
		}
	}
	if _, builtin := lookupBuiltin(name); doubt != nil && !builtin {
		return found{value: doubt}, true, nil
	}
	return found{}, false, nil
}

// mayStar makes the unknown of a name that a star import may have brought.
func (s *scope) mayStar(name string, stmt *syntax.ImportFrom, why string) *unknown {
	u := s.mod.unknownf(name, "it may come from 'from %s import *', and %s", moduleText(stmt), why)
	u.at = s.mod.place(stmt)
	return u
}
