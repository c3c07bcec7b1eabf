package module

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// An array is an object with attributes, as callers of EvalExpr have.
type array struct{ shape pyval.Tuple }

func (a array) Attr(name string) (sema.Value, bool, error) {
	switch name {
	case "shape":
		return a.shape, true, nil
	case "broken":
		return nil, false, diag.New(diag.Argument, "broken", "the attribute is broken")
	}
	return nil, false, nil
}

func (a array) TypeName() string { return "array" }

type zeros struct{}

func (zeros) Call(args []sema.Value, kwargs []sema.Kwarg) (sema.Value, error) {
	return fmt.Sprint("zeros", args, kwargs), nil
}

func TestEvalExpr(t *testing.T) {
	vars := map[string]sema.Value{
		"n": int64(1000), "BLOCK": int64(64), "x": array{pyval.NewTuple(int64(3), int64(5))}, "zeros": zeros{}, "f": 0.5, "none": pyval.None,
	}
	for src, want := range map[string]string{
		"cdiv(n, BLOCK)":                        "16",
		"next_power_of_2(n)":                    "1024",
		"(cdiv(n, 64), 1)":                      "(16, 1)",
		"min(n, BLOCK) if f < 1 else max(n, 1)": "64",
		"x.shape[0] * x.shape[-1]":              "15",
		"zeros('f32', n, k=1)":                  "'zeros[f32 1000] [{k 1}]'",
		"[i for i in range(3)]":                 "[0, 1, 2]",
		"lambda: 1":                             "error: '<lambda>' is a plain Python function",
		"none is None":                          "True",
		"f'{n:x}'":                              "'3e8'",
		"n // 0":                                "error: <expr>:1:1: CompileError: ZeroDivisionError: integer division or modulo by zero",
		"cdiv(n, 0)":                            "error: ZeroDivisionError",
		"cdiv(1.5, 2)":                          "error: TypeError: cdiv() takes two integers, not float and int",
		"cdiv(n)":                               "error: cdiv() missing required argument 'y'",
		"  m + 1":                               "error: <expr>:1:3: CompileError: name 'm' is not defined",
		"BLOK":                                  "error: name 'BLOK' is not defined; did you mean 'BLOCK'?",
		"cdv(1, 2)":                             "error: did you mean 'cdiv'?",
		"x.size":                                "error: AttributeError: 'array' object has no attribute 'size'",
		"x.broken":                              "error: the attribute is broken",
		"open('f')":                             "error: 'open' is not evaluated by Tegula",
		"1 +":                                   "error: SyntaxError",
		"1 << 100000":                           "error: MemoryError",
		"10 ** 10 ** 10":                        "error: MemoryError",
		"[0] * 10 ** 9":                         "error: MemoryError",
		"[0 for a in range(2000) for b in range(10000)]": "error: takes more than",
		"sum(range(10))":                   "45",
		"(lambda f: f(f))(lambda f: f(f))": "error: RecursionError",
	} {
		v, err := EvalExpr(syntax.NewFile("<expr>", []byte(src)), vars)
		got := ""
		if err != nil {
			got = "error: " + err.Error()
			if d := (*diag.Error)(nil); !errors.As(err, &d) {
				t.Errorf("%s: the error is no diagnostic: %v", src, err)
			}
		} else {
			got = pyval.Repr(v)
		}
		if part, ok := strings.CutPrefix(want, "error: "); ok && err != nil && strings.Contains(got, part) {
			continue
		}
		if got != want {
			t.Errorf("%s is %s, want %s", src, got, want)
		}
	}
}

func TestModuleEval(t *testing.T) {
	m := load(t, header+`
A = 3
def cdiv(a, b): return "mine"
def grid(meta): return (A, meta["B"])
`)
	for src, want := range map[string]string{
		"A + n":                "8",
		"cdiv(1, 2)":           "'mine'",
		"next_power_of_2(A)":   "4",
		"grid({'B': n})":       "(3, 5)",
		"(lambda a: a + A)(n)": "8",
		"tl.float32":           "triton.language.float32",
		"triton.cdiv(n, 2)":    "3",
		"nothing":              "error: <grid>:1:1: CompileError: name 'nothing' is not defined",
		"grid(1)":              "error: kernels.py:6:28: CompileError: TypeError: 'int' object is not subscriptable",
		"[x for x in A]":       "error: <grid>:1:13: CompileError: TypeError: 'int' object is not iterable",
	} {
		f := syntax.NewFile("<grid>", []byte(src))
		e, errs := syntax.ParseExpr(f)
		if errs != nil {
			t.Fatal(errs)
		}
		v, err := m.Eval(e, f, map[string]sema.Value{"n": int64(5)})
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else {
			got = pyval.Repr(v)
		}
		if got != want {
			t.Errorf("%s is %s, want %s", src, got, want)
		}
	}
}

func TestEvalGrid(t *testing.T) {
	m := load(t, header+`
A = 3
def grid(meta): return (A, meta["n"])
`)
	for src, want := range map[string]string{
		"n, A":                               "(5, 3)",
		"grid":                               "(3, 5)",
		"lambda args: (cdiv(args['n'], 2),)": "(3,)",
		"lambda args: (A, len(args))":        "(3, 1)",
		"lambda args: args['m']":             "error: <grid>:1:14: CompileError: KeyError: 'm'",
		"lambda: 3":                          "error: <grid>:1:1: CompileError: 'lambda: 3' cannot be evaluated: TypeError: <lambda>() takes 0 positional arguments, not 1",
		"lambda args: lambda: 3":             "error: <grid>:1:14: CompileError: '<lambda>' is a plain Python function",
	} {
		f := syntax.NewFile("<grid>", []byte(src))
		e, errs := syntax.ParseExpr(f)
		if errs != nil {
			t.Fatal(errs)
		}
		v, err := m.EvalGrid(e, f, map[string]sema.Value{"n": int64(5)})
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else {
			got = pyval.Repr(v)
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s is %s, want %s", src, got, want)
		}
	}
}

