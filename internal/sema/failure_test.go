package sema

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula/internal/diag"
)

// A failing Env knows why nothing is known.
type failing struct {
	*testFile
	err error
}

func (f failing) Lookup(name string) (Binding, bool, error) {
	if name == "HOST" {
		return Binding{}, false, f.err
	}
	return f.testFile.Lookup(name)
}

// TestErrorsOfOtherRooms: what another room says about an error reaches the user whole: its place, its
// remarks, and the calls that led to the name.
func TestErrorsOfOtherRooms(t *testing.T) {
	f := loadSource(t, "k.py", []byte("import triton\n@triton.jit\ndef inner(n):\n    return n + HOST\n@triton.jit\ndef k(n):\n    inner(n)\n"))
	at := func(line int) diag.Place { return diag.Place{File: "host.py", Line: line, Col: 1} }
	known := diag.At(diag.Unsupported, at(1), "'HOST' cannot be known").WithCode("unknown-value")
	known.Notes = []diag.Note{{Place: at(2), Msg: "torch is imported here"}, {Place: at(3), Msg: "and used here"}}
	for _, name := range []string{"k", "inner"} {
		f.names[name].Value.(*Func).Env = failing{f, known}
	}
	_, err := Compile(f.spec(t, "k", "n=i32"))
	var e *diag.Error
	if !errors.As(err, &e) || e.Category != diag.Unsupported || e.Code != "unknown-value" || e.Place.Line != 4 || !errors.Is(e.Cause, known) {
		t.Fatalf("the error is %v", err)
	}
	var got []string
	for _, n := range e.Notes {
		got = append(got, n.Msg)
	}
	want := []string{"it comes from here", "torch is imported here", "and used here", "in inner, called from here"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("its remarks (-want +got):\n%s", d)
	}
}
