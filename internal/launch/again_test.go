package launch

import (
	"context"
	"io"
	"testing"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/fake"
)

// TestAgain: after a launch, one like it is taken; one that differs in what the compiler knows is not.
func TestAgain(t *testing.T) {
	k := kernelFrom(t, "@triton.jit\ndef k(n, m, eps=1e-5, BLOCK: tl.constexpr = 128):\n    tl.device_print('n', n + m + eps)\n", "k")
	stream := newFake(t, fake.Options{}).Stream(0)
	if k.Again(stream) != nil {
		t.Error("there was a launch before the first")
	}
	first := args(Int(16), Int(17))
	first.stream = stream
	first.named = []Named{named("BLOCK", fixed(Int(64)))}
	if err := first.launch(context.Background(), k); err != nil {
		t.Fatal(err)
	}
	block := fixed(Int(64))
	for _, tt := range []struct {
		name string
		args func(a *Again) bool
		ok   bool
	}{
		{"the same", func(a *Again) bool { return a.Int(16) && a.Int(17) && a.Named("BLOCK", &block) }, true},
		{"another order", func(a *Again) bool { return a.Int(16) && a.Named("BLOCK", &block) && a.Int(17) }, true},
		{"other numbers", func(a *Again) bool { return a.Int(160) && a.Int(-3) && a.Named("BLOCK", &block) }, true},
		{"one that is not divisible", func(a *Again) bool { return a.Int(15) && a.Int(17) && a.Named("BLOCK", &block) }, false},
		{"one that is divisible", func(a *Again) bool { return a.Int(16) && a.Int(32) && a.Named("BLOCK", &block) }, false},
		{"a 1", func(a *Again) bool { return a.Int(16) && a.Int(1) && a.Named("BLOCK", &block) }, false},
		{"a large one", func(a *Again) bool { return a.Int(1<<40) && a.Int(17) && a.Named("BLOCK", &block) }, false},
		{"a float", func(a *Again) bool { return a.Float(16) && a.Int(17) && a.Named("BLOCK", &block) }, false},
		{"a bool", func(a *Again) bool { return a.Bool(true) && a.Int(17) && a.Named("BLOCK", &block) }, false},
		{"no constant", func(a *Again) bool { return a.Int(16) && a.Int(17) }, false},
		{"another constant", func(a *Again) bool { v := fixed(Int(128)); return a.Int(16) && a.Int(17) && a.Named("BLOCK", &v) }, false},
		{"more", func(a *Again) bool { return a.Int(16) && a.Int(17) && a.Float(1) && a.Named("BLOCK", &block) }, false},
		{"an option", func(a *Again) bool {
			a.NumWarps = 8
			return a.Int(16) && a.Int(17) && a.Named("BLOCK", &block)
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := k.Again(stream)
			if a == nil {
				t.Fatal("the launch before is forgotten")
			}
			defer a.End()
			ok := tt.args(a)
			if ok {
				var err error
				if ok, err = a.Launch(context.Background(), stream, io.Discard, []int{1}); err != nil {
					t.Fatal(err)
				}
			}
			if ok != tt.ok {
				t.Errorf("taken: %v", ok)
			}
		})
	}
}

// TestNotAgain: what a launch had besides numbers and buffers, or had computed, may be something else the next time.
func TestNotAgain(t *testing.T) {
	stream := newFake(t, fake.Options{}).Stream(0)
	launched := func(src string, values ...Value) *Kernel {
		k, r := kernelFrom(t, src, "k"), args(values...)
		r.stream = stream
		for range 2 {
			if err := r.launch(context.Background(), k); err != nil {
				t.Fatal(err)
			}
		}
		return k
	}
	for name, k := range map[string]*Kernel{
		"a declared type and a tuple": launched("@triton.jit\ndef k(n: tl.int64, t):\n    pass\n", Int(3), tupleOf(Int(1), FloatOf(dtype.Float32, 2))),
		"a heuristic":                 launched("@triton.heuristics({'B': lambda args: args['n'] // 16})\n@triton.jit\ndef k(n, B: tl.constexpr):\n    pass\n", Int(32)),
		"*args":                       launched("@triton.jit\ndef k(n, *rest):\n    pass\n", Int(3), Int(4)),
	} {
		if k.Again(stream) != nil {
			t.Errorf("%s: the launch is repeated", name)
		}
	}
	a := launched("@triton.jit\ndef k(n):\n    pass\n", fixed(Int(16))).Again(stream)
	if a == nil || a.Int(16) {
		t.Error("a number is taken for a constant")
	}
}
