package module

import (
	"errors"
	"maps"
	"slices"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// Eval evaluates a host expression of file f with the names in vars, those of the module, and
// Python's. cdiv and next_power_of_2 are known too, unless the module binds them.
func (m *Module) Eval(e syntax.Expr, f *syntax.File, vars map[string]sema.Value) (sema.Value, error) {
	defer m.enter()()
	in := *m // the expression's places are in its own file
	in.file = f
	return in.evaluate(e, vars, asItIs)
}

// EvalGrid is Eval of the grid of a launch with those arguments. Where the expression gives a function, as in
// lambda args: (cdiv(args["n"], args["BLOCK"]),), it gives what the function gives for the dict of them.
func (m *Module) EvalGrid(e syntax.Expr, f *syntax.File, args map[string]sema.Value) (sema.Value, error) {
	defer m.enter()()
	in := *m
	in.file = f
	return in.evaluate(e, args, func(v Value) (Value, error) {
		fn, ok := v.(*function)
		if !ok {
			return v, nil
		}
		d := &pyval.Dict{}
		for _, name := range slices.Sorted(maps.Keys(args)) {
			if err := d.Set(name, in.takenIn(args[name])); err != nil {
				return nil, err
			}
		}
		return call(fn, []Value{d}, nil)
	})
}

func asItIs(v Value) (Value, error) { return v, nil }

// EvalExpr evaluates the one expression that a file holds, with the names in vars, cdiv,
// next_power_of_2 and Python's.
func EvalExpr(f *syntax.File, vars map[string]sema.Value) (sema.Value, error) {
	e, errs := syntax.ParseExpr(f)
	if len(errs) > 0 {
		return nil, errs
	}
	m := &Module{prog: new(program), file: f, state: hasRun, exports: map[any]*object{}}
	m.names = m.newNames()
	defer m.enter()()
	return m.evaluate(e, vars, asItIs)
}

// evaluate gives what finish makes of an expression's value.
func (m *Module) evaluate(e syntax.Expr, vars map[string]sema.Value, finish func(Value) (Value, error)) (v Value, err error) {
	base := &frame{mod: m, names: m.newNames()} // names that a module may bind otherwise
	for _, name := range []string{"cdiv", "next_power_of_2"} {
		if !m.top.Has(name) {
			v, _ := langPath("triton." + name)
			base.give(name, v)
		}
	}
	f := &frame{mod: m, names: m.newNames(), outer: base}
	for name, v := range vars {
		f.give(name, m.takenIn(v))
	}
	if v, err = f.eval(e); err == nil {
		v, err = finish(v)
	}
	if u := isUnknown(v); err == nil && u != nil {
		err = u.err()
	}
	if err != nil {
		return nil, m.evalFailure(e, err, f)
	}
	return m.export(m.text(e), v, nil)
}

// evalFailure makes the diagnostic of an expression that cannot be evaluated.
func (m *Module) evalFailure(e syntax.Expr, err error, f *frame) error {
	var r *raised
	if !errors.As(err, &r) {
		return m.failure("'"+m.text(e)+"'", err, m.place(e))
	}
	d := diag.At(diag.Compile, r.at, "%s", r.exc.Error()).WithCode("host-error")
	if r.exc.Type == "NameError" {
		d = diag.At(diag.Compile, r.at, "%s", r.exc.Msg).WithCode("undefined-name")
		if s := diag.Nearest(undefinedName(r.exc.Msg), f.usableNames()); s != "" {
			d.Msg += "; did you mean '" + s + "'?"
		}
	}
	d.Cause = err
	return d
}

// undefinedName reads the name out of a NameError's message.
func undefinedName(msg string) string {
	for i, from := 0, -1; i < len(msg); i++ {
		if msg[i] != '\'' {
			continue
		}
		if from >= 0 {
			return msg[from:i]
		}
		from = i + 1
	}
	return ""
}

// usableNames gives the names that can be used in a frame.
func (f *frame) usableNames() []string {
	var all []string
	for g := f; g != nil; g = g.outer {
		all = append(all, g.names.order...)
	}
	return slices.Concat(all, f.mod.names.order, pyval.BuiltinNames())
}
