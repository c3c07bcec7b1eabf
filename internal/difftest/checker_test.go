package difftest_test

import (
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula"
)

var (
	launchLine = regexp.MustCompile(`(?m)^# launch ([a-z-]+): (.*)\n@triton.jit\ndef (\w+)`)
	arrayValue = regexp.MustCompile(`^(\w+)\[([\d,]+)\]$`)
)

// TestSanitizer launches the kernels of testdata/checker, each with what is to be found in it.
func TestSanitizer(t *testing.T) {
	src, err := os.ReadFile("testdata/checker/kernels.py")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := tegula.Load("kernels.py", src)
	if err != nil {
		t.Fatal(tegula.Detail(err))
	}
	launches := launchLine.FindAllStringSubmatch(string(src), -1)
	if n := strings.Count(string(src), "# launch "); n != len(launches) {
		t.Fatalf("%d launches are understood, of %d", len(launches), n)
	}
	for _, l := range launches {
		want, words, name := l[1], l[2], l[3]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			grid, args := launchWords(t, words)
			args = append(args, tegula.Check())
			err := mod.Kernel(name).Launch(t.Context(), tegula.CPU(), tegula.GridExpr(grid), args...)
			if got := findingCode(err); got != want {
				t.Errorf("found %s, want %s\n%s", got, want, tegula.Detail(err))
			}
		})
	}
}

// findingCode gives the code of a finding, "none" of no error.
func findingCode(err error) string {
	if err == nil {
		return "none"
	}
	var e *tegula.Error
	if !errors.As(err, &e) || !errors.Is(err, tegula.ErrCheck) {
		return "another error"
	}
	return e.Code
}

// launchWords reads NAME=VALUE words: arrays of zeros, as fp32[4,5], and integers.
func launchWords(t *testing.T, words string) (grid string, args []any) {
	for _, word := range strings.Fields(words) {
		name, value, _ := strings.Cut(word, "=")
		if name == "grid" {
			grid = value
			continue
		}
		m := arrayValue.FindStringSubmatch(value)
		if m == nil {
			n, err := strconv.Atoi(value)
			if err != nil {
				t.Fatal(err)
			}
			args = append(args, tegula.Arg(name, n))
			continue
		}
		d, ok := tegula.ParseDType(m[1])
		if !ok {
			t.Fatalf("unknown type %s", m[1])
		}
		var shape []int
		for s := range strings.SplitSeq(m[2], ",") {
			n, err := strconv.Atoi(s)
			if err != nil {
				t.Fatal(err)
			}
			shape = append(shape, n)
		}
		a, err := tegula.NewArray(d, shape...)
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, tegula.Arg(name, a))
	}
	return grid, args
}
