package module

import (
	"errors"
	"slices"
	"strings"

	"github.com/tegula-lang/tegula/internal/pyval"
)

// run runs the module's statements, in order, once; first the packages that it is in, as Python
// does when it imports the module. Whoever runs it, its names and what it makes stay. Where that is
// done in a branch that may not be run, what it changes outside itself is lost.
func (m *Module) run() {
	if m.state != notRun {
		return
	}
	if m.runPackages(); m.state != notRun {
		return
	}
	m.state = running
	p := m.prog
	before := p.request
	p.request = request{running: before.running + 1, nest: before.nest, calls: before.calls}
	if len(before.journals) > 0 {
		p.begin()
		m.names.depth = 1
	}
	f := &frame{mod: m, kind: moduleFrame, names: m.names}
	for _, s := range m.body {
		p.steps = stepLimit
		if p.total >= maxTotal*stepLimit {
			p.steps = 0
		}
		given := p.steps
		_, err := f.step(s)
		p.total += given - p.steps
		if err == nil {
			continue
		}
		if u := (*unknownError)(nil); !errors.As(err, &u) && m.failed == nil && !isVendors(err) {
			m.failed = err
		}
		f.havoc(s, m.doubtOf(s, err))
	}
	m.state = hasRun
	maybe := p.journals
	p.request = before
	if len(maybe) > 0 {
		m.forget(maybe[0])
	}
}

// isVendors reports whether an exception is that a part of triton is not there which the tritons of other vendors have.
func isVendors(err error) bool {
	var exc *pyval.Error
	return errors.As(err, &exc) && exc.Type == "ModuleNotFoundError" && strings.Contains(exc.Msg, "'triton.language.extra.")
}

// runPackages runs the packages that the module is in, the outermost first.
func (m *Module) runPackages() {
	if m.find == nil || m.inPackages {
		return
	}
	m.inPackages = true
	var packages []*Module
	for level := 1; level <= maxLevels; level++ {
		in, err := m.imported("", level)
		if in == nil || err != nil {
			break
		}
		if in != m && !slices.Contains(packages, in) {
			packages = append(packages, in)
		}
	}
	for _, in := range slices.Backward(packages) {
		in.run()
	}
}

// forget loses what the module changed outside itself, as a journal has it.
func (m *Module) forget(j *journal) {
	why := m.unknownf(m.name, "whether the module is imported is not known")
	for _, at := range j.places {
		if at.names == m.names {
			continue
		}
		m.prog.escape(at.names.slots[at.name].value, why)
		at.names.slots[at.name] = slot{value: why.changed(at.name), at: at.names.slots[at.name].at}
	}
	for _, obj := range j.changed {
		m.prog.escape(obj, why)
	}
}

// moduleNames are the names that every module has.
var moduleNames = map[string]func(*Module) Value{
	"__name__": func(m *Module) Value { return m.pythonName() },
	"__file__": func(m *Module) Value { return m.name },
	"__doc__":  func(*Module) Value { return pyval.None },
}

// global finds what a name of the module is bound to, but for builtins.
func (m *Module) global(name string) (slot, bool) {
	if fn, ok := m.changed[name]; ok && m.prog.running == 0 {
		if s, bound := m.names.get(name); bound {
			return slot{value: m.unknownf(name, "the function %s(), which may run at any time, changes it", fn), at: s.at}, true
		}
	}
	if s, ok := m.names.get(name); ok {
		return s, true
	}
	if of := moduleNames[name]; of != nil {
		return slot{value: of(m)}, true
	}
	for _, star := range slices.Backward(m.names.stars) {
		if star.doubt == nil {
			if v, ok := star.find(name); ok {
				return slot{value: v, at: star.at}, true
			}
			continue
		}
		if _, builtin := lookupBuiltin(name); !builtin {
			return slot{value: star.doubt.named(name), at: star.at}, true
		}
	}
	return slot{}, false
}

// An nsDict is globals(), or vars() of a module: its names as a dict.
type nsDict struct {
	mod   *Module
	names *names
}

// TypeName gives the name of the type in messages.
func (*nsDict) TypeName() string { return "dict" }

// Len gives the number of names, which is not known: Python has more.
func (d *nsDict) Len() (int, error) { return 0, d.doubt().err() }

// Iterate gives the names.
func (d *nsDict) Iterate() ([]Value, error) { return nil, d.doubt().err() }

func (d *nsDict) doubt() *unknown {
	return d.mod.unknownf("globals()", "what is in it besides the module's own names is not known")
}

// GetItem gives what a name is bound to.
func (d *nsDict) GetItem(index Value) (Value, error) {
	name, ok := index.(string)
	if !ok {
		return nil, pyval.Errorf("KeyError", "%s", pyval.Repr(index))
	}
	if s, ok := d.mod.global(name); ok {
		return s.value, nil
	}
	return nil, pyval.Errorf("KeyError", "'%s'", name)
}

// set binds a name.
func (d *nsDict) set(f *frame, index, v Value) error {
	name, ok := index.(string)
	if !ok {
		return f.mod.unsupported(f.at, "names are strings").err()
	}
	d.names.set(name, slot{value: v, at: f.at})
	return nil
}

func (d *nsDict) attr(name string) (Value, bool, error) {
	if name == "get" {
		return &native{name: "globals().get", holds: []Value{d}, fn: func(args []Value, _ []pyval.Kwarg) (Value, error) {
			v, err := d.GetItem(args[0])
			if exc := (*pyval.Error)(nil); errors.As(err, &exc) && len(args) > 1 {
				return args[1], nil
			}
			return v, err
		}}, true, nil
	}
	why := d.doubt()
	d.names.lose(why)
	return why.with("." + name), true, nil
}
