package module

import (
	"errors"
	"strings"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// A userModule is an imported module of the program.
type userModule struct {
	name string
	mod  *Module
}

// TypeName gives the name of the type in messages.
func (u *userModule) TypeName() string { return "module" }

// Repr gives <module name>.
func (u *userModule) Repr() string { return "<module '" + u.name + "'>" }

// lookup finds a name as it is when the module has run.
func (u *userModule) lookup(name string) (f found, ok bool, err error) {
	u.mod.scope.end(func() { f, ok, err = u.mod.scope.own(name) })
	return f, ok, err
}

// exports reports whether import * brings a name: those that __all__ lists, else those that
// start with no underscore.
func (u *userModule) exports(name string) bool {
	if all, ok, err := u.lookup("__all__"); ok && err == nil && isUnknown(all.value) == nil {
		in, err := pyval.Compare(syntax.In, name, all.value)
		return err == nil && in
	}
	return !strings.HasPrefix(name, "_")
}

func (u *userModule) attr(name string) (Value, bool, error) {
	f, ok, err := u.lookup(name)
	return f.value, ok, err
}

// importNames is import a.b, c as d.
func (f *frame) importNames(s *syntax.Import) error {
	for i := range s.Names {
		a := &s.Names[i]
		path := a.Name
		v, err := f.mod.module(a, path, 0)
		if err != nil {
			return err
		}
		if a.AsName == "" { // it binds the first part, whose attributes give the rest
			if path, _, _ = strings.Cut(path, "."); path != a.Name {
				if v, err = f.mod.module(a, path, 0); err != nil {
					return err
				}
			}
		}
		f.vars[a.Binds()] = v
	}
	return nil
}

// importFromNames is from a import b, c as d. A name that is not there fails alone: the others
// are bound.
func (f *frame) importFromNames(s *syntax.ImportFrom) error {
	from, err := f.mod.importFrom(s)
	if err != nil {
		return err
	}
	var failed error
	for i := range s.Names {
		a := &s.Names[i]
		if a.Name == "*" {
			continue
		}
		v, err := f.mod.member(s, from, a)
		if err != nil {
			failed = err
			continue
		}
		f.vars[a.Binds()] = v
	}
	return failed
}

// moduleText gives the module of a from import as written.
func moduleText(s *syntax.ImportFrom) string { return strings.Repeat(".", s.Level) + s.Module }

func (m *Module) importFrom(s *syntax.ImportFrom) (Value, error) {
	return m.module(s, s.Module, s.Level)
}

// module gives a module: one of the language, of Python's library, of the program, or an
// unknown.
func (m *Module) module(at syntax.Node, path string, level int) (Value, error) {
	if level == 0 {
		root, _, _ := strings.Cut(path, ".")
		if root == "triton" || root == "tegula" {
			if v, ok := langPath(path); ok {
				return v, nil
			}
			return nil, m.raise(at, pyval.Errorf("ModuleNotFoundError", "No module named '%s'", path))
		}
		if v, ok := libraryModule(path, m.place(at)); ok {
			return v, nil
		}
	}
	name := strings.Repeat(".", level) + path
	mod, err := m.imported(path, level)
	if mod != nil && err == nil {
		return &userModule{name, mod}, nil
	}
	u := m.absent(name, level, err)
	u.at = m.place(at)
	return u, nil
}

// absent says why there is no module of the program under a name.
func (m *Module) absent(name string, level int, err error) *unknown {
	var missing *notFoundError
	switch {
	case errors.As(err, &missing) && level > 0:
		u := m.unknownf(name, "%v", missing)
		u.missing = true
		return u
	case err != nil && missing == nil:
		return m.unknownf(name, "module '%s' cannot be loaded: %v", name, err)
	case level > 0 && m.find == nil:
		return m.unknownf(name, "module '%s' is not available: the module that imports it was read from no file", name)
	}
	return m.unknownf(name, "module '%s' is not available: %s", name, noLibraries)
}

// noLibraries is why what a library gives is not known.
const noLibraries = "it is no file of the program, and no libraries are run"

type importKey struct {
	path  string
	level int
}

// imported asks the loader for a module, once.
func (m *Module) imported(path string, level int) (*Module, error) {
	key := importKey{path, level}
	if r, ok := m.imports[key]; ok {
		return r.mod, r.err
	}
	if m.find == nil {
		return nil, nil
	}
	mod, err := m.find(path, level)
	if m.imports == nil {
		m.imports = map[importKey]importResult{}
	}
	m.imports[key] = importResult{mod, err}
	return mod, err
}

type importResult struct {
	mod *Module
	err error
}

// member gives what from m import name binds.
func (m *Module) member(s *syntax.ImportFrom, from Value, a *syntax.Alias) (Value, error) {
	if lang, ok := from.(sema.LangModule); ok {
		if v, ok := langPath(string(lang) + "." + a.Name); ok {
			return v, nil
		}
		return nil, m.raise(a, pyval.Errorf("ImportError", "cannot import name '%s' from '%s'", a.Name, moduleText(s)))
	}
	if u := isUnknown(from); u != nil {
		if s.Module == "" { // from . import x: x may be a module itself
			return m.module(a, a.Name, s.Level)
		}
		return u.with("." + a.Name), nil
	}
	v, ok, err := getAttr(from, a.Name)
	if cycle := (*cycleError)(nil); errors.As(err, &cycle) {
		err = nil // a package that imports from itself: the name is a module in it
	}
	if err != nil || ok {
		return v, err
	}
	if u, isUser := from.(*userModule); isUser {
		path := a.Name
		if s.Module != "" {
			path = s.Module + "." + a.Name
		}
		if mod, err := m.imported(path, s.Level); mod != nil && err == nil {
			return &userModule{u.name + "." + a.Name, mod}, nil
		}
	}
	return nil, m.raise(a, pyval.Errorf("ImportError", "cannot import name '%s' from '%s'", a.Name, moduleText(s)))
}
