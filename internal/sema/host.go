package sema

import "github.com/tegula-lang/tegula/internal/pyval"

// TypeAttr gives an attribute of a type to host code: a property, or a predicate to call
// (tl.float16.is_floating).
func TypeAttr(t Type, name string) (Value, bool) {
	if p, ok := typeProperties[name]; ok {
		return p(t)
	}
	if p, ok := typePredicates[name]; ok {
		return typePredicate{name, func() Value { return p(t) }}, true
	}
	return nil, false
}

// TypeName gives the name of a type's own type in messages.
func (t Type) TypeName() string { return "dtype" }

// Str gives what str gives: fp32, pointer<fp16>.
func (t Type) Str() string { return t.tritonName() }

// Repr gives what repr gives of a scalar type: triton.language.float32.
func (t Type) Repr() string {
	if t.IsPtr() || t.IsTile() {
		return t.tritonName()
	}
	return "triton.language." + t.DType.Attr()
}

// A typePredicate is a question about a type, bound to it.
type typePredicate struct {
	name string
	ask  func() Value
}

// Call answers.
func (p typePredicate) Call(args []Value, kwargs []Kwarg) (Value, error) {
	if len(args)+len(kwargs) > 0 {
		return nil, pyval.Errorf("TypeError", "%s() takes no arguments", p.name)
	}
	return p.ask(), nil
}
