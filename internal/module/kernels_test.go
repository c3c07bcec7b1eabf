package module

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
)

// summary gives a kernel as text: what the decorators say, then the parameters.
func summary(k *Kernel) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", k.Name)
	for _, c := range k.Configs {
		b.WriteString(" {")
		for _, kw := range c.Kwargs {
			fmt.Fprintf(&b, "%s=%s ", kw.Name, pyval.Repr(kw.Value))
		}
		fmt.Fprintf(&b, "w%d s%d c%d", c.NumWarps, c.NumStages, c.NumCTAs)
		if c.MaxNReg != 0 {
			fmt.Fprintf(&b, " r%d", c.MaxNReg)
		}
		if c.PreHook {
			b.WriteString(" hook")
		}
		b.WriteString("}")
	}
	for _, list := range []struct {
		name  string
		names []string
	}{
		{"key", k.AutotuneKey}, {"reset", k.ResetToZero}, {"restore", k.RestoreValue}, {"nospec", k.DoNotSpecialize},
		{"noalign", k.DoNotSpecializeOnAlignment}, {"wrappers", k.Wrappers},
	} {
		if list.names != nil {
			fmt.Fprintf(&b, " %s%v", list.name, list.names)
		}
	}
	if k.Pruned {
		b.WriteString(" pruned")
	}
	for _, h := range k.Heuristics {
		fmt.Fprintf(&b, " heuristic %s", h.Name)
	}
	if k.NoInline {
		b.WriteString(" noinline")
	}
	if k.Debug {
		b.WriteString(" debug")
	}
	for _, err := range []error{k.Err, k.TuneErr, k.HeuristicsErr, k.OptionsErr} {
		if err != nil {
			fmt.Fprintf(&b, " !%v", err)
		}
	}
	return b.String()
}

