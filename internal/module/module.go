package module

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// A Module is a module file.
type Module struct {
	prog    *program
	name    string
	file    *syntax.File
	find    importer
	scope   *scope
	imports map[importKey]importResult
	changed map[string]string // names that functions change, with one of the functions

	kernels   []*candidate // once they are needed
	collected bool
	bodies    map[*syntax.FunctionDef]*scope
	exports   map[any]*object
}

// An importer gives another module of the program: path is a.b, level the number of dots before
// it. It gives nil for a module that is not there.
type importer func(path string, level int) (*Module, error)

// Load reads a module that imports nothing of the program's. The error is a diag.List of what is
// wrong with its syntax.
func Load(name string, src []byte) (*Module, error) { return newModule(new(program), name, src, nil) }

// newModule reads a module of a program. find may be nil.
func newModule(p *program, name string, src []byte, find importer) (*Module, error) {
	f := syntax.NewFile(name, src)
	tree, errs := syntax.Parse(f)
	if len(errs) > 0 {
		return nil, errs
	}
	m := &Module{prog: p, name: name, file: f, find: find, bodies: map[*syntax.FunctionDef]*scope{}, exports: map[any]*object{}}
	m.scope = newScope(m, moduleScope, "", nil, tree.Body)
	if bytes.Contains(src, []byte("global")) {
		m.changed = map[string]string{}
		globals(tree.Body, "", m.changed)
	}
	return m, nil
}

// pythonName gives the name that Python would import the module by; it is never __main__.
func (m *Module) pythonName() string {
	return strings.TrimSuffix(path.Base(filepath.ToSlash(m.name)), ".py")
}

// File gives the module's text.
func (m *Module) File() *syntax.File { return m.file }

// Names gives the names that the module binds, in the order of their first binding.
func (m *Module) Names() []string {
	var names []string
	seen := map[string]bool{}
	for _, e := range m.scope.entries {
		for _, n := range e.names {
			if !seen[n] {
				seen[n] = true
				names = append(names, n)
			}
		}
	}
	return names
}

// Env resolves the names of the module, as its kernels do.
func (m *Module) Env() sema.Env { return m.scope.env }

// Kernels gives the kernels of the module in the order of the text. Those inside classes and
// functions have the names of these in front: A.f.
func (m *Module) Kernels() []*Kernel {
	defer m.prog.enter()()
	var out []*Kernel
	for _, c := range m.all() {
		m.prog.steps = stepLimit // each kernel is a request of its own
		out = append(out, c.kernelInfo())
	}
	return out
}

// Kernel finds a kernel by its name; for one inside a class or function its own name is enough
// if no other has it. It gives nil if there is none.
func (m *Module) Kernel(name string) *Kernel {
	defer m.prog.enter()()
	var inside []*candidate
	for _, c := range m.all() {
		if c.name == name {
			return c.kernelInfo()
		}
		if strings.HasSuffix(c.name, "."+name) {
			inside = append(inside, c)
		}
	}
	if len(inside) == 1 {
		return inside[0].kernelInfo()
	}
	return nil
}

// A candidate is a kernel of the module whose decorators' arguments may not have been looked at.
type candidate struct {
	name   string
	kernel *kernel
	err    error
	info   *Kernel
}

func (c *candidate) kernelInfo() *Kernel {
	if c.info == nil {
		c.info = newKernelInfo(c.name, c.kernel)
		if c.err != nil {
			c.info.Err = c.err
		}
	}
	return c.info
}

// all finds the kernels.
func (m *Module) all() []*candidate {
	if !m.collected {
		m.collected = true
		m.collect(m.scope)
		slices.SortStableFunc(m.kernels, func(a, b *candidate) int {
			return cmp.Compare(a.kernel.at.Range().Pos, b.kernel.at.Range().Pos)
		})
	}
	return m.kernels
}

// collect finds the kernels of a scope and of those inside it.
func (m *Module) collect(s *scope) {
	done := map[string]bool{}
	for i, e := range s.entries {
		switch stmt := e.stmt.(type) {
		case *syntax.FunctionDef:
			if len(stmt.Decorators) > 0 && !done[stmt.Name] {
				done[stmt.Name] = true
				m.collectName(s, stmt.Name)
			}
			if r, _ := s.reached(e); r != no && holdsDecorated(stmt.Body) {
				m.collect(m.body(s, stmt))
			}
		case *syntax.ClassDef:
			if r, _ := s.reached(e); r == no || !holdsDecorated(stmt.Body) {
				continue
			}
			s.run(i)
			if c, ok := e.values[stmt.Name].(*class); ok {
				m.collect(c.scope)
			}
		case *syntax.Assign:
			if n, ok := stmt.Targets[0].(*syntax.Name); ok && makesKernel(stmt.Value) && !done[n.Id] {
				done[n.Id] = true
				m.collectName(s, n.Id)
			}
		}
	}
}

