package target

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/backend/cpu"
	"github.com/tegula-lang/tegula/internal/backend/cpu/native"
	"github.com/tegula-lang/tegula/internal/tile"
)

// kernels gives one whose tiles need more memory than machine code may use, and one that needs none.
func kernels(t *testing.T) (large, small *tile.Module) {
	t.Helper()
	var b strings.Builder
	b.WriteString("func @large(%p: ptr<f64>) -> () {\n  %i = range {start = 0, end = 1048576} : 1048576xi32\n")
	b.WriteString("  %q = splat %p : 1048576xptr<f64>\n  %a = addptr %q, %i : 1048576xptr<f64>\n  %v0 = load %a : 1048576xf64\n")
	for n := range 12 {
		fmt.Fprintf(&b, "  %%w%d = scan %%v%d {axis = 0} : 1048576xf64 (%%x%d: f64, %%y%d: f64) {\n    %%s%d = fadd %%x%d, %%y%d : f64\n    yield %%s%d\n  }\n", n, n, n, n, n, n, n, n)
		fmt.Fprintf(&b, "  %%v%d = fadd %%v%d, %%w%d : 1048576xf64\n", n+1, n, n)
	}
	b.WriteString("  store %a, %v12\n  return\n}\n")
	parse := func(text string) *tile.Module {
		m, err := tile.Parse("k.tile", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	return parse(b.String()), parse("func @small(%p: ptr<f64>) -> () {\n  return\n}\n")
}

// Machine code runs what it can, the checked executor what is to be checked and, with one warning, what is refused.
func TestWhichExecutor(t *testing.T) {
	if why := native.Supported(); why != "" {
		t.Skip(why)
	}
	var out bytes.Buffer
	log.SetOutput(&out)
	t.Cleanup(func() { log.SetOutput(os.Stderr) })
	warned.Clear() // of a run before this one
	large, small := kernels(t)
	for _, test := range []struct {
		m        *tile.Module
		check    bool
		executor Executor
		native   bool
	}{
		{small, false, Native, true}, {small, true, Native, false}, {small, true, NativeOnly, false}, {small, false, Checked, false},
		{large, false, Native, false}, {large, false, Native, false}, {large, false, Checked, false},
	} {
		j := Job{Module: test.m, Metadata: &driver.KernelMetadata{}, Check: test.check, Settings: Settings{CPU: test.executor}}
		b, err := cpuBackend{}.Compile(j)
		if err != nil {
			t.Fatal(err)
		}
		_, isNative := b.Code.(*native.Dual)
		if _, isChecked := b.Code.(*cpu.Program); isNative != test.native || isChecked == isNative {
			t.Errorf("%s, check %t, %s: %T", test.m.Funcs[0].Name, test.check, test.executor, b.Code)
		}
	}
	if n := strings.Count(out.String(), "runs on the checked executor"); n != 1 {
		t.Errorf("%d warnings:\n%s", n, out.String())
	}
	if _, err := (cpuBackend{}).Compile(Job{Module: large, Metadata: &driver.KernelMetadata{}, Settings: Settings{CPU: NativeOnly}}); err == nil {
		t.Error("native-only took what machine code does not")
	}
}
