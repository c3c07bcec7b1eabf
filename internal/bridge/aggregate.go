package bridge

import (
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
)

// An aggregate is a class that triton.aggregate made: kernels make its objects.
type aggregate struct{ *object }

// ClassName gives the name.
func (a *aggregate) ClassName() string { return a.typeName }

// Fields asks Python for the fields, in order.
func (a *aggregate) Fields() ([]sema.Field, error) {
	var w writer
	w.u64(a.env.kernel.id)
	w.u64(a.ref)
	d, err := a.env.ask(askFields, w.b)
	if err != nil {
		return nil, failure("the fields of "+a.typeName, err)
	}
	fields := make([]sema.Field, d.count(6))
	for i := range fields {
		fields[i].Name = d.str()
		if d.bool() {
			if fields[i].Default, err = d.value(0); err != nil {
				return nil, failure("the default of '"+fields[i].Name+"'", err)
			}
		}
		if d.bool() {
			if t, err := d.value(0); err == nil && isClass(t) { // a type that is not known is not checked
				fields[i].Type = t
			}
		}
	}
	return fields, d.err
}

// isClass reports whether a kernel can ask if a value is an instance of t.
func isClass(t pyval.Value) bool {
	switch t := t.(type) {
	case *sema.Builtin:
		return t.Is != nil
	case sema.Class:
		return true
	}
	return false
}

// Member asks Python for a method or another attribute of the class.
func (a *aggregate) Member(name string) (v sema.Value, static, ok bool, err error) {
	var w writer
	w.u64(a.env.kernel.id)
	w.u64(a.ref)
	w.str(name)
	d, err := a.env.ask(askMember, w.b)
	if err != nil {
		return nil, false, false, failure("'"+a.typeName+"."+name+"'", err)
	}
	if !d.bool() {
		return nil, false, false, d.err
	}
	static = d.bool()
	plain := d.bool()
	if v, err = d.value(0); err != nil {
		return nil, false, false, failure("'"+a.typeName+"."+name+"'", err)
	}
	if f, ok := v.(*sema.Func); ok && plain {
		constructor := *f
		constructor.Host = true
		v = &constructor
	}
	return v, static, true, nil
}

var _ sema.Class = (*aggregate)(nil)
