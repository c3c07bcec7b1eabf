package bridge

import (
	"maps"
	"reflect"
	"slices"

	"github.com/tegula-lang/tegula/internal/syntax"
)

// freeNames gives the names that a def mentions, sorted.
func freeNames(def *syntax.FunctionDef) []string {
	names := map[string]bool{}
	addNames(reflect.ValueOf(def.Body), names)
	return slices.Sorted(maps.Keys(names))
}

func addNames(v reflect.Value, names map[string]bool) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return
		}
		if n, ok := v.Interface().(*syntax.Name); ok {
			names[n.Id] = true
			return
		}
		addNames(v.Elem(), names)
	case reflect.Struct:
		for i := range v.NumField() {
			addNames(v.Field(i), names)
		}
	case reflect.Slice:
		for i := range v.Len() {
			addNames(v.Index(i), names)
		}
	}
}
