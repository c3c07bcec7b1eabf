package pass_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula/internal/tile"
	"github.com/tegula-lang/tegula/internal/tile/pass"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden runs each pass over the modules in its folder of testdata: x.tile gives x.out.
func TestGolden(t *testing.T) {
	passes := map[string][]pass.Pass{
		"canonicalize": {pass.Canonicalize},
		"cse":          {pass.CSE},
		"licm":         {pass.LICM},
		"bounds":       {pass.Bounds},
		"dce":          {pass.DCE},
		"debug":        {pass.DebugDCE},
		"dots":         {pass.Dots, pass.DCE},
		"default":      pass.Default(),
	}
	for name, list := range passes {
		eachInput(t, name, func(t *testing.T, m *tile.Module) string {
			runVerified(t, m, list)
			return tile.Printer{}.String(m)
		})
	}
}

// eachInput compares what f gives for each module in a folder of testdata with the golden file.
func eachInput(t *testing.T, folder string, f func(*testing.T, *tile.Module) string) {
	inputs, err := filepath.Glob(filepath.Join("testdata", folder, "*.tile"))
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no inputs for %s (%v)", folder, err)
	}
	for _, in := range inputs {
		name := strings.TrimSuffix(in, ".tile")
		t.Run(strings.TrimPrefix(filepath.ToSlash(name), "testdata/"), func(t *testing.T) {
			got := f(t, parseFile(t, in))
			golden := name + ".out"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func parseFile(t testing.TB, path string) *tile.Module {
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

// failer is what testing.TB and rapid.T have in common here.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// runVerified runs passes over m and verifies it after each.
func runVerified(t failer, m *tile.Module, passes []pass.Pass) {
	t.Helper()
	pass.Run(m, pass.Options{
		Passes: passes,
		After: func(p pass.Pass, _ time.Duration) {
			if err := tile.Verify(m); err != nil {
				t.Fatalf("after %s: %v\n%s", p.Name, err, tile.Printer{}.String(m))
			}
		},
	})
}
