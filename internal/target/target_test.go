package target

import (
	"errors"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
)

func TestParse(t *testing.T) {
	for _, name := range []string{"cpu", "cuda", "cuda:75", "cuda:90a", "cuda:120", "cuda:120f", "cuda:130", "cuda:60", "xpu"} {
		got, err := Parse(name)
		if err != nil || got.String() != name {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	for _, name := range []string{"", "gpu", "CPU", "cpu:1", "cpu:", "cuda:", "cuda:a", "cuda:9", "cuda:90aa", "cuda:9000", "cuda:90:1", "xpu:1", "cuda:91",
		"cuda:95", "cuda:122", "cuda:80a", "cuda-mlir:91"} {
		if got, err := Parse(name); !errors.Is(err, diag.Argument) {
			t.Errorf("%q: %s, %v", name, got, err)
		}
	}
}

// An architecture that does not exist is refused with one that does.
func TestNearestArchitecture(t *testing.T) {
	for name, want := range map[string]string{
		"cuda:91": "did you mean cuda:90?", "cuda:122": "did you mean cuda:121?", "cuda:sm_90": "did you mean cuda:90?", "cuda:x": "those are 75, 80",
		"xpu:1": "one kind only",
	} {
		if _, err := Parse(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Each target has a compiler; one that is none says so, by name.
func TestCompiler(t *testing.T) {
	for _, name := range names() {
		target, err := Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := target.Compiler(); b == nil || err != nil {
			t.Errorf("%s: %v, %v", name, b, err)
		}
	}
	if b, err := (Target{Backend: "npu"}).Compiler(); b != nil || !errors.Is(err, diag.Unsupported) {
		t.Errorf("npu: %v, %v", b, err)
	}
}

func TestOf(t *testing.T) {
	for want, info := range map[string]driver.Info{
		"cpu":      {Backend: "cpu", Arch: "amd64"},
		"cuda:90a": {Backend: "cuda", Arch: "90a", Index: 3},
	} {
		if got := Of(info); got.String() != want {
			t.Errorf("%v: %s, want %s", info, got, want)
		}
	}
}

// The CPU's policy asks only for what changes the code.
func TestCPUPolicy(t *testing.T) {
	if got := (cpuBackend{}).Policy(); got != (Policy{EqualOne: true}) {
		t.Errorf("%+v", got)
	}
}

// So does that of SYCL devices: other facts than these make no variants.
func TestXPUPolicy(t *testing.T) {
	if got := (xpuBackend{}).Policy(); got != (Policy{EqualOne: true, Divisibility: 16}) {
		t.Errorf("%+v", got)
	}
}
