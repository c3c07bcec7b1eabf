package module

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
)

const header = `import triton
import triton.language as tl
`

// look gives what a module's kernels see under a name, as text.
func look(t *testing.T, m *Module, name string) string {
	t.Helper()
	b, ok, err := m.Env().Lookup(name)
	switch {
	case err != nil:
		var d *diag.Error
		if !errors.As(err, &d) {
			t.Errorf("the error of %s is no diag.Error: %v", name, err)
		}
		return "error: " + err.Error()
	case !ok:
		return "unbound"
	}
	text := describe(b.Value)
	if b.Const {
		text = "const " + text
	}
	return text
}

func describe(v Value) string {
	switch v := v.(type) {
	case *sema.Func:
		return "kernel " + v.Name
	case *sema.Builtin:
		return "builtin " + v.Name
	case sema.LangModule:
		return "module " + string(v)
	case sema.Type:
		return "type " + v.String()
	}
	return pyval.Repr(v)
}

func load(t *testing.T, src string) *Module {
	t.Helper()
	m, err := Load("kernels.py", []byte(src))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return m
}

// TestNames has blocks of module text; the comments "#= name: value" after them say what the
// names are to kernels. An expected "error: …" is the end of the message or a part after "…".
func TestNames(t *testing.T) {
	for _, c := range nameCases {
		t.Run(c.name, func(t *testing.T) {
			m := load(t, header+c.src)
			checked := 0
			for line := range strings.Lines(c.src) {
				_, want, ok := strings.Cut(strings.TrimSpace(line), "#= ")
				if !ok {
					continue
				}
				name, want, _ := strings.Cut(want, ": ")
				checked++
				got := look(t, m, name)
				if part, ok := strings.CutPrefix(want, "error: "); ok && strings.HasPrefix(got, "error: ") && strings.Contains(got, part) {
					continue
				}
				if got != want {
					t.Errorf("%s is %s, want %s", name, got, want)
				}
			}
			if checked == 0 {
				t.Error("the case checks nothing")
			}
		})
	}
}

// TestModuleFails: a module whose statements raise an exception that nobody catches has no names.
func TestModuleFails(t *testing.T) {
	for _, c := range failCases {
		m := load(t, "A = 1\n"+header+c.src+"@triton.jit\ndef k(): pass\n")
		if got := look(t, m, "A"); !strings.HasPrefix(got, "error: kernels.py:") || !strings.Contains(got, strings.Replace(c.want, "kernels.py:", "", 1)) {
			t.Errorf("%s: A is %s, want %s", c.name, got, c.want)
		}
		if k := m.Kernel("k"); k == nil || k.Err == nil || !strings.Contains(k.Err.Error(), "module 'kernels.py' cannot be evaluated") {
			t.Errorf("%s: the kernel is %v", c.name, k)
		}
	}
}

func ExampleLoad() {
	m, err := Load("add.py", []byte(`import triton
import triton.language as tl

@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr = 1024):
    pass
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range m.Kernel("add").Params {
		fmt.Println(p.Name, p.Constexpr, p.Default)
	}
	// Output:
	// x false <nil>
	// y false <nil>
	// out false <nil>
	// n false <nil>
	// BLOCK true 1024
}
