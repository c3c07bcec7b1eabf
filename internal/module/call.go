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
	if m, ok := fn.(*decoratorMaker); ok {
		return f.decoratorCall(m, e)
	}
	args, err := f.exprs(e.Args)
	if err != nil {
		return f.orUnknown(e, err)
	}
	kwargs, err := f.keywords(e.Keywords)
	if err != nil {
		return f.orUnknown(e, err)
	}
	if u := isUnknown(fn); u != nil {
		if v := f.mod.prog.answer(u); v != nil {
			return v, nil
		}
		f.given(args, kwargs, e, u)
		return u.with("()"), nil
	}
	v, err := f.apply(fn, args, kwargs, e)
	if err != nil {
		return f.orUnknown(e, f.mod.raise(e, err))
	}
	v = f.mod.prog.seen(v, f.mod.text(e))
	if u := isUnknown(v); u != nil && !onlyLooks(fn) {
		if b, ok := fn.(*pyval.Builtin); ok && b.Self == nil && selecting[b.Name] {
			var parts []Value
			for _, a := range args {
				parts = append(parts, partsOf(a)...)
			}
			args = parts
		}
		f.given(args, kwargs, e, u)
	}
	return v, f.charge(v, e)
}

// onlyLooks reports whether what a function gives holds nothing of its arguments.
func onlyLooks(fn Value) bool {
	switch fn := fn.(type) {
	case *pyval.Builtin:
		return fn.Self == nil && pure[fn.Name]
	case *native:
		return pure[fn.name]
	case *pyval.Class:
		return pure[fn.Name]
	}
	return false
}

// apply calls a value.
func (f *frame) apply(fn Value, args []Value, kwargs []pyval.Kwarg, at syntax.Node) (Value, error) {
	switch fn := fn.(type) {
	case *method:
		return f.applyBuiltin(fn.Builtin, args, kwargs, at)
	case *pyval.Builtin:
		if fn.Unbound && len(args) > 0 { // list.append(L, x)
			if bound, ok := pyval.Attr(args[0], fn.Name); ok && isUnknown(args[0]) == nil {
				return f.applyBuiltin(bound.(*pyval.Builtin), args[1:], kwargs, at)
			}
		}
		return f.applyBuiltin(fn, args, kwargs, at)
	case *class:
		v, err := fn.Call(args, kwargs)
		if u := isUnknown(v); u != nil {
			fn.expose(u)
		}
		return v, err
	case *pyval.Class:
		if err := f.compute(args, at); err != nil {
			return nil, err
		}
		if fn.Name == "object" {
			return f.mod.unsupported(at, "objects are not made by Tegula"), nil
		}
		v, err := fn.Call(plainAll(args), kwargs)
		f.mod.prog.born(v)
		return v, err
	case *frameFunction:
		return fn.fn(f, args, at)
	case *sema.Func, *sema.Builtin:
		return f.mod.unsupported(at, "a function of the language runs in kernels only"), nil
	case *kernel:
		return f.mod.unsupported(at, "a kernel function runs in kernels only"), nil
	case *function:
		return fn.call(f.mod.prog, args, kwargs)
	}
	return call(fn, args, kwargs)
}

// A frameFunction is a builtin that works on the names or objects of who calls it.
type frameFunction struct {
	name string
	fn   func(f *frame, args []Value, at syntax.Node) (Value, error)
}

// TypeName gives the name of the type in messages.
func (*frameFunction) TypeName() string { return "builtin_function_or_method" }

// Repr gives <built-in function name>.
func (b *frameFunction) Repr() string { return "<built-in function " + b.name + ">" }

// plainAll removes constexpr.
func plainAll(args []Value) []Value {
	for i, a := range args {
		args[i] = plain(a)
	}
	return args
}

// compute pays for what a function computes of its arguments, and fails if one is not known.
func (f *frame) compute(args []Value, at syntax.Node) error {
	const dearest = 16 // what a power or logarithm takes
	if err := f.spend(dearest, at); err != nil {
		return err
	}
	for _, a := range args {
		if u := isUnknown(plain(a)); u != nil {
			return u.err()
		}
		if err := f.charge(a, at); err != nil {
			return err
		}
	}
	return nil
}

