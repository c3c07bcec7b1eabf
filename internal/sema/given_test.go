package sema

import (
	"testing"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// Of parameters that were given the same tuple the first one is named, each time.
func TestTupleGivenTwice(t *testing.T) {
	file := syntax.NewFile("k.py", []byte("def k(b, a, d, c): pass\n"))
	mod, errs := syntax.Parse(file)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	def := mod.Body[0].(*syntax.FunctionDef)
	tuple := pyval.Tuple{Elems: []Value{pyval.None}}
	for range 20 {
		f := &frame{fn: &Func{Name: "k", File: file, Def: def}, vars: map[string]local{}}
		for _, p := range def.Args.Args {
			f.vars[p.Name] = local{val: tuple, at: p}
		}
		notes := (&gen{frame: f}).givenTuple(tuple)
		if len(notes) != 1 || notes[0].Msg != "'b' was given a list or a tuple; a pointer takes an array" || notes[0].Place.Col != 7 {
			t.Fatal(notes)
		}
	}
}
