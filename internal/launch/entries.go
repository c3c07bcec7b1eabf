package launch

import (
	"reflect"

	"github.com/tegula-lang/tegula/internal/module"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// Entries names the kernels of a module that no other of them mentions: those that are
// launched, not called.
func Entries(kernels []*module.Kernel) []string {
	mentions := map[string]int{} // how many kernels mention a name
	own := make([]bool, len(kernels))
	for i, k := range kernels {
		names := map[string]bool{}
		addNames(reflect.ValueOf(k.Fn.Def), names)
		own[i] = names[k.Fn.Name]
		for name := range names {
			mentions[name]++
		}
	}
	var entries []string
	for i, k := range kernels {
		others := mentions[k.Fn.Name]
		if own[i] {
			others--
		}
		if others == 0 {
			entries = append(entries, k.Name)
		}
	}
	return entries
}

// addNames adds the identifiers that a tree uses.
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
