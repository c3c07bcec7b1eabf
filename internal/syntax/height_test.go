package syntax

import "reflect"

// height gives the most nodes that lie on one way from a tree's root to a leaf.
func height(m *Module) int { return heightOf(reflect.ValueOf(m)) }

func heightOf(v reflect.Value) int {
	h := 0
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			h = heightOf(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			h = max(h, heightOf(v.Index(i)))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			h = max(h, heightOf(v.Field(i)))
		}
		if v.CanAddr() && v.Addr().Type().Implements(nodeType) {
			h++
		}
	}
	return h
}
