package tegula_test

import (
	"testing"
	"time"

	"github.com/tegula-lang/tegula"
)

// TestFuncUsesModules: a Func may evaluate, list and look up in any module, also the one whose expression calls it.
func TestFuncUsesModules(t *testing.T) {
	src := "import triton\n@triton.jit\ndef k(p): pass\ndef twice(x): return 2 * x\n"
	mod, err := tegula.Load("a.py", src)
	if err != nil {
		t.Fatal(err)
	}
	other, err := tegula.Load("b.py", src)
	if err != nil {
		t.Fatal(err)
	}
	f := tegula.Func(func(args []any, _ map[string]any) (any, error) {
		if len(mod.Kernels())+len(other.Kernels()) != 2 || mod.Kernel("k").Err() != nil {
			t.Error("the kernels are not there")
		}
		return mod.Eval("twice(x)", map[string]any{"x": args[0]})
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		if v, err := mod.Eval("f(4) + sorted([1, 3], key=f)[1]", map[string]any{"f": f}); err != nil || v != int64(11) {
			t.Errorf("it gives %v, %v; want 11", v, err)
		}
	}()
	select {
	case <-done:
	case <-time.After(2 * time.Minute): // far longer than it takes on any machine
		t.Fatal("it waits for ever")
	}
}
