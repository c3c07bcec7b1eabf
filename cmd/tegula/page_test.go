package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// took are the times on the page.
var took = regexp.MustCompile(`[0-9.e+-]+ m?s\b|(": )[0-9.]+`)

// asCommand is set where this test's binary is to be the command itself.
const asCommand = "TEGULA_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(withOwnCache(m))
}

// withOwnCache runs the tests with a disk cache of their own. The process looks for it once.
func withOwnCache(m *testing.M) int {
	dir, err := os.MkdirTemp("", "tegula-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	os.Setenv("TEGULA_CACHE_DIR", dir)
	os.Unsetenv("TEGULA_CACHE")
	os.Unsetenv("TEGULA_CACHE_MAX_BYTES")
	return m.Run()
}

// TestPage runs the commands of docs/cli.md, the lines that begin with $, in order. Each prints what stands
// below it; where that ends in "...", more may follow.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	commandIn(t, dir)
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

// commandIn puts the command, which this test's binary is, and the examples into a directory.
func commandIn(t *testing.T, dir string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\n%s=1 exec '%s' \"$@\"\n", asCommand, self)
	if err := os.WriteFile(filepath.Join(dir, "tegula"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(examples, filepath.Join(dir, "examples")); err != nil {
		t.Fatal(err)
	}
}

// writeFiles writes the blocks of Python that begin with the name of a file.
func writeFiles(t *testing.T, dir, text string) {
	t.Helper()
	for _, m := range regexp.MustCompile("(?s)```python\n# (\\S+)\n(.*?)```").FindAllStringSubmatch(text, -1) {
		if err := os.WriteFile(filepath.Join(dir, m[1]), []byte("# "+m[1]+"\n"+m[2]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// shell gives what a command prints: its notes and errors first, then its results.
func shell(t *testing.T, dir, command string) string {
	t.Helper()
	c := exec.Command("sh", "-c", command)
	c.Dir = dir
	c.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"),
		"TEGULA_LIBCUDA=libcuda.so.1.none") // the page is one of a machine without a GPU
	var out, notes strings.Builder
	c.Stdout, c.Stderr = &out, &notes
	if err := c.Run(); err != nil {
		t.Errorf("%s: %v", command, err)
	}
	return notes.String() + out.String()
}

// agrees compares what was printed with what should be.
func agrees(got, want string) bool {
	got, want = took.ReplaceAllString(got, "$1 T"), took.ReplaceAllString(want, "$1 T")
	if start, cut := strings.CutSuffix(want, "...\n"); cut {
		return strings.HasPrefix(got, strings.TrimRight(start, " "))
	}
	return got == want
}
