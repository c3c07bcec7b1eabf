package module

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// An iterator gives each element once.
type iterator struct {
	prog  *program
	fill  func() ([]Value, error) // makes the elements when the first is asked for; then nil
	elems []Value
	at    int // the element that comes next
}

// newIterator makes what zip, map and the like give. They look at their arguments when somebody asks for an element.
func (p *program) newIterator(b *pyval.Builtin, args []Value, kwargs []pyval.Kwarg) (Value, error) {
	args = slices.Clone(plainAll(args))
	it := &iterator{prog: p, fill: func() ([]Value, error) {
		v, err := b.Call(args, kwargs)
		if err != nil {
			return nil, err
		}
		return pyval.Iter(v)
	}}
	p.born(it)
	if b.Name == "map" || b.Name == "filter" || slices.ContainsFunc(args, isLazy) {
		return it, nil
	}
	return it, it.ready()
}

func isLazy(v Value) bool {
	_, ok := v.(*iterator)
	return ok
}

// ready makes the elements.
func (it *iterator) ready() error {
	if it.fill == nil {
		return nil
	}
	fill := it.fill
	it.prog.changing(it)
	it.fill = nil
	elems, err := fill()
	it.elems = slices.Clone(elems)
	return err
}

// Len fails: iterators have no length.
func (it *iterator) Len() (int, error) {
	return 0, pyval.Errorf("TypeError", "object of type '%s' has no len()", it.TypeName())
}

// Iterate gives what is left.
func (it *iterator) Iterate() ([]Value, error) {
	if err := it.ready(); err != nil {
		return nil, err
	}
	it.prog.changing(it)
	left := it.elems[it.at:]
	it.at = len(it.elems)
	return left, nil
}

// GetItem fails: iterators have no indices.
func (it *iterator) GetItem(Value) (Value, error) {
	return nil, pyval.Errorf("TypeError", "'%s' object is not subscriptable", it.TypeName())
}

// next gives one element; ok is false if there is none.
func (it *iterator) next() (v Value, ok bool, err error) {
	if err := it.ready(); err != nil {
		return nil, false, err
	}
	if it.at == len(it.elems) {
		return nil, false, nil
	}
	it.prog.changing(it)
	it.at++
	return it.elems[it.at-1], true, nil
}

// TypeName gives the name of the type in messages.
func (it *iterator) TypeName() string { return "iterator" }

// iterOf is iter(x).
func iterOf(f *frame, args []Value, at syntax.Node) (Value, error) {
	if len(args) != 1 {
		return f.mod.unsupported(at, "iter() of more than an iterable is not evaluated by Tegula"), nil
	}
	if it, ok := args[0].(*iterator); ok {
		return it, nil
	}
	elems, err := f.elements(args[0], at)
	if err != nil {
		return nil, err
	}
	it := &iterator{prog: f.mod.prog, elems: slices.Clone(elems)}
	f.mod.prog.born(it)
	return it, nil
}

// nextOf is next(it) and next(it, default).
func nextOf(f *frame, args []Value, at syntax.Node) (Value, error) {
	if len(args) == 0 || len(args) > 2 {
		return nil, pyval.Errorf("TypeError", "next expected 1 or 2 arguments, got %d", len(args))
	}
	if u := isUnknown(args[0]); u != nil {
		return u, nil
	}
	it, ok := args[0].(*iterator)
	if !ok {
		return nil, pyval.Errorf("TypeError", "'%s' object is not an iterator", pyval.TypeName(args[0]))
	}
	v, ok, err := it.next()
	switch {
	case err != nil:
		return nil, err
	case ok:
		return f.mod.prog.seen(v, f.mod.text(at)), nil
	case len(args) == 2:
		return args[1], nil
	}
	return nil, &pyval.Error{Type: "StopIteration"}
}
