package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the dumps of docs/walkthrough.md")

// avx512 is what the page puts in front of commands, so that they make the same code on all processors that have these instructions.
const avx512 = "TEGULA_CPU_FEATURES=avx512"

// The marks in front of the page's dumps, with the block that stands behind them: what it shows, and what is to be there.
var (
	dumpMark   = regexp.MustCompile("(?m)^<!-- (dump|source) (.*) -->\n(\n```[a-z]*\n(?s:.*?)\n```\n)?")
	pageSig    = regexp.MustCompile(`--sig "([^"]*)"`)
	offset     = regexp.MustCompile(`^ *[0-9a-f]+\t`)
	markFields = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\S+`)
)

// TestWalkthrough makes the dumps of docs/walkthrough.md anew, and runs its commands. -update rewrites the page.
func TestWalkthrough(t *testing.T) {
	const page = "../../docs/walkthrough.md"
	src, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	commandIn(t, dir)
	text := string(src)
	signature := pageSig.FindStringSubmatch(text)[1]
	machine := shell(t, dir, avx512+" tegula devices || true")
	got := dumpMark.ReplaceAllStringFunc(text, func(m string) string {
		parts := dumpMark.FindStringSubmatch(m)
		fields := markFields.FindAllString(parts[2], -1)
		if fields[len(fields)-1] == "avx512" {
			if !strings.Contains(machine, "avx512: TEGULA_CPU_FEATURES is set") {
				return m // this machine makes no such code
			}
			fields = fields[:len(fields)-1]
			t.Setenv("TEGULA_CPU_FEATURES", "avx512")
			defer t.Setenv("TEGULA_CPU_FEATURES", "")
		}
		return fmt.Sprintf("<!-- %s %s -->\n\n```%s\n%s\n```\n", parts[1], parts[2], language(parts[1], fields), shown(t, dir, parts[1], fields, signature))
	})
	if *update && !t.Failed() {
		if err := os.WriteFile(page, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(text, got); diff != "" {
		t.Errorf("the page is not current; go test ./cmd/tegula -run Walkthrough -update makes it so (-page +now):\n%s", diff)
	}
	commands := 0
	for line := range strings.Lines(got) {
		command, ok := strings.CutPrefix(line, "    $ ")
		if strings.HasPrefix(command, avx512) && !strings.Contains(machine, "avx512: TEGULA_CPU_FEATURES is set") {
			continue
		}
		if ok && strings.Contains(command, "./tegula ") {
			shell(t, dir, command)
			commands++
		}
	}
	if commands < 3 {
		t.Errorf("the page has %d commands", commands)
	}
}

// language names what a block is in, for those who colour it.
func language(kind string, fields []string) string {
	if kind == "source" {
		return "python"
	}
	return map[string]string{"metadata": "json", "cuda": "cuda"}[fields[1]]
}

// shown gives what stands in a block: a file from a line on, or the lines of a stage from the first that matches a pattern to the next
// that matches another.
func shown(t *testing.T, dir, kind string, fields []string, signature string) string {
	t.Helper()
	if kind == "source" {
		src, err := os.ReadFile(filepath.Join(dir, fields[0]))
		if err != nil {
			t.Fatal(err)
		}
		first, err := strconv.Atoi(fields[1])
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimRight(strings.Join(strings.Split(string(src), "\n")[first-1:], "\n"), "\n")
	}
	text := shell(t, dir, fmt.Sprintf("tegula compile examples/softmax.py --target %s --emit %s --sig %q", fields[0], fields[1], signature))
	from, to := pattern(t, fields[2]), pattern(t, fields[3])
	var list []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if len(list) == 0 && !from.MatchString(line) {
			continue
		}
		line = offset.ReplaceAllString(line, "\t") // which any change in front changes
		list = append(list, strings.ReplaceAll(line, "\t", "    "))
		if len(list) > 1 && to.MatchString(line) {
			return strings.Join(list, "\n")
		}
	}
	t.Errorf("%s of %s has no lines from %s to %s", fields[1], fields[0], from, to)
	return ""
}

func pattern(t *testing.T, quoted string) *regexp.Regexp {
	t.Helper()
	text, err := strconv.Unquote(quoted)
	if err != nil {
		t.Fatalf("%s: %v", quoted, err)
	}
	return regexp.MustCompile(text)
}
