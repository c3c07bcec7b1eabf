package module

import (
	"strings"

	"github.com/tegula-lang/tegula/internal/pyval"
)

// A member is a member of an enumeration.
type member struct {
	class *class
	name  string
	value Value
}

// TypeName gives the name of the enumeration.
func (m *member) TypeName() string { return m.class.name }

// Repr gives <Class.NAME: value>.
func (m *member) Repr() string {
	return "<" + m.class.name + "." + m.name + ": " + pyval.Repr(m.value) + ">"
}

// Str gives Class.NAME.
func (m *member) Str() string { return m.class.name + "." + m.name }

func (m *member) attr(name string) (Value, bool, error) {
	switch name {
	case "value", "_value_":
		return m.value, true, nil
	case "name", "_name_":
		return m.name, true, nil
	}
	return m.class.attr(name)
}

// A number is a member of an enumeration whose members are ints or strings.
type number struct{ *member }

// Unbox gives the value.
func (n number) Unbox() Value { return n.value }

// Str gives the value, as IntEnum and StrEnum do, or Class.NAME.
func (n number) Str() string {
	if n.class.mixesIn() {
		return n.member.Str()
	}
	return pyval.Str(n.value)
}

// auto is enum.auto().
type auto struct{}

// makeMembers makes the members, in order.
func (c *class) makeMembers() error {
	for _, name := range c.names.order {
		if strings.HasPrefix(name, "_") {
			continue
		}
		m, err := c.newMember(name)
		if err != nil {
			return err
		}
		if m != nil {
			c.members = append(c.members, m)
		}
	}
	return nil
}

// newMember makes the member of a name, or nil if what it is bound to is none.
func (c *class) newMember(name string) (*member, error) {
	s, ok := c.names.get(name)
	if !ok {
		return nil, nil
	}
	switch s.value.(type) {
	case *function, *kernel, *class, *classMethod, *native:
		return nil, nil
	case auto:
		next := int64(1)
		if n := len(c.members); n > 0 {
			last, isInt := pyval.AsInt(c.members[n-1].value)
			if !isInt {
				return nil, pyval.Errorf("TypeError", "unable to sort non-numeric values")
			}
			next = last + 1
		}
		return &member{c, name, next}, nil
	}
	return &member{c, name, plain(s.value)}, nil
}

// object gives a member as a value.
func (c *class) object(m *member) Value {
	if c.kind == intEnumClass {
		return number{m}
	}
	return m
}

// member finds a member by name; nil if there is none.
func (c *class) member(name string) Value {
	for _, m := range c.members {
		if m.name != name {
			continue
		}
		for _, first := range c.members { // equal values are one member
			if eq, err := pyval.Equal(first.value, m.value); err == nil && eq {
				return c.object(first)
			}
		}
		return c.object(m)
	}
	return nil
}

func (c *class) memberDict() (Value, bool, error) {
	d := &pyval.Dict{}
	for _, m := range c.members {
		if err := d.Set(m.name, c.object(m)); err != nil {
			return nil, false, err
		}
	}
	return d, true, nil
}

// byValue is Class(value).
func (c *class) byValue(args []Value) (Value, error) {
	if len(args) != 1 {
		return nil, pyval.Errorf("TypeError", "%s() takes one value", c.name)
	}
	v := args[0]
	if u := isUnknown(v); u != nil {
		return u, nil
	}
	if m, ok := v.(*member); ok && m.class == c {
		return v, nil
	}
	for _, m := range c.members {
		if eq, err := pyval.Equal(m.value, plain(v)); err == nil && eq {
			return c.object(m), nil
		}
	}
	return nil, pyval.Errorf("ValueError", "%s is not a valid %s", pyval.Repr(v), c.name)
}

// Len gives the number of members.
func (c *class) Len() (int, error) {
	elems, err := c.Iterate()
	return len(elems), err
}

// Iterate gives the members.
func (c *class) Iterate() ([]Value, error) {
	if !c.isEnum() {
		return nil, pyval.Errorf("TypeError", "'type' object is not iterable")
	}
	out := make([]Value, len(c.members))
	for i, m := range c.members {
		out[i] = c.object(m)
	}
	return out, nil
}

// GetItem is Class[name].
func (c *class) GetItem(index Value) (Value, error) {
	if name, ok := index.(string); ok && c.isEnum() {
		if m := c.member(name); m != nil {
			return m, nil
		}
		return nil, pyval.Errorf("KeyError", "'%s'", name)
	}
	return c, nil // Class[T] is a type
}

// Has answers isinstance for members; objects of other classes do not exist here.
func (c *class) Has(v Value) bool {
	switch m := v.(type) {
	case *member:
		return m.class == c
	case number:
		return m.class == c
	}
	return false
}
