package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestContractIsTested holds contract.md to the tests: those that it names are there, and those that
// are named after the contract are in it.
func TestContractIsTested(t *testing.T) {
	text, err := os.ReadFile("contract.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, name := range regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(string(text), -1) {
		named[name[1]] = true
	}
	there := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err = filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "build" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") || path == "../docs/contract_test.go" {
			return nil
		}
		src, err := os.ReadFile(path)
		for _, m := range declared.FindAllStringSubmatch(string(src), -1) {
			there[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range named {
		if !there[name] {
			t.Errorf("contract.md names %s, which is no test", name)
		}
	}
	for name := range there {
		if strings.HasPrefix(name, "TestContract") && !named[name] {
			t.Errorf("contract.md does not name %s", name)
		}
	}
	if len(named) < 40 {
		t.Errorf("contract.md names %d tests", len(named))
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| ") && strings.Count(line, "|") == 3 && !strings.Contains(line, "`Test") && !strings.Contains(line, "what holds | tests") {
			t.Errorf("no test for: %s", line)
		}
	}
}
