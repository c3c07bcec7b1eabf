package sema

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// compileLine stands above a kernel and tells what its arguments are.
var compileLine = regexp.MustCompile(`(?m)^# compile:(.*)\n(?:@triton\.jit\n)?def (\w+)`)

// TestGolden compiles the kernels of testdata/*/*.py that have a "# compile:" line and compares
// their tile IR, or the diagnostic, with the .golden file beside.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.py")
	if err != nil || len(files) == 0 {
		t.Fatal("no test files", err)
	}
	for _, path := range files {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		kernels := compileLine.FindAllSubmatch(src, -1)
		if len(kernels) == 0 {
			continue
		}
		f := loadSource(t, filepath.Base(path), src)
		t.Run(filepath.Base(path), func(t *testing.T) {
			if filepath.Base(path) == "limits.py" {
				lowerLimits(t)
			}
			var got bytes.Buffer
			for _, m := range kernels {
				got.WriteString(compiled(t, f, string(m[2]), string(m[1])))
			}
			compareGolden(t, strings.TrimSuffix(path, ".py")+".golden", got.Bytes())
		})
	}
}

// lowerLimits makes what is too large small enough for a test that meets every limit.
func lowerLimits(t *testing.T) {
	old := defaultLimits
	t.Cleanup(func() { defaultLimits = old })
	defaultLimits.steps, defaultLimits.values, defaultLimits.parts, defaultLimits.regions = 1<<16, 1<<12, 1<<10, 20
}

// compiled gives the IR of a kernel without locations, or the diagnostic, under a heading.
func compiled(t *testing.T, f *testFile, kernel, args string) string {
	t.Helper()
	head := "== " + kernel + "\n"
	res, err := Compile(f.spec(t, kernel, args))
	if err != nil {
		text := diag.Detail(err)
		if e, ok := err.(*diag.Error); ok {
			if e.Code == "internal" {
				t.Error(e.Cause)
			}
			text = "[" + e.Code + "] " + text
		}
		return head + text + "\n"
	}
	return head + tile.Printer{}.String(res.Module) + "\n"
}

func compareGolden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (-want +got; go test -update accepts it):\n%s", path, fmt.Sprint(d))
	}
}
