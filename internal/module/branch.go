package module

import (
	"errors"
	"slices"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// An outcome is how a branch ended.
type outcome struct {
	flow   flow
	result Value // of return
	delta  *delta
}

// either runs branches of which it is not known which one runs, and joins what they leave. A branch
// that fails does not come here; the module is taken to run on.
func (f *frame) either(why *unknown, branches ...func() (flow, error)) (flow, error) {
	var ends []outcome
	var failed error
	for _, b := range branches {
		end, err := f.branch(b)
		u := (*unknownError)(nil)
		switch {
		case errors.As(err, &u):
			return next, err
		case err != nil && f.mod.prog.trying > 0 && end.delta.any():
			return next, why.err() // a handler sees what it did
		case err != nil:
			failed = err
		default:
			ends = append(ends, end)
		}
	}
	if len(ends) == 0 {
		return next, failed
	}
	return f.meet(ends, why)
}

// branch runs something, takes back what it did, and tells what that was.
func (f *frame) branch(run func() (flow, error)) (outcome, error) {
	p := f.mod.prog
	p.begin()
	c, err := run()
	end := outcome{c, f.result, p.capture()}
	p.rollback()
	return end, err
}

// any reports whether a branch did something.
func (d *delta) any() bool { return len(d.places)+len(d.changed) > 0 }

// meet goes on after branches.
func (f *frame) meet(ends []outcome, why *unknown) (flow, error) {
	if f.looks { // those that return do not come to what follows
		if on := slices.DeleteFunc(slices.Clone(ends), func(e outcome) bool { return e.flow == returns }); len(on) > 0 {
			ends = on
		}
	}
	deltas := make([]*delta, len(ends))
	for i, e := range ends {
		if e.flow != ends[0].flow {
			return next, why.err()
		}
		deltas[i] = e.delta
	}
	f.mod.prog.join(deltas, why)
	if ends[0].flow == returns {
		f.result = ends[0].result
		for _, e := range ends[1:] {
			if !pyval.Identical(e.result, f.result) {
				f.result = f.oneOf(why, f.result, e.result)
			}
		}
	}
	return ends[0].flow, nil
}

// oneOf gives a value that is one of two.
func (f *frame) oneOf(why *unknown, x, y Value) Value {
	f.mod.prog.escape(x, why)
	f.mod.prog.escape(y, why)
	return &unknown{path: "a value", why: "which one it is depends on " + why.path + ", and " + why.why, at: why.at}
}

// try runs a try statement.
func (f *frame) try(s *syntax.Try) (flow, error) {
	c, err := f.attempt(s.Body, s.Orelse, s.Handlers)
	if u := (*unknownError)(nil); errors.As(err, &u) || len(s.Finally) == 0 {
		return c, err
	}
	if done, failed := f.block(s.Finally); done != next || failed != nil {
		return done, failed
	}
	return c, err
}

// attempt runs a body with handlers. Where something in it may fail, and that is not known, the
// handlers may run as well as what follows; they find what the body had done until then.
func (f *frame) attempt(body, orelse []syntax.Stmt, handlers []*syntax.ExceptHandler) (flow, error) {
	p := f.mod.prog
	var touched *delta // what had been done, at the most, where something may have failed
	var why *unknown
	c, err := next, error(nil)
	p.trying++
	for _, s := range body {
		if touched == nil {
			p.begin()
		}
		before, raises := p.capture(), p.raises
		if c, err = f.step(s); err == nil {
			err = f.spend(0, s) // what is captured costs
		}
		switch {
		case p.raises != raises:
			why, touched = p.raiser, before
			if !bindsLast(s) {
				touched = p.capture()
			}
		case touched == nil:
			p.commit()
		}
		if c != next || err != nil {
			break
		}
	}
	p.trying--
	u := (*unknownError)(nil)
	if errors.As(err, &u) {
		if touched != nil {
			p.commit()
		}
		return next, err
	}
	if touched == nil {
		return f.afterBody(c, err, orelse, handlers)
	}
	c, err = f.afterBody(c, err, orelse, handlers)
	ends := []outcome{{c, f.result, p.capture()}}
	p.rollback()
	switch {
	case errors.As(err, &u):
		return next, err
	case err != nil:
		ends = nil
	}
	return f.handleMaybe(ends, touched, handlers, why, err)
}

// afterBody goes on after the body of a try statement as it ended.
func (f *frame) afterBody(c flow, err error, orelse []syntax.Stmt, handlers []*syntax.ExceptHandler) (flow, error) {
	if err != nil {
		return f.handle(handlers, err)
	}
	if c == next {
		return f.block(orelse)
	}
	return c, nil
}

// bindsLast reports whether a statement binds one name, and that as the last thing it does.
func bindsLast(s syntax.Stmt) bool {
	switch s := s.(type) {
	case *syntax.Assign:
		_, isName := s.Targets[0].(*syntax.Name)
		return isName && len(s.Targets) == 1 && !calls(s.Value)
	case *syntax.Import:
		return len(s.Names) == 1
	case *syntax.ImportFrom:
		return len(s.Names) == 1
	case *syntax.ExprStmt:
		return !calls(s.Value)
	}
	return false
}

// calls reports whether an expression is more than names and attributes.
func calls(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Name, *syntax.Constant:
		return false
	case *syntax.Attribute:
		return calls(e.Value)
	}
	return true
}

