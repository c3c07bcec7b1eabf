package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// times are what differs from run to run.
var times = regexp.MustCompile(`[0-9.e+-]+ ms|(": )[0-9.]+`)

// TestCommands runs the commands of cli.md, the lines that begin with $, in order. Each prints what stands
// below it; where that ends in "...", more may follow.
func TestCommands(t *testing.T) {
	text, err := os.ReadFile("cli.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "tegula"), module+"/cmd/tegula")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	writeFiles(t, dir, string(text))
	n := 0
	for _, block := range strings.Split(string(text), "\n\n") {
		command, ok := strings.CutPrefix(block, "    $ ")
		if !ok {
			continue
		}
		n++
		command, want, _ := strings.Cut(command, "\n")
		want = strings.TrimPrefix(strings.ReplaceAll("\n"+want, "\n    ", "\n"), "\n")
		if got := shell(t, dir, command); !agrees(got, strings.TrimRight(want, "\n")+"\n") {
			t.Errorf("%s\nprints:\n%s\nnot:\n%s", command, got, want)
		}
	}
	if n < 10 {
		t.Errorf("cli.md has %d commands", n)
	}
}

// writeFiles puts what the commands use into a directory: the examples, and the blocks of Python that
// begin with the name of a file.
func writeFiles(t *testing.T, dir, text string) {
	t.Helper()
	examples, err := filepath.Abs("../examples")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(examples, filepath.Join(dir, "examples")); err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?s)```python\n# (\\S+)\n(.*?)```").FindAllStringSubmatch(text, -1) {
		if err := os.WriteFile(filepath.Join(dir, m[1]), []byte(m[2]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// shell gives what a command prints: its notes and errors first, then its results.
func shell(t *testing.T, dir, command string) string {
	t.Helper()
	c := exec.Command("sh", "-c", command)
	c.Dir = dir
	c.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	var out, notes strings.Builder
	c.Stdout, c.Stderr = &out, &notes
	if err := c.Run(); err != nil {
		t.Errorf("%s: %v", command, err)
	}
	return notes.String() + out.String()
}

// agrees compares what was printed with what should be.
func agrees(got, want string) bool {
	got, want = times.ReplaceAllString(got, "$1 T"), times.ReplaceAllString(want, "$1 T")
	if start, cut := strings.CutSuffix(want, "...\n"); cut {
		return strings.HasPrefix(got, strings.TrimRight(start, " "))
	}
	return got == want
}
