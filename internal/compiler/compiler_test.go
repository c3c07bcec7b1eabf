package compiler

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/module"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/target"
)

// request asks for a kernel that stores a constant.
func request(t *testing.T, backend string) Request {
	t.Helper()
	m, err := module.Load("k.py", []byte("import triton\nimport triton.language as tl\n@triton.jit\ndef k(p, N: tl.constexpr):\n    tl.store(p, N + 1)\n"))
	if err != nil {
		t.Fatal(err)
	}
	return Request{
		Spec: sema.Spec{Fn: m.Kernel("k").Fn, Args: []sema.ArgSpec{
			{Type: sema.PointerTo(sema.ScalarType(dtype.Int32))}, {IsConst: true, Const: int64(41)},
		}},
		Target: target.Target{Backend: backend},
	}
}

func TestCompile(t *testing.T) {
	u, err := Compile(request(t, "cpu"))
	if err != nil {
		t.Fatal(diag.Detail(err))
	}
	text, err := u.Emit("tile")
	if err != nil || !strings.Contains(string(text), "const 42 : i32") {
		t.Errorf("%s, %v", text, err)
	}
	again, err := u.Emit("tile")
	if err != nil || string(again) != string(text) {
		t.Errorf("%s, %v, want %s", again, err, text)
	}
	b, err := u.Build()
	if err != nil || b.Metadata.Name != "k" || b.Metadata.Target != "cpu" || b.Code == nil {
		t.Errorf("%+v, %v", b, err)
	}
	var steps []string
	for _, s := range u.Steps() {
		steps = append(steps, s.Name)
		if s.Took < 0 {
			t.Errorf("%s took %s", s.Name, s.Took)
		}
	}
	if d := cmp.Diff([]string{"sema", "passes", "emit", "emit", "backend"}, steps); d != "" {
		t.Error(d)
	}
	if len(u.Params) != 1 || u.Params[0].Name != "p" {
		t.Errorf("%+v", u.Params)
	}
}

// TestDebug checks that debug builds keep a load that nobody needs: it may be out of bounds.
func TestDebug(t *testing.T) {
	m, err := module.Load("k.py", []byte("import triton\nimport triton.language as tl\n@triton.jit\ndef k(p):\n    v = tl.load(p + 1000)\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, debug := range []bool{false, true} {
		u, err := Compile(Request{
			Spec: sema.Spec{
				Fn:      m.Kernel("k").Fn,
				Args:    []sema.ArgSpec{{Type: sema.PointerTo(sema.ScalarType(dtype.Int32))}},
				Options: sema.Options{Debug: debug},
			},
			Target: target.Target{Backend: "cpu"},
		})
		if err != nil {
			t.Fatal(diag.Detail(err))
		}
		text, err := u.Emit("tile")
		if err != nil || strings.Contains(string(text), "load") != debug {
			t.Errorf("debug %v: %s, %v", debug, text, err)
		}
	}
}

func TestRefuses(t *testing.T) {
	u, err := Compile(request(t, "cpu"))
	if err != nil {
		t.Fatal(err)
	}
	for stage, want := range map[string]*diag.Category{"ptx": diag.Unsupported, "": diag.Argument, "Tile": diag.Argument} {
		if text, err := u.Emit(stage); !errors.Is(err, want) {
			t.Errorf("%q: %s, %v, want %s", stage, text, err, want)
		}
	}
}
