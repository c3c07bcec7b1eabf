package module

import (
	"errors"
	"slices"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// A flow says where control goes after a statement.
type flow uint8

const (
	next flow = iota
	breaks
	continues
	returns
)

// block runs statements.
func (f *frame) block(body []syntax.Stmt) (flow, error) {
	for _, s := range body {
		if c, err := f.step(s); c != next || err != nil {
			return c, err
		}
	}
	return next, nil
}

// step runs a statement. What one that cannot be run may change is unknown afterwards; only if it
// may send control elsewhere that is an error.
func (f *frame) step(s syntax.Stmt) (flow, error) {
	c, err := f.exec(s)
	u := (*unknownError)(nil)
	if !errors.As(err, &u) || leaves(s) {
		return c, err
	}
	f.havoc(s, u.unknown)
	return next, nil
}

// leaves reports whether control may go from a statement elsewhere than to the next one.
func leaves(s syntax.Stmt) bool {
	switch s := s.(type) {
	case *syntax.Return, *syntax.Break, *syntax.Continue:
		return true
	case *syntax.For:
		return yields([]syntax.Stmt{s}) || returnsIn(s.Body) || slices.ContainsFunc(s.Orelse, leaves)
	case *syntax.While:
		return yields([]syntax.Stmt{s}) || returnsIn(s.Body) || slices.ContainsFunc(s.Orelse, leaves)
	}
	return yields([]syntax.Stmt{s}) || slices.ContainsFunc(syntax.Blocks(s), func(b []syntax.Stmt) bool { return slices.ContainsFunc(b, leaves) })
}

// returnsIn reports whether there is a return in a body, at any depth.
func returnsIn(body []syntax.Stmt) bool {
	return slices.ContainsFunc(body, func(s syntax.Stmt) bool {
		if _, ok := s.(*syntax.Return); ok {
			return true
		}
		return slices.ContainsFunc(syntax.Blocks(s), returnsIn)
	})
}

// exec runs a statement.
func (f *frame) exec(s syntax.Stmt) (flow, error) {
	if err := f.spend(1, s); err != nil {
		return next, err
	}
	f.at = s
	switch s := s.(type) {
	case *syntax.Assign:
		return next, f.assignAll(s)
	case *syntax.AnnAssign:
		return next, f.annotated(s)
	case *syntax.AugAssign:
		return next, f.augmented(s)
	case *syntax.ExprStmt:
		_, err := f.eval(s.Value)
		return next, err
	case *syntax.FunctionDef:
		v, err := f.define(s)
		if err != nil {
			return next, err
		}
		return next, f.bind(s.Name, v)
	case *syntax.ClassDef:
		v, err := f.class(s)
		if err != nil {
			return next, err
		}
		f.at = s
		return next, f.bind(s.Name, v)
	case *syntax.Import:
		return next, f.importNames(s)
	case *syntax.ImportFrom:
		return next, f.importFromNames(s)
	case *syntax.Return:
		return f.returns(s)
	case *syntax.Raise:
		return next, f.raise(s)
	case *syntax.Assert:
		return next, f.assert(s)
	case *syntax.Delete:
		return next, f.delete(s)
	case *syntax.Pass:
		return next, nil
	case *syntax.TypeAlias:
		return next, f.bind(s.Name.Id, f.mod.unsupported(s, "type aliases are not evaluated by Tegula"))
	case *syntax.Break:
		return breaks, nil
	case *syntax.Continue:
		return continues, nil
	case *syntax.Global:
		f.elsewhere(s.Names, f.mod.names)
		return next, nil
	case *syntax.Nonlocal:
		f.nonlocal(s.Names)
		return next, nil
	}
	return f.execCompound(s)
}

func (f *frame) execCompound(s syntax.Stmt) (flow, error) {
	switch s := s.(type) {
	case *syntax.If:
		t, err := f.test(s.Test)
		u := (*unknownError)(nil)
		switch {
		case errors.As(err, &u):
			f.mod.prog.mayRaise(u.unknown)
			return f.either(u.unknown, func() (flow, error) { return f.block(s.Body) }, func() (flow, error) { return f.block(s.Orelse) })
		case err != nil:
			return next, err
		case t:
			return f.block(s.Body)
		}
		return f.block(s.Orelse)
	case *syntax.For:
		return f.loop(s)
	case *syntax.While:
		return f.while(s)
	case *syntax.Try:
		return f.try(s)
	case *syntax.With:
		return f.with(s)
	}
	return next, f.mod.unsupported(s, "this statement is not evaluated outside kernels").err()
}

func (f *frame) elsewhere(list []string, in *names) {
	if f.rest == nil {
		f.rest = map[string]*names{}
	}
	for _, n := range list {
		f.rest[n] = in
	}
}

func (f *frame) nonlocal(list []string) {
	for _, n := range list {
		var in *names
		for g := f.outer; g != nil && in == nil; g = g.outer {
			if _, ok := g.names.get(n); ok && g.kind != classFrame {
				in = g.names
			}
		}
		f.elsewhere([]string{n}, in)
	}
}

// home gives the name space in which a statement of the frame binds a name, or nil.
func (f *frame) home(name string) *names {
	if in, ok := f.rest[name]; ok {
		return in
	}
	return f.names
}

// bind binds a name to a value for the statement that runs.
func (f *frame) bind(name string, v Value) error {
	in := f.home(name)
	if in == nil {
		return f.mod.unsupported(f.at, "what it binds is not known").err()
	}
	in.set(name, slot{value: v, annotated: isConstAnnotated(f.at), at: f.at})
	return nil
}

func (f *frame) test(e syntax.Expr) (bool, error) {
	v, err := f.eval(e)
	if err != nil {
		return false, err
	}
	return f.truth(v, e)
}

// truth gives bool(v).
func (f *frame) truth(v Value, at syntax.Node) (bool, error) {
	if u := isUnknown(v); u != nil {
		return false, u.err()
	}
	t, err := pyval.Truth(v)
	return t, f.mod.raise(at, err)
}

func (f *frame) returns(s *syntax.Return) (flow, error) {
	f.result = pyval.None
	if s.Value == nil {
		return returns, nil
	}
	v, err := f.eval(s.Value)
	f.result = v
	return returns, err
}

// iterate gives the elements of an iterable.
func (f *frame) iterate(e syntax.Expr) ([]Value, error) {
	v, err := f.eval(e)
	if err != nil {
		return nil, err
	}
	return f.elements(v, e)
}

func (f *frame) elements(v Value, at syntax.Node) ([]Value, error) {
	v = plain(v)
	if u := isUnknown(v); u != nil {
		return nil, u.err()
	}
	elems, err := pyval.Iter(v)
	if err != nil {
		return nil, f.mod.raise(at, err)
	}
	return elems, f.spend(len(elems)/16, at)
}

// each runs something for the elements of an iterable, while there are any: what it appends to a
// list that is gone through comes too.
func (f *frame) each(e syntax.Expr, do func(v Value) (more bool, err error)) error {
	v, err := f.eval(e)
	if err != nil {
		return err
	}
	list, isList := plain(v).(*pyval.List)
	dict, isDict := plain(v).(*pyval.Dict)
	if it, ok := v.(*iterator); ok {
		return f.drain(it, e, do)
	}
	elems, err := f.elements(v, e)
	if err != nil {
		return err
	}
	size := len(elems)
	for i := 0; i < len(elems); i++ {
		if err := f.spend(1, e); err != nil {
			return err
		}
		more, err := do(f.mod.prog.seen(elems[i], "an element"))
		if err != nil || !more {
			return err
		}
		switch {
		case isList:
			if u := isUnknown(f.mod.prog.seen(list, f.mod.text(e))); u != nil {
				return u.err()
			}
			elems = list.Elems
		case isDict && dict.Len() != size:
			return f.mod.raise(e, pyval.Errorf("RuntimeError", "dictionary changed size during iteration"))
		}
	}
	return nil
}

// drain is each for an iterator, of which a loop that breaks leaves the rest.
func (f *frame) drain(it *iterator, e syntax.Expr, do func(v Value) (more bool, err error)) error {
	for {
		if err := f.spend(1, e); err != nil {
			return err
		}
		v, ok, err := it.next()
		if err != nil || !ok {
			return f.mod.raise(e, err)
		}
		more, err := do(f.mod.prog.seen(v, "an element"))
		if err != nil || !more {
			return err
		}
		if u := isUnknown(f.mod.prog.seen(it, f.mod.text(e))); u != nil {
			return u.err()
		}
	}
}

func (f *frame) loop(s *syntax.For) (flow, error) {
	out, broken := next, false
	err := f.each(s.Iter, func(v Value) (bool, error) {
		f.at = s
		if err := f.assign(s.Target, v); err != nil {
			return false, err
		}
		c, err := f.block(s.Body)
		if c == returns {
			out = returns
		}
		broken = c == breaks
		return c == next || c == continues, err
	})
	if err != nil || out == returns || broken {
		return out, err
	}
	return f.block(s.Orelse)
}

func (f *frame) while(s *syntax.While) (flow, error) {
	for {
		t, err := f.test(s.Test)
		if err != nil {
			return next, err
		}
		if !t {
			return f.block(s.Orelse)
		}
		if err := f.spend(1, s); err != nil {
			return next, err
		}
		switch c, err := f.block(s.Body); {
		case err != nil || c == returns:
			return c, err
		case c == breaks:
			return next, nil
		}
	}
}

func (f *frame) assert(s *syntax.Assert) error {
	t, err := f.test(s.Test)
	if u := (*unknownError)(nil); errors.As(err, &u) {
		f.mod.prog.mayRaise(u.unknown)
		return nil // or the program ends here
	}
	if err != nil || t {
		return err
	}
	msg := ""
	if s.Msg != nil {
		v, err := f.eval(s.Msg)
		if err != nil {
			return err
		}
		msg = pyval.Str(v)
	}
	return f.mod.raise(s, &pyval.Error{Type: "AssertionError", Msg: msg})
}

func (f *frame) raise(s *syntax.Raise) error {
	if s.Exc == nil {
		if n := len(f.caught); n > 0 && f.caught[n-1] != nil {
			return f.caught[n-1]
		}
		return f.mod.raise(s, &pyval.Error{Msg: "an exception that is not known"})
	}
	v, err := f.eval(s.Exc)
	if err != nil {
		return err
	}
	switch e := v.(type) {
	case *exceptionClass:
		return &raised{&pyval.Error{Type: e.name}, f.mod.place(s)}
	case *exception:
		return &raised{&pyval.Error{Type: e.class.name, Msg: e.Str()}, f.mod.place(s)}
	case *unknown, *class:
		return &raised{&pyval.Error{Msg: f.mod.text(s.Exc)}, f.mod.place(s)}
	}
	return f.mod.raise(s, pyval.Errorf("TypeError", "exceptions must derive from BaseException"))
}

func (f *frame) delete(s *syntax.Delete) error {
	for _, t := range s.Targets {
		if err := f.deleteOne(t); err != nil {
			return err
		}
	}
	return nil
}

func (f *frame) deleteOne(t syntax.Expr) error {
	switch t := t.(type) {
	case *syntax.Name:
		in := f.home(t.Id)
		if in == nil {
			return f.mod.unsupported(t, "what it deletes is not known").err()
		}
		if _, ok := in.get(t.Id); !ok {
			return f.mod.raise(t, pyval.Errorf("NameError", "name '%s' is not defined", t.Id))
		}
		in.drop(t.Id)
		return nil
	case *syntax.Tuple:
		for _, e := range t.Elts {
			if err := f.deleteOne(e); err != nil {
				return err
			}
		}
		return nil
	case *syntax.Subscript:
		v, err := f.eval(t.Value)
		if err != nil {
			return err
		}
		index, err := f.eval(t.Slice)
		if err != nil {
			return err
		}
		for _, x := range []Value{v, f.known(index)} {
			if u := isUnknown(x); u != nil {
				return u.err()
			}
		}
		f.mod.prog.changing(plain(v))
		return f.mod.raise(t, pyval.DelItem(plain(v), index))
	}
	return f.mod.unsupported(t, "this deletion is not evaluated").err()
}