// loadProgram makes modules by path; packages have the path of their __init__.
func loadProgram(t *testing.T, files map[string]string) map[string]*Module {
	mods := map[string]*Module{}
	prog := new(program)
	imp := func(from string) importer {
		return func(path string, level int) (*Module, error) {
			if path == "broken" {
				return nil, errors.New("it is broken")
			}
			if level == 0 {
				return mods[path], nil
			}
			base := from
			for range level {
				base = base[:max(strings.LastIndexByte(base, '.'), 0)]
			}
			return mods[strings.Trim(base+"."+path, ".")], nil
		}
	}
	for name, src := range files {
		from := strings.TrimSuffix(name, ".__init__")
		key := from
		if strings.HasSuffix(name, ".__init__") {
			from += ".x" // relative imports of a package start inside it
		}
		m, err := newModule(prog, name+".py", []byte(header+src), imp(from))
		if err != nil {
			t.Fatal(err)
		}
		mods[key] = m
	}
	return mods
}

func TestImports(t *testing.T) {
	mods := loadProgram(t, map[string]string{
		"main": `
import pkg.util
import pkg.util as u
import broken, missing
from pkg import util, VALUE, helper
from pkg.util import *
from pkg.util import kern as k2
A = pkg.util.N + u.N + VALUE
B = helper(4)
C = util.table
`,
		"pkg.__init__": `
from .util import N as VALUE
from . import util
from .cycle import back
def helper(n): return n + VALUE
`,
		"pkg.util": `
N = 5
LIMIT = tl.constexpr(9)
table = {"a": N}
_hidden = 1
__all__ = ["N", "LIMIT", "kern", "_given"]
_given = 2
@triton.jit
def kern(): pass
`,
		"pkg.cycle": `
from pkg import VALUE
from . import util
from .. import main
back = VALUE + util.N
`,
	})
	for _, c := range []struct{ mod, name, want string }{
		{"main", "A", "15"},
		{"main", "B", "9"},
		{"main", "C", "{'a': 5}"},
		{"main", "LIMIT", "const 9"},
		{"main", "kern", "kernel kern"},
		{"main", "k2", "kernel kern"},
		{"main", "_hidden", "unbound"},
		{"main", "_given", "2"},
		{"main", "table", "unbound"},
		{"main", "u", "<module 'pkg.util'>"},
		{"main", "broken", "error: main.py:6:1: Unsupported: 'broken' cannot be known: module 'broken' cannot be loaded: it is broken"},
		{"main", "missing", "error: main.py:6:1: Unsupported: 'missing' cannot be known: module 'missing' is not available: it is no file of the program, and no libraries are run"},
		{"pkg", "back", "10"},
		{"pkg.cycle", "main", "<module '..main'>"},
	} {
		if got := look(t, mods[c.mod], c.name); got != c.want {
			t.Errorf("%s of %s is %s, want %s", c.name, c.mod, got, c.want)
		}
	}
	b, _, err := mods["main"].Env().Lookup("u")
	if err != nil {
		t.Fatal(err)
	}
	if v, ok, err := b.Value.(sema.Attrer).Attr("N"); v != Value(int64(5)) || !ok || err != nil {
		t.Errorf("u.N is %v (%v, %v)", v, ok, err)
	}
	if _, ok, err := b.Value.(sema.Attrer).Attr("nothing"); ok || err != nil {
		t.Errorf("u.nothing: %v, %v", ok, err)
	}
	if n := len(mods["main"].Kernels()); n != 0 {
		t.Errorf("main has %d kernels; imported ones are not its own", n)
	}
}

func TestSyntaxErrors(t *testing.T) {
	_, err := Load("bad.py", []byte("def f(:\n    pass\nx = = 1\n"))
	var list diag.List
	if !errors.As(err, &list) || !errors.Is(err, diag.Syntax) || list[0].Place.Line != 1 {
		t.Errorf("%v", err)
	}
}

func FuzzLoad(f *testing.F) {
	for _, c := range nameCases {
		f.Add(header + c.src)
	}
	f.Add("import triton\n@triton.jit\ndef k(x=k): pass\nk = k\nclass A(A): X = A.X\nfor i in range(10**6):\n  a = [a for a in a]\n")
	setStepLimit(f, 10_000)
	f.Fuzz(func(t *testing.T, src string) {
		m, err := Load("fuzz.py", []byte(src))
		if err != nil {
			return
		}
		for _, k := range m.Kernels() {
			for _, h := range k.Heuristics {
				if _, err := h.Eval(map[string]sema.Value{"n": int64(3)}); err != nil && err.Error() == "" {
					t.Error("an error without a message")
				}
			}
		}
		for _, name := range m.Names() {
			b, ok, err := m.Env().Lookup(name)
			if err != nil && err.Error() == "" {
				t.Error("an error without a message")
			}
			if ok && b.Value == nil {
				t.Errorf("%s is bound to nothing", name)
			}
		}
	})
}

// setStepLimit lowers the limit for a test.
func setStepLimit(t testing.TB, n int) {
	old := stepLimit
	t.Cleanup(func() { stepLimit = old })
	stepLimit = n
}
