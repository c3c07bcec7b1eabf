package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestLanguageNames checks that language.md lists the names that sema is tested with.
func TestLanguageNames(t *testing.T) {
	page, err := os.ReadFile("language.md")
	if err != nil {
		t.Fatal(err)
	}
	names, err := os.ReadFile("../internal/sema/testdata/names.txt")
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile(`^[\w.]+`)
	n := 0
	for line := range strings.Lines(string(names)) {
		word := name.FindString(line)
		if word == "" {
			continue
		}
		n++
		if !strings.Contains(string(page), "`"+word+"`") {
			t.Errorf("language.md lacks %s", word)
		}
	}
	if n < 300 {
		t.Errorf("names.txt has %d names", n)
	}
}
