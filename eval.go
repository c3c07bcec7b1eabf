package tegula

import (
	"errors"
	"math/big"
	"strings"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/launch"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// A Func is a Go function that the expressions of Eval may call.
type Func func(args []any, kwargs map[string]any) (any, error)

// An Object is a value of the module's that has no counterpart in Go, such as a function. It may be
// an argument: a constant.
type Object struct{ value pyval.Value }

// String describes the object: the function tanh.
func (o Object) String() string {
	switch v := o.value.(type) {
	case *sema.Func:
		return "the function " + v.Name
	case *sema.Builtin:
		return "the function tl." + v.Name
	case sema.LangModule:
		return "the module " + string(v)
	}
	return pyval.Repr(o.value)
}

// Eval evaluates a Python expression with the names of vars and those of the module, and cdiv and
// next_power_of_2. It gives nil, a bool, int64, *big.Int, float64, string, Tuple, DType, *Array (one that
// vars holds or a Func gave) or Object.
func (m *Module) Eval(expr string, vars map[string]any) (any, error) {
	if m.unloaded() {
		return nil, errNoModule
	}
	in := make(map[string]pyval.Value, len(vars))
	for name, v := range vars {
		p, err := toPython(v)
		if err != nil {
			return nil, err
		}
		in[name] = p
	}
	v, err := m.eval("<expression>", expr, in)
	if err != nil {
		return nil, err
	}
	if pyval.TypeName(v) == "method" {
		return nil, diag.New(diag.Argument, "method", "%s is a method; its result is %s()", expr, expr)
	}
	return fromPython(v), nil
}

// eval evaluates an expression with the names of the module. Messages call it by the name.
func (m *Module) eval(name, expr string, vars map[string]pyval.Value) (pyval.Value, error) {
	e, file, err := parseExpr(name, expr)
	if err != nil {
		return nil, err
	}
	return m.mod.Eval(e, file, vars)
}

// parseExpr reads an expression.
func parseExpr(name, expr string) (syntax.Expr, *syntax.File, error) {
	file := syntax.NewFile(name, []byte(expr))
	e, errs := syntax.ParseExpr(file)
	if len(errs) > 0 {
		return nil, nil, errs
	}
	return e, file, nil
}

// evalGrid evaluates a grid, expressions over the arguments or a function of their dict.
func (m *Module) evalGrid(expr string, b *launch.Bound) (pyval.Value, error) {
	if strings.TrimSpace(expr) == "" {
		return pyval.NewTuple(), nil
	}
	e, file, err := parseExpr("<grid>", expr)
	if err != nil {
		return nil, err
	}
	v, err := m.mod.EvalGrid(e, file, b.Vars())
	return v, ofGrid(err)
}

// ofGrid makes what is wrong with a grid's expression an error of the grid. It remains what it was, too.
func ofGrid(err error) error {
	var e *diag.Error
	if !errors.As(err, &e) || e.Category != diag.Compile {
		return err
	}
	grid := *e
	grid.Category, grid.Cause = diag.Grid, err
	return &grid
}

// toPython gives a Go value as expressions see it.
func toPython(v any) (pyval.Value, error) {
	switch v := v.(type) {
	case Func:
		return function{v}, nil
	case Object:
		return v.value, nil
	}
	var arg launch.Value
	if err := setValue(&arg, v); err != nil {
		return nil, err
	}
	p := arg.Python()
	if a, ok := p.(*launch.ArrayObject); ok {
		a.Origin = v
	}
	return p, nil
}

// fromPython gives a Python value as Go sees it.
func fromPython(v pyval.Value) any {
	switch v := v.(type) {
	case pyval.NoneType:
		return nil
	case pyval.Tuple, *pyval.List:
		left := launch.MaxTuple
		if t, ok := tupleFrom(v, &left, 0); ok {
			return t
		}
		return Object{v}
	case *launch.ArrayObject:
		return v.Origin
	case sema.Type:
		if v == sema.ScalarType(v.DType) {
			return v.DType
		}
		return Object{v}
	}
	switch v.(type) {
	case bool, int64, float64, string, *big.Int:
		return v
	}
	return Object{v}
}

// tupleFrom gives a tuple or list as a Tuple, with what is left of the elements that it may have.
func tupleFrom(v pyval.Value, left *int, depth int) (Tuple, bool) {
	var elems []pyval.Value
	switch v := v.(type) {
	case pyval.Tuple:
		elems = v.Elems
	case *pyval.List:
		elems = v.Elems
	}
	if *left -= len(elems); *left < 0 || depth > launch.MaxTupleDepth {
		return nil, false
	}
	t := make(Tuple, len(elems))
	for i, e := range elems {
		switch e.(type) {
		case pyval.Tuple, *pyval.List:
			inner, ok := tupleFrom(e, left, depth+1)
			if !ok {
				return nil, false
			}
			t[i] = inner
		default:
			t[i] = fromPython(e)
		}
	}
	return t, true
}

// A function is a Func as expressions see it.
type function struct{ f Func }

// Call calls the function.
func (f function) Call(args []pyval.Value, kwargs []pyval.Kwarg) (pyval.Value, error) {
	named := make(map[string]any, len(kwargs))
	for _, k := range kwargs {
		named[k.Name] = fromPython(k.Value)
	}
	if f.f == nil {
		return nil, valueError(errors.New("the function is nil"))
	}
	positional := make(Tuple, len(args))
	for i, a := range args {
		positional[i] = fromPython(a)
	}
	var v any
	err := guarded("the function", func() (err error) {
		v, err = f.f(positional, named)
		return err
	})
	if err != nil {
		return nil, valueError(err)
	}
	return toPython(v)
}

// valueError makes a function's error an ArgumentError. Its place is that of the call.
func valueError(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	e = diag.New(diag.Argument, "value", "%s", err)
	e.Cause = err
	return e
}

// TypeName gives the name of the type in messages.
func (f function) TypeName() string { return "function" }
