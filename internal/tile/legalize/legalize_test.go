package legalize

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula/internal/tile"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestGolden(t *testing.T) {
	inputs, err := filepath.Glob("testdata/*.tile")
	if err != nil || len(inputs) == 0 {
		t.Fatal("no inputs", err)
	}
	for _, in := range inputs {
		t.Run(filepath.Base(in), func(t *testing.T) {
			m := parse(t, in)
			before := m.String()
			out := Module(m, Native{})
			if err := tile.Verify(out); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if m.String() != before {
				t.Error("the module was changed, not a copy of it")
			}
			golden(t, strings.TrimSuffix(in, ".tile")+".out", tile.Printer{}.String(out))
		})
	}
}

func parse(t *testing.T, path string) *tile.Module {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := tile.Parse(path, src)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// What a target takes stays, and a module that needs nothing is given back itself.
func TestNative(t *testing.T) {
	both := Native{Descriptors: true, DotScaled: true}
	for _, in := range []string{"testdata/desc.tile", "testdata/scaled.tile"} {
		if m := parse(t, in); Module(m, both) != m {
			t.Errorf("%s: a copy was made", in)
		}
	}
	m := parse(t, "testdata/scaled.tile")
	if Module(m, Native{DotScaled: true}) != m {
		t.Error("a copy was made of a module without descriptors")
	}
	text := Module(m, Native{Descriptors: true}).String()
	if strings.Contains(text, "dot_scaled") {
		t.Error("scaled dots are left")
	}
}

// Operations keep the place of what they were made of.
func TestLocations(t *testing.T) {
	m := parse(t, "testdata/rows.tile")
	for i, op := range m.Funcs[0].Body.Ops {
		op.Loc = m.Locs.Add(tile.Location{File: "k.py", Line: int32(i + 1), Col: 1})
	}
	out := Module(m, Native{})
	for _, op := range out.Funcs[0].Body.Ops {
		if op.Code == tile.OpLoad && out.Locs.At(op.Loc).Line != 4 || op.Code == tile.OpStore && out.Locs.At(op.Loc).Line != 5 || op.Loc == 0 {
			t.Errorf("%s is at line %d", op.Code, out.Locs.At(op.Loc).Line)
		}
	}
}
