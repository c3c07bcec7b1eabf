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
	body    []syntax.Stmt
	find    importer
	imports map[importKey]importResult
	top     syntax.Names      // the names that its statements bind
	changed map[string]string // names that functions change, with one of the functions
	uses    map[syntax.Node][]use

	names      *names // once it runs
	env        *env
	state      runState
	failed     error    // the exception that ends it, or nil
	bound      bool     // in its package
	inPackages bool     // the packages that it is in have run, or do
	replaced   *unknown // what stands in its place for others, or nil

	kernels   []*candidate // once they are needed
	collected bool
	bodies    map[*syntax.FunctionDef]*names
	exports   map[any]*object
}

type runState uint8

const (
	notRun runState = iota
	running
	hasRun
)

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
	m := &Module{prog: p, name: name, file: f, body: tree.Body, find: find, bodies: map[*syntax.FunctionDef]*names{}, exports: map[any]*object{}}
	m.names = m.newNames()
	m.env = &env{mod: m}
	p.modules = append(p.modules, m)
	b := syntax.Binder{Bind: m.top.Add}
	b.Stmts(tree.Body)
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
func (m *Module) Names() []string { return slices.Clone(m.top.List) }

// Env resolves the names of the module, as its kernels do.
func (m *Module) Env() sema.Env { return m.env }

// Kernels gives the kernels of the module in the order of the text. Those inside classes and
// functions have the names of these in front: A.f.
func (m *Module) Kernels() []*Kernel {
	defer m.enter()()
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
	defer m.enter()()
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
		if failed := c.kernel.mod.failed; failed != nil {
			c.info.Err = c.kernel.mod.failure("module '"+c.kernel.mod.name+"'", failed, diag.Place{})
		}
	}
	return c.info
}

// all finds the kernels.
func (m *Module) all() []*candidate {
	if !m.collected {
		m.collected = true
		m.collect(m.names, "")
		slices.SortStableFunc(m.kernels, func(a, b *candidate) int {
			return cmp.Compare(a.kernel.at.Range().Pos, b.kernel.at.Range().Pos)
		})
	}
	return m.kernels
}

// collect finds the kernels of a name space and of those inside it.
func (m *Module) collect(n *names, prefix string) {
	done := map[string]bool{}
	for _, d := range n.defs {
		switch made := d.made.(type) {
		case *kernel:
			if !done[d.name] {
				done[d.name] = true
				m.collectName(n, d.name, prefix)
			}
		case *class:
			m.collect(made.names, prefix+d.name+".")
		case *function:
			m.collect(made.lookInside(prefix+d.name), prefix+d.name+".")
		}
	}
}

// collectName adds the kernel that a name is bound to, if it is one.
func (m *Module) collectName(n *names, name, prefix string) {
	s, ok := n.get(name)
	if k, isKernel := s.value.(*kernel); ok && isKernel {
		if k.mod == m {
			m.kernels = append(m.kernels, &candidate{name: prefix + name, kernel: k})
		}
		return
	}
	// What became of a kernel is not known: the last definition tells what it was.
	defs := 0
	var last *kernel
	for _, d := range n.defs {
		if k, ok := d.made.(*kernel); ok && d.name == name {
			last = k
			defs++
		}
	}
	c := &candidate{name: prefix + name, kernel: last}
	if u := isUnknown(s.value); u != nil && ok {
		c.err = m.failure("'"+name+"'", u.err(), u.at)
	}
	m.kernels = append(m.kernels, c)
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

// lookInside gives the names of a function's body as they are where nobody calls it: what depends
// on its parameters is not known. What it changes outside is taken back.
func (fn *function) lookInside(name string) *names {
	m := fn.mod
	if n, ok := m.bodies[fn.def]; ok {
		return n
	}
	p := m.prog
	p.begin()
	n := m.newNames()
	m.bodies[fn.def] = n
	f := &frame{mod: m, name: name, names: n, outer: fn.frame, looks: true}
	a := fn.args
	for _, list := range [][]*syntax.Arg{a.PosOnly, a.Args, a.KwOnly, {a.VarArg, a.KwArg}} {
		for _, arg := range list {
			if arg != nil {
				f.give(arg.Name, m.unknownf(arg.Name, "it is a parameter of %s(), which is known only where that is called", name))
			}
		}
	}
	for _, s := range fn.body {
		if c, err := f.step(s); c == returns || c == next && err != nil {
			f.havoc(s, m.doubtOf(s, err))
		}
	}
	p.rollback()
	return n
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
