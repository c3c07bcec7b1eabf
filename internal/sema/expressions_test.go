package sema

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// testName is a variable of an expression: its kind and element type.
var testName = regexp.MustCompile(`\b([tmdqbsp])_(\w+)\b`)

// testLoads say how the variables of each kind are made; testdata/oracle/expressions.py has the same.
var testLoads = map[string]string{
	"t": "tl.load(p_TYPE + tl.arange(0, 8))",
	"m": "tl.load(p_TYPE + tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :])",
	"d": "tl.load(p_TYPE + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :])",
	"q": "tl.load(p_TYPE + tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :])",
	"b": "tl.load(p_TYPE + tl.arange(0, 2)[:, None, None] + tl.arange(0, 16)[None, :, None] * 16 + tl.arange(0, 16)[None, None, :])",
	"s": "tl.load(p_TYPE)",
}

const testHead = `import triton
import triton.language as tl
from triton.language.extra import libdevice

def add(a, b):
    return a + b

def first(a, i, b, j):
    return a, i

def twice(x):
    return x + x

`

// expressionKernel gives a kernel that evaluates an expression, and its arguments.
func expressionKernel(expr string) (src, args string) {
	var loads, params, described []string
	for _, m := range testName.FindAllStringSubmatch(expr, -1) {
		p := "p_" + m[2]
		if !slices.Contains(params, p) {
			params = append(params, p)
			described = append(described, p+"=*"+m[2])
		}
		if m[1] == "p" {
			continue
		}
		line := "    " + m[0] + " = " + strings.ReplaceAll(testLoads[m[1]], "TYPE", m[2]) + "\n"
		if !slices.Contains(loads, line) {
			loads = append(loads, line)
		}
	}
	src = testHead + "def kernel(" + strings.Join(params, ", ") + "):\n" + strings.Join(loads, "") +
		"    r = " + expr + "\n    tl.static_print(r.type)\n"
	return src, strings.Join(described, " ")
}

// The type of every expression is what Triton's front end says; see testdata/oracle/expressions.py.
func TestExpressionTypesAreTritons(t *testing.T) {
	src, err := os.ReadFile("testdata/expressions.tsv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(src)), "\n")
	if len(lines) < 500 {
		t.Errorf("only %d expressions", len(lines))
	}
	for _, line := range lines {
		expr, want, _ := strings.Cut(line, "\t")
		got, err := expressionType(t, expr)
		if got != want {
			t.Errorf("%s is %s, Triton has %s (%v)", expr, got, want, err)
		}
	}
}

func expressionType(t *testing.T, expr string) (string, error) {
	text, args := expressionKernel(expr)
	spec := loadSource(t, "expression.py", []byte(text)).spec(t, "kernel", args)
	var printed strings.Builder
	spec.Print = func(s string) { printed.WriteString(s) }
	if _, err := Compile(spec); err != nil {
		return "error", err
	}
	return strings.TrimSpace(printed.String()), nil
}
