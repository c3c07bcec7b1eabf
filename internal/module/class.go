package module

import (
	"strings"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// A class is a host class: a name space, and for enumerations and named tuples more than that.
type class struct {
	mod     *Module
	def     *syntax.ClassDef
	name    string
	scope   *scope
	bases   []Value
	kind    classKind
	members *[]*member // of an enumeration, once they are needed

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

// class makes the class of a class statement. Its body runs as its names are asked for.
func (f *frame) class(d *syntax.ClassDef) Value {
	kind := plainClass
	for _, e := range d.Decorators {
		v, err := f.eval(e)
		if err == nil && isAggregate(v) {
			kind = aggregateKind
			continue
		}
		if err != nil || !transparent(v) {
			return f.mod.unsupported(e, "what this decorator makes of class '%s' is not known to Tegula", d.Name)
		}
	}
	if f.entry == nil {
		return f.mod.unsupported(d, "classes inside functions are not evaluated by Tegula")
	}
	c := &class{mod: f.mod, def: d, name: d.Name, kind: kind}
	c.scope = newScope(f.mod, classScope, qualified(f.scope, d.Name), f.scope, d.Body)
	c.scope.above = f.scope.now
	for _, e := range d.Bases {
		v, err := f.eval(e)
		if err != nil {
			v = f.mod.doubtOf(e, err)
		}
		c.bases = append(c.bases, v)
		switch b := v.(type) {
		case *baseClass:
			c.kind = max(c.kind, b.kind)
		case *class:
			c.kind = max(c.kind, b.kind)
		case *pyval.Class:
			if c.kind == plainClass && b.Name != "object" { // class E(int, Enum)
				c.kind = plainClass
			}
		}
	}
	if c.kind == enumClass && c.mixesIn() {
		c.kind = intEnumClass
	}
	return c
}

// mixesIn reports whether an enumeration derives from int or str too.
func (c *class) mixesIn() bool {
	for _, b := range c.bases {
		if k, ok := b.(*pyval.Class); ok && k.Name != "object" {
			return true
		}
	}
	return false
}

// qualified gives a name with those of the scopes around it.
func qualified(s *scope, name string) string {
	if s == nil || s.kind == moduleScope {
		return name
	}
	return s.name + "." + name
}

// attr gives a class attribute: its own, then those of its bases.
func (c *class) attr(name string) (Value, bool, error) {
	switch name {
	case "__name__", "__qualname__":
		return c.name, true, nil
	case "__members__":
		if c.kind == enumClass || c.kind == intEnumClass {
			return c.memberDict()
		}
	}
	if c.kind == enumClass || c.kind == intEnumClass {
		m, err := c.member(name)
		if m != nil || err != nil {
			return m, err == nil, err
		}
	}
	var f found
	var ok bool
	var err error
	c.scope.end(func() { f, ok, err = c.scope.own(name) })
	if ok && err == nil && f.annotated {
		return &constant{plain(f.value)}, true, nil
	}
	if ok || err != nil {
		return f.value, ok, err
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
		if a.Value != nil {
			f := &frame{mod: c.mod, scope: c.scope, vars: map[string]Value{}}
			var err error
			c.scope.end(func() { def, err = f.eval(a.Value) })
			if err != nil {
				return nil, err
			}
		}
		t.fields, t.defaults = append(t.fields, n.Id), append(t.defaults, def)
	}
	return t, nil
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