// collectName adds the kernel that a name is bound to, if it is one.
func (m *Module) collectName(s *scope, name string) {
	var f found
	var ok bool
	var err error
	s.end(func() { f, ok, err = s.own(name) })
	if k, isKernel := f.value.(*kernel); ok && err == nil && isKernel {
		if k.mod == m {
			m.kernels = append(m.kernels, &candidate{name: qualified(s, name), kernel: k})
		}
		return
	}
	// What became of a kernel is not known: the last definition tells what it was.
	for _, i := range slices.Backward(s.binders[name]) {
		e := s.entries[i]
		if _, isDef := e.stmt.(*syntax.FunctionDef); !isDef {
			continue
		}
		s.run(i)
		k, isKernel := e.values[name].(*kernel)
		if r, _ := s.reached(e); r == no || !isKernel {
			continue
		}
		c := &candidate{name: qualified(s, name), kernel: k}
		if u := isUnknown(f.value); u != nil && len(s.binders[name]) > 1 {
			c.err = m.failure("'"+name+"'", u.err(), u.at)
		}
		m.kernels = append(m.kernels, c)
		return
	}
}

// holdsDecorated reports whether there is a decorated def in a body, at any depth.
func holdsDecorated(body []syntax.Stmt) bool {
	return slices.ContainsFunc(body, func(s syntax.Stmt) bool {
		switch s := s.(type) {
		case *syntax.FunctionDef:
			return len(s.Decorators) > 0 || holdsDecorated(s.Body)
		case *syntax.ClassDef:
			return holdsDecorated(s.Body)
		}
		return slices.ContainsFunc(syntax.Blocks(s), holdsDecorated)
	})
}

// makesKernel reports whether an expression may be triton.jit(f) or a decorator's call on one.
func makesKernel(e syntax.Expr) bool {
	c, ok := e.(*syntax.Call)
	if !ok {
		return false
	}
	switch fn := c.Func.(type) {
	case *syntax.Name:
		return slices.Contains(decoratorNames[:], fn.Id)
	case *syntax.Attribute:
		return slices.Contains(decoratorNames[:], fn.Attr)
	}
	return makesKernel(c.Func)
}

// body gives the scope of a host function's body, for the kernels in it.
func (m *Module) body(outer *scope, d *syntax.FunctionDef) *scope {
	if s, ok := m.bodies[d]; ok {
		return s
	}
	s := newScope(m, functionScope, qualified(outer, d.Name), outer.forFunctions(), d.Body)
	s.params = map[string]bool{}
	a := d.Args
	for _, list := range [][]*syntax.Arg{a.PosOnly, a.Args, a.KwOnly, {a.VarArg, a.KwArg}} {
		for _, p := range list {
			if p != nil {
				s.params[p.Name] = true
			}
		}
	}
	m.bodies[d] = s
	return s
}

// failure makes the diagnostic of an error that says why something cannot be known. An unknown
// is shown at the given place, where it is bound or used, if that is set.
func (m *Module) failure(what string, err error, at diag.Place) error {
	var u *unknownError
	var r *raised
	switch {
	case errors.As(err, &u):
		e := diag.At(diag.Unsupported, at, "%s cannot be known: %s", what, u.reason(what)).WithCode("unknown-value")
		if u.missing {
			e.Category, e.Code = diag.Compile, "no-module"
		}
		if at.IsZero() {
			e.Place = u.at
		}
		e.Cause = err
		return e
	case errors.As(err, &r):
		e := diag.At(diag.Compile, r.at, "%s cannot be evaluated: %s", what, r.exc.Error()).WithCode("host-error")
		e.Cause = err
		return e
	}
	var exc *pyval.Error
	if errors.As(err, &exc) {
		e := diag.At(diag.Compile, at, "%s cannot be evaluated: %s", what, exc.Error()).WithCode("host-error")
		e.Cause = err
		return e
	}
	return err
}

// reason tells where a value comes from, unless that is the thing itself, and why it is not known.
func (u *unknown) reason(of string) string {
	if of == "'"+u.path+"'" {
		return u.why
	}
	return fmt.Sprintf("it comes from %s, and %s", u.path, u.why)
}
