package sema

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
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
			spec := anySpec(fn, variant)
			res, err := Compile(spec)
			if err == nil {
				if err := throughTheRest(spec, res.Module); err != nil {
					t.Fatalf("%s, variant %d: %v\n%s", fn.Name, variant, err, src)
				}
				continue
			}
			var e *diag.Error
			if !errors.As(err, &e) || e.Code == "internal" || e.Place.IsZero() {
				t.Fatalf("%s, variant %d: %s%v\n%s", fn.Name, variant, diag.Detail(err), errors.Unwrap(err), src)
			}
		}
	}
}

// anySpec gives arguments for a function: in variant 0 those that the comment above it describes, as far
// as it does, else made-up ones.
func anySpec(fn *Func, variant int) Spec {
	s := Spec{Fn: fn, Options: Options{NumWarps: 4, NumStages: 2, NumCTAs: 1, Debug: variant == 1}}
	types := []Type{PointerTo(ScalarType(dtype.Float32)), ScalarType(dtype.Int32), PointerTo(ScalarType(dtype.Int32)), ScalarType(dtype.Float32)}
	var words map[string]string
	if variant == 0 {
		words = describedAbove(fn)
	}
	for i, p := range newSignature(fn.Def.Args).params {
		a := ArgSpec{Type: types[(i+i/4*variant)%len(types)], Divisibility: 16}
		_, isConst := p.node.Annotation.(*syntax.Attribute)
		told, ok := describedArg(words[p.name], isConst)
		switch {
		case ok:
			a = told
		case p.node == fn.Def.Args.VarArg:
			a = ArgSpec{IsTuple: true, Tuple: []ArgSpec{a, {IsConst: true, Const: int64(2)}}}
		case isConst:
			a = ArgSpec{IsConst: true, Const: []Value{int64(16), true}[(i*variant)%2]}
		}
		s.Args = append(s.Args, a)
	}
	return s
}

// describedAbove reads the words NAME=VALUE of the comments right above a function.
func describedAbove(fn *Func) map[string]string {
	line, _ := fn.File.Position(fn.Def.Range().Pos)
	words := make(map[string]string)
	for line--; line > 0; line-- {
		text := string(fn.File.Line(line))
		if !strings.HasPrefix(text, "#") && !strings.HasPrefix(text, "@") {
			break
		}
		for _, word := range strings.Fields(text) {
			if name, value, ok := strings.Cut(word, "="); ok {
				words[name] = value
			}
		}
	}
	return words
}

// describedType matches a type as a comment has it: *fp32:16, i32, fp32[64]:rand(0,1) for an array, i64:7.
var describedType = regexp.MustCompile(`^(>|\*)?([a-z]\w*)(\[)?`)

// describedArg reads what a comment says of an argument.
func describedArg(text string, isConst bool) (ArgSpec, bool) {
	m := describedType.FindStringSubmatch(text)
	if m != nil && dtype.Lookup(m[2]) != dtype.Invalid {
		a := ArgSpec{Type: ScalarType(dtype.Lookup(m[2])), Divisibility: 16}
		if m[1] != "" || m[3] != "" {
			a.Type = PointerTo(a.Type)
		}
		return a, true
	}
	e, errs := syntax.ParseExpr(syntax.NewFile("argument", []byte(text)))
	if errs != nil {
		return ArgSpec{}, false
	}
	v, _, err := testConstant(e)
	if n, isInt := v.(int64); isInt && !isConst && n != 1 {
		return ArgSpec{Type: ScalarType(dtype.Int32), Divisibility: 16}, true
	}
	return ArgSpec{IsConst: true, Const: v}, err == nil
}