// handleMaybe joins the ways in which a body with handlers may end of which something may have failed.
func (f *frame) handleMaybe(ends []outcome, touched *delta, handlers []*syntax.ExceptHandler, why *unknown, failed error) (flow, error) {
	passes := true // an exception may pass all handlers
	for _, h := range handlers {
		end, err := f.branch(func() (flow, error) {
			f.touch(touched, why)
			return f.runHandler(h, nil)
		})
		u := (*unknownError)(nil)
		switch {
		case errors.As(err, &u):
			return next, err
		case err == nil:
			ends = append(ends, end)
		}
		if isCatchAll(h.Type) {
			passes = err != nil
			break
		}
	}
	if passes {
		f.mod.prog.mayRaise(why)
	}
	if len(ends) == 0 {
		return next, failed
	}
	return f.meet(ends, why)
}

// touch makes unknown what a body that failed somewhere had done, or not.
func (f *frame) touch(d *delta, why *unknown) {
	p := f.mod.prog
	for _, at := range d.places {
		at.names.set(at.name, at.names.joined(at.name, []slot{at.names.slots[at.name], d.slots[at]}, why))
	}
	for _, obj := range d.changed {
		p.joinObject(obj, []*delta{{}, d}, why)
	}
	for _, l := range d.lost {
		p.lose(l.obj, l.why)
	}
	for _, w := range d.wild {
		p.setWild(w.at, w.leak)
	}
}

// handle runs the handler that takes an exception.
func (f *frame) handle(handlers []*syntax.ExceptHandler, err error) (flow, error) {
	var exc *pyval.Error
	if !errors.As(err, &exc) {
		return next, err
	}
	for _, h := range handlers {
		takes, known := catches(h.Type, exc.Type)
		if !known {
			return next, f.mod.unsupported(h.Type, "whether it takes %s is not known", exc).err()
		}
		if takes {
			return f.runHandler(h, err)
		}
	}
	return next, err
}

// runHandler runs a handler for an exception; nil is one that is not known.
func (f *frame) runHandler(h *syntax.ExceptHandler, err error) (flow, error) {
	f.caught = append(f.caught, err)
	defer func() { f.caught = f.caught[:len(f.caught)-1] }()
	if h.Name == "" {
		return f.block(h.Body)
	}
	var v Value = &unknown{path: h.Name, why: "the exception is not known"}
	if exc := (*pyval.Error)(nil); errors.As(err, &exc) && exc.Type != "" {
		v = &exception{&exceptionClass{exc.Type}, []Value{exc.Msg}}
	}
	if err := f.bind(h.Name, v); err != nil {
		return next, err
	}
	c, err := f.block(h.Body)
	if in := f.home(h.Name); in != nil {
		in.drop(h.Name)
	}
	return c, err
}

// with runs the body of a with statement. A manager that is not known may stop an exception.
func (f *frame) with(s *syntax.With) (flow, error) {
	var handlers []*syntax.ExceptHandler
	for _, item := range s.Items {
		v, err := f.eval(item.Context)
		if err != nil {
			return next, err
		}
		var entered Value
		switch m := v.(type) {
		case *suppressor:
			for _, name := range m.types {
				handlers = append(handlers, &syntax.ExceptHandler{Span: s.Span, Type: &syntax.Name{Span: s.Span, Id: name}})
			}
			entered = pyval.None
		case *unknown:
			handlers, entered = append(handlers, &syntax.ExceptHandler{Span: s.Span}), m
		default:
			f.mod.prog.escape(v, f.mod.unsupported(item.Context, "context managers are not run by Tegula"))
			handlers, entered = append(handlers, &syntax.ExceptHandler{Span: s.Span}), f.mod.unsupported(item.Context, "context managers are not run by Tegula")
		}
		if item.Vars == nil {
			continue
		}
		f.at = s
		if err := f.assign(item.Vars, entered); err != nil {
			return next, err
		}
	}
	c, err := f.attempt(s.Body, nil, handlers)
	if len(handlers) > 0 && handlers[len(handlers)-1].Type == nil { // or it does not stop them
		f.mod.prog.mayRaise(f.mod.unsupported(s.Items[0].Context, "context managers are not run by Tegula"))
	}
	return c, err
}
