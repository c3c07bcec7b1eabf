package sema

import (
	"fmt"
	"sync"

	"github.com/tegula-lang/tegula/internal/sema/std"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// stdMethods are the functions of the library that tiles have as methods.
var stdMethods = []string{
	"cdiv", "sigmoid", "softmax", "ravel", "flip", "sort", "sum", "max", "min", "argmax", "argmin", "xor_sum",
	"reduce_or", "cumsum", "cumprod",
}

// privateNames are functions that Triton's library keeps to itself, under its names there, which
// some kernels pass to reductions and scans all the same.
var privateNames = map[string]string{
	"_sum_combine":                   "_add",
	"_prod_combine":                  "_multiply",
	"_xor_combine":                   "_xor",
	"_or_combine":                    "_or",
	"_elementwise_max":               "_larger",
	"_elementwise_min":               "_smaller",
	"_argmax_combine_tie_break_fast": "_larger_at",
	"_argmax_combine_tie_break_left": "_leftmost_larger_at",
	"_argmin_combine_tie_break_fast": "_smaller_at",
	"_argmin_combine_tie_break_left": "_leftmost_smaller_at",
	"_pick_sum_dtype":                "_sum_type",
}

// stdFiles are the parsed files of the library. A file is parsed when a function of it is first asked for.
var stdFiles sync.Map // *std.File to func() map[string]*Func

// stdFunc gives a function of the library.
func stdFunc(name string) (*Func, bool) {
	file := std.Find(name)
	if file == nil {
		return nil, false
	}
	parse, ok := stdFiles.Load(file)
	if !ok {
		once := sync.OnceValue(func() map[string]*Func { return parseStd(file) })
		parse, _ = stdFiles.LoadOrStore(file, once)
	}
	f, ok := parse.(func() map[string]*Func)()[name]
	return f, ok
}

func parseStd(file *std.File) map[string]*Func {
	f := syntax.NewFile("tegula/std/"+file.Name, file.Src)
	mod, errs := syntax.Parse(f)
	if errs != nil {
		panic(fmt.Sprintf("the library does not parse: %v", errs)) // a test parses every file
	}
	funcs := make(map[string]*Func)
	for _, st := range mod.Body {
		if def, ok := st.(*syntax.FunctionDef); ok {
			funcs[def.Name] = &Func{Name: def.Name, File: f, Def: def, Env: stdEnv{}, Library: true}
		}
	}
	return funcs
}

// stdEnv resolves the free names of the library: tl and its other functions.
type stdEnv struct{}

// Lookup implements Env.
func (stdEnv) Lookup(name string) (Binding, bool, error) {
	if name == "tl" {
		return Binding{Value: modLang, Const: true}, true, nil
	}
	f, ok := stdFunc(name)
	return Binding{Value: f, Const: true}, ok, nil
}
