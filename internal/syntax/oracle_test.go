package syntax

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A python is a CPython that serves as oracle.
type python struct {
	exe    string
	minor  int    // of its version 3.minor
	stdlib string // the directory of its library
}

// findPython looks for the newest CPython 3 that this parser's grammar includes:
// in PATH, then where pyenv keeps its versions.
func findPython(t testing.TB) python {
	candidates := []string{"python3.13", "python3.12"}
	if home, err := os.UserHomeDir(); err == nil {
		for _, v := range []string{"3.13*", "3.12*"} {
			found, _ := filepath.Glob(filepath.Join(home, ".pyenv", "versions", v, "bin", "python"))
			candidates = append(candidates, found...)
		}
	}
	candidates = append(candidates, "python3")
	for _, exe := range candidates {
		out, err := exec.Command(exe, "-c",
			"import sys, os; print(sys.version_info.minor, os.path.dirname(os.__file__))").Output()
		if err != nil {
			continue
		}
		py := python{exe: exe}
		minor, stdlib, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
		if _, err := fmt.Sscan(minor, &py.minor); err != nil || py.minor < 10 || py.minor > 13 {
			continue
		}
		py.stdlib = stdlib
		return py
	}
	t.Skip("no CPython 3.10 to 3.13 found to compare with")
	return python{}
}

// hasPositions reports whether its trees have the positions of today's grammar:
// those inside f-strings came with 3.12.
func (py python) hasPositions() bool { return py.minor >= 12 }

// command runs testdata/dump.py.
func (py python) command(args ...string) *exec.Cmd {
	args = append([]string{"-X", "utf8", filepath.Join("testdata", "dump.py")}, args...)
	if !py.hasPositions() {
		args = append(args, "--structure")
	}
	return exec.Command(py.exe, args...)
}

// A dumpProcess is a running testdata/dump.py.
type dumpProcess struct {
	cmd *exec.Cmd
	in  *bufio.Writer
	end io.Closer
	out *bufio.Reader
}

func (py python) startDump(t testing.TB) *dumpProcess {
	t.Helper()
	cmd := py.command()
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &dumpProcess{cmd, bufio.NewWriter(in), in, bufio.NewReader(out)}
}

// answer gives what CPython says of a source: a sum or "rejected …".
func (d *dumpProcess) answer(src []byte) (string, error) {
	fmt.Fprintln(d.in, len(src))
	d.in.Write(src)
	if err := d.in.Flush(); err != nil {
		return "", err
	}
	line, err := d.out.ReadString('\n')
	return strings.TrimSuffix(line, "\n"), err
}

func (d *dumpProcess) close() {
	d.end.Close()
	d.cmd.Wait()
}

// text gives CPython's whole dump of a source.
func (py python) text(t testing.TB, src []byte) string {
	t.Helper()
	cmd := py.command("--text")
	cmd.Stdin = io.MultiReader(strings.NewReader(fmt.Sprintln(len(src))), bytes.NewReader(src))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// A verdict is how this parser and CPython compare on a source.
type verdict int

const (
	agree         verdict = iota
	bothReject            // with an error each
	weReject              // what CPython accepts
	weAccept              // what CPython rejects
	differentTree         // both accept
	numVerdicts
)

// compare parses a source and compares with what CPython answered. The detail
// is what to show of our side.
func (py python) compare(src []byte, answer string) (v verdict, detail string) {
	f := NewFile("test.py", src)
	m, errs := Parse(f)
	rejected := strings.HasPrefix(answer, "rejected")
	switch {
	case errs != nil && rejected:
		return bothReject, errs.Detail()
	case errs != nil:
		return weReject, errs.Detail()
	case rejected:
		return weAccept, answer
	}
	d := dumper{file: f, positions: py.hasPositions()}
	d.module(m)
	sum := sha256.Sum256(d.out)
	if hex.EncodeToString(sum[:]) == answer {
		return agree, ""
	}
	return differentTree, string(d.out)
}

// report tells of a verdict that shows a difference.
func (py python) report(t testing.TB, name string, src []byte, v verdict, detail string) {
	t.Helper()
	switch v {
	case weReject:
		if strings.Contains(detail, "patterns may only match") || strings.Contains(detail, "newlines are not allowed") {
			return // see fstringPattern and newlineInSpec
		}
		t.Errorf("%s: CPython accepts it\n%s", name, detail)
	case weAccept:
		t.Errorf("%s: accepted; CPython: %s", name, detail)
	case differentTree:
		t.Errorf("%s: %s", name, firstDifference(detail, py.text(t, src)))
	}
}

// firstDifference shows the first line in which two dumps differ, and the lines
// that lead to it.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	i := 0
	for i < len(g) && i < len(w) && g[i] == w[i] {
		i++
	}
	from := max(0, i-3)
	show := func(lines []string) string {
		return strings.Join(lines[min(from, len(lines)):min(i+3, len(lines))], "\n")
	}
	return fmt.Sprintf("line %d of the dump\n-- got\n%s\n-- want\n%s", i+1, show(g), show(w))
}