// applyBuiltin calls a function of Python's, or a method of a Python value.
func (f *frame) applyBuiltin(b *pyval.Builtin, args []Value, kwargs []pyval.Kwarg, at syntax.Node) (Value, error) {
	p := f.mod.prog
	if u := isUnknown(p.seen(b.Self, f.mod.text(at))); u != nil {
		return u, nil
	}
	changes := b.Self != nil && pyval.Changes(b.Self, b.Name)
	if changes {
		p.changing(b.Self)
	}
	if keeps(b) {
		if err := f.spend(1, at); err != nil {
			return nil, err
		}
		return b.Call(args, kwargs)
	}
	for _, a := range args {
		u := isUnknown(plain(a))
		if u == nil && !takesDoubts[b.Name] {
			u = p.doubtful(a)
		}
		if u == nil {
			continue
		}
		if changes {
			p.escape(b.Self, f.mod.unsupported(at, "%s is not known", u.path))
		}
		return u, nil
	}
	for _, k := range kwargs {
		if u := isUnknown(plain(k.Value)); u != nil && !takesDoubts[b.Name] {
			if changes {
				p.escape(b.Self, f.mod.unsupported(at, "%s is not known", u.path))
			}
			return u, nil
		}
	}
	if b.Self != nil && !changes && !takesDoubts[b.Name] {
		if u := p.doubtful(b.Self); u != nil {
			return u, nil
		}
	}
	if err := f.compute(args, at); err != nil {
		return nil, err
	}
	if lazy[b.Name] && b.Self == nil {
		return p.newIterator(b, args, kwargs)
	}
	v, err := b.Call(plainAll(args), kwargs)
	if b.Name == "sorted" {
		p.born(v)
	}
	return v, err
}

// keeps reports whether a method stores its arguments without looking at them.
func keeps(b *pyval.Builtin) bool {
	switch b.Self.(type) {
	case *pyval.List:
		return b.Name == "append"
	}
	return false
}

// lazy are the functions that give iterators.
var lazy = map[string]bool{"enumerate": true, "filter": true, "map": true, "reversed": true, "zip": true}

// takesDoubts are the functions and methods that go through their arguments without asking what the elements are.
var takesDoubts = map[string]bool{"append": true, "clear": true, "copy": true, "dict": true, "enumerate": true, "extend": true, "get": true, "insert": true, "items": true,
	"keys": true, "len": true, "list": true, "pop": true, "reversed": true, "setdefault": true, "tuple": true, "update": true, "values": true, "zip": true,
	"map": true, "filter": true, "callable": true, "reverse": true}