func TestKernels(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"order and places", `
@triton.jit
def b(): pass
def host(): pass
@triton.jit
def a(): pass
`, "b\na"},
		{"configurations", `
def configs():
    return [triton.Config({"B": b, "F": True}, num_warps=w, maxnreg=64) for b in (32, 64) for w in (4, 8) if b * w <= 256]
@triton.autotune(configs=configs(), key=["n", "B"], reset_to_zero=["x"], restore_value=["y"])
@triton.jit
def k(x, y, n, B, F): pass
@triton.autotune([triton.Config({}, 2, 5, pre_hook=lambda a: None), triton.Config(kwargs=dict(B=1), num_ctas=2)], ["n"])
@triton.jit
def l(n, B): pass
`, `k {B=32 F=True w4 s3 c1 r64} {B=32 F=True w8 s3 c1 r64} {B=64 F=True w4 s3 c1 r64} key[n B] reset[x] restore[y]
l {w2 s5 c1 hook} {B=1 w4 s3 c2} key[n]`},
		{"options", `
@triton.jit(debug=True, noinline=True, do_not_specialize=["n", 0], do_not_specialize_on_alignment=(1,))
def k(x, y, n): pass
import functools
@functools.partial(triton.jit, do_not_specialize=["m"])
def l(m): pass
`, "k nospec[n x] noalign[y] noinline debug\nl nospec[m]"},
		{"pruned", `
@triton.autotune([triton.Config({"B": 1}), triton.Config({"B": 2})], key=[], prune_configs_by={"early_config_prune": lambda cs, *a, **k: cs[1:]})
@triton.jit
def k(B): pass
@triton.autotune([triton.Config({"B": 1})], key=[], prune_configs_by=None)
@triton.jit
def l(B): pass
`, "k {B=1 w4 s3 c1} {B=2 w4 s3 c1} pruned\nl {B=1 w4 s3 c1}"},
		{"heuristics", `
@triton.heuristics({"EVEN": lambda args: args["n"] % args["B"] == 0, "W": lambda a: 1})
@triton.heuristics(values={"Z": lambda a: 2})
@triton.jit
def k(n, B, EVEN, W, Z): pass
`, "k heuristic EVEN heuristic W heuristic Z"},
		{"wrappers", `
from lib import libentry, tuned
@libentry()
@tuned(configs=[1])
@triton.jit
def k(): pass
`, "k wrappers[libentry() tuned(configs=[1])]"},
		{"nested", `
class A:
    class B:
        @staticmethod
        @triton.jit
        def k(): pass
    @triton.jit
    def l(): pass
def make(n):
    if n:
        @triton.jit
        def k(x): n
    def inner():
        @triton.jit
        def m(): pass
    return k
try:
    @triton.jit
    def p(): pass
except ImportError:
    pass
if True:
    @triton.jit
    def q(): pass
else:
    @triton.jit
    def q(x): pass
made = make(1)
named = triton.jit(lambda x: x)
`, "A.B.k\nA.l\nmake.k\nmake.inner.m\np\nq\nnamed"},
		{"defined twice", `
import torch
@triton.jit
def k(): pass
@triton.jit
def k(x): pass
if torch.x:
    @triton.jit
    def m(): pass
else:
    @triton.jit
    def m(x): pass
if torch.x:
    @triton.jit
    def o(): pass
`, "k\nm !kernels.py:14:5: Unsupported: 'm' cannot be known: which of its definitions holds (line 11 or 14) depends on torch.x, " +
			"and module 'torch' is not available: it is no file of the program, and no libraries are run\no"},
		{"what is not known", `
import torch
@triton.autotune(configs=torch.configs(), key=[])
@triton.heuristics(torch.heuristics)
@triton.jit(debug=torch.debug)
def k(): pass
@triton.autotune(configs=[triton.Config({"B": torch.b}, num_warps=2)], key=[])
@triton.jit
def l(B): pass
@triton.autotune(configs=[triton.Config({"B": 1}, num_warps="x")], key=[])
@triton.jit
def m(B): pass
@triton.jit
def n(**kw): pass
@triton.jit
def o(x, n, *, x): pass
@triton.jit
async def p(x): pass
q = triton.jit(lambda x, *x: None)
`, "k !kernels.py:5:2: Unsupported: the set of configurations of 'k' cannot be known: it comes from torch.configs(), and module 'torch' is not available: it is no file of the program, and no libraries are run" +
			" !kernels.py:6:2: Unsupported: the set of heuristics of 'k' cannot be known: it comes from torch.heuristics, and module 'torch' is not available: it is no file of the program, and no libraries are run" +
			" !kernels.py:7:2: Unsupported: what jit is given cannot be known: it comes from torch.debug, and module 'torch' is not available: it is no file of the program, and no libraries are run\n" +
			"l !kernels.py:9:2: Unsupported: the set of configurations of 'l' cannot be known: it comes from torch.b, and module 'torch' is not available: it is no file of the program, and no libraries are run\n" +
			"m !kernels.py:12:2: CompileError: the set of configurations of 'm' cannot be evaluated: ValueError: num_warps of a Config is 'x'; it must be a positive integer\n" +
			"n !kernels.py:16:9: CompileError: a kernel cannot have a **kw parameter: name the parameters\n" +
			"o !kernels.py:18:16: CompileError: duplicate argument 'x' in function definition\n" +
			"p !kernels.py:20:11: CompileError: 'p' is a coroutine, which a kernel cannot be or call: write def instead of async def\n" +
			"q !kernels.py:21:27: CompileError: duplicate argument 'x' in function definition"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, k := range load(t, header+c.src).Kernels() {
				got = append(got, summary(k))
			}
			if text := strings.Join(got, "\n"); text != c.want {
				t.Errorf("got\n%s\nwant\n%s", text, c.want)
			}
		})
	}
}

