package docs

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite what commands print in the documents")

// A shown kernel and a shown command with what it prints, in this order.
var (
	shownKernel  = regexp.MustCompile("(?s)```python\n(.*?)```")
	shownCommand = regexp.MustCompile("(?s)```console\n\\$ ([^\n]*)\n(.*?)```")
	times        = regexp.MustCompile(`[0-9.e+-]+ m?s\b`)
)

// TestShown runs each command of a document on the kernel above it and compares what it prints.
func TestShown(t *testing.T) {
	tool := buildTool(t)
	for _, name := range []string{"checker.md", "diagnostics.md"} {
		t.Run(name, func(t *testing.T) { runShown(t, tool, name) })
	}
}

func runShown(t *testing.T, tool, name string) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	kernels := shownKernel.FindAllStringSubmatchIndex(string(text), -1)
	commands := shownCommand.FindAllStringSubmatchIndex(string(text), -1)
	if len(commands) < 10 {
		t.Errorf("%d commands are understood", len(commands))
	}
	var out strings.Builder
	end := 0
	for _, c := range commands {
		command, want := string(text[c[2]:c[3]]), string(text[c[4]:c[5]])
		for _, k := range kernels {
			if k[0] < c[0] { // the last one before the command stays
				write(t, filepath.Join(dir, fileOf(t, command)), text[k[2]:k[3]])
			}
		}
		got := runCommand(t, tool, dir, command)
		if got != want && !*update {
			t.Errorf("%s\nprints\n%s\n%s has\n%s", command, got, name, want)
		}
		out.Write(text[end:c[4]])
		out.WriteString(got)
		end = c[5]
	}
	out.Write(text[end:])
	if *update {
		write(t, name, []byte(out.String()))
	}
}

// buildTool builds the command line tool.
func buildTool(t *testing.T) string {
	t.Helper()
	tool := filepath.Join(t.TempDir(), "tegula")
	if out, err := exec.Command("go", "build", "-o", tool, module+"/cmd/tegula").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return tool
}

// fileOf gives the kernel's file in a command.
func fileOf(t *testing.T, command string) string {
	t.Helper()
	file := regexp.MustCompile(`\w+\.py`).FindString(command)
	if file == "" {
		t.Fatalf("no kernel in %s", command)
	}
	return file
}

// runCommand runs a shell command that begins with tegula, and gives all that it prints, without times.
func runCommand(t *testing.T, tool, dir, command string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(tool)+":"+os.Getenv("PATH"), "TEGULA_CHECK=")
	out, err := cmd.CombinedOutput()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		t.Fatal(err)
	}
	return times.ReplaceAllString(string(out), "… ms")
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
