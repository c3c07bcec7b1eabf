package module

import (
	"math/big"
	"slices"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// An env is the Env of the functions of a module, or of what is inside a call of a host function.
type env struct {
	mod   *Module
	frame *frame // of the call, or nil
}

// env gives the Env of a function.
func (fn *function) env() *env {
	if fn.frame == nil {
		return fn.mod.env
	}
	return &env{fn.mod, fn.frame}
}

// Lookup finds what a name means to a kernel.
func (e *env) Lookup(name string) (b sema.Binding, ok bool, err error) {
	defer e.mod.enter()()
	for f := e.frame; f != nil; f = f.outer {
		if f.kind == classFrame {
			continue
		}
		if s, ok := f.names.get(name); ok {
			// A closure's variables are constants to the kernel that was made with them.
			s = f.usable(s, name)
			s.annotated = true
			b, err := e.mod.binding(name, s)
			return b, err == nil, err
		}
	}
	f := &frame{mod: e.mod, kind: moduleFrame, names: e.mod.names}
	s, ok := f.global(name)
	if ok {
		if e.mod.failed != nil {
			return b, false, e.mod.failure("'"+name+"'", e.mod.failed, diag.Place{})
		}
		b, err = e.mod.binding(name, s)
		return b, err == nil, err
	}
	v, ok := lookupBuiltin(name)
	if _, isFrame := v.(*frameFunction); !ok || isFrame || isUnknown(v) != nil {
		return b, false, nil
	}
	v, err = e.mod.export(name, v, nil)
	return sema.Binding{Value: v}, err == nil, err
}

// Names gives the names that can be bound here.
func (e *env) Names() []string {
	all := slices.Clone(e.mod.top.List)
	for f := e.frame; f != nil; f = f.outer {
		all = append(all, f.names.order...)
	}
	return all
}

func (m *Module) binding(name string, s slot) (sema.Binding, error) {
	v, err := m.export(name, s.value, s.at)
	if err != nil {
		return sema.Binding{}, err
	}
	tuple, _ := v.(pyval.Tuple)
	return sema.Binding{Value: v, Const: s.annotated || isConstant(s.value) || tuple.Names != nil}, nil
}

// export gives the value that a kernel sees for one of host code's.
func (m *Module) export(name string, v Value, at syntax.Node) (Value, error) {
	if lang, ok := languageValue(v); ok {
		return lang, nil
	}
	v = m.prog.seen(v, name)
	switch x := v.(type) {
	case *constant:
		if f, ok := x.v.(*function); ok { // @tl.constexpr on a def
			return m.object(&constexprFunction{f}), nil
		}
		return m.export(name, x.v, at)
	case *unknown:
		return nil, m.failure("'"+name+"'", x.err(), m.nodePlace(at))
	case *kernel:
		return x.fn, nil
	case *function:
		e := diag.At(diag.Compile, x.mod.place(nameOf(x)), "'%s' is a plain Python function, which a kernel cannot call: "+
			"decorate it with @triton.jit, or with @triton.constexpr_function if it computes constants at compile time", x.name)
		return nil, e.WithCode("not-a-kernel-function")
	case pyval.Tuple:
		t, _, err := m.exportTuple(name, x, at, 0)
		return t, err
	case number:
		return x.value, nil
	case *class:
		if x.kind == aggregateKind {
			return x.aggregateOf(), nil
		}
		return m.object(v), nil
	case *native:
		if own, ok := sema.PyBuiltin(x.name); ok && hostBuiltins[x.name] == v {
			return own, nil // print, isinstance and the like do other things in a kernel
		}
		return m.object(v), nil
	case *pyval.List, *pyval.Dict, *pyval.Set:
		return m.handedOut(v), nil // a copy: nobody sees what host code does with it later
	case foreign:
		return x.v, nil
	case *constexprFunction, *userModule, *library, *member, *namedTuple, *exceptionClass, *exception, *decoratorMaker,
		*decorator, *config, *chain, *baseClass, auto, *iterator, *suppressor, *frameFunction, *nsDict, *environment, *loadedModules, *method, *classMethod:
		return m.object(v), nil
	}
	return v, nil
}

// nodePlace gives where a node is; nil is nowhere.
func (m *Module) nodePlace(n syntax.Node) diag.Place {
	if n == nil {
		return diag.Place{}
	}
	return m.place(n)
}

// nameOf gives the node to point at for a function.
func nameOf(f *function) syntax.Node {
	if f.def != nil {
		return f.def.NameSpan
	}
	return f.node
}

// exportTuple exports the elements of a tuple; changed tells whether one is not itself then.
func (m *Module) exportTuple(name string, t pyval.Tuple, at syntax.Node, depth int) (out pyval.Tuple, changed bool, err error) {
	const maxDepth = 32
	if m.prog.steps -= 1 + len(t.Elems); m.prog.steps < 0 || depth > maxDepth {
		err := pyval.Errorf("RecursionError", "the tuple is too large or nested too deeply")
		return t, false, m.failure("'"+name+"'", err, m.nodePlace(at))
	}
	elems := t.Elems
	for i, v := range t.Elems {
		var e Value
		differs := false
		if inner, ok := v.(pyval.Tuple); ok {
			e, differs, err = m.exportTuple(name, inner, at, depth+1)
		} else {
			e, err = m.export(name, v, at)
			differs = err == nil && hostOnly(v)
		}
		if err != nil {
			return t, false, err
		}
		if !differs {
			continue
		}
		if !changed {
			changed, elems = true, slices.Clone(t.Elems)
		}
		elems[i] = e
	}
	return pyval.Tuple{Elems: elems, Names: t.Names}, changed, nil
}

// hostOnly reports whether a kernel sees another value than host code does.
func hostOnly(v Value) bool {
	switch v.(type) {
	case int64, float64, string, bool, pyval.NoneType, *big.Int, sema.Type:
		return false
	}
	return true
}

// An object is an object of host code as kernels see it. Its methods take the program.
type object struct {
	mod *Module
	v   Value
}

// object gives the one object of a value.
func (m *Module) object(v Value) *object {
	if o, ok := m.exports[v]; ok {
		return o
	}
	o := &object{m, v}
	m.exports[v] = o
	return o
}

// TypeName gives the name of the type in messages.
func (o *object) TypeName() string { return pyval.TypeName(o.v) }

// Repr gives what the value's repr is.
func (o *object) Repr() string { return pyval.Repr(o.v) }

// Attr gives an attribute.
func (o *object) Attr(name string) (Value, bool, error) {
	defer o.mod.enter()()
	v, ok, err := getAttr(o.v, name)
	if err != nil || !ok {
		return nil, false, o.mod.failure("'."+name+"'", err, diag.Place{})
	}
	v, err = o.mod.export(name, v, nil)
	return v, err == nil, err
}

// Call calls the value.
func (o *object) Call(args []Value, kwargs []pyval.Kwarg) (Value, error) {
	defer o.mod.enter()()
	in := make([]Value, len(args))
	for i, a := range args {
		in[i] = o.mod.takenIn(a)
	}
	kw := make([]pyval.Kwarg, len(kwargs))
	for i, k := range kwargs {
		kw[i] = pyval.Kwarg{Name: k.Name, Value: o.mod.takenIn(k.Value)}
	}
	v, err := call(o.v, in, kw)
	if err != nil {
		return nil, o.mod.failure("the call of "+pyval.Repr(o.v), err, diag.Place{})
	}
	return o.mod.export("the result", v, nil)
}
