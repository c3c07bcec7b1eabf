package compiler

import (
	"slices"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/tile"
)

// fromTile takes a kernel that came as tile IR. Its types are fixed; what is known of the arguments beyond their types
// is the launch's to say, not the text's.
func fromTile(r *Request) (*sema.Result, error) {
	m := tile.Clone(r.Tile)
	f := m.Funcs[0]
	out := &sema.Result{Module: m}
	if len(r.Spec.Args) != len(f.Params) {
		return nil, diag.New(diag.Argument, "argument-count", "%s takes %d arguments, not %d", f.Name, len(f.Params), len(r.Spec.Args))
	}
	r.Spec.Args = slices.Clone(r.Spec.Args)
	for i := range f.Params {
		t, a := f.Body.Args[i].Type, &r.Spec.Args[i]
		known, err := parameterType(f, i, a)
		if err != nil {
			return nil, err
		}
		if a.IsConst {
			*a = sema.ArgSpec{Type: known}
		}
		f.Params[i].Divisibility, f.Params[i].ReadOnly = a.Divisibility, a.ReadOnly
		if !t.IsPtr() && !t.IsInt() {
			f.Params[i].Divisibility = 0
		}
		out.Params = append(out.Params, sema.ParamSource{Name: f.Params[i].Name, Path: []int{i}, Type: known})
	}
	return out, nil
}

// parameterType gives the type that an argument is passed as, and refuses arguments that do not fit the parameter.
func parameterType(f *tile.Func, i int, a *sema.ArgSpec) (sema.Type, error) {
	t := f.Body.Args[i].Type
	want := sema.ScalarType(t.Elem().DType())
	for range t.PtrDepth() {
		want = sema.PointerTo(want)
	}
	if t.IsTile() || t.IsDesc() {
		return want, diag.New(diag.Unsupported, "parameter", "parameter '%s' of %s is %s; arrays and numbers can be given to a launch", f.Params[i].Name, f.Name, t)
	}
	_, isInt := a.Const.(int64)
	switch {
	case a.IsConst && isInt && t.IsInt(): // the number 1, which the code takes as any other
		return want, nil
	case a.IsConst || a.IsTuple || a.Desc != nil || a.Type.Tile != t:
		return want, diag.New(diag.Argument, "argument-type", "parameter '%s' of %s is of type %s, which the argument is not", f.Params[i].Name, f.Name, want)
	}
	return a.Type, nil
}
