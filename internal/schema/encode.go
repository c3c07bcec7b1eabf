package schema

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"unicode/utf8"
)

// encode gives the value of a Go value. What is checked here is only what reading the text back
// would not find.
func (s *shape) encode(v reflect.Value, at *path) (node, error) {
	switch s.kind {
	case kindObject:
		return s.encodeObject(v, at)
	case kindArray:
		n := array()
		for i := range v.Len() {
			e, err := s.elem.encode(v.Index(i), at.element(i))
			if err != nil {
				return node{}, err
			}
			n.elems = append(n.elems, e)
		}
		return n, nil
	case kindNumber:
		return number(v.Int()), nil
	case kindString:
		if !utf8.ValidString(v.String()) {
			return node{}, at.problem("bad-value", s.expect(), "a string that is not UTF-8")
		}
		return text(v.String()), nil
	default:
		return boolean(v.Bool()), nil
	}
}

func (s *shape) encodeObject(v reflect.Value, at *path) (node, error) {
	n := object()
	for i := range s.fields {
		f := &s.fields[i]
		field := v.Field(f.index)
		if f.optional {
			if field.IsNil() {
				continue
			}
			field = field.Elem()
		}
		e, err := f.shape.encode(field, at.member(f.name))
		if err != nil {
			return node{}, err
		}
		n.members = append(n.members, member{f.name, e})
	}
	if s.rest < 0 {
		return n, nil
	}
	rest := v.Field(s.rest).Interface().(map[string]json.RawMessage)
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		e, err := parse(rest[name])
		if err != nil {
			return node{}, at.member(name).problem("bad-value", "an object in JSON", "something else ("+err.Error()+")")
		}
		n.members = append(n.members, member{name, *e})
	}
	return n, nil
}
