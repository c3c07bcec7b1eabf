package module

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// An aggregateClass is a class made by triton.aggregate as kernels see it: they make its objects.
type aggregateClass struct{ *class }

// aggregateOf gives the one aggregateClass of a class.
func (c *class) aggregateOf() *aggregateClass {
	if c.aggregate == nil {
		c.aggregate = &aggregateClass{c}
	}
	return c.aggregate
}

// ClassName gives the name.
func (a *aggregateClass) ClassName() string { return a.name }

// Fields gives the annotated names of the class and of those that it derives from, theirs first.
func (a *aggregateClass) Fields() ([]sema.Field, error) {
	defer a.mod.enter()()
	fields, err := a.class.aggregateFields()
	if err != nil {
		return nil, a.mod.failure("the fields of '"+a.name+"'", err, a.mod.place(a.def))
	}
	return fields, nil
}

func (c *class) aggregateFields() ([]sema.Field, error) {
	var fields []sema.Field
	for _, b := range slices.Backward(c.bases) {
		base, ok := b.(*class)
		if !ok || base.kind != aggregateKind {
			continue
		}
		inherited, err := base.aggregateFields()
		if err != nil {
			return nil, err
		}
		fields = addFields(fields, inherited...)
	}
	for _, s := range c.def.Body {
		a, ok := s.(*syntax.AnnAssign)
		if !ok {
			continue
		}
		n, ok := a.Target.(*syntax.Name)
		if !ok {
			continue
		}
		field, err := c.field(n.Id, a)
		if err != nil {
			return nil, err
		}
		fields = addFields(fields, field)
	}
	return fields, nil
}

// addFields adds fields; one of a name that is there takes its place.
func addFields(to []sema.Field, fields ...sema.Field) []sema.Field {
	for _, f := range fields {
		i := slices.IndexFunc(to, func(g sema.Field) bool { return g.Name == f.Name })
		if i < 0 {
			to = append(to, f)
			continue
		}
		to[i] = f
	}
	return to
}

// field evaluates a field's annotation and default. A type that is not known is not checked.
func (c *class) field(name string, a *syntax.AnnAssign) (f sema.Field, err error) {
	f.Name = name
	in := &frame{mod: c.mod, kind: classFrame, names: c.names}
	if t, e := in.eval(a.Annotation); e == nil && isUnknown(t) == nil {
		if t, e = c.mod.export(name, t, nil); e == nil && isClass(t) {
			f.Type = t
		}
	}
	if s, ok := c.names.get(name); ok && a.Value != nil {
		f.Default = s.value
	}
	if err == nil && f.Default != nil {
		f.Default, err = c.mod.export(name, f.Default, nil)
	}
	return f, err
}

// isClass reports whether a kernel can ask if a value is an instance of t.
func isClass(t Value) bool {
	switch t := t.(type) {
	case *sema.Builtin:
		return t.Is != nil
	case sema.Class:
		return true
	}
	return false
}

// Member gives a method or another attribute.
func (a *aggregateClass) Member(name string) (v sema.Value, static, ok bool, err error) {
	defer a.mod.enter()()
	v, ok, err = a.class.attr(name)
	if !ok || err != nil {
		if err != nil {
			err = a.mod.failure("'"+a.name+"."+name+"'", err, diag.Place{})
		}
		return nil, false, false, err
	}
	if name == "__init__" {
		if fn := initOf(v); fn != nil {
			return fn, false, true, nil
		}
	}
	v, err = a.mod.export(a.name+"."+name, v, nil)
	return v, a.isStatic(name), err == nil, err
}

// initOf gives a constructor that is no kernel function: a plain Python function, or one of
// constants. Kernels run it all the same.
func initOf(v Value) *sema.Func {
	var fn *function
	switch v := v.(type) {
	case *function:
		fn = v
	case *constexprFunction:
		fn = v.fn
	}
	if fn == nil || fn.def == nil || fn.wraps != "" {
		return nil
	}
	return &sema.Func{Name: fn.name, File: fn.mod.file, Def: fn.def, Env: fn.env(), Host: true}
}

// isStatic reports whether a method is declared @staticmethod, in the class or one that it derives
// from.
func (c *class) isStatic(name string) bool {
	for _, s := range slices.Backward(c.def.Body) {
		def, ok := s.(*syntax.FunctionDef)
		if !ok || def.Name != name {
			continue
		}
		return slices.ContainsFunc(def.Decorators, func(e syntax.Expr) bool {
			n, ok := e.(*syntax.Name)
			return ok && n.Id == "staticmethod"
		})
	}
	for _, b := range c.bases {
		if base, ok := b.(*class); ok && base.isStatic(name) {
			return true
		}
	}
	return false
}

// isAggregate reports whether a class decorator is triton.aggregate.
func isAggregate(v Value) bool {
	m, ok := v.(*decoratorMaker)
	return ok && m.kind == aggregate
}

// TakesTensors: named tuples hold what they are given, and functions of constants may ask for a
// tensor's type.
func (o *object) TakesTensors() (takes, computes bool) {
	switch v := o.v.(type) {
	case *namedTuple:
		return true, false
	case *class:
		return v.kind == tupleClass, false
	case *constexprFunction:
		return true, true
	}
	return false, false
}

var _ sema.TensorTaker = (*object)(nil)
var _ sema.Class = (*aggregateClass)(nil)
var _ pyval.Callable = (*object)(nil)
