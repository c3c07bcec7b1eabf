package sema

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/pyval"
)

// A composite is a value made of others, other than a tuple. Control flow carries and merges
// its parts one by one.
type composite interface {
	// parts gives what the value is made of; tensors among them may be replaced by others of
	// their types.
	parts() []Value
	// withParts gives the value with other parts, in the order of parts.
	withParts([]Value) Value
	// form gives everything else that the value is, as a comparable value.
	form() any
}

// partsOf gives the parts of a tuple or composite.
func partsOf(v Value) ([]Value, bool) {
	switch v := v.(type) {
	case pyval.Tuple:
		return v.Elems, true
	case composite:
		return v.parts(), true
	}
	return nil, false
}

// tensorsIn appends the tensors that v is made of, in order.
func tensorsIn(v Value, out []Tensor) []Tensor {
	if t, ok := v.(Tensor); ok {
		return append(out, t)
	}
	parts, _ := partsOf(v)
	for _, p := range parts {
		out = tensorsIn(p, out)
	}
	return out
}

// replaceTensors gives v with each of its tensors replaced by what next gives, in order.
func replaceTensors(v Value, next func(Tensor) Tensor) Value {
	if t, ok := v.(Tensor); ok {
		return next(t)
	}
	v, _ = replaceParts(v, next)
	return v
}

// replaceParts replaces the tensors that v, which is none itself, is made of, if there are any.
func replaceParts(v Value, next func(Tensor) Tensor) (out Value, changed bool) {
	parts, _ := partsOf(v)
	var replaced []Value
	for i, p := range parts {
		q, differs := p, true
		if t, ok := p.(Tensor); ok {
			q = next(t)
		} else {
			q, differs = replaceParts(p, next)
		}
		if differs && replaced == nil {
			replaced = slices.Clone(parts)
		}
		if differs {
			replaced[i] = q
		}
	}
	switch t, isTuple := v.(pyval.Tuple); {
	case replaced == nil:
		return v, false
	case isTuple:
		return pyval.Tuple{Elems: replaced, Names: t.Names}, true
	}
	return v.(composite).withParts(replaced), true
}

// alike reports whether a and b differ in nothing but which tensors they are made of; the
// tensors' types are the same.
func alike(a, b Value) bool {
	return match(a, b, func(a, b Tensor) bool { return a.Type() == b.Type() })
}

// same reports whether a and b are the same value.
func same(a, b Value) bool {
	return match(a, b, func(a, b Tensor) bool { return a == b })
}

// match compares two values, their tensors by a function of its own.
func match(a, b Value, tensors func(a, b Tensor) bool) bool {
	switch a := a.(type) {
	case Tensor:
		b, ok := b.(Tensor)
		return ok && tensors(a, b)
	case pyval.Tuple:
		b, ok := b.(pyval.Tuple)
		return ok && slices.Equal(a.Names, b.Names) && matchAll(a.Elems, b.Elems, tensors)
	case composite:
		b, ok := b.(composite)
		return ok && a.form() == b.form() && matchAll(a.parts(), b.parts(), tensors)
	}
	return pyval.Identical(a, b)
}

func matchAll(a, b []Value, tensors func(a, b Tensor) bool) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !match(a[i], b[i], tensors) {
			return false
		}
	}
	return true
}
