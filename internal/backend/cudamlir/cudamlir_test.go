package cudamlir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/tile"
)

func module(t *testing.T) *tile.Module {
	t.Helper()
	m, err := tile.Parse("k.tile", []byte("func @k(%p: ptr<f32>, %x: f32) -> () {\n  store %p, %x\n  return\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// answering names a Python that answers every request with a text and an exit status.
func answering(t *testing.T, script string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "python")
	if err := os.WriteFile(path, []byte("#!/bin/sh\ncat >/dev/null\n"+script+"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv(EnvPython, path)
}

func TestCompile(t *testing.T) {
	answering(t, `printf '%s' '{"triton":"9.9","cubin":"AQID","stages":{"ptx":".visible .entry k(\n\t.param .u64 .ptr .global .align 1 k_param_0,\n\t.param .f32 k_param_1,\n\t.param .u64 k_param_2\n)\n"},"section":{"entry":"k","warps":4,"shared":16,"scratch":128}}'`)
	c, err := Compile(module(t), Options{Capability: 90, Warps: 4, CTAs: 1, Stages: 3})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(os.Getenv(EnvPython)); err != nil { // nobody is asked again
		t.Fatal(err)
	}
	if again, err := Compile(module(t), Options{Capability: 90, Warps: 4, CTAs: 1, Stages: 3}); err != nil || again != c {
		t.Errorf("%+v, %v", again, err)
	}
	want := Section{Entry: "k", Warps: 4, Shared: 16, Params: 3, Scratch: 128}
	if c.Section != want || string(c.Cubin) != "\x01\x02\x03" || c.Triton != "9.9" {
		t.Errorf("%+v", c)
	}
}

// TestRequest looks at the options that Triton is asked with.
func TestRequest(t *testing.T) {
	asked := filepath.Join(t.TempDir(), "request")
	path := filepath.Join(t.TempDir(), "python")
	if err := os.WriteFile(path, []byte("#!/bin/sh\ncat >'"+asked+"'\necho '{\"error\":\"no\"}'\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv(EnvPython, path)
	for registers, want := range map[int]string{
		0:  `"options":{"enable_fp_fusion":true,"num_ctas":1,"num_stages":3,"num_warps":4}`,
		40: `"options":{"enable_fp_fusion":true,"maxnreg":40,"num_ctas":1,"num_stages":3,"num_warps":4}`,
	} {
		if _, err := Compile(module(t), Options{Capability: 90, Warps: 4, CTAs: 1, Stages: 3, MaxRegisters: registers}); !errors.Is(err, diag.Unsupported) {
			t.Errorf("maxnreg of %d: %v", registers, err)
		}
		if got, err := os.ReadFile(asked); err != nil || !strings.Contains(string(got), want) {
			t.Errorf("maxnreg of %d: %s, %v", registers, got, err)
		}
	}
}

func TestErrors(t *testing.T) {
	for name, c := range map[string]struct {
		script   string
		category error
		says     string
	}{
		"no Triton":      {`echo '{"missing":"No module named triton"}'`, diag.Driver, "needs a Python that has Triton"},
		"refused":        {`echo '{"error":"ValueError: no"}'`, diag.Unsupported, "Triton does not compile k: ValueError: no"},
		"it crashes":     {`echo assertion >&2; exit 3`, diag.Compile, "ended with exit status 3: assertion"},
		"no JSON":        {`echo hello`, diag.Compile, "answered with no JSON"},
		"another kernel": {`printf '%s' '{"stages":{"ptx":".entry j()"},"section":{"entry":"k"}}'`, diag.Compile, "has no function k"},
	} {
		answering(t, c.script)
		if _, err := Compile(module(t), Options{Capability: 90}); !errors.Is(err, c.category) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Setenv(EnvPython, filepath.Join(t.TempDir(), "none"))
	if _, err := Compile(module(t), Options{Capability: 90}); !errors.Is(err, diag.Driver) || !strings.Contains(err.Error(), EnvPython) {
		t.Errorf("no Python: %v", err)
	}
}

func TestOld(t *testing.T) {
	for version, want := range map[string]bool{"3.6.0": true, "3.8.1+git": true, "3.9.0": false, "3.10.0": false, "4.0.0": false, "none": false} {
		if old(version) != want {
			t.Errorf("%s: %t", version, !want)
		}
	}
}

// TestShallow refuses a dot of which the matrix instructions would multiply more than there is.
func TestShallow(t *testing.T) {
	answering(t, "exit 1")
	for k, refused := range map[string]bool{"16": true, "32": false} {
		m, err := tile.Parse("k.tile", []byte("func @k(%a: 16x"+k+"xi8, %b: "+k+"x16xi8, %c: 16x16xi32) -> () {\n  %d = dot %a, %b, %c {tf32} : 16x16xi32\n  return\n}\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Compile(m, Options{Capability: 90}); errors.Is(err, diag.Unsupported) != refused {
			t.Errorf("K of %s: %v", k, err)
		}
	}
}
