package pyval

import (
	"math/big"
	"slices"
)

// A method is a row of a type's table.
type method struct {
	sig string
	fn  func(self Value, a arguments) (Value, error)
}

// methodsOf gives the table of v's type, or nil.
func methodsOf(v Value) map[string]method {
	switch v.(type) {
	case string:
		return stringMethods
	case bool, int64, *big.Int:
		return intMethods
	case float64:
		return floatMethods
	case Tuple:
		return tupleMethods
	case *List:
		return listMethods
	case *Dict:
		return dictMethods
	case *Set:
		return setMethods
	}
	return nil
}

// Attr gives an attribute of a Python value: a method bound to it, or data. ok is false if the
// type has no such attribute.
func Attr(v Value, name string) (attr Value, ok bool) {
	v = unbox(v)
	if m, ok := methodsOf(v)[name]; ok {
		return &Builtin{Name: name, sig: m.sig, fn: func(a arguments) (Value, error) { return m.fn(v, a) }, Self: v}, true
	}
	switch v := v.(type) {
	case bool, int64, *big.Int:
		switch name {
		case "real", "numerator":
			return Int(bigOf(v)), true
		case "imag":
			return int64(0), true
		case "denominator":
			return int64(1), true
		}
	case float64:
		switch name {
		case "real":
			return v, true
		case "imag":
			return 0.0, true
		}
	case Tuple:
		return tupleAttr(v, name)
	case Range:
		field, ok := map[string]int64{"start": v.Start, "stop": v.Stop, "step": v.Step}[name]
		return field, ok
	case Slice:
		field, ok := map[string]Value{"start": v.Start, "stop": v.Stop, "step": v.Step}[name]
		return field, ok
	case *Class:
		return v.attr(name)
	case *Builtin:
		if name == "__name__" {
			return v.Name, true
		}
	}
	return nil, false
}

// changers are the methods that change what they are called on.
var changers = map[string]bool{"add": true, "append": true, "clear": true, "difference_update": true, "discard": true, "extend": true, "insert": true,
	"intersection_update": true, "pop": true, "popitem": true, "remove": true, "reverse": true, "setdefault": true, "sort": true,
	"symmetric_difference_update": true, "update": true}

// Changes reports whether a method changes the value that it is called on.
func Changes(v Value, name string) bool {
	switch v.(type) {
	case *List, *Dict, *Set:
		return changers[name]
	}
	return false
}

func tupleAttr(t Tuple, name string) (Value, bool) {
	if t.Names == nil {
		return nil, false
	}
	if name == "_fields" {
		fields := make([]Value, len(t.Names))
		for i, n := range t.Names {
			fields[i] = n
		}
		return Tuple{Elems: fields}, true
	}
	if m, ok := namedTupleMethods[name]; ok {
		return &Builtin{Name: name, sig: m.sig, fn: func(a arguments) (Value, error) { return m.fn(t, a) }, Self: t}, true
	}
	i := slices.Index(t.Names, name)
	if i < 0 || i >= len(t.Elems) {
		return nil, false
	}
	return t.Elems[i], true
}

var namedTupleMethods = map[string]method{
	"_asdict": {"", func(self Value, _ arguments) (Value, error) {
		t, d := self.(Tuple), &Dict{}
		for i, name := range t.Names {
			if err := d.Set(name, t.Elems[i]); err != nil {
				return nil, err
			}
		}
		return d, nil
	}},
	"_replace": {"**", func(self Value, a arguments) (Value, error) {
		t := self.(Tuple)
		out := Tuple{slices.Clone(t.Elems), t.Names}
		for _, kw := range a.extra {
			i := slices.Index(t.Names, kw.Name)
			if i < 0 {
				return nil, valueError("Got unexpected field names: ['%s']", kw.Name)
			}
			out.Elems[i] = kw.Value
		}
		return out, nil
	}},
}
