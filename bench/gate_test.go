package bench

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/internal/syntax"
)

// The gates are some fifty times what a machine of today takes: they are not to measure, but to notice when
// something takes another order of time, on slow and busy machines too. Each counts the best of several runs.

func gate(t *testing.T, what string, limit time.Duration, run func()) {
	t.Helper()
	if testing.Short() || raceEnabled {
		t.Skip("it measures time")
	}
	const runs = 8
	best := time.Hour
	for i := 0; i < runs && best > limit/4; i++ {
		start := time.Now()
		run()
		best = min(best, time.Since(start))
	}
	t.Logf("%s takes %v", what, best)
	if best > limit {
		t.Errorf("%s takes %v, more than %v", what, best, limit)
	}
}

// TestFrontEndGate: the attention kernel, from its text to tile IR that is verified and simplified.
func TestFrontEndGate(t *testing.T) {
	for _, s := range signatures {
		if s.name != "attention" {
			continue
		}
		src := example(t, s.name)
		gate(t, "the front end of "+s.name, 100*time.Millisecond, func() { frontEnd(t, s.name, src, s.sig) })
		return
	}
	t.Fatal("there is no attention example")
}

// TestParseGate: a megabyte of kernels a second.
func TestParseGate(t *testing.T) {
	paths, err := filepath.Glob("../internal/sema/std/*.py")
	if err != nil || len(paths) == 0 {
		t.Fatal("no sources", err)
	}
	var src []byte
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		src = append(append(src, text...), '\n')
	}
	src = bytes.Repeat(src, 1+1<<20/len(src))
	file := syntax.NewFile("kernels.py", src)
	gate(t, "parsing", time.Duration(float64(len(src))/1e6*float64(time.Second)), func() {
		if _, errs := syntax.Parse(file); errs != nil {
			t.Fatal(errs)
		}
	})
}

// TestVectorAddGate: the sum of two vectors of 2²² numbers, on the CPU.
func TestVectorAddGate(t *testing.T) {
	mod, err := tegula.Load("vector_add.py", example(t, "vector_add"))
	if err != nil {
		t.Fatal(err)
	}
	const n, block = 1 << 22, 1024
	x, y, out := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], y[i] = float32(i), 1
	}
	launch, err := mod.Kernel("vector_add").Prepare(tegula.CPU(), tegula.Grid{n / block}, x, y, out, n, tegula.Const("BLOCK", block))
	if err != nil {
		t.Fatal(err)
	}
	gate(t, "adding vectors", 3*time.Second, func() {
		if err := launch.Launch(context.Background()); err != nil {
			t.Fatal(err)
		}
	})
	if out[0] != 1 || out[n-1] != n {
		t.Errorf("the sums are wrong: %v … %v", out[0], out[n-1])
	}
}