func TestParams(t *testing.T) {
	m := load(t, header+`
from triton.language import constexpr as C
D = 3
@triton.jit
def k(a, b: tl.constexpr, c: "tl.constexpr" = D + 1, d: C = None, e: tl.tensor = open("x"), *rest, f: C[int] = tl.float32, g=1.5): pass
`)
	want := []string{
		"a", "b: tl.constexpr const", `c: "tl.constexpr" const = 4`, "d: C const = None",
		"e: tl.tensor = kernels.py:0:0: 'e' is not known", "*rest", "f: C[int] const kwonly = triton.language.float32", "g kwonly = 1.5",
	}
	k := m.Kernel("k")
	if len(k.Params) != len(want) {
		t.Fatalf("%d parameters, want %d", len(k.Params), len(want))
	}
	for i, p := range k.Params {
		got := p.Name
		if p.Variadic {
			got = "*" + got
		}
		if p.Annotation != "" {
			got += ": " + p.Annotation
		}
		if p.Constexpr {
			got += " const"
		}
		if p.KwOnly {
			got += " kwonly"
		}
		if p.DefaultErr != nil {
			if !p.HasDefault || !errors.Is(p.DefaultErr, diag.Unsupported) {
				t.Errorf("%s: %v", p.Name, p.DefaultErr)
			}
			continue
		}
		if p.HasDefault {
			got += " = " + pyval.Repr(p.Default)
		}
		if got != want[i] {
			t.Errorf("parameter %d is %q, want %q", i, got, want[i])
		}
		if p.At.Line != 8-1 {
			t.Errorf("%s is at line %d", p.Name, p.At.Line)
		}
	}
}

func TestKernelByName(t *testing.T) {
	m := load(t, header+`
class A:
    @triton.jit
    def k(): pass
    @triton.jit
    def only(): pass
@triton.jit
def k(): pass
def f():
    @triton.jit
    def twice(): pass
def g():
    @triton.jit
    def twice(): pass
`)
	for name, want := range map[string]string{"k": "k", "A.k": "A.k", "only": "A.only", "g.twice": "g.twice", "twice": "", "nothing": ""} {
		got := ""
		if k := m.Kernel(name); k != nil {
			got = k.Name
		}
		if got != want {
			t.Errorf("Kernel(%q) is %q, want %q", name, got, want)
		}
	}
	first := m.Kernel("k")
	if again := m.Kernel("k"); again != first || m.Kernels()[2].Fn != first.Fn {
		t.Error("a kernel is not the same each time")
	}
}

// TestClosures: a kernel made by a call sees the values of that call; one that is only looked at
// inside its function does not know the parameters.
func TestClosures(t *testing.T) {
	m := load(t, header+`
G = tl.constexpr(7)
def make(n):
    twice = n * 2
    @triton.jit
    def k(x):
        twice, n, G
    return k
a = make(4)
b = make(5)
`)
	b, ok, err := m.Env().Lookup("a")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	env := b.Value.(*sema.Func).Env
	for name, want := range map[string]Value{"n": int64(4), "twice": int64(8), "G": int64(7)} {
		if b, ok, err := env.Lookup(name); err != nil || !ok || !b.Const || b.Value != want {
			t.Errorf("%s is %v (%v, %v), want the constant %v", name, b, ok, err, want)
		}
	}
	inside := m.Kernel("make.k").Fn.Env
	if _, _, err := inside.Lookup("n"); err == nil || !strings.Contains(err.Error(), "'n' cannot be known: it is a parameter of make(), which is known only where that is called") {
		t.Errorf("n inside make: %v", err)
	}
	if b, ok, err := inside.Lookup("G"); err != nil || !ok || b.Value != int64(7) {
		t.Errorf("G inside make: %v %v %v", b, ok, err)
	}
}

