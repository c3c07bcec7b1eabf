package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDifferences checks that triton-differences.md names every judge of the suites and every difference of types, and
// that the tests that it names exist.
func TestDifferences(t *testing.T) {
	page := readText(t, "triton-differences.md")
	judge := regexp.MustCompile(`(?m)^def (\w+)\(case, args, what\)|^def (judge_\w+)\(|^\s*(?:if|elif) judge == "(\w+)"`)
	n := 0
	for _, path := range []string{"../internal/difftest/gen/testdata/judges.py", "../internal/difftest/gen/testdata/judge.py", "../internal/difftest/testdata/expected.py"} {
		for _, m := range judge.FindAllStringSubmatch(readText(t, path), -1) {
			name := m[1] + m[2] + m[3]
			n++
			if !strings.Contains(page, "`"+name+"`") {
				t.Errorf("the page says nothing of the judge %s of %s", name, path)
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d judges were found", n)
	}
	differs := regexp.MustCompile(`\{"([^"]*)",\s*"([^"]*)"\}`)
	rows := differs.FindAllStringSubmatch(readText(t, "../internal/difftest/ttir/differs.go"), -1)
	if len(rows) < 10 {
		t.Errorf("only %d differences of types were found", len(rows))
	}
	for _, m := range rows {
		row := "| `" + strings.Join(strings.Fields(m[1]), "` `") + "` | " + m[2] + " |"
		if !strings.Contains(page, row) {
			t.Errorf("the page lacks the row %s", row)
		}
	}
	tests := regexp.MustCompile("`(Test\\w+)`")
	for _, m := range tests.FindAllStringSubmatch(page, -1) {
		if !strings.Contains(allTests(t), "func "+m[1]+"(") {
			t.Errorf("there is no test %s", m[1])
		}
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// allTests gives the text of the tests of difftest and of the package tegula.
func allTests(t *testing.T) string {
	paths, err := filepath.Glob("../internal/difftest/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	own, err := filepath.Glob("../*_test.go")
	paths = append(paths, own...)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, path := range paths {
		all.WriteString(readText(t, path))
	}
	return all.String()
}
