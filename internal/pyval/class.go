package pyval

import (
	"math/big"
	"slices"
)

// A Class is one of Python's builtin types as a value: it makes values and tests for them.
type Class struct {
	Name    string
	sig     string
	make    func(a arguments) (Value, error)
	is      func(v Value) bool
	methods map[string]method
}

// Call makes a value.
func (c *Class) Call(args []Value, kwargs []Kwarg) (Value, error) {
	if c.make == nil {
		return nil, typeError("cannot create '%s' instances", c.Name)
	}
	a, err := bind(c.Name, c.sig, args, kwargs)
	if err != nil {
		return nil, err
	}
	return c.make(a)
}

// Repr gives <class 'name'>.
func (c *Class) Repr() string { return "<class '" + c.Name + "'>" }

// Has reports whether v is of the class.
func (c *Class) Has(v Value) bool { return c.is(unbox(v)) }

// attr gives a method that takes self as its first argument, or the name.
func (c *Class) attr(name string) (Value, bool) {
	if name == "__name__" || name == "__qualname__" {
		return c.Name, true
	}
	m, ok := c.methods[name]
	if !ok {
		return nil, false
	}
	return &Builtin{Name: name, sig: "self " + m.sig, Unbound: true, fn: func(a arguments) (Value, error) {
		self := unbox(a.get("self"))
		if !c.is(self) {
			return nil, typeError("descriptor '%s' for '%s' objects doesn't apply to a '%s' object", name, c.Name, TypeName(self))
		}
		delete(a.named, "self")
		return m.fn(self, a)
	}}, true
}

var classes map[string]*Class

func init() { // class methods call through the tables
	for _, c := range []*Class{
		{Name: "int", sig: "x? base?", make: makeInt, is: isInt, methods: intMethods},
		{Name: "float", sig: "x?", make: makeFloat, is: isType[float64], methods: floatMethods},
		{Name: "bool", sig: "x?", make: func(a arguments) (Value, error) { return boolOrError(Truth(a.or("x", false))) }, is: isType[bool], methods: intMethods},
		{Name: "str", sig: "object?", make: func(a arguments) (Value, error) { return Str(a.or("object", "")), nil }, is: isType[string], methods: stringMethods},
		{Name: "tuple", sig: "iterable?", make: func(a arguments) (Value, error) {
			elems, err := elements(a)
			return Tuple{Elems: elems}, err
		}, is: isType[Tuple], methods: tupleMethods},
		{Name: "list", sig: "iterable?", make: func(a arguments) (Value, error) {
			elems, err := elements(a)
			return &List{elems}, err
		}, is: isType[*List], methods: listMethods},
		{Name: "dict", sig: "mapping? **", make: func(a arguments) (Value, error) {
			return makeDict(a.get("mapping"), a.extra)
		}, is: isType[*Dict], methods: dictMethods},
		{Name: "set", sig: "iterable?", make: func(a arguments) (Value, error) { return makeSet(a.or("iterable", Tuple{}), false) },
			is: func(v Value) bool { s, ok := v.(*Set); return ok && !s.Frozen }, methods: setMethods},
		{Name: "frozenset", sig: "iterable?", make: func(a arguments) (Value, error) { return makeSet(a.or("iterable", Tuple{}), true) },
			is: func(v Value) bool { s, ok := v.(*Set); return ok && s.Frozen }, methods: setMethods},
		{Name: "range", sig: "a b? step?", make: makeRange, is: isType[Range]},
		{Name: "slice", sig: "a b? step?", make: makeSlice, is: isType[Slice]},
		{Name: "NoneType", is: isType[NoneType]},
		{Name: "object", is: func(Value) bool { return true }},
		{Name: "type", sig: "object", make: func(a arguments) (Value, error) { return TypeOf(a.get("object")) }, is: isType[*Class]},
	} {
		if classes == nil {
			classes = map[string]*Class{}
		}
		classes[c.Name] = c
	}
}

func isType[T any](v Value) bool {
	_, ok := v.(T)
	return ok
}

// TypeOf gives type(v) for Python data.
func TypeOf(v Value) (Value, error) {
	if c, ok := classes[TypeName(v)]; ok {
		return c, nil
	}
	return nil, typeError("the type of a '%s' object is not known", TypeName(v))
}

