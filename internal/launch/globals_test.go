package launch

import (
	"math"
	"sync"
	"testing"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
)

// An interpreter is an Env as a live interpreter's would be: its names may be bound anew at any time.
type interpreter struct {
	sema.Env // of the module, for all other names

	mu         sync.Mutex
	names      map[string]pyval.Value
	generation uint64
	lookups    int
}

func (e *interpreter) Lookup(name string) (sema.Binding, bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lookups++
	if v, ok := e.names[name]; ok {
		return sema.Binding{Value: v, Const: true}, v != nil, nil
	}
	return e.Env.Lookup(name)
}

func (e *interpreter) Generation() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.generation
}

// set binds a name anew; nil deletes it.
func (e *interpreter) set(name string, v pyval.Value) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.names[name] = v
	e.generation++
}

// touch makes the interpreter say that something may have changed.
func (e *interpreter) touch() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.generation++
}

// live gives a kernel that reads the global N and stores 1, and the interpreter that it lives in.
func live(t *testing.T, n pyval.Value) (*Kernel, *interpreter) {
	t.Helper()
	k := kernelFrom(t, `
@triton.jit
def k(out_ptr):
    if tl.constexpr(N is not None):
        tl.store(out_ptr, 1)
`, "k")
	env := &interpreter{Env: k.def.Fn.Env, names: map[string]pyval.Value{"N": n}}
	fn := *k.def.Fn
	fn.Env = env
	return New(Definition{Fn: &fn, Params: k.params}), env
}

// Each change of type or bits is noticed before the launch; what stays the same by these is not a
// change, even if the interpreter bound it anew. The stale code never runs.
func TestContractGlobalChanged(t *testing.T) {
	nan, otherNaN := math.NaN(), math.Float64frombits(0x7ff8_0000_0000_0002)
	list := pyval.NewList(int64(1))
	grown := pyval.NewList(int64(1), int64(2))
	fp32 := sema.ScalarType(dtype.Float32)
	for name, test := range map[string]struct {
		before, after pyval.Value
		msg           string // "" if it is the same
	}{
		"the same int":        {int64(1000), int64(1000), ""},
		"another int":         {int64(1), int64(2), "the global 'N' was 1 when k was compiled, and is 2"},
		"int to float":        {int64(1), 1.0, "was 1 when k was compiled, and is 1.0"},
		"int to bool":         {int64(1), true, "was 1 when k was compiled, and is True"},
		"float to bool":       {1.0, true, "was 1.0 when k was compiled, and is True"},
		"the same NaN":        {nan, nan, ""},
		"another NaN":         {nan, otherNaN, "another object that looks the same"},
		"zero to minus zero":  {0.0, math.Copysign(0, -1), "was 0.0 when k was compiled, and is -0.0"},
		"the same str":        {"a", "a", ""},
		"another str":         {"a", "b", "was 'a' when k was compiled, and is 'b'"},
		"the same tuple":      {ints(1, 2), ints(1, 2), ""},
		"another tuple":       {ints(1, 2), ints(1, 3), "was (1, 2) when k was compiled, and is (1, 3)"},
		"int in a tuple":      {ints(1), pyval.NewTuple(1.0), "is (1.0,)"},
		"tuple to list":       {ints(1), list, "was (1,) when k was compiled, and is [1]"},
		"another list":        {list, grown, "was [1] when k was compiled, and is [1, 2]"},
		"the same dtype":      {fp32, sema.ScalarType(dtype.Float32), ""},
		"another dtype":       {fp32, sema.ScalarType(dtype.Float16), "is triton.language.float16"},
		"deleted":             {int64(1), nil, "was 1 when k was compiled, and is no longer there"},
		"a module":            {sema.LangModule("triton"), sema.LangModule("triton.language"), "another"},
		"another object":      {&sema.Builtin{Name: "load"}, &sema.Builtin{Name: "store"}, "and is"},
		"the same bound anew": {&sema.Builtin{Name: "load"}, &sema.Builtin{Name: "load"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			k, env := live(t, test.before)
			out := make([]byte, 4)
			r := args(Array(dtype.Int32, out))
			if err := r.launch(t.Context(), k); err != nil {
				t.Fatal(diag.Detail(err))
			}
			out[0] = 0
			env.set("N", test.after)
			err := r.launch(t.Context(), k)
			if test.msg == "" {
				if err != nil || out[0] != 1 {
					t.Errorf("%v, stored %d", err, out[0])
				}
				return
			}
			checkError(t, err, diag.GlobalChanged, "global-changed", test.msg)
			if out[0] != 0 {
				t.Error("the stale code ran")
			}
			env.set("N", test.before)
			if err := r.launch(t.Context(), k); err != nil || out[0] != 1 {
				t.Errorf("changed back: %v, stored %d", err, out[0])
			}
		})
	}
}

