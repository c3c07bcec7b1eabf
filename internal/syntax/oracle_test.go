package syntax

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

var stdlibAll = flag.Bool("stdlib-all", false, "compare every file of the standard library, its tests too")

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

// A dumpProcess is a running testdata/dump.py.
type dumpProcess struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func (py python) startDump(t *testing.T) *dumpProcess {
	t.Helper()
	args := []string{"-X", "utf8", filepath.Join("testdata", "dump.py")}
	if !py.hasPositions() {
		args = append(args, "--structure")
	}
	cmd := exec.Command(py.exe, args...)
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
	return &dumpProcess{cmd, in, bufio.NewScanner(out)}
}

// answer gives what CPython says of the file at path: a sum or "rejected …".
func (d *dumpProcess) answer(path string) (string, error) {
	if _, err := fmt.Fprintln(d.in, path); err != nil {
		return "", err
	}
	if !d.out.Scan() {
		return "", fmt.Errorf("the oracle ended at %s: %v", path, d.out.Err())
	}
	return d.out.Text(), nil
}

func (d *dumpProcess) close() {
	d.in.Close()
	d.cmd.Wait()
}

// text gives CPython's whole dump of a file.
func (py python) text(t *testing.T, path string) string {
	t.Helper()
	args := []string{"-X", "utf8", filepath.Join("testdata", "dump.py"), "--text"}
	if !py.hasPositions() {
		args = append(args, "--structure")
	}
	cmd := exec.Command(py.exe, args...)
	cmd.Stdin = strings.NewReader(path + "\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", path, err, out)
	}
	return string(out)
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

// sourceFiles gives the Python files below a directory that are part of the
// library itself.
func sourceFiles(t *testing.T, root string, tests bool) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == "site-packages" || e.Name() == "__pycache__" || !tests && isTestDir(e.Name())) {
			return fs.SkipDir
		}
		if strings.HasSuffix(path, ".py") {
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func isTestDir(name string) bool { return name == "test" || name == "tests" || name == "idle_test" }

// A verdict is how this parser and CPython compare on a file.
type verdict int

const (
	agree         verdict = iota
	bothReject            // with an error each
	weReject              // what CPython accepts
	weAccept              // what CPython rejects
	differentTree         // both accept
)

// compareFile parses a file and compares with what CPython said of it.
func (py python) compareFile(path, want string) (verdict, string, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return 0, "", err
	}
	f := NewFile(path, src)
	m, errs := Parse(f)
	rejected := strings.HasPrefix(want, "rejected")
	switch {
	case errs != nil && rejected:
		return bothReject, "", nil
	case errs != nil:
		return weReject, errs.Detail(), nil
	case rejected:
		return weAccept, want, nil
	}
	d := dumper{file: f, positions: py.hasPositions()}
	d.module(m)
	sum := sha256.Sum256(d.out)
	if hex.EncodeToString(sum[:]) == want {
		return agree, "", nil
	}
	return differentTree, string(d.out), nil
}

// TestStandardLibrary compares the trees of CPython's own library with those
// that its ast module gives, node by node, with every field and position.
func TestStandardLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("the comparison takes seconds")
	}
	py := findPython(t)
	paths := sourceFiles(t, py.stdlib, *stdlibAll)
	workers := runtime.GOMAXPROCS(0)
	counts := make([][5]int, workers)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			oracle := py.startDump(t)
			defer oracle.close()
			for i := w; i < len(paths); i += workers {
				answer, err := oracle.answer(paths[i])
				if err != nil {
					t.Error(err)
					return
				}
				v, detail, err := py.compareFile(paths[i], answer)
				if err != nil {
					t.Error(err)
					return
				}
				counts[w][v]++
				py.reportVerdict(t, paths[i], v, detail)
			}
		})
	}
	group.Wait()
	var total [5]int
	for _, c := range counts {
		for v := range c {
			total[v] += c[v]
		}
	}
	t.Logf("CPython 3.%d, %d files: %d trees agree, %d rejected by both", py.minor, len(paths), total[agree], total[bothReject])
	if total[agree] == 0 {
		t.Error("no file was compared")
	}
}

func (py python) reportVerdict(t *testing.T, path string, v verdict, detail string) {
	switch v {
	case weReject:
		t.Errorf("%s: CPython accepts it\n%s", path, detail)
	case weAccept:
		if !isCodecRejection(detail) {
			t.Errorf("%s: accepted; CPython: %s", path, detail)
		}
	case differentTree:
		t.Errorf("%s: %s", path, firstDifference(detail, py.text(t, path)))
	}
}

// isCodecRejection reports whether CPython rejected a file for what is none of
// the grammar's business.
func isCodecRejection(answer string) bool { return strings.Contains(answer, "unknown encoding") }
