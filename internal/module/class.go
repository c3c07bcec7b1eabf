package module

import (
	"bytes"
	"strings"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// A class is a host class: a name space, and for enumerations and named tuples more than that.
type class struct {
	mod     *Module
	def     *syntax.ClassDef
	name    string
	names   *names // what its body bound
	bases   []Value
	kind    classKind
	members []*member // of an enumeration

	aggregate *aggregateClass // of an aggregate, once it is needed
}

type classKind uint8

const (
	plainClass classKind = iota
	enumClass
	intEnumClass // its members are what they hold: IntEnum, StrEnum
	tupleClass   // NamedTuple
	aggregateKind
)

// A baseClass is a class of Python's library that a program derives from.
type baseClass struct {
	name string
	kind classKind
}

// TypeName gives the name of the type in messages.
func (b *baseClass) TypeName() string { return "type" }

// Repr gives <class 'name'>.
func (b *baseClass) Repr() string { return "<class '" + b.name + "'>" }

// TypeName gives the name of the type in messages.
func (c *class) TypeName() string { return "type" }

// Repr gives <class 'name'>.
func (c *class) Repr() string { return "<class '" + c.name + "'>" }

// class runs a class statement.
func (f *frame) class(d *syntax.ClassDef) (Value, error) {
	c := &class{mod: f.mod, def: d, name: d.Name, kind: plainClass}
	hidden, err := f.classDecorators(c, d)
	if err != nil {
		return nil, err
	}
	strange := len(d.Keywords) > 0
	for _, e := range d.Bases {
		v, err := f.eval(e)
		if err != nil {
			v, err = f.orUnknown(e, err)
		}
		if err != nil {
			return nil, err
		}
		c.bases = append(c.bases, v)
		switch b := v.(type) {
		case *baseClass:
			c.kind = max(c.kind, b.kind)
		case *class:
			c.kind = max(c.kind, b.kind)
		case *unknown:
			strange = true
		}
	}
	if c.kind == enumClass && c.mixesIn() {
		c.kind = intEnumClass
	}
	c.names = f.mod.newNames()
	in := &frame{mod: f.mod, kind: classFrame, name: f.qualified(d.Name), names: c.names, outer: f.closure()}
	if _, err := in.block(d.Body); err != nil {
		return nil, err
	}
	f.names.define(d.Name, d, c)
	if c.isEnum() {
		if err := c.makeMembers(); err != nil {
			return nil, f.mod.raise(d, err)
		}
	}
	if strange {
		c.expose(f.mod.unsupported(d, "what its base classes do is not known"))
	}
	if hidden != nil {
		f.mod.prog.escape(c, hidden)
		return hidden, nil
	}
	return c, nil
}

// classDecorators evaluates the decorators of a class; hidden is what it becomes if one is not known.
func (f *frame) classDecorators(c *class, d *syntax.ClassDef) (hidden *unknown, err error) {
	for _, e := range d.Decorators {
		v, err := f.eval(e)
		if err != nil {
			if v, err = f.orUnknown(e, err); err != nil {
				return nil, err
			}
		}
		switch {
		case isAggregate(v):
			c.kind = aggregateKind
		case !transparent(v):
			f.mod.prog.escape(v, f.mod.unsupported(e, "what this decorator makes of class '%s' is not known to Tegula", d.Name))
			hidden = f.mod.unsupported(e, "what this decorator makes of class '%s' is not known to Tegula", d.Name)
			f.mod.prog.mayRaise(hidden)
		}
	}
	return hidden, nil
}

// expose lets code that is not known make objects of the class and call its methods.
func (c *class) expose(why *unknown) {
	p := c.mod.prog
	span := c.def.Range()
	text := c.mod.file.Src[span.Pos:span.End]
	for _, word := range []string{"__class__", "classmethod", "type(", "__dict__"} {
		if bytes.Contains(text, []byte(word)) { // these lead from an object to the class
			p.escape(c, why)
			return
		}
	}
	for _, name := range c.names.order {
		p.escape(c.names.slots[name].value, why)
	}
	for _, b := range c.bases {
		if b, ok := b.(*class); ok && b != c {
			b.expose(why)
		}
	}
}

func (c *class) isEnum() bool { return c.kind == enumClass || c.kind == intEnumClass }

// mixesIn reports whether an enumeration derives from int or str too.
func (c *class) mixesIn() bool {
	for _, b := range c.bases {
		if k, ok := b.(*pyval.Class); ok && k.Name != "object" {
			return true
		}
	}
	return false
}

// qualified gives a name with those of the classes and functions around it.
func (f *frame) qualified(name string) string {
	if f.name == "" {
		return name
	}
	return f.name + "." + name
}

// attr gives a class attribute: its own, then those of its bases.
func (c *class) attr(name string) (Value, bool, error) {
	switch name {
	case "__name__", "__qualname__":
		return c.name, true, nil
	case "__members__":
		if c.isEnum() {
			return c.memberDict()
		}
	}
	if c.isEnum() {
		if m := c.member(name); m != nil {
			return m, true, nil
		}
	}
	if s, ok := c.names.get(name); ok {
		v := c.mod.prog.seen(s.value, c.name+"."+name)
		if m, ok := v.(*classMethod); ok {
			v = m.of(c)
		}
		if s.doubt != nil {
			c.mod.prog.mayRaise(s.doubt)
		}
		if s.annotated && isUnknown(v) == nil {
			return &constant{plain(v)}, true, nil
		}
		return v, true, nil
	}
	for _, b := range c.bases {
		switch b := b.(type) {
		case *class:
			if v, ok, err := b.attr(name); ok || err != nil {
				return v, ok, err
			}
		case *unknown:
			return b.with("." + name), true, nil
		}
	}
	return nil, false, nil
}

// Call makes an object: a named tuple, or a member of an enumeration.
func (c *class) Call(args []Value, kwargs []pyval.Kwarg) (Value, error) {
	switch c.kind {
	case enumClass, intEnumClass:
		return c.byValue(args)
	case tupleClass:
		fields, err := c.fields()
		if err != nil {
			return nil, err
		}
		return fields.Call(args, kwargs)
	}
	return c.mod.unsupported(c.def, "objects of class '%s' are not made by Tegula", c.name).with("()"), nil
}

// fields reads the fields of a NamedTuple.
func (c *class) fields() (*namedTuple, error) {
	t := &namedTuple{name: c.name}
	for _, s := range c.def.Body {
		a, ok := s.(*syntax.AnnAssign)
		if !ok {
			continue
		}
		n, ok := a.Target.(*syntax.Name)
		if !ok {
			continue
		}
		var def Value
		if s, ok := c.names.get(n.Id); ok && a.Value != nil {
			def = s.value
		}
		t.fields, t.defaults = append(t.fields, n.Id), append(t.defaults, def)
	}
	return t, nil
}

// A classMethod is classmethod(f), or a property or the like in a class that nobody can ask for a value.
type classMethod struct{ fn Value }

// of gives the method of a class.
func (m *classMethod) of(c *class) Value {
	return &native{name: "classmethod", holds: []Value{m.fn, c}, fn: func(args []Value, kwargs []pyval.Kwarg) (Value, error) {
		return call(m.fn, append([]Value{c}, args...), kwargs)
	}}
}

// A namedTuple is a class of named tuples.
type namedTuple struct {
	name     string
	fields   []string
	defaults []Value // nil where there is none
}

// TypeName gives the name of the type in messages.
func (t *namedTuple) TypeName() string { return "type" }

// Repr gives <class 'name'>.
func (t *namedTuple) Repr() string { return "<class '" + t.name + "'>" }

// Call makes a tuple.
func (t *namedTuple) Call(args []Value, kwargs []pyval.Kwarg) (Value, error) {
	elems, err := bindArgs(t.name, t.fields, 0, args, kwargs)
	if err != nil {
		return nil, err
	}
	for i, v := range elems {
		if v != nil {
			continue
		}
		if t.defaults == nil || t.defaults[i] == nil {
			return nil, pyval.Errorf("TypeError", "%s() missing required argument: '%s'", t.name, t.fields[i])
		}
		elems[i] = t.defaults[i]
	}
	return pyval.Tuple{Elems: elems, Names: t.fields}, nil
}

// Has answers isinstance.
func (t *namedTuple) Has(v Value) bool {
	tuple, ok := v.(pyval.Tuple)
	return ok && len(tuple.Names) > 0 && strings.Join(tuple.Names, " ") == strings.Join(t.fields, " ")
}

// newNamedTuple is collections.namedtuple.
func newNamedTuple(args []Value, kwargs []pyval.Kwarg) (Value, error) {
	a, err := bindArgs("namedtuple", []string{"typename", "field_names", "rename", "defaults", "module"}, 2, args, kwargs)
	if err != nil {
		return nil, err
	}
	t := &namedTuple{name: pyval.Str(a[0])}
	if text, ok := a[1].(string); ok {
		t.fields = strings.Fields(strings.ReplaceAll(text, ",", " "))
	} else {
		names, err := pyval.Iter(a[1])
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			t.fields = append(t.fields, pyval.Str(n))
		}
	}
	if a[3] == nil || a[3] == pyval.Value(pyval.None) {
		return t, nil
	}
	defaults, err := pyval.Iter(a[3])
	if err != nil {
		return nil, err
	}
	if len(defaults) > len(t.fields) {
		return nil, pyval.Errorf("TypeError", "Got more default values than field names")
	}
	t.defaults = append(make([]Value, len(t.fields)-len(defaults)), defaults...)
	return t, nil
}
