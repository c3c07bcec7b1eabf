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
		if err := f.assign(t, v); err != nil {
			return err
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
	if list, ok := old.(*pyval.List); ok && s.Op == syntax.Add {
		more, err := f.elements(by, s.Value)
		if err != nil {
			return err
		}
		if len(list.Elems)+len(more) > pyval.MaxLen {
			return f.mod.raise(s, pyval.Errorf("MemoryError", "the list is too large"))
		}
		list.Elems = slices.Concat(list.Elems, more)
		return f.charge(list, s)
	}
	v, err := f.binary(s.Op, old, by, s)
	if err != nil {
		return err
	}
	return f.assign(s.Target, v)
}

// assign binds a target.
func (f *frame) assign(target syntax.Expr, v Value) error {
	switch t := target.(type) {
	case *syntax.Name:
		return f.store(t, v)
	case *syntax.Tuple:
		return f.unpack(t, t.Elts, v)
	case *syntax.List:
		return f.unpack(t, t.Elts, v)
	case *syntax.Starred:
		return f.assign(t.Value, v)
	case *syntax.Subscript:
		return f.setItem(t, v)
	}
	return f.mod.unsupported(target, "attributes are not assigned to by Tegula").err()
}

func (f *frame) store(n *syntax.Name, v Value) error {
	if !f.rest[n.Id] {
		f.vars[n.Id] = v
		return nil
	}
	for g := f.outer; g != nil; g = g.outer {
		if _, ok := g.vars[n.Id]; ok {
			g.vars[n.Id] = v
			return nil
		}
	}
	return f.mod.unsupported(n, "a function changes this global").err()
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
	for _, x := range []Value{seq, index} {
		if u := isUnknown(x); u != nil {
			return u.err()
		}
	}
	return f.mod.raise(t, pyval.SetItem(plain(seq), index, v))
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
		elems = slices.Concat(elems[:star], []Value{middle}, elems[end:])
	}
	for i, t := range targets {
		if err := f.assign(t, elems[i]); err != nil {
			return err
		}
	}
	return nil
}
