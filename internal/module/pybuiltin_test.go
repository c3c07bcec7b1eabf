package module

import (
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/sema"
)

// pyBuiltinCases use each of Python's functions, as $, on what only kernels have, or, where the function
// takes constants alone, on constants. What a case gives is what the kernel prints when it is
// compiled, else the operation that it must hold.
var pyBuiltinCases = map[string]struct{ body, prints, op string }{
	"range":      {"for i in $(n):\n        tl.store(p, i)", "", "for "},
	"min":        {"tl.store(p, $(n, 3))", "", "mins "},
	"max":        {"tl.store(p, $(n, 3))", "", "maxs "},
	"abs":        {"tl.store(p, $(n))", "", "abs"},
	"print":      {"$('n is', n)", "", "print "},
	"isinstance": {"tl.static_print($(n, tl.tensor), $(3, tl.tensor))", "True False", ""},
	"getattr":    {"tl.static_print($(n, 'dtype'), $(p.dtype, 'no_such', 7))", "int32 7", ""},
	"hasattr":    {"tl.static_print($(n, 'dtype'), $(n, 'no_such'))", "True False", ""},
	"len":        {"tl.static_print($(p.shape), len((n, n)))", "0 2", ""},
	"int":        {"tl.static_print($(2.5), isinstance(3, $), isinstance(n, $))", "2 True False", ""},
	"float":      {"tl.static_print($(2), isinstance(0.5, $), isinstance(n, $))", "2.0 True False", ""},
	"bool":       {"tl.static_print($(2), isinstance(True, $), isinstance(n, $))", "True True False", ""},
	"str":        {"tl.static_print($(2), isinstance('a', $), isinstance(n, $))", "2 True False", ""},
	"tuple":      {"tl.static_print(len($([n, n])), isinstance((n,), $))", "2 True", ""},
	"list":       {"tl.static_print(len($((n, n))), isinstance(n, $))", "2 False", ""},
	"zip":        {"for a, b in $((n, 1), (2, 3)):\n        tl.static_print(b)", "2|3", ""},
	"enumerate":  {"for i, a in $((n, n)):\n        tl.static_print(i)", "0|1", ""},
	"reversed":   {"for a in $((1, 2)):\n        tl.static_print(a)", "2|1", ""},
	"all":        {"tl.static_print($((True, False)))", "False", ""},
	"any":        {"tl.static_print($((True, False)))", "True", ""},
	"sum":        {"tl.static_print($((1, 2)))", "3", ""},
	"sorted":     {"tl.static_print($((2, 1))[0])", "1", ""},
	"round":      {"tl.static_print($(2.7))", "3", ""},
	"divmod":     {"tl.static_print($(7, 2)[1])", "1", ""},
	"pow":        {"tl.static_print($(2, 3))", "8", ""},
	"repr":       {"tl.static_print($('a'))", "'a'", ""},
	"callable":   {"tl.static_print($(3))", "False", ""},
	"type":       {"tl.static_print($(3) == int)", "True", ""},
}

// Python's functions mean in a kernel what sema gives them, whatever host code has under their names:
// by their own names, by a global's, and in a closure.
func TestPythonFunctionsInKernels(t *testing.T) {
	for _, name := range sema.PyBuiltinNames() {
		c, ok := pyBuiltinCases[name]
		if !ok {
			t.Errorf("no case uses %s", name)
			continue
		}
		const def = "@triton.jit\ndef k(p, n):\n    "
		body := func(f string) string { return strings.ReplaceAll(c.body, "$", f) + "\n" }
		for way, src := range map[string]string{
			"its name":  def + body(name),
			"a global":  "renamed = " + name + "\n" + def + body("renamed"),
			"a closure": "def make(given):\n    @triton.jit\n    def inner(p, n):\n        " + indented(body("given")) + "return inner\nk = make(" + name + ")\n",
		} {
			prints, code := compileKernel(t, header+src)
			if prints != c.prints {
				t.Errorf("%s by %s prints %q, want %q", name, way, prints, c.prints)
			}
			if c.op != "" && !strings.Contains(code, c.op) {
				t.Errorf("%s by %s: no %q in\n%s", name, way, c.op, code)
			}
		}
	}
}

func indented(body string) string { return strings.ReplaceAll(body, "\n", "\n    ") }

// compileKernel compiles the kernel k(p, n) of a module for a pointer and an int. It gives what it
// printed, lines separated by bars, and its code.
func compileKernel(t *testing.T, src string) (prints, code string) {
	t.Helper()
	b, ok, err := load(t, src).Env().Lookup("k")
	if err != nil || !ok {
		t.Fatalf("no k: %v\n%s", err, src)
	}
	i32 := sema.ScalarType(dtype.Int32)
	var printed strings.Builder
	res, err := sema.Compile(sema.Spec{
		Fn: b.Value.(*sema.Func), Args: []sema.ArgSpec{{Type: sema.PointerTo(i32)}, {Type: i32}},
		Options: sema.Options{NumWarps: 4, NumStages: 3, NumCTAs: 1, Print: func(s string) { printed.WriteString(s) }},
	})
	if err != nil {
		t.Errorf("%s%s", src, diag.Detail(err))
		return "", ""
	}
	return strings.ReplaceAll(strings.TrimSpace(printed.String()), "\n", "|"), res.Module.String()
}

// Functions that only share a name with Python's keep their meaning.
func TestNamesLikePythonFunctions(t *testing.T) {
	prints, _ := compileKernel(t, header+`
from math import pow
@triton.jit
def k(p, n):
    tl.static_print(pow(2, 3))
`)
	if prints != "8.0" {
		t.Errorf("math.pow(2, 3) is %s", prints)
	}
}

// A constexpr function gets the functions of host code, as it would from host code.
func TestPythonFunctionsAsArguments(t *testing.T) {
	prints, _ := compileKernel(t, header+`
@triton.constexpr_function
def apply(f, *args):
    return f(*args)
@triton.jit
def k(p, n):
    tl.static_print(apply(int, 2.5), apply(isinstance, 3, int), apply(max, 1, 2), apply(hasattr, 3, "x"))
`)
	if prints != "2 True 2 False" {
		t.Errorf("printed %s", prints)
	}
}
