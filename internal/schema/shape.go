package schema

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// A Format is what strings of one sort look like.
type Format struct {
	Pattern string // a regular expression that Go and ECMA-262 both know
	Expect  string // what it means, for messages: "a name"
}

// A shape is what the values of a Go type look like in a document.
type shape struct {
	kind   kind
	rule   rule
	name   string  // of an object's Go type
	fields []field // of an object
	rest   int     // the index of the field that takes the remaining members; -1 if there is none
	elem   *shape  // of an array
}

// A field is a member that an object may have.
type field struct {
	name, doc string
	index     int // in the Go struct
	optional  bool
	shape     *shape
}

// A rule says which values of a kind are allowed.
type rule struct {
	min, max           int64 // of integers
	pow2               bool
	version            bool     // min and max are the version
	enum               []string // of strings
	format             *Format
	pattern            *regexp.Regexp
	minItems, maxItems int // of arrays; maxItems 0 is no bound
}

// A shaper makes shapes. It panics if a type cannot be shaped: types are part of the program.
type shaper struct {
	formats map[string]Format
	objects map[reflect.Type]*shape
}

func (s *shaper) object(t reflect.Type) *shape {
	if o := s.objects[t]; o != nil {
		return o
	}
	o := &shape{kind: kindObject, name: t.Name(), rest: -1}
	s.objects[t] = o
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("schema")
		if tag == "rest" {
			if f.Type != reflect.TypeFor[map[string]json.RawMessage]() {
				panic(fmt.Sprintf("schema: %s.%s takes the rest and must be a map[string]json.RawMessage", t, f.Name))
			}
			o.rest = i
			continue
		}
		name := f.Tag.Get("json")
		if !isPlain(name) {
			panic(fmt.Sprintf("schema: %s.%s has the name %q", t, f.Name, name))
		}
		ft, optional := f.Type, f.Type.Kind() == reflect.Pointer
		if optional {
			ft = ft.Elem()
		}
		o.fields = append(o.fields, field{name, f.Tag.Get("doc"), i, optional, s.shape(ft, t.Name()+"."+f.Name, tag)})
	}
	return o
}

// shape makes the shape of a field.
func (s *shaper) shape(t reflect.Type, where, tag string) *shape {
	switch t.Kind() {
	case reflect.Struct:
		return s.object(t)
	case reflect.Bool:
		return &shape{kind: kindBool}
	case reflect.String:
		return &shape{kind: kindString, rule: s.rule(where, tag)}
	case reflect.Int, reflect.Int64:
		r := s.rule(where, tag)
		if t.Kind() == reflect.Int && (r.min < math.MinInt32 || r.max > math.MaxInt32) {
			panic(fmt.Sprintf("schema: %s may be larger than an int", where))
		}
		return &shape{kind: kindNumber, rule: r}
	case reflect.Slice, reflect.Array:
		a := &shape{kind: kindArray, elem: s.shape(t.Elem(), where, tag), rule: s.rule(where, tag)}
		if t.Kind() == reflect.Array {
			a.rule.minItems, a.rule.maxItems = t.Len(), t.Len()
		}
		return a
	}
	panic(fmt.Sprintf("schema: %s is a %s", where, t))
}

// rule reads a field's tag.
func (s *shaper) rule(where, tag string) rule {
	r := rule{min: math.MinInt32, max: math.MaxInt32}
	for part := range strings.SplitSeq(tag, ",") {
		key, value, _ := strings.Cut(part, "=")
		switch key {
		case "":
		case "min":
			r.min = integer(where, value)
		case "max":
			r.max = integer(where, value)
		case "pow2":
			r.pow2 = true
		case "version":
			r.version = true
			r.min = integer(where, value)
			r.max = r.min
		case "enum":
			r.enum = strings.Split(value, "|")
		case "minitems":
			r.minItems = int(integer(where, value))
		case "format":
			f, ok := s.formats[value]
			if !ok {
				panic(fmt.Sprintf("schema: %s has the unknown format %q", where, value))
			}
			r.format, r.pattern = &f, regexp.MustCompile(f.Pattern)
		default:
			panic(fmt.Sprintf("schema: %s has the tag %q", where, part))
		}
	}
	return r
}

func integer(where, s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("schema: %s: %q is no integer", where, s))
	}
	return n
}

// expect says what values a shape has, for messages.
func (s *shape) expect() string {
	r := &s.rule
	switch s.kind {
	case kindBool:
		return "true or false"
	case kindNumber:
		switch {
		case r.version:
			return fmt.Sprintf("the version %d", r.min)
		case r.pow2:
			return fmt.Sprintf("a power of two from %d to %d", r.min, r.max)
		}
		return fmt.Sprintf("an integer from %d to %d", r.min, r.max)
	case kindString:
		switch {
		case r.enum != nil:
			return "one of " + list(r.enum)
		case r.format != nil:
			return r.format.Expect
		}
		return "a string"
	case kindArray:
		switch {
		case r.maxItems > 0:
			return "an array of " + count(r.maxItems, "element")
		case r.minItems > 0:
			return "an array of at least " + count(r.minItems, "element")
		}
		return "an array"
	default:
		return "an object"
	}
}

// names gives the fields' names in their order.
func (s *shape) names() []string {
	names := make([]string, len(s.fields))
	for i := range s.fields {
		names[i] = s.fields[i].name
	}
	return names
}
