package sema

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// seeds gives the kernel files that mutants are made of.
func seeds(t testing.TB) [][]byte {
	var out [][]byte
	for _, pattern := range []string{"testdata/core/*.py", "testdata/errors/*.py", "../../examples/*.py", "../difftest/testdata/kernels/*.py", "std/*.py"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatal("no seeds in", pattern, err)
		}
		for _, path := range paths {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, src)
		}
	}
	return out
}

// FuzzCompile compiles every function of a mutated file: the result is a module that Verify
// accepts, or a diagnostic with a place that is not an internal error. The input is an edit
// script, so that most mutants can still be parsed.
func FuzzCompile(f *testing.F) {
	files := seeds(f)
	for i := range files {
		f.Add(uint8(i), []byte{})
		f.Add(uint8(i), []byte{1, 7, 0, 9, 3, 1, 2, 5})
	}
	f.Fuzz(func(t *testing.T, file uint8, edits []byte) {
		compileAll(t, mutant(files[int(file)%len(files)], edits))
	})
}

// TestMutants compiles some mutants on every run.
func TestMutants(t *testing.T) {
	files := seeds(t)
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		edits := make([]byte, 4*(1+r.IntN(3)))
		for i := range edits {
			edits[i] = byte(r.Uint32())
		}
		compileAll(t, mutant(files[r.IntN(len(files))], edits))
	}
}

// tokens of Python, roughly: words, numbers, operators, and what is between.
var tokens = regexp.MustCompile(`[A-Za-z_]\w*|\d[\w.]*|[-+*/%<>=!&|^~@]+|\s+|"[^"\n]*"|.`)

var word, number = regexp.MustCompile(`^[A-Za-z_]`), regexp.MustCompile(`^\d`)

// mutant replaces tokens of src by others of their kind, which it also takes from src.
func mutant(src []byte, edits []byte) []byte {
	toks := tokens.FindAll(src, -1)
	if len(toks) == 0 {
		return src
	}
	for ; len(edits) >= 4; edits = edits[4:] {
		at := (int(edits[0])<<8 | int(edits[1])) % len(toks)
		from := (int(edits[2])<<8 | int(edits[3])) % len(toks)
		for i := range toks {
			if donor := toks[(from+i)%len(toks)]; kind(donor) == kind(toks[at]) && string(donor) != string(toks[at]) {
				toks[at] = donor
				break
			}
		}
	}
	var out []byte
	for _, tok := range toks {
		out = append(out, tok...)
	}
	return out
}

func kind(tok []byte) int {
	switch {
	case word.Match(tok):
		return 0
	case number.Match(tok):
		return 1
	case tok[0] == '"':
		return 2
	case len(tok) > 0 && (tok[0] == ' ' || tok[0] == '\n'):
		return 3
	}
	return 4
}

// compileAll compiles every function of a file.
func compileAll(t *testing.T, src []byte) {
	t.Helper()
	file, _ := readSource("mutant.py", src)
	for _, b := range file.names {
		fn, ok := b.Value.(*Func)
		if !ok || fn.Library {
			continue
		}
		for variant := range 2 {
			_, err := Compile(anySpec(fn, variant))
			var e *diag.Error
			if err != nil && (!errors.As(err, &e) || e.Code == "internal" || e.Place.IsZero()) {
				t.Fatalf("%s, variant %d: %s%v\n%s", fn.Name, variant, diag.Detail(err), errors.Unwrap(err), src)
			}
		}
	}
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
