package module

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

func (f *frame) assignAll(s *syntax.Assign) error {
	v, err := f.eval(s.Value)
	if err != nil {
		return err
	}
	for _, t := range s.Targets {
		f.at = s
		if err := f.assign(t, v); err != nil {
			return err
		}
		if n, ok := t.(*syntax.Name); ok && makesKernel(s.Value) {
			if k, ok := v.(*kernel); ok {
				f.names.define(n.Id, s, k)
			}
		}
	}
	return nil
}

func (f *frame) annotated(s *syntax.AnnAssign) error {
	if s.Value == nil {
		return nil
	}
	v, err := f.eval(s.Value)
	if err != nil {
		return err
	}
	f.at = s
	return f.assign(s.Target, v)
}

func (f *frame) augmented(s *syntax.AugAssign) error {
	old, err := f.eval(s.Target)
	if err != nil {
		return err
	}
	by, err := f.eval(s.Value)
	if err != nil {
		return err
	}
	done, err := f.inPlace(s, plain(old), plain(by))
	if err != nil {
		return err
	}
	if done == nil {
		if done, err = f.binary(s.Op, old, by, s); err != nil {
			return err
		}
	}
	f.at = s
	return f.assign(s.Target, done)
}

// inPlace does an operation that changes its left operand, and gives that; nil if there is none.
func (f *frame) inPlace(s *syntax.AugAssign, old, by Value) (Value, error) {
	p := f.mod.prog
	u := isUnknown(by)
	switch o := old.(type) {
	case *pyval.List:
		if s.Op != syntax.Add && s.Op != syntax.Mult {
			return nil, nil
		}
		if u != nil {
			p.mayRaise(u)
			p.escape(o, f.mod.unsupported(s, "%s is not known", u.path))
			return o, nil
		}
		if s.Op == syntax.Mult {
			v, err := f.binary(s.Op, old, by, s)
			if list, ok := v.(*pyval.List); ok && err == nil {
				p.changing(o)
				o.Elems = list.Elems
				return o, nil
			}
			return nil, err
		}
		more, err := f.elements(by, s.Value)
		if err != nil {
			return nil, err
		}
		if len(o.Elems)+len(more) > pyval.MaxLen {
			return nil, f.mod.unsupported(s, "the list is too large").err()
		}
		p.changing(o)
		o.Elems = slices.Concat(o.Elems, more)
		return o, f.charge(o, s)
	case *pyval.Dict, *pyval.Set:
		if u != nil || p.doubtful(by) != nil && s.Op != syntax.BitOr {
			p.escape(o, f.mod.unsupported(s, "%s is not known", f.mod.text(s.Value)))
			return o, nil
		}
		if set, ok := o.(*pyval.Set); ok && set.Frozen {
			return nil, nil
		}
		v, err := f.binary(s.Op, old, by, s)
		if err != nil {
			return nil, err
		}
		p.changing(o)
		restore(o, v)
		return o, nil
	}
	return nil, nil
}

// assign binds a target.
func (f *frame) assign(target syntax.Expr, v Value) error {
	switch t := target.(type) {
	case *syntax.Name:
		return f.bind(t.Id, v)
	case *syntax.Tuple:
		return f.unpack(t, t.Elts, v)
	case *syntax.List:
		return f.unpack(t, t.Elts, v)
	case *syntax.Starred:
		return f.assign(t.Value, v)
	case *syntax.Subscript:
		return f.setItem(t, v)
	}
	if t, ok := target.(*syntax.Attribute); ok {
		return f.setAttr(t, v)
	}
	return f.mod.unsupported(target, "it is not assigned to by Tegula").err()
}

func (f *frame) setItem(t *syntax.Subscript, v Value) error {
	seq, err := f.eval(t.Value)
	if err != nil {
		return err
	}
	index, err := f.eval(t.Slice)
	if err != nil {
		return err
	}
	seq, index = plain(seq), plain(f.known(index))
	if u := isUnknown(seq); u != nil {
		f.gone(t, u, v, index)
		return nil
	}
	if u := isUnknown(index); u != nil {
		f.gone(t, u, seq, v)
		return nil
	}
	switch o := seq.(type) {
	case *nsDict:
		return f.mod.raise(t, o.set(f, index, v))
	case *environment:
		o.set(f, index, v)
		return nil
	case *loadedModules:
		o.set(f, index, v)
		return nil
	}
	f.mod.prog.changing(seq)
	return f.mod.raise(t, pyval.SetItem(seq, index, v))
}

// setAttr binds an attribute. Where those of an object are not kept, they are unknown when they are asked for.
func (f *frame) setAttr(t *syntax.Attribute, v Value) error {
	obj, err := f.eval(t.Value)
	if err != nil {
		return err
	}
	return f.setAttrOf(obj, t.Attr, v, t)
}

func (f *frame) setAttrOf(obj Value, name string, v Value, at syntax.Node) error {
	s := slot{value: v, at: f.at}
	switch o := obj.(type) {
	case *class:
		if o.kind != plainClass && o.kind != aggregateKind {
			f.mod.prog.escape(o, f.mod.unsupported(at, "attributes of such classes are not assigned to by Tegula"))
		}
		o.names.set(name, s)
	case *userModule:
		o.mod.names.set(name, slot{value: v})
	case *config:
		f.mod.prog.changing(o)
		return f.mod.raise(at, o.setAttr(name, v))
	case *function, *unknown, *kernel, *constexprFunction:
		u := f.mod.unsupported(at, "what becomes of it is not known")
		if obj := isUnknown(obj); obj != nil {
			for _, c := range obj.choices { // one of these modules or classes
				switch c := c.(type) {
				case *userModule:
					c.mod.names.set(name, slot{value: u.changed(name)})
				case *class:
					c.names.set(name, slot{value: u.changed(name)})
				}
			}
		}
		f.mod.prog.mayRaise(u)
		f.mod.prog.escape(v, u)
	default:
		return f.mod.raise(at, pyval.Errorf("AttributeError", "'%s' object has no attribute '%s'", pyval.TypeName(obj), name))
	}
	return nil
}

// unpack binds the targets of a tuple.
func (f *frame) unpack(at syntax.Node, targets []syntax.Expr, v Value) error {
	if u := isUnknown(v); u != nil {
		for _, t := range targets {
			if err := f.assign(t, u); err != nil {
				return err
			}
		}
		return nil
	}
	elems, err := f.elements(v, at)
	if err != nil {
		return err
	}
	star := slices.IndexFunc(targets, func(t syntax.Expr) bool { _, ok := t.(*syntax.Starred); return ok })
	switch {
	case star < 0 && len(elems) > len(targets):
		return f.mod.raise(at, pyval.Errorf("ValueError", "too many values to unpack (expected %d)", len(targets)))
	case star < 0 && len(elems) < len(targets), len(elems) < len(targets)-1:
		return f.mod.raise(at, pyval.Errorf("ValueError", "not enough values to unpack (expected %d, got %d)", len(targets), len(elems)))
	case star >= 0:
		end := len(elems) - (len(targets) - star - 1)
		middle := &pyval.List{Elems: slices.Clone(elems[star:end])}
		f.mod.prog.born(middle)
		elems = slices.Concat(elems[:star], []Value{middle}, elems[end:])
	}
	for i, t := range targets {
		if err := f.assign(t, f.mod.prog.seen(elems[i], "an element")); err != nil {
			return err
		}
	}
	return nil
}
