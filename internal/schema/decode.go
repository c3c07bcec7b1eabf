package schema

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"

	"github.com/tegula-lang/tegula/internal/diag"
)

// decode checks that a value has a shape, and sets to to it.
func (s *shape) decode(n *node, at *path, to reflect.Value) error {
	if n.kind != s.kind {
		return at.problem("wrong-type", s.expect(), n.describe())
	}
	switch s.kind {
	case kindObject:
		return s.decodeObject(n, at, to)
	case kindArray:
		return s.decodeArray(n, at, to)
	case kindNumber:
		return s.decodeInteger(n, at, to)
	case kindString:
		return s.decodeString(n, at, to)
	default:
		to.SetBool(n.text == "true")
		return nil
	}
}

func (s *shape) decodeObject(n *node, at *path, to reflect.Value) error {
	if err := s.checkVersion(n, at, to); err != nil {
		return err
	}
	if err := s.decodeRest(n, at, to); err != nil {
		return err
	}
	for i := range s.fields {
		f := &s.fields[i]
		v, field := n.find(f.name), to.Field(f.index)
		switch {
		case v == nil && f.optional:
			continue
		case v == nil:
			return missing(f, at)
		case f.optional:
			field.Set(reflect.New(field.Type().Elem()))
			field = field.Elem()
		}
		if err := f.shape.decode(v, at.member(f.name), field); err != nil {
			return err
		}
	}
	return nil
}

func missing(f *field, at *path) error {
	return at.member(f.name).problem("missing-field", f.shape.expect(), "nothing")
}

// checkVersion looks at the version before all else: what is right in one version may be wrong in
// another.
func (s *shape) checkVersion(n *node, at *path, to reflect.Value) error {
	for i := range s.fields {
		f := &s.fields[i]
		if !f.shape.rule.version {
			continue
		}
		v := n.find(f.name)
		if v == nil {
			return missing(f, at)
		}
		return f.shape.decode(v, at.member(f.name), to.Field(f.index))
	}
	return nil
}

// decodeRest takes the members that no field is for.
func (s *shape) decodeRest(n *node, at *path, to reflect.Value) error {
	rest := map[string]json.RawMessage{}
	for i := range n.members {
		m := &n.members[i]
		if slices.ContainsFunc(s.fields, func(f field) bool { return f.name == m.name }) {
			continue
		}
		if s.rest < 0 {
			return s.unknown(m, at)
		}
		if m.value.kind != kindObject {
			return at.member(m.name).problem("wrong-type", "an object", m.value.describe())
		}
		rest[m.name] = m.value.compact()
	}
	if len(rest) > 0 {
		to.Field(s.rest).Set(reflect.ValueOf(rest))
	}
	return nil
}

func (s *shape) unknown(m *member, at *path) error {
	found := "an unknown field"
	if near := diag.Nearest(m.name, s.names()); near != "" {
		found += " (did you mean " + quote(near) + "?)"
	}
	return at.member(m.name).problem("unknown-field", "only the fields "+list(s.names()), found)
}

func (s *shape) decodeArray(n *node, at *path, to reflect.Value) error {
	r, length := &s.rule, len(n.elems)
	if length < r.minItems || r.maxItems > 0 && length > r.maxItems {
		return at.problem("out-of-range", s.expect(), count(length, "element"))
	}
	if to.Kind() == reflect.Slice {
		to.Set(reflect.MakeSlice(to.Type(), length, length))
	}
	for i := range n.elems {
		if err := s.elem.decode(&n.elems[i], at.element(i), to.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func (s *shape) decodeInteger(n *node, at *path, to reflect.Value) error {
	r := &s.rule
	if !isInteger(n.text) {
		return at.problem("wrong-type", s.expect(), n.describe())
	}
	v, err := strconv.ParseInt(n.text, 10, 64)
	if err != nil || v < r.min || v > r.max || r.pow2 && v&(v-1) != 0 {
		code := "out-of-range"
		if r.version {
			code = "unknown-version"
		}
		return at.problem(code, s.expect(), n.describe())
	}
	to.SetInt(v)
	return nil
}

// isInteger reports whether a number is written without a fraction or an exponent.
func isInteger(number string) bool {
	for _, c := range number {
		if c == '.' || c == 'e' || c == 'E' {
			return false
		}
	}
	return true
}

func (s *shape) decodeString(n *node, at *path, to reflect.Value) error {
	r := &s.rule
	if r.enum != nil && !slices.Contains(r.enum, n.text) || r.pattern != nil && !r.pattern.MatchString(n.text) {
		return at.problem("bad-value", s.expect(), n.describe())
	}
	to.SetString(n.text)
	return nil
}
