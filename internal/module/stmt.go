package module

import (
	"errors"

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

func (f *frame) block(body []syntax.Stmt) (flow, error) {
	for _, s := range body {
		if c, err := f.exec(s); c != next || err != nil {
			return c, err
		}
	}
	return next, nil
}

// exec runs a statement.
func (f *frame) exec(s syntax.Stmt) (flow, error) {
	if err := f.spend(1, s); err != nil {
		return next, err
	}
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
		if err == nil {
			f.vars[s.Name] = v
		}
		return next, err
	case *syntax.ClassDef:
		f.vars[s.Name] = f.class(s)
		return next, nil
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
	case *syntax.Pass, *syntax.TypeAlias:
		return next, nil
	case *syntax.Break:
		return breaks, nil
	case *syntax.Continue:
		return continues, nil
	case *syntax.Global:
		f.elsewhere(s.Names)
		return next, nil
	case *syntax.Nonlocal:
		f.elsewhere(s.Names)
		return next, nil
	}
	return f.execCompound(s)
}

func (f *frame) execCompound(s syntax.Stmt) (flow, error) {
	switch s := s.(type) {
	case *syntax.If:
		t, err := f.test(s.Test)
		switch {
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

func (f *frame) elsewhere(names []string) {
	if f.rest == nil {
		f.rest = map[string]bool{}
	}
	for _, n := range names {
		f.rest[n] = true
	}
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

func (f *frame) loop(s *syntax.For) (flow, error) {
	elems, err := f.iterate(s.Iter)
	if err != nil {
		return next, err
	}
	for _, v := range elems {
		if err := f.assign(s.Target, v); err != nil {
			return next, err
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

// with runs the body of a with statement; what its managers do is unknown and has no values.
func (f *frame) with(s *syntax.With) (flow, error) {
	for _, item := range s.Items {
		v, err := f.eval(item.Context)
		if err != nil {
			return next, err
		}
		if item.Vars == nil {
			continue
		}
		u := isUnknown(v)
		if u == nil {
			u = f.mod.unsupported(item.Context, "context managers are not run by Tegula")
		}
		if err := f.assign(item.Vars, u); err != nil {
			return next, err
		}
	}
	return f.block(s.Body)
}

func (f *frame) assert(s *syntax.Assert) error {
	t, err := f.test(s.Test)
	if u := (*unknownError)(nil); errors.As(err, &u) {
		return nil // the program is taken to be right about what it asserts
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
		return f.mod.unsupported(s, "a raise without an exception is not evaluated").err()
	}
	v, err := f.eval(s.Exc)
	if err != nil {
		return err
	}
	switch e := v.(type) {
	case *exceptionClass:
		return f.mod.raise(s, &pyval.Error{Type: e.name})
	case *exception:
		return f.mod.raise(s, &pyval.Error{Type: e.class.name, Msg: e.Str()})
	case *unknown:
		return e.err()
	}
	return f.mod.raise(s, pyval.Errorf("TypeError", "exceptions must derive from BaseException"))
}

func (f *frame) try(s *syntax.Try) (flow, error) {
	c, err := f.block(s.Body)
	var exc *pyval.Error
	switch {
	case err == nil && c == next:
		c, err = f.block(s.Orelse)
	case errors.As(err, &exc):
		c, err = f.handle(s, exc, err)
	}
	if done, failed := f.block(s.Finally); done != next || failed != nil {
		return done, failed
	}
	return c, err
}

func (f *frame) handle(s *syntax.Try, exc *pyval.Error, err error) (flow, error) {
	for _, h := range s.Handlers {
		if !catches(h.Type, exc.Type) {
			continue
		}
		if h.Name != "" {
			f.vars[h.Name] = &exception{&exceptionClass{exc.Type}, []Value{exc.Msg}}
		}
		return f.block(h.Body)
	}
	return next, err
}

func (f *frame) delete(s *syntax.Delete) error {
	for _, t := range s.Targets {
		switch t := t.(type) {
		case *syntax.Name:
			delete(f.vars, t.Id)
		case *syntax.Subscript:
			v, err := f.eval(t.Value)
			if err != nil {
				return err
			}
			index, err := f.eval(t.Slice)
			if err != nil {
				return err
			}
			if err := pyval.DelItem(plain(v), index); err != nil {
				return f.mod.raise(t, err)
			}
		default:
			return f.mod.unsupported(t, "this deletion is not evaluated").err()
		}
	}
	return nil
}
