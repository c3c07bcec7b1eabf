package sema

import (
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// A Class is a class of the host whose objects kernels make, which triton.aggregate gives: a
// record of values with methods. Two Classes are the same class if they are ==.
type Class interface {
	// ClassName gives the name.
	ClassName() string
	// Fields gives the fields in order.
	Fields() ([]Field, error)
	// Member gives a method, "__init__" too, or another attribute of the class. static is set for
	// functions that take no object.
	Member(name string) (v Value, static, ok bool, err error)
}

// A Field is a field of a Class.
type Field struct {
	Name    string
	Default Value // nil if there is none
	Type    Value // the class that values are instances of; nil if it is not known
}

// A record is an object of a Class. It does not change.
type record struct {
	class  Class
	names  []string
	values []Value
}

// TypeName gives the class's name.
func (r *record) TypeName() string { return r.class.ClassName() }

func (r *record) parts() []Value { return r.values }

func (r *record) withParts(values []Value) Value { return &record{r.class, r.names, values} }

func (r *record) form() any { return r.class }

// A building is an object whose constructor runs: the only one whose attributes can be assigned to.
type building struct {
	class   Class
	fields  []Field
	values  map[string]Value
	regions int // in which it was made
}

// TypeName gives the class's name.
func (b *building) TypeName() string { return b.class.ClassName() }

func aggregateRows() []*Builtin {
	return []*Builtin{{Name: "aggregate_replace", Sig: "instance, **changes", Fn: langAggregateReplace}}
}

// langAggregateReplace makes an object like another, some fields changed.
func langAggregateReplace(g *gen, c *call) Value {
	r, ok := c.args[0].(*record)
	if !ok {
		g.fail(c.at[0], "bad-argument", "%s needs an object of an aggregate class, not %s", c.name, describe(c.args[0]))
	}
	args := &argList{}
	for i, name := range r.names {
		args.kw = append(args.kw, Kwarg{Name: name, Value: r.values[i]})
		args.kwAt = append(args.kwAt, c.at[0])
	}
	for i, change := range c.rest.kw {
		j := fieldIndex(r.names, change.Name)
		if j < 0 {
			g.fail(c.rest.kwAt[i], "no-attribute", "'%s' has no field '%s'", r.class.ClassName(), change.Name)
		}
		args.kw[j], args.kwAt[j] = change, c.rest.kwAt[i]
	}
	return g.makeRecord(r.class, args, c.node)
}

func fieldIndex(names []string, name string) int {
	for i, n := range names {
		if n == name {
			return i
		}
	}
	return -1
}

// makeRecord calls a class.
func (g *gen) makeRecord(class Class, a *argList, at syntax.Node) Value {
	fields, err := class.Fields()
	g.check(at, err)
	init, _, custom, err := class.Member("__init__")
	g.check(at, err)
	b := &building{class: class, fields: fields, values: make(map[string]Value, len(fields)), regions: g.regions}
	if custom {
		g.apply(init, a.prepend(b, at), at)
	} else {
		g.fillFields(b, a, at)
	}
	return g.finishRecord(b, at)
}

// finishRecord gives the object, all of whose fields must have been set.
func (g *gen) finishRecord(b *building, at syntax.Node) Value {
	r := &record{class: b.class}
	for _, f := range b.fields {
		v, ok := b.values[f.Name]
		if !ok {
			g.fail(at, "unset-field", "the constructor of '%s' does not set the field '%s'", b.class.ClassName(), f.Name)
		}
		r.names, r.values = append(r.names, f.Name), append(r.values, v)
	}
	return r
}

// fillFields does what a constructor that is not written out does: it takes the fields in order.
func (g *gen) fillFields(b *building, a *argList, at syntax.Node) {
	s := &signature{byPos: len(b.fields)}
	for _, f := range b.fields {
		s.params = append(s.params, param{name: f.Name, value: f.Default, required: f.Default == nil})
	}
	bound := g.bindArgs(b.class.ClassName(), s, a, at)
	for i, f := range b.fields {
		v, where := bound.vals[i], bound.at[i]
		if v == nil {
			v, where = f.Default, at
		}
		g.setField(b, f.Name, v, where)
	}
}

// setField assigns to an attribute of an object whose constructor runs.
func (g *gen) setField(b *building, name string, v Value, at syntax.Node) {
	if g.regions != b.regions {
		g.unsupported(at, "setting a field of '%s' under a run-time condition or in a loop", b.class.ClassName())
	}
	for _, f := range b.fields {
		if f.Name != name {
			continue
		}
		if class, ok := f.Type.(*Builtin); ok && class.Name == "tensor" && isNumber(v) {
			v = g.toTensor(v, at) // such as an argument that is known to be 1
		}
		if f.Type != nil && !g.isInstance(&call{node: at, at: []syntax.Node{at, at}}, v, f.Type) {
			g.fail(at, "type-mismatch", "the field '%s' of '%s' is declared %s and cannot be %s", name, b.class.ClassName(), className(f.Type), describe(v))
		}
		b.values[name] = v
		return
	}
	g.fail(at, "no-attribute", "'%s' declares no field '%s'", b.class.ClassName(), name)
}

// className names a class in a message.
func className(v Value) string {
	switch v := v.(type) {
	case *Builtin:
		return "tl." + v.Name
	case Class:
		return v.ClassName()
	}
	return pyval.Repr(v)
}

// assignAttribute assigns to an attribute, which only constructors of aggregates do.
func (g *gen) assignAttribute(target *syntax.Attribute, v Value, from syntax.Node) {
	switch obj := g.eval(target.Value).(type) {
	case *building:
		g.setField(obj, target.Attr, v, from)
	case *record:
		g.fail(target, "immutable", "an object of '%s' cannot be changed; tl.aggregate_replace(…, %s=…) makes a changed copy", obj.class.ClassName(), target.Attr)
	default:
		g.unsupported(target, "assignment to an attribute")
	}
}

// recordAttr gives a field or a method of an object.
func (g *gen) recordAttr(r *record, name string, at syntax.Node) (Value, bool) {
	if i := fieldIndex(r.names, name); i >= 0 {
		return r.values[i], true
	}
	return g.member(r.class, r, name, at)
}

// buildingAttr gives a field that has been set, or a method.
func (g *gen) buildingAttr(b *building, name string, at syntax.Node) (Value, bool) {
	if v, ok := b.values[name]; ok {
		return v, true
	}
	return g.member(b.class, b, name, at)
}

// member gives an attribute of a class as one of self; nil is the class itself.
func (g *gen) member(class Class, self Value, name string, at syntax.Node) (Value, bool) {
	v, static, ok, err := class.Member(name)
	g.check(at, err)
	if !ok {
		return nil, false
	}
	if _, isFunc := v.(*Func); isFunc && self != nil && !static {
		return &Method{Self: self, Fn: v}, true
	}
	return v, true
}
