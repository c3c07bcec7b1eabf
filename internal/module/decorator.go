package module

import (
	"errors"
	"slices"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// The decorators of the language. What their arguments mean is found when it is asked for: the
// configurations of a kernel may take long to make, or may not be known at all.

type decoratorKind uint8

const (
	jit decoratorKind = iota
	autotune
	heuristics
	constexprFunc
	aggregate
)

var decoratorNames = [...]string{jit: "jit", autotune: "autotune", heuristics: "heuristics", constexprFunc: "constexpr_function", aggregate: "aggregate"}

// A decoratorMaker is triton.jit, triton.autotune and so on.
type decoratorMaker struct{ kind decoratorKind }

// TypeName gives the name of the type in messages.
func (m *decoratorMaker) TypeName() string { return "function" }

// Repr gives <function triton.name>.
func (m *decoratorMaker) Repr() string { return "<function triton." + decoratorNames[m.kind] + ">" }

// Call makes a decorator, or decorates the function that is the first argument.
func (m *decoratorMaker) Call(args []Value, kwargs []pyval.Kwarg) (Value, error) {
	d := &decorator{kind: m.kind, arguments: func() ([]Value, []pyval.Kwarg, error) { return args, kwargs, nil }}
	if m.decorates() && len(args) > 0 {
		d.arguments = func() ([]Value, []pyval.Kwarg, error) { return nil, kwargs, nil }
		return d.Call(args[:1], nil)
	}
	return d, nil
}

// decorates reports whether the function to decorate may be the first argument.
func (m *decoratorMaker) decorates() bool { return m.kind != autotune && m.kind != heuristics }

// A decorator is what a call of a decoratorMaker gives.
type decorator struct {
	kind      decoratorKind
	mod       *Module
	node      syntax.Node                            // the call, or nil
	arguments func() ([]Value, []pyval.Kwarg, error) // of that call; evaluated when called
}

// Call decorates.
func (d *decorator) Call(args []Value, _ []pyval.Kwarg) (Value, error) {
	if len(args) != 1 {
		return nil, pyval.Errorf("TypeError", "%s decorates one function", decoratorNames[d.kind])
	}
	switch v := args[0].(type) {
	case *unknown:
		return v, nil
	case *function:
		switch d.kind {
		case jit:
			return newKernel(v, d), nil
		case constexprFunc:
			return &constexprFunction{v}, nil
		}
	case *kernel:
		if d.kind == autotune || d.kind == heuristics {
			k := *v
			k.decorators = append([]*decorator{d}, v.decorators...)
			return &k, nil
		}
		return v, nil
	case *class:
		if d.kind == aggregate {
			v.kind = aggregateKind
			return v, nil
		}
	}
	return nil, pyval.Errorf("TypeError", "triton.%s does not decorate a '%s'", decoratorNames[d.kind], pyval.TypeName(args[0]))
}

// decoratorCall evaluates a call of a decoratorMaker. Arguments that are not known matter only
// where somebody asks for what they say.
func (f *frame) decoratorCall(m *decoratorMaker, e *syntax.Call) (Value, error) {
	args := e.Args
	var fn Value
	if m.decorates() && len(args) > 0 {
		v, err := f.eval(args[0])
		if err != nil {
			return f.orUnknown(e, err)
		}
		fn, args = v, args[1:]
	}
	pos, err := f.exprs(args)
	var kwargs []pyval.Kwarg
	if err == nil {
		kwargs, err = f.keywords(e.Keywords)
	}
	if u := (*unknownError)(nil); errors.As(err, &u) {
		f.havoc(e, u.unknown)
	} else if err != nil {
		return nil, err
	}
	d := &decorator{kind: m.kind, mod: f.mod, node: e, arguments: func() ([]Value, []pyval.Kwarg, error) { return pos, kwargs, err }}
	if fn == nil {
		return d, nil
	}
	v, err := d.Call([]Value{fn}, nil)
	return v, f.mod.raise(e, err)
}

// define makes the function of a def and decorates it.
func (f *frame) define(d *syntax.FunctionDef) (Value, error) {
	decorators := make([]Value, len(d.Decorators))
	for i, e := range d.Decorators {
		v, err := f.eval(e)
		if err != nil {
			v, err = f.orUnknown(e, err)
		}
		if err != nil {
			return nil, err
		}
		decorators[i] = v
	}
	fn, err := f.newFunction(d)
	if err != nil {
		return nil, err
	}
	f.at = d
	var v Value = fn
	for i, e := range slices.Backward(d.Decorators) {
		if v, err = f.decorate(decorators[i], v, e); err != nil {
			return nil, err
		}
		if k, ok := v.(*kernel); ok {
			f.names.define(d.Name, d, k)
		}
	}
	if _, ok := v.(*kernel); !ok && holdsDecorated(d.Body) {
		f.names.define(d.Name, d, fn)
	}
	return v, nil
}

// decorate applies a decorator.
func (f *frame) decorate(dec, v Value, at syntax.Expr) (Value, error) {
	if u := isUnknown(dec); u != nil {
		return f.hide(v, u, at), nil
	}
	out, err := f.apply(dec, []Value{v}, nil, at)
	if err != nil {
		err = f.mod.raise(at, err)
		if u := (*unknownError)(nil); errors.As(err, &u) {
			return f.hide(v, u.unknown, at), nil
		}
		return nil, err
	}
	if u := isUnknown(out); u != nil {
		return f.hide(v, u, at), nil
	}
	return out, nil
}

// hide gives what a decorator makes that is not known. Wrappers of kernels leave the kernel
// what it is; a function may be anything afterwards.
func (f *frame) hide(v Value, u *unknown, at syntax.Expr) Value {
	f.given([]Value{v}, nil, at, u)
	switch v := v.(type) {
	case *kernel:
		k := *v
		k.wrappers = append([]string{f.mod.text(at)}, v.wrappers...)
		return &k
	case *function:
		g := *v
		g.wraps = "@" + f.mod.text(at)
		return &g
	}
	return u
}

// A kernel is a function decorated with jit.
type kernel struct {
	mod        *Module
	fn         *sema.Func
	at         syntax.Node
	host       *function
	jit        *decorator
	decorators []*decorator // autotune and heuristics, the outermost first
	wrappers   []string     // decorators that are not known, the outermost first
}

// TypeName gives the name of the type in messages.
func (k *kernel) TypeName() string { return "JITFunction" }

// Repr gives the name.
func (k *kernel) Repr() string { return "<kernel " + k.fn.Name + ">" }

func (k *kernel) attr(name string) (Value, bool, error) {
	switch name {
	case "__name__":
		return k.fn.Name, true, nil
	case "fn":
		return k, true, nil
	}
	return k.mod.unsupported(k.at, "attributes of kernels are not evaluated by Tegula").with("." + name), true, nil
}

func newKernel(fn *function, d *decorator) *kernel {
	k := &kernel{mod: fn.mod, at: fn.node, host: fn, jit: d}
	k.fn = &sema.Func{Name: fn.name, File: fn.mod.file, Def: fn.def, Env: fn.env()}
	if l, ok := fn.node.(*syntax.Lambda); ok {
		k.fn.Lambda = l
	}
	return k
}
