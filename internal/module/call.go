package module

import (
	"errors"
	"slices"
	"strconv"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// call evaluates a call.
func (f *frame) call(e *syntax.Call) (Value, error) {
	fn, err := f.eval(e.Func)
	if err != nil {
		return nil, err
	}
	switch fn := fn.(type) {
	case *unknown:
		return fn.with("()"), nil
	case *decoratorMaker:
		return f.decoratorCall(fn, e)
	}
	args, err := f.exprs(e.Args)
	if err != nil {
		return f.orUnknown(err)
	}
	kwargs, err := f.keywords(e.Keywords)
	if err != nil {
		return f.orUnknown(err)
	}
	v, err := f.apply(fn, args, kwargs, e)
	if err != nil {
		return f.orUnknown(f.mod.raise(e, err))
	}
	return v, f.charge(v, e)
}

// apply calls a value.
func (f *frame) apply(fn Value, args []Value, kwargs []pyval.Kwarg, at syntax.Node) (Value, error) {
	switch fn.(type) {
	case *pyval.Builtin, *pyval.Class:
		// These compute with their arguments: what they make of an unknown is unknown.
		for i, a := range args {
			if u := isUnknown(plain(a)); u != nil && !keeps(fn) {
				return u, nil
			}
			if !keeps(fn) {
				args[i] = plain(a)
			}
		}
		const dearest = 16 // what a power or logarithm takes
		if err := f.spend(dearest, at); err != nil {
			return nil, err
		}
		for _, a := range args {
			if err := f.charge(a, at); err != nil {
				return nil, err
			}
		}
	case *sema.Func, *sema.Builtin:
		return f.mod.unsupported(at, "a function of the language runs in kernels only"), nil
	case *kernel:
		return f.mod.unsupported(at, "a kernel function runs in kernels only"), nil
	}
	return call(fn, args, kwargs)
}

// keeps reports whether a builtin stores its arguments without looking at them.
func keeps(fn Value) bool {
	b, ok := fn.(*pyval.Builtin)
	if !ok {
		return false
	}
	switch b.Name {
	case "append", "insert", "add", "setdefault", "get", "update", "pop", "remove", "index", "count", "extend":
		return true
	}
	return false
}

func (f *frame) keywords(list []syntax.Keyword) ([]pyval.Kwarg, error) {
	out := make([]pyval.Kwarg, 0, len(list))
	for _, k := range list {
		v, err := f.eval(k.Value)
		if err != nil {
			return nil, err
		}
		if k.Arg != "" {
			out = append(out, pyval.Kwarg{Name: k.Arg, Value: v})
			continue
		}
		if u := isUnknown(v); u != nil {
			return nil, u.err()
		}
		d, ok := plain(v).(*pyval.Dict)
		if !ok {
			return nil, f.mod.raise(k.Value, pyval.Errorf("TypeError", "argument after ** must be a mapping, not %s", pyval.TypeName(v)))
		}
		for key, v := range d.All() {
			name, ok := key.(string)
			if !ok {
				return nil, f.mod.raise(k.Value, pyval.Errorf("TypeError", "keywords must be strings"))
			}
			out = append(out, pyval.Kwarg{Name: name, Value: v})
		}
	}
	return out, nil
}

// newFunction makes the function of a def, whose free names are those of this frame.
func (f *frame) newFunction(d *syntax.FunctionDef) *function {
	return &function{mod: f.mod, name: d.Name, node: d, args: d.Args, body: d.Body, def: d, frame: f.closure(), scope: f.scope.forFunctions()}
}

func (f *frame) lambda(e *syntax.Lambda) *function {
	return &function{mod: f.mod, name: "<lambda>", node: e, args: e.Args, expr: e.Body, frame: f.closure(), scope: f.scope.forFunctions()}
}

// closure gives the frame that a function made here closes over. The frame of a scope's
// statement is none: the scope has its names, and newer ones.
func (f *frame) closure() *frame {
	if f.entry != nil {
		return nil
	}
	return f
}

// Call runs the function.
func (fn *function) Call(args []Value, kwargs []pyval.Kwarg) (Value, error) {
	if fn.wraps != "" {
		return &unknown{path: fn.name + "()", why: "its decorator " + fn.wraps + " is not known to Tegula", at: fn.mod.place(fn.node)}, nil
	}
	p := fn.mod.prog
	if p.calls++; p.calls > maxCalls {
		p.calls--
		return nil, pyval.Errorf("RecursionError", "maximum recursion depth exceeded")
	}
	defer func() { p.calls-- }()
	f := &frame{mod: fn.mod, vars: map[string]Value{}, outer: fn.frame, scope: fn.scope}
	if err := fn.bind(f, args, kwargs); err != nil {
		return nil, err
	}
	if fn.def == nil {
		return f.eval(fn.expr)
	}
	if fn.def.Async {
		return fn.mod.unsupported(fn.node, "async functions are not evaluated by Tegula"), nil
	}
	if yields(fn.body) {
		f.yields = new([]Value)
	}
	c, err := f.block(fn.body)
	switch {
	case err != nil:
		return nil, err
	case f.yields != nil:
		return &pyval.List{Elems: *f.yields}, nil
	case c == returns:
		return f.result, nil
	}
	return pyval.None, nil
}

// yields reports whether a body makes its function a generator.
func yields(body []syntax.Stmt) bool {
	return slices.ContainsFunc(body, func(s syntax.Stmt) bool {
		if e, ok := s.(*syntax.ExprStmt); ok {
			_, ok := e.Value.(*syntax.Yield)
			return ok
		}
		return slices.ContainsFunc(syntax.Blocks(s), yields)
	})
}

// bind gives the parameters their values.
func (fn *function) bind(f *frame, args []Value, kwargs []pyval.Kwarg) error {
	a := fn.args
	positional := make([]*syntax.Arg, 0, len(a.PosOnly)+len(a.Args))
	positional = append(append(positional, a.PosOnly...), a.Args...)
	for i, v := range args {
		if i < len(positional) {
			f.vars[positional[i].Name] = v
		}
	}
	extra := args[min(len(args), len(positional)):]
	switch {
	case a.VarArg != nil:
		f.vars[a.VarArg.Name] = pyval.NewTuple(extra...)
	case len(extra) > 0:
		return pyval.Errorf("TypeError", "%s() takes %s, not %d", fn.name, positionals(len(positional)), len(args))
	}
	if err := fn.bindKeywords(f, kwargs); err != nil {
		return err
	}
	outside := &frame{mod: fn.mod, vars: map[string]Value{}, outer: fn.frame, scope: fn.scope}
	for i, p := range positional {
		var def syntax.Expr
		if d := i - (len(positional) - len(a.Defaults)); d >= 0 {
			def = a.Defaults[d]
		}
		if err := fn.bindDefault(f, outside, p, def); err != nil {
			return err
		}
	}
	for i, p := range a.KwOnly {
		if err := fn.bindDefault(f, outside, p, a.KwDefaults[i]); err != nil {
			return err
		}
	}
	return nil
}

// positionals counts positional arguments in a message.
func positionals(n int) string {
	if n == 1 {
		return "1 positional argument"
	}
	return strconv.Itoa(n) + " positional arguments"
}

func (fn *function) bindKeywords(f *frame, kwargs []pyval.Kwarg) error {
	a := fn.args
	named := map[string]bool{}
	for _, list := range [][]*syntax.Arg{a.Args, a.KwOnly} {
		for _, p := range list {
			named[p.Name] = true
		}
	}
	rest := &pyval.Dict{}
	for _, k := range kwargs {
		switch {
		case named[k.Name]:
			if _, ok := f.vars[k.Name]; ok {
				return pyval.Errorf("TypeError", "%s() got multiple values for argument '%s'", fn.name, k.Name)
			}
			f.vars[k.Name] = k.Value
		case a.KwArg != nil:
			if err := rest.Set(k.Name, k.Value); err != nil {
				return err
			}
		default:
			return pyval.Errorf("TypeError", "%s() got an unexpected keyword argument '%s'", fn.name, k.Name)
		}
	}
	if a.KwArg != nil {
		f.vars[a.KwArg.Name] = rest
	}
	return nil
}

// bindDefault gives a parameter without an argument its default.
func (fn *function) bindDefault(f, outside *frame, p *syntax.Arg, def syntax.Expr) error {
	if _, ok := f.vars[p.Name]; ok {
		return nil
	}
	if def == nil {
		return pyval.Errorf("TypeError", "%s() missing 1 required argument: '%s'", fn.name, p.Name)
	}
	v, err := outside.eval(def)
	if u := (*unknownError)(nil); errors.As(err, &u) {
		v, err = u.unknown, nil
	}
	f.vars[p.Name] = v
	return err
}

// comprehension evaluates a comprehension; generators give lists.
func (f *frame) comprehension(e *syntax.Comp) (Value, error) {
	c := &frame{mod: f.mod, vars: map[string]Value{}, outer: f, scope: f.scope, yields: f.yields}
	list := &pyval.List{}
	dict := &pyval.Dict{}
	err := c.generate(e.Generators, f, func() error {
		v, err := c.eval(e.Elt)
		if err != nil {
			return err
		}
		if e.Kind != syntax.DictComp {
			if len(list.Elems) >= pyval.MaxLen {
				return f.mod.raise(e, pyval.Errorf("MemoryError", "the list is too large"))
			}
			list.Elems = append(list.Elems, v)
			return nil
		}
		u, err := c.eval(e.Value)
		if err != nil {
			return err
		}
		return f.mod.raise(e, dict.Set(v, u))
	})
	if err != nil {
		return f.orUnknown(err)
	}
	switch e.Kind {
	case syntax.DictComp:
		return dict, nil
	case syntax.SetComp:
		s, err := pyval.NewSet(list.Elems, false)
		return s, f.mod.raise(e, err)
	}
	return list, nil
}

// generate runs the for clauses; the first iterable is evaluated in the frame around.
func (f *frame) generate(clauses []syntax.Comprehension, around *frame, emit func() error) error {
	if len(clauses) == 0 {
		return emit()
	}
	c := clauses[0]
	elems, err := around.iterate(c.Iter)
	if err != nil {
		return err
	}
each:
	for _, v := range elems {
		if err := f.spend(1, c.Iter); err != nil {
			return err
		}
		if err := f.assign(c.Target, v); err != nil {
			return err
		}
		for _, cond := range c.Ifs {
			t, err := f.test(cond)
			if err != nil {
				return err
			}
			if !t {
				continue each
			}
		}
		if err := f.generate(clauses[1:], f, emit); err != nil {
			return err
		}
	}
	return nil
}