// A list that is changed in place is a change, though it is the same object.
func TestContractGlobalChangedInPlace(t *testing.T) {
	list := pyval.NewList(int64(1))
	k, env := live(t, list)
	r := args(Array(dtype.Int32, make([]byte, 4)))
	if err := r.launch(t.Context(), k); err != nil {
		t.Fatal(diag.Detail(err))
	}
	list.Elems[0] = int64(2)
	env.touch()
	checkError(t, r.launch(t.Context(), k), diag.GlobalChanged, "global-changed", "was [1] when k was compiled, and is [2]")
}

// A function that a kernel calls may be defined anew with the same text; with another it is a
// change.
func TestContractGlobalFunctionChanged(t *testing.T) {
	const one, two = "def f(x):\n    return x", "def f(x):\n    return x + 1"
	load := func(text string, env sema.Env) *sema.Func {
		k := kernelFrom(t, "@triton.jit\n"+text+"\n", "f")
		f := *k.def.Fn
		f.Env = env
		return &f
	}
	k := kernelFrom(t, "@triton.jit\ndef k(out_ptr):\n    tl.store(out_ptr, N(1))\n", "k")
	env := &interpreter{Env: k.def.Fn.Env, names: map[string]pyval.Value{}}
	env.names["N"] = load(one, env)
	fn := *k.def.Fn
	fn.Env = env
	k = New(Definition{Fn: &fn, Params: k.params})
	r := args(Array(dtype.Int32, make([]byte, 4)))
	if err := r.launch(t.Context(), k); err != nil {
		t.Fatal(diag.Detail(err))
	}
	env.set("N", load(one, env))
	if err := r.launch(t.Context(), k); err != nil {
		t.Errorf("the same text: %v", err)
	}
	env.set("N", load(two, env))
	checkError(t, r.launch(t.Context(), k), diag.GlobalChanged, "global-changed", "the global 'N'")
	env.set("N", load(one, k.def.Fn.Env.(*interpreter).Env))
	checkError(t, r.launch(t.Context(), k), diag.GlobalChanged, "global-changed", "the global 'N'")
}

// While the interpreter says that nothing was bound anew, no name is looked up; a prepared launch
// is checked, too.
func TestContractGlobalCheckIsCheap(t *testing.T) {
	k, env := live(t, int64(1))
	r := args(Array(dtype.Int32, make([]byte, 4)))
	p, err := r.prepare(k)
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	before := env.lookups
	for range 10 {
		if err := r.launch(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		if err := p.Launch(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := env.lookups - before; n != 0 {
		t.Errorf("%d lookups in 20 launches", n)
	}
	env.set("M", int64(1)) // something else
	if err := r.launch(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	if n := env.lookups - before; n == 0 {
		t.Error("nothing was looked up after something was bound")
	}
	env.set("N", int64(2))
	checkError(t, p.Launch(t.Context()), diag.GlobalChanged, "global-changed", "is 2")
}

// What cannot change is not checked: the globals of a module file.
func TestContractGlobalsOfModulesAreFree(t *testing.T) {
	k := kernelFrom(t, "N = tl.constexpr(4)\n\n@triton.jit\ndef k(out_ptr):\n    tl.store(out_ptr, N)\n", "k")
	p, err := args(Array(dtype.Int32, make([]byte, 4))).prepare(k)
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	if p.variant.live != nil {
		t.Errorf("%d environments are checked", len(p.variant.live.envs))
	}
}

// A kernel that does not compile may do so once its globals are there: such an error is not kept.
func TestErrorsOfLiveGlobalsAreNotKept(t *testing.T) {
	k, env := live(t, nil)
	r := args(Array(dtype.Int32, make([]byte, 4)))
	checkError(t, r.launch(t.Context(), k), diag.Compile, "undefined-name", "'N'")
	env.set("N", int64(1))
	if err := r.launch(t.Context(), k); err != nil {
		t.Error(diag.Detail(err))
	}
}
