package sema

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// FuzzCompile compiles every function of a file, whatever it is: the result is a module that
// Verify accepts, or a diagnostic that is not an internal error.
func FuzzCompile(f *testing.F) {
	for _, pattern := range []string{"testdata/*/*.py", "../../examples/*.py", "../difftest/testdata/kernels/*.py"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			f.Fatal("no seeds in", pattern, err)
		}
		for _, path := range paths {
			src, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, _ := readSource("fuzz.py", src)
		for _, b := range file.names {
			fn, ok := b.Value.(*Func)
			if !ok || fn.Library {
				continue
			}
			for variant := range 2 {
				_, err := Compile(anySpec(fn, variant))
				var e *diag.Error
				if err != nil && (!errors.As(err, &e) || e.Code == "internal" || e.Place.IsZero()) {
					t.Fatalf("%s, variant %d: %s%v", fn.Name, variant, diag.Detail(err), errors.Unwrap(err))
				}
			}
		}
	})
}

// anySpec makes up arguments for a function.
func anySpec(fn *Func, variant int) Spec {
	s := Spec{Fn: fn, Options: Options{NumWarps: 4, NumStages: 2, NumCTAs: 1, Debug: variant == 1}}
	types := []Type{PointerTo(ScalarType(dtype.Float32)), ScalarType(dtype.Int32), PointerTo(ScalarType(dtype.Int32)), ScalarType(dtype.Float32)}
	for i, p := range newSignature(fn.Def.Args).params {
		a := ArgSpec{Type: types[(i+i/4*variant)%len(types)], Divisibility: 16}
		switch _, isConst := p.node.Annotation.(*syntax.Attribute); {
		case p.node == fn.Def.Args.VarArg:
			a = ArgSpec{IsTuple: true, Tuple: []ArgSpec{a, {IsConst: true, Const: int64(2)}}}
		case isConst:
			a = ArgSpec{IsConst: true, Const: []Value{int64(16), true}[(i*variant)%2]}
		}
		s.Args = append(s.Args, a)
	}
	return s
}
