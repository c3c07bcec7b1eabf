package module

import (
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
)

// A foreign is something to call that is not the program's: a function of Go, or an object of
// another program. While it runs the program is free for others, and for the function itself.
type foreign struct {
	mod *Module // what it is called from
	v   Value
}

// TypeName gives the name of the type in messages.
func (f foreign) TypeName() string { return pyval.TypeName(f.v) }

// Repr gives what the value's repr is.
func (f foreign) Repr() string { return pyval.Repr(f.v) }

// Call calls the value.
func (f foreign) Call(args []Value, kwargs []pyval.Kwarg) (Value, error) {
	out := make([]Value, len(args))
	for i, a := range args {
		if u := isUnknown(a); u != nil {
			return u, nil
		}
		out[i] = f.mod.handedOut(a)
	}
	named := make([]pyval.Kwarg, len(kwargs))
	for i, k := range kwargs {
		if u := isUnknown(k.Value); u != nil {
			return u, nil
		}
		named[i] = pyval.Kwarg{Name: k.Name, Value: f.mod.handedOut(k.Value)}
	}
	return f.outside(func() (Value, error) { return f.v.(pyval.Callable).Call(out, named) })
}

func (f foreign) attr(name string) (v Value, ok bool, err error) {
	o, isObject := f.v.(pyval.Attrer)
	if !isObject {
		return nil, false, nil
	}
	v, err = f.outside(func() (v Value, err error) {
		v, ok, err = o.Attr(name)
		return v, err
	})
	return v, ok, err
}

// outside does something without holding the program. Others may see it then: so a request that has
// changed something of the module calls nothing foreign.
func (f foreign) outside(do func() (Value, error)) (Value, error) {
	p := f.mod.prog
	if p.hasChanged() {
		return f.mod.unknownf(f.Repr(), "what calls it has changed the module"), nil
	}
	v, err := p.release(do)
	if err != nil {
		return nil, err
	}
	return f.mod.takenIn(v), nil
}

// release does something without the lock; the request then goes on as it was.
func (p *program) release(do func() (Value, error)) (Value, error) {
	r := p.request
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.request = r
	}()
	return do()
}

// hasChanged reports whether the request has changed something that others see.
func (p *program) hasChanged() bool {
	for _, j := range p.journals {
		if len(j.places)+len(j.changed)+len(j.lost)+len(j.wild) > 0 {
			return true
		}
	}
	return false
}

// takenIn gives the value of host code for one that comes from outside: a kernel, or Go.
func (m *Module) takenIn(v Value) Value {
	return m.prog.rebuilt(v, func(v Value) Value {
		switch v := v.(type) {
		case *object:
			if v.mod.prog == m.prog {
				return v.v
			}
			return foreign{m, v}
		case *aggregateClass:
			if v.mod.prog == m.prog {
				return v.class
			}
			return m.unknownf(v.name, "it is a class of another program")
		case *sema.Builtin:
			if own, ok := sema.PyBuiltin(v.Name); ok && own == v {
				host, _ := lookupBuiltin(v.Name)
				return host
			}
		case *pyval.Builtin, *pyval.Class:
		case pyval.Callable:
			return foreign{m, v}
		}
		return v
	})
}

// handedOut gives the value that goes outside for one of host code. Unlike export it never fails:
// what means nothing to a kernel is an object.
func (m *Module) handedOut(v Value) Value {
	return m.prog.rebuilt(v, func(v Value) Value {
		if f, ok := plain(v).(*function); ok {
			return m.object(f)
		}
		if isUnknown(v) != nil {
			return v
		}
		if out, err := m.export("a value", v, nil); err == nil {
			return out
		}
		return v
	})
}