// TestSameFunction: a name leads to the same function and the same object each time, so that
// what was captured can be compared.
func TestSameFunction(t *testing.T) {
	m := load(t, header+`
import math
class A: pass
@triton.constexpr_function
def c(x): return x + A.__name__ if isinstance(x, str) else x * math.pi
@triton.jit
def k(): pass
l = k
f = float("nan")
t = (k, f)
`)
	for _, name := range m.Names() {
		x, _, err1 := m.Env().Lookup(name)
		y, _, err2 := m.Env().Lookup(name)
		if err1 != nil || err2 != nil {
			t.Fatal(name, err1, err2)
		}
		if !pyval.Identical(x.Value, y.Value) {
			t.Errorf("%s is another value the second time: %v, %v", name, x.Value, y.Value)
		}
	}
	k, _, _ := m.Env().Lookup("k")
	l, _, _ := m.Env().Lookup("l")
	if k.Value != l.Value {
		t.Error("k and l are not the same function")
	}
	b, _, _ := m.Env().Lookup("c")
	for arg, want := range map[Value]Value{"x": "xA", int64(2): 6.283185307179586} {
		if got, err := b.Value.(sema.Callable).Call([]Value{arg}, nil); err != nil || got != want {
			t.Errorf("c(%v) is %v (%v), want %v", arg, got, err, want)
		}
	}
	var d *diag.Error
	if _, err := b.Value.(sema.Callable).Call(nil, nil); !errors.As(err, &d) || !strings.Contains(d.Msg, "missing 1 required argument: 'x'") {
		t.Errorf("a wrong call of c: %v", err)
	}
}

func TestHeuristic(t *testing.T) {
	m := load(t, header+`
import torch
LIMIT = 100
@triton.heuristics({
    "EVEN": lambda args: args["n"] % args["B"] == 0 and list(args)[0] == "n",
    "BIG": lambda args: min(LIMIT, triton.next_power_of_2(args["n"])),
    "TORCH": lambda args: torch.cuda.thing(),
    "BAD": lambda args: args["nothing"],
})
@triton.jit
def k(n, B, EVEN: tl.constexpr, BIG, TORCH, BAD): pass
`)
	args := map[string]sema.Value{"B": int64(16), "n": int64(48), "zz": int64(1)}
	want := map[string]string{
		"EVEN": "True", "BIG": "64",
		"TORCH": "kernels.py:4:8: Unsupported: the heuristic of 'TORCH' cannot be known: it comes from torch.cuda.thing(), and module 'torch' is not available: it is no file of the program, and no libraries are run",
		"BAD":   "kernels.py:10:25: CompileError: the heuristic of 'BAD' cannot be evaluated: KeyError: 'nothing'",
	}
	for _, h := range m.Kernel("k").Heuristics {
		v, err := h.Eval(args)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = pyval.Repr(v)
		}
		if got != want[h.Name] {
			t.Errorf("%s is %s, want %s", h.Name, got, want[h.Name])
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	var src strings.Builder
	src.WriteString(header)
	for i := range 50 {
		fmt.Fprintf(&src, "A%d = tl.constexpr([%d] + A%d.value) if %d else tl.constexpr([])\n", i, i, max(0, i-1), i)
		fmt.Fprintf(&src, "@triton.autotune([triton.Config({'B': len(A%d.value)})], [])\n@triton.jit\ndef k%d(B): pass\n", i, i)
	}
	m := load(t, src.String())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 50 {
				if b, ok, err := m.Env().Lookup(fmt.Sprintf("A%d", i)); err != nil || !ok || len(b.Value.(*pyval.List).Elems) != i {
					t.Errorf("A%d is %v (%v, %v)", i, b.Value, ok, err)
				}
				if k := m.Kernel(fmt.Sprintf("k%d", i)); len(k.Configs) != 1 || k.Configs[0].Kwargs[0].Value != int64(i) {
					t.Errorf("k%d has %v", i, k.Configs)
				}
			}
			if n := len(m.Kernels()); n != 50 {
				t.Errorf("%d kernels", n)
			}
		})
	}
	wg.Wait()
}
