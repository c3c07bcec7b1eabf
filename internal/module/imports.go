package module

import (
	"errors"
	"slices"
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

func (u *userModule) attr(name string) (Value, bool, error) {
	if u.mod.replaced != nil {
		return u.mod.replaced.named(name), true, nil
	}
	s, ok := u.mod.global(name)
	if !ok {
		return nil, false, nil
	}
	if s.doubt != nil {
		u.mod.prog.mayRaise(s.doubt)
	}
	return s.value, true, nil
}

// star gives the names that import * brings: those that __all__ lists, else those that
// start with no underscore. They are not known if __all__ is not.
func (u *userModule) star() ([]string, *unknown) {
	n := u.mod.names
	if n.lost != nil {
		return nil, n.lost
	}
	if all, ok := n.get("__all__"); ok {
		v := u.mod.prog.seen(all.value, "__all__")
		if doubt := u.mod.prog.doubtful(v); doubt != nil {
			return nil, doubt
		}
		var names []string
		elems, err := pyval.Iter(plain(v))
		for _, e := range elems {
			if name, ok := e.(string); ok {
				names = append(names, name)
			}
		}
		if err == nil {
			return names, nil
		}
	}
	var names []string
	for _, name := range n.order {
		if _, ok := n.get(name); ok && !strings.HasPrefix(name, "_") {
			names = append(names, name)
		}
	}
	return names, nil
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
		f.at = s
		if err := f.bind(a.Binds(), v); err != nil {
			return err
		}
	}
	return nil
}

// importFromNames is from a import b, c as d.
func (f *frame) importFromNames(s *syntax.ImportFrom) error {
	from, err := f.mod.importFrom(s)
	if err != nil {
		return err
	}
	if s.Names[0].Name == "*" {
		return f.importStar(s, from)
	}
	for i := range s.Names {
		a := &s.Names[i]
		v, err := f.mod.member(s, from, a)
		if err != nil {
			return err
		}
		f.at = s
		if err := f.bind(a.Binds(), f.mod.prog.seen(v, a.Name)); err != nil {
			return err
		}
	}
	return nil
}

// importStar is from a import *.
func (f *frame) importStar(s *syntax.ImportFrom, from Value) error {
	switch m := from.(type) {
	case *unknown:
		f.mayBindAll(s, m)
	case *library:
		f.bindAll(s, m.find)
	case sema.LangModule:
		f.bindAll(s, func(name string) (Value, bool) { return langAttr(m, name) })
	case *userModule:
		names, doubt := m.star()
		if doubt != nil {
			f.mayBindAll(s, doubt)
		}
		for _, name := range names {
			v, ok, err := m.attr(name)
			if err != nil {
				return err
			}
			if !ok {
				if v, err = f.mod.submodule(m, name, s); err != nil {
					return err
				}
			}
			f.names.set(name, slot{value: v, annotated: m.mod.names.slots[name].annotated, at: s})
		}
	}
	return nil
}

// bindAll is an import * of a module that can be asked for names.
func (f *frame) bindAll(s *syntax.ImportFrom, find func(name string) (Value, bool)) {
	public := func(name string) (Value, bool) {
		if strings.HasPrefix(name, "_") {
			return nil, false
		}
		return find(name)
	}
	for _, name := range f.names.order {
		if v, ok := public(name); ok {
			f.names.set(name, slot{value: v, at: s})
		}
	}
	f.names.stars = append(f.names.stars, star{find: public, at: s})
}

// mayBindAll is an import * that may bind any name, but none that is a module of the language or of Python's
// library: it would bind that to the same.
func (f *frame) mayBindAll(s *syntax.ImportFrom, from *unknown) {
	p := f.mod.prog
	p.mayRaise(from)
	why := f.mod.unknownf("", "it may come from 'from %s import *', and %s", moduleText(s), from.why)
	why.at = f.mod.place(s)
	for _, name := range f.names.order {
		old, ok := f.names.get(name)
		if !ok || isModule(old.value) {
			continue
		}
		p.escape(old.value, why)
		f.names.set(name, slot{value: why.named(name), at: s})
	}
	f.names.stars = append(f.names.stars, star{doubt: why, at: s})
}

func isModule(v Value) bool {
	switch v := v.(type) {
	case sema.LangModule, *library:
		return true
	case *unknown:
		return v.isModule
	}
	return false
}

// moduleText gives the module of a from import as written.
func moduleText(s *syntax.ImportFrom) string { return strings.Repeat(".", s.Level) + s.Module }

func (m *Module) importFrom(s *syntax.ImportFrom) (Value, error) {
	return m.module(s, s.Module, s.Level)
}

// module gives a module: one of the language, of Python's library, of the program, or an
// unknown. A module of the program has run, with the packages that it is in.
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
		mod.run()
		m.intoPackage(path, level, mod)
		if mod.failed != nil {
			u := m.unsupported(at, "module '%s' fails: %v", name, mod.failed)
			m.prog.mayRaise(u)
		}
		return &userModule{name, mod}, nil
	}
	u := m.absent(name, level, err)
	u.at, u.isModule, u.harmless = m.place(at), true, level == 0 && slices.Contains(harmlessLibrary, path)
	if root, _, _ := strings.Cut(path, "."); level > 0 || !slices.Contains(pythonLibrary, root) {
		m.prog.mayRaise(u)
	}
	return u, nil
}

