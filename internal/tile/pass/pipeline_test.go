package pass_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tegula-lang/tegula/internal/tile"
	"github.com/tegula-lang/tegula/internal/tile/pass"
)

// TestStable runs the default passes over what they gave: nothing is left to do.
func TestStable(t *testing.T) {
	inputs, err := filepath.Glob("testdata/default/*.tile")
	if err != nil || len(inputs) == 0 {
		t.Fatal("no inputs", err)
	}
	for _, in := range inputs {
		m := parseFile(t, in)
		runVerified(t, m, pass.Default())
		once := tile.Printer{}.String(m)
		runVerified(t, m, pass.Default())
		if twice := (tile.Printer{}).String(m); twice != once {
			t.Errorf("%s: a second run gives\n%s\nafter\n%s", in, twice, once)
		}
	}
}

// TestAfter checks that the hook sees each pass in order.
func TestAfter(t *testing.T) {
	m := parseFile(t, "testdata/default/matmul.tile")
	var seen []string
	pass.Run(m, pass.Options{After: func(p pass.Pass, took time.Duration) {
		if took < 0 {
			t.Errorf("%s took %v", p.Name, took)
		}
		seen = append(seen, p.Name)
	}})
	for i, p := range pass.Default() {
		if i >= len(seen) || seen[i] != p.Name {
			t.Fatalf("the hook saw %v", seen)
		}
	}
}

// TestRenumber checks that the passes leave IDs dense and in order of definition, and that
// every operation they make has a location if the ones it is made of have.
func TestRenumber(t *testing.T) {
	m := parseFile(t, "testdata/default/attention.tile")
	loc := m.Locs.Add(tile.Location{File: "k.py", Line: 1, Col: 1})
	f := m.Funcs[0]
	f.Body.Walk(func(op *tile.Op) { op.Loc = loc })
	runVerified(t, m, pass.Default())
	next := int32(0)
	number := func(vals []*tile.Value) {
		for _, v := range vals {
			if v.ID != next {
				t.Fatalf("value %d has ID %d", next, v.ID)
			}
			next++
		}
	}
	number(f.Body.Args)
	f.Body.Walk(func(op *tile.Op) {
		if op.Loc != loc {
			t.Errorf("%s has no location", op.Code)
		}
		number(op.Results)
		for _, r := range op.Regions[:min(len(op.Regions), 1)] {
			number(r.Args)
		}
	})
	if f.NumValues() != int(next) {
		t.Errorf("%d values, but IDs below %d", next, f.NumValues())
	}
}

// FuzzDefault runs the passes and the analyses over whatever module a text gives.
func FuzzDefault(f *testing.F) {
	for _, pattern := range []string{"testdata/*/*.tile", "../testdata/*.tile"} {
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
		m, err := tile.Parse("fuzz", src)
		if err != nil {
			return
		}
		runVerified(t, m, pass.Default())
		for _, fn := range m.Funcs {
			pass.AnalyzeAxes(fn)
			pass.AnalyzeRanges(fn)
		}
	})
}