// A Class of another package answers isinstance.
type instanceTester interface{ Has(v Value) bool }

// IsInstance gives isinstance(v, class); class may be a tuple of classes.
func IsInstance(v, class Value) (bool, error) {
	if t, ok := class.(Tuple); ok {
		for _, c := range t.Elems {
			if in, err := IsInstance(v, c); in || err != nil {
				return in, err
			}
		}
		return false, nil
	}
	c, ok := class.(instanceTester)
	if !ok {
		return false, typeError("isinstance() arg 2 must be a type, a tuple of types, or a union")
	}
	return c.Has(v), nil
}

func makeInt(a arguments) (Value, error) {
	v := unbox(a.or("x", int64(0)))
	if s, ok := v.(string); ok {
		base, ok := AsInt(a.or("base", int64(10)))
		if !ok || base < 0 || base == 1 || base > 36 {
			return nil, valueError("int() base must be >= 2 and <= 36, or 0")
		}
		return ParseInt(s, int(base))
	}
	if a.get("base") != nil {
		return nil, typeError("int() can't convert non-string with explicit base")
	}
	switch x := v.(type) {
	case float64:
		return floatInt(x)
	case bool, int64, *big.Int:
		return Int(bigOf(x)), nil
	}
	return nil, typeError("int() argument must be a string, a bytes-like object or a real number, not '%s'", TypeName(v))
}

func makeFloat(a arguments) (Value, error) {
	v := unbox(a.or("x", 0.0))
	if s, ok := v.(string); ok {
		return parseFloat(s)
	}
	if !isNumber(v) {
		return nil, typeError("float() argument must be a string or a real number, not '%s'", TypeName(v))
	}
	f, err := toFloat(v)
	return f, err
}

func elements(a arguments) ([]Value, error) {
	elems, err := Iter(a.or("iterable", Tuple{}))
	return slices.Clone(elems), err
}

func makeSet(v Value, frozen bool) (*Set, error) {
	if s, ok := v.(*Set); ok && s.Frozen == frozen {
		return &Set{frozen, *s.d.Copy()}, nil
	}
	elems, err := Iter(v)
	if err != nil {
		return nil, err
	}
	return NewSet(elems, frozen)
}

// NewSet makes a set of elements. It fails if one cannot be hashed.
func NewSet(elems []Value, frozen bool) (*Set, error) {
	s := &Set{Frozen: frozen}
	for _, e := range elems {
		if err := s.Add(e); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// makeDict makes a dict of a mapping or pairs (nil for none) and keywords.
func makeDict(from Value, kwargs []Kwarg) (*Dict, error) {
	d := &Dict{}
	switch m := from.(type) {
	case nil:
	case *Dict:
		d = m.Copy()
	default:
		pairs, err := Iter(from)
		if err != nil {
			return nil, err
		}
		for i, p := range pairs {
			pair, err := Iter(p)
			if err != nil {
				return nil, typeError("cannot convert dictionary update sequence element #%d to a sequence", i)
			}
			if len(pair) != 2 {
				return nil, valueError("dictionary update sequence element #%d has length %d; 2 is required", i, len(pair))
			}
			if err := d.Set(pair[0], pair[1]); err != nil {
				return nil, err
			}
		}
	}
	for _, kw := range kwargs {
		if err := d.Set(kw.Name, kw.Value); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func makeRange(a arguments) (Value, error) {
	r := Range{0, 0, 1}
	for _, p := range []struct {
		name string
		to   *int64
	}{{"a", &r.Start}, {"b", &r.Stop}, {"step", &r.Step}} {
		v, given := a.named[p.name]
		if !given {
			continue
		}
		n, ok := AsInt(v)
		switch {
		case ok:
			*p.to = n
		case isInt(unbox(v)):
			return nil, tooLarge("an operand of range()")
		default:
			return nil, typeError("'%s' object cannot be interpreted as an integer", TypeName(v))
		}
	}
	if a.get("b") == nil {
		r.Start, r.Stop = 0, r.Start
	}
	if r.Step == 0 {
		return nil, valueError("range() arg 3 must not be zero")
	}
	return r, nil
}

func makeSlice(a arguments) (Value, error) {
	if a.get("b") == nil {
		return Slice{None, a.get("a"), None}, nil
	}
	return Slice{a.get("a"), a.get("b"), a.or("step", None)}, nil
}
