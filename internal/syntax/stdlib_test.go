package syntax

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

var stdlib = flag.String("stdlib", "some", "which files of the standard library to compare: some, most (all but its tests), all")

// oneOf is the share of the library that is compared every day: each file that is the first of so many.
const oneOf = 12

// grammarTests are the tests in CPython's library that have the most unusual
// syntax.
var grammarTests = []string{
	"test_coroutines.py", "test_decorators.py", "test_exception_group.py", "test_except_star.py", "test_fstring.py",
	"test_generators.py", "test_genericalias.py", "test_grammar.py", "test_keywordonlyarg.py", "test_lambda.py",
	"test_named_expressions.py", "test_patma.py", "test_positional_only_arg.py", "test_string_literals.py",
	"test_syntax.py", "test_tokenize.py", "test_type_aliases.py", "test_type_params.py", "test_unicode_identifiers.py",
	"test_unpack_ex.py", "test_unparse.py", "test_with.py",
}

// sourceFiles gives the Python files below a directory that belong to the
// library: of its tests only those of grammarTests, unless all are wanted.
func sourceFiles(t testing.TB, root, which string) []string {
	t.Helper()
	var paths []string
	seen := 0
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "site-packages" || e.Name() == "__pycache__"):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".py"), e.IsDir():
			return nil
		}
		switch {
		case isTest(path) && which != "all" && !slices.Contains(grammarTests, e.Name()):
			return nil
		case !isTest(path) && which == "some":
			if seen++; seen%oneOf != 0 {
				return nil
			}
		}
		paths = append(paths, path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func isTest(path string) bool {
	for _, dir := range strings.Split(filepath.ToSlash(path), "/") {
		if dir == "test" || dir == "tests" || dir == "idle_test" {
			return true
		}
	}
	return false
}

// TestStandardLibrary compares the trees of CPython's own library with those
// that its ast module gives, node by node, with every field and position.
func TestStandardLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("the comparison takes seconds")
	}
	py := findPython(t)
	paths := sourceFiles(t, py.stdlib, *stdlib)
	workers := runtime.GOMAXPROCS(0)
	counts := make([][numVerdicts]int, workers)
	var group sync.WaitGroup
	for w := range workers {
		oracle := py.startDump(t)
		group.Go(func() {
			defer oracle.close()
			for i := w; i < len(paths); i += workers {
				v, err := py.compareFile(t, oracle, paths[i])
				if err != nil {
					t.Errorf("%s: %v", paths[i], err)
					return
				}
				counts[w][v]++
			}
		})
	}
	group.Wait()
	var total [numVerdicts]int
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

func (py python) compareFile(t *testing.T, oracle *dumpProcess, path string) (verdict, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	answer, err := oracle.answer(src)
	if err != nil {
		return 0, err
	}
	v, detail := py.compare(src, answer)
	if !aboutEncoding(v, detail) {
		py.report(t, path, src, v, detail)
	}
	return v, nil
}

// aboutEncoding reports whether a difference comes from a file's encoding: this
// parser takes UTF-8 alone, and does not look at its declaration but for that.
func aboutEncoding(v verdict, detail string) bool {
	return v == weReject && strings.Contains(detail, "save the file as UTF-8") ||
		v == weAccept && (strings.Contains(detail, "encoding problem") || strings.Contains(detail, "unknown encoding"))
}
