// Package libm is the mathematical functions that no GPU has an instruction for, written in the kernel language.
//
// In: the name of a function of libdevice, and the types of its operands. Out: a tile.Func of scalars that computes it, whose
// only block ends in a return of the result.
//
// What always holds: a function is compiled once for its types; the texts say where their numbers come from. A function that has
// no text for f32 is computed in f64 and rounded.
//
// To look at it: the .py files; internal/difftest/gen has the errors that are allowed, and tests them.
package libm

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/syntax"
	"github.com/tegula-lang/tegula/internal/tile"
	"github.com/tegula-lang/tegula/internal/tile/pass"
)

//go:embed *.py
var files embed.FS

// functions are the functions of all files, by name.
var functions = sync.OnceValue(func() map[string]*sema.Func {
	funcs := map[string]*sema.Func{}
	names, err := fs.Glob(files, "*.py")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for _, name := range names {
		src, err := files.ReadFile(name)
		if err != nil {
			panic(err) // the file was just listed
		}
		for name, f := range parse("tegula/libm/"+name, src) {
			funcs[name] = f
		}
	}
	return funcs
})

func parse(name string, src []byte) map[string]*sema.Func {
	f := syntax.NewFile(name, src)
	mod, errs := syntax.Parse(f)
	if errs != nil {
		panic(fmt.Sprintf("the library does not parse: %v", errs)) // a test parses every file
	}
	funcs := map[string]*sema.Func{}
	for _, st := range mod.Body {
		if def, ok := st.(*syntax.FunctionDef); ok {
			funcs[def.Name] = &sema.Func{Name: def.Name, File: f, Def: def, Env: env{}, Library: true}
		}
	}
	return funcs
}

// env resolves the free names of the texts.
type env struct{}

// Lookup implements sema.Env.
func (env) Lookup(name string) (sema.Binding, bool, error) {
	switch name {
	case "tl":
		v, ok := sema.LangImport("triton.language")
		return sema.Binding{Value: v, Const: true}, ok, nil
	case "libdevice":
		v, ok := sema.LangImport("triton.language.extra.libdevice")
		return sema.Binding{Value: v, Const: true}, ok, nil
	}
	f, ok := functions()[name]
	return sema.Binding{Value: f, Const: true}, ok, nil
}

// compiled are the functions that were asked for.
var compiled sync.Map // string to func() (*tile.Func, error)

// Func gives a function for operands of some element types; its result has the type of the first float among them.
func Func(name string, operands []tile.Elem) (*tile.Func, error) {
	key := fmt.Sprint(name, operands)
	f, ok := compiled.Load(key)
	if !ok {
		f, _ = compiled.LoadOrStore(key, sync.OnceValues(func() (*tile.Func, error) { return compile(name, operands) }))
	}
	return f.(func() (*tile.Func, error))()
}

// compile compiles a call of a function whose result is stored, and makes it the result of what is left.
func compile(name string, operands []tile.Elem) (*tile.Func, error) {
	text, elem, err := caller(name, operands)
	if err != nil {
		return nil, err
	}
	fn := parse("tegula/libm/"+name, []byte(text))["call"]
	spec := sema.Spec{Fn: fn, Args: []sema.ArgSpec{{Type: semaType(tile.PtrTo(tile.Scalar(elem)), elem.DType())}}}
	for _, e := range operands {
		spec.Args = append(spec.Args, sema.ArgSpec{Type: semaType(tile.Scalar(e), e.DType())})
	}
	r, err := sema.Compile(spec)
	if err != nil {
		return nil, err
	}
	pass.Run(r.Module, pass.Options{})
	f := r.Module.Funcs[0]
	ops := f.Body.Ops
	store, end := ops[len(ops)-2], ops[len(ops)-1]
	if store.Code != tile.OpStore {
		return nil, fmt.Errorf("libm: %s does not end in its result", name)
	}
	end.Args = store.Args[1:2]
	f.Body.Ops = append(ops[:len(ops)-2:len(ops)-2], end)
	f.Body.Args = f.Body.Args[1:]
	return f, nil
}

func semaType(t tile.Type, d dtype.DType) sema.Type { return sema.Type{Tile: t, DType: d} }

// caller gives the text of a kernel that stores what a function gives, and the result's type.
func caller(name string, operands []tile.Elem) (text string, elem tile.Elem, err error) {
	suffix := "_f64"
	for _, e := range operands {
		if e.IsFloat() {
			elem = e
			break
		}
	}
	if elem == tile.F32 && functions()[name+"_f32"] != nil {
		suffix = "_f32"
	}
	if functions()[name+suffix] == nil {
		return "", 0, fmt.Errorf("it has no text")
	}
	var params, args []string
	for i, e := range operands {
		p := fmt.Sprintf("x%d", i)
		params = append(params, p)
		if suffix == "_f64" && e == tile.F32 {
			p += ".to(tl.float64)"
		}
		args = append(args, p)
	}
	result := fmt.Sprintf("%s%s(%s)", name, suffix, strings.Join(args, ", "))
	if suffix == "_f64" && elem == tile.F32 {
		result += ".to(tl.float32)"
	}
	return fmt.Sprintf("def call(out, %s):\n    tl.store(out, %s)\n", strings.Join(params, ", "), result), elem, nil
}
