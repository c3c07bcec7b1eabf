package module

import (
	"errors"
	"slices"
	"strings"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// The parts of Python's library that see or change what the program is: its names, its modules, its
// environment.

// A loadedModules is sys.modules.
type loadedModules struct{ mod *Module }

// TypeName gives the name of the type in messages.
func (*loadedModules) TypeName() string { return "dict" }

// Len fails: which modules are loaded is not known.
func (l *loadedModules) Len() (int, error) { return 0, l.doubt("").err() }

// Iterate fails too.
func (l *loadedModules) Iterate() ([]Value, error) { return nil, l.doubt("").err() }

func (l *loadedModules) doubt(suffix string) *unknown {
	return l.mod.unknownf("sys.modules"+suffix, "which modules are loaded is not known")
}

// GetItem gives a module of the program. Of several that may be meant nothing is known any more.
func (l *loadedModules) GetItem(index Value) (Value, error) {
	name, _ := index.(string)
	if name == l.mod.pythonName() {
		return &userModule{name, l.mod}, nil
	}
	doubt := l.doubt("[…]")
	for _, m := range l.mod.prog.modules {
		if last := name[strings.LastIndexByte(name, '.')+1:]; last == m.pythonName() {
			m.names.lose(doubt)
		}
	}
	l.mod.prog.mayRaise(doubt)
	return doubt, nil
}

// set puts something else in the place of a module: those that import it from now on know nothing of it.
func (l *loadedModules) set(f *frame, index, v Value) {
	doubt := l.doubt("[…] = …")
	f.mod.prog.escape(v, doubt)
	f.mod.prog.mayRaise(doubt)
	if index == Value(l.mod.pythonName()) {
		l.mod.replaced = doubt
	}
}

func (l *loadedModules) attr(name string) (Value, bool, error) {
	if name != "get" && name != "keys" && name != "items" {
		for _, m := range l.mod.prog.modules {
			m.names.lose(l.doubt("." + name))
		}
	}
	return l.doubt("." + name), true, nil
}

// libraryAttr gives what a module of Python's library holds that belongs to the program.
func (m *Module) libraryAttr(l *library, name string) (Value, bool) {
	switch l.name + "." + name {
	case "os.environ":
		return m.environment(), true
	case "os.getenv":
		return &frameFunction{"os.getenv", getenv}, true
	case "sys.modules":
		return &loadedModules{m}, true
	}
	return nil, false
}

// An environment is os.environ. It is empty at first.
type environment struct {
	mod   *Module // of who asks
	names *names
}

func (m *Module) environment() *environment {
	p := m.prog
	if p.environ == nil {
		p.environ = &names{prog: p, mod: m, slots: map[string]slot{}}
	}
	return &environment{m, p.environ}
}

// TypeName gives the name of the type in messages.
func (*environment) TypeName() string { return "environ" }

// Len gives the number of variables.
func (e *environment) Len() (int, error) {
	names, err := e.Iterate()
	return len(names), err
}

// Iterate gives the names of the variables.
func (e *environment) Iterate() ([]Value, error) {
	var all []Value
	for _, name := range e.names.order {
		s, ok := e.names.get(name)
		if u := isUnknown(s.value); ok && u != nil {
			return nil, u.err()
		}
		if ok && s.doubt != nil {
			return nil, s.doubt.err()
		}
		if ok {
			all = append(all, name)
		}
	}
	return all, nil
}

// find gives a variable.
func (e *environment) find(key Value) (v Value, ok bool) {
	name, isText := plain(key).(string)
	if u := isUnknown(plain(key)); u != nil {
		return u, true
	}
	if e.names.lost != nil {
		return e.names.lost.named("os.environ[…]"), true
	}
	s, ok := e.names.get(name)
	switch {
	case !isText || !ok:
		return nil, false
	case s.doubt != nil:
		return s.doubt.changed("os.environ[…]"), true
	}
	return s.value, true
}

// GetItem gives a variable.
func (e *environment) GetItem(index Value) (Value, error) {
	if v, ok := e.find(index); ok {
		return v, nil
	}
	return nil, pyval.Errorf("KeyError", "%s", pyval.Repr(index))
}

func (e *environment) set(f *frame, index, v Value) {
	name, ok := plain(index).(string)
	if !ok {
		e.names.lose(f.mod.unsupported(f.at, "which variable it sets is not known"))
		return
	}
	e.names.set(name, slot{value: v, at: f.at})
}

func (e *environment) attr(name string) (Value, bool, error) {
	if name == "copy" || name == "keys" || name == "values" || name == "items" {
		return &native{name: "os.environ." + name, fn: func([]Value, []pyval.Kwarg) (Value, error) { return e.view(name) }}, true, nil
	}
	if name != "get" && name != "setdefault" && name != "pop" {
		u := e.mod.unknownf("os.environ."+name, "it is not evaluated by Tegula")
		e.names.lose(u)
		return u, true, nil
	}
	return &frameFunction{"os.environ." + name, func(f *frame, args []Value, at syntax.Node) (Value, error) {
		if len(args) == 0 || len(args) > 2 {
			return nil, pyval.Errorf("TypeError", "%s expected 1 or 2 arguments, got %d", name, len(args))
		}
		v, ok := e.find(args[0])
		key, isText := plain(args[0]).(string)
		switch {
		case ok && name == "pop" && isText:
			e.names.drop(key)
		case !ok && len(args) == 2 && name == "setdefault":
			e.set(f, args[0], args[1])
		}
		switch {
		case ok:
			return v, nil
		case len(args) == 2:
			return args[1], nil
		case name == "pop":
			return nil, pyval.Errorf("KeyError", "%s", pyval.Repr(args[0]))
		}
		return pyval.None, nil
	}}, true, nil
}

// view gives copy, keys, values or items of the variables.
func (e *environment) view(name string) (Value, error) {
	d := &pyval.Dict{}
	keys, err := e.Iterate()
	for _, k := range keys {
		v, _ := e.find(k)
		if err == nil {
			err = d.Set(k, v)
		}
	}
	if u := (*unknownError)(nil); errors.As(err, &u) {
		return u.unknown, nil
	}
	if err != nil || name == "copy" {
		return d, err
	}
	view, _ := pyval.Attr(d, name)
	return call(view, nil, nil)
}

func getenv(f *frame, args []Value, at syntax.Node) (Value, error) {
	get, _, err := f.mod.environment().attr("get")
	if err != nil {
		return nil, err
	}
	return get.(*frameFunction).fn(f, args, at)
}

// frameBuiltins are the builtins that see who calls them.
var frameBuiltins map[string]*frameFunction

func init() { // the functions evaluate
	frameBuiltins = map[string]*frameFunction{}
	for name, fn := range map[string]func(f *frame, args []Value, at syntax.Node) (Value, error){
		"globals": func(f *frame, _ []Value, _ syntax.Node) (Value, error) { return &nsDict{f.mod, f.mod.names}, nil },
		"locals":  localsOf,
		"vars":    varsOf,
		"exec":    runText,
		"eval":    evalText,
		"iter":    iterOf,
		"next":    nextOf,
		"setattr": setattrOf,
	} {
		frameBuiltins[name] = &frameFunction{name, fn}
	}
}

func localsOf(f *frame, _ []Value, at syntax.Node) (Value, error) {
	if f.kind == moduleFrame {
		return &nsDict{f.mod, f.mod.names}, nil
	}
	u := f.mod.unsupported(at, "locals are not evaluated by Tegula")
	f.names.lose(u)
	return u, nil
}

func varsOf(f *frame, args []Value, at syntax.Node) (Value, error) {
	if len(args) == 0 {
		return localsOf(f, args, at)
	}
	if m, ok := args[0].(*userModule); ok {
		return &nsDict{m.mod, m.mod.names}, nil
	}
	return f.mod.unsupported(at, "vars() of an object is not evaluated by Tegula"), nil
}

// runText is exec. Text that is not known may change every name.
func runText(f *frame, args []Value, at syntax.Node) (Value, error) {
	if text, ok := plain(last(args)).(string); ok && len(args) == 1 {
		file := syntax.NewFile("<exec>", []byte(text))
		if tree, errs := syntax.Parse(file); len(errs) == 0 {
			in := f.reading(file)
			_, err := in.block(tree.Body)
			return pyval.None, err
		}
	}
	u := f.mod.unsupported(at, "text that is not known is not run as code by Tegula")
	if len(args) > 1 { // it sees the dict that it is given
		return u, nil
	}
	f.names.lose(u)
	f.mod.names.lose(u)
	return u, nil
}

// reading gives the frame for code of another file.
func (f *frame) reading(file *syntax.File) *frame {
	in, m := *f, *f.mod
	m.file, m.uses = file, nil
	in.mod = &m
	return &in
}

// evalText is eval. An expression binds no names, but may change what they hold.
func evalText(f *frame, args []Value, at syntax.Node) (Value, error) {
	if text, ok := plain(args[0]).(string); ok && len(args) == 1 {
		file := syntax.NewFile("<eval>", []byte(text))
		if e, errs := syntax.ParseExpr(file); len(errs) == 0 {
			return f.reading(file).eval(e)
		}
	}
	u := f.mod.unsupported(at, "text that is not known is not run as code by Tegula")
	for _, n := range []*names{f.names, f.mod.names} {
		for _, name := range n.order {
			f.mod.prog.escape(n.slots[name].value, u)
		}
	}
	return u, nil
}

func setattrOf(f *frame, args []Value, at syntax.Node) (Value, error) {
	if len(args) != 3 {
		return nil, pyval.Errorf("TypeError", "setattr expected 3 arguments, got %d", len(args))
	}
	name, ok := plain(args[1]).(string)
	if !ok {
		return f.mod.unsupported(at, "which attribute it sets is not known"), nil
	}
	return pyval.None, f.setAttrOf(args[0], name, args[2], at)
}

// A method is a method of a Python value that changes it, as a value of its own.
type method struct {
	prog *program
	*pyval.Builtin
}

// Call calls the method from a function that knows nothing of programs.
func (m *method) Call(args []Value, kwargs []pyval.Kwarg) (Value, error) {
	if u := isUnknown(m.prog.seen(m.Self, m.Name)); u != nil {
		return u, nil
	}
	m.prog.changing(m.Self)
	if doubts := slices.ContainsFunc(args, func(v Value) bool { return m.prog.doubtful(v) != nil }); doubts && m.Name != "append" {
		u := &unknown{path: m.Name + "()", why: "what it is given is not known"}
		m.prog.escape(m.Self, u)
		return u, nil
	}
	return m.Builtin.Call(args, kwargs)
}

// pythonAttrs are the attributes of Python's types; Tegula evaluates most of them.
var pythonAttrs = map[string]string{
	"str": "capitalize casefold center count encode endswith expandtabs find format format_map index isalnum isalpha isascii isdecimal " +
		"isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip maketrans partition removeprefix " +
		"removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title translate upper zfill",
	"list":      "append clear copy count extend index insert pop remove reverse sort",
	"dict":      "clear copy fromkeys get items keys pop popitem setdefault update values",
	"set":       "add clear copy difference difference_update discard intersection intersection_update isdisjoint issubset issuperset pop remove symmetric_difference symmetric_difference_update union update",
	"frozenset": "copy difference intersection isdisjoint issubset issuperset symmetric_difference union",
	"tuple":     "count index",
	"int":       "as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag numerator real to_bytes",
	"float":     "as_integer_ratio conjugate fromhex hex imag is_integer real",
	"bool":      "as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag numerator real to_bytes",
	"range":     "count index start step stop",
	"slice":     "indices start step stop",
	"NoneType":  "",
}

// hasPythonAttr reports whether an object that has no such attribute here may have it in Python.
func hasPythonAttr(v Value, name string) bool {
	const special = "__"
	if len(name) > 4 && name[:2] == special && name[len(name)-2:] == special {
		return true
	}
	switch v.(type) {
	case *class, *member, number, pyval.Attrer:
		return false
	}
	attrs, ok := pythonAttrs[pyval.TypeName(v)]
	return !ok || slices.Contains(strings.Fields(attrs), name)
}
