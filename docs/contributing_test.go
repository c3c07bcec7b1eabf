package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The files and tests that contributing.md sends people to are there.
func TestContributingNames(t *testing.T) {
	text, err := os.ReadFile("contributing.md")
	if err != nil {
		t.Fatal(err)
	}
	paths := regexp.MustCompile("`((?:internal|driver)/[a-z0-9_./]+)").FindAllStringSubmatch(string(text), -1)
	if len(paths) < 15 {
		t.Errorf("only %d paths", len(paths))
	}
	for _, m := range paths {
		if _, err := os.Stat(filepath.Join("..", strings.TrimRight(m[1], "/"))); err != nil && !strings.HasSuffix(m[1], "/") {
			t.Error(err)
		}
	}
	there := testNames(t)
	tests := regexp.MustCompile(`\bTest[A-Z]\w+`).FindAllString(string(text), -1)
	if len(tests) < 5 {
		t.Errorf("only %d tests", len(tests))
	}
	for _, name := range tests {
		if !there[name] {
			t.Errorf("there is no test %s", name)
		}
	}
}

// testNames gives the names of all tests.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for _, room := range []string{"../internal", "../driver"} {
		err := filepath.WalkDir(room, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			src, err := os.ReadFile(path)
			for _, m := range declared.FindAllSubmatch(src, -1) {
				names[string(m[1])] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return names
}
