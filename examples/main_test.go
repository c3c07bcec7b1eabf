package main

import (
	"encoding/binary"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/difftest/simt"
)

// TestCommandLines runs the command that each kernel's file shows, as it stands there.
func TestCommandLines(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "tegula"), "../cmd/tegula").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	command := regexp.MustCompile(`(?m)^ +tegula run (?:.*\\\n)*.*$`)
	for _, e := range examples {
		src, err := os.ReadFile(e.name + ".py")
		if err != nil {
			t.Fatal(err)
		}
		line := command.FindString(string(src))
		if line == "" {
			t.Errorf("%s.py shows no command", e.name)
			continue
		}
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = ".."
		cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), e.outputs[0]) {
			t.Errorf("%s.py: %v\n%s\n%s", e.name, err, line, out)
		}
	}
}

// TestExamples runs every kernel and checks its results against NumPy's, as go run ./examples does.
func TestExamples(t *testing.T) {
	var out strings.Builder
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	for _, e := range examples {
		if !strings.Contains(out.String(), e.name) {
			t.Errorf("no line about %s", e.name)
		}
	}
}

// The same on a simulated GPU, and on a real one where there is one.
func TestExamplesOnGPUs(t *testing.T) {
	simulated := simt.New(simt.Options{Arch: "90a"}).Name()
	for _, target := range []string{simulated, "cuda", "xpu"} {
		t.Run(target, func(t *testing.T) {
			if _, err := driver.Open(target); err != nil {
				t.Skipf("skipped: %v", err)
			}
			if err := runOn(io.Discard, target); err != nil {
				t.Fatal(tegula.Detail(err))
			}
		})
	}
}

// TestToleranceRejects shows that the comparison can fail: a wrong seed, a wrong slope.
func TestToleranceRejects(t *testing.T) {
	for _, e := range examples {
		switch e.name {
		case "dropout":
			e.scalars = map[string]any{"n": 10000, "p": 0.25, "seed": 124}
		case "matmul":
			e.constants = map[string]any{"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32, "GROUP_M": 2}
		default:
			continue
		}
		if err := e.run(&strings.Builder{}); err == nil {
			t.Errorf("%s: accepted wrong results", e.name)
		}
	}
}

// TestToleranceIsPerElement: an error that is small beside the largest number is none for a small one.
func TestToleranceIsPerElement(t *testing.T) {
	array := func(values ...float64) *tegula.Array {
		a, err := tegula.NewArray(tegula.FP64, len(values))
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range values {
			binary.NativeEndian.PutUint64(a.Data[8*i:], math.Float64bits(v))
		}
		return a
	}
	tol := tolerance{abs: 1e-9, rel: 1e-3}
	for _, c := range []struct {
		got, want []float64
		accepted  bool
	}{
		{[]float64{1000.9, 1e-10}, []float64{1000, 0}, true},
		{[]float64{1000, 1.01}, []float64{1000, 1}, false},
		{[]float64{1000, 1e-8}, []float64{1000, 0}, false},
		{[]float64{math.NaN()}, []float64{1}, false},
		{[]float64{math.Inf(1)}, []float64{1}, false},
		{[]float64{1}, []float64{1, 1}, false},
	} {
		if _, err := tol.compare(array(c.got...), array(c.want...)); (err == nil) != c.accepted {
			t.Errorf("%v for %v: %v", c.got, c.want, err)
		}
	}
}
