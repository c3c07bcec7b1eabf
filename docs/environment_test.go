package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Variables that only tests, benchmarks and the build read.
var notForUsers = regexp.MustCompile(`^TEGULA_(TEST|ORACLE|CACHE_TEST|XPU_TEST|NVCC|VERSION|INVALID)`)

// TestEnvironment holds the table of variables in cli.md to those that the program reads.
func TestEnvironment(t *testing.T) {
	page, err := os.ReadFile("cli.md")
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile(`"(TEGULA_[A-Z_]+)[ "]`)
	read := map[string]string{}
	for _, dir := range []string{"../internal", "../driver", "../cmd", "../python/tegula", "../python/bridge", "../python/src"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") || !regexp.MustCompile(`\.(go|py|c|cpp)$`).MatchString(path) {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range name.FindAllStringSubmatch(string(text), -1) {
				read[m[1]] = path
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(read) < 10 {
		t.Errorf("only %d variables are read", len(read))
	}
	for v, path := range read {
		if !notForUsers.MatchString(v) && !strings.Contains(string(page), "| `"+v+"`") {
			t.Errorf("%s reads %s, which cli.md does not have", path, v)
		}
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `(TEGULA_[A-Z_]+)`").FindAllStringSubmatch(string(page), -1) {
		if read[m[1]] == "" {
			t.Errorf("cli.md has %s, which nothing reads", m[1])
		}
	}
}
