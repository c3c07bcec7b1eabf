package tile

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestPrintEveryOp(t *testing.T) {
	golden(t, "every.tile", everyOp(t).String())
}

func TestRoundTripEveryOp(t *testing.T) {
	m := everyOp(t)
	got, err := Parse("every.tile", []byte(m.String()))
	if err != nil {
		t.Fatal(err)
	}
	equalModules(t, m, got)
	if diff := cmp.Diff(m.String(), got.String()); diff != "" {
		t.Errorf("the texts differ (-want +got):\n%s", diff)
	}
}

func TestRoundTripWithoutLocs(t *testing.T) {
	text := Printer{}.String(everyOp(t))
	if strings.Contains(text, "loc #") {
		t.Error("the text has locations")
	}
	m, err := Parse("every.tile", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, m.String()); diff != "" {
		t.Errorf("the texts differ (-want +got):\n%s", diff)
	}
}

func TestNamesOfStrangers(t *testing.T) {
	n := NewNames(newSmall(t).main)
	for _, tt := range []struct {
		v    *Value
		want string
	}{{nil, "%nil?"}, {&Value{}, "%?"}, {&Value{Name: "y"}, "%?y"}} {
		if got := n.Of(tt.v); got != tt.want {
			t.Errorf("the name is %s, not %s", got, tt.want)
		}
	}
}

// equalModules checks that two modules are equal but for the values' IDs.
func equalModules(t *testing.T, a, b *Module) {
	t.Helper()
	if diff := cmp.Diff(a.Locs.list, b.Locs.list); diff != "" {
		t.Errorf("the locations differ (-want +got):\n%s", diff)
	}
	if len(a.Funcs) != len(b.Funcs) {
		t.Fatalf("%d functions, not %d", len(b.Funcs), len(a.Funcs))
	}
	for i, f := range a.Funcs {
		g := b.Funcs[i]
		if f.Name != g.Name || f.Loc != g.Loc {
			t.Errorf("function %s at %d, not %s at %d", g.Name, g.Loc, f.Name, f.Loc)
		}
		if diff := cmp.Diff(f.Params, g.Params); diff != "" {
			t.Errorf("the parameters of %s differ (-want +got):\n%s", f.Name, diff)
		}
		if !typesEqual(f.Results, g.Results) {
			t.Errorf("%s has the results %v, not %v", f.Name, g.Results, f.Results)
		}
		e := equality{t: t, of: make(map[*Value]*Value)}
		e.block(f.Body, g.Body)
	}
}

func typesEqual(a, b []Type) bool {
	for i := range a {
		if len(a) != len(b) || a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// An equality compares two functions' bodies; of holds the second one's values by the first's.
type equality struct {
	t  *testing.T
	of map[*Value]*Value
}

func (e *equality) define(what string, a, b []*Value) {
	e.t.Helper()
	if len(a) != len(b) {
		e.t.Fatalf("%s: %d values, not %d", what, len(b), len(a))
	}
	for i, v := range a {
		w := b[i]
		e.of[v] = w
		if v.Type != w.Type || v.Name != w.Name || v.Index != w.Index || (v.Block == nil) != (w.Block == nil) {
			e.t.Errorf("%s: value %d is %q of %s, not %q of %s", what, i, w.Name, w.Type, v.Name, v.Type)
		}
	}
}

func (e *equality) block(a, b *Block) {
	e.t.Helper()
	e.define("block", a.Args, b.Args)
	if len(a.Ops) != len(b.Ops) {
		e.t.Fatalf("%d operations, not %d", len(b.Ops), len(a.Ops))
	}
	for i, x := range a.Ops {
		e.op(x, b.Ops[i])
	}
}

func (e *equality) op(a, b *Op) {
	e.t.Helper()
	what := a.Code.String()
	if a.Code != b.Code || a.Attr != b.Attr || a.Loc != b.Loc || len(a.Args) != len(b.Args) || len(a.Regions) != len(b.Regions) {
		e.t.Fatalf("%s: %+v, not %+v", what, b, a)
	}
	for i, v := range a.Args {
		if e.of[v] != b.Args[i] {
			e.t.Errorf("%s: operand %d is another value", what, i)
		}
	}
	for i, r := range a.Regions {
		e.block(r, b.Regions[i])
	}
	e.define(what, a.Results, b.Results)
}

func TestClone(t *testing.T) {
	m := everyOp(t)
	before := m.String()
	c := Clone(m)
	if err := Verify(c); err != nil {
		t.Fatal(err)
	}
	equalModules(t, m, c)
	ids := func(m *Module) (ids []int32) {
		for _, f := range m.Funcs {
			ids = append(ids, f.numValues)
			f.Body.Walk(func(op *Op) {
				for _, v := range op.Results {
					ids = append(ids, v.ID)
				}
			})
		}
		return ids
	}
	if diff := cmp.Diff(ids(m), ids(c)); diff != "" {
		t.Errorf("the IDs differ:\n%s", diff)
	}
	wreck(c)
	if diff := cmp.Diff(before, m.String()); diff != "" {
		t.Errorf("a change of the copy changed the module:\n%s", diff)
	}
}

// wreck changes everything of a module that can be changed in place.
func wreck(m *Module) {
	m.Locs.Add(Location{File: "new"})
	m.Locs.list[0].Line = 1000
	for _, f := range m.Funcs {
		f.Name += "!"
		for i := range f.Params {
			f.Params[i].Name += "!"
		}
		for i := range f.Results {
			f.Results[i] = Scalar(I8)
		}
		extra := f.NewValue(Scalar(I8))
		for _, v := range f.Body.Args {
			v.Name += "!"
		}
		f.Body.Walk(func(op *Op) {
			op.Loc = 1
			op.Args = append(op.Args, extra)
			for i := range op.Args {
				op.Args[i] = extra
			}
			for _, v := range op.Results {
				v.Type, v.Name = Scalar(I8), v.Name+"!"
			}
			for _, r := range op.Regions {
				r.AddArg(f, Scalar(I8), "new")
			}
		})
		f.Body.Ops = append(f.Body.Ops[:0], f.Body.Ops[1:]...)
	}
}
