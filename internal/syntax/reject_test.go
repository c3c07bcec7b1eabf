package syntax

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// rejects gives the snippets of testdata/reject.txt, none of which is Python.
func rejects(t testing.TB) []string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", "reject.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.SplitAfter(strings.ReplaceAll(string(src), "---\n", "\x00"), "\x00")
}

// TestReject shows what is said of wrong files.
func TestReject(t *testing.T) {
	var out strings.Builder
	for _, src := range rejects(t) {
		src = strings.TrimSuffix(src, "\x00")
		_, errs := Parse(NewFile("test.py", []byte(src)))
		if errs == nil {
			t.Errorf("accepted:\n%s", src)
			continue
		}
		fmt.Fprintf(&out, "%s\n%s---\n", src, errs.Detail())
	}
	golden(t, "reject.golden", out.String())
}

// TestRejectOracle checks that CPython rejects them too.
func TestRejectOracle(t *testing.T) {
	py := findPython(t)
	oracle := py.startDump(t)
	defer oracle.close()
	for _, src := range rejects(t) {
		src = strings.TrimSuffix(src, "\x00")
		answer, err := oracle.answer([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(answer, "rejected") {
			t.Errorf("CPython accepts:\n%s", src)
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is not what is given now (-update rewrites it):\n%s", path, diff)
	}
}