func (f *frame) keywords(list []syntax.Keyword) ([]pyval.Kwarg, error) {
	out := make([]pyval.Kwarg, 0, len(list))
	for _, k := range list {
		v, err := f.eval(k.Value)
		if err != nil {
			return nil, err
		}
		if k.Arg != "" {
			if slices.ContainsFunc(out, func(o pyval.Kwarg) bool { return o.Name == k.Arg }) {
				return nil, f.mod.raise(k.Value, pyval.Errorf("SyntaxError", "keyword argument repeated: %s", k.Arg))
			}
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
func (f *frame) newFunction(d *syntax.FunctionDef) (*function, error) {
	fn := &function{mod: f.mod, name: d.Name, node: d, args: d.Args, body: d.Body, def: d, frame: f.closure()}
	return fn, f.evalDefaults(fn)
}

func (f *frame) lambda(e *syntax.Lambda) (Value, error) {
	fn := &function{mod: f.mod, name: "<lambda>", node: e, args: e.Args, expr: e.Body, frame: f.closure()}
	return fn, f.evalDefaults(fn)
}

// evalDefaults evaluates the defaults of a function, as its def does.
func (f *frame) evalDefaults(fn *function) error {
	for _, list := range []struct {
		exprs []syntax.Expr
		to    *[]Value
	}{{fn.args.Defaults, &fn.defaults}, {fn.args.KwDefaults, &fn.kwDefaults}} {
		for _, e := range list.exprs {
			if e == nil {
				*list.to = append(*list.to, nil)
				continue
			}
			v, err := f.eval(e)
			if err != nil {
				v, err = f.orUnknown(e, err)
			}
			if err != nil {
				return err
			}
			*list.to = append(*list.to, v)
		}
	}
	return nil
}

// closure gives the frame that a function made here closes over.
func (f *frame) closure() *frame {
	if f.kind == moduleFrame {
		return nil
	}
	return f
}

// Call runs the function.
func (fn *function) Call(args []Value, kwargs []pyval.Kwarg) (Value, error) {
	return fn.call(fn.mod.prog, args, kwargs)
}

func (fn *function) call(p *program, args []Value, kwargs []pyval.Kwarg) (Value, error) {
	if fn.wraps != "" {
		return &unknown{path: fn.name + "()", why: "its decorator " + fn.wraps + " is not known to Tegula", at: fn.mod.place(fn.node)}, nil
	}
	if p.calls++; p.calls > maxCalls {
		p.calls--
		return nil, pyval.Errorf("RecursionError", "maximum recursion depth exceeded")
	}
	defer func() { p.calls-- }()
	f := &frame{mod: fn.mod, names: fn.mod.newNames(), outer: fn.frame}
	if err := fn.bind(f, args, kwargs); err != nil {
		return nil, err
	}
	if fn.def == nil {
		return f.eval(fn.expr)
	}
	if fn.def.Async {
		return fn.stopped(fn.mod.unsupported(fn.node, "async functions are not evaluated by Tegula")), nil
	}
	if yields(fn.body) {
		return fn.generate(f)
	}
	c, err := f.block(fn.body)
	u := (*unknownError)(nil)
	switch {
	case errors.As(err, &u):
		return fn.stopped(u.unknown), nil
	case err != nil:
		return nil, err
	case c == returns:
		return f.result, nil
	}
	return pyval.None, nil
}

// stopped is what a call gives that cannot be followed to its end: all that the function may change
// is unknown then.
func (fn *function) stopped(u *unknown) Value {
	fn.mod.prog.mayRaise(u)
	fn.leak(u.changed(fn.name + "()").from(u))
	return u
}

// generate makes the iterator of a generator. It runs when somebody asks for an element; that the
// caller goes on in between makes no difference if it changes nothing that others see.
func (fn *function) generate(f *frame) (Value, error) {
	p := fn.mod.prog
	return &iterator{prog: p, fill: func() ([]Value, error) {
		f.yields = new([]Value)
		p.begin()
		f.names.depth = len(p.journals) // nobody else sees them
		_, err := f.block(fn.body)
		alone := !p.capture().any()
		p.commit()
		u := (*unknownError)(nil)
		switch {
		case errors.As(err, &u):
			return nil, fn.stopped(u.unknown).(*unknown).err()
		case err != nil:
			return nil, err
		case !alone:
			return nil, fn.stopped(fn.mod.unsupported(fn.node, "generators that change what others see are not evaluated by Tegula")).(*unknown).err()
		}
		return *f.yields, nil
	}}, nil
}

// yields reports whether a body makes its function a generator.
func yields(body []syntax.Stmt) bool {
	return slices.ContainsFunc(body, func(s syntax.Stmt) bool {
		switch s := s.(type) {
		case *syntax.ExprStmt:
			return isYield(s.Value)
		case *syntax.Assign:
			return isYield(s.Value)
		}
		return slices.ContainsFunc(syntax.Blocks(s), yields)
	})
}

func isYield(e syntax.Expr) bool {
	switch e.(type) {
	case *syntax.Yield, *syntax.YieldFrom:
		return true
	}
	return false
}

// bind gives the parameters their values.
func (fn *function) bind(f *frame, args []Value, kwargs []pyval.Kwarg) error {
	a := fn.args
	positional := make([]*syntax.Arg, 0, len(a.PosOnly)+len(a.Args))
	positional = append(append(positional, a.PosOnly...), a.Args...)
	for i, v := range args {
		if i < len(positional) {
			f.give(positional[i].Name, v)
		}
	}
	extra := args[min(len(args), len(positional)):]
	switch {
	case a.VarArg != nil:
		f.give(a.VarArg.Name, pyval.NewTuple(extra...))
	case len(extra) > 0:
		return pyval.Errorf("TypeError", "%s() takes %s, not %d", fn.name, positionals(len(positional)), len(args))
	}
	if err := fn.bindKeywords(f, kwargs); err != nil {
		return err
	}
	for i, p := range positional {
		var def Value
		if d := i - (len(positional) - len(a.Defaults)); d >= 0 {
			def = fn.defaults[d]
		}
		if err := fn.bindDefault(f, p, def); err != nil {
			return err
		}
	}
	for i, p := range a.KwOnly {
		if err := fn.bindDefault(f, p, fn.kwDefaults[i]); err != nil {
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
			if _, ok := f.names.get(k.Name); ok {
				return pyval.Errorf("TypeError", "%s() got multiple values for argument '%s'", fn.name, k.Name)
			}
			f.give(k.Name, k.Value)
		case a.KwArg != nil:
			if err := rest.Set(k.Name, k.Value); err != nil {
				return err
			}
		default:
			return pyval.Errorf("TypeError", "%s() got an unexpected keyword argument '%s'", fn.name, k.Name)
		}
	}
	if a.KwArg != nil {
		f.give(a.KwArg.Name, rest)
	}
	return nil
}

// bindDefault gives a parameter without an argument its default.
func (fn *function) bindDefault(f *frame, p *syntax.Arg, def Value) error {
	if _, ok := f.names.get(p.Name); ok {
		return nil
	}
	if def == nil {
		return pyval.Errorf("TypeError", "%s() missing 1 required argument: '%s'", fn.name, p.Name)
	}
	f.give(p.Name, def)
	return nil
}

// give binds a name of a frame before it runs.
func (f *frame) give(name string, v Value) { f.names.set(name, slot{value: v}) }

// comprehension evaluates a comprehension.
func (f *frame) comprehension(e *syntax.Comp) (Value, error) {
	c := &frame{mod: f.mod, kind: compFrame, names: f.mod.newNames(), outer: f, at: f.at}
	if e.Kind == syntax.GeneratorExp {
		return f.generator(e, c)
	}
	list := &pyval.List{}
	dict := &pyval.Dict{}
	err := c.generate(e.Generators, f, func() error {
		v, err := c.eval(e.Elt)
		if err != nil {
			return err
		}
		if e.Kind != syntax.DictComp {
			if len(list.Elems) >= pyval.MaxLen {
				return f.mod.unsupported(e, "the list is too large").err()
			}
			if e.Kind == syntax.SetComp {
				if u := f.mod.prog.doubtful(v); u != nil {
					return u.err()
				}
			}
			list.Elems = append(list.Elems, v)
			return nil
		}
		u, err := c.eval(e.Value)
		if err != nil {
			return err
		}
		if u := f.mod.prog.doubtful(v); u != nil {
			return u.err()
		}
		return f.mod.raise(e, dict.Set(v, u))
	})
	if err != nil {
		return f.orUnknown(e, err)
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

// generator evaluates a generator expression: the first iterable now, the rest when somebody asks for an
// element. What it changes meanwhile is not evaluated, as for generators that are functions.
func (f *frame) generator(e *syntax.Comp, c *frame) (Value, error) {
	first, err := f.iterate(e.Generators[0].Iter)
	if err != nil {
		return f.orUnknown(e, err)
	}
	p := f.mod.prog
	return &iterator{prog: p, fill: func() ([]Value, error) {
		var out []Value
		p.begin()
		c.names.depth = len(p.journals) // nobody else sees them
		err := c.generateOver(e.Generators, first, func() error {
			v, err := c.eval(e.Elt)
			if len(out) >= pyval.MaxLen {
				return f.mod.unsupported(e, "the generator yields too much").err()
			}
			out = append(out, v)
			return err
		})
		alone := !p.capture().any()
		p.commit()
		u := (*unknownError)(nil)
		if err == nil && !alone {
			err = f.mod.unsupported(e, "generators that change what others see are not evaluated by Tegula").err()
		}
		if errors.As(err, &u) {
			c.havoc(e, u.unknown)
		}
		return out, err
	}}, nil
}

// generate runs the for clauses; the first iterable is evaluated in the frame around.
func (f *frame) generate(clauses []syntax.Comprehension, around *frame, emit func() error) error {
	if len(clauses) == 0 {
		return emit()
	}
	return around.each(clauses[0].Iter, func(v Value) (bool, error) { return true, f.generateOne(clauses, v, emit) })
}

// generateOver is generate with the elements of the first iterable.
func (f *frame) generateOver(clauses []syntax.Comprehension, elems []Value, emit func() error) error {
	for _, v := range elems {
		if err := f.spend(1, clauses[0].Iter); err != nil {
			return err
		}
		if err := f.generateOne(clauses, f.mod.prog.seen(v, "an element"), emit); err != nil {
			return err
		}
	}
	return nil
}

func (f *frame) generateOne(clauses []syntax.Comprehension, v Value, emit func() error) error {
	c := clauses[0]
	if err := f.assign(c.Target, v); err != nil {
		return err
	}
	for _, cond := range c.Ifs {
		t, err := f.test(cond)
		if err != nil || !t {
			return err
		}
	}
	return f.generate(clauses[1:], f, emit)
}
