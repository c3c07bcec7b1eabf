package module

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// A goFunc is a function of Go that an expression may call.
type goFunc func(args ...Value) (Value, error)

func (f goFunc) Call(args []Value, _ []pyval.Kwarg) (Value, error) { return f(args...) }

func evalIn(m *Module, expr string, vars map[string]Value) (Value, error) {
	f := syntax.NewFile("expr", []byte(expr))
	e, errs := syntax.ParseExpr(f)
	if len(errs) > 0 {
		return nil, errs
	}
	return m.Eval(e, f, vars)
}

// soon fails where something takes far longer than it can on any machine unless it waits for ever.
func soon(t *testing.T, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		t.Fatalf("%s: it waits for ever", what)
	}
}

const callbackSource = header + `
N = 3
def twice(x): return 2 * x
def apply(f, x): return f(x) + N
kept = []
def keep(f):
    kept.append(f)
    return 0
LATER = len(kept)
@triton.jit
def k(p, B: tl.constexpr = N): pass
`

// TestCallbacks: a function of Go may use the module that calls it, whatever way it is called.
func TestCallbacks(t *testing.T) {
	m, other := load(t, callbackSource), load(t, callbackSource)
	back := goFunc(func(args ...Value) (Value, error) {
		if len(other.Kernels()) != 1 || m.Kernel("k") == nil {
			return nil, errors.New("the kernels are not there")
		}
		if _, _, err := m.Env().Lookup("N"); err != nil {
			return nil, err
		}
		return evalIn(m, "twice(x)", map[string]Value{"x": args[0]})
	})
	for expr, want := range map[string]string{
		"f(4) + N":                        "11",
		"apply(f, 4)":                     "11",
		"sorted([1, 3, 2], key=f)[-1]":    "3",
		"list(map(f, [1, 2]))":            "[2, 4]",
		"[f(x) for x in (1, 2)]":          "[2, 4]",
		"fs[0](4) + fs[1][0](1)":          "10",
		"(lambda g: g(2))(f)":             "4",
		"max((1, 2), key=lambda x: f(x))": "2",
	} {
		soon(t, expr, func() {
			v, err := evalIn(m, expr, map[string]Value{"f": back, "fs": pyval.NewTuple(back, pyval.NewTuple(back))})
			if err != nil || pyval.Repr(v) != want {
				t.Errorf("%s is %v, %v; want %s", expr, v, err, want)
			}
		})
	}
}

// TestSlowCallbacks: while a function of Go runs nobody waits for it.
func TestSlowCallbacks(t *testing.T) {
	m, other := load(t, callbackSource), load(t, callbackSource)
	entered, leave := make(chan struct{}), make(chan struct{})
	slow := goFunc(func(...Value) (Value, error) {
		close(entered)
		<-leave
		return int64(1), nil
	})
	result := make(chan Value, 1)
	go func() {
		v, _ := evalIn(m, "apply(f, 0)", map[string]Value{"f": slow})
		result <- v
	}()
	<-entered
	soon(t, "a request beside a slow function", func() {
		for _, mod := range []*Module{m, other} {
			if v, err := evalIn(mod, "twice(N)", nil); err != nil || v != Value(int64(6)) {
				t.Errorf("twice(N) is %v, %v", v, err)
			}
		}
	})
	close(leave)
	if v := <-result; v != Value(int64(4)) {
		t.Errorf("the slow request gives %v, want 4", v)
	}
}

// TestCallbacksShareNoBudget: requests that a function of Go makes have steps of their own, and give none back
// to the request that called it.
func TestCallbacksShareNoBudget(t *testing.T) {
	setStepLimit(t, 1000)
	m := load(t, callbackSource)
	back := goFunc(func(...Value) (Value, error) { return evalIn(m, "sum([1 for i in range(200)])", nil) })
	if v, err := evalIn(m, "f() + f() + f() + f() + f()", map[string]Value{"f": back}); err != nil || v != Value(int64(1000)) {
		t.Errorf("five calls give %v, %v", v, err)
	}
	_, err := evalIn(m, "[f() for i in range(2000)]", map[string]Value{"f": goFunc(func(...Value) (Value, error) { return evalIn(m, "1", nil) })})
	if err == nil || !strings.Contains(err.Error(), "more than 1000 steps") {
		t.Errorf("two thousand calls give %v, want that it takes too many steps", err)
	}
}

// TestRequestsLeaveNothing: what an expression changes in a module is as it was for the next one.
func TestRequestsLeaveNothing(t *testing.T) {
	m := load(t, callbackSource)
	f := goFunc(func(...Value) (Value, error) { return int64(1), nil })
	for range 2 {
		v, err := evalIn(m, "(keep(f), keep(N), len(kept))", map[string]Value{"f": f})
		if err != nil || pyval.Repr(v) != "(0, 0, 2)" {
			t.Fatal(v, err)
		}
	}
	if got := look(t, m, "LATER"); got != "0" {
		t.Errorf("LATER is %s", got)
	}
	if v, err := evalIn(m, "(keep(1), f(2))", map[string]Value{"f": f}); err == nil {
		t.Errorf("a call to outside amid a change gives %v; others would see that", v)
	}
}

// TestObjectsOfOtherPrograms: a function of one program that another calls runs in its own, also
// where both call each other at a time.
func TestObjectsOfOtherPrograms(t *testing.T) {
	a := load(t, header+"N = 1\n@triton.constexpr_function\ndef call(g, x): return g(x)\n")
	b := load(t, header+"N = 10\n@triton.constexpr_function\ndef call(g, x): return g(x)\n")
	eval := func(m *Module, expr string, vars map[string]Value) Value {
		v, err := evalIn(m, expr, vars)
		if err != nil {
			t.Errorf("%s: %v", expr, err)
		}
		return v
	}
	var f, g, fs Value
	f = eval(a, "call", nil)
	g = eval(b, "call", nil)
	fs = eval(a, "[lambda x: x + N]", nil)
	if v := eval(b, "fs[0](3)", map[string]Value{"fs": fs}); v != Value(int64(4)) {
		t.Errorf("a function in a list gives %v, want 4", v)
	}
	if v := eval(a, "fs[0](3) + fs.index(fs[0])", map[string]Value{"fs": fs}); v != Value(int64(4)) {
		t.Errorf("at home it gives %v, want 4", v)
	}
	soon(t, "two programs that call each other", func() {
		var wg sync.WaitGroup
		for range 50 {
			wg.Add(2)
			go func() {
				defer wg.Done()
				if v := eval(a, "call(lambda x: g(lambda y: y + N, x), 1)", map[string]Value{"g": g}); v == nil {
					t.Error("a gives nothing")
				}
			}()
			go func() {
				defer wg.Done()
				if v := eval(b, "f(lambda y: y + N, 1)", map[string]Value{"f": f}); v != Value(int64(11)) {
					t.Errorf("b gives %v, want 11", v)
				}
			}()
		}
		wg.Wait()
	})
}