// intoPackage binds a module in the package that it is in.
func (m *Module) intoPackage(path string, level int, mod *Module) {
	i := strings.LastIndexByte(path, '.')
	if path == "" || i < 0 && level == 0 {
		return
	}
	in, err := m.imported(path[:max(i, 0)], level)
	if in == nil || err != nil || in == mod {
		return
	}
	name := path[i+1:]
	if s, ok := in.names.get(name); ok {
		if old, ok := s.value.(*userModule); ok && old.mod == mod || mod.state == hasRun && mod.bound {
			return
		}
	}
	mod.bound = true
	in.names.set(name, slot{value: &userModule{name, mod}})
}

// submodule gives a module in a package, or fails.
func (m *Module) submodule(u *userModule, name string, s *syntax.ImportFrom) (Value, error) {
	path := name
	if s.Module != "" {
		path = s.Module + "." + name
	}
	if mod, err := m.imported(path, s.Level); mod != nil && err == nil {
		return m.module(s, path, s.Level)
	}
	if u.mod.state == running { // they import one another: what it is later is not known
		doubt := m.unsupported(s, "module '%s', which has not run to its end, imports this one", u.name)
		m.prog.mayRaise(doubt)
		return doubt.named(name), nil
	}
	if v, ok := u.mod.dynamic(name); ok {
		return v, nil
	}
	return nil, m.raise(s, pyval.Errorf("ImportError", "cannot import name '%s' from '%s'", name, moduleText(s)))
}

// dynamic gives an attribute that a module's __getattr__ may have.
func (m *Module) dynamic(name string) (Value, bool) {
	s, ok := m.names.get("__getattr__")
	if !ok {
		return nil, false
	}
	u := m.unknownf(name, "the module's __getattr__ is not evaluated by Tegula")
	u.at = m.nodePlace(s.at)
	m.prog.escape(s.value, u)
	m.prog.mayRaise(u)
	return u, true
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

// frameworks are libraries that are not taken for files of the program, though they may be installed beside it: what they
// give comes from machine code, and running their files would take minutes to learn nothing.
var frameworks = []string{
	"accelerate", "cupy", "datasets", "huggingface_hub", "jax", "jaxlib", "matplotlib", "numpy", "pandas", "scipy", "sklearn", "sympy", "tensorflow",
	"torch", "torchaudio", "torchvision", "transformers",
}

type importKey struct {
	path  string
	level int
}

// imported asks the loader for a module, once.
func (m *Module) imported(path string, level int) (*Module, error) {
	if root, _, _ := strings.Cut(path, "."); level == 0 && slices.Contains(frameworks, root) {
		return nil, nil
	}
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
		m.prog.mayRaise(u)
		return u.with("." + a.Name), nil
	}
	if l, ok := from.(*library); ok {
		if v, ok := m.libraryAttr(l, a.Name); ok {
			return v, nil
		}
	}
	if v, ok, err := getAttr(from, a.Name); err != nil || ok {
		return v, err
	}
	if u, isUser := from.(*userModule); isUser {
		return m.submodule(u, a.Name, s)
	}
	return nil, m.raise(a, pyval.Errorf("ImportError", "cannot import name '%s' from '%s'", a.Name, moduleText(s)))
}

// pythonLibrary are the modules of Python's library: importing them does not fail.
var pythonLibrary = strings.Fields("__future__ abc argparse array ast asyncio atexit base64 bisect builtins bz2 cProfile calendar cmath cmd code codecs " +
	"collections colorsys concurrent configparser contextlib contextvars copy copyreg csv ctypes dataclasses datetime decimal difflib dis " +
	"email enum errno faulthandler filecmp fileinput fnmatch fractions functools gc getopt getpass gettext glob graphlib gzip hashlib heapq " +
	"hmac html http importlib inspect io ipaddress itertools json keyword linecache locale logging lzma marshal math mimetypes mmap " +
	"multiprocessing numbers opcode operator optparse os pathlib pdb pickle pickletools pkgutil platform plistlib pprint profile pstats " +
	"py_compile pyclbr queue random re reprlib runpy sched secrets select selectors shelve shlex shutil signal site socket socketserver " +
	"sqlite3 ssl stat statistics string stringprep struct subprocess symtable sys sysconfig tarfile tempfile textwrap threading time timeit " +
	"token tokenize trace traceback tracemalloc types typing unicodedata unittest urllib uuid venv warnings wave weakref xml zipfile zipimport zlib zoneinfo")

// harmlessLibrary are those whose functions leave the objects that they are given as they are.
var harmlessLibrary = strings.Fields("base64 hashlib inspect json logging os os.path pathlib platform pprint re string sys textwrap time traceback typing warnings")
